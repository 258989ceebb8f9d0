#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "net/byte_stream.h"

namespace penstock::net {

// A place among the connections that may be open at once in the process; given back at its end.
class ConnectionPlace {
 public:
  // The next place, or nullopt when all `max` are taken. count: outlives the place.
  [[nodiscard]] static std::optional<ConnectionPlace> take(std::atomic<std::size_t>& count,
                                                           std::size_t max) noexcept {
    if (count.fetch_add(1, std::memory_order_relaxed) < max) return ConnectionPlace(count);
    count.fetch_sub(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  ConnectionPlace(ConnectionPlace&& other) noexcept
      : count_(std::exchange(other.count_, nullptr)) {}
  ConnectionPlace& operator=(ConnectionPlace&& other) noexcept {
    std::swap(count_, other.count_);
    return *this;
  }
  ConnectionPlace(const ConnectionPlace&) = delete;
  ConnectionPlace& operator=(const ConnectionPlace&) = delete;
  ~ConnectionPlace() {
    if (count_ != nullptr) count_->fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  explicit ConnectionPlace(std::atomic<std::size_t>& count) noexcept : count_(&count) {}
  std::atomic<std::size_t>* count_;
};

// A stream that holds a place for as long as it lives.
class CountedStream final : public ByteStream {
 public:
  CountedStream(std::unique_ptr<ByteStream> stream, ConnectionPlace place)
      : place_(std::move(place)), stream_(std::move(stream)) {}

  std::optional<IoResult> start_read(std::span<char> into, IoWaiter& waiter) override {
    return stream_->start_read(into, waiter);
  }
  std::optional<IoResult> start_write(std::span<const std::string_view> pieces,
                                      IoWaiter& waiter) override {
    return stream_->start_write(pieces, waiter);
  }
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept override {
    return stream_->bytes_taken();
  }
  [[nodiscard]] bool has_unread() noexcept override { return stream_->has_unread(); }
  void cancel() noexcept override { stream_->cancel(); }
  void cancel_read() noexcept override { stream_->cancel_read(); }
  void shut_down_writing() noexcept override { stream_->shut_down_writing(); }
  void reset_on_close() noexcept override { stream_->reset_on_close(); }

 private:
  ConnectionPlace place_;  // given back after the stream has closed
  std::unique_ptr<ByteStream> stream_;
};

}  // namespace penstock::net
