// Runs cases one after the other, each within its time, and prints a JSON line for each.

import assert from "node:assert/strict";

export const settings = JSON.parse(process.env.CLIENTS);
const kCaseMs = 20000;
const cases = [];

export function test(name, run) {
  cases.push({ name, run });
}

async function askMock(path, body) {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const reply = await fetch(settings.mock + path, options);
  const text = await reply.text();
  assert.equal(reply.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

export const setFault = (faults = {}) => askMock("/mock/fault", faults);
export const count = async (name) => (await askMock("/mock/stats"))[name];

// Asks until the answer is true; fails when the time is up.
export async function eventually(probe, what, ms = 5000) {
  for (const end = Date.now() + ms; !(await probe()); ) {
    assert.ok(Date.now() < end, `${what}: not within ${ms} ms`);
    await new Promise((resume) => setTimeout(resume, 10));
  }
}

function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function problemOf(run) {
  try {
    await setFault();
    await within(kCaseMs, run());
    return undefined;
  } catch (error) {
    return `${error.name}: ${error.message}`;
  } finally {
    await setFault();
  }
}

export async function runAll() {
  for (const { name, run } of cases) {
    if (!`node: ${name}`.includes(settings.only)) continue;
    const start = Date.now();
    const problem = await problemOf(run);
    console.log(JSON.stringify({ name, problem, seconds: (Date.now() - start) / 1000 }));
  }
  console.log(JSON.stringify({ done: true }));
}
