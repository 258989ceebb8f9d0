"""Resident memory: idle, with open streams, under a crowd of bodies, over a minute of streaming."""

import contextlib
import statistics
import time

import loads
import machine
from figures import running
from programs import Usage, require
from subjects import mock_stats, set_faults


def sample_until(done, pid, every, at_most):
    """RSS of a process, sampled until `done()` or the time is over: [(seconds, bytes)]."""
    begun, samples = time.monotonic(), []
    while not done() and time.monotonic() - begun < at_most:
        samples.append((round(time.monotonic() - begun, 2), machine.rss_bytes(pid)))
        time.sleep(every)
    return samples


def wait_in_flight(mock, count, at_most):
    end = time.monotonic() + at_most
    while time.monotonic() < end:
        if mock_stats(mock)["in_flight"] == count:
            return
        time.sleep(0.2)
    require(False, f"{mock_stats(mock)['in_flight']} of {count} streams are open at the upstream")


def idle(bench):
    """RSS of a process that has served nothing for a second, and after one stream of requests."""
    with running(bench.mock()) as mock, running(bench.penstock(mock)) as penstock:
        time.sleep(1)
        fresh = machine.rss_bytes(penstock.pid)
        load = loads.penstock_load(bench, penstock.port, {"concurrency": 16, "requests": 2000})
        told = loads.report(load, 30)
        time.sleep(0.5)
        return {"rss_bytes": fresh, "rss_after_bytes": machine.rss_bytes(penstock.pid),
                "requests": told["ok"]}


def open_streams(bench, count, kind):
    """RSS per stream that is open and idle: `count` streams stalled after two chunks."""
    scheme = "https" if kind.endswith("TLS") else "http"
    with contextlib.ExitStack() as stack:
        mock = stack.enter_context(running(bench.mock({"tokens": 8})))
        certificate = bench.certificate() if scheme == "https" else None
        start = bench.haproxy if kind.startswith("haproxy") else bench.penstock
        program = stack.enter_context(running(start(mock, certificate=certificate)))
        some = {"stream": None, "concurrency": 16, "requests": 64}
        loads.report(loads.penstock_load(bench, program.port, some, scheme), 30)
        before = machine.rss_bytes(program.pid)
        set_faults(mock, {"tokens": 1000, "stall_after_chunks": 2})
        # Each stream is left after 8 s, so that one must have been opened well before.
        load = loads.penstock_load(bench, program.port, {
            "stream": None, "concurrency": count, "requests": count, "abort-after": "8s",
            "duration": "9s"}, scheme)
        stack.callback(load.kill)
        wait_in_flight(mock, count, 7)
        program.check()
        time.sleep(0.5)
        during = machine.rss_bytes(program.pid)
        require(mock_stats(mock)["in_flight"] == count, "streams ended before they were weighed")
        told = loads.report(load, 30)
        require(told["aborted"] == count, f"{told['aborted']} of {count} streams were held")
    return {"streams": count, "rss_before_bytes": before, "rss_during_bytes": during,
            "bytes_per_stream": (during - before) / count}


def hold(bench, count, seconds):
    """`count` streams at 10 chunks a second for `seconds`: no error, no growth."""
    faults = {"tokens": seconds * 10, "inter_token_ms": 100, "first_token_ms": 100}
    with contextlib.ExitStack() as stack:
        mock = stack.enter_context(running(bench.mock(faults)))
        program = stack.enter_context(running(bench.penstock(mock)))
        with Usage(program, mock) as usage:
            load = loads.penstock_load(bench, program.port, {
                "stream": None, "concurrency": count, "requests": count,
                "duration": f"{seconds + 30}s", "timeout": f"{seconds + 60}s"})
            stack.callback(load.kill)
            wait_in_flight(mock, count, 12)
            samples = sample_until(lambda: mock_stats(mock)["in_flight"] < count, program.pid,
                                   max(0.25, seconds / 60), seconds + 30)
            told = loads.report(load, seconds + 60)
        program.check()
        seen = mock_stats(mock)["requests"]
    require(told["ok"] == count == seen, f"{told['ok']} whole, {seen} at the upstream")
    require(told["chunks"] >= count * seconds * 10, f"only {told['chunks']} chunks arrived")
    held = samples[-1][0]
    require(held >= seconds * 0.8, f"all streams were open together for {held} s only")
    rss = [size for _, size in samples]
    quarter = max(1, len(rss) // 4)
    growth = statistics.mean(rss[-quarter:]) - statistics.mean(rss[quarter:2 * quarter])
    return {"streams": count, "seconds": held, "errors": told["failed"], "chunks": told["chunks"],
            "rss_growth_bytes": growth, "rss_max_bytes": max(rss), "rss_samples": samples,
            "load_busy": told["load_cpu_us"] / told["wall_us"],
            "subject_busy": usage.stat[0] / usage.wall,
            "cpu_us_per_chunk": usage.stat[0] / told["chunks"]}


def bodies(bench, count, size, patience):
    """`count` requests with bodies of `size` bytes under way at once, then silence."""
    with contextlib.ExitStack() as stack:
        mock = stack.enter_context(running(bench.mock({"latency_ms": 6000})))
        program = stack.enter_context(running(bench.penstock(mock)))
        load = loads.penstock_load(bench, program.port, {
            "concurrency": count, "requests": count, "prompt-bytes": size, "duration": "40s"})
        stack.callback(load.kill)
        samples, most = [], 0
        begun = time.monotonic()
        while load.process.poll() is None and time.monotonic() - begun < 60:
            samples.append((round(time.monotonic() - begun, 2), machine.rss_bytes(program.pid)))
            most = max(most, mock_stats(mock)["in_flight"])
            time.sleep(0.1)
        told = loads.report(load, 10)
        require(told["ok"] == count, f"{told['ok']} of {count} requests were answered")
        require(most == count, f"at most {most} of {count} were under way together")
        program.check()
        ended = time.monotonic()
        while machine.rss_bytes(program.pid) > 80 << 20 and time.monotonic() - ended < patience:
            time.sleep(0.1)
        return {"connections": count, "body_bytes": size, "together": most,
                "rss_peak_bytes": max(size for _, size in samples),
                "rss_after_bytes": machine.rss_bytes(program.pid),
                "seconds_to_fall": time.monotonic() - ended}
