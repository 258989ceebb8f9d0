#!/usr/bin/env python3
"""Where the CPU time of a request and of a streamed chunk goes: sampled with perf, by room of the
house; and the system calls of each, counted with strace. `./dev profile` calls it; results:
docs/evidence/profile.md, with the symbols in profile-*.txt beside it.
"""

import collections
import contextlib
import os
import re
import shutil
import subprocess
import tempfile

import figures
import loads
import machine
from figures import running
from programs import require
from subjects import Bench, served

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EVIDENCE = os.path.join(ROOT, "docs/evidence")
SECONDS = 12
HERTZ = 1999  # no multiple of a timer's rate
SYMBOLS_MIN = 0.3  # per cent: smaller ones are counted, not listed

# The first that matches a symbol or its object says where it belongs.
PLACES = (
    ("kernel: sockets, epoll, wake-ups", r"\[(kernel|k)\b"),
    ("json, with simdjson's UTF-8 check", r"penstock::json::|simdjson"),
    ("wire: heads, chunked, events", r"penstock::wire::"),
    ("dialect", r"penstock::dialect::"),
    ("gateway: pipeline, attempt, relay", r"penstock::gateway::"),
    ("control and fleet", r"penstock::(control|fleet)::"),
    ("identity and crypto: the key's SHA-256", r"penstock::(identity|crypto)::|libcrypto"),
    ("telemetry: metrics, log line", r"penstock::telemetry::|fmt::"),
    ("runtime: frames, timers", r"penstock::runtime::"),
    ("net and Asio", r"penstock::net::|boost::asio|penstock::app::"),
    ("malloc and free", r"\b(malloc|free|cfree|_int_\w+|operator new|operator delete|tcache\w*|"
                        r"unlink_chunk\w*|__libc_malloc|__libc_free|malloc_consolidate)\b"),
    ("memory: copy, compare, search", r"mem(cpy|move|cmp|chr|set)|str(len|cmp)"),
    ("reading the clock", r"vdso|clock_gettime"),
    ("system call stubs of libc", r"libc\.so"),
)


def place_of(symbol):
    for name, pattern in PLACES:
        if re.search(pattern, symbol):
            return name
    return "other"


def sampled(program, folder, load):
    """perf's shares of the worker thread's samples while `load` runs: [(per cent, symbol)]."""
    data = os.path.join(folder, "perf.data")
    recorder = subprocess.Popen(
        ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(HERTZ), "-p", str(program.pid), "-o",
         data], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    load()
    recorder.terminate()
    recorder.communicate(timeout=30)
    told = subprocess.run(
        ["perf", "report", "--stdio", "-i", data, "--sort", "symbol,dso", "--no-children", "-q",
         "--percent-limit", "0"], capture_output=True, text=True, timeout=120, check=True).stdout
    rows = []
    for line in told.splitlines():
        found = re.match(r"\s*([\d.]+)%\s+(.*\S)\s*$", line)
        if found:
            rows.append((float(found[1]), re.sub(r"\s+", " ", found[2])))
    require(sum(share for share, _ in rows) > 95, "perf told less than 95 % of its samples")
    return rows


def calls(program, folder, load):
    """System calls while `load` runs: {name: count}."""
    path = os.path.join(folder, "calls")
    tracer = subprocess.Popen(["strace", "-c", "-f", "-p", str(program.pid), "-o", path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    units = load()
    tracer.terminate()
    tracer.wait(timeout=30)
    counted = {}
    for line in machine.read(path).splitlines():
        fields = line.split()
        if len(fields) >= 5 and fields[3].isdigit() and fields[-1] != "total":
            counted[fields[-1]] = int(fields[3]) / units
    require(counted, "strace counted nothing")
    return counted


def measure(bench, kind, upstream, load):
    """Shares and system calls under one load; `load(port)` runs it and returns how many units."""
    with running(bench.penstock(upstream)) as program, running(bench.haproxy(upstream)) as other:
        load(program.port)  # warm
        before = served(upstream)
        rows = sampled(program, bench.folder, lambda: load(program.port))
        require(served(upstream) > before, "the load did not reach the upstream")
        traced = {name: calls(one, bench.folder, lambda one=one: load(one.port))
                  for name, one in (("Penstock", program), ("HAProxy", other))}
    with open(os.path.join(EVIDENCE, f"profile-{kind}.txt"), "w", encoding="utf-8") as file:
        file.write(f"# Share of CPU time by symbol, {kind}, from {SYMBOLS_MIN} %; ./dev profile\n")
        file.writelines(f"{share:6.2f} %  {symbol[:150]}\n" for share, symbol in rows
                        if share >= SYMBOLS_MIN)
    shares = collections.Counter()
    for share, symbol in rows:
        shares[place_of(symbol)] += share
    return shares, traced


def unary_load(bench):
    return lambda port: loads.wrk(bench, port, SECONDS)["requests"]


def chunk_load(bench):
    options = {"stream": None, "concurrency": figures.STREAMS, "duration": f"{SECONDS}s"}
    return lambda port: loads.report(loads.penstock_load(bench, port, options),
                                     SECONDS + 20)["chunks"]


def table(unary, chunk):
    names = [name for name, _ in PLACES] + ["other"]
    names.sort(key=lambda name: -unary[0][name])
    lines = ["| share of CPU | unary request | streamed chunk |", "|---|---|---|"]
    lines += [f"| {name} | {unary[0][name]:.1f} % | {chunk[0][name]:.1f} % |" for name in names]
    lines += ["", "| system calls of one | Penstock, request | HAProxy, request | Penstock, chunk |"
              " HAProxy, chunk |", "|---|---|---|---|---|"]
    columns = [traced[who] for traced in (unary[1], chunk[1]) for who in ("Penstock", "HAProxy")]
    seen = sorted({name for column in columns for name in column},
                  key=lambda name: -max(column.get(name, 0) for column in columns))
    for name in seen:
        counts = [column.get(name, 0) for column in columns]
        if max(counts) >= 0.01:
            lines.append("| " + " | ".join([name] + [f"{count:.2f}" for count in counts]) + " |")
    return lines


def main():
    folder = tempfile.mkdtemp(prefix="penstock-profile-")
    try:
        bench = Bench(ROOT, os.path.join(ROOT, "build/release"), folder)
        with contextlib.ExitStack() as stack:
            canned = stack.enter_context(running(bench.canned_upstream()))
            unary = measure(bench, "unary", canned, unary_load(bench))
            faults = {"tokens": figures.CHUNKS, "inter_token_ms": figures.CHUNK_PACE_MS}
            mock = stack.enter_context(running(bench.mock(faults)))
            chunk = measure(bench, "chunk", mock, chunk_load(bench))
        facts = machine.facts(bench.penstock_path)
        lines = ["# Where the CPU time goes", "",
                 f"`./dev profile` on {facts['cpus']} CPUs ({facts['cpu']}), {facts['penstock']}.",
                 "Symbols: `profile-unary.txt`, `profile-chunk.txt`. An inlined function counts",
                 "where it was inlined. Loads as in the bench; docs/performance.md reads it.", ""]
        lines += table(unary, chunk)
        with open(os.path.join(EVIDENCE, "profile.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print("\n".join(lines))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
