"""Every fault that `penstock mock` has a name for, and what becomes of it at the gateway.

One row a fault; each is met by a unary call and by a stream. What must come of it is what
docs/reference/endpoints.md and routing.md say of one attempt.
"""

import contextlib
import dataclasses
import http.client
import functools
import json
import time

from cases import Suite
from curl_cases import events, stream_text
from harness import equal, eventually, expect

suite = Suite()

ASK = {"model": "chat", "messages": [{"role": "user", "content": "Where does the water go?"}]}
TOKENS = 16  # of a reply: its events are the role, so many tokens, the finish, [DONE]
FINISH = 1 + TOKENS

FIRST_BYTE_S, IDLE_S = 0.5, 0.9  # idle is longer than the 500 ms that are waited behind a finish
SLACK_S = 1.5  # nothing comes later than this behind its time


@dataclasses.dataclass(frozen=True)
class Whole:
    """A 200 with all of the text."""
    tokens: int = TOKENS

    def __str__(self):
        return "whole"


@dataclasses.dataclass(frozen=True)
class Error:
    """An error reply, and nothing beside it. after: no earlier than this, in seconds."""
    status: int
    code: str
    after: float = 0

    def __str__(self):
        return f"{self.status} {self.code}"


@dataclasses.dataclass(frozen=True)
class Cut:
    """A 200, the first `tokens` of the text (None: some), then the error event and no [DONE]."""
    tokens: int | None
    after: float = 0

    def __str__(self):
        return "interrupted"


@dataclasses.dataclass(frozen=True)
class Body:
    """A 200 with that very body."""
    body: str

    def __str__(self):
        return "as it is"


WHOLE = Whole()
SILENT = Error(504, "upstream_timeout", FIRST_BYTE_S)
NO_REPLY = Error(502, "upstream_unavailable")
BAD_REPLY = Error(502, "upstream_bad_response")
UPSTREAM_ERROR = Error(502, "upstream_error")
CREDENTIALS = Error(502, "upstream_credentials")
NOT_JSON, NOT_A_REPLY = "<p>", '{"object": "list"}'
HIDDEN = '{"error": {"message": "No."}}'


def passes(status):
    return Error(status, "mock_fault")


