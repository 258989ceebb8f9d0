#include "store/redis/error_reply.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/quantity_text.h"
#include "store/redis/outage.h"
#include "store/redis/slot.h"

namespace penstock::store::redis {
namespace {

struct Word {
  std::string_view word;
  OutageReason reason;
  Blame blame;
};

constexpr std::array kWords = {
    Word{"LOADING", OutageReason::kLoading, Blame::kNode},
    Word{"READONLY", OutageReason::kReadOnly, Blame::kNode},
    Word{"MASTERDOWN", OutageReason::kReadOnly, Blame::kNode},
    Word{"MISCONF", OutageReason::kReadOnly, Blame::kNode},     // its disk fails
    Word{"NOREPLICAS", OutageReason::kReadOnly, Blame::kNode},  // min-replicas-to-write
    Word{"OOM", OutageReason::kNoMemory, Blame::kNode},
    Word{"BUSY", OutageReason::kBusy, Blame::kNode},
    Word{"CLUSTERDOWN", OutageReason::kClusterDown, Blame::kNode},
    Word{"TRYAGAIN", OutageReason::kClusterDown, Blame::kCall},  // its slot is being moved
    Word{"NOAUTH", OutageReason::kRefused, Blame::kNode},
    Word{"WRONGPASS", OutageReason::kRefused, Blame::kNode},
    Word{"NOPERM", OutageReason::kRefused, Blame::kNode},
    Word{"DENIED", OutageReason::kRefused, Blame::kNode},
};

constexpr std::size_t kHostMax = 255;

// "host:port"; the host may be an IPv6 address without brackets, or missing.
std::optional<Place> place_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view host = text.substr(0, colon);
  const auto port = parse_count_within(text.substr(colon + 1), 1, 65535);
  if (!port || host.size() > kHostMax) return std::nullopt;
  for (const char c : host) {
    const bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '.' || c == '-' || c == '_' || c == ':';
    if (!fine) return std::nullopt;
  }
  return Place{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

// "MOVED 3999 10.0.0.7:6381"
ErrorReply redirect(ErrorKind kind, std::string_view rest) {
  ErrorReply broken{.kind = ErrorKind::kOutage,
                    .reason = OutageReason::kMalformed,
                    .blame = Blame::kNode,
                    .slot = 0,
                    .place = {}};
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return broken;
  const auto slot = parse_count_within(rest.substr(0, space), 0, kSlots - 1);
  std::optional<Place> place = place_of(rest.substr(space + 1));
  if (!slot || !place) return broken;
  ErrorReply reply;
  reply.kind = kind;
  reply.slot = static_cast<Slot>(*slot);
  reply.place = *std::move(place);
  return reply;
}

}  // namespace

ErrorReply judge_error(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  if (word == "MOVED") return redirect(ErrorKind::kMoved, rest);
  if (word == "ASK") return redirect(ErrorKind::kAsk, rest);
  ErrorReply reply;
  if (word == "NOSCRIPT") {
    reply.kind = ErrorKind::kNoScript;
    return reply;
  }
  for (const Word& known : kWords) {
    if (known.word != word) continue;
    reply.reason = known.reason;
    reply.blame = known.blame;
    return reply;
  }
  return reply;
}

}  // namespace penstock::store::redis
