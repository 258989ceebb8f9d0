#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/scripted_upstream.h"

// The words that scenario files use for what goes over the wire.
namespace penstock::scenario {

// head, role, usage, done, last, cut, reset, hang: see cases/README.md.
[[nodiscard]] std::optional<test::Step> plain_step(std::string_view word);
// text, finish, event, chunk, send.
[[nodiscard]] std::optional<test::Step> text_step(std::string_view kind, const std::string& value);
// One chunk of content, about so many bytes long.
[[nodiscard]] test::Step fill_step(std::size_t bytes);
// A whole reply. fields: further header lines, each ended by LF.
[[nodiscard]] test::Step reply_step(int status, std::string_view fields, std::string_view body);

enum class Streamed : std::uint8_t { kNo, kYes };
// A chat request for `model`.
[[nodiscard]] std::string chat_body(std::string_view model, Streamed streamed);

struct RequestParts {
  std::string method = "POST";
  std::string target = "/v1/chat/completions";
  std::string fields;  // further header lines, each ended by LF
  std::string id;      // x-request-id, unless the fields have one
  std::string body;
  std::string raw;                       // these bytes instead of all that
  std::optional<std::size_t> send_only;  // so many bytes of it
};
[[nodiscard]] std::string request_bytes(const RequestParts& parts);

}  // namespace penstock::scenario
