"""Where keys and tokens must not be found: whatever a gateway writes or sends, and its memory once
it has no use for them any more."""

import contextlib
import hashlib
import http.client
import http.server
import json
import resource
import secrets
import socket
import ssl

from cases import Suite
from curl_cases import make_certificate
from harness import Answers, equal, eventually, expect, fetch, serving
from issuer import Issuer, Key
from process_cases import Rig

suite = Suite()

SPAN_MAX = 1 << 30  # longer mappings are reserved room, not memory in use
SERVED = 'penstock_in_flight{scope="provider",tenant="",workload="",provider="mock"}'


def run(report, fleet, mock):
    suite.run(report, "secrecy", Rig(fleet, mock, "secrecy"))


def ask(**members):
    return {"model": "chat", "messages": [{"role": "user", "content": "Hello"}], **members}


def tenants(key):
    hashed = hashlib.sha256(key.encode()).hexdigest()
    return {"clients": {"keys": [{"id": "k1", "sha256": hashed, "workload": "suite"}],
                        "workloads": {"suite": {}}}}


def found(process, words):
    """Which of the words stand in the memory of a process."""
    seen = set()
    pid = process.child.pid
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, \
            open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            low, high = (int(end, 16) for end in span.split("-"))
            if "r" not in rights or high - low > SPAN_MAX or line.rstrip().endswith("]") \
                    and "[heap]" not in line and "[stack]" not in line:
                continue
            with contextlib.suppress(OSError, OverflowError):  # it may be unmapped meanwhile
                memory.seek(low)
                held = memory.read(high - low)
                seen |= {word for word in words if word.encode() in held}
    return seen


def send(gateway, *parts):
    """Sends raw bytes, each part in a packet of its own, then leaves; a reply is awaited when the
    parts are a whole request."""
    host, port = gateway.data.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 5) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            line.sendall(part.encode())
        if parts[-1].endswith("\r\n\r\n"):
            expect(line.recv(4096).startswith(b"HTTP/1.1 "), "no reply")


@contextlib.contextmanager
def held(gateway, connection, credential, content):
    """A request that is being served, its provider silent, until the end of the `with`."""
    body = ask(messages=[{"role": "user", "content": content}])
    connection.request("POST", "/v1/chat/completions", json.dumps(body),
                       {"content-type": "application/json",
                        "authorization": "Bearer " + credential})
    try:
        eventually(lambda: gateway.metric(SERVED) > 0, "it is served")
        yield
    finally:
        connection.close()


@contextlib.contextmanager
def provider(heard):
    """Answers every call; appends what it was sent."""
    class Handler(Answers):
        def do_POST(self):  # pylint: disable=invalid-name
            heard.append(f"{self.path} {self.headers.items()} {self.request_body()}")
            self.send_json({"id": "x", "object": "chat.completion", "model": "m", "choices": [
                {"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello"}}]})

    with serving(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield "http://" + address


def call(gateway, path, body=None, **headers):
    """A request with its reply, head included, as one text."""
    connection = http.client.HTTPConnection(gateway.data, timeout=5)
    try:
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, data,
                           {"content-type": "application/json", **headers})
        reply = connection.getresponse()
        return reply.status, f"{reply.getheaders()} {reply.read()}"
    finally:
        connection.close()


def written(gateway, places, count):
    """Everything a gateway wrote or shows, by its name, once `count` requests were logged."""
    def access():
        with open(places["access"], encoding="utf-8") as file:
            text = file.read()
        return text if text.count("\n") >= count else None

    told = {"the access log": eventually(access, f"{count} lines of the access log"),
            "the process log": gateway.text(), "the metrics": gateway.metrics()}
    with open(places["audit"], encoding="utf-8") as file:
        told["the audit log"] = file.read()
    for path in ("status", "providers", "config", "config?format=yaml"):
        told[path] = fetch(f"{gateway.admin}/admin/v1/{path}")[1].decode()
    return told


