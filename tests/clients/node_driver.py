"""Runs node_cases.mjs and takes its lines into the report."""

import json
import os
import subprocess
import threading

from harness import KEY

SUITE_S = 150.0


def run(report, folder, mock, gateway, keys_gateway):
    """folder: where node_cases.mjs has its node_modules beside it."""
    environment = {**os.environ, "CLIENTS": json.dumps({
        "mock": mock.url, "gateway": gateway.url, "keys_gateway": keys_gateway.url, "key": KEY,
        "only": report.wanted})}
    with subprocess.Popen(["node", os.path.join(folder, "node_cases.mjs")], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as child:
        watchdog = threading.Timer(SUITE_S, child.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            done = _read(report, child.stdout)
            child.wait()
        finally:
            watchdog.cancel()
            child.kill()  # nothing, unless reading was broken off
    if not done or child.returncode != 0:
        report.add("node", "the suite runs to its end", f"exit code {child.returncode}", 0)


def _read(report, lines):
    """Takes the results; returns whether the suite said that it is done."""
    done = False
    for line in lines:
        if not line.startswith("{"):
            print(f"      node: {line}", end="")
            continue
        said = json.loads(line)
        done = done or said.get("done", False)
        if "name" in said:
            report.add("node", said["name"], said.get("problem"), said["seconds"])
    return done
