#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "net/byte_stream.h"

namespace penstock::lab {

// A connection whose writes can be made to misbehave. Everything else is the inner stream's.
class FaultyStream final : public net::ByteStream, private net::IoWaiter {
 public:
  enum class Packets : std::uint8_t { kWhole, kOneByte };
  struct Plan {
    std::optional<std::uint64_t> reset_after;  // bytes written from now on; 0: before any
    Packets packets = Packets::kWhole;
  };

  explicit FaultyStream(std::unique_ptr<net::ByteStream> inner) : inner_(std::move(inner)) {}

  // What happens to the writes from now on. Not while one is pending.
  void plan(const Plan& plan) noexcept { plan_ = plan; }
  // The close to come is a proper end, whoever asks for a reset.
  void end_properly() noexcept { end_properly_ = true; }

  std::optional<net::IoResult> start_read(std::span<char> into, net::IoWaiter& waiter) override {
    return inner_->start_read(into, waiter);
  }
  std::optional<net::IoResult> start_write(std::span<const std::string_view> pieces,
                                           net::IoWaiter& waiter) override;
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept override {
    return inner_->bytes_taken();
  }
  [[nodiscard]] bool has_unread() noexcept override { return inner_->has_unread(); }
  void cancel() noexcept override { inner_->cancel(); }
  void cancel_read() noexcept override { inner_->cancel_read(); }
  void shut_down_writing() noexcept override { inner_->shut_down_writing(); }
  void reset_on_close() noexcept override {
    if (!end_properly_) inner_->reset_on_close();
  }

 private:
  void complete(net::IoResult result) noexcept override;
  std::optional<net::IoResult> push();
  void wrote() noexcept;

  std::unique_ptr<net::ByteStream> inner_;
  Plan plan_;
  bool end_properly_ = false;
  std::string pending_;   // the write in hand, when it is to misbehave
  std::size_t sent_ = 0;  // of it
  std::size_t step_ = 0;  // bytes the inner stream was given last
  net::IoWaiter* waiter_ = nullptr;
};

}  // namespace penstock::lab
