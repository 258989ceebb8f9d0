#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "runtime/task.h"

namespace penstock::lab {

// A reply head with this status and media type, without the empty line.
// seed: of the request; its x-request-id comes from it.
[[nodiscard]] std::string mock_head(int status, std::string_view media_type, std::uint64_t seed);

// Sends a whole reply and tells how that ended.
[[nodiscard]] runtime::Task<net::IoEnd> send_reply(net::Exchange& exchange, std::string head,
                                                   std::string body);

// Sends a JSON reply with status 200.
[[nodiscard]] runtime::Task<void> reply_json(net::Exchange& exchange, std::string body);

// Sends an error in OpenAI's shape.
[[nodiscard]] runtime::Task<void> reply_error(net::Exchange& exchange, Error error);

// The body of an error that was ordered by a fault.
[[nodiscard]] std::string ordered_error(int status);

// The media type of a body that a fault gave.
[[nodiscard]] std::string_view media_type_of(std::string_view body) noexcept;

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kEventStreamType = "text/event-stream";

}  // namespace penstock::lab
