"""What users do with the OpenAI SDK for Python, through the gateway, with both of its clients."""

import asyncio
import json

import openai

import python_error_cases
from cases import Suite
from harness import KEY, MODELS, equal, eventually, expect
from python_kit import AsyncKit, SyncKit

suite = Suite()
async_suite = Suite()  # only what needs many calls at once

ASK = [{"role": "user", "content": "Where does the water go?"}]
TOOL = {"type": "function", "function": {
    "name": "look_up", "description": "Looks a place up.",
    "parameters": {"type": "object", "properties": {
        "place": {"type": "string"}, "depth": {"type": "integer"}}}}}
TOOL_ASK = {"model": "chat", "messages": ASK, "tools": [TOOL], "tool_choice": "required"}


def run(report, mock, gateway, keys_gateway):
    for kit_type in (SyncKit, AsyncKit):
        more = async_suite.cases if kit_type is AsyncKit else []
        for name, case in suite.cases + more + python_error_cases.suite.cases:
            kit = kit_type(mock, gateway, keys_gateway)
            report.run(kit.name, name, lambda case=case, kit=kit: asyncio.run(_one(case, kit)))


async def _one(case, kit):
    kit.mock.fault()
    try:
        await case(kit)
    finally:
        kit.mock.fault()
        await kit.end()


async def chat(kit, client=None, **named):
    create = (client or kit.client()).chat.completions.create
    return await kit.call(create, **{"model": "chat", "messages": ASK, **named})


async def text(kit, client=None, **named):
    reply = await chat(kit, client, **named)
    return reply.choices[0].message.content


async def chunks(kit, client=None, **named):
    stream = await chat(kit, client, stream=True, **named)
    return [chunk async for chunk in kit.items(stream)]


def joined(parts):
    """The text of a stream's chunks."""
    return "".join(choice.delta.content or "" for chunk in parts for choice in chunk.choices)


@suite.case("chat")
async def _(kit):
    reply = await chat(kit)
    equal(reply.model, "chat", "the model has its public name")
    equal(reply.choices[0].finish_reason, "stop", "finish reason")
    expect(reply.choices[0].message.content, "the reply has no text")
    expect(reply.usage.total_tokens > 0, "the reply has no usage")


@suite.case("chat says what the provider said, member for member")
async def _(kit):
    direct = await chat(kit, kit.client(kit.mock.url), model=MODELS["chat"][1])
    through = await chat(kit)
    wanted = {**direct.model_dump(), "model": "chat"}
    equal(through.model_dump(), wanted, "the reply")


@suite.case("chat stream adds up to the unary text")
async def _(kit):
    client = kit.client()
    parts = await chunks(kit, client)
    equal(joined(parts), await text(kit, client), "the text")
    equal({part.model for part in parts}, {"chat"}, "the models of the chunks")
    equal(parts[-1].choices[0].finish_reason, "stop", "the last chunk's finish reason")


@suite.case("no usage chunk unless asked for")
async def _(kit):
    parts = await chunks(kit)
    expect(all(part.choices for part in parts), "a chunk without choices")
    equal([part.usage for part in parts if part.usage], [], "usage")


@suite.case("include_usage brings one usage chunk, at the end")
async def _(kit):
    client = kit.client()
    parts = await chunks(kit, client, stream_options={"include_usage": True})
    equal([i for i, part in enumerate(parts) if part.usage], [len(parts) - 1], "where usage is")
    equal(parts[-1].choices, [], "choices of the usage chunk")
    unary = await chat(kit, client)
    equal(parts[-1].usage.model_dump(), unary.usage.model_dump(), "usage")


@suite.case("several choices")
async def _(kit):
    client = kit.client()
    unary = await chat(kit, client, n=3)
    parts = await chunks(kit, client, n=3)
    for choice in unary.choices:
        streamed = "".join(c.delta.content or "" for part in parts for c in part.choices
                           if c.index == choice.index)
        equal(streamed, choice.message.content, f"choice {choice.index}")
    equal(len(unary.choices), 3, "choices")


@suite.case("tools")
async def _(kit):
    reply = await kit.call(kit.client().chat.completions.create, **TOOL_ASK)
    call = reply.choices[0].message.tool_calls[0]
    equal(reply.choices[0].finish_reason, "tool_calls", "finish reason")
    equal(call.function.name, "look_up", "the function")
    equal(set(json.loads(call.function.arguments)), {"place", "depth"}, "the arguments")


@suite.case("tool calls, streamed, add up to the unary call")
async def _(kit):
    client = kit.client()
    unary = await kit.call(client.chat.completions.create, **TOOL_ASK)
    stream = await kit.call(client.chat.completions.create, stream=True, **TOOL_ASK)
    names, ids, arguments = [], [], ""
    async for part in kit.items(stream):
        for call in (part.choices[0].delta.tool_calls or []) if part.choices else []:
            names += [call.function.name] if call.function.name else []
            ids += [call.id] if call.id else []
            arguments += call.function.arguments or ""
    call = unary.choices[0].message.tool_calls[0]
    equal((ids, names, arguments), ([call.id], [call.function.name], call.function.arguments),
          "the call")


