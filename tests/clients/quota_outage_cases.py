"""What holds of shared quotas while Redis is away or has lost its data, for both tiers."""

import concurrent.futures
import contextlib
import os
import time

from cases import Suite
from harness import equal, eventually, expect
from process_cases import Rig
from quota_cases import KEYS, Caller, at_once, chat, degraded, gateway, statuses
from redis_kit import Proxy, Redis

suite = Suite()


def run(report, fleet, mock):
    suite.run(report, "quota", Rig(fleet, mock, "outage"))


def outage(rig, port, begin, end):
    """The rows of requests, of requests in flight and of tokens, for both tiers; share 20 %."""
    limits = {"requests": "50/s", "burst": 50, "in_flight": 20, "tokens": "60k/min"}
    with gateway(rig, port, limits, gateways=2) as gate:
        for tier in KEYS:
            equal(chat(gate, tier).status, 200, f"status of {tier} before")
        begin()
        for tier in KEYS:
            _emergency(gate, tier)
        time.sleep(1.1)  # five requests at 5/s: no reply tells of a bucket without taking of it
        _emergency_ceiling(rig, gate)
        _emergency_tokens(rig, gate)
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


def _of_each_tier(rig, gate, count, latency_ms, **members):
    """So many calls of each tier at the same time, with a slow provider; statuses by tier."""
    rig.mock.fault(latency_ms=latency_ms)
    with concurrent.futures.ThreadPoolExecutor(len(KEYS)) as pool:
        found = dict(zip(KEYS, pool.map(
            lambda tier: statuses(at_once((gate,), count, tier=tier, **members)), KEYS)))
    rig.mock.fault()
    return found


def _emergency_ceiling(rig, gate):
    for tier, counts in _of_each_tier(rig, gate, 5, 600).items():
        expect(counts.get(200) == 2 and set(counts) <= {200, 503, 429},
               f"{tier}: of a ceiling of 20, a tenth is two: {counts}")


def _emergency_tokens(rig, gate):
    # A tenth of 60,000; the calls before took long enough for two more requests.
    for tier, counts in _of_each_tier(rig, gate, 2, 250, max_tokens=3500).items():
        equal(counts, {200: 1, 429: 1}, f"{tier}: two calls of 3,500 of 6,000 tokens")


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


@suite.case("Redis slower than its time-out: the same")
def _slow(rig):
    with Redis(rig.fleet, "slow") as redis, Proxy(redis.port) as proxy:
        outage(rig, proxy.port, lambda: setattr(proxy, "way", "slow"),
               lambda: setattr(proxy, "way", "pass"))


@suite.case("Redis loading its data: the same")
def _loading(rig):
    folder = rig.fleet.path("loading-data")
    os.makedirs(folder)
    with Redis(rig.fleet, "loading", "--dir", folder) as redis:
        def begin():
            redis.call("EVAL", "for i = 1, 20000 do redis.call('SET', 'x' .. i, i) end", 0)
            redis.call("SAVE")
            redis.kill()
            redis.start("--key-load-delay", "1000", "--loading-process-events-interval-bytes",
                        "1024", until="LOADING")

        def end():
            redis.kill()
            redis.start()

        outage(rig, redis.port, begin, end)


def lost(rig, name, lose):
    """The data go: nobody's bucket is full again."""
    limits = {"requests": "20/min", "burst": 20}
    with Redis(rig.fleet, name) as redis, gateway(rig, redis.port, limits) as one, \
            gateway(rig, redis.port, limits) as two:
        for tier in KEYS:
            for gate in (one, two):
                equal(chat(gate, tier).status, 200, "status before")
        lose(redis)
        for gate in (one, two):
            eventually(lambda gate=gate: _by_the_store(chat(gate)), "the store answers", 8)
        for tier in KEYS:
            replies = [reply for reply in at_once((one, two), 20, tier=tier)
                       if _by_the_store(reply)]
            counts = statuses(replies)
            expect(counts.get(200, 0) <= 1 and counts.get(429, 0) >= 10,
                   f"a bucket of {tier} that was lost starts empty: {counts}")
        for gate in (one, two):
            eventually(lambda gate=gate: not degraded(gate), "a store that answers is well", 8)
        for tier in KEYS:
            eventually(lambda tier=tier: _passed(chat(two, tier)), "it fills at its rate", 8)


@suite.case("data that are lost are not taken for an unused limit")
def _flushed(rig):
    lost(rig, "flushed", lambda redis: redis.call("FLUSHALL"))


@suite.case("a Redis that starts again and is empty: the same")
def _emptied(rig):
    def lose(redis):
        redis.kill()
        redis.start()

    lost(rig, "emptied", lose)


