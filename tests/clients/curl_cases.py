"""curl: what a shell sees, and the corners of HTTP that the SDKs do not reach."""

import json
import subprocess

from cases import Suite
from harness import equal, expect

suite = Suite()

ASK = {"model": "chat", "messages": [{"role": "user", "content": "Where does the water go?"}]}
CURL_S = 15
BAD_CERTIFICATE = 60  # curl's exit code


class Rig:
    def __init__(self, fleet, mock, gateway):
        self.fleet, self.mock, self.gateway = fleet, mock, gateway


def run(report, fleet, mock, gateway):
    rig = Rig(fleet, mock, gateway)
    suite.run(report, "curl", rig)


class Answer:
    """Of `curl -i -v`: heads and body from stdout, curl's own words from stderr."""

    def __init__(self, done):
        self.exit_code = done.returncode
        self.told = done.stderr.decode(errors="replace")
        head, _, self.body = done.stdout.partition(b"\r\n\r\n")
        while head.startswith(b"HTTP/") and b" 100 " in head.split(b"\r\n")[0] + b" ":
            head, _, self.body = self.body.partition(b"\r\n\r\n")
        self.head = head.decode(errors="replace")
        self.status = int(self.head.split()[1]) if self.head else 0

    def header(self, name):
        for line in self.head.split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name:
                return value.strip()
        return None


def curl(url, *options, body=None):
    command = ["curl", "-sS", "-i", "-v", "--max-time", str(CURL_S), "--noproxy", "*", *options]
    if body is not None:
        command += ["-H", "content-type: application/json", "--data-binary", "@-"]
        body = json.dumps(body).encode()
    return Answer(subprocess.run([*command, url], input=body, capture_output=True, check=False,
                                 timeout=CURL_S + 3))


def chat(rig, *options, url=None, **named):
    return curl((url or rig.gateway.url) + "/v1/chat/completions", *options, body={**ASK, **named})


def text(answer):
    return json.loads(answer.body)["choices"][0]["message"]["content"]


def events(body):
    """The data of each event of a stream, in order."""
    blocks = body.decode().replace("\r\n", "\n").split("\n\n")
    data = [[line[6:] for line in block.split("\n") if line.startswith("data: ")]
            for block in blocks]
    return ["\n".join(lines) for lines in data if lines]


def stream_text(body):
    parts = [json.loads(data) for data in events(body) if data != "[DONE]"]
    return "".join(choice["delta"].get("content") or "" for part in parts
                   for choice in part["choices"])


@suite.case("chat")
def _(rig):
    answer = chat(rig)
    equal(answer.status, 200, "status")
    expect(text(answer), "no text")
    expect(answer.header("x-request-id"), "no x-request-id")
    equal(answer.header("content-type"), "application/json", "content type")


@suite.case("stream with -N ends with [DONE]")
def _(rig):
    answer = chat(rig, "-N", stream=True)
    equal((answer.exit_code, answer.status), (0, 200), "exit code and status")
    expect((answer.header("content-type") or "").startswith("text/event-stream"), answer.head)
    equal(events(answer.body)[-1], "[DONE]", "the last event")
    equal(stream_text(answer.body), text(chat(rig)), "the text")


@suite.case("a [DONE] that the provider left out is supplied")
def _(rig):
    rig.mock.fault(missing_done=True)
    answer = chat(rig, "-N", stream=True)
    equal((answer.exit_code, events(answer.body)[-1]), (0, "[DONE]"), "exit code and last event")


@suite.case("a cut stream ends with one error event, no [DONE], and a proper end of the body")
def _(rig):
    rig.mock.fault(cut_after_chunks=4)
    answer = chat(rig, "-N", stream=True)
    equal((answer.exit_code, answer.status), (0, 200), "exit code and status")
    last = json.loads(events(answer.body)[-1])
    equal((last["error"]["code"], last["partial"]), ("stream_interrupted", True), "the last event")
    expect("[DONE]" not in events(answer.body), "a [DONE] after an error")


