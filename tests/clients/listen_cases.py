"""What `listen` and `limits` say of connections and requests, each bound by its own effect.

The values differ from one another, so that two which are swapped show.
"""

import contextlib
import json
import select
import socket
import time

from cases import Suite
from harness import equal, eventually, expect
from process_cases import Rig

suite = Suite()

CONNECTIONS = 4
MORE = 3  # than those
QUIET_S = 0.3  # how long a connection that must not be served is watched

# Whatever ends by one of them ends before the next one could have ended it.
WRITE_STALL_MS, HEAD_WAIT_MS, BODY_WAIT_MS, KEEP_ALIVE_MS = 150, 800, 1300, 1800
LATE_S = 0.45
EARLY_S = 0.03  # the gateway's clock began before ours

TARGET_BYTES, HEADER_BYTES, BODY_BYTES = 512, 2048, 8192

HEALTH = b"GET /livez HTTP/1.1\r\nhost: h\r\n\r\n"
TIMES = {"head_wait": f"{HEAD_WAIT_MS}ms", "body_wait": f"{BODY_WAIT_MS}ms",
         "keep_alive": f"{KEEP_ALIVE_MS}ms", "write_stall": f"{WRITE_STALL_MS}ms"}
SIZES = {"target_bytes": f"{TARGET_BYTES}B", "header_bytes": f"{HEADER_BYTES}B",
         "body_bytes": f"{BODY_BYTES}B"}


def run(report, fleet, mock):
    suite.run(report, "listen", Rig(fleet, mock, "listen"))


def gateway(rig, listen=None, **sections):
    addresses = {"data": "127.0.0.1:0", "admin": "127.0.0.1:0"}
    return rig.gateway(listen={**addresses, **(listen or {})}, **sections)


