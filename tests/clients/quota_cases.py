"""Quotas that two gateways share over one Redis, and what holds while it is away."""

import collections
import concurrent.futures
import hashlib
import http.client
import json
import time

from cases import Suite
from harness import equal, eventually, expect, fetch
from process_cases import Rig
from redis_kit import Proxy, Redis

suite = Suite()

KEYS = {"internal": "sk-internal-of-the-quota-cases", "external": "sk-external-of-the-quota-cases"}
Reply = collections.namedtuple("Reply", "status headers body seconds")


def run(report, fleet, mock):
    rig = Rig(fleet, mock, "quota")
    suite.run(report, "quota", rig)


def tenants(limits):
    """One tenant of each tier, each with these limits."""
    return {tier: {"tier": tier, "limits": limits,
                   "keys": [{"id": f"{tier}-1", "workload": "w",
                             "sha256": hashlib.sha256(key.encode()).hexdigest()}],
                   "workloads": {"w": {"priority": "interactive"}}}
            for tier, key in KEYS.items()}


def gateway(rig, port, limits, **redis):
    url = rig.file(f"redis-{port}.url", f"redis://127.0.0.1:{port}")
    return rig.gateway(auth={"mode": "keys"}, tenants=tenants(limits),
                       store={"quota": {"kind": "redis"}, "redis": {"url": f"file:{url}", **redis}})


class Caller:
    """One kept connection to a gateway, as one tenant."""

    def __init__(self, gate, tier="internal", key=None):
        self._gate, self._key = gate, key or KEYS[tier]
        self._link = None

    def __enter__(self):
        self._link = http.client.HTTPConnection(self._gate.data, timeout=10)
        return self

    def __exit__(self, *_):
        self._link.close()

    def chat(self, **members):
        body = json.dumps({"model": "chat", "messages": [], "max_tokens": 5, **members})
        begun = time.monotonic()
        self._link.request("POST", "/v1/chat/completions", body,
                           {"content-type": "application/json",
                            "authorization": f"Bearer {self._key}"})
        reply = self._link.getresponse()
        data = reply.read()
        return Reply(reply.status, dict(reply.getheaders()), data, time.monotonic() - begun)


def chat(gate, tier="internal", key=None, **members):
    with Caller(gate, tier, key) as caller:
        return caller.chat(**members)


