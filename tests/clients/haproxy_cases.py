"""HAProxy as the balancer in front of two gateways."""

import contextlib
import csv
import http.client
import json
import socket
import time

from cases import Suite
from harness import equal, eventually, expect

suite = Suite()

ASK = {"model": "chat", "messages": [{"role": "user", "content": "Where does the water go?"}]}

CONFIG = """
global
  stats socket {stats} mode 600 level operator
  maxconn 500

defaults
  mode http
  option http-keep-alive
  option redispatch
  retries 2
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 600s
  timeout http-keep-alive 60s

frontend front
  bind fd@{fd}
  default_backend gateways

backend gateways
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 100ms fastinter 50ms fall 2 rise 1
  http-response set-header x-gateway %s
  server one {one}
  server two {two}
"""


class Balancer:
    """HAProxy, the two gateways behind it, and a client's view of it."""

    def __init__(self, fleet, mock):
        self.mock = mock
        self.gateways = {name: fleet.gateway("behind-" + name, mock) for name in ("one", "two")}
        self.stats_path = fleet.path("haproxy.sock")
        listener = socket.socket()
        with listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(128)
            self.address = listener.getsockname()
            config = CONFIG.replace("{stats}", self.stats_path)
            for name, gateway in self.gateways.items():
                config = config.replace("{" + name + "}", gateway.data)
            self.process = fleet.haproxy(config, listener)
        eventually(lambda: self.states() == {"one": "UP", "two": "UP"}, "HAProxy sees both", 10)

    def states(self):
        """What HAProxy makes of each gateway, once it has looked."""
        text = ""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as stats:
            stats.settimeout(2)
            stats.connect(self.stats_path)
            stats.sendall(b"show stat\n")
            while data := stats.recv(65536):
                text += data.decode()
        rows = csv.DictReader(text.lstrip("# ").splitlines())
        return {row["svname"]: row["status"] for row in rows
                if row["pxname"] == "gateways" and row["svname"] in self.gateways
                and not row["check_status"].startswith(("INI", "*"))}

    def connection(self):
        return http.client.HTTPConnection(*self.address, timeout=10)


def post(connection, **named):
    body = json.dumps({**ASK, **named})
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    return connection.getresponse()


def unary(connection):
    """Returns the text and the gateway that it came through."""
    reply = post(connection)
    body = reply.read()
    equal(reply.status, 200, f"status ({body[:200]!r})")
    return json.loads(body)["choices"][0]["message"]["content"], reply.headers["x-gateway"]


def streamed(connection):
    """Returns the text, whether [DONE] came, and the gateway."""
    reply = post(connection, stream=True)
    equal(reply.status, 200, "status")
    data = [line[6:].strip() for line in reply if line.startswith(b"data: ")]
    parts = [json.loads(event) for event in data if event != b"[DONE]"]
    text = "".join(choice["delta"].get("content") or "" for part in parts
                   for choice in part["choices"])
    return text, data[-1] == b"[DONE]", reply.headers["x-gateway"]


def run(report, fleet, mock):
    try:
        balancer = Balancer(fleet, mock)
    except Exception as error:  # pylint: disable=broad-except
        report.add("haproxy", "HAProxy starts in front of two gateways", error, 0)
        return
    for name, case in suite.cases:
        mock.fault()
        report.run("haproxy", name, lambda case=case: case(balancer))
    mock.fault()


@suite.case("unary calls pass, through both gateways, over one kept connection")
def _(balancer):
    connection = balancer.connection()
    with contextlib.closing(connection):
        results = [unary(connection) for _ in range(10)]
        first = connection.sock
        unary(connection)
        expect(connection.sock is first, "the connection was not kept")
    equal(len({text for text, _ in results}), 1, "different texts")
    equal({gateway for _, gateway in results}, {"one", "two"}, "gateways")


@suite.case("streams pass whole, through both gateways")
def _(balancer):
    with contextlib.closing(balancer.connection()) as connection:
        wanted, _ = unary(connection)
        results = [streamed(connection) for _ in range(6)]
    equal({(text, done) for text, done, _ in results}, {(wanted, True)}, "the streams")
    equal({gateway for _, _, gateway in results}, {"one", "two"}, "gateways")


@suite.case("streams are not held back: the first text comes long before the end")
def _(balancer):
    balancer.mock.fault(inter_token_ms=100, tokens=16)
    with contextlib.closing(balancer.connection()) as connection:
        start = time.monotonic()
        reply = post(connection, stream=True)
        first = None
        for line in reply:
            if first is None and line.startswith(b"data: ") and b'"content":"' in line:
                first = time.monotonic() - start
        whole = time.monotonic() - start
    expect(whole > 1.4, f"the mock took {whole:.3f} s only")
    expect(first is not None and first < whole / 2, f"first text after {first} of {whole:.3f} s")


@suite.case("a client that leaves through the balancer cancels the call upstream")
def _(balancer):
    balancer.mock.fault(inter_token_ms=50, tokens=2000)
    before = balancer.mock.count("cancelled")
    with contextlib.closing(balancer.connection()) as connection:
        with post(connection, stream=True) as reply:
            reply.readline()
    eventually(lambda: balancer.mock.count("cancelled") == before + 1, "the mock sees the cancel")


@suite.case("a killed gateway is taken out by its /readyz check, and the other one serves on")
def _(balancer):
    balancer.gateways["one"].kill()
    eventually(lambda: balancer.states() == {"one": "DOWN", "two": "UP"},
               "HAProxy sees that one is gone")
    with contextlib.closing(balancer.connection()) as connection:
        wanted, _ = unary(connection)
        for _ in range(5):
            equal(unary(connection), (wanted, "two"), "text and gateway")
            equal(streamed(connection), (wanted, True, "two"), "text, end and gateway")
