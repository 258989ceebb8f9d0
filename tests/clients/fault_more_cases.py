"""Faults of the mock that show only over several calls, and whether every fault has its row."""

import concurrent.futures
import contextlib
import json
import re
import subprocess
import time

from cases import Suite
from fault_cases import FINISH, SILENT, TABLE, WHOLE, Reply, meets, passes
from harness import equal, eventually, expect, fetch
from process_cases import begin

suite = Suite()

INTERVAL_S = 0.05  # of health checks


@suite.case("every fault that `penstock mock --help` names has a row")
def _every(rig):
    done = subprocess.run([rig.fleet.binary, "mock", "--help"], capture_output=True, check=True,
                          timeout=10, stdin=subprocess.DEVNULL, text=True)
    named = re.search(r"^Faults: (.*?)\.$", done.stdout, re.MULTILINE | re.DOTALL)
    expect(named, f"no faults in {done.stdout!r}")
    rows = {name for fault, *_ in TABLE for name in fault}
    equal(sorted(rows), sorted(re.split(r",\s+", named[1])), "names in rows")


@suite.case("slots: so many calls are served at once, the others after them")
def _slots(rig):
    rig.mock.fault(slots=1, first_token_ms=150)
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        replies = [call.result() for call in [pool.submit(Reply, rig.gateway, False)
                                              for _ in range(2)]]
    both = time.monotonic() - began
    for reply in replies:
        meets(reply, WHOLE, rig.words)
    expect(min(reply.seconds for reply in replies) >= 0.15, "one took less than its own time")
    expect(both >= 0.3, f"both took {both:.3f} s: they were served at once")


@suite.case("slots: a call that gets none in time is a 504, and who has one is not disturbed")
def _no_slot(rig):
    rig.mock.fault(slots=1, inter_token_ms=100)
    with contextlib.closing(begin(rig.gateway, stream=True)) as connection:
        stream = connection.getresponse()
        meets(Reply(rig.gateway, False), SILENT, rig.words)
        body = stream.read()
        expect(body.endswith(b"data: [DONE]\n\n"), f"the stream ended with {body[-300:]!r}")


@suite.case("error_rate: of many calls the same ones fail each time")
def _error_rate(rig):
    seen = []
    for _ in range(2):
        fetch(rig.mock.url + "/mock/reset", {})
        rig.mock.fault(error_rate=0.5)
        seen.append([Reply(rig.gateway, False).status for _ in range(30)])
    equal(seen[1], seen[0], "the second time")
    equal(set(seen[0]), {200, 500}, "statuses")


def usages(reply):
    """Of each chunk that tells usage: whether it has choices."""
    return [bool(chunk["choices"]) for chunk in reply.chunks() if chunk.get("usage")]


@suite.case("usage: who asks for it gets it where the provider tells it")
def _usage(rig):
    ask = {"stream_options": {"include_usage": True}}
    for word, wanted in (("none", []), ("last", [True]), ("separate", [False]),
                         ("every", [True] * 18 + [False])):
        rig.mock.fault(usage=word)
        reply = Reply(rig.gateway, True, **ask)
        equal(usages(reply), wanted, f"chunks that tell usage with {word}")
        unary = json.loads(Reply(rig.gateway, False).body)
        equal("usage" in unary, word != "none", f"usage in the unary reply with {word}")


@suite.case("comments: the provider's own reach the client")
def _comments(rig):
    rig.mock.fault(comments=True)
    expect(b": mock\n" in Reply(rig.gateway, True).body, "no comment")


@suite.case("a stream that is silent behind its finish is whole, also where idle is short")
def _idle_behind_finish(rig):
    rig.mock.fault(stall_after_chunks=FINISH + 1)
    with rig.start("short-idle", timeouts={"first_byte": "2s", "idle": "250ms"}) as gateway:
        meets(Reply(gateway, True), WHOLE, rig.words)


@suite.case("a stream that is silent behind its finish is whole, also at its deadline")
def _deadline_behind_finish(rig):
    rig.mock.fault(stall_after_chunks=FINISH + 1)
    soon = {"x-request-timeout-ms": "250"}
    meets(Reply(rig.gateway, True, soon), WHOLE, rig.words)


def health(gateway):
    _, body = fetch(gateway.admin + "/admin/v1/providers")
    return json.loads(body)["providers"][0]["replicas"][0]["health"]


@suite.case("healthy_but_failing: health checks pass while completions fail; with status they fail")
def _health(rig):
    guard = {"interval": f"{INTERVAL_S * 1000:.0f}ms", "healthy_after": 1, "unhealthy_after": 1}
    with rig.start("probing", health=guard) as gateway:
        eventually(lambda: health(gateway) == "healthy", "the replica is healthy")
        start = time.monotonic()
        rig.mock.fault(status=500)
        eventually(lambda: health(gateway) == "unhealthy", "the replica is unhealthy")
        noticed = time.monotonic() - start
        refused = Reply(gateway, False)
        equal((refused.status, json.loads(refused.body)["error"]["code"]), (503, "no_replica"),
              "status and code")
        rig.mock.fault()
        eventually(lambda: health(gateway) == "healthy", "the replica is healthy again")
        rig.mock.fault(healthy_but_failing=True)
        end = time.monotonic() + 4 * noticed + 4 * INTERVAL_S
        while time.monotonic() < end:
            equal(health(gateway), "healthy", "health")
            meets(Reply(gateway, False), passes(500), rig.words)