# The fault; what a unary call gets, what a stream gets (None: not said).
TABLE = (
    ({}, WHOLE, WHOLE),
    ({"latency_ms": 100}, WHOLE, WHOLE),
    ({"latency_ms": 9000}, SILENT, SILENT),
    ({"first_token_ms": 100}, WHOLE, WHOLE),
    ({"first_token_ms": 9000}, SILENT, SILENT),
    ({"inter_token_ms": 10}, WHOLE, WHOLE),
    ({"inter_token_ms": 9000}, SILENT, Cut(1, IDLE_S)),
    *(({"status": status}, passes(status), passes(status))
      for status in (400, 404, 408, 409, 422, 429, 500, 502, 503, 504, 529)),
    ({"status": 401}, CREDENTIALS, CREDENTIALS),
    ({"status": 403}, CREDENTIALS, CREDENTIALS),
    ({"status": 302, "body": "{}"}, BAD_REPLY, BAD_REPLY),
    ({"body": NOT_JSON}, BAD_REPLY, BAD_REPLY),
    ({"body": ""}, BAD_REPLY, BAD_REPLY),
    ({"body": NOT_A_REPLY}, Body(NOT_A_REPLY), BAD_REPLY),
    ({"body": HIDDEN}, UPSTREAM_ERROR, None),
    ({"body": f"data: {HIDDEN}\n\n"}, BAD_REPLY, UPSTREAM_ERROR),
    ({"body": "data: {\n\n" * 3}, BAD_REPLY, UPSTREAM_ERROR),
    ({"body": "data: {\n\n" * 4}, BAD_REPLY, BAD_REPLY),
    ({"error_rate": 0}, WHOLE, WHOLE),
    ({"error_rate": 1}, passes(500), passes(500)),
    ({"error_rate": 1, "status": 429}, passes(429), passes(429)),
    ({"healthy_but_failing": True}, passes(500), passes(500)),
    ({"healthy_but_failing": True, "status": 503}, passes(503), passes(503)),
    ({"refuse": 1}, NO_REPLY, NO_REPLY),
    ({"reset_after_bytes": 0}, NO_REPLY, NO_REPLY),
    ({"reset_after_bytes": 40}, NO_REPLY, NO_REPLY),
    ({"reset_after_bytes": 300}, BAD_REPLY, UPSTREAM_ERROR),
    ({"reset_after_bytes": 2000}, WHOLE, Cut(None)),
    ({"hang": True}, SILENT, SILENT),
    ({"cut_after_chunks": 0}, WHOLE, UPSTREAM_ERROR),
    ({"cut_after_chunks": 1}, WHOLE, UPSTREAM_ERROR),
    ({"cut_after_chunks": 4}, WHOLE, Cut(3)),
    ({"cut_after_chunks": FINISH}, WHOLE, Cut(TOKENS)),
    ({"cut_after_chunks": FINISH + 1}, WHOLE, WHOLE),
    ({"stall_after_chunks": 0}, WHOLE, SILENT),
    ({"stall_after_chunks": 1}, WHOLE, SILENT),
    ({"stall_after_chunks": 4}, WHOLE, Cut(3, IDLE_S)),
    ({"stall_after_chunks": FINISH}, WHOLE, Cut(TOKENS, IDLE_S)),
    ({"stall_after_chunks": FINISH + 1}, WHOLE, WHOLE),
    ({"malformed_event_at": 0}, WHOLE, WHOLE),
    ({"malformed_event_at": 3}, WHOLE, WHOLE),
    ({"error_event_at": 0}, WHOLE, UPSTREAM_ERROR),
    ({"error_event_at": 1}, WHOLE, UPSTREAM_ERROR),
    ({"error_event_at": 5}, WHOLE, Cut(4)),
    ({"missing_done": True}, WHOLE, WHOLE),
    ({"missing_finish": True}, WHOLE, WHOLE),
    ({"missing_done": True, "missing_finish": True}, WHOLE, Cut(TOKENS)),
    *(({"usage": word}, WHOLE, WHOLE) for word in ("none", "last", "separate", "every")),
    ({"crlf": True}, WHOLE, WHOLE),
    ({"multi_line_data": True}, WHOLE, WHOLE),
    ({"comments": True}, WHOLE, WHOLE),
    ({"one_byte_packets": True}, WHOLE, WHOLE),
    ({"crlf": True, "multi_line_data": True, "comments": True, "one_byte_packets": True,
      "usage": "every"}, WHOLE, WHOLE),
    ({"slots": 1}, WHOLE, WHOLE),
    ({"tokens": 3}, Whole(3), Whole(3)),
)