class Client(socket.socket):
    """A plain connection to a gateway."""

    def __init__(self, gate, receive_bytes=None):
        super().__init__()
        if receive_bytes:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.settimeout(10)
        host, port = gate.data.rsplit(":", 1)
        self.connect((host, int(port)))

    def reply(self):
        """Status and body of the next reply; it must have a length."""
        with self.makefile("rb") as file:
            start = file.readline()
            expect(start.startswith(b"HTTP/1.1 "), f"no reply but {start!r}")
            length = 0
            while (line := file.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            return int(start.split()[1]), file.read(length)

    def ask(self, request=HEALTH):
        self.sendall(request)
        return self.reply()

    def closed(self):
        """Waits for its end, before which nothing may come."""
        with contextlib.suppress(ConnectionResetError):
            equal(self.recv(1000), b"", "before the close")


def answered(clients, seconds):
    """Those for whom something has come, once it has, or when the time is up."""
    return select.select(clients, [], [], seconds)[0]


def code(body):
    return json.loads(body)["error"]["code"]


def request(size=None, target="/livez", body=None, length=None):
    """A request whose head is filled up to `size`; length: what it says of its body."""
    start = f"{'GET' if body is None else 'POST'} {target} HTTP/1.1\r\nhost: h\r\n"
    if body is not None:
        start += f"content-type: application/json\r\ncontent-length: {length or len(body)}\r\n"
    if size is not None:
        start += "x-fill: " + "x" * (size - len(start) - len("x-fill: \r\n\r\n")) + "\r\n"
    return start.encode() + b"\r\n" + (body or b"")


def chat_body(size=None, **named):
    asked = {"model": "chat", "messages": [{"role": "user", "content": "Hello"}], **named}
    return json.dumps(asked).ljust(size or 0).encode()


@suite.case(f"of {MORE} connections over listen.connections each waits until another one closes")
def _connections(rig):
    with contextlib.ExitStack() as stack:
        gate = stack.enter_context(gateway(rig, {"connections": CONNECTIONS}))
        served = [stack.enter_context(Client(gate)) for _ in range(CONNECTIONS)]
        equal([client.ask()[0] for client in served], [200] * CONNECTIONS, "statuses")
        waiting = [stack.enter_context(Client(gate)) for _ in range(MORE)]  # in the kernel's queue
        for client in waiting:
            client.sendall(HEALTH)
        equal(answered(waiting, QUIET_S), [], "served beyond the bound")
        equal([client.ask()[0] for client in served], [200] * CONNECTIONS, "statuses meanwhile")
        equal(answered(waiting, 0), [], "served beyond the bound")
        for _ in range(MORE):
            served.pop(0).close()
            let_in = answered(waiting, 5)
            equal([client.reply()[0] for client in let_in], [200], "statuses once one had closed")
            served.append(waiting.pop(waiting.index(let_in[0])))
            equal(answered(waiting, QUIET_S), [], "served for the same place")


@contextlib.contextmanager
def takes(milliseconds, what):
    start = time.monotonic()
    yield
    seconds, wanted = time.monotonic() - start, milliseconds / 1000
    expect(wanted - EARLY_S <= seconds <= wanted + LATE_S,
           f"{what} after {seconds:.3f} s instead of {wanted:.3f} s")


@suite.case("an incomplete head is closed after listen.head_wait")
def _head_wait(rig):
    with gateway(rig, TIMES) as gate, Client(gate) as client:
        with takes(HEAD_WAIT_MS, "closed"):
            client.sendall(HEALTH[:-3])
            client.closed()


@suite.case("an incomplete body is a 408 after listen.body_wait")
def _body_wait(rig):
    before = rig.mock.count("requests")
    with gateway(rig, TIMES) as gate, Client(gate) as client:
        body = chat_body()
        with takes(BODY_WAIT_MS, "answered"):
            status, said = client.ask(request(target="/v1/chat/completions", body=body,
                                              length=len(body) + 1))
        equal((status, code(said)), (408, "request_timeout"), "status and code")
    equal(rig.mock.count("requests"), before, "requests at the provider")


@suite.case("an idle connection is closed after listen.keep_alive, counted from the last reply")
def _keep_alive(rig):
    with gateway(rig, TIMES) as gate, Client(gate) as client:
        client.ask()
        expect(not answered([client], KEEP_ALIVE_MS / 2000), "closed too early")
        equal(client.ask()[0], 200, "status")
        with takes(KEEP_ALIVE_MS, "closed"):
            client.closed()


@suite.case("a client that takes nothing of its stream is gone after listen.write_stall")
def _write_stall(rig):
    rig.mock.fault(tokens=1_000_000)
    before = rig.mock.count("cancelled")
    with gateway(rig, TIMES) as gate, Client(gate, receive_bytes=4096) as client:
        client.sendall(request(target="/v1/chat/completions", body=chat_body(stream=True)))
        expect(answered([client], 5), "no stream")
        with takes(WRITE_STALL_MS, "cancelled"):
            eventually(lambda: rig.mock.count("cancelled") > before, "the mock sees the cancel")


@suite.case("a target, a head and a body may each be as long as its limit, and no byte longer")
def _sizes(rig):
    chat = "/v1/chat/completions"
    rows = (
        ("a target at its limit", request(target="/" + "t" * (TARGET_BYTES - 1)), 404, "not_found"),
        ("a target over it", request(target="/" + "t" * TARGET_BYTES), 414, "uri_too_long"),
        ("a head at its limit", request(HEADER_BYTES, chat, chat_body()), 200, None),
        ("a head over it", request(HEADER_BYTES + 1, chat, chat_body()), 431, "header_too_large"),
        ("a body at its limit", request(None, chat, chat_body(BODY_BYTES)), 200, None),
        ("a body over it", request(None, chat, chat_body(BODY_BYTES + 1)), 413, "body_too_large"),
    )
    with gateway(rig, limits=SIZES) as gate:
        for what, asked, status, error in rows:
            with Client(gate) as client:
                got, body = client.ask(asked)
            equal((got, None if got == 200 else code(body)), (status, error), what)
