"""Redaction on a real gateway: a request masked and blocked, a stream letter by letter, and what a
long body costs others."""

import http.server
import json
import threading
import time

from cases import Suite
from harness import Answers, equal, eventually, expect, fetch, serving
from policy_cases import BEARER, chat, keyed
from process_cases import Rig

suite = Suite()

WHO = "anna.smith@example.com"
STALL_S = 2.0  # a turn takes milliseconds; in one piece the long body takes many seconds
LONG = 4 << 20


def run(report, fleet, mock):
    suite.run(report, "redaction", Rig(fleet, mock, "redaction"))


def redacting(rig, action, **sections):
    return keyed(rig, {"redact": {"patterns": ["email", "ipv6"], "action": action}}, **sections)


def ask(gateway, content, timeout=5.0, **members):
    body = {"model": "chat", "messages": [{"role": "user", "content": content}], **members}
    return fetch(gateway.url + "/v1/chat/completions", body, timeout, **BEARER)


class Letters(Answers):
    """A provider that streams one letter an event."""

    def do_POST(self):  # pylint: disable=invalid-name
        self.request_body()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for letter in f"write to {WHO} now":
            self.event({"index": 0, "delta": {"content": letter}, "finish_reason": None})
        self.event({"index": 0, "delta": {}, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, choice):
        data = {"id": "c1", "object": "chat.completion.chunk", "model": "up", "choices": [choice]}
        self.wfile.write(b"data: " + json.dumps(data).encode() + b"\n\n")
        self.wfile.flush()


@suite.case("an identifier that comes letter by letter is masked, and ends the stream under block")
def _letters(rig):
    with serving(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Letters)) as address:
        replica = {"dialect": "openai", "replicas": ["http://" + address]}
        sections = {"providers": {"mock": replica},
                    "models": {"chat": {"targets": [{"provider": "mock", "model": "up"}]}}}
        status, body = ask(redacting(rig, "mask", **sections), "hello", stream=True)
        equal((status, said(body)), (200, "write to [email] now"), "the masked stream")
        status, body = ask(redacting(rig, "block", **sections), "hello", stream=True)
        equal((status, said(body)), (200, "write to "), "the blocked stream")
        expect(b"content_blocked" in body and b"[DONE]" not in body, "how it ends")


def said(body):
    events = [json.loads(line[6:]) for line in body.decode().splitlines()
              if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"].get("content", "")
                   for event in events if event.get("choices"))


@suite.case("an identifier in a request is masked and counted, and leaves no trace")
def _mask(rig):
    gateway = redacting(rig, "mask")
    status, body = ask(gateway, f"write to {WHO} now")
    equal(status, 200, "status")
    expect(WHO.encode() not in body, "the reply has it")
    expect('penstock_redactions_total{kind="email",direction="request"} 1\n' in gateway.metrics(),
           "it is not counted")
    expect(WHO not in gateway.text(), "the log has it")


@suite.case("under block a request is refused before anybody is called, and names the kind only")
def _block(rig):
    gateway = redacting(rig, "block")
    before = rig.mock.count("requests")
    status, body = ask(gateway, f"write to {WHO} now")
    equal((status, json.loads(body)["error"]["code"]), (403, "content_blocked"), "refusal")
    expect(b"email" in body and WHO.encode() not in body, f"what it says: {body!r}")
    equal(rig.mock.count("requests"), before, "requests at the provider")
    equal(chat(gateway)[0], 200, "status of another")


@suite.case("a long body full of identifiers keeps no other request waiting, and has a bound")
def _long(rig):
    gateway = redacting(rig, "mask", workers=1)
    equal(chat(gateway)[0], 200, "status before")
    got = []
    text = "::1 " * (LONG // 4)
    long_one = threading.Thread(target=lambda: got.append(ask(gateway, text, 15.0)))
    long_one.start()
    slowest = 0.0
    while long_one.is_alive():
        start = time.monotonic()
        equal(chat(gateway)[0], 200, "status meanwhile")
        slowest = max(slowest, time.monotonic() - start)
    long_one.join()
    status, body = got[0]
    equal((status, json.loads(body)["error"]["code"]), (503, "redaction_unavailable"), "the bound")
    expect(slowest < STALL_S, f"another request waited {slowest:.2f} s")


@suite.case("a masked request is charged once while its provider is waited for")
def _charge(rig):
    gateway = redacting(rig, "mask", limits={"body_bytes": "4MiB", "body_memory": "7680KiB"})
    rig.mock.fault(latency_ms=1500)
    got = []
    text = WHO + " " + "x" * (3 << 20)  # 7 MiB while it is looked through, 3 MiB from then on
    held = threading.Thread(target=lambda: got.append(ask(gateway, text)[0]))
    held.start()
    eventually(lambda: rig.mock.count("in_flight") == 1, "the first is at the provider")
    equal(ask(gateway, "x" * 1_700_000)[0], 200, "status of a second beside it")
    held.join()
    equal(got, [200], "status of the first")
