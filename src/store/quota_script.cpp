#include "store/quota_script.h"

#include <string>
#include <string_view>

namespace penstock::store {
namespace {

// Buckets: `read` tells the deficit now, by the bucket's limit or by that of its record; `write`
// keeps one.
constexpr std::string_view kBuckets = R"(
local M = 1000000
local function int(x) return string.format('%.0f', x) end
local function split(s) return string.match(s, '^(%S+) (%S+) ?(.*)$') end

local empty_at = 0
local function bucket(key, a)
  return {key = key, limit = ARGV[a] .. ' ' .. ARGV[a + 1] .. ' ' .. ARGV[a + 2]}
end
local function read(b, by_record)
  local record, deficit, at = redis.call('GET', b.key), 0, 0
  local d, a, limit
  if record then
    d, a, limit = split(record)
    b.differs = limit ~= b.limit
    if by_record and limit ~= '' then b.limit = limit end
  end
  local units, length, burst = string.match(b.limit, '^(%d+) (%d+) (%d+)$')
  b.rate, b.capacity = units * M / length, burst * M
  if record then
    deficit, at = tonumber(d), math.min(tonumber(a), now)
    deficit = math.max(0, math.min(deficit, 2 * b.capacity) - math.floor((now - at) * b.rate))
  end
  if empty_at > 0 and at <= empty_at then
    deficit = math.max(deficit, b.capacity - math.floor((now - empty_at) * b.rate))
  end
  return deficit
end
local function write(b, deficit)
  if deficit <= 0 then redis.call('DEL', b.key) return end
  local full_in = math.ceil(deficit / b.rate)
  local life = math.ceil(full_in / 1000) + 1000
  local record = int(deficit) .. ' ' .. int(now) .. ' ' .. b.limit
  redis.call('SET', b.key, record, 'PX', int(life))
end
)";

// The epoch: what tells that data were lost. Of two gateways that notice the same loss the second
// finds that buckets began empty already.
constexpr std::string_view kEpoch = R"(
local epoch, sequence = ARGV[3], 0
local seen, seen_sequence = ARGV[1], tonumber(ARGV[2])
local record = redis.call('GET', KEYS[1])
if record then
  local e, s
  epoch, e, s = split(record)
  empty_at, sequence = math.min(tonumber(e), now), tonumber(s)
  if seen == epoch then
    if sequence < seen_sequence then
      epoch, empty_at, sequence = ARGV[3], now, seen_sequence
    end
  elseif seen ~= '0' and empty_at == 0 then
    empty_at = now
  end
elseif seen ~= '0' then
  empty_at = now
end
sequence = sequence + 1
redis.call('SET', KEYS[1], epoch .. ' ' .. int(empty_at) .. ' ' .. int(sequence), 'PX', ARGV[4])
)";

constexpr std::string_view kTake = R"(
local cost, back, more = ARGV[5] * M, ARGV[6] * M, ARGV[7] * M
local buckets, ceilings = tonumber(ARGV[8]), tonumber(ARGV[9])
local gateway, life = ARGV[10], tonumber(ARGV[11])
local young = empty_at > 0 and now - empty_at < tonumber(ARGV[13])
local ending, refused_by, wait, differs = 0, 0, 0, 0

local b, deficits = {}, {}
for i = 1, buckets do
  b[i] = bucket(KEYS[1 + i], 14 + (i - 1) * 3)
  deficits[i] = math.max(0, read(b[i]) - back)
  if b[i].differs then differs = i end
  local lacking = deficits[i] + cost - b[i].capacity
  if lacking > 0 then
    if ending == 0 then ending, refused_by = 1, i - 1 end
    wait = math.max(wait, math.ceil(lacking / b[i].rate))
  else
    more = math.min(more, -lacking)
  end
end
more = math.floor(more / M) * M

