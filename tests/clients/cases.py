"""Runs cases one after the other, each within its time, and prints a line for each."""

import signal
import sys
import time

CASE_S = 20.0


class Overdue(BaseException):
    """A case took too long. Not an Exception, so that no client library swallows it."""


def _overdue(*_):
    raise Overdue


class Report:
    """Counts what passed and failed."""

    def __init__(self, wanted=""):
        self.wanted = wanted  # part of "suite: case"; empty: all
        self.passed = 0
        self.failed = 0
        signal.signal(signal.SIGALRM, _overdue)

    def run(self, suite, name, case):
        """case: called without arguments; it fails by raising."""
        if self.wanted not in f"{suite}: {name}":
            return
        start = time.monotonic()
        problem = None
        signal.setitimer(signal.ITIMER_REAL, CASE_S)
        try:
            case()
        except Overdue:
            problem = f"not done within {CASE_S:g} s"
        except Exception as error:  # pylint: disable=broad-except
            problem = f"{type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.add(suite, name, problem, time.monotonic() - start)

    def add(self, suite, name, problem, seconds):
        if problem is None:
            self.passed += 1
            print(f"ok    {suite}: {name} ({seconds * 1000:.0f} ms)", flush=True)
        else:
            self.failed += 1
            print(f"FAIL  {suite}: {name}: {' '.join(str(problem).split())[:600]}", flush=True)

    def finish(self):
        """Prints the closing line; returns the exit code."""
        if self.passed + self.failed == 0:
            print("no case has that name")
            self.failed = 1
        print(f"{self.passed} passed, {self.failed} failed")
        sys.stdout.flush()
        return 1 if self.failed else 0


class Suite:
    """Cases in the order in which they stand in the file: @suite.case("what must hold")."""

    def __init__(self):
        self.cases = []

    def case(self, name):
        def add(function):
            self.cases.append((name, function))
            return function
        return add

    def run(self, report, name, rig):
        """Every case, each with a mock that has no faults before and after it."""
        for what, case in self.cases:
            report.run(name, what, lambda case=case: _with_sound_mock(case, rig))


def _with_sound_mock(case, rig):
    rig.mock.fault()
    try:
        case(rig)
    finally:
        rig.mock.fault()
