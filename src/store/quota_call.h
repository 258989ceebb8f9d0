#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"
#include "store/quota_store.h"
#include "store/redis/client.h"

namespace penstock::store {

// The keys and arguments of one call of a quota script, and what keeps them.
class QuotaCall {
 public:
  // As quota_script.h has them. What `ask` views outlives the call.
  QuotaCall(const QuotaAsk& ask, std::string_view gateway);
  explicit QuotaCall(const QuotaSettlement& settlement);
  QuotaCall(const QuotaCall&) = delete;
  QuotaCall& operator=(const QuotaCall&) = delete;

  [[nodiscard]] std::span<const std::string_view> keys() const noexcept {
    return {keys_.data(), key_count_};
  }
  [[nodiscard]] std::span<const std::string_view> arguments() const noexcept {
    return {arguments_.data(), argument_count_};
  }

 private:
  static constexpr std::size_t kKeysMax = 1 + QuotaAsk::kBucketsMax + QuotaAsk::kCeilingsMax;
  static constexpr std::size_t kArgumentsMax =
      11 + 3 * QuotaAsk::kBucketsMax + 5 * QuotaAsk::kCeilingsMax;

  void key(std::string_view name) noexcept { keys_[key_count_++] = name; }
  void text(std::string_view value) noexcept { arguments_[argument_count_++] = value; }
  void number(std::uint64_t value);
  void bucket(const QuotaBucket& bucket);

  std::array<std::string_view, kKeysMax> keys_{};
  std::array<std::string_view, kArgumentsMax> arguments_{};
  std::size_t key_count_ = 0;
  std::size_t argument_count_ = 0;
  std::array<char, 1024> digits_{};  // of the numbers among the arguments
  std::size_t digits_used_ = 0;
};

// What the store answered to `ask`; nullopt for a shape that was not agreed.
[[nodiscard]] std::optional<QuotaAnswer> read_answer(const redis::Reply& reply,
                                                     const QuotaAsk& ask);

}  // namespace penstock::store
