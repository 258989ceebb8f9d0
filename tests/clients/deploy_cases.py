"""deploy/three-gateways as a user starts it: HAProxy, three gateways, Redis over TLS, one limit."""

import collections
import concurrent.futures
import contextlib
import http.client
import json
import os
import signal
import subprocess
import time

from cases import Suite
from harness import equal, eventually, expect, fetch
from process_cases import Rig
from redis_kit import free_port

suite = Suite()

RUN = os.path.join(os.path.dirname(__file__), "..", "..", "deploy", "three-gateways", "run")
START_S = 30.0
BURST, RATE = 60, 20  # below the rate from which gateways take slices: exact
SHARE = 0.2

CONFIG = """\
version: 1
workers: 2
listen: { data: 127.0.0.1:0, admin: 127.0.0.1:0 }
auth: { mode: keys }
tenants:
  demo:
    limits: { requests: 20/s, burst: 60, in_flight: 64 }
    keys: [ { id: demo-1, sha256: "@KEY_SHA256@", workload: try } ]
    workloads: { try: {} }
store:
  quota: { kind: redis }
  redis: { url: env:PENSTOCK_REDIS_URL, tls: { ca: file:redis-ca.pem }, timeout: 50ms, gateways: 3,
           emergency_share: 20% }
telemetry: { access_log: off }
providers:
  mock: { dialect: openai, replicas: [ "@PROVIDER@" ] }
models:
  mock: { targets: [ { provider: mock, model: mock } ] }
drain: { settle: 1s, timeout: 5s }
"""

BODY = json.dumps({"model": "mock", "messages": [{"role": "user", "content": "hello"}]})


def run(report, fleet, mock):
    suite.run(report, "deploy", Rig(fleet, mock, "deploy"))


class Deployment:
    """What the script started, by its own account."""

    def __init__(self, rig, name, config=CONFIG):
        """config: a text, or None for the file that is shipped."""
        self.state = rig.fleet.path(name)
        os.makedirs(self.state)
        ours = [] if config is None else [
            "--config", os.path.join(rig.fleet.folder, rig.file(name + ".yaml", config))]
        self._log = open(rig.fleet.path(name + ".log"), "wb")
        self.child = subprocess.Popen(
            [RUN, "--penstock", rig.fleet.binary, *ours, "--provider", rig.mock.url,
             "--port", str(free_port()), "--redis-port", str(free_port()), "--state", self.state],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log)
        line = self.child.stdout.readline()
        expect(line, f"it did not start: {open(self._log.name, encoding='utf-8').read()[-400:]!r}")
        self.told = json.loads(line)
        with open(os.path.join(self.state, "key"), encoding="utf-8") as file:
            self.key = file.read().strip()

    def stop(self):
        """TERM ends all of it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.told["redis"]["pid"], signal.SIGCONT)
        self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(20)
        self.child.stdout.close()
        self._log.close()
        return code

    def redis(self, number):
        os.kill(self.told["redis"]["pid"], number)

    def degraded(self):
        """How many gateways decide by themselves."""
        count = 0
        for gateway in self.told["gateways"]:
            text = fetch(f"http://{gateway['admin']}/metrics")[1].decode()
            count += any(line.startswith("penstock_store_degraded") and not line.endswith(" 0")
                         for line in text.splitlines())
        return count

    def chat(self):
        """Returns (status, headers, seconds) of a call through the balancer."""
        connection = http.client.HTTPConnection(self.told["data"], timeout=10)
        begun = time.monotonic()
        connection.request("POST", "/v1/chat/completions", BODY, {
            "content-type": "application/json", "authorization": "Bearer " + self.key})
        reply = connection.getresponse()
        reply.read()
        connection.close()
        return reply.status, reply.headers, time.monotonic() - begun

    def many(self, count, threads=16):
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda _: self.chat(), range(count)))

    def fill(self):
        """Until the buckets of all gateways are full, which a new Redis' are not."""
        def is_full():
            status, headers, _ = self.chat()
            return status == 200 and int(headers["x-ratelimit-remaining-requests"]) >= BURST - 1
        eventually(is_full, "the bucket is full", BURST / RATE + 5, every=0.5)