local c = {}
for i = 1, ceilings do
  local a = 14 + buckets * 3 + (i - 1) * 6
  local limit, mark = tonumber(ARGV[a]), tonumber(ARGV[a + 1])
  local need, want = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  local x = {key = KEYS[1 + buckets + i], version = tonumber(ARGV[a + 4])}
  local blind = young and need > tonumber(ARGV[a + 5])
  x.others, x.places, x.mine = 0, 0, 0
  local members = redis.call('HGETALL', x.key)
  for j = 1, #members, 2 do
    local places, version, till = split(members[j + 1])
    if tonumber(till) > now + life then
      till = now + life
      redis.call('HSET', x.key, members[j], places .. ' ' .. version .. ' ' .. int(till))
    end
    local alive = tonumber(till) > now
    if members[j] == gateway then
      x.places, x.mine = alive and tonumber(places) or 0, tonumber(version)
    elseif alive then
      x.others = x.others + tonumber(places)
    else
      redis.call('HDEL', x.key, members[j])
    end
  end
  x.late = x.mine > x.version
  if need == 0 then
    x.grant = math.max(math.min(want, x.places), math.min(want, limit - x.others))
  elseif x.late then
    x.grant = x.places
  elseif not young and x.others + want <= math.floor(limit * 3 / 4) then
    x.grant = math.max(want, x.places)
  else
    x.grant = math.max(need, x.places)
  end
  if ending == 0 and need > 0 and (blind or x.grant < need or x.others + need > mark) then
    ending, refused_by = 2, i - 1
  end
  c[i] = x
end

if ending ~= 0 then cost, more = 0, 0 end
local take = KEYS[2 + buckets + ceilings]
if take then
  local record = epoch .. ' ' .. int(cost + more)
  if not redis.call('SET', take, record, 'NX', 'PX', ARGV[12]) then return {id} end
end
local answer = {id, epoch, int(sequence), ending, refused_by, wait, math.floor(more / M), differs}
for i = 1, buckets do
  local deficit = deficits[i] + cost + more
  if ending == 0 or back > 0 then write(b[i], deficit) end
  answer[#answer + 1] = math.ceil(deficit / b[i].rate)
end
for i = 1, ceilings do
  local x = c[i]
  if ending == 0 and not x.late then
    x.places, x.mine = x.grant, x.version
    if x.places > 0 then
      local record = int(x.places) .. ' ' .. int(x.mine) .. ' ' .. int(now + life)
      redis.call('HSET', x.key, gateway, record)
      redis.call('PEXPIRE', x.key, int(math.ceil(life / 1000)))
    else
      redis.call('HDEL', x.key, gateway)
    end
  end
  answer[#answer + 1] = x.places
  answer[#answer + 1] = x.mine
  answer[#answer + 1] = x.others
end
return answer
)";

// What both ways back share: of data that are no longer those that were taken from nothing goes
// back.
constexpr std::string_view kGiveBack = R"(
local function settle(of, b, back, charge)
  local record = redis.call('GET', KEYS[1])
  if not record then return {id, 0} end
  local epoch, e = split(record)
  if epoch ~= of then return {id, 0} end
  empty_at = math.min(tonumber(e), now)
  for i = 1, #b do
    local before = read(b[i], true)
    local most = math.max(before, 2 * b[i].capacity)
    write(b[i], math.min(most, math.max(0, before - back) + math.min(charge, b[i].capacity)))
  end
  return {id, 1}
end
)";

constexpr std::string_view kSettle = R"(
local b = {}
for i = 2, #KEYS do b[i - 1] = bucket(KEYS[i], 4 + (i - 2) * 3) end
return settle(ARGV[1], b, ARGV[2] * M, ARGV[3] * M)
)";

constexpr std::string_view kUndo = R"(
local take = KEYS[#KEYS]
local ran = redis.call('GET', take)
redis.call('SET', take, 'void', 'PX', ARGV[1])
if not ran or ran == 'void' then return {id, 0} end
local of, deficit = split(ran)
local b = {}
for i = 2, #KEYS - 1 do b[i - 1] = bucket(KEYS[i], 2 + (i - 2) * 3) end
return settle(of, b, tonumber(deficit), 0)
)";

std::string joined(std::string_view now, std::string_view first, std::string_view second,
                   std::string_view third) {
  std::string body(now);
  body += first;
  body += second;
  body += third;
  return body;
}

}  // namespace

std::string take_body(std::string_view now) { return joined(now, kBuckets, kEpoch, kTake); }

std::string settle_body(std::string_view now) { return joined(now, kBuckets, kGiveBack, kSettle); }

std::string undo_body(std::string_view now) { return joined(now, kBuckets, kGiveBack, kUndo); }

std::string probe_body() { return "return {id}\n"; }

}  // namespace penstock::store
