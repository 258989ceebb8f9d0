#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "lab/on_stop.h"
#include "net/address.h"

namespace penstock::lab {

struct MockOptions {
  std::string listen = "127.0.0.1:0";  // port 0 picks a free one
  std::string dialect = "openai";
  std::string fault;                   // a JSON object as for POST /mock/fault, or empty
  std::string key;                     // requests must bear it; empty: any or none
  std::string name = "penstock-mock";  // told in GET /mock/stats, to know one from another
  unsigned workers = 1;
};

// A provider that answers the same request with the same tokens, and misbehaves as it is told. It
// runs on threads of its own from start() to its end.
class Mock {
 public:
  // clock: outlives the mock. errors: kInvalidRequest, saying which option cannot be used.
  [[nodiscard]] static Result<std::unique_ptr<Mock>> start(const Clock& clock,
                                                           const MockOptions& options);
  Mock(const Mock&) = delete;
  Mock& operator=(const Mock&) = delete;
  // Breaks off what is being served and waits for the threads.
  ~Mock();

  [[nodiscard]] const net::Address& address() const noexcept { return address_; }

 private:
  class Worker;
  struct Shared;
  Mock(std::unique_ptr<Shared> shared, net::Address address);

  std::unique_ptr<Shared> shared_;
  net::Address address_;
};

// `penstock mock`: serves until told to stop. Prints one JSON line on stderr once it listens, or
// one line that says why it cannot. Returns the exit code.
[[nodiscard]] int run_mock(const Clock& clock, const MockOptions& options, const OnStop& on_stop);

}  // namespace penstock::lab
