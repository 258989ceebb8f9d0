#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "net/exchange.h"

namespace penstock::gateway {

// Bytes on their way to the client in the next write: views only, neighbours joined, bounded.
class Outbox {
 public:
  // False when there is no room: write out what is there first.
  [[nodiscard]] bool put(std::string_view bytes) noexcept {
    if (bytes.empty()) return true;
    if (count_ != 0) {
      std::string_view& last = pieces_[count_ - 1];
      if (last.data() + last.size() == bytes.data()) {
        last = {last.data(), last.size() + bytes.size()};
        return true;
      }
    }
    if (count_ == pieces_.size()) return false;
    pieces_[count_++] = bytes;
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::span<const std::string_view> pieces() const noexcept {
    return {pieces_.data(), count_};
  }
  void clear() noexcept { count_ = 0; }

 private:
  std::array<std::string_view, net::Exchange::kWritePieces> pieces_;
  std::size_t count_ = 0;
};

}  // namespace penstock::gateway
