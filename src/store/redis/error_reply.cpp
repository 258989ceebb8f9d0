#include "store/redis/error_reply.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

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

template <class Number>
std::optional<Number> number_of(std::string_view text) noexcept {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  return number;
}

constexpr std::size_t kHostMax = 255;

// "host:port"; the host may be an IPv6 address without brackets, or missing.
std::optional<Place> place_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view host = text.substr(0, colon);
  const auto port = number_of<std::uint16_t>(text.substr(colon + 1));
  if (!port || *port == 0 || host.size() > kHostMax) return std::nullopt;
  for (const char c : host) {
    const bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '.' || c == '-' || c == '_' || c == ':';
    if (!fine) return std::nullopt;
  }
  return Place{.host = std::string(host), .port = *port};
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
  const auto slot = number_of<Slot>(rest.substr(0, space));
  std::optional<Place> place = place_of(rest.substr(space + 1));
  if (!slot || *slot >= kSlots || !place) return broken;
  ErrorReply reply;
  reply.kind = kind;
  reply.slot = *slot;
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
