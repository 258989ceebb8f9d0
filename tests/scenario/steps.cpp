#include "tests/scenario/steps.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/scripted_upstream.h"
#include "wire/head_writer.h"

namespace penstock::scenario {
namespace {

std::string chunk_of(std::string_view delta, std::string_view finish) {
  return R"({"id":"c1","object":"chat.completion.chunk","model":"up","choices":[{"index":0,"delta":)" +
         std::string(delta) + R"(,"finish_reason":)" + std::string(finish) + "}]}";
}

// Header lines with CRLF, as they go over the wire.
std::string on_wire(std::string_view fields) {
  std::string text;
  while (!fields.empty()) {
    const std::size_t end = fields.find('\n');
    const std::string_view line = fields.substr(0, end);
    if (!line.empty()) text.append(line).append("\r\n");
    if (end == std::string_view::npos) break;
    fields.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace

std::optional<test::Step> plain_step(std::string_view word) {
  if (word == "head") return test::stream_head();
  if (word == "role") return test::step::Event{chunk_of(R"({"role":"assistant"})", "null")};
  if (word == "usage")
    return test::step::Event{
        R"({"id":"c1","object":"chat.completion.chunk","model":"up","choices":[],"usage":)"
        R"({"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}})"};
  if (word == "done") return test::step::Event{"[DONE]"};
  if (word == "last") return test::step::LastChunk{};
  if (word == "cut") return test::step::Cut{};
  if (word == "reset") return test::step::Reset{};
  if (word == "hang") return test::step::Hang{};
  return {};
}

std::optional<test::Step> text_step(std::string_view kind, const std::string& value) {
  if (kind == "text") return test::step::Event{chunk_of(R"({"content":")" + value + "\"}", "null")};
  if (kind == "finish") return test::step::Event{chunk_of("{}", "\"" + value + "\"")};
  if (kind == "event") return test::step::Event{value};
  if (kind == "chunk") return test::step::Chunk{value};
  if (kind == "send") return test::step::Send{value};
  return {};
}

test::Step fill_step(std::size_t bytes) {
  return test::step::Event{chunk_of(R"({"content":")" + std::string(bytes, 'x') + "\"}", "null")};
}

test::Step reply_step(int status, std::string_view fields, std::string_view body) {
  std::string text;
  wire::append_status_line(text, status);
  wire::append_header(text, "content-type", "application/json");
  text += on_wire(fields);
  wire::append_header(text, "content-length", static_cast<std::uint64_t>(body.size()));
  text += wire::kHeadEnd;
  text += body;
  return test::step::Send{std::move(text)};
}

std::string chat_body(std::string_view model, Streamed streamed) {
  std::string body = R"({"model":")" + std::string(model) + '"';
  if (streamed == Streamed::kYes) body += R"(,"stream":true)";
  return body + R"(,"messages":[{"role":"user","content":"hi"}]})";
}

std::string request_bytes(const RequestParts& parts) {
  std::string text = parts.raw;
  if (text.empty()) {
    text = parts.method + " " + parts.target + " HTTP/1.1\r\n" + on_wire(parts.fields);
    wire::append_header(text, "host", "gateway");
    if (parts.fields.find("x-request-id") == std::string::npos)
      wire::append_header(text, "x-request-id", parts.id);
    if (!parts.body.empty() && parts.fields.find("transfer-encoding") == std::string::npos)
      wire::append_header(text, "content-length", static_cast<std::uint64_t>(parts.body.size()));
    text += wire::kHeadEnd;
    text += parts.body;
  }
  if (parts.send_only) text.resize(*parts.send_only);
  return text;
}

}  // namespace penstock::scenario
