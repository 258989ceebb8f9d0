"""The config file read anew, at SIGHUP and through the admin plane, while requests run."""

import hashlib
import http.client
import http.server
import json
import os
import signal
import ssl
import threading

from cases import Suite
from curl_cases import make_certificate
from harness import MODELS, Answers, Process, equal, eventually, expect, fetch, serving
from process_cases import Rig
from tls_cases import ANSWER

suite = Suite()

ASK = {"model": "chat", "messages": [{"role": "user", "content": "Where does the water go?"}]}


def run(report, fleet, mock):
    suite.run(report, "reload", Rig(fleet, mock, "reload"))


def key_line(name):
    return {"id": name, "sha256": hashlib.sha256(secret(name).encode()).hexdigest(),
            "workload": "w"}


def secret(name):
    return "sk-reload-case-" + name


def tenant(*names):
    return {"acme": {"keys": [key_line(name) for name in names], "workloads": {"w": {}}}}


def keyed(rig, names, **sections):
    """A gateway whose callers have these keys."""
    return rig.gateway(**{"auth": {"mode": "keys"}, "tenants": tenant(*names), **sections})


def hup(gate, result="applied"):
    """Signals, and waits until that came of it."""
    series = f'penstock_config_reloads_total{{result="{result}"}}'
    before = gate.metric(series)
    gate.child.send_signal(signal.SIGHUP)
    eventually(lambda: gate.metric(series) == before + 1, f"the reload is {result}")


def status_of(gate, name):
    """Of a call with that key."""
    return fetch(gate.url + "/v1/chat/completions", ASK,
                 authorization="Bearer " + secret(name))[0]


@suite.case("SIGHUP at the start is a reload behind it, not the end of the process")
def _early(rig):
    with keyed(rig, ["early"]) as gate:
        config = json.dumps(gate.config())
    path = rig.fleet.path("reload-early.yaml")
    os.mkfifo(path)  # who opens it waits for a writer: so long it is starting

    def writer():
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return None  # nobody reads yet

    with Process(rig.fleet, "reload-early", [rig.fleet.binary, "serve", "-c", path]) as process:
        pipe = eventually(writer, "it reads its file")
        process.child.send_signal(signal.SIGHUP)
        os.replace(rig.fleet.path(rig.file("reload-early.new", config)), path)
        os.write(pipe, config.encode())
        os.close(pipe)
        admin = "http://" + process.listening()["admin"]
        series = 'penstock_config_reloads_total{result="applied"} 1'
        eventually(lambda: series in fetch(admin + "/metrics")[1].decode(), "the reload came")


@suite.case("keys rotate while requests run: the new one joins, the old one goes, nothing fails")
def _rotation(rig):
    with keyed(rig, ["old"]) as gate:
        over, statuses, names = threading.Event(), [], ["old"]

        def caller():
            while not over.is_set():
                statuses.append(status_of(gate, names[-1]))

        callers = [threading.Thread(target=caller) for _ in range(4)]
        for thread in callers:
            thread.start()
        config = gate.config()
        for generation in range(10):
            new = f"new-{generation}"
            config["tenants"] = tenant(names[-1], new)
            gate.write(config)
            hup(gate)
            names.append(new)
            seen = len(statuses)
            eventually(lambda: len(statuses) > seen + 12, "the callers call with the new key")
            config["tenants"] = tenant(new)
            gate.write(config)
            hup(gate)
            equal(status_of(gate, names[-2]), 401, "status with the key that is gone")
        over.set()
        for thread in callers:
            thread.join()
        equal(set(statuses), {200}, f"statuses of {len(statuses)} calls")


@suite.case("a file that is wrong, cut or asks for a restart changes nothing and says why")
def _refused(rig):
    with keyed(rig, ["k"]) as gate:
        good = gate.config()
        other = json.loads(json.dumps(good))
        other["tenants"] = tenant("other")
        for name, text, words in (
                ("listen", {**other, "listen": {**good["listen"], "connections": 7}},
                 "listen.connections: takes effect at a restart only"),
                ("unknown", {**other, "nothing": 1}, "unknown key"),
                ("cut", json.dumps(other)[:-40], ""),
                ("empty", "", "version: is missing")):
            gate.write(text)
            hup(gate, "refused")
            equal([status_of(gate, key) for key in ("k", "other")], [200, 401],
                  f"statuses after {name}")
            eventually(lambda w=words: "reload refused" in gate.text()
                       and w in gate.text(), f"the log tells of {name}")
        gate.write({**good, "tenants": tenant("k", "other")})
        hup(gate)
        equal([status_of(gate, key) for key in ("k", "other")], [200, 200],
              "statuses once it is good")


@suite.case("POST /admin/v1/reload does the same, tells what changed, and is audited")
def _post(rig):
    with keyed(rig, ["k"], telemetry={"access_log": "off", "audit_log": "stderr"}) as gate:
        gate.write({**gate.config(), "retry": {"attempts_max": 2}})
        status, body = fetch(gate.admin + "/admin/v1/reload", {}, **{"x-request-id": "reload-1"})
        equal(status, 200, f"status ({body[:200]!r})")
        equal([change["path"] for change in json.loads(body)["changes"]], ["retry.attempts_max"],
              "what changed")
        line = eventually(lambda: next((line for line in gate.text().splitlines()
                                        if '"audit":true' in line), None), "a line of audit")
        told = json.loads(line)
        equal((told["rule"], told["action"], told["request_id"], told["changes"]),
              ("admin", "reload", "reload-1",
               [{"path": "retry.attempts_max", "from": "1", "to": "2"}]), "the line")
        gate.write("version: 1\n")
        status, body = fetch(gate.admin + "/admin/v1/reload", {})
        equal(status, 400, f"status of a file that is wrong ({body[:200]!r})")
        expect("listen: is missing" in json.loads(body)["error"]["message"], f"it says {body!r}")


