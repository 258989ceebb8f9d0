"""CPU time per request and per chunk: each subject in turn, several times, then the medians."""

import contextlib
import statistics

import loads
import machine
from programs import Invalid, Usage, require
from subjects import KEY, served

RETRIES = 2  # of a run that turned out invalid


class Subject:
    """A server under test and what its runs gave."""

    def __init__(self, name, program, upstream):
        self.name = name
        self.program = program
        self.upstream = upstream
        self.runs = []

    def median(self, key):
        return statistics.median(run[key] for run in self.runs)

    def spread(self, key):
        values = [run[key] for run in self.runs]
        return [min(values), max(values)]


def interleave(subjects, rounds, measure, patience):
    """One run of each subject after the other, the order turning round by round."""
    refused = []
    for turn in range(rounds):
        for step in range(len(subjects)):
            subject = subjects[(turn + step) % len(subjects)]
            for attempt in range(RETRIES + 1):
                quiet = machine.wait_until_quiet(patience)
                try:
                    run = measure(subject)
                except Invalid as why:
                    refused.append(f"{subject.name}: {why}")
                    if attempt == RETRIES:
                        raise Invalid(f"{subject.name}: {why}") from why
                    continue
                run["busy_before"] = quiet
                run["round"] = turn
                subject.runs.append(run)
                break
    return refused


def unary_run(bench, subject, seconds, connections=16, scheme="http", load_cpus=None,
              credential=KEY):
    subject.program.check()
    subject.upstream.check()
    before = served(subject.upstream)
    with Usage(subject.program, subject.upstream) as usage:
        told = loads.wrk(bench, subject.program.port, seconds, connections, scheme, load_cpus,
                         credential)
    seen = served(subject.upstream) - before
    # wrk leaves what is under way when its time is up; so did the run before, whose last requests
    # may arrive in this one.
    require(told["requests"] <= seen <= told["requests"] + 2 * connections,
            f"{told['requests']} replies, but {seen} requests at the upstream")
    told["upstream_requests"] = seen
    return per_unit(told, usage, told["requests"], "request")


def per_unit(told, usage, units, unit):
    """CPU per unit, by proc(5) stat and, to cross-check, by the scheduler's own clock."""
    told[f"cpu_us_per_{unit}"] = usage.stat[0] / units
    told[f"sched_us_per_{unit}"] = usage.sched[0] / units
    told["subject_busy"] = usage.stat[0] / usage.wall
    told["load_side_busy"] = (usage.stat[1] + told["load_cpu_us"]) / usage.wall
    told["strangers_busy"] = usage.strangers(told["load_cpu_us"])
    return told


def warm(bench, subject, seconds=1, scheme="http", credential=KEY):
    loads.wrk(bench, subject.program.port, seconds, scheme=scheme, credential=credential)


def unary(bench, rounds, seconds, patience):
    """CPU per unary request of 0.5 kB, at full speed with 16 connections."""
    with contextlib.ExitStack() as stack:
        upstream = stack.enter_context(running(bench.canned_upstream()))
        subjects = [Subject(name, stack.enter_context(running(start(upstream))), upstream)
                    for name, start in (("haproxy", bench.haproxy), ("relay", bench.relay),
                                        ("penstock", bench.penstock))]
        for subject in subjects:
            warm(bench, subject)
        refused = interleave(subjects, rounds,
                             lambda subject: unary_run(bench, subject, seconds), patience)
    return subjects, refused


@contextlib.contextmanager
def running(program):
    try:
        yield program
    finally:
        program.stop()


STREAMS = 64
CHUNK_PACE_MS = 5
CHUNKS = 200


def chunk_run(bench, subject, seconds):
    subject.program.check()
    subject.upstream.check()
    before, segments = served(subject.upstream), machine.segments_sent()
    options = {"stream": None, "concurrency": STREAMS, "duration": f"{seconds}s"}
    with Usage(subject.program, subject.upstream) as usage:
        told = loads.report(loads.penstock_load(bench, subject.program.port, options),
                            seconds + 20)
    seen = served(subject.upstream) - before
    segments = machine.segments_sent() - segments
    require(seen == told["sent"], f"{told['sent']} streams sent, {seen} at the upstream")
    require(told["ok"] == told["sent"], f"{told['ok']} of {told['sent']} streams were whole")
    # Each chunk is a packet to the subject and one from it; fewer means that they were gathered.
    require(segments >= 1.9 * told["chunks"],
            f"{segments} packets for {told['chunks']} chunks: chunks were gathered")
    told["packets"] = segments
    told["bytes_per_chunk"] = told["bytes"] / told["chunks"]
    return per_unit(told, usage, told["chunks"], "chunk")


def chunks(bench, rounds, seconds, patience):
    """CPU per streamed chunk: 64 streams of 200 tokens, a chunk each 5 ms, one a packet."""
    faults = {"tokens": CHUNKS, "inter_token_ms": CHUNK_PACE_MS}
    with contextlib.ExitStack() as stack:
        upstream = stack.enter_context(running(bench.mock(faults)))
        subjects = [Subject(name, stack.enter_context(running(start(upstream))), upstream)
                    for name, start in (("haproxy", bench.haproxy), ("relay", bench.relay),
                                        ("penstock", bench.penstock))]
        refused = interleave(subjects, rounds,
                             lambda subject: chunk_run(bench, subject, seconds), patience)
    return subjects, refused


def workers(bench, rounds, seconds, patience):
    """CPU per request of one worker and of two; all may use both CPUs."""
    both = {0, 1}
    with contextlib.ExitStack() as stack:
        upstream = stack.enter_context(running(bench.canned_upstream(both)))
        subjects = [Subject(name, stack.enter_context(
            running(bench.penstock(upstream, workers=count, cpus=both))), upstream)
            for name, count in (("one worker", 1), ("two workers", 2))]
        for subject in subjects:
            warm(bench, subject)
        refused = interleave(
            subjects, rounds,
            lambda subject: unary_run(bench, subject, seconds, 32, "http", both), patience)
    return subjects, refused


def tls(bench, rounds, seconds, patience):
    """CPU per unary request with TLS 1.3 towards the client, on connections that stay."""
    certificate = bench.certificate()
    with contextlib.ExitStack() as stack:
        upstream = stack.enter_context(running(bench.canned_upstream()))
        subjects = [
            Subject("haproxy", stack.enter_context(
                running(bench.haproxy(upstream, certificate))), upstream),
            Subject("penstock", stack.enter_context(
                running(bench.penstock(upstream, certificate=certificate))), upstream)]
        for subject in subjects:
            warm(bench, subject, scheme="https")
        refused = interleave(
            subjects, rounds,
            lambda subject: unary_run(bench, subject, seconds, 16, "https"), patience)
    return subjects, refused

