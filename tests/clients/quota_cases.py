"""Quotas that two gateways share over one Redis: what they are, exactly."""

import collections
import concurrent.futures
import hashlib
import http.client
import json
import time

from cases import Suite
from harness import equal, eventually, expect, fetch
from process_cases import Rig
from redis_kit import Redis

suite = Suite()

KEYS = {"internal": "sk-internal-of-the-quota-cases", "external": "sk-external-of-the-quota-cases"}
Reply = collections.namedtuple("Reply", "status headers body seconds")


def run(report, fleet, mock):
    rig = Rig(fleet, mock, "quota")
    suite.run(report, "quota", rig)


def key_row(name, key, workload="w", **limits):
    row = {"id": name, "workload": workload, "sha256": hashlib.sha256(key.encode()).hexdigest()}
    return {**row, "limits": limits} if limits else row


def tenants(limits):
    """One tenant of each tier, each with these limits."""
    return {tier: {"tier": tier, "limits": limits, "keys": [key_row(f"{tier}-1", key)],
                   "workloads": {"w": {"priority": "interactive"}}}
            for tier, key in KEYS.items()}


def gateway(rig, port, limits, **redis):
    return gateway_of(rig, port, tenants(limits), **redis)


def gateway_of(rig, port, callers, **redis):
    url = rig.file(f"redis-{port}.url", f"redis://127.0.0.1:{port}")
    return rig.gateway(auth={"mode": "keys"}, tenants=callers,
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


LEVELS = {
    "tier": "internal", "limits": {"requests": "1/h", "burst": 40},
    # The first is named like its workload, and has a bucket of its own all the same.
    "keys": [key_row("few", "sk-own-limit", "few", requests="1/h", burst=5),
             key_row("second", "sk-workload-limit", "few"),
             key_row("tokens", "sk-own-tokens", "rest", tokens="200/h"),
             key_row("places", "sk-workload-places", "places"),
             key_row("rest", "sk-tenant-limit", "rest")],
    "workloads": {"few": {"priority": "interactive", "limits": {"requests": "1/h", "burst": 12}},
                  "places": {"priority": "interactive", "limits": {"in_flight": 4}},
                  "rest": {"priority": "interactive"}},
}


@suite.case("limits of keys and of workloads are shared as exactly as their tenant's")
def _levels(rig):
    with Redis(rig.fleet, "levels") as redis, \
            gateway_of(rig, redis.port, {"t": LEVELS}) as one, \
            gateway_of(rig, redis.port, {"t": LEVELS}) as two:
        def passed(key, count, refusal=429, **members):
            counts = statuses(at_once((one, two), count, key=key, **members))
            equal(sum(counts.values()) - counts.get(200, 0), counts.get(refusal, 0), "refusals")
            return counts.get(200, 0)

        equal(passed("sk-workload-limit", 4), 4, "calls of another key")
        equal(passed("sk-own-limit", 10), 5, "calls within the key's own limit")
        equal(passed("sk-workload-limit", 20), 3, "calls within what its workload has left")
        rig.mock.fault(latency_ms=400)
        equal(passed("sk-own-tokens", 2, max_tokens=120), 1, "calls within the key's tokens")
        equal(passed("sk-workload-places", 8, 503), 4, "calls within the workload's ceiling")
        rig.mock.fault()
        # A request that is refused for tokens or a place has paid for its arrival.
        equal(passed("sk-tenant-limit", 40), 40 - 12 - 2 - 8, "calls within the tenant's rest")


@suite.case("scripts that Redis forgot are sent again")
def _script_flush(rig):
    with Redis(rig.fleet, "scripts") as redis, \
            gateway(rig, redis.port, {"requests": "50/s", "tokens": "90k/min"}) as gate:
        for _ in range(3):
            equal(chat(gate).status, 200, "status")
            redis.call("SCRIPT", "FLUSH")
        expect(not degraded(gate), "it is not degraded")
