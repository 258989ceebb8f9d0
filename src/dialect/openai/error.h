#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/error_code.h"

namespace penstock::dialect::openai {

// A reply body for one of our own errors:
// {"error":{message,type,param,code,source,hint?,request_id}}.
[[nodiscard]] std::string error_body(const Error& error, std::string_view request_id);

// The event that ends a stream which had begun and failed: the same with "partial":true, framed
// for the wire, blank line included. `source` says whose doing it was: the code cannot.
[[nodiscard]] std::string error_event(const Error& error, ErrorSource source,
                                      std::string_view request_id);

// The terminal of a stream, framed for the wire.
inline constexpr std::string_view kDoneEvent = "data: [DONE]\n\n";

// What a provider says about a failure. Each is UTF-8 and cut to its bound; empty: not said.
// Its words may quote a prompt: they go to the client, never into a log.
struct ProviderError {
  static constexpr std::size_t kWordMax = 64;
  static constexpr std::size_t kMessageMax = 512;

  std::string code = {};  // a number is taken as its digits
  std::string type = {};
  std::string param = {};
  std::string message = {};

  [[nodiscard]] bool said() const noexcept {
    return !code.empty() || !type.empty() || !message.empty();
  }
};

// Reads an error out of a reply body or an event's data, in any of the shapes providers use:
// an `error` object or text, `"object":"error"`, or a bare `message` or `detail`, each also within
// an array. Never fails: what is none of these says nothing.
[[nodiscard]] ProviderError read_error(std::string_view body);

// Which of our codes says the same, for an error that has no status of its own: an error object
// that opens a stream. kUpstreamError unless it is more exact.
[[nodiscard]] ErrorCode classify(const ProviderError& error) noexcept;

}  // namespace penstock::dialect::openai