def at_once(gates, count, **members):
    """So many calls at the same time, dealt out to the gateways; their replies."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda i: chat(gates[i % len(gates)], **members), range(count)))


def statuses(replies):
    return dict(collections.Counter(reply.status for reply in replies))


def degraded(gate):
    """Whether the gauge and the status agree that it is, and how."""
    told = json.loads(fetch(gate.admin + "/admin/v1/status")[1])["stores"]["quota"]["degraded"]
    return gate.metric('penstock_store_degraded{store="quota"}') == 1 and told


@suite.case("two gateways pass exactly the shared burst, whoever is asked")
def _requests(rig):
    with Redis(rig.fleet, "exact") as redis, \
            gateway(rig, redis.port, {"requests": "1/h", "burst": 50}) as one, \
            gateway(rig, redis.port, {"requests": "1/h", "burst": 50}) as two:
        equal(statuses(at_once((one, two), 100)), {200: 50, 429: 50}, "statuses")
        last = chat(two)
        equal(last.headers["x-ratelimit-remaining-requests"], "0", "remaining")
        expect(int(last.headers["retry-after"]) > 3000, "the wait is that of the shared bucket")


@suite.case("two gateways pass exactly the shared tokens, and give back what was not used")
def _tokens(rig):
    limits = {"tokens": "1000/h"}
    with Redis(rig.fleet, "tokens") as redis, gateway(rig, redis.port, limits) as one, \
            gateway(rig, redis.port, limits) as two:
        rig.mock.fault(latency_ms=400)
        body = len(json.dumps({"model": "chat", "messages": [], "max_tokens": 100}))
        ceiling = 100 - (body + 3) // 4
        held = at_once((one, two), 20, max_tokens=ceiling)
        equal(statuses(held), {200: 10, 429: 10}, "statuses with 100 tokens held by each")
        rig.mock.fault()
        eventually(lambda: chat(two, max_tokens=ceiling).status == 200,
                   "what was held and not used may be used")
        equal(chat(one, max_tokens=1200).status, 400, "a call that no wait would let through")


@suite.case("two gateways share a ceiling, and a place that was left is free for both")
def _ceiling(rig):
    limits = {"in_flight": 10}
    with Redis(rig.fleet, "ceiling") as redis, gateway(rig, redis.port, limits) as one, \
            gateway(rig, redis.port, limits) as two:
        rig.mock.fault(latency_ms=500)
        equal(statuses(at_once((one, two), 20)), {200: 10, 503: 10}, "statuses at once")
        rig.mock.fault()
        for gate in (one, two):  # idle blocks go back within about a second
            eventually(lambda gate=gate: statuses(at_once((gate,), 10)) == {200: 10},
                       "one gateway may fill the whole ceiling", 6)
        one.stop()
        eventually(lambda: redis.call("HLEN", "penstock:{internal}:in_flight") == "0",
                   "a gateway that leaves gives its block back, and an idle one too")


@suite.case("with slices, two gateways keep burst + rate x time + a slice each")
def _slices(rig):
    rate, burst, seconds = 200, 400, 3.0
    slice_units = min(max(rate // 10, 10), burst // 20)
    limits = {"requests": f"{rate}/s", "burst": burst}
    with Redis(rig.fleet, "slices") as redis, gateway(rig, redis.port, limits) as one, \
            gateway(rig, redis.port, limits) as two:
        begun = time.monotonic()

        def hammer(gate):
            passed = 0
            with Caller(gate) as caller:
                while time.monotonic() < begun + seconds:
                    passed += caller.chat().status == 200
            return passed

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            passed = sum(pool.map(hammer, (one, two) * 4))
        took = time.monotonic() - begun
        most = burst + rate * took + 2 * slice_units
        expect(passed <= most, f"{passed} passed in {took:.2f} s, at most {most:.0f} may")
        expect(passed >= 0.8 * (burst + rate * seconds), f"only {passed} passed in {took:.2f} s")


@suite.case("a busy caller within its limit does not ask the store for every request")
def _hot(rig):
    with Redis(rig.fleet, "hot") as redis, \
            gateway(rig, redis.port, {"requests": "2k/s", "burst": 4000}) as gate, \
            Caller(gate) as caller:
        equal({caller.chat().status for _ in range(300)}, {200}, "statuses")
        calls = int(redis.call("GET", "penstock:{internal}:epoch").split()[-1])
        expect(calls < 100, f"{calls} calls of the store for 300 requests")


@suite.case("what stands in Redis names no credential and does not stay")
def _names(rig):
    with Redis(rig.fleet, "names") as redis, \
            gateway(rig, redis.port, {"requests": "9/min", "tokens": "9k/min",
                                      "in_flight": 5}) as gate:
        for tier in KEYS:
            equal(chat(gate, tier).status, 200, "status")
        names = redis.call("KEYS", "*")
        equal(len([name for name in names if name.startswith("penstock:{internal}:")]) >= 3, True,
              f"names under the tenant's hash tag among {names}")
        for name in names:
            expect(not any(key in name for key in KEYS.values()), f"a key stands in {name}")
            expect(int(redis.call("PTTL", name)) > 0, f"{name} has no time to live")


def outage(rig, port, begin, end):
    """The rows of requests and of requests in flight, for both tiers; limit 50/s, share 20 %."""
    limits = {"requests": "50/s", "burst": 50, "in_flight": 20}
    with gateway(rig, port, limits, gateways=2) as gate:
        for tier in KEYS:
            equal(chat(gate, tier).status, 200, f"status of {tier} before")
        begin()
        for tier in KEYS:
            _emergency(gate, tier)
        _emergency_ceiling(rig, gate)
        end()
        eventually(lambda: not degraded(gate), "it comes back by itself", 8)
        for tier in KEYS:
            reply = eventually(lambda tier=tier: _passed(chat(gate, tier)), "requests pass again")
            expect("x-penstock-degraded" not in reply.headers, "it is not told as degraded")

def _passed(reply):
    return reply if reply.status == 200 else None


def _by_the_store(reply):
    return None if "x-penstock-degraded" in reply.headers else reply


def _emergency(gate, tier):
    begun = time.monotonic()
    with Caller(gate, tier) as caller:
        replies = [caller.chat() for _ in range(40)]
    took = time.monotonic() - begun
    counts = statuses(replies)
    expect(set(counts) <= {200, 429}, f"statuses of {tier}: {counts}")
    most = 5 + 5 * took + 1  # a tenth of 50/s and of the burst
    expect(1 <= counts[200] <= most, f"{counts[200]} of {tier} passed, at most {most:.0f} may")
    slow = [reply.seconds for reply in replies if reply.seconds > 0.3]
    expect(not slow, f"calls of {tier} took {slow}")
    equal(replies[-1].headers.get("x-penstock-degraded"), "quota", "x-penstock-degraded")
    equal(replies[-1].headers["x-ratelimit-limit-requests"], "5", "the limit that holds now")
    eventually(lambda: degraded(gate), "the gauge and the status say so")


def _emergency_ceiling(rig, gate):
    time.sleep(1.1)  # for the emergency bucket to fill: five requests
    rig.mock.fault(latency_ms=600)
    counts = statuses(at_once((gate,), 5))
    rig.mock.fault()
    expect(counts.get(200) == 2 and set(counts) <= {200, 503, 429},
           f"of a ceiling of 20, a tenth is two: {counts}")


@suite.case("Redis frozen: each gateway's part of the limits holds, then all is shared again")
def _frozen(rig):
    with Redis(rig.fleet, "frozen") as redis:
        outage(rig, redis.port, redis.freeze, redis.thaw)


@suite.case("Redis killed and back, empty: the same")
def _killed(rig):
    with Redis(rig.fleet, "killed") as redis:
        outage(rig, redis.port, redis.kill, redis.start)


@suite.case("Redis paused for its clients: the same")
def _paused(rig):
    with Redis(rig.fleet, "paused") as redis:
        outage(rig, redis.port, lambda: redis.call("CLIENT", "PAUSE", "5000", "ALL"),
               lambda: None)  # nothing else ends it


@suite.case("Redis become a replica: the same")
def _replica(rig):
    with Redis(rig.fleet, "replica") as redis:
        outage(rig, redis.port,
               lambda: redis.call("REPLICAOF", "127.0.0.1", "1"),
               lambda: redis.call("REPLICAOF", "NO", "ONE"))


@suite.case("Redis out of memory: the same")
def _memory(rig):
    with Redis(rig.fleet, "memory") as redis:
        outage(rig, redis.port, lambda: redis.call("CONFIG", "SET", "maxmemory", "1"),
               lambda: redis.call("CONFIG", "SET", "maxmemory", "0"))


@suite.case("replies cut in half: the same")
def _cut(rig):
    with Redis(rig.fleet, "cut") as redis, Proxy(redis.port) as proxy:
        outage(rig, proxy.port, lambda: setattr(proxy, "way", "cut"),
               lambda: setattr(proxy, "way", "pass"))


@suite.case("replies that belong to other calls: the same")
def _swapped(rig):
    with Redis(rig.fleet, "swap") as redis, Proxy(redis.port) as proxy:
        outage(rig, proxy.port, lambda: setattr(proxy, "way", "swap"),
               lambda: setattr(proxy, "way", "pass"))


@suite.case("data that are lost are not taken for an unused limit")
def _flushed(rig):
    limits = {"requests": "20/min", "burst": 20}
    with Redis(rig.fleet, "flushed") as redis, gateway(rig, redis.port, limits) as one, \
            gateway(rig, redis.port, limits) as two:
        for gate in (one, two):
            equal(chat(gate).status, 200, "status before")
        redis.call("FLUSHALL")
        counts = statuses(at_once((one, two), 20))
        expect(counts.get(200, 0) <= 1, f"a bucket that was lost starts empty: {counts}")
        expect(not degraded(one), "a store that answers is not degraded")
        eventually(lambda: chat(two).status == 200, "it fills at its rate", 8)


@suite.case("scripts that Redis forgot are sent again")
def _script_flush(rig):
    with Redis(rig.fleet, "scripts") as redis, \
            gateway(rig, redis.port, {"requests": "50/s", "tokens": "90k/min"}) as gate:
        for _ in range(3):
            equal(chat(gate).status, 200, "status")
            redis.call("SCRIPT", "FLUSH")
        expect(not degraded(gate), "it is not degraded")


@suite.case("a replica that lags and is promoted is noticed by its count")
def _promoted(rig):
    limits = {"requests": "20/min", "burst": 20}
    with Redis(rig.fleet, "primary") as primary, Redis(rig.fleet, "stale") as stale, \
            Proxy(primary.port) as proxy, gateway(rig, proxy.port, limits) as gate:
        equal(chat(gate).status, 200, "status")
        stale.call("REPLICAOF", "127.0.0.1", primary.port)
        eventually(lambda: stale.call("EXISTS", "penstock:{internal}:epoch") == "1", "it follows")
        stale.call("REPLICAOF", "NO", "ONE")  # and follows no more
        for _ in range(10):
            equal(chat(gate).status, 200, "status before")
        primary.kill()
        proxy.move(stale.port)
        first = eventually(lambda: _by_the_store(chat(gate)), "the replica is taken up", 8)
        replies = [first] + [chat(gate) for _ in range(5)]
        equal(statuses(replies), {429: 6}, "lost calls count as used")


@suite.case("once the breaker is open, a frozen Redis costs no call anything")
def _latency(rig):
    limits = {"requests": "5k/s", "burst": 5000}
    with Redis(rig.fleet, "latency") as redis, \
            gateway(rig, redis.port, limits, emergency_share="100%") as gate, \
            Caller(gate) as caller:
        before = sorted(caller.chat().seconds for _ in range(300))
        redis.freeze()
        begun = time.monotonic()
        while time.monotonic() < begun + 0.5:  # every worker has its own breaker
            chat(gate)
        timed_out = 'penstock_store_errors_total{store="quota",reason="timed_out"}'
        waited = gate.metric(timed_out)
        begun = time.monotonic()
        after = sorted(caller.chat().seconds for _ in range(300))
        probes = 2 * 3 * (time.monotonic() - begun) + 6  # workers and their keeper
        expect(gate.metric(timed_out) - waited <= probes, "calls waited for a frozen Redis")
        expect(after[150] <= before[150] + 0.005,
               f"the median went from {before[150] * 1000:.1f} to {after[150] * 1000:.1f} ms")
        expect(after[297] < 0.05, f"the 99th percentile is {after[297] * 1000:.0f} ms")
        redis.thaw()


@suite.case("without Redis at the start it serves its part, and takes Redis up when it comes")
def _late(rig):
    with Redis(rig.fleet, "late") as redis:
        redis.kill()
        with gateway(rig, redis.port, {"requests": "50/s"}) as gate:
            equal(chat(gate).status, 200, "status")
            eventually(lambda: degraded(gate), "it says so")
            redis.start()
            eventually(lambda: not degraded(gate), "it comes back without a request", 8)
