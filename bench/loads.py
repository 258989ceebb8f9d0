"""The load generators: wrk for unary requests at full speed, `penstock load` for the rest."""

import json
import os
import re
import subprocess
import time

from programs import require
from subjects import KEY, MODEL, OTHER_CPUS

# 0.5 kB of an everyday chat request.
CHAT_BODY = json.dumps({
    "model": MODEL,
    "messages": [
        {"role": "system", "content": "You are a helpful assistant that answers briefly."},
        {"role": "user", "content": "word " * 64}],
    "temperature": 0.7, "max_tokens": 128}, separators=(",", ":"))


def wrk_script(credential):
    return f"""wrk.method = "POST"
wrk.body = [==[{CHAT_BODY}]==]
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer {credential}"
"""


class Load:
    """A load generator that runs; CPU time is known once it has ended."""

    def __init__(self, command, cpus=None, environment=None):
        self.command = [str(part) for part in command]
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})},
            preexec_fn=lambda: os.sched_setaffinity(0, cpus or OTHER_CPUS))
        self.cpu_us = 0.0
        self.wall_us = 0.0

    def finish(self, at_most):
        before = os.times()
        try:
            out, err = self.process.communicate(timeout=at_most)
        except subprocess.TimeoutExpired:
            self.kill()
            require(False, f"{self.command[0]} did not end within {at_most} s")
        after = os.times()
        self.cpu_us = (after.children_user + after.children_system - before.children_user -
                       before.children_system) * 1e6
        self.wall_us = (time.monotonic() - self.begun) * 1e6
        require(self.process.returncode == 0,
                f"{self.command[0]} exited with {self.process.returncode}: {err[-300:]}")
        return out

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def wrk(bench, port, seconds, connections=16, scheme="http", cpus=None, credential=KEY):
    """Runs wrk to its end. Returns what it counted; any error makes the run invalid."""
    script = bench.path("post.lua")
    with open(script, "w", encoding="utf-8") as file:
        file.write(wrk_script(credential))
    load = Load(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script,
                 f"{scheme}://127.0.0.1:{port}/v1/chat/completions"], cpus)
    out = load.finish(seconds + 20)
    require("Non-2xx" not in out, "replies that are not 2xx: " + out[-200:])
    require("Socket errors" not in out, "socket errors: " + out[-200:])
    counted = re.search(r"(\d+) requests in ", out)
    require(counted is not None and int(counted[1]) > 0, "wrk completed nothing")
    return {"requests": int(counted[1]), "load_cpu_us": load.cpu_us, "wall_us": load.wall_us,
            "connections": connections}


def penstock_load(bench, port, options, scheme="http", cpus=None):
    """Starts `penstock load`; `options` are its flags by name, None for a flag alone."""
    command = [bench.penstock_path, "load", "--url", f"{scheme}://127.0.0.1:{port}", "--json",
               "--key", KEY, "--model", MODEL]
    for name, value in options.items():
        command += [f"--{name}"] if value is None else [f"--{name}", value]
    trust = {"SSL_CERT_FILE": bench.certificate()} if scheme == "https" else None
    return Load(command, cpus, trust)


def report(load, at_most):
    """Waits for `penstock load`; its own counts, and no request that failed."""
    told = json.loads(load.finish(at_most))
    require(told["failed"] == 0, f"{told['failed']} requests failed: {told['errors']} "
                                 f"{told['statuses']} {told['codes']}")
    require(told["ok"] + told["aborted"] > 0, "no request was completed")
    told["load_cpu_us"] = load.cpu_us
    told["wall_us"] = load.wall_us
    return told