@suite.case("embeddings, as floats and in base64")
async def _(kit):
    create = kit.client().embeddings.create
    ask = {"model": "embed", "input": ["upper weir", "lower weir"], "dimensions": 8}
    usual = await kit.call(create, **ask)  # the SDK asks for base64 and decodes it
    floats = await kit.call(create, encoding_format="float", **ask)
    equal(len(usual.data), 2, "vectors")
    for left, right in zip(usual.data, floats.data):
        equal(len(left.embedding), 8, "dimensions")
        worst = max(abs(a - b) for a, b in zip(left.embedding, right.embedding))
        expect(worst < 1e-5, f"base64 and floats differ by {worst}")
    expect(usual.data[0].embedding != usual.data[1].embedding, "two texts, one vector")
    equal(usual.model, "embed", "the model has its public name")


@suite.case("legacy completions, streamed and not")
async def _(kit):
    create = kit.client().completions.create
    unary = await kit.call(create, model="chat", prompt="Where does the water go?")
    stream = await kit.call(create, model="chat", prompt="Where does the water go?", stream=True)
    streamed = [part async for part in kit.items(stream)]
    expect(unary.choices[0].text, "the reply has no text")
    equal("".join(c.text for part in streamed for c in part.choices), unary.choices[0].text, "text")


@suite.case("models.list and models.retrieve")
async def _(kit):
    client = kit.client()
    listed = [model.id async for model in kit.items(await kit.call(client.models.list))]
    equal(sorted(listed), sorted(MODELS), "the models")
    model = await kit.call(client.models.retrieve, "chat")
    equal((model.id, model.object), ("chat", "model"), "the model")


@suite.case("unicode goes and comes intact")
async def _(kit):
    kit.mock.fault(tokens=400)
    ask = {"messages": [{"role": "user", "content": "żółć 水 \U0001f30a \u2028 \"\\\" \u0000 é"}]}
    direct = await text(kit, kit.client(kit.mock.url), model=MODELS["chat"][1], **ask)
    client = kit.client()
    expect("水" in direct and "café" in direct, "the mock said nothing worth testing")
    equal(await text(kit, client, **ask), direct, "unary")
    equal(joined(await chunks(kit, client, **ask)), direct, "stream")


@suite.case("a request id of ours is kept, and one is given otherwise")
async def _(kit):
    create = kit.client().chat.completions.with_raw_response.create
    ask = {"model": "chat", "messages": ASK}
    mine = await kit.call(create, extra_headers={"x-request-id": "weir-42.a_B"}, **ask)
    equal(mine.headers["x-request-id"], "weir-42.a_B", "x-request-id")
    other = await kit.call(create, **ask)
    expect(len(other.headers.get_list("x-request-id")) == 1, "exactly one x-request-id")
    expect(other.headers["x-request-id"], "an empty x-request-id")
    equal(mine.parse().choices, other.parse().choices, "the two replies")


@suite.case("keys: as Bearer and in the api-key header")
async def _(kit):
    url = kit.keys_gateway.url
    expect(await text(kit, kit.client(url)), "no text with a bearer key")
    headers = {"Authorization": openai.Omit(), "api-key": KEY}
    expect(await text(kit, kit.client(url), extra_headers=headers), "no text with api-key")


@suite.case("leaving a stream cancels the call upstream")
async def _(kit):
    kit.mock.fault(inter_token_ms=50, tokens=2000)
    before = kit.mock.count("cancelled")
    stream = await chat(kit, stream=True)
    seen = 0
    async for _chunk in kit.items(stream):
        seen += 1
        if seen == 3:
            break
    await kit.leave(stream)
    eventually(lambda: kit.mock.count("cancelled") == before + 1, "the mock sees the cancel")
    eventually(lambda: kit.mock.count("in_flight") == 0, "nothing is left running")


@suite.case("heartbeats in a silence change nothing")
async def _(kit):
    client = kit.client()
    wanted = await text(kit, client)
    kit.mock.fault(first_token_ms=700, inter_token_ms=20)
    equal(joined(await chunks(kit, client)), wanted, "the text")


@suite.case("every way to frame a stream gives the same text")
async def _(kit):
    client = kit.client()
    wanted = await text(kit, client)
    for fault in ({"crlf": True}, {"comments": True}, {"one_byte_packets": True},
                  {"multi_line_data": True}, {"usage": "every"}, {"usage": "last"},
                  {"usage": "separate"}, {"usage": "none"}, {"crlf": True, "comments": True,
                                                             "one_byte_packets": True}):
        kit.mock.fault(**fault)
        equal(joined(await chunks(kit, client)), wanted, f"the text with {fault}")


@async_suite.case("many streams at once")
async def _(kit):
    client = kit.client()
    kit.mock.fault(inter_token_ms=5)
    asks = [[{"role": "user", "content": f"Question {i}?"}] for i in range(32)]
    streamed = await asyncio.gather(*(chunks(kit, client, messages=ask) for ask in asks))
    kit.mock.fault()
    unary = await asyncio.gather(*(text(kit, client, messages=ask) for ask in asks))
    equal([joined(parts) for parts in streamed], unary, "the texts")
