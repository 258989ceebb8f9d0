"""Starts and stops what a suite needs: the mock provider, gateways, HAProxy. Standard library only.

Every process lives in the Fleet that started it and ends with it; nothing else is ever signalled.
Gateways and mocks listen on port 0 and say where; HAProxy is handed a socket that is bound already.
"""

import contextlib
import hashlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

KEY = "sk-clients-of-the-house"
START_S = 10.0
STOP_S = 5.0

# Models that the gateways know. The names differ from the provider's, so replies are restamped.
MODELS = {
    "chat": ("mock", "mock-chat"),
    "embed": ("mock", "mock-embed"),
    "dead": ("dead", "nobody"),
}

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Missed(AssertionError):
    """What a case expected did not happen; the text says what."""


def expect(condition, reason):
    if not condition:
        raise Missed(reason)


def equal(got, wanted, what):
    if got != wanted:
        raise Missed(f"{what}: wanted {_brief(wanted)}, got {_brief(got)}")


def _brief(value):
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


def eventually(probe, what, seconds=5.0, every=0.01):
    """Asks until the answer is true, and returns it; a miss when the time is up. every: seconds
    between questions, for those that cost what is asked about."""
    end = time.monotonic() + seconds
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > end:
            raise Missed(f"{what}: not within {seconds:g} s")
        time.sleep(every)  # how often to ask, not how long to wait


def fetch(url, body=None, timeout=5.0, **fields):
    """Returns (status, body) of a GET, or of a POST when there is a body."""
    data = None if body is None else json.dumps(body).encode()
    headers = dict(fields) if body is None else {"content-type": "application/json", **fields}
    request = urllib.request.Request(url, data, headers)
    try:
        with _opener.open(request, timeout=timeout) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


class Process:
    """One child of the fleet, its output in files of the fleet's folder."""

    def __init__(self, fleet, name, argv, pass_fds=()):
        self.name = name
        self.log = fleet.path(name + ".log")
        with open(self.log, "wb") as err, open(fleet.path(name + ".out"), "wb") as out:
            self.child = subprocess.Popen(argv, cwd=fleet.folder, stdin=subprocess.DEVNULL,
                                          stdout=out, stderr=err, pass_fds=pass_fds)
        fleet.processes.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def running(self):
        return self.child.poll() is None

    def listening(self):
        """The line that a gateway or a mock prints once it listens."""
        return eventually(self._listening_line, f"{self.name} listens", START_S)

    def _listening_line(self):
        for line in self.text().splitlines():
            if line.startswith("{") and '"listening"' in line:
                with contextlib.suppress(ValueError):
                    return json.loads(line)
        expect(self.running, f"{self.name} ended at its start: {self.text()[-300:]!r}")
        return None

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def kill(self):
        self.child.kill()
        self.child.wait()

    def stop(self):
        if not self.running:
            return
        self.child.terminate()
        try:
            self.child.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()


class Mock(Process):
    """`penstock mock`; fault() takes the names of docs/reference/mock-faults.md."""

    def __init__(self, fleet, name="mock", *options):
        super().__init__(fleet, name, [fleet.binary, "mock", "--listen", "127.0.0.1:0",
                                       "--dialect", "openai", *options])
        self.url = "http://" + self.listening()["mock"]

    def fault(self, **faults):
        status, body = fetch(self.url + "/mock/fault", faults)
        equal(status, 200, f"POST /mock/fault {faults} ({body[:200]!r})")

    def stats(self):
        status, body = fetch(self.url + "/mock/stats")
        equal(status, 200, "GET /mock/stats")
        return json.loads(body)

    def count(self, name):
        return self.stats()[name]


