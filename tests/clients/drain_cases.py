"""How the gateway leaves: who is still served, who is told to go, what is cut and said of it."""

import contextlib
import json
import os
import signal
import socket
import threading
import time

from cases import Suite
from harness import equal, eventually, expect, fetch
from process_cases import Rig, begin

suite = Suite()

ROUNDS = int(os.environ.get("PENSTOCK_DRAIN_ROUNDS", "5"))  # of the race
STREAMS = 300
MODELS = b"GET /v1/models HTTP/1.1\r\nhost: h\r\n\r\n"


def run(report, fleet, mock):
    rig = Rig(fleet, mock, "drain")
    suite.run(report, "drain", rig)


def gateway(rig, settle, timeout):
    return rig.gateway(drain={"settle": settle, "timeout": timeout})


def admin(gate, path):
    return fetch(gate.admin + path)


def records(gate, message):
    lines = [line for line in gate.text().splitlines() if line.startswith("{")]
    return [record for record in map(json.loads, lines) if record.get("msg") == message]


def term(gate):
    gate.child.send_signal(signal.SIGTERM)
    return time.monotonic()


def read_chunked(file):
    """Some of a chunked body per call to next; ends at its proper end, or raises."""
    while size := int(file.readline(), 16):
        yield file.read(size)
        file.readline()


class Streams:
    """Many streams read side by side on one thread each way: their sockets only."""

    def __init__(self, gate, count):
        host, port = gate.data.rsplit(":", 1)
        body = json.dumps({"model": "chat", "stream": True,
                           "messages": [{"role": "user", "content": "Tell a story"}]})
        request = (f"POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\n"
                   f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}")
        self.sockets = [socket.create_connection((host, int(port)), 10) for _ in range(count)]
        for one in self.sockets:
            one.sendall(request.encode())
        self.files = [one.makefile("rb") for one in self.sockets]
        for file in self.files:
            equal(file.readline().split()[1], b"200", "status")
            while file.readline() != b"\r\n":
                pass

    def read_all(self):
        return [b"".join(read_chunked(file)) for file in self.files]

    def close(self):
        for one in [*self.files, *self.sockets]:
            one.close()


@suite.case(f"{STREAMS} streams are finished, none is cut, exit code 0")
def _streams(rig):
    rig.mock.fault(inter_token_ms=60, tokens=25)
    gate = gateway(rig, "200ms", "15s")
    with contextlib.closing(Streams(gate, STREAMS)) as streams:
        start = term(gate)
        ended = [text.rstrip().endswith(b"data: [DONE]") for text in streams.read_all()]
        expect(time.monotonic() - start > 0.5, "the streams were over before it mattered")
    equal(ended.count(True), STREAMS, "streams with their terminal")
    equal(gate.child.wait(2), 0, "exit code")
    equal(records(gate, "request cut by draining"), [], "requests cut")


@suite.case("while settling all is served with Connection: close, then the port is closed")
def _settles(rig):
    rig.mock.fault(inter_token_ms=100, tokens=20)
    gate = gateway(rig, "600ms", "10s")
    running = begin(gate, stream=True)
    stream = running.getresponse()
    start = term(gate)
    eventually(lambda: admin(gate, "/readyz")[0] == 503, "/readyz is 503", 0.3)
    equal(admin(gate, "/livez")[0], 200, "/livez")
    expect(b"penstock_draining 1\n" in admin(gate, "/metrics")[1], "penstock_draining is not 1")
    rig.mock.fault()
    reply = begin(gate, stream=False).getresponse()
    equal((reply.status, reply.getheader("connection")), (200, "close"), "a new request")
    expect(time.monotonic() - start < 0.6, "too slow to see it settle")
    host, port = gate.data.rsplit(":", 1)
    eventually(lambda: socket.socket().connect_ex((host, int(port))), "the port is closed", 3)
    expect(time.monotonic() - start > 0.6, "the port was closed too early")
    equal(admin(gate, "/livez")[0], 200, "/livez")
    expect(gate.running, "it left while a stream runs")
    expect(b"[DONE]" in stream.read(), "the stream was cut")
    equal(gate.child.wait(2), 0, "exit code")


@suite.case("it settles though nothing runs, and leaves at once after it")
def _idle(rig):
    gate = gateway(rig, "400ms", "60s")
    start = term(gate)
    equal(gate.child.wait(3), 0, "exit code")
    expect(0.4 <= time.monotonic() - start < 1.5, "not as long as settle")


