"""Rules for callers on a real gateway: what is audited where, a prompt from a file, dev mode."""

import hashlib
import json
import signal

from cases import Suite
from harness import KEY, MODELS, equal, eventually, expect, fetch
from process_cases import BAD_CONFIG, Rig

suite = Suite()

BEARER = {"authorization": f"Bearer {KEY}"}
PROMPT = "Never mention the marked word 7f3a"
CONTENT = "the marked content 55d0"


def run(report, fleet, mock):
    suite.run(report, "policy", Rig(fleet, mock, "policy"))


TIERS = ("internal", "external")


def tenants(tier="internal", **rules):
    key = {"id": "k1", "sha256": hashlib.sha256(KEY.encode()).hexdigest(), "workload": "app"}
    return {"acme": {"tier": tier, "keys": [key], "workloads": {"app": rules}}}


def keyed(rig, rules, tier="internal", **sections):
    return rig.gateway(auth={"mode": "keys"}, tenants=tenants(tier, **rules), **sections)


def chat(gateway, model="chat", headers=None, **members):
    body = {"model": model, "messages": [{"role": "user", "content": CONTENT}], **members}
    return fetch(gateway.url + "/v1/chat/completions", body, **BEARER, **(headers or {}))


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


@suite.case("the audit log has a file of its own, with who, what and why, and never content")
def _audit_file(rig):
    path = rig.fleet.path("audit-own.log")
    gateway = keyed(rig, {"tools": "deny"},
                    telemetry={"access_log": "off", "audit_log": "file:" + path})
    tool = {"type": "function", "function": {"name": "f"}}
    equal(chat(gateway, tools=[tool])[0], 403, "status with tools")
    equal(chat(gateway, headers={"x-penstock-provider": "mock"})[0], 200, "status of a choice")
    equal(chat(gateway)[0], 200, "status of a plain call")
    lines = eventually(lambda: len(lines_of(path)) >= 2 and lines_of(path), "two audit lines")
    equal(len(lines), 2, "audit lines")
    told = [{name: line[name] for name in ("audit", "rule", "action", "code", "tenant", "workload",
                                           "key_id", "provider", "model")} for line in lines]
    who = {"audit": True, "tenant": "acme", "workload": "app", "key_id": "k1", "model": "chat"}
    equal(told, [{**who, "rule": "tools", "action": "refuse", "code": "tools_not_allowed",
                  "provider": None},
                 {**who, "rule": "explicit_provider", "action": "choose", "code": None,
                  "provider": "mock"}], "what they say")
    with open(path, encoding="utf-8") as file:
        expect(CONTENT not in file.read(), "content stands in the audit log")
    expect("penstock_audit_log_dropped_total 0\n" in gateway.metrics(), "no count of dropped lines")


@suite.case("an audit log that cannot be written loses lines, counts them and stops nobody")
def _audit_lost(rig):
    for tier in TIERS:
        gateway = keyed(rig, {"tools": "deny"}, tier,
                        telemetry={"access_log": "off", "audit_log": "file:/dev/full"})
        for _ in range(3):
            equal(chat(gateway, tools=[{}])[0], 403, f"status with tools, {tier}")
        equal(chat(gateway)[0], 200, f"status of a plain call, {tier}")
        eventually(lambda: "penstock_audit_log_dropped_total 3\n" in gateway.metrics(),
                   f"three lost lines are counted, {tier}")


@suite.case("an access log that cannot be written loses lines, counts them and stops nobody")
def _access_log_lost(rig):
    audit = rig.fleet.path("audit-beside.log")
    for tier in TIERS:
        gateway = keyed(rig, {"tools": "deny"}, tier, telemetry={
            "access_log": "file:/dev/full", "audit_log": "file:" + audit})
        equal([chat(gateway)[0] for _ in range(4)], [200] * 4, f"statuses, {tier}")
        equal(chat(gateway, tools=[{}])[0], 403, f"status with tools, {tier}")
        eventually(lambda: gateway.metric("penstock_access_log_dropped_total") == 5,
                   f"five lost lines are counted, {tier}")
        equal(gateway.metric("penstock_audit_log_dropped_total"), 0.0, "audit lines lost")
    equal(len(eventually(lambda: len(lines_of(audit)) >= 2 and lines_of(audit),
                         "two audit lines")), 2, "audit lines, each in its own file")


@suite.case("lost lines of a stream that two logs share are counted each as its own")
def _both_lost(rig):
    for tier in ("internal", "external"):
        whose = tenants(tools="deny")
        whose["acme"]["tier"] = tier
        gateway = rig.gateway(auth={"mode": "keys"}, tenants=whose, telemetry={
            "access_log": "file:/dev/full", "audit_log": "file:/dev/full"})
        equal([chat(gateway)[0] for _ in range(4)], [200] * 4, "statuses of plain calls")
        equal([chat(gateway, tools=[{}])[0] for _ in range(2)], [403] * 2, "statuses with tools")
        for counted in ("access_log_dropped_total 6\n", "audit_log_dropped_total 2\n"):
            eventually(lambda counted=counted: f"penstock_{counted}" in gateway.metrics(),
                       f"{counted} of tenant {tier}")


