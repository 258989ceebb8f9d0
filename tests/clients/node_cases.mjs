// What users do with the OpenAI SDK for Node, through the gateway.

import assert from "node:assert/strict";

import OpenAI from "openai";

import { count, eventually, runAll, setFault, settings, test } from "./node_suite.mjs";

const messages = [{ role: "user", content: "Where does the water go?" }];
const ask = { model: "chat", messages };
const toolAsk = {
  ...ask,
  tool_choice: "required",
  tools: [{
    type: "function",
    function: {
      name: "look_up",
      parameters: { type: "object", properties: { place: { type: "string" } } },
    },
  }],
};

// How many HTTP requests the SDK sent, its own retries included.
let sent = 0;
const countedFetch = (...args) => {
  sent += 1;
  return fetch(...args);
};

function clientOf(options = {}, url = settings.gateway) {
  const usual = { apiKey: settings.key, timeout: 15000, maxRetries: 2, fetch: countedFetch };
  return new OpenAI({ ...usual, baseURL: `${url}/v1`, ...options });
}

const chat = (client, options = {}) => client.chat.completions.create({ ...ask, ...options });
const textOf = async (client, options) =>
  (await chat(client, options)).choices[0].message.content;

async function chunksOf(client, options = {}) {
  const chunks = [];
  for await (const chunk of await chat(client, { ...options, stream: true })) chunks.push(chunk);
  return chunks;
}

const joined = (chunks) =>
  chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta.content ?? "")).join("");

// Awaits an error of that very class, after a single request; returns it.
async function failure(kind, call) {
  const before = sent;
  const error = await call().then(() => null, (reason) => reason);
  assert.equal(error?.constructor?.name, kind.name, String(error));
  assert.equal(sent - before, 1, "requests that the SDK sent");
  return error;
}

function hasOurShape(error, status, code) {
  assert.deepEqual([error.status, error.code], [status, code]);
  for (const name of ["message", "type", "param", "code"]) assert.ok(name in error.error, name);
  assert.ok(error.requestID, "no request id");
  assert.equal(error.headers.get("x-should-retry"), "false");
}

// Reads a stream that must end with an error; returns the text before it and the error.
async function brokenStream(client) {
  let said = "";
  try {
    for await (const chunk of await chat(client, { stream: true })) said += joined([chunk]);
  } catch (error) {
    return { said, error };
  }
  throw new assert.AssertionError({ message: `a clean end after ${said}` });
}

test(`Node ${process.version} is one that the SDK takes`, async () => {
  assert.ok(Number(process.versions.node.split(".")[0]) >= 18, process.version);
  assert.equal(typeof fetch, "function");
});

test("chat", async () => {
  const reply = await chat(clientOf());
  assert.equal(reply.model, "chat");
  assert.equal(reply.choices[0].finish_reason, "stop");
  assert.ok(reply.choices[0].message.content);
  assert.ok(reply.usage.total_tokens > 0);
});

test("chat says what the provider said, member for member", async () => {
  const direct = await chat(clientOf({}, settings.mock), { model: "mock-chat" });
  assert.deepEqual(await chat(clientOf()), { ...direct, model: "chat" });
});

test("chat stream adds up to the unary text", async () => {
  const client = clientOf();
  const chunks = await chunksOf(client);
  assert.equal(joined(chunks), await textOf(client));
  assert.equal(chunks.at(-1).choices[0].finish_reason, "stop");
  assert.ok(chunks.every((chunk) => !chunk.usage), "usage that nobody asked for");
});

test("include_usage brings one usage chunk, at the end", async () => {
  const client = clientOf();
  const chunks = await chunksOf(client, { stream_options: { include_usage: true } });
  assert.equal(chunks.filter((chunk) => chunk.usage).length, 1);
  assert.deepEqual(chunks.at(-1).choices, []);
  assert.deepEqual(chunks.at(-1).usage, (await chat(client)).usage);
});

test("tools, streamed and not", async () => {
  const client = clientOf();
  const unary = await client.chat.completions.create(toolAsk);
  const call = unary.choices[0].message.tool_calls[0];
  assert.equal(call.function.name, "look_up");
  assert.deepEqual(Object.keys(JSON.parse(call.function.arguments)), ["place"]);
  const streamed = await client.chat.completions.stream(toolAsk).finalChatCompletion();
  const { id, function: { name, arguments: given } } = streamed.choices[0].message.tool_calls[0];
  assert.deepEqual([id, name, given], [call.id, call.function.name, call.function.arguments]);
});

test("embeddings, as floats and in base64", async () => {
  const client = clientOf();
  const input = { model: "embed", input: ["upper weir", "lower weir"], dimensions: 8 };
  const usual = await client.embeddings.create(input); // asked for in base64 and decoded
  const floats = await client.embeddings.create({ ...input, encoding_format: "float" });
  assert.equal(usual.data.length, 2);
  usual.data[0].embedding.forEach((value, i) =>
    assert.ok(Math.abs(value - floats.data[0].embedding[i]) < 1e-5));
});

test("legacy completions, streamed and not", async () => {
  const client = clientOf();
  const prompt = { model: "chat", prompt: "Where does the water go?" };
  const unary = await client.completions.create(prompt);
  let streamed = "";
  for await (const part of await client.completions.create({ ...prompt, stream: true }))
    streamed += part.choices.map((choice) => choice.text).join("");
  assert.ok(unary.choices[0].text);
  assert.equal(streamed, unary.choices[0].text);
});

test("models.list and models.retrieve", async () => {
  const client = clientOf();
  const names = [];
  for await (const model of client.models.list()) names.push(model.id);
  assert.deepEqual(names.sort(), ["chat", "dead", "embed"]);
  assert.equal((await client.models.retrieve("chat")).id, "chat");
});