@suite.case("what runs at the end of timeout gets its error, is named, and the exit code is 1")
def _forced(rig):
    rig.mock.fault(inter_token_ms=100, tokens=200)
    gate = gateway(rig, "100ms", "400ms")
    reply = begin(gate, stream=True).getresponse()
    rig.mock.fault(hang=True)
    waiting = begin(gate, stream=False)
    eventually(lambda: rig.mock.count("in_flight") == 2, "both calls are at the provider")
    start = term(gate)
    seen = reply.read()
    expect(0.45 <= time.monotonic() - start < 1.4, "not at the end of timeout")
    last = json.loads(seen.rstrip().rsplit(b"data: ", 1)[1])
    equal(last["error"]["code"], "stream_interrupted", "code of the last event")
    refused = waiting.getresponse()
    equal((refused.status, refused.getheader("connection")), (503, "close"), "the waiting call")
    equal(json.loads(refused.read())["error"]["code"], "draining", "code")
    equal(gate.child.wait(1), 1, "exit code")
    cut = records(gate, "request cut by draining")
    equal({record["request_id"] for record in cut},
          {reply.getheader("x-request-id"), refused.getheader("x-request-id")}, "requests named")
    for record in cut:
        equal((record["level"], record["model"], record["provider"], record["attempts"]),
              ("warn", "chat", "mock", 1), "record")
        expect(record["duration_us"] > 400_000, f"duration {record['duration_us']}")


@suite.case("a second signal while draining ends it at once, not with 0")
def _second(rig):
    rig.mock.fault(inter_token_ms=100, tokens=200)
    gate = gateway(rig, "5s", "60s")
    with contextlib.closing(begin(gate, stream=True)) as running:
        running.getresponse().readline()
        term(gate)
        eventually(lambda: admin(gate, "/readyz")[0] == 503, "/readyz is 503")
        start = term(gate)
        expect(gate.child.wait(2) > 0, "exit code 0")
        expect(time.monotonic() - start < 0.5, "not at once")


@suite.case("POST /admin/v1/drain drains too, and the TERM that follows is a first one")
def _admin(rig):
    rig.mock.fault(inter_token_ms=60, tokens=10)
    gate = gateway(rig, "300ms", "10s")
    with contextlib.closing(Streams(gate, 1)) as streams:
        url = gate.admin + "/admin/v1/drain"
        equal(fetch(url)[0], 405, "status of a GET")
        equal(fetch(url, {}, origin="https://elsewhere.example")[0], 401, "status for a web page")
        equal(admin(gate, "/readyz")[0], 200, "/readyz after them")
        for _ in range(2):
            equal(fetch(url, {}), (200, b'{"draining":true}'), "answer")
        equal(admin(gate, "/readyz")[0], 503, "/readyz")
        term(gate)
        expect(b"[DONE]" in streams.read_all()[0], "the stream was cut")
    equal(gate.child.wait(2), 0, "exit code")


class Caller(threading.Thread):
    """Sends request after request, each on a connection of its own, until it is not let in."""

    def __init__(self, gate):
        super().__init__()
        host, port = gate.data.rsplit(":", 1)
        self.place = (host, int(port))
        self.answered, self.lost = 0, []

    def run(self):
        while True:
            try:
                connection = socket.create_connection(self.place, 0.3)
            except OSError:
                return  # refused, or passed over: nothing of ours was taken on
            with connection:
                connection.settimeout(5)
                self._ask(connection)

    def _ask(self, connection):
        seen = b""
        try:
            connection.sendall(MODELS)
            while b"\r\n\r\n" not in seen:
                some = connection.recv(4096)
                if not some:
                    break
                seen += some
        except OSError as error:
            seen += repr(error).encode()
        if seen.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 503 ")):
            self.answered += 1
        else:
            self.lost.append(seen)


@suite.case(f"whoever gets a connection at the end of settling gets an answer ({ROUNDS} rounds)")
def _race(rig):
    signal.setitimer(signal.ITIMER_REAL, 20 + 3 * ROUNDS)
    for _ in range(ROUNDS):
        gate = gateway(rig, "60ms", "5s")
        callers = [Caller(gate) for _ in range(6)]
        for caller in callers:
            caller.start()
        term(gate)
        for caller in callers:
            caller.join()
        equal([lost for caller in callers for lost in caller.lost], [], "requests lost")
        expect(sum(caller.answered for caller in callers) > 6, "nobody asked anything")
        equal(gate.child.wait(2), 0, "exit code")
