"""The gateway as a process: signals, exit codes, what the running requests are told."""

import http.client
import json
import os
import signal
import subprocess
import time

from cases import Suite
from harness import MODELS, equal, eventually, expect

suite = Suite()

LEAVE_S = 5.0  # a signalled gateway is gone within this
BAD_CONFIG = 78


class Rig:
    def __init__(self, fleet, mock, name="process"):
        self.fleet, self.mock, self.name = fleet, mock, name
        self._number = 0

    def gateway(self, **sections):
        self._number += 1
        return self.fleet.gateway(f"{self.name}-{self._number}", self.mock, **sections)

    def verb(self, *arguments, **environment):
        """Runs one in the fleet's folder, to its end."""
        return subprocess.run([self.fleet.binary, *arguments], cwd=self.fleet.folder, timeout=10,
                              env={**os.environ, **environment}, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL)

    def file(self, name, text):
        """Writes a file into the fleet's folder; returns its name."""
        with open(self.fleet.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name


def run(report, fleet, mock):
    rig = Rig(fleet, mock)
    suite.run(report, "process", rig)


def begin(gateway, stream):
    """Sends a chat request; returns the connection, its reply not read yet."""
    connection = http.client.HTTPConnection(gateway.data, timeout=10)
    body = {"model": "chat", "stream": stream, "max_tokens": 64,
            "messages": [{"role": "user", "content": "Tell a long story"}]}
    connection.request("POST", "/v1/chat/completions", json.dumps(body),
                       {"content-type": "application/json"})
    return connection


def leave(gateway, number):
    """Signals the gateway; returns its exit code."""
    start = time.monotonic()
    gateway.child.send_signal(number)
    code = gateway.child.wait(LEAVE_S)
    expect(time.monotonic() - start < LEAVE_S, "it took too long to leave")
    return code


@suite.case("TERM and INT without traffic end it with exit code 0")
def _idle(rig):
    for number in (signal.SIGTERM, signal.SIGINT):
        equal(leave(rig.gateway(), number), 0, "exit code")


@suite.case("TERM ends a stream that runs too long with one error event, then exits 1")
def _stream(rig):
    rig.mock.fault(inter_token_ms=200, tokens=200)
    gateway = rig.gateway()
    reply = begin(gateway, stream=True).getresponse()
    equal(reply.status, 200, "status")
    seen = b""
    while seen.count(b'"content":') < 3:
        seen += reply.readline()
    equal(leave(gateway, signal.SIGTERM), 1, "exit code")
    seen += reply.read()  # to a proper end of the body, or this raises
    events = [line[6:] for line in seen.split(b"\n") if line.startswith(b"data: ")]
    last = json.loads(events[-1])
    equal(last.get("partial"), True, "partial of the last event")
    equal(last["error"]["code"], "stream_interrupted", "code of the last event")
    equal(sum(b'"error"' in event for event in events), 1, "error events")
    expect(b"[DONE]" not in seen, "a terminal followed the error")
    eventually(lambda: rig.mock.count("in_flight") == 0, "the provider's call ends too")


@suite.case("TERM answers a unary call that waits too long with 503 draining, then exits 1")
def _unary(rig):
    rig.mock.fault(hang=True)
    gateway = rig.gateway()
    before = rig.mock.count("requests")
    connection = begin(gateway, stream=False)
    eventually(lambda: rig.mock.count("requests") > before, "the call is at the provider")
    equal(leave(gateway, signal.SIGTERM), 1, "exit code")
    reply = connection.getresponse()
    equal(reply.status, 503, "status")
    equal(json.loads(reply.read())["error"]["code"], "draining", "code")


@suite.case("a second signal ends it at once, not with 0")
def _twice(rig):
    gateway = rig.gateway()
    gateway.child.send_signal(signal.SIGSTOP)  # so that both signals wait for it together
    gateway.child.send_signal(signal.SIGTERM)
    gateway.child.send_signal(signal.SIGINT)
    gateway.child.send_signal(signal.SIGCONT)
    code = gateway.child.wait(2)
    expect(code > 0, f"exit code {code}")


@suite.case("a port that is served already is exit code 1, with the address named")
def _taken(rig):
    gateway = rig.gateway()
    config = gateway.config()
    config["listen"]["data"] = gateway.data
    path = rig.fleet.path("taken.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    done = rig.verb("serve", "-c", path)
    equal(done.returncode, 1, "exit code")
    expect(gateway.data.encode() in done.stderr, f"it said {done.stderr!r}")


@suite.case("a config that only its secrets show to be wrong is exit code 78")
def _bad_secret(rig):
    with open(rig.fleet.path("junk.pem"), "w", encoding="utf-8") as file:
        file.write("no certificate\n")
    config = {"version": 1, "listen": {"data": "127.0.0.1:0", "admin": "127.0.0.1:0"},
              "auth": {"mode": "dev"},
              "providers": {"far": {"dialect": "openai", "replicas": ["https://127.0.0.1:1"],
                                    "tls": {"ca": "file:junk.pem"}}}}
    path = rig.fleet.path("secret.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    equal(rig.verb("serve", "-c", path).returncode, BAD_CONFIG, "exit code")


@suite.case("a minted key is printed with its hash and opens the gateway")
def _minted(rig):
    told = rig.verb("keys", "new").stdout.decode().split()
    key = next(word for word in told if word.startswith("sk-pen-"))
    digest = next(word for word in told if len(word.strip('"')) == 64).strip('"')
    tenant = {"keys": [{"id": "k", "sha256": digest}], "workloads": {}}
    gateway = rig.gateway(auth={"mode": "keys"}, tenants={"t": tenant})
    for value, status in ((key, 200), (key + "0", 401)):
        connection = http.client.HTTPConnection(gateway.data, timeout=10)
        connection.request("GET", "/v1/models", headers={"authorization": f"Bearer {value}"})
        reply = connection.getresponse()
        equal(reply.status, status, "status")
        shown = reply.read().count(b'"object":"model"')
        equal(shown, len(MODELS) if status == 200 else 0, "models")
        connection.close()