test("unicode goes and comes intact", async () => {
  await setFault({ tokens: 400 });
  const said = { messages: [{ role: "user", content: "żółć 水 🌊 \u2028 \"\\\" \u0000 é" }] };
  const direct = await textOf(clientOf({}, settings.mock), { ...said, model: "mock-chat" });
  assert.ok(direct.includes("水"), "the mock said nothing worth testing");
  assert.equal(await textOf(clientOf(), said), direct);
  assert.equal(joined(await chunksOf(clientOf(), said)), direct);
});

test("a request id of ours is kept", async () => {
  const headers = { "x-request-id": "weir-42.a_B" };
  const { response } = await clientOf().chat.completions.create(ask, { headers }).withResponse();
  assert.equal(response.headers.get("x-request-id"), "weir-42.a_B");
});

test("keys: as Bearer and in the api-key header", async () => {
  const url = settings.keys_gateway;
  assert.ok(await textOf(clientOf({}, url)));
  const defaultHeaders = { authorization: null, "api-key": settings.key };
  assert.ok(await textOf(clientOf({ defaultHeaders }, url)));
});

test("a wrong key is an AuthenticationError", async () => {
  const client = clientOf({ apiKey: "sk-wrong" }, settings.keys_gateway);
  const error = await failure(OpenAI.AuthenticationError, () => chat(client));
  hasOurShape(error, 401, "unauthenticated");
});

test("an unknown model is a NotFoundError that bears the request id", async () => {
  const headers = { "x-request-id": "weir-404" };
  const error = await failure(OpenAI.NotFoundError, () =>
    clientOf().chat.completions.create({ ...ask, model: "chta" }, { headers }));
  hasOurShape(error, 404, "model_not_found");
  assert.equal(error.requestID, "weir-404");
});

test("nonsense is a BadRequestError", async () => {
  const error = await failure(OpenAI.BadRequestError, () =>
    chat(clientOf(), { stream_options: 5 }));
  hasOurShape(error, 400, "invalid_request");
});

test("a body over the limit is a 413", async () => {
  const content = "x".repeat(33 * 1024 * 1024);
  const error = await failure(OpenAI.APIError, () =>
    chat(clientOf(), { messages: [{ role: "user", content }] }));
  hasOurShape(error, 413, "body_too_large");
});

test("a provider's own error passes and is not retried", async () => {
  const client = clientOf();
  for (const [status, kind] of [[400, OpenAI.BadRequestError], [429, OpenAI.RateLimitError]]) {
    await setFault({ status });
    const before = await count("requests");
    const error = await failure(kind, () => chat(client));
    assert.deepEqual([error.status, error.code], [status, "mock_fault"]);
    assert.equal((await count("requests")) - before, 1, "requests at the provider");
  }
  await setFault({ status: 500 });
  const error = await failure(OpenAI.InternalServerError, () => chat(client, { stream: true }));
  assert.equal(error.status, 500);
});

test("a dead provider is a 502, streamed or not", async () => {
  for (const stream of [false, true]) {
    const error = await failure(OpenAI.InternalServerError, () =>
      chat(clientOf(), { model: "dead", stream }));
    hasOurShape(error, 502, "upstream_unavailable");
  }
});

test("leaving a stream cancels the call upstream", async () => {
  await setFault({ inter_token_ms: 50, tokens: 2000 });
  const before = await count("cancelled");
  const stream = await chat(clientOf(), { stream: true });
  let seen = 0;
  for await (const _ of stream) if (++seen === 3) break;
  await eventually(async () => (await count("cancelled")) === before + 1, "the mock's cancel");
});

test("aborting a unary call cancels it upstream", async () => {
  await setFault({ latency_ms: 15000 });
  const before = await count("cancelled");
  const running = await count("in_flight");
  const abort = new AbortController();
  const call = clientOf().chat.completions.create(ask, { signal: abort.signal });
  const ended = assert.rejects(call, OpenAI.APIUserAbortError);
  await eventually(async () => (await count("in_flight")) > running, "the mock's request");
  abort.abort();
  await ended;
  await eventually(async () => (await count("cancelled")) === before + 1, "the mock's cancel");
});

test("a time-out", async () => {
  await setFault({ latency_ms: 15000 });
  const client = clientOf({ timeout: 500, maxRetries: 0 });
  const error = await chat(client).then(() => null, (reason) => reason);
  // The gateway may know of the deadline and be faster.
  const late = error instanceof OpenAI.APIConnectionTimeoutError;
  assert.ok(late || error?.code === "deadline_exceeded", String(error));
});

test("a stream that is cut throws, after the text that came", async () => {
  const wanted = await textOf(clientOf());
  for (const fault of [{ cut_after_chunks: 4 }, { error_event_at: 5 }]) {
    await setFault(fault);
    const { said, error } = await brokenStream(clientOf());
    assert.ok(said && said !== wanted && wanted.startsWith(said), said);
    assert.ok(error instanceof OpenAI.APIError, String(error));
    assert.equal(error.code, "stream_interrupted");
  }
});

test("a stream without [DONE] or without a finish, or with heartbeats, ends clean", async () => {
  const wanted = await textOf(clientOf());
  for (const fault of [{ missing_done: true }, { missing_finish: true }, { first_token_ms: 700 },
                       { crlf: true, comments: true, one_byte_packets: true }]) {
    await setFault(fault);
    assert.equal(joined(await chunksOf(clientOf())), wanted, JSON.stringify(fault));
  }
});

await runAll();
