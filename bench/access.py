"""What identity, policy and quotas cost: of CPU beside HAProxy, and of time when Redis is asked."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time

import latency
from figures import Subject, interleave, running, unary_run, warm
from programs import Program, free_port
from subjects import KEY, OTHER_CPUS, Rules

# The identity provider of the client tests; it needs nothing but openssl.
sys.path.append(os.path.join(os.path.dirname(__file__), "..", "tests", "clients"))
from issuer import Issuer, Key  # noqa: E402 pylint: disable=wrong-import-position

# Every kind of rule that a request of the bench passes, and a limit of each kind on every level.
# The reply tells of so few tokens that this is never reached.
LIMITS = "requests: 1000000/s, burst: 1000000, tokens: 1000000/s"
POLICY = ('models: [ "bench-*" ], providers: [ stable ], output_tokens_max: 4096, '
          'output_over: refuse, tools: deny, priority: interactive, '
          f'limits: {{ {LIMITS}, in_flight: 10000 }}')
TENANT = f"limits: {{ {LIMITS}, in_flight: 10000 }}"

# Below 100 requests/s the store is asked about each request; from there on gateways take slices.
# Without limits of tokens, which at the pace of the bench would be reached.
ASKED = "limits: { requests: 90/s, burst: 1000000, in_flight: 10000 }"
SLICED = "limits: { requests: 1000000/s, burst: 1000000, in_flight: 10000 }"
QUOTA_SECONDS = 1


def redis(bench):
    """A Redis of its own that keeps nothing on disk."""
    folder = bench.path("redis")
    os.makedirs(folder, exist_ok=True)
    port = free_port()
    path = shutil.which("redis-server") or "/usr/bin/redis-server"
    return Program("redis", [path, "--port", port, "--bind", "127.0.0.1", "--dir", folder,
                             "--save", "", "--appendonly", "no"], OTHER_CPUS, port)


def cpu(bench, rounds, seconds, patience):
    """CPU per unary request with every rule and limit in force, by key and by token."""
    with contextlib.ExitStack() as stack:
        key = Key(bench.folder, "RS256", "bench")
        issuer = stack.enter_context(Issuer(bench.folder, key))
        token = key.token(tenant="retail", workload="support", exp=int(time.time()) + 3600)
        upstream = stack.enter_context(running(bench.canned_upstream()))
        by_key = Rules(tenant=TENANT, workload=POLICY)
        by_token = Rules(tenant=TENANT, workload=POLICY, auth=json.dumps(issuer.auth()))
        credentials = {"haproxy": KEY, "keys": KEY, "token": token}
        starts = {"haproxy": bench.haproxy,
                  "keys": lambda up: bench.penstock(up, rules=by_key),
                  "token": lambda up: bench.penstock(up, rules=by_token)}
        subjects = [Subject(name, stack.enter_context(running(start(upstream))), upstream)
                    for name, start in starts.items()]
        for subject in subjects:
            warm(bench, subject, credential=credentials[subject.name])
        refused = interleave(
            subjects, rounds,
            lambda subject: unary_run(bench, subject, seconds,
                                      credential=credentials[subject.name]), patience)
    return subjects, refused


def store(bench, plan):
    """Latency at concurrency 1 with quotas in memory, in Redis, and in Redis by slices. A slice
    saves less than one run differs from the next: hence many short ones, each beside its like."""
    with contextlib.ExitStack() as stack:
        shared = stack.enter_context(running(redis(bench)))
        upstream = stack.enter_context(running(bench.mock()))
        url = bench.secret_file(redis_url(shared))
        kept = f'quota: {{ kind: redis }}, redis: {{ url: "{url}" }}'
        kinds = {"memory": Rules(tenant=SLICED), "asked": Rules(tenant=ASKED, store=kept),
                 "slices": Rules(tenant=SLICED, store=kept)}
        subjects = [Subject(name, stack.enter_context(
            running(bench.penstock(upstream, rules=rules))), upstream)
            for name, rules in kinds.items()]
        refused = interleave(
            subjects, plan.quota_rounds,
            lambda subject: latency.run_one(bench, subject, latency.KINDS["unary"],
                                            QUOTA_SECONDS, strict=not plan.smoke, beside=(shared,)),
            plan.patience)
    return {subject.name: subject for subject in subjects}, refused


def redaction(bench):
    """Microseconds for each 1,000 bytes with eight patterns, as build's redaction_bench tells."""
    done = subprocess.run(["taskset", "-c", "0", os.path.join(bench.build, "redaction_bench")],
                          check=True, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def redis_url(program):
    return f"redis://127.0.0.1:{program.port}"


def over_memory(subjects, name, key):
    """The median, over the rounds, of what a kind adds to quotas in memory."""
    extra = sorted(run[key] - base[key]
                   for run, base in zip(subjects[name].runs, subjects["memory"].runs))
    return extra[len(extra) // 2]
