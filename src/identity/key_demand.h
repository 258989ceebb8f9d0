#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace penstock::identity {

// Decides what a token whose key is not known may cause. Tokens are free to make up, so all of them
// together cause one fetch of the key set in kPause, beside the periodic ones. No clock is read.
class KeyDemand {
 public:
  static constexpr Duration kPause = 30s;
  static constexpr std::size_t kUnknownMax = 128;

  enum class Advice : std::uint8_t {
    kRefuse,  // nothing that is under way can bring this key
    kWait,    // for the fetch that is under way
    kFetch,   // begin one, then wait for it
  };
  // A token came with a kid that is in no set; nullopt: with any, while there is no set at all.
  [[nodiscard]] Advice on_unknown(const std::optional<std::string>& kid, TimePoint now);
  // Whether those who asked while a fetch was under way, for a key that it did not bring, may have
  // one more: it may have begun before their key was published.
  [[nodiscard]] bool take_fetch(TimePoint now) noexcept;

  void on_fetch_begun() noexcept { fetching_ = true; }
  // fetched: whether a key set came; one makes everything that was unknown worth another look.
  enum class Fetch : std::uint8_t { kCame, kFailed };
  void on_fetch_ended(Fetch fetched) noexcept;
  // The set that just came does not have it either.
  void remember(std::string kid);

  [[nodiscard]] bool fetching() const noexcept { return fetching_; }

 private:
  bool fetching_ = false;
  std::optional<TimePoint> last_;     // when a token last caused a fetch
  std::vector<std::string> unknown_;  // at most kUnknownMax, the oldest replaced first
  std::size_t oldest_ = 0;
};

}  // namespace penstock::identity
