#include "store/quota_call.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/assert.h"
#include "base/units.h"
#include "control/block.h"
#include "control/epoch_watch.h"
#include "store/quota_store.h"
#include "store/redis/client.h"
#include "store/redis/value.h"

namespace penstock::store {
namespace {

// Of an epoch that nobody uses any more; longer than EpochWatch::kMemory.
constexpr Duration kEpochLife = 24h;
static_assert(kEpochLife > control::EpochWatch::kMemory);

// Of the record of a take, from its running or its undoing on.
constexpr Duration kRecordLife = 30s;

std::uint64_t in_us(Duration length) noexcept {
  return static_cast<std::uint64_t>(std::chrono::floor<std::chrono::microseconds>(length).count());
}

// Reads whole numbers of a reply, one after the other; one that is none makes all of it void.
class Numbers {
 public:
  explicit Numbers(const redis::Reply& reply) noexcept : reply_(reply) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    if (at_ >= reply_.size()) return bad();
    const redis::Value& value = reply_[at_++];
    if (value.kind != redis::ValueKind::kInteger || value.integer < 0) return bad();
    return static_cast<std::uint64_t>(value.integer);
  }
  [[nodiscard]] std::uint32_t next32() noexcept {
    const std::uint64_t value = next();
    if (value > std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(bad());
    return static_cast<std::uint32_t>(value);
  }
  // A number of 64 bits, or of more than Redis' integers hold, as text.
  [[nodiscard]] std::uint64_t next_text() noexcept {
    if (at_ >= reply_.size()) return bad();
    const std::string_view text = reply_[at_++].text;
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size() ? value : bad();
  }
  [[nodiscard]] Duration next_us() noexcept {
    return std::chrono::microseconds(
        std::min<std::uint64_t>(next(), static_cast<std::uint64_t>(kWaitMax / 1us)));
  }
  [[nodiscard]] bool sound() const noexcept { return sound_ && at_ == reply_.size(); }

 private:
  static constexpr Duration kWaitMax = 24h * 3650;
  std::uint64_t bad() noexcept {
    sound_ = false;
    return 0;
  }
  const redis::Reply& reply_;
  std::size_t at_ = 0;
  bool sound_ = true;
};

}  // namespace

QuotaCall::QuotaCall(const QuotaAsk& ask, const TakeAs& as) {
  key(ask.owner.epoch_key);
  number(ask.owner.seen.id);
  number(ask.owner.seen.sequence);
  number(as.epoch_new);
  number(in_us(kEpochLife) / 1000);
  number(ask.cost);
  number(ask.back);
  number(ask.more);
  number(ask.bucket_count);
  number(ask.ceiling_count);
  text(as.gateway);
  number(in_us(control::Block::kLife));
  number(in_us(kRecordLife) / 1000);
  number(in_us(control::Block::kToldAgain));
  for (std::size_t i = 0; i < ask.bucket_count; ++i) bucket(ask.buckets[i]);
  for (std::size_t i = 0; i < ask.ceiling_count; ++i) {
    const QuotaCeiling& ceiling = ask.ceilings[i];
    key(ceiling.key);
    number(ceiling.limit);
    number(ceiling.mark);
    number(ceiling.need);
    number(ceiling.want);
    number(ceiling.version);
    number(ceiling.emergency);
  }
  if (!as.record.empty()) key(as.record);
}

QuotaCall::QuotaCall(const QuotaSettlement& settlement) {
  PENSTOCK_ASSERT(settlement.buckets.size() <= QuotaAsk::kBucketsMax);
  key(settlement.owner.epoch_key);
  number(settlement.owner.seen.id);
  number(settlement.back);
  number(settlement.charge);
  for (const QuotaBucket& its : settlement.buckets) bucket(its);
}

QuotaCall::QuotaCall(const Undo& undo) {
  PENSTOCK_ASSERT(undo.buckets.size() <= QuotaAsk::kBucketsMax);
  key(undo.epoch_key);
  number(in_us(kRecordLife) / 1000);
  for (const QuotaBucket& its : undo.buckets) bucket(its);
  key(undo.record);
}

void QuotaCall::number(std::uint64_t value) {
  char* const from = digits_.data() + digits_used_;
  const auto [end, fault] = std::to_chars(from, digits_.data() + digits_.size(), value);
  PENSTOCK_ASSERT(fault == std::errc());
  text(std::string_view(from, static_cast<std::size_t>(end - from)));
  digits_used_ = static_cast<std::size_t>(end - digits_.data());
}

void QuotaCall::bucket(const QuotaBucket& bucket) {
  key(bucket.key);
  number(bucket.rate.units);
  number(in_us(bucket.rate.per));
  number(bucket.rate.burst);
}

std::optional<TakeReply> read_answer(const redis::Reply& reply, const QuotaAsk& ask) {
  Numbers numbers(reply);
  TakeReply read;
  QuotaAnswer& answer = read.answer;
  answer.epoch.id = numbers.next_text();
  answer.epoch.sequence = numbers.next_text();
  const std::uint64_t end = numbers.next();
  answer.refused_by = numbers.next32();
  answer.wait = numbers.next_us();
  answer.more = numbers.next();
  const std::uint64_t differs = numbers.next();
  for (std::size_t i = 0; i < ask.bucket_count; ++i) answer.full_in[i] = numbers.next_us();
  for (std::size_t i = 0; i < ask.ceiling_count; ++i) {
    answer.grants[i].granted = numbers.next32();
    answer.grants[i].version = numbers.next();
    answer.grants[i].others = numbers.next32();
  }
  if (!numbers.sound() || end > 2 || answer.epoch.id == 0) return std::nullopt;
  if (differs > ask.bucket_count) return std::nullopt;
  if (differs != 0) read.differs = differs - 1;
  answer.end = static_cast<QuotaAnswer::End>(end);
  const std::size_t asked =
      answer.end == QuotaAnswer::End::kFull ? ask.ceiling_count : ask.bucket_count;
  if (answer.end != QuotaAnswer::End::kTaken && answer.refused_by >= asked) return std::nullopt;
  return read;
}

}  // namespace penstock::store
