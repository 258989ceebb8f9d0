#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error_code.h"
#include "fleet/provider.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::fleet {

// Why a probe did not pass. kOverloaded: for want of our own descriptors or ports, which says
// nothing about the replica.
struct ProbeFault {
  ErrorCode code = ErrorCode::kUpstreamUnavailable;
  std::uint16_t status = 0;  // of the replica's reply; 0: there was none
  std::string why;           // for operators
};

// Whom to ask, and with what.
struct ProbeParts {
  runtime::EventLoop& loop;
  net::Dialer& dialer;
  const Provider& provider;  // with `health`
  std::size_t replica;
};

// One probe of a replica, on connections of its own which count to no limit: its health path, and
// with `health.model` its list of models, at most 256 KiB of it. Never asks for tokens.
//
// parts:   what it refers to outlives the wait.
// context: the whole probe ends at its deadline, which is then the replica's fault.
// result:  nullopt: it passed.
[[nodiscard]] runtime::Task<std::optional<ProbeFault>> probe(ProbeParts parts,
                                                             runtime::CallContext context);

}  // namespace penstock::fleet
