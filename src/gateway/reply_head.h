#pragma once

#include <string>
#include <string_view>

#include "gateway/request_scope.h"
#include "wire/response_head.h"

namespace penstock::gateway {

// Which of our own headers a reply's head carries beside x-request-id.
enum class Told : std::uint8_t {
  kRoute,    // who answered: provider, replica, model, attempts, our own time
  kNothing,  // a head sent by a heartbeat: who answers is not known yet
};

// The head of a provider's reply as the client gets it, without framing and the empty line:
// hop-by-hop fields and the provider's own internal names stop here.
[[nodiscard]] std::string relayed_head(const RequestScope& scope, const wire::ResponseHead& reply);

// The head of a stream that a heartbeat opens before the provider said anything.
[[nodiscard]] std::string stream_head(const RequestScope& scope);

// Appends x-request-id and the rest of what every reply of ours carries.
void append_own_fields(std::string& head, const RequestScope& scope, Told told);

}  // namespace penstock::gateway
