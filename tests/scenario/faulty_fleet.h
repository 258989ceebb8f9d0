#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {

// Whether a simulated run asks for streams; its upstreams answer accordingly.
enum class Asks : std::uint8_t { kUnary, kStreams };

// A few upstreams that fail in every way they can, drawn at random. Each answer's content is a word
// of its own (`w17.`), so that a reply tells which answers it was made of.
class FaultyFleet {
 public:
  static constexpr std::array<std::string_view, 4> kPlaces{"up0:8000", "up1:8000", "up2:8000",
                                                           "up3:8000"};

  // answers: how many each upstream has ready; the rig must not ask for more.
  FaultyFleet(GatewayRig& rig, Rng& rng, Asks asks, std::size_t answers);

  // A request that came, with the bytes of that attempt's own header fields.
  struct Asked {
    const test::ScriptedUpstream::Request* request = nullptr;
    std::string_view place;
    std::string word;  // of its answer, which may or may not have got so far as to say it
  };
  // All of them: place by place, and in their order there.
  [[nodiscard]] std::vector<Asked> asked() const;

 private:
  std::size_t answers_;
  std::vector<std::unique_ptr<test::ScriptedUpstream>> upstreams_;
};

// A random answer whose content is `word`.
[[nodiscard]] test::Answer random_answer(Rng& rng, Asks asks, const std::string& word);

}  // namespace penstock::scenario