@suite.case("no key stands in a log, a metric, a reply, the admin plane or what a provider is sent")
def _nowhere(rig):
    live, off, wrong = ("sk-" + secrets.token_hex(24) for _ in range(3))
    whose, other = tenants(live), tenants(off)["clients"]["keys"][0]
    whose["clients"]["keys"].append({**other, "id": "k2", "disabled": True})
    whose["clients"]["workloads"]["suite"] = {"tools": "deny"}
    places = {log: rig.fleet.path(f"secrecy-{log}.log") for log in ("access", "audit")}
    heard, replies = [], []
    with provider(heard) as url, rig.gateway(
            auth={"mode": "keys"}, tenants=whose,
            telemetry={log + "_log": "file:" + path for log, path in places.items()},
            providers={"p": {"dialect": "openai", "replicas": [url]}},
            models={"chat": {"targets": [{"provider": "p", "model": "m"}]}}) as gateway:
        chat = "/v1/chat/completions"
        calls = [(chat, ask()), (chat, ask(tools=[{"type": "function"}])), (chat, b"{bad"),
                 (chat, ask(model="p/other")), (chat, ask(model="none")), ("/v1/models", None),
                 ("/v1/me", None), ("/v1/nope", None)]
        for key in (live, off, wrong):
            for name in ("authorization", "x-api-key", "api-key", "x-goog-api-key"):
                value = f"Bearer {key}" if name == "authorization" else key
                replies += [call(gateway, path, body, **{name: value}) for path, body in calls]
            for value in (f"Basic {key}", key, f"Bearer {key}\x01"):
                replies.append(call(gateway, chat, ask(), authorization=value))
            replies.append(call(gateway, chat, ask(), **{"x-api-key": key, "api-key": key + "x"}))
            replies += [call(gateway, f"/v1/{key}"), call(gateway, f"/v1/models?key={key}")]
        statuses = {status for status, _ in replies}
        expect({200, 400, 401, 403, 404} <= statuses, f"only {statuses}")
        told = written(gateway, places, len(replies))
        told["what the provider was sent"] = "".join(heard)
        told["the replies"] = "".join(text for _, text in replies)
        expect(told["the audit log"].count("\n") > 4, "the audit log says little")
        expect(heard and '"key_id":"k2"' in told["the access log"], "nothing was told")
        for place, text in told.items():
            for key in (live, off, wrong):
                for part in (key, key[-16:]):
                    expect(part not in text, f"a key stands in {place}")


@suite.case("keys and tokens leave memory once the caller is known, or its connection is gone")
def _memory(rig):
    live, wrong, cut, broken, long = ("sk-" + secrets.token_hex(24) for _ in range(5))
    content = "marked-" + secrets.token_hex(24)
    signing = Key(rig.fleet.folder, "ES256", "secrecy")
    with Issuer(rig.fleet.folder, signing) as issuer, \
            rig.gateway(auth=issuer.auth("keys_or_jwt"), tenants=tenants(live)) as gateway:
        token, foreign = signing.token(), signing.token(iss="nobody")
        url = gateway.url + "/v1/chat/completions"
        for header in ("x-api-key", "api-key", "x-goog-api-key"):
            equal(fetch(url, ask(), **{header: live})[0], 200, f"status of the key in {header}")
        for credential, status in ((token, 200), (token, 200), (foreign, 401), (wrong, 401)):
            equal(fetch(url, ask(), authorization="Bearer " + credential)[0], status, "status")
        start = "GET /v1/models HTTP/1.1\r\nhost: h\r\n"
        send(gateway, f"{start}x-api-key: {cut}\r\n")
        send(gateway, f"{start}x-api-key: {broken}\r\nx\r\n\r\n")
        send(gateway, f"{start}x-api-key: {long}\r\nx-long: ", 3000 * "a", "\r\n\r\n")
        send(gateway, *[f"{start}x-api-key: {long}\r\nx-long: {at * 'b'}\r\n\r\n"
                        for at in (100, 900, 1900)])
        rig.mock.fault(hang=True)
        secret = [live, wrong, cut, broken, long, *(part for one in (token, foreign)
                                                   for part in one.split(".")[1:])]
        connection = http.client.HTTPConnection(gateway.data, timeout=5)
        with held(gateway, connection, live, content):
            equal(found(gateway, [content]), {content}, "what must be found")
            eventually(lambda: not found(gateway, secret), "no credential is found", every=0.2)


@suite.case("a key that came over TLS leaves memory as well")
def _memory_tls(rig):
    certificate, private = make_certificate(rig.fleet, "secrecy")
    live, content = "sk-" + secrets.token_hex(24), "marked-" + secrets.token_hex(24)
    listen = {"data": "127.0.0.1:0", "admin": "127.0.0.1:0",
              "tls": {"certificate": "file:" + certificate, "key": "file:" + private}}
    with rig.gateway(auth={"mode": "keys"}, tenants=tenants(live), listen=listen) as gateway:
        trusting = ssl.create_default_context(cafile=certificate)
        trusting.check_hostname = False
        connection = http.client.HTTPSConnection(gateway.data, timeout=5, context=trusting)
        connection.request("GET", "/v1/models", headers={"x-api-key": live})
        equal(connection.getresponse().status, 200, "status")
        rig.mock.fault(hang=True)
        with held(gateway, connection, live, content):
            equal(found(gateway, [content]), {content}, "what must be found")
            eventually(lambda: not found(gateway, [live]), "no credential is found", every=0.2)


@suite.case("no core dump is written, though the environment allows it")
def _core(rig):
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        gateway = rig.gateway()
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    with gateway, open(f"/proc/{gateway.child.pid}/limits", encoding="utf-8") as limits:
        soft = [line.split()[4] for line in limits if line.startswith("Max core file size")]
        expect(soft in (["0"], ["1"]), f"the limit of core dumps is {soft}")