@suite.case("a PATCH survives a reload until it is given back")
def _patched(rig):
    with keyed(rig, ["k"]) as gate:
        def attempts():
            shown = fetch(gate.admin + "/admin/v1/config?format=yaml")[1].decode()
            return shown.split("attempts_max: ")[1].split()[0]

        gate.patch({"retry": {"attempts_max": 5}})
        gate.write({**gate.config(), "retry": {"attempts_max": 3}})
        hup(gate)
        equal(attempts(), "5", "attempts_max after the reload")
        eventually(lambda: '"live_changes_kept":1' in gate.text(), "the log tells of it")
        gate.patch({"retry": {"attempts_max": None}})
        equal(attempts(), "3", "attempts_max once it is given back")


class Listening(Answers):
    """A provider that notes the credential of each call."""

    def do_POST(self):  # pylint: disable=invalid-name
        self.server.heard.append(self.headers["authorization"])
        self.request_body()
        self.send_json(ANSWER)


@suite.case("file: secrets are read anew: a provider's key and the admin token")
def _secrets(rig):
    rig.file("provider.key", "first\n")
    rig.file("admin.token", "first\n")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    server.heard = []
    with serving(server) as address:
        check_secrets(rig, "http://" + address, server.heard)


def check_secrets(rig, url, heard):
    provider = {"dialect": "openai", "replicas": [url], "key": "file:provider.key"}
    with rig.gateway(providers={"mock": provider}, admin={"token": "file:admin.token"},
                     models={"chat": {"targets": [{"provider": "mock", "model": MODELS["chat"][1]}]}
                             }) as gateway:
        def status_with(token):
            return fetch(gateway.admin + "/admin/v1/status", authorization="Bearer " + token)[0]

        equal((status_with("first"), status_with("second")), (200, 401), "statuses before")
        equal(fetch(gateway.url + "/v1/chat/completions", ASK)[0], 200, "status before")
        rig.file("admin.token", "second\n")
        rig.file("provider.key", "second\n")
        gateway.child.send_signal(signal.SIGHUP)
        eventually(lambda: status_with("second") == 200, "the new token is asked for")
        equal(status_with("first"), 401, "status with the token before")
        rig.file("provider.key", "two words\n")
        gateway.child.send_signal(signal.SIGHUP)
        eventually(lambda: "reload refused" in gateway.text(), "a key that cannot be is refused")
        equal(fetch(gateway.url + "/v1/chat/completions", ASK)[0], 200, "status meanwhile")
        equal(heard, ["Bearer first", "Bearer second"], "what the provider was sent")
        expect("two words" not in gateway.text(), "the log holds the key")


@suite.case("the listener's certificate is read anew; connections that run keep theirs")
def _certificate(rig):
    paths = [make_certificate(rig.fleet, name) for name in ("cert-a", "cert-b")]
    texts = [[open(part, encoding="utf-8").read() for part in pair]
             for pair in paths]
    names = [rig.file("live.cert", texts[0][0]), rig.file("live.key", texts[0][1])]
    listen = {"data": "127.0.0.1:0", "admin": "127.0.0.1:0",
              "tls": {"certificate": "file:" + names[0], "key": "file:" + names[1]}}
    with rig.gateway(listen=listen, tenants={"t": {"limits": {"in_flight": 7}}}) as gateway:
        host, port = gateway.data.rsplit(":", 1)

        def shown():
            return ssl.get_server_certificate((host, int(port))).strip()

        equal(shown(), texts[0][0].strip(), "the certificate at the start")
        trust = ssl.create_default_context(cafile=paths[0][0])
        trust.check_hostname = False
        running = http.client.HTTPSConnection(host, int(port), timeout=10, context=trust)
        running.request("GET", "/v1/models")
        equal(running.getresponse().read() != b"", True, "a reply on the connection")
        rig.file("live.key", texts[1][1])
        gateway.child.send_signal(signal.SIGHUP)
        eventually(lambda: "reload refused" in gateway.text(), "half a pair is refused")
        gateway.write({**gateway.config(), "tenants": {"t": {"limits": {"in_flight": 1}}}})
        gateway.child.send_signal(signal.SIGHUP)
        eventually(lambda: gateway.text().count("reload refused") == 2, "half a pair is refused")
        ceiling = 'penstock_in_flight_limit{scope="tenant",tenant="t",workload="",provider=""}'
        equal(gateway.metric(ceiling), 7, "a ceiling after a reload that was refused")
        equal(shown(), texts[0][0].strip(), "the certificate after half a pair")
        rig.file("live.cert", texts[1][0])
        gateway.child.send_signal(signal.SIGHUP)
        eventually(lambda: shown() == texts[1][0].strip(), "the new certificate is shown")
        running.request("GET", "/v1/models")
        equal(running.getresponse().status, 200, "status on the connection from before")