class Gateway(Process):
    """`penstock serve` with a config of its own."""

    def __init__(self, fleet, name, config):
        self.path = fleet.path(name + ".yaml")
        self.write(config)
        super().__init__(fleet, name, [fleet.binary, "serve", "-c", self.path])
        self.data = self.listening()["data"]
        scheme = "https" if "tls" in config["listen"] else "http"
        self.url = f"{scheme}://{self.data}"
        self.admin = "http://" + self.listening()["admin"]
        eventually(lambda: fetch(self.admin + "/readyz")[0] == 200, f"{name} is ready", START_S)

    def config(self):
        """What its file says now."""
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)

    def write(self, config):
        """Replaces its file by a config, or by a text; a reload reads it."""
        with open(self.path, "w", encoding="utf-8") as file:
            # JSON is YAML.
            file.write(config if isinstance(config, str) else json.dumps(config, indent=1))

    def metrics(self):
        return fetch(self.admin + "/metrics")[1].decode()

    def metric(self, series):
        """The value of a series, written as the scrape writes it; 0 where there is none."""
        for line in self.metrics().splitlines():
            if line.startswith(series + " "):
                return float(line.split()[-1])
        return 0.0

    def patch(self, change):
        """A PATCH of the running config that must be taken."""
        request = urllib.request.Request(
            self.admin + "/admin/v1/config", json.dumps(change).encode(),
            {"content-type": "application/json"}, method="PATCH")
        with _opener.open(request, timeout=5) as reply:
            equal(reply.status, 200, f"status of the PATCH {change}")


class Answers(http.server.BaseHTTPRequestHandler):
    """What a server of a case does with a request; says nothing on its own."""

    def request_body(self):
        return self.rfile.read(int(self.headers["content-length"]))

    def send_json(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@contextlib.contextmanager
def serving(server):
    """Serves on a thread of its own until the end of the `with`; yields the server's address."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield "{}:{}".format(*server.server_address)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Fleet:
    """The processes of one run, in a temporary folder; `with` ends them and removes it."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = tempfile.mkdtemp(prefix="penstock-clients-")
        self.processes = []
        # Bound and never listened on: connections to it are refused as long as the fleet lives.
        # So many that none is refused five times in a row, which would open its breaker.
        self._dead = [socket.socket() for _ in range(8)]
        for dead in self._dead:
            dead.bind(("127.0.0.1", 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.stop()
        for dead in self._dead:
            dead.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def mock(self, name="mock", *options):
        return Mock(self, name, *options)

    def gateway(self, name, mock, **sections):
        return Gateway(self, name, {**self._config(mock), **sections})

    def keys_gateway(self, name, mock):
        tenant = {"keys": [{"id": "k1", "sha256": hashlib.sha256(KEY.encode()).hexdigest(),
                            "workload": "suite"}], "workloads": {"suite": {}}}
        return self.gateway(name, mock, auth={"mode": "keys"}, tenants={"clients": tenant})

    def haproxy(self, config, listener):
        """config: text in which {fd} stands for the bound socket."""
        path = self.path("haproxy.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config.replace("{fd}", str(listener.fileno())))
        return Process(self, "haproxy", ["haproxy", "-db", "-f", path],
                       pass_fds=[listener.fileno()])

    def _config(self, mock):
        dead = ["http://{}:{}".format(*one.getsockname()) for one in self._dead]
        return {
            "version": 1,
            "workers": 2,
            "listen": {"data": "127.0.0.1:0", "admin": "127.0.0.1:0"},
            "auth": {"mode": "dev"},
            "stream": {"heartbeat": "200ms"},
            "retry": {"attempts_max": 1},  # the cases tell what becomes of one attempt
            "drain": {"settle": "0s", "timeout": "300ms"},
            "telemetry": {"access_log": "off"},
            "providers": {
                "mock": {"dialect": "openai", "replicas": [mock.url],
                         "breaker": {"samples_min": 1000}},
                "dead": {"dialect": "openai", "replicas": dead},
            },
            "models": {name: {"targets": [{"provider": provider, "model": model}]}
                       for name, (provider, model) in MODELS.items()},
        }
