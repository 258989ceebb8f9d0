#include "lab/fault.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/nearest.h"
#include "base/result.h"
#include "base/units.h"
#include "json/reader.h"
#include "json/string.h"
#include "lab/mix.h"

namespace penstock::lab {
namespace {

constexpr std::uint64_t kCountMax = 1'000'000'000'000;
constexpr std::uint64_t kMillisecondsMax = 86'400'000;
constexpr std::uint64_t kTokensMax = 1'000'000;

std::optional<std::uint64_t> read_whole(json::Reader& reader, std::uint64_t max) {
  const std::string_view text = reader.skip_value();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > max) return std::nullopt;
  return value;
}

using Read = bool (*)(json::Reader&, Fault&);

template <Duration Fault::* Member>
bool milliseconds(json::Reader& reader, Fault& fault) {
  const auto value = read_whole(reader, kMillisecondsMax);
  if (value) fault.*Member = std::chrono::milliseconds(*value);
  return value.has_value();
}

template <auto Member, std::uint64_t Min = 0, std::uint64_t Max = kCountMax>
bool count(json::Reader& reader, Fault& fault) {
  const auto value = read_whole(reader, Max);
  if (!value || *value < Min) return false;
  if constexpr (requires { typename std::remove_cvref_t<decltype(fault.*Member)>::value_type; }) {
    using Number = std::remove_cvref_t<decltype(fault.*Member)>::value_type;
    fault.*Member = static_cast<Number>(*value);
  } else {
    fault.*Member = *value;
  }
  return true;
}

template <bool Fault::* Member>
bool flag(json::Reader& reader, Fault& fault) {
  const json::Kind kind = reader.peek();
  ignore(reader.skip_value(), "its kind says all");
  fault.*Member = kind == json::Kind::kTrue;
  return kind == json::Kind::kTrue || kind == json::Kind::kFalse;
}

bool rate(json::Reader& reader, Fault& fault) {
  const std::string_view text = reader.skip_value();
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (!(value >= 0 && value <= 1)) return false;
  fault.error_millionths = static_cast<std::uint32_t>(value * 1e6 + 0.5);
  return true;
}

// A string is sent without its quotes, anything else as it is written.
bool body(json::Reader& reader, Fault& fault) {
  const bool text = reader.peek() == json::Kind::kString;
  fault.body = text ? json::unescape(reader.read_string()) : std::string(reader.skip_value());
  return true;
}

bool usage(json::Reader& reader, Fault& fault) {
  constexpr std::array<std::pair<std::string_view, UsageFault>, 4> kWords{
      {{"none", UsageFault::kNone},
       {"last", UsageFault::kLast},
       {"separate", UsageFault::kSeparate},
       {"every", UsageFault::kEvery}}};
  if (reader.peek() != json::Kind::kString) {
    ignore(reader.skip_value(), "no word");
    return false;
  }
  const std::string_view word = reader.read_string();
  for (const auto& [name, value] : kWords) {
    if (!json::equals(word, name)) continue;
    fault.usage = value;
    return true;
  }
  return false;
}

struct Row {
  std::string_view name;
  Read read;
  std::string_view takes;
};
constexpr std::string_view kMilliseconds = "whole milliseconds, at most a day";
constexpr std::string_view kCount = "a whole number";
constexpr std::string_view kFlag = "true or false";
constexpr std::array<Row, 23> kRows{{
    {"latency_ms", &milliseconds<&Fault::latency>, kMilliseconds},
    {"first_token_ms", &milliseconds<&Fault::first_token>, kMilliseconds},
    {"inter_token_ms", &milliseconds<&Fault::inter_token>, kMilliseconds},
    {"status", &count<&Fault::status, 200, 599>, "a status from 200 to 599"},
    {"body", &body, "the reply's body, as a string or as JSON"},
    {"error_rate", &rate, "a number from 0 to 1"},
    {"refuse", &count<&Fault::refuse>, kCount},
    {"reset_after_bytes", &count<&Fault::reset_after_bytes>, kCount},
    {"hang", &flag<&Fault::hang>, kFlag},
    {"cut_after_chunks", &count<&Fault::cut_after_chunks>, kCount},
    {"stall_after_chunks", &count<&Fault::stall_after_chunks>, kCount},
    {"malformed_event_at", &count<&Fault::malformed_event_at>, kCount},
    {"missing_done", &flag<&Fault::missing_done>, kFlag},
    {"missing_finish", &flag<&Fault::missing_finish>, kFlag},
    {"usage", &usage, "none, last, separate or every"},
    {"crlf", &flag<&Fault::crlf>, kFlag},
    {"comments", &flag<&Fault::comments>, kFlag},
    {"one_byte_packets", &flag<&Fault::one_byte_packets>, kFlag},
    {"error_event_at", &count<&Fault::error_event_at>, kCount},
    {"healthy_but_failing", &flag<&Fault::healthy_but_failing>, kFlag},
    {"multi_line_data", &flag<&Fault::multi_line_data>, kFlag},
    {"slots", &count<&Fault::slots, 1>, "a whole number, at least 1"},
    {"tokens", &count<&Fault::tokens, 1, kTokensMax>, "1 to 1000000"},
}};

Error unknown(std::string_view name) {
  std::array<std::string_view, kRows.size()> names;
  std::ranges::transform(kRows, names.begin(), &Row::name);
  Error error(ErrorCode::kInvalidRequest, "Unknown fault \"" + std::string(name) + "\".");
  error.param = name;
  if (const auto meant = nearest(name, names))
    error.hint = "Did you mean \"" + std::string(*meant) + "\"?";
  return error;
}

Result<void> read_member(std::string_view key, json::Reader& reader, Fault& fault) {
  for (const Row& row : kRows) {
    if (!json::equals(key, row.name)) continue;
    if (row.read(reader, fault)) return {};
    Error error(ErrorCode::kInvalidRequest,
                std::string(row.name).append(" takes ").append(row.takes) + ".");
    error.param = row.name;
    return fail(std::move(error));
  }
  return fail(unknown(json::unescape(key, 64)));
}

}  // namespace

bool Fault::fails(std::uint64_t request) const noexcept {
  if (!error_millionths) return false;
  const auto draw =
      static_cast<std::uint64_t>((static_cast<unsigned __int128>(mix(request)) * 1'000'000) >> 64);
  return draw < *error_millionths;
}

Result<Fault> parse_fault(std::string_view json) {
  if (!json::valid(json)) return fail(ErrorCode::kInvalidJson);
  json::Reader reader(json);
  if (reader.peek() != json::Kind::kObject)
    return fail(ErrorCode::kInvalidRequest, "Faults are an object of names and values.");
  Fault fault;
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) PENSTOCK_CHECK(read_member(key, reader, fault));
  return fault;
}

}  // namespace penstock::lab
