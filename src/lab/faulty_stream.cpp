#include "lab/faulty_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "net/byte_stream.h"

namespace penstock::lab {

using net::IoEnd;
using net::IoResult;

std::optional<IoResult> FaultyStream::start_write(std::span<const std::string_view> pieces,
                                                  net::IoWaiter& waiter) {
  if (!plan_.reset_after && plan_.packets == Packets::kWhole)
    return inner_->start_write(pieces, waiter);
  pending_.clear();
  for (const std::string_view piece : pieces) pending_ += piece;
  sent_ = 0;
  if (const std::optional<IoResult> now = push()) return now;
  waiter_ = &waiter;
  return std::nullopt;
}

void FaultyStream::wrote() noexcept {
  sent_ += step_;
  if (plan_.reset_after) *plan_.reset_after -= step_;
}

// Writes on until the inner stream must wait (nullopt) or the write has ended.
std::optional<IoResult> FaultyStream::push() {
  while (sent_ < pending_.size() && plan_.reset_after != 0) {
    step_ = plan_.packets == Packets::kOneByte ? 1 : pending_.size() - sent_;
    if (plan_.reset_after)
      step_ = static_cast<std::size_t>(std::min<std::uint64_t>(step_, *plan_.reset_after));
    const std::string_view piece[] = {std::string_view(pending_).substr(sent_, step_)};
    const std::optional<IoResult> result = inner_->start_write(piece, *this);
    if (!result) return std::nullopt;
    if (result->end != IoEnd::kOk) return result;
    wrote();
  }
  if (plan_.reset_after != 0) return IoResult{IoEnd::kOk, sent_};
  inner_->reset_on_close();
  return IoResult{IoEnd::kReset, sent_};
}

void FaultyStream::complete(IoResult result) noexcept {
  if (result.end == IoEnd::kOk) {
    wrote();
    const std::optional<IoResult> end = push();
    if (!end) return;
    result = *end;
  }
  std::exchange(waiter_, nullptr)->complete(result);
}

}  // namespace penstock::lab