@suite.case("places that run when the data are lost are not given away a second time")
def _places_lost(rig):
    limits = {"in_flight": 10}
    for tier in KEYS:
        with Redis(rig.fleet, "places-" + tier) as redis, \
                gateway(rig, redis.port, limits, gateways=2) as one, \
                gateway(rig, redis.port, limits, gateways=2) as two, \
                concurrent.futures.ThreadPoolExecutor(10) as pool:
            for gate in (one, two):
                equal(chat(gate, tier).status, 200, "status before")
            eventually(lambda: redis.call("HLEN", f"penstock:{{{tier}}}:in_flight") == "0",
                       "idle blocks go back")
            rig.mock.fault(latency_ms=1000)
            running = [pool.submit(chat, one, tier) for _ in range(10)]
            eventually(lambda: rig.mock.count("in_flight") == 10, "the ceiling is full")
            redis.call("FLUSHALL")
            counts = statuses(at_once((two,), 12, tier=tier))
            equal(counts, {200: 1, 503: 11}, f"{tier}: beside what runs, its emergency ceiling")
            equal({call.result().status for call in running}, {200}, "who ran before")
            rig.mock.fault()


@suite.case("a replica that lags and is promoted is noticed by its count")
def _promoted(rig):
    limits = {"requests": "20/min", "burst": 20}
    with Redis(rig.fleet, "primary") as primary, Redis(rig.fleet, "stale") as stale, \
            Proxy(primary.port) as proxy, gateway(rig, proxy.port, limits) as gate:
        for tier in KEYS:
            equal(chat(gate, tier).status, 200, "status")
        stale.call("REPLICAOF", "127.0.0.1", primary.port)
        for tier in KEYS:
            name = f"penstock:{{{tier}}}:epoch"
            eventually(lambda name=name: stale.call("EXISTS", name) == "1", "it follows")
        stale.call("REPLICAOF", "NO", "ONE")  # and follows no more
        for tier in KEYS:
            for _ in range(10):
                equal(chat(gate, tier).status, 200, "status before")
        primary.kill()
        proxy.move(stale.port)
        for tier in KEYS:
            first = eventually(lambda tier=tier: _by_the_store(chat(gate, tier)),
                               "the replica is taken up", 8)
            replies = [first] + [chat(gate, tier) for _ in range(5)]
            equal(statuses(replies), {429: 6}, f"lost calls of {tier} count as used")


CONNECTIONS, ROUNDS = 4, 7
OPEN_S = 0.25  # from when on nobody waits for a frozen Redis
WAIT_S = 2.0   # two time-outs, and a busy machine that stands still; without a bound it is for ever
P99_ADDED_S = 0.005
UNLIMITED = {"asked each time": {"requests": "90/s", "burst": 100000, "tokens": "1M/s",
                                 "in_flight": 1000},
             "with slices": {"requests": "5k/s", "burst": 5000}}


def _p99(callers):
    """The middle one of what each of several rounds gave, with calls on all connections."""
    def calls(caller):
        return [caller.chat().seconds for _ in range(30)]

    found = []
    with concurrent.futures.ThreadPoolExecutor(len(callers)) as pool:
        for _ in range(ROUNDS):
            seconds = sorted(second for times in pool.map(calls, callers) for second in times)
            expect(seconds[-1] < WAIT_S, f"a call took {seconds[-1]:.2f} s")
            found.append(seconds[len(seconds) * 99 // 100])
    return sorted(found)[ROUNDS // 2]


def _call_until(caller, end):
    while time.monotonic() < end:
        took = caller.chat().seconds
        expect(took < WAIT_S, f"a call took {took:.2f} s")


@suite.case("250 ms after Redis froze no call waits for it, and the 99th percentile is as before")
def _latency(rig):
    timed_out = 'penstock_store_errors_total{store="quota",reason="timed_out"}'
    for what, limits in UNLIMITED.items():
        with Redis(rig.fleet, "latency") as redis, \
                gateway(rig, redis.port, limits, emergency_share="100%") as gate, \
                contextlib.ExitStack() as stack:
            callers = [stack.enter_context(Caller(gate)) for _ in range(CONNECTIONS)]
            before = _p99(callers)
            redis.freeze()
            end = time.monotonic() + OPEN_S
            with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
                list(pool.map(lambda caller, end=end: _call_until(caller, end), callers))
            waited, begun = gate.metric(timed_out), time.monotonic()
            after = _p99(callers)
            probes = 2 * 3 * (time.monotonic() - begun) + 6  # workers and their keeper
            expect(gate.metric(timed_out) - waited <= probes, "calls waited for a frozen Redis")
            expect(after <= before + P99_ADDED_S, f"{what}: the 99th percentile went from "
                   f"{before * 1000:.1f} to {after * 1000:.1f} ms")
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
