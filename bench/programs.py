"""Programs of a bench run: started on CPUs of their own, known by their files, ended by id."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

import machine

START_WAIT = 10  # seconds until a program must listen
STOP_WAIT = 8    # seconds until it must have ended


class Invalid(Exception):
    """A measurement that must not be believed; the message says why."""


def require(fact, why):
    if not fact:
        raise Invalid(why)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program:
    """A running server. `port`: where it serves; `pid`: of the process that does the work."""

    def __init__(self, name, command, cpus, port=None):
        self.name = name
        self.command = [str(part) for part in command]
        self.cpus = cpus
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=self.errors,
            preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        self.pid = self.process.pid
        try:
            self.port = port or self._port_said()
            self._wait_listening()
            self.check()
        except BaseException:
            self.stop()
            raise

    def said(self):
        """What it wrote on stderr."""
        return os.pread(self.errors.fileno(), 65536, 0).decode(errors="replace")

    def _port_said(self):
        """Ours print {"msg":"listening",…} on stderr."""
        end = time.monotonic() + START_WAIT
        while time.monotonic() < end and self.process.poll() is None:
            for line in self.said().splitlines():
                with contextlib.suppress(ValueError, AttributeError):
                    told = json.loads(line)
                    if told.get("msg") == "listening":
                        return int((told.get("data") or told.get("mock")).rpartition(":")[2])
            time.sleep(0.02)
        raise Invalid(f"{self.name} did not start: {self.said()[-400:]}")

    def _wait_listening(self):
        end = time.monotonic() + START_WAIT
        while time.monotonic() < end:
            require(self.process.poll() is None, f"{self.name} ended at once: {self.said()[-400:]}")
            if machine.listens(self.pid, self.port):
                return
            time.sleep(0.02)
        raise Invalid(f"{self.name} does not listen at port {self.port}")

    def check(self):
        """That the process is the program it should be, alive, and owns its port."""
        require(self.process.poll() is None, f"{self.name} has ended")
        expected = os.path.realpath(self.command[0])
        actual = os.path.realpath(f"/proc/{self.pid}/exe")
        require(actual == expected, f"{self.name} runs {actual}, not {expected}")
        require(machine.listens(self.pid, self.port), f"{self.name} lost port {self.port}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_WAIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.errors.close()


class Usage:
    """CPU time of servers between `with` and its end; of the whole machine, too."""

    def __init__(self, *programs):
        self.programs = programs

    def __enter__(self):
        self.begun = time.monotonic()
        self.busy = machine.busy_us()
        self.stat = [machine.cpu_us(program.pid) for program in self.programs]
        self.sched = [machine.on_cpu_us(program.pid) for program in self.programs]
        return self

    def __exit__(self, *_):
        self.stat = [machine.cpu_us(program.pid) - before
                     for program, before in zip(self.programs, self.stat)]
        self.sched = [machine.on_cpu_us(program.pid) - before
                      for program, before in zip(self.programs, self.sched)]
        self.busy = machine.busy_us() - self.busy
        self.wall = (time.monotonic() - self.begun) * 1e6

    def strangers(self, load_us):
        """CPU time of everything that is not of this run, as a share of one CPU."""
        return max(0.0, (self.busy - sum(self.stat) - load_us) / self.wall)
