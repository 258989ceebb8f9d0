#include "dialect/openai/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "json/reader.h"
#include "json/string.h"
#include "json/writer.h"

namespace penstock::dialect::openai {
namespace {

void write_error(json::Writer& writer, const Error& error, ErrorSource source,
                 std::string_view request_id) {
  const ErrorInfo& row = info(error.code);
  writer.key("error").begin_object();
  writer.key("message").string(error.message.empty() ? row.message : error.message);
  writer.key("type").string(row.type);
  writer.key("param");
  if (error.param.empty())
    writer.null();
  else
    writer.string(error.param);
  writer.key("code").string(row.name);
  writer.key("source").string(name(source));
  if (!error.hint.empty()) writer.key("hint").string(error.hint);
  writer.key("request_id").string(request_id);
  writer.end_object();
}

// A string or a number, cut to `bytes_max`; empty for all else.
std::string read_word(json::Reader& reader, std::size_t bytes_max) {
  const json::Kind kind = reader.peek();
  if (kind == json::Kind::kString) return json::unescape(reader.read_string(), bytes_max);
  const std::string_view raw = reader.skip_value();
  return kind == json::Kind::kNumber ? std::string(raw.substr(0, bytes_max)) : std::string();
}

// What one object says, and what stands in its `error` member.
struct Said {
  ProviderError self;
  ProviderError inner;
  std::string detail;
  std::string status;  // Google's word for the kind of error
  bool is_error = false;
};

void read_object(json::Reader& reader, Said& said);

void read_error_member(json::Reader& reader, Said& said) {
  if (reader.peek() != json::Kind::kObject) {
    said.inner.message = read_word(reader, ProviderError::kMessageMax);
    return;
  }
  // One level is all there is: what an `error` within an error says is left out.
  Said within;
  within.is_error = true;
  read_object(reader, within);
  said.inner = std::move(within.self);
  if (said.inner.type.empty()) said.inner.type = std::move(within.status);
}

void read_object(json::Reader& reader, Said& said) {
  constexpr std::size_t kWordMax = ProviderError::kWordMax;
  constexpr std::size_t kMessageMax = ProviderError::kMessageMax;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    if (json::equals(key, "code"))
      said.self.code = read_word(reader, kWordMax);
    else if (json::equals(key, "type"))
      said.self.type = read_word(reader, kWordMax);
    else if (json::equals(key, "param"))
      said.self.param = read_word(reader, kWordMax);
    else if (json::equals(key, "message") || json::equals(key, "Message"))
      said.self.message = read_word(reader, kMessageMax);
    else if (json::equals(key, "status"))
      said.status = read_word(reader, kWordMax);
    else if (json::equals(key, "detail") && reader.peek() == json::Kind::kString)
      said.detail = read_word(reader, kMessageMax);
    else if (json::equals(key, "object"))
      said.is_error |= read_word(reader, kWordMax) == "error";
    else if (json::equals(key, "error") && !said.is_error)
      read_error_member(reader, said);
    else
      reader.skip_value();
  }
}

ProviderError pick(Said& said) {
  if (said.inner.said()) {
    if (said.inner.code.empty()) said.inner.code = std::move(said.self.code);
    return std::move(said.inner);
  }
  if (said.self.message.empty()) said.self.message = std::move(said.detail);
  if (said.is_error || !said.self.message.empty()) return std::move(said.self);
  return {};
}

// Words that providers use for `code` or `type`, a status as digits among them; lower case.
constexpr std::array<std::string_view, 11> kRateWords{"rate_limit_exceeded",
                                                      "rate_limit_error",
                                                      "rate_limit",
                                                      "rate_limited",
                                                      "too_many_requests",
                                                      "resource_exhausted",
                                                      "insufficient_quota",
                                                      "requests",
                                                      "tokens",
                                                      "429",
                                                      "498"};
constexpr std::array<std::string_view, 9> kLoadWords{"overloaded",
                                                     "overloaded_error",
                                                     "server_overloaded",
                                                     "engine_overloaded",
                                                     "unavailable",
                                                     "service_unavailable",
                                                     "insufficient_system_resource",
                                                     "503",
                                                     "529"};
constexpr std::array<std::string_view, 6> kKeyWords{
    "invalid_api_key", "authentication_error", "permission_error", "unauthorized", "401", "403"};

bool same_word(std::string_view said, std::string_view lower) noexcept {
  const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(said.begin(), said.end(), lower.begin(), lower.end(),
                    [fold](char a, char b) { return fold(a) == b; });
}

bool says(const ProviderError& error, std::span<const std::string_view> words) noexcept {
  return std::any_of(words.begin(), words.end(), [&error](std::string_view word) {
    return same_word(error.code, word) || same_word(error.type, word);
  });
}

}  // namespace

std::string error_body(const Error& error, std::string_view request_id) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  write_error(writer, error, info(error.code).source, request_id);
  writer.end_object();
  return out;
}

std::string error_event(const Error& error, ErrorSource source, std::string_view request_id) {
  std::string out = "data: ";
  json::Writer writer(out);
  writer.begin_object();
  write_error(writer, error, source, request_id);
  writer.key("partial").boolean(true).end_object();
  out += "\n\n";
  return out;
}

ProviderError read_error(std::string_view body) {
  json::Reader reader(body);
  Said said;
  const bool listed = reader.peek() == json::Kind::kArray;
  if (listed) {
    reader.enter_array();
    if (!reader.next_element()) return {};
  }
  if (reader.peek() != json::Kind::kObject) return {};
  read_object(reader, said);
  while (listed && reader.next_element()) reader.skip_value();
  if (!reader.finish()) return {};
  return pick(said);
}

ErrorCode classify(const ProviderError& error) noexcept {
  if (says(error, kKeyWords)) return ErrorCode::kUpstreamCredentials;
  if (says(error, kRateWords)) return ErrorCode::kUpstreamRateLimited;
  if (says(error, kLoadWords)) return ErrorCode::kUpstreamOverloaded;
  return ErrorCode::kUpstreamError;
}

}  // namespace penstock::dialect::openai
