#pragma once

#include "base/result.h"
#include "base/units.h"
#include "gateway/request_scope.h"
#include "net/http_call.h"
#include "runtime/task.h"
#include "wire/header_list.h"

namespace penstock::gateway {

// Passes a provider's reply to the client, once its head is there. An error means that the client
// has yet to be told; the scope's exchange says whether anything was sent before.
//
// first_byte_due: until when the first content of a stream, or the first body byte of a unary
//                 reply, must have come.
[[nodiscard]] runtime::Task<Result<void>> relay(RequestScope& scope, net::HttpCall& call,
                                                TimePoint first_byte_due);

// Whether a reply's body is compressed: such bytes are not looked into.
[[nodiscard]] bool is_encoded(const wire::HeaderList& headers) noexcept;

// The ways, by what was asked for and what came.
[[nodiscard]] runtime::Task<Result<void>> relay_unary(RequestScope& scope, net::HttpCall& call,
                                                      TimePoint first_byte_due);
// JSON in the place of a stream: the error that its provider says there, else that it is no stream.
[[nodiscard]] runtime::Task<Result<void>> no_stream(RequestScope& scope, net::HttpCall& call,
                                                    TimePoint first_byte_due);
[[nodiscard]] runtime::Task<Result<void>> relay_stream(RequestScope& scope, net::HttpCall& call,
                                                       TimePoint first_byte_due);

}  // namespace penstock::gateway