@suite.case("two requests over one connection")
def _(rig):
    url = rig.gateway.url + "/v1/models"
    answer = curl(url, url)
    equal(answer.status, 200, "status")
    expect("Re-using existing connection" in answer.told, "the connection was not used again")


@suite.case("Expect: 100-continue with 2 MB")
def _(rig):
    ask = {"messages": [{"role": "user", "content": "water " * 350_000}]}
    answer = chat(rig, "-H", "Expect: 100-continue", "--expect100-timeout", "10", **ask)
    equal((answer.exit_code, answer.status), (0, 200), "exit code and status")
    expect("< HTTP/1.1 100 " in answer.told, "no 100 Continue")
    expect(text(answer), "no text")


@suite.case("Expect: 100-continue is refused without the body when the head is enough")
def _(rig):
    before = rig.mock.count("requests")
    ask = {"messages": [{"role": "user", "content": "x" * (33 << 20)}]}
    answer = chat(rig, "-H", "Expect: 100-continue", "--expect100-timeout", "10", **ask)
    equal(answer.status, 413, "status")
    expect("< HTTP/1.1 100 " not in answer.told, "a 100 Continue")
    equal(json.loads(answer.body)["error"]["code"], "body_too_large", "code")
    equal(rig.mock.count("requests"), before, "requests at the provider")


@suite.case("a chunked request body")
def _(rig):
    answer = chat(rig, "-H", "Transfer-Encoding: chunked")
    equal((answer.exit_code, answer.status), (0, 200), "exit code and status")
    equal(text(answer), text(chat(rig)), "the text")


@suite.case("HTTP/1.0, unary and stream")
def _(rig):
    unary = chat(rig, "--http1.0")
    equal((unary.exit_code, unary.status), (0, 200), "exit code and status")
    streamed = chat(rig, "--http1.0", "-N", stream=True)
    equal((streamed.exit_code, streamed.status), (0, 200), "exit code and status of the stream")
    equal(streamed.header("transfer-encoding"), None, "transfer-encoding, unknown to HTTP/1.0")
    equal(stream_text(streamed.body), text(unary), "the text")
    equal(events(streamed.body)[-1], "[DONE]", "the last event")


@suite.case("TLS: the right authority is trusted, unary and stream; another one is not")
def _(rig):
    certificate, key = make_certificate(rig.fleet, "gateway")
    other, _ = make_certificate(rig.fleet, "other")
    listen = {"data": "127.0.0.1:0", "admin": "127.0.0.1:0",
              "tls": {"certificate": "file:" + certificate, "key": "file:" + key}}
    with rig.fleet.gateway("tls", rig.mock, listen=listen) as gateway:
        unary = chat(rig, "--cacert", certificate, url=gateway.url)
        equal((unary.exit_code, unary.status), (0, 200), "exit code and status")
        streamed = chat(rig, "-N", "--cacert", certificate, url=gateway.url, stream=True)
        equal(streamed.exit_code, 0, "exit code of the stream")
        equal(stream_text(streamed.body), text(unary), "the text")
        equal(events(streamed.body)[-1], "[DONE]", "the last event")
        equal(chat(rig, "--cacert", other, url=gateway.url).exit_code, BAD_CERTIFICATE,
              "exit code with another authority")
        expect(chat(rig, url="http://" + gateway.data).status != 200, "plain HTTP was served")


def make_certificate(fleet, name, names="IP:127.0.0.1,DNS:localhost"):
    """A self-signed certificate for these names; returns the paths of it and of its key."""
    certificate, key = fleet.path(name + ".pem"), fleet.path(name + ".key")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=" + name, "-keyout", key, "-out", certificate,
         "-addext", "subjectAltName=" + names],
        check=True, capture_output=True, timeout=10)
    return certificate, key
