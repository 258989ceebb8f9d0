"""`penstock lab`, end to end: one short experiment, and what it leaves behind."""

import gzip
import json
import os
import subprocess

from cases import Suite
from harness import equal, expect

suite = Suite()

EXPERIMENT = "canary-killed"
LAB_S = 60


def run(report, fleet):
    for name, case in suite.cases:
        report.run("lab", name, lambda case=case: case(fleet))


def lab(fleet, *arguments):
    return subprocess.run([fleet.binary, "lab", *arguments], cwd=fleet.folder, timeout=LAB_S,
                          capture_output=True, check=False, stdin=subprocess.DEVNULL, text=True)


@suite.case("an experiment passes, and each number has its file")
def _passes(fleet):
    out = fleet.path("lab")
    result = lab(fleet, EXPERIMENT, "--short", "--out", out, "--seed", "7")
    equal(result.returncode, 0, f"exit code ({result.stdout[-500:]} {result.stderr[-300:]})")
    equal(result.stdout.strip().splitlines()[-1], "1 passed, 0 failed", "the last line")
    with open(os.path.join(out, EXPERIMENT, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    equal(summary["verdict"], "passed", "verdict")
    expect(all(check["holds"] for check in summary["checks"]), "a check does not hold")
    expect(any("killed" in check["check"] for check in summary["checks"]), "no check of the kill")
    for claim in summary["claims"]:
        path = os.path.join(out, EXPERIMENT, claim["source"])
        expect(os.path.exists(path), f"{claim['claim']}: no {claim['source']}")
    with gzip.open(os.path.join(out, EXPERIMENT, "killed-load.csv.gz"), "rt") as file:
        expect(len(file.readlines()) > 500, "few records")
    with open(os.path.join(out, "index.md"), encoding="utf-8") as file:
        expect(f"`penstock lab {EXPERIMENT} --short --seed 7`" in file.read(), "no command")


@suite.case("a process left from an earlier run makes it invalid, kept and explained")
def _invalid(fleet):
    out = fleet.path("lab-invalid")
    with subprocess.Popen(["sleep", "60"], env={**os.environ, "PENSTOCK_LAB": "child"}) as left:
        try:
            result = lab(fleet, EXPERIMENT, "--short", "--out", out)
        finally:
            left.kill()
    equal(result.returncode, 2, f"exit code ({result.stdout[-500:]})")
    expect("invalid" in result.stdout and f"process {left.pid}" in result.stdout, result.stdout)
    equal(os.listdir(os.path.join(out, "invalid"))[0].split("-2")[0], EXPERIMENT, "the kept run")
    expect(not os.path.exists(os.path.join(out, EXPERIMENT)), "an invalid run stands as evidence")


@suite.case("an unknown experiment is refused with the nearest name")
def _unknown(fleet):
    result = lab(fleet, "canary-kiled")
    equal(result.returncode, 1, "exit code")
    expect(EXPERIMENT in result.stderr, result.stderr)
