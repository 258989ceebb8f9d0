#include "telemetry/access_log.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/outcome.h"
#include "base/units.h"
#include "json/string.h"
#include "telemetry/timestamp.h"

namespace penstock::telemetry {
namespace {

constexpr std::size_t kTextBytesMax = 256;  // per member; more is cut between characters

// Whether a byte continues a UTF-8 character.
constexpr bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string_view cut(std::string_view text) noexcept {
  if (text.size() <= kTextBytesMax) return text;
  std::size_t end = kTextBytesMax;
  while (end > kTextBytesMax - 4 && continues(text[end])) --end;
  return text.substr(0, end);
}

void append_number(std::string& out, std::uint64_t value) {
  char text[20];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// Writes members one after the other: each key literal brings its own comma and colon.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}

  void text(std::string_view key, std::string_view value) {
    out_ += key;
    if (value.empty())
      out_ += "null";
    else
      json::append_quoted(out_, cut(value));
  }
  void number(std::string_view key, std::uint64_t value) {
    out_ += key;
    append_number(out_, value);
  }
  // In whole microseconds, rounded down; never below zero.
  void micros(std::string_view key, Duration value) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(value).count();
    number(key, static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0)));
  }
  void null(std::string_view key) {
    out_ += key;
    out_ += "null";
  }

 private:
  std::string& out_;
};

void append_results(Members& members, const AccessRecord& record) {
  members.number(R"(,"attempts":)", record.attempts);
  members.number(R"(,"status":)", record.status);
  members.text(R"(,"code":)", record.code ? info(*record.code).name : std::string_view());
  members.text(R"(,"outcome":)", name(record.outcome));
  if (record.ttft)
    members.micros(R"(,"ttft_us":)", *record.ttft);
  else
    members.null(R"(,"ttft_us":)");
  members.micros(R"(,"duration_us":)", record.duration);
  members.micros(R"(,"overhead_us":)", record.overhead);
  members.micros(R"(,"queue_us":)", record.queue);
  const auto counted = [&](std::string_view key, const auto& quantity) {
    if (quantity)
      members.number(key, quantity->value);
    else
      members.null(key);
  };
  counted(R"(,"tokens_in":)", record.tokens_in);
  counted(R"(,"tokens_out":)", record.tokens_out);
  counted(R"(,"cost_nano_usd":)", record.cost);
  members.text(R"(,"stop":)", record.stop);
}

}  // namespace

void append_line(std::string& out, const AccessRecord& record) {
  Members members(out);
  out += R"({"ts":)";
  append_timestamp(out, record.ts);
  members.text(R"(,"call_id":)", record.call_id);
  members.text(R"(,"request_id":)", record.request_id);
  members.text(R"(,"tenant":)", record.tenant);
  members.text(R"(,"workload":)", record.workload);
  members.text(R"(,"key_id":)", record.key_id);
  members.text(R"(,"surface":)", record.surface);
  members.text(R"(,"model":)", record.model);
  members.text(R"(,"provider":)", record.provider);
  members.text(R"(,"replica":)", record.replica);
  append_results(members, record);
  out += record.stream ? R"(,"stream":true})" : R"(,"stream":false})";
}

}  // namespace penstock::telemetry
