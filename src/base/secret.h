#pragma once

#include <string>
#include <utility>

#include "base/wipe.h"

namespace penstock {

// A credential. Cannot be printed, formatted or compared; the bytes are wiped when it ends.
// Whoever must send it calls `reveal()`, which is easy to find.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string bytes) : bytes_(std::move(bytes)) {}
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  Secret(Secret&& other) noexcept : bytes_(std::move(other.bytes_)) { other.wipe(); }
  Secret& operator=(Secret&& other) noexcept {
    wipe();
    bytes_ = std::move(other.bytes_);
    other.wipe();
    return *this;
  }
  ~Secret() { wipe(); }

  [[nodiscard]] const std::string& reveal() const noexcept { return bytes_; }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }

 private:
  void wipe() noexcept {
    penstock::wipe(bytes_.data(), bytes_.size());
    bytes_.clear();
  }
  std::string bytes_;
};

}  // namespace penstock
