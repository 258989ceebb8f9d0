#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/units.h"
#include "lab/on_stop.h"
#include "lab/pacer.h"

namespace penstock::lab {

struct LoadOptions {
  // Without a path: /v1/chat/completions. A path that ends in /v1 gets /chat/completions; any other
  // is used as it is, and its end says what is sent: chat, completions or embeddings.
  std::string url;
  std::string key;  // sent as a bearer token; empty: none
  std::string model = "mock";
  double rps = 0;                  // above 0: open loop, so many requests a second are begun
  std::vector<RatePhase> phases;   // open loop too: these in turn, instead of rps and duration
  std::uint32_t concurrency = 1;   // else closed loop, so many are always under way
  Duration duration = 10s;         // of what is measured
  Duration warm_up{};              // before it; neither measured nor recorded
  Duration abort_after{};          // leaves each request after this long; zero: stays
  Duration timeout = 60s;          // of one request
  std::uint32_t retries = 0;       // of a request, where the reply advises it, as SDKs do
  std::uint64_t requests_max = 0;  // stops after so many, warm-up included; 0: no such bound
  std::uint32_t connections = 0;   // open at once, at most; 0: as many as are needed
  unsigned threads = 1;
  std::uint32_t prompt_bytes = 0;  // of padding in the prompt
  std::uint32_t max_tokens = 0;    // 0: not said
  bool stream = false;
  bool json = false;    // one JSON object on stdout, the table on stderr
  std::string records;  // a file that gets one JSON line a request; empty: none

  [[nodiscard]] bool open_loop() const noexcept { return rps > 0 || !phases.empty(); }
};

// `penstock load`: sends, measures, prints. Returns the exit code: 0 when it ran, however many
// requests failed; 1 when it could not run at all, with one line on stderr that says why.
[[nodiscard]] int run_load(const Clock& clock, const LoadOptions& options, const OnStop& on_stop);

}  // namespace penstock::lab
