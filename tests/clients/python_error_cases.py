"""How failures look in the OpenAI SDK for Python: class, code, and that it does not retry."""

import openai

from cases import Suite
from harness import Missed, equal, eventually, expect

suite = Suite()

ASK = {"model": "chat", "messages": [{"role": "user", "content": "Where does the water go?"}]}


async def failure(kit, kind, function, *args, **named):
    """Calls, and returns the error of that very class; the SDK must have asked only once."""
    sent = kit.requests.sent
    try:
        await kit.call(function, *args, **named)
    except openai.APIError as error:
        equal(type(error).__name__, kind.__name__, f"the error ({error})")
        equal(kit.requests.sent - sent, 1, "requests that the SDK sent")
        return error
    raise Missed(f"no {kind.__name__}")


def has_our_shape(error, status, code):
    equal((error.status_code, error.code), (status, code), "status and code")
    expect({"message", "type", "param", "code"} <= set(error.body), f"members of {error.body}")
    expect(error.request_id, "no request id")
    equal(error.response.headers.get("x-should-retry"), "false", "x-should-retry")


async def broken_stream(kit):
    """Reads a stream that must end with an APIError; returns the text before it and the error."""
    said = ""
    try:
        stream = await kit.call(kit.client().chat.completions.create, stream=True, **ASK)
        async for chunk in kit.items(stream):
            said += "".join(choice.delta.content or "" for choice in chunk.choices)
    except openai.APIError as error:
        return said, error
    raise Missed(f"a clean end after {said!r}")


async def full_text(kit):
    reply = await kit.call(kit.client().chat.completions.create, **ASK)
    return reply.choices[0].message.content


@suite.case("a wrong key is an AuthenticationError")
async def _(kit):
    before = kit.mock.count("requests")
    create = kit.client(kit.keys_gateway.url, api_key="sk-wrong").chat.completions.create
    for headers in ({}, {"Authorization": openai.Omit()}):  # a wrong key, and none at all
        error = await failure(kit, openai.AuthenticationError, create, extra_headers=headers,
                              **ASK)
        has_our_shape(error, 401, "unauthenticated")
    equal(kit.mock.count("requests"), before, "requests at the provider")


@suite.case("an unknown model is a NotFoundError that bears the request id")
async def _(kit):
    before = kit.mock.count("requests")
    client = kit.client()
    error = await failure(kit, openai.NotFoundError, client.chat.completions.create,
                          extra_headers={"x-request-id": "weir-404"}, **{**ASK, "model": "chta"})
    has_our_shape(error, 404, "model_not_found")
    equal(error.request_id, "weir-404", "request id")
    equal(error.body.get("hint") is not None, True, "a hint at the nearest name")
    error = await failure(kit, openai.NotFoundError, client.models.retrieve, "chta")
    has_our_shape(error, 404, "model_not_found")
    equal(kit.mock.count("requests"), before, "requests at the provider")


@suite.case("nonsense is a BadRequestError")
async def _(kit):
    before = kit.mock.count("requests")
    create = kit.client().chat.completions.create
    for body in ({"stream": "yes"}, {"stream_options": 5}, {"model": 7}):
        error = await failure(kit, openai.BadRequestError, create, extra_body=body, **ASK)
        has_our_shape(error, 400, "invalid_request")
        equal(error.param, next(iter(body)), "param")
    equal(kit.mock.count("requests"), before, "requests at the provider")


@suite.case("a body over the limit is a 413")
async def _(kit):
    create = kit.client().chat.completions.create
    ask = {**ASK, "messages": [{"role": "user", "content": "x" * (33 << 20)}]}
    error = await failure(kit, openai.APIStatusError, create, **ask)
    has_our_shape(error, 413, "body_too_large")


