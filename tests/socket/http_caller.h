#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/http_call.h"
#include "net/input.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"

namespace penstock::test {

// A client of a gateway on loopback: one kept connection, dialled anew after each call that left it
// unusable. On its loop's thread; close() comes last.
class HttpCaller {
 public:
  HttpCaller(runtime::AsioLoop& loop, net::Dialer& dialer, std::uint16_t port)
      : loop_(loop), dialer_(dialer), port_(port) {}

  // What came of a call: everything that arrived, whole or not.
  struct Answer {
    int status = 0;    // 0: no reply head came
    std::string head;  // its fields, one a line
    std::string body;
    bool whole = false;
  };
  // Sends a request and gathers its reply until that ends, breaks, or `cancellation` is requested,
  // which closes the connection. nullopt: nobody listens there.
  [[nodiscard]] runtime::Task<std::optional<Answer>> ask(std::span<const std::string_view> request,
                                                         runtime::Cancellation& cancellation);
  [[nodiscard]] runtime::Task<void> close();

 private:
  [[nodiscard]] runtime::Task<bool> connect(runtime::Cancellation& cancellation);
  [[nodiscard]] runtime::Task<bool> gather(std::span<const std::string_view> request,
                                           runtime::Cancellation& cancellation, Answer& answer);

  runtime::AsioLoop& loop_;
  net::Dialer& dialer_;
  std::uint16_t port_;
  std::unique_ptr<net::ByteStream> stream_;
  std::optional<net::Input> input_;
};

}  // namespace penstock::test