@contextlib.contextmanager
def deployed(rig, name, config=CONFIG):
    deployment = Deployment(rig, name, config)
    try:
        yield deployment
    finally:
        deployment.stop()


@suite.case("twice the burst through three gateways at once: the burst and its refill pass")
def _one_limit(rig):
    with deployed(rig, "limit") as fleet:
        fleet.fill()
        begun = time.monotonic()
        statuses = collections.Counter(status for status, _, _ in fleet.many(2 * BURST))
        took = time.monotonic() - begun
        equal(set(statuses), {200, 429}, "statuses")
        expect(BURST - 2 <= statuses[200] <= BURST + RATE * took + 1,
               f"{statuses[200]} passed a burst of {BURST} and {RATE}/s in {took:.2f} s")
        equal(fleet.degraded(), 0, "gateways without Redis")


@suite.case("the shipped config serves, and its limits are those of all three together")
def _shipped(rig):
    burst, rate = 100, 50  # as deploy/three-gateways/penstock.yaml says
    with deployed(rig, "shipped", None) as fleet:
        begun = time.monotonic()
        answers = fleet.many(2 * burst)
        took = time.monotonic() - begun
        statuses = collections.Counter(status for status, _, _ in answers)
        equal(set(statuses), {200, 429}, "statuses")
        expect(burst - 2 <= statuses[200] <= burst + rate * took + 1,
               f"{statuses[200]} passed a burst of {burst} and {rate}/s in {took:.2f} s")
        equal(answers[0][1]["x-ratelimit-limit-tokens"], "200000", "the shipped tokens")
        equal(fleet.degraded(), 0, "gateways without Redis")


@suite.case("Redis frozen: all three decide by themselves, within their share, and come back")
def _frozen(rig):
    with deployed(rig, "frozen") as fleet:
        fleet.fill()
        fleet.redis(signal.SIGSTOP)
        eventually(lambda: fleet.chat() and fleet.degraded() == 3, "all three know", 10)
        begun = time.monotonic()
        answers = fleet.many(240, threads=8)
        took = time.monotonic() - begun
        statuses = collections.Counter(status for status, _, _ in answers)
        equal(set(statuses), {200, 429}, "statuses")
        most = SHARE * (BURST + RATE * took) + 3  # a whole request a gateway may be rounded up
        expect(1 <= statuses[200] <= most, f"{statuses[200]} of 240 passed, at most {most:.0f} may")
        slowest = max(seconds for _, _, seconds in answers)
        expect(slowest < 0.5, f"the slowest took {slowest:.2f} s")
        expect(all(headers["x-penstock-degraded"] for _, headers, _ in answers),
               "a reply does not say that it is degraded")
        fleet.redis(signal.SIGCONT)
        eventually(lambda: fleet.degraded() == 0, "all three are back", 10)
        eventually(lambda: fleet.chat()[0] == 200, "calls pass again", 10, every=0.2)


@suite.case("a gateway that leaves while calls run costs none of them")
def _leaves(rig):
    with deployed(rig, "leaves") as fleet:
        fleet.fill()
        leaving = fleet.told["gateways"][0]["pid"]
        statuses = collections.Counter()
        for turn in range(40):
            if turn == 10:
                os.kill(leaving, signal.SIGTERM)
            statuses[fleet.chat()[0]] += 1
        equal(set(statuses) - {429}, {200}, f"statuses {dict(statuses)}")
        expect(statuses[200] >= 40 - 5, f"calls that passed: {dict(statuses)}")


@suite.case("TERM ends all of it and leaves nothing behind")
def _ends(rig):
    deployment = Deployment(rig, "ends")
    equal(deployment.stop(), 0, "exit code")
    told = deployment.told
    for pid in [told["redis"]["pid"], told["haproxy"]["pid"],
                *(gateway["pid"] for gateway in told["gateways"])]:
        expect(not os.path.exists(f"/proc/{pid}"), f"process {pid} is still there")