@suite.case("a provider's own error passes: 400, 404, 422, 429")
async def _(kit):
    create = kit.client().chat.completions.create
    for status, kind in ((400, openai.BadRequestError), (404, openai.NotFoundError),
                         (422, openai.UnprocessableEntityError), (429, openai.RateLimitError)):
        kit.mock.fault(status=status)
        before = kit.mock.count("requests")
        error = await failure(kit, kind, create, **ASK)
        equal((error.status_code, error.code), (status, "mock_fault"), "status and code")
        equal(kit.mock.count("requests") - before, 1, f"requests at the provider with {status}")


@suite.case("a provider's 500 and 503 pass, and the SDK does not retry them")
async def _(kit):
    create = kit.client().chat.completions.create
    for status in (500, 503):
        kit.mock.fault(status=status)
        for stream in (False, True):
            error = await failure(kit, openai.InternalServerError, create, stream=stream, **ASK)
            equal(error.status_code, status, "status")
            equal(error.response.headers.get("x-should-retry"), "false", "x-should-retry")


@suite.case("a provider that refuses our key is a 502, not the caller's 401")
async def _(kit):
    kit.mock.fault(status=401)
    create = kit.client().chat.completions.create
    error = await failure(kit, openai.InternalServerError, create, **ASK)
    has_our_shape(error, 502, "upstream_credentials")


@suite.case("a dead provider is a 502, streamed or not")
async def _(kit):
    create = kit.client().chat.completions.create
    for stream in (False, True):
        ask = {**ASK, "model": "dead", "stream": stream}
        error = await failure(kit, openai.InternalServerError, create, **ask)
        has_our_shape(error, 502, "upstream_unavailable")


@suite.case("a reply that is no JSON and no stream is a 502")
async def _(kit):
    kit.mock.fault(body="<p>")
    create = kit.client().chat.completions.create
    for stream in (False, True):
        error = await failure(kit, openai.InternalServerError, create, stream=stream, **ASK)
        has_our_shape(error, 502, "upstream_bad_response")


@suite.case("a connection reset within the reply's head is a 502")
async def _(kit):
    kit.mock.fault(reset_after_bytes=40)
    create = kit.client().chat.completions.create
    for stream in (False, True):
        error = await failure(kit, openai.InternalServerError, create, stream=stream, **ASK)
        has_our_shape(error, 502, "upstream_unavailable")


@suite.case("the client's time-out ends the call upstream as well")
async def _(kit):
    kit.mock.fault(latency_ms=15000)
    before = kit.mock.count("cancelled")
    client = kit.client(timeout=0.5, max_retries=0)
    try:
        await kit.call(client.chat.completions.create, **ASK)
        raise Missed("no time-out")
    except openai.APITimeoutError:
        pass
    except openai.APIStatusError as error:  # the gateway knew of the deadline and was faster
        equal((error.status_code, error.code), (504, "deadline_exceeded"), "status and code")
    eventually(lambda: kit.mock.count("cancelled") == before + 1, "the mock sees the cancel")


@suite.case("a stream that is cut raises, after the text that came")
async def _(kit):
    wanted = await full_text(kit)
    for chunks in (4, 9):
        kit.mock.fault(cut_after_chunks=chunks)
        said, error = await broken_stream(kit)
        expect(said and said != wanted and wanted.startswith(said), f"the text {said!r}")
        equal(error.code, "stream_interrupted", "code")


@suite.case("an error event within a stream raises")
async def _(kit):
    wanted = await full_text(kit)
    kit.mock.fault(error_event_at=5)
    said, error = await broken_stream(kit)
    expect(said and said != wanted and wanted.startswith(said), f"the text {said!r}")
    equal(error.code, "stream_interrupted", "code")


@suite.case("a stream without [DONE] or without a finish, or with a malformed event, ends clean")
async def _(kit):
    wanted = await full_text(kit)
    for fault in ({"missing_done": True}, {"missing_finish": True}, {"malformed_event_at": 3}):
        kit.mock.fault(**fault)
        stream = await kit.call(kit.client().chat.completions.create, stream=True, **ASK)
        said = ""
        async for chunk in kit.items(stream):
            said += "".join(choice.delta.content or "" for choice in chunk.choices)
        equal(said, wanted, f"the text with {fault}")