@suite.case("a system prompt is read from its file, less one line end, and shown nowhere")
def _system_prompt(rig):
    rig.file("policy-prompt.txt", PROMPT + "\n")
    gateway = keyed(rig, {"system_prompt": "file:policy-prompt.txt"})
    rig.mock.fault()
    equal(chat(gateway)[0], 200, "status")
    shown = fetch(gateway.admin + "/admin/v1/config")[1].decode()
    expect("policy-prompt.txt" in shown and PROMPT not in shown, "the config shows the prompt")
    told = rig.verb("explain", "-c", gateway.path, "--key", KEY, "--model", "chat")
    equal(told.returncode, 0, f"exit code of explain ({told.stderr!r})")
    expect(b"system_prompt" in told.stdout and PROMPT.encode() not in told.stdout,
           "explain shows the prompt")
    expect(PROMPT not in gateway.text(), "the log shows the prompt")


@suite.case("a reload reads the prompt anew, also one that it adds")
def _prompt_reload(rig):
    gateway = rig.gateway(auth={"mode": "keys"}, tenants=tenants())
    equal(chat(gateway)[0], 200, "status without a prompt")
    equal(completion(gateway), 200, "status of a completion without a prompt")
    rig.file("policy-prompt-2.txt", PROMPT)
    prompted = tenants(system_prompt="file:policy-prompt-2.txt")
    gateway.write({**gateway.config(), "tenants": prompted})
    gateway.child.send_signal(signal.SIGHUP)
    eventually(lambda: completion(gateway) == 400, "the prompt is enforced: completions end")
    equal(chat(gateway)[0], 200, "status with the prompt")


def completion(gateway):
    return fetch(gateway.url + "/v1/completions", {"model": "chat", "prompt": "x"}, **BEARER)[0]


@suite.case("check refuses rules that can never bind, each with its place")
def _check(rig):
    gateway = keyed(rig, {})
    config = gateway.config()
    config["tenants"] = tenants(models=["chatt"], providers=["mok"], label="required")
    told = rig.verb("check", "-c", rig.file("policy-bad.yaml", json.dumps(config, indent=1)))
    equal(told.returncode, BAD_CONFIG, "exit code")
    for part in (b'unknown provider "mok"', b"no label is known"):
        expect(part in told.stderr + told.stdout, f"{part!r} is not told: {told.stderr!r}")
    config["tenants"] = tenants(models=["chatt"])
    told = rig.verb("check", "-c", rig.file("policy-bad.yaml", json.dumps(config, indent=1)))
    expect(b'did you mean "chat"?' in told.stderr + told.stdout, f"no hint: {told.stderr!r}")


@suite.case("check warns of a tenant whose keys are all disabled, and serve takes it")
def _dead_keys(rig):
    whose = tenants()
    whose["acme"]["keys"][0]["disabled"] = True
    gateway = rig.gateway(auth={"mode": "keys"}, tenants=whose)
    equal(chat(gateway)[0], 403, "status")
    told = rig.verb("check", "-c", gateway.path)
    equal(told.returncode, 0, "exit code")
    expect(b"tenants.acme.keys" in told.stderr, f"check does not warn: {told.stderr!r}")


@suite.case("a PATCH changes rules at once and the audit log tells it")
def _live(rig):
    path = rig.fleet.path("audit-live.log")
    gateway = keyed(rig, {}, telemetry={"access_log": "off", "audit_log": "file:" + path})
    equal(chat(gateway)[0], 200, "status before")
    gateway.patch({"tenants": {"acme": {"workloads": {"app": {"models": ["embed"]}}}}})
    equal(chat(gateway)[0], 403, "status with the list")
    gateway.patch({"tenants": {"acme": {"workloads": {"app": {"models": None}}}}})
    equal(chat(gateway)[0], 200, "status after")
    lines = eventually(lambda: len(lines_of(path)) >= 3 and lines_of(path), "three audit lines")
    equal([line["rule"] for line in lines], ["admin", "models", "admin"], "rules")
    equal(lines[0]["changes"], [{"path": "tenants.acme.workloads.app.models[0]", "from": None,
                                 "to": "embed"}], "changes")


@suite.case("dev mode is told at the start and does not leave loopback")
def _dev(rig):
    gateway = rig.gateway()
    told = gateway.text()
    expect('"level":"warn"' in told and "dev" in told, "no warning at the start")
    config = gateway.config()
    config["listen"]["data"] = "0.0.0.0:0"
    told = rig.verb("serve", "-c", rig.file("policy-open.yaml", json.dumps(config)))
    equal(told.returncode, BAD_CONFIG, "exit code")
    for change in ({"listen": {"data": "127.0.0.1:0", "admin": "0.0.0.0:0"},
                    "admin": {"token": "env:TOKEN"}}, {"tenants": tenants()}):
        told = rig.verb("check", "-c", rig.file("policy-open.yaml", json.dumps(
            {**gateway.config(), **change})), TOKEN="t")
        equal(told.returncode, BAD_CONFIG, f"exit code with {list(change)}")
    expect(set(MODELS) <= {model["id"] for model in json.loads(
        fetch(gateway.url + "/v1/models")[1])["data"]}, "dev mode lists every model")
