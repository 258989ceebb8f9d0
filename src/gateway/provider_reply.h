#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/units.h"
#include "control/outcome.h"
#include "wire/response_head.h"

namespace penstock::gateway {

// What a provider's reply said, as far as it decides what follows. One for each attempt.
struct ProviderReply {
  std::uint16_t status = 0;  // 0: there was no reply head
  control::Facts::RetryAfter retry_after = control::Facts::RetryAfter::kAbsent;
  std::optional<Duration> wait;  // its Retry-After, where it is a length of time
  control::ProviderWord word = control::ProviderWord::kNone;

  bool refused = false;  // it was an error reply: its status says what that means

  // An error reply, whole: it reaches the client as it is unless a later attempt does better.
  struct Held {
    std::string head;
    std::string body;
    ByteLease memory;  // of the bound that bodies share
  };
  std::optional<Held> error;
};

class RequestScope;

// Notes the status of a reply and until when it asks to be left alone.
void note_reply_head(RequestScope& scope, const wire::ResponseHead& head);

// Keeps an error reply for the client, should it be the last word, and reads what it says.
//
// body:   whole, or its beginning where a stream has begun: then it cannot pass and is not kept.
//         Copied.
// result: what the client is told where the reply itself cannot pass. kOverloaded when the memory
//         for bodies is full.
[[nodiscard]] Error hold_error(RequestScope& scope, const wire::ResponseHead& reply,
                               std::string_view body);

// The head under which a provider's error reply reaches the client.
[[nodiscard]] std::string provider_error_head(const RequestScope& scope,
                                              const wire::ResponseHead& reply);

}  // namespace penstock::gateway
