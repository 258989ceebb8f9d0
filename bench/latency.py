"""Latency at concurrency 1, beside the same requests sent straight to the upstream."""

import contextlib
import json

import loads
from figures import Subject, interleave, running
from programs import Usage, require
from subjects import served

STEP_US = 35_000  # a delayed acknowledgement shows as 40 ms
LOAD_BUSY_MAX = 0.95
STRANGERS_MAX = 0.2  # of one CPU; more of other people's work and a 99th percentile is theirs


def run_one(bench, subject, options, seconds, strict, beside=()):
    """beside: programs of the bench that the subject asks meanwhile."""
    subject.program.check()
    before = served(subject.upstream)
    records = bench.path("records.jsonl")
    flags = {"concurrency": 1, "duration": f"{seconds}s", "warm-up": "200ms",
             "records": records, **options}
    with Usage(*{subject.program, subject.upstream, *beside}) as usage:
        told = loads.report(loads.penstock_load(bench, subject.program.port, flags), seconds + 20)
    seen = served(subject.upstream) - before
    require(told["ok"] == told["sent"] and seen >= told["sent"],
            f"{told['ok']} of {told['sent']} ok, {seen} at the upstream")
    busy = told["load_cpu_us"] / told["wall_us"]
    # Straight to the mock, the load waits for nothing but the mock, which is its neighbour.
    require(busy < LOAD_BUSY_MAX, f"the load generator was busy {busy:.0%} of the time")
    with open(records, encoding="utf-8") as file:
        totals = [json.loads(line)["total_us"] for line in file]
    told["steps"] = sum(total >= STEP_US for total in totals)
    told["load_busy"] = busy
    told["strangers_busy"] = usage.strangers(told["load_cpu_us"])
    if strict:
        require(told["strangers_busy"] < STRANGERS_MAX,
                f"other programs used {told['strangers_busy']:.0%} of a CPU meanwhile")
    for name in ("p50", "p99"):
        told[f"total_{name}"] = told["total_us"][name]
        told[f"ttft_{name}"] = told["ttft_us"][name]
    return told


KINDS = {
    "unary": {"prompt-bytes": 400},
    "body of 64 kB": {"prompt-bytes": 64_000},
    "stream": {"prompt-bytes": 400, "stream": None, "max-tokens": 8},
}


def latency(bench, plan, kinds):
    """Requests of those kinds: direct, through HAProxy, the relay and Penstock."""
    found, refused = {}, []
    with contextlib.ExitStack() as stack:
        upstream = stack.enter_context(running(bench.mock()))
        programs = {"direct": upstream}
        for name, start in (("haproxy", bench.haproxy), ("relay", bench.relay),
                            ("penstock", bench.penstock)):
            programs[name] = stack.enter_context(running(start(upstream)))
        for kind in kinds:
            options = KINDS[kind]
            subjects = [Subject(name, program, upstream) for name, program in programs.items()]
            refused += interleave(
                subjects, plan.latency_rounds,
                lambda subject, options=options: run_one(
                    bench, subject, options, plan.latency_seconds, strict=not plan.smoke),
                plan.patience)
            found[kind] = {subject.name: subject for subject in subjects}
    return found, refused


def added(subjects, key):
    """The median of what a subject adds, each round beside its own direct run."""
    direct = subjects["direct"]
    return {name: sorted(run[key] - base[key]
                         for run, base in zip(subject.runs, direct.runs))[len(direct.runs) // 2]
            for name, subject in subjects.items() if name != "direct"}
