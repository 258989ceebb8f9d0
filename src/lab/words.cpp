#include "lab/words.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "lab/mix.h"

namespace penstock::lab {
namespace {

constexpr std::array<std::string_view, 32> kWords{
    " amber", " basin", " canal",  " delta", " eddy",   " ford",   " gauge",   " harbour",
    " inlet", " jetty", " keel",   " lock",  " meadow", " narrow", " outfall", " pool",
    " quiet", " reach", " sluice", " tide",  " upper",  " valve",  " weir",    " yield",
    " and",   " the",   " flows",  " holds", " turns",  " café",   " über",    " 水"};

}  // namespace

std::string_view token_text(std::uint64_t seed, std::uint32_t choice,
                            std::uint64_t number) noexcept {
  const std::uint64_t drawn = mix(seed ^ (std::uint64_t{choice} << 40) ^ number);
  const std::string_view word = kWords[drawn % kWords.size()];
  return number == 0 ? word.substr(1) : word;
}

}  // namespace penstock::lab
