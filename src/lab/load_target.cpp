#include "lab/load_target.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/address.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "json/writer.h"
#include "lab/load.h"
#include "lab/pacer.h"
#include "wire/head_writer.h"

namespace penstock::lab {
namespace {

constexpr std::string_view kChatPath = "/chat/completions";
constexpr std::uint32_t kPromptBytesMax = 256U << 20;
constexpr std::string_view kWord = "water ";

std::string full_path(std::string path) {
  if (path.empty()) path = "/v1";
  if (path.ends_with("/v1")) path += kChatPath;
  return path;
}

std::string prompt_text(std::size_t padding) {
  std::string text = "Say hello";
  if (padding != 0) text += ' ';
  for (std::size_t i = 0; i < padding; ++i) text += kWord[i % kWord.size()];
  return text;
}

std::string body_for(std::string_view path, const LoadOptions& options) {
  const std::string prompt = prompt_text(options.prompt_bytes);
  const bool embeddings = path.ends_with("/embeddings");
  std::string body;
  json::Writer writer(body);
  writer.begin_object().key("model").string(options.model);
  if (embeddings) {
    writer.key("input").string(prompt);
  } else if (path.ends_with(kChatPath)) {
    writer.key("messages").begin_array().begin_object();
    writer.key("role").string("user").key("content").string(prompt);
    writer.end_object().end_array();
  } else {
    writer.key("prompt").string(prompt);
  }
  if (options.max_tokens != 0) writer.key("max_tokens").integer(options.max_tokens);
  if (options.stream && !embeddings) writer.key("stream").boolean(true);
  writer.end_object();
  return body;
}

Error wrong(std::string text) { return Error(ErrorCode::kInvalidRequest, std::move(text)); }

}  // namespace

Result<LoadTarget> load_target(const LoadOptions& options) {
  std::optional<BaseUrl> url = parse_base_url(options.url);
  if (!url) return fail(wrong("--url must be http(s)://HOST[:PORT][/PATH]."));
  if (options.rps < 0 || options.rps > 1e6) return fail(wrong("--rps takes up to 1000000."));
  if (!options.open_loop() && (options.concurrency < 1 || options.concurrency > 100'000))
    return fail(wrong("--concurrency takes 1 to 100000."));
  for (const RatePhase& phase : options.phases)
    if (phase.per_second <= 0 || phase.per_second > 1e6 || phase.time <= Duration::zero())
      return fail(wrong("--phase takes a rate up to 1000000 and a time above 0."));
  if (options.duration <= Duration::zero()) return fail(wrong("--duration must be above 0."));
  if (options.timeout <= Duration::zero()) return fail(wrong("--timeout must be above 0."));
  if (options.prompt_bytes > kPromptBytesMax)
    return fail(wrong("The prompt takes at most 256 MiB."));
  if (options.threads < 1 || options.threads > 256) return fail(wrong("--threads takes 1 to 256."));
  LoadTarget target{.url = *std::move(url), .request = {}};
  target.url.path = full_path(std::move(target.url.path));
  const std::string body = body_for(target.url.path, options);
  std::string& out = target.request;
  wire::append_request_line(out, "POST", target.url.path);
  wire::append_header(out, "host", authority_of(target.url));
  wire::append_header(out, "user-agent", "penstock-load");
  if (!options.key.empty()) wire::append_header(out, "authorization", "Bearer " + options.key);
  wire::append_header(out, "content-type", "application/json");
  wire::append_header(out, "accept",
                      options.stream ? std::string_view("text/event-stream") : "application/json");
  wire::append_header(out, "content-length", std::uint64_t{body.size()});
  out += wire::kHeadEnd;
  out += body;
  return target;
}

}  // namespace penstock::lab