class Rig:
    """A mock of its own, a gateway that asks it once and has no patience, and the usual text."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.mock = fleet.mock("mock-of-faults")
        self.gateway = self.start("faults")
        self.words = Reply(self.gateway, stream=False).text().split()

    def start(self, name, **settings):
        """A gateway; settings: of its provider."""
        provider = {"dialect": "openai", "replicas": [self.mock.url], "keep_alive": "100ms",
                    "timeouts": {"first_byte": f"{FIRST_BYTE_S * 1000:.0f}ms",
                                 "idle": f"{IDLE_S * 1000:.0f}ms"},
                    "breaker": {"samples_min": 100000}, **settings}
        return self.fleet.gateway(
            name, self.mock, stream={"heartbeat": "30s"}, providers={"mock": provider},
            models={"chat": {"targets": [{"provider": "mock", "model": "mock"}]}})

    def forget_connections(self):
        """Until the gateway has none to the mock: only new ones can be refused."""
        eventually(lambda: self.mock.count("connections") == 1, "only the one that asks is open")


class Reply:
    """A chat through the gateway, read to the proper end of its body, or this raises."""

    def __init__(self, gateway, stream, headers=None, **named):
        body = {**ASK, "stream": stream, **named}
        connection = http.client.HTTPConnection(gateway.data, timeout=10)
        with contextlib.closing(connection):
            start = time.monotonic()
            connection.request("POST", "/v1/chat/completions", json.dumps(body),
                               {"content-type": "application/json", **(headers or {})})
            reply = connection.getresponse()
            self.status, self.head, self.body = reply.status, reply.headers, reply.read()
            self.seconds = time.monotonic() - start
        self.stream = stream

    def chunks(self):
        return [json.loads(data) for data in events(self.body) if data != "[DONE]"]

    def text(self):
        if self.stream:
            return stream_text(self.body)
        return json.loads(self.body)["choices"][0]["message"]["content"]


def is_whole(reply, wanted, words):
    equal(reply.status, 200, f"status ({reply.body[:300]!r})")
    if reply.stream:
        equal([chunk for chunk in reply.chunks() if "error" in chunk], [], "error events")
    equal(reply.text().split(), words[:wanted.tokens], "the text")
    if not reply.stream:
        equal(json.loads(reply.body)["model"], "chat", "the model")
        return
    equal([at for at, data in enumerate(events(reply.body)) if data == "[DONE]"],
          [len(reply.chunks())], "where [DONE] is")
    equal({chunk["model"] for chunk in reply.chunks()}, {"chat"}, "the models of the chunks")
    expect(all(chunk["choices"] for chunk in reply.chunks()), "a usage chunk, not asked for")


def is_error(reply, wanted, _words):
    equal((reply.status, reply.head["content-type"]), (wanted.status, "application/json"),
          f"status and type ({reply.body[:300]!r})")
    said = json.loads(reply.body)  # all of it: nothing stands before or behind the error
    equal(list(said), ["error"], "members of the reply")
    equal(said["error"]["code"], wanted.code, "code")
    expect({"message", "type", "param", "code"} <= set(said["error"]), f"members of {said}")
    equal(reply.head["x-should-retry"], "false", "x-should-retry")


def is_cut(reply, wanted, words):
    equal(reply.status, 200, f"status ({reply.body[:300]!r})")
    chunks = reply.chunks()
    expect(b"[DONE]" not in reply.body, "a [DONE] beside an error")
    equal([at for at, chunk in enumerate(chunks) if "error" in chunk], [len(chunks) - 1],
          "where error events are")
    last = chunks.pop()
    equal((last["error"]["code"], last["error"]["source"], last["partial"]),
          ("stream_interrupted", "upstream", True), "code, source and partial")
    said = "".join(choice["delta"].get("content") or "" for chunk in chunks
                   for choice in chunk["choices"]).split()
    count = len(said) if wanted.tokens is None else wanted.tokens
    expect(0 < count <= TOKENS, f"{count} tokens before the cut")
    equal(said, words[:count], "the text before the cut")


def is_body(reply, wanted, _words):
    equal((reply.status, reply.body.decode()), (200, wanted.body), "status and body")


CHECKS = {Whole: is_whole, Error: is_error, Cut: is_cut, Body: is_body}


def meets(reply, wanted, words):
    CHECKS[type(wanted)](reply, wanted, words)
    after = getattr(wanted, "after", 0)
    expect(after <= reply.seconds < after + SLACK_S, f"it took {reply.seconds:.3f} s")


def meet(fault, stream, wanted, rig):
    """With the fault comes what is wanted, and without it all is well at once."""
    if "refuse" in fault:
        rig.forget_connections()
    rig.mock.fault(**fault)
    meets(Reply(rig.gateway, stream), wanted, rig.words)
    rig.mock.fault()
    meets(Reply(rig.gateway, stream), WHOLE, rig.words)


for _fault, *_outcomes in TABLE:
    for _stream, _wanted in zip((False, True), _outcomes):
        if _wanted:
            suite.case(f"{json.dumps(_fault)}, {'stream' if _stream else 'unary'}: {_wanted}")(
                functools.partial(meet, _fault, _stream, _wanted))


def run(report, fleet, more):
    """more: a further suite for the same rig."""
    try:
        rig = Rig(fleet)
    except Exception as error:  # pylint: disable=broad-except
        report.add("faults", "a mock and a gateway start", error, 0)
        return
    suite.run(report, "faults", rig)
    more.run(report, "faults", rig)
