"""Providers whose replicas speak TLS: who is trusted, who is not, and what the server is told."""

import contextlib
import http.server
import json
import ssl

from cases import Suite
from curl_cases import events, make_certificate, stream_text
from harness import MODELS, Answers, equal, expect, fetch, serving
from process_cases import Rig

suite = Suite()

ASK = {"model": "chat", "messages": [{"role": "user", "content": "Where does the water go?"}]}
ANSWER = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Down."}}]}


def run(report, fleet, mock):
    suite.run(report, "tls", Rig(fleet, mock, "tls-provider"))


def https_gateway(rig, certificate, key):
    """A gateway with TLS on its data port, to be a replica of another one."""
    listen = {"data": "127.0.0.1:0", "admin": "127.0.0.1:0",
              "tls": {"certificate": "file:" + certificate, "key": "file:" + key}}
    return rig.gateway(listen=listen)


def in_front_of(rig, url, ca=None):
    """A gateway whose only provider has that replica."""
    far = {"dialect": "openai", "replicas": [url]}
    if ca is not None:
        far["tls"] = {"ca": "file:" + ca}
    return rig.gateway(providers={"far": far}, models={
        "chat": {"targets": [{"provider": "far", "model": "chat"}]}})


def chat(gateway, **named):
    return fetch(gateway.url + "/v1/chat/completions", {**ASK, **named})


def is_refused(gateway, requests):
    """Neither a unary nor a streamed call gets through; requests: counts those that did."""
    before = requests()
    for stream in (False, True):
        status, body = chat(gateway, stream=stream)
        equal(status, 502, f"status ({body[:200]!r})")
        error = json.loads(body)  # all of it: nothing stands beside the error
        equal(error["error"]["code"], "upstream_unavailable", "code")
        expect("TLS" in error["error"]["message"], f"message {error['error']['message']!r}")
        equal(list(error), ["error"], "members of the reply")
    equal(requests(), before, "requests that reached the replica")


def content(body):
    return json.loads(body)["choices"][0]["message"]["content"]


@suite.case("an https replica whose authority is given in tls.ca serves, unary and streamed")
def _trusted(rig):
    direct = {**ASK, "model": MODELS["chat"][1]}
    wanted = content(fetch(rig.mock.url + "/v1/chat/completions", direct)[1])
    certificate, key = make_certificate(rig.fleet, "replica")
    with https_gateway(rig, certificate, key) as replica, \
            in_front_of(rig, replica.url, certificate) as gateway:
        before = rig.mock.count("requests")
        status, body = chat(gateway)
        equal(status, 200, f"status ({body[:200]!r})")
        equal(content(body), wanted, "the text")
        status, stream = chat(gateway, stream=True)
        equal((status, events(stream)[-1]), (200, "[DONE]"), "status and end of the stream")
        equal(stream_text(stream), wanted, "the text of the stream")
        equal(rig.mock.count("requests") - before, 2, "requests behind the replica")


@suite.case("an https replica is refused where nobody, or another authority, vouches for it")
def _untrusted(rig):
    certificate, key = make_certificate(rig.fleet, "replica")
    another, _ = make_certificate(rig.fleet, "another")
    with https_gateway(rig, certificate, key) as replica:
        for ca in (None, another):
            with in_front_of(rig, replica.url, ca) as gateway:
                is_refused(gateway, lambda: rig.mock.count("requests"))


@suite.case("an https replica is refused where its certificate has another name or address")
def _another_name(rig):
    for names, host in (("DNS:elsewhere.example", "127.0.0.1"),
                        ("DNS:elsewhere.example", "localhost"), ("DNS:localhost", "127.0.0.1"),
                        ("IP:127.0.0.1", "localhost")):
        certificate, key = make_certificate(rig.fleet, "misnamed", names)
        with https_gateway(rig, certificate, key) as replica:
            url = replica.url.replace("127.0.0.1", host)
            with in_front_of(rig, url, certificate) as gateway:
                is_refused(gateway, lambda: rig.mock.count("requests"))


@suite.case("an https replica that speaks plain HTTP is refused, and is told no key")
def _plain(rig):
    certificate, _ = make_certificate(rig.fleet, "replica")
    url = rig.mock.url.replace("http://", "https://")
    with in_front_of(rig, url, certificate) as gateway:
        is_refused(gateway, lambda: rig.mock.count("requests"))


class Answering(Answers):
    """Answers every POST; the server notes their hosts."""

    def do_POST(self):  # pylint: disable=invalid-name
        self.request_body()
        self.server.hosts.append(self.headers["host"])
        self.send_json(ANSWER)


@contextlib.contextmanager
def python_replica(certificate, key):
    """An https server that notes the name each handshake asked for, and each request's Host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.HTTPServer(("127.0.0.1", 0), Answering)
    server.names, server.hosts = [], []
    context.sni_callback = lambda _socket, name, _context: server.names.append(name)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with serving(server):
        yield server


@suite.case("the replica is told its host name (SNI), and none when it has an address only")
def _sni(rig):
    certificate, key = make_certificate(rig.fleet, "named")
    with python_replica(certificate, key) as replica:
        port = replica.server_port
        for host, name in (("localhost", "localhost"), ("127.0.0.1", None)):
            replica.names.clear()
            replica.hosts.clear()
            with in_front_of(rig, f"https://{host}:{port}", certificate) as gateway:
                status, body = chat(gateway)
                equal(status, 200, f"status ({body[:200]!r})")
                equal(content(body), "Down.", "the text")
            equal((replica.names, replica.hosts), ([name], [f"{host}:{port}"]), "names and hosts")
