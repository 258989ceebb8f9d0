"""What the kernel knows: CPU time, memory and sockets of processes, and what machine this is."""

import glob
import os
import platform
import struct
import subprocess
import time

TICK_US = 1_000_000 / os.sysconf("SC_CLK_TCK")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def cpu_us(pid):
    """User and system time of all threads of a process, in microseconds (proc(5), stat)."""
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_US


def on_cpu_us(pid):
    """The same as the scheduler counts it, in ns per thread; threads that ended are not in it."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        total += int(read(f"/proc/{pid}/task/{thread}/schedstat").split()[0])
    return total / 1000


def rss_bytes(pid):
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def busy_us():
    """Time that all CPUs together did not idle, steal left out."""
    fields = [int(field) for field in read("/proc/stat").splitlines()[0].split()[1:8]]
    return (sum(fields) - fields[3] - fields[4]) * TICK_US


def segments_sent():
    """TCP segments with data or not, of the whole machine (proc(5), net/snmp)."""
    names, values = [line.split() for line in read("/proc/net/snmp").splitlines()
                     if line.startswith("Tcp:")]
    return int(values[names.index("OutSegs")])


def listens(pid, port):
    """Whether the process itself owns a listening IPv4 socket at that port."""
    inodes = set()
    for line in read("/proc/net/tcp").splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and int(fields[1].split(":")[1], 16) == port:
            inodes.add(f"socket:[{fields[9]}]")
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        try:
            if os.readlink(f"/proc/{pid}/fd/{descriptor}") in inodes:
                return True
        except FileNotFoundError:
            continue
    return False


def wait_until_quiet(at_most):
    """Waits until both CPUs idle but for 15 %; returns the share that was busy at the last look."""
    end = time.monotonic() + at_most
    while True:
        before, begun = busy_us(), time.monotonic()
        time.sleep(0.4)
        share = (busy_us() - before) / ((time.monotonic() - begun) * 1e6 * os.cpu_count())
        if share < 0.15 or time.monotonic() > end:
            return round(share, 3)


def slept_us():
    """Time that all CPUs together spent in idle states that take a while to leave: all but the
    first, in which the kernel polls (cpuidle in sysfs)."""
    return sum(int(read(path)) for path in
               glob.glob("/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[1-9]*/time"))


class KeptAwake:
    """Idle CPUs poll instead of sleeping, for as long as `with` lasts, where one may ask for that
    (as root; PM QoS, /dev/cpu_dma_latency). Waking one, on a virtual machine, takes longer than
    everything else in a request, and as long as its host pleases."""

    def __enter__(self):
        self.begun, self.before = time.monotonic(), slept_us()
        try:
            self.request = os.open("/dev/cpu_dma_latency", os.O_WRONLY)
            os.write(self.request, struct.pack("i", 0))
        except OSError:
            self.request = None
        # Where nothing counts sleep nobody could tell that they stayed awake.
        self.held = self.request is not None and bool(self.before)
        return self

    def __exit__(self, *_):
        if self.request is not None:
            os.close(self.request)
        whole = (time.monotonic() - self.begun) * 1e6 * os.cpu_count()
        self.slept_share = (slept_us() - self.before) / whole


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else ""


def facts(penstock):
    model = [line.partition(":")[2].strip() for line in read("/proc/cpuinfo").splitlines()
             if line.startswith("model name")]
    memory = read("/proc/meminfo").splitlines()[0].split()
    return {
        "kernel": platform.release(),
        "cpu": model[0] if model else platform.machine(),
        "cpus": os.cpu_count(),
        "memory_mib": int(memory[1]) // 1024,
        "penstock": first_line(penstock, "version"),
        "haproxy": first_line("haproxy", "-v"),
        "wrk": first_line("wrk", "-v"),
        "compiler": first_line("clang++-19", "--version"),
    }
