"""The verbs that end by themselves: version, check, config, load, and what is no verb at all."""

import json
import re

from cases import Suite
from harness import equal, expect, fetch
from process_cases import BAD_CONFIG, Rig

suite = Suite()

USAGE = 100  # exit codes above this: the command line is wrong
SECRETS = {"PENSTOCK_CASE_TOKEN": "token-of-the-case-7f3a", "PENSTOCK_CASE_KEY": "key-of-case-9c1e"}
FILE_SECRET = "file-key-of-the-case-55d0"

# Something of every section, so that `config show` has much to get wrong.
GOOD = """\
version: 1
workers: 3
listen: { data: 127.0.0.1:0, admin: 127.0.0.1:0, keep_alive: 41s }
admin: { token: env:PENSTOCK_CASE_TOKEN }
limits: { in_flight: 123, body_bytes: 3MiB }
admission: { queue: 7, queue_wait: 250ms }
auth: { mode: keys }
tenants:
  retail:
    limits: { requests: 600/min, burst: 9 }
    keys: [ { id: "8.0", workload: support,
              sha256: e2186dbdb1bb4193608605e84f33208765b5693b55edd4f730a719a100eeea6f } ]
    workloads: { support: { priority: interactive, limits: { in_flight: 5 } } }
providers:
  local:
    dialect: openai
    replicas: [ http://127.0.0.1:9, { url: http://127.0.0.1:10/base/v1, weight: 3 } ]
    key: env:PENSTOCK_CASE_KEY
    health: { interval: 7s }
    breaker: { slow_call: off, half_open: 25% }
  spare: { dialect: openai, replicas: [ http://127.0.0.1:9 ], key: file:case.key }
models:
  "chat/default":
    targets: [ { provider: local, model: m, weight: 4 } ]
    fallback: [ { provider: spare, model: "#no:comment" } ]
    deadline: 99s
retry: { budget: 12.5% }
telemetry: { access_log: off }
"""

BAD = """\
version: 1
listen: { data: 127.0.0.1:0, admin: 127.0.0.1:0 }
auth: { mode: key }
limits: { in_flight: lots }
tenants:
  t:
    keys: [ { id: k, sha256: e2186dbdb1bb4193608605e84f33208765b5693b55edd4f730a719a100eeea6f } ]
providers:
  local: { dialect: openai, replicas: [ http://127.0.0.1:9 ], timeouts: { idle: 60 } }
models:
  chat: { targets: [ { provider: locl, model: m } ] }
stream: { heartbeet: 15s }
drain: { settle: 5s }
drain: { settle: 6s }
alerts: {}
"""
# What must be said of it, in order: the text at whose place, and words of the message.
PROBLEMS = (
    ("key }", 'auth.mode: unknown word "key" — did you mean "keys"?'),
    ("lots", 'limits.in_flight: "lots" is not a whole number'),
    ("60 }", 'providers.local.timeouts.idle: "60" has no unit'),
    ("locl", 'unknown provider "locl" — did you mean "local"? (defined at line 9)'),
    ("heartbeet", 'unknown key "heartbeet" in stream — did you mean "heartbeat"?'),
    ("drain: { settle: 6s", 'duplicate key "drain" — the first is at line 13'),
    ("alerts", '"alerts" is not in this version'),
)

SCHEMA_KEYS = ("version", "listen.data", "listen.keep_alive", "listen.tls.certificate",
               "limits.header_bytes", "auth.mode", "retry.budget", "stream.heartbeat",
               "drain.settle", "telemetry.access_log")
PROVIDER_KEYS = {"dialect", "replicas", "key", "balance", "limits", "timeouts", "health", "breaker"}
VERBS = ("dev", "serve", "check", "explain", "config", "keys", "mock", "load", "lab", "version")


def run(report, fleet, mock):
    suite.run(report, "verbs", Rig(fleet, mock, "verbs"))


def good_config(rig):
    rig.file("case.key", FILE_SECRET + "\n")
    return rig.file("good.yaml", GOOD)


@suite.case("version is what --version and the admin plane say")
def _version(rig):
    done = rig.verb("version")
    equal(done.returncode, 0, "exit code")
    told = re.fullmatch(rb"penstock (\d+\.\d+\.\d+)( \([0-9a-f]+\+?\))?\n", done.stdout)
    expect(told, f"it said {done.stdout!r}")
    equal(rig.verb("--version").stdout, done.stdout, "--version")
    with rig.gateway() as gateway:
        status = json.loads(fetch(gateway.admin + "/admin/v1/status")[1])
    equal(status["version"].split()[0], told[1].decode(), "version of the status")


@suite.case("check finds a good config fine")
def _good(rig):
    done = rig.verb("check", "-c", good_config(rig), **SECRETS)
    equal((done.returncode, done.stderr), (0, b""), "exit code and problems")
    equal(done.stdout.decode(), "good.yaml: fine, 2 provider(s), 1 model(s)\n", "output")


def place(config, text):
    """Its line and column there."""
    before = config[:config.index(text)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


@suite.case("check tells every problem with file, line, column and the nearest name, exit code 78")
def _bad(rig):
    done = rig.verb("check", "-c", rig.file("bad.yaml", BAD))
    equal((done.returncode, done.stdout), (BAD_CONFIG, b""), "exit code and output")
    told = done.stderr.decode().splitlines()
    equal(len(told), len(PROBLEMS) + 1, f"lines of {told}")
    for line, (at, words) in zip(told, PROBLEMS):
        start = f"bad.yaml:{place(BAD, at)}: {words}"
        equal(line[:len(start)], start, "a problem")
    equal(told[-1], f"bad.yaml: {len(PROBLEMS)} problems", "the last line")


@suite.case("check names a secret that is not there, and a config that is not there; exit code 78")
def _missing(rig):
    given = {"PENSTOCK_CASE_KEY": SECRETS["PENSTOCK_CASE_KEY"]}
    for path, words in ((good_config(rig), b"PENSTOCK_CASE_TOKEN"), ("no.yaml", b"no.yaml: ")):
        done = rig.verb("check", "-c", path, **given)
        equal(done.returncode, BAD_CONFIG, "exit code")
        expect(words in done.stderr, f"it said {done.stderr!r}")
        expect(given["PENSTOCK_CASE_KEY"].encode() not in done.stderr, "a secret was printed")


def properties(schema, path):
    """The schema of the key at a dotted path."""
    for key in path.split("."):
        expect(key in schema["properties"], f"no {key} of {path} in the schema")
        schema = schema["properties"][key]
    return schema


@suite.case("config schema is a JSON Schema that names the keys and admits no others")
def _schema(rig):
    done = rig.verb("config", "schema")
    equal((done.returncode, done.stderr), (0, b""), "exit code and errors")
    schema = json.loads(done.stdout)
    expect("json-schema.org" in schema["$schema"], f"$schema {schema['$schema']!r}")
    equal(schema["additionalProperties"], False, "additionalProperties")
    equal(sorted(schema["required"]), ["listen", "version"], "required")
    for path in SCHEMA_KEYS:
        expect(properties(schema, path).get("description"), f"no description of {path}")
    provider = properties(schema, "providers")["additionalProperties"]["properties"]
    expect(PROVIDER_KEYS <= set(provider), f"keys of a provider: {sorted(provider)}")
    equal(provider["balance"]["default"], "weighted_round_robin", "default of balance")


@suite.case("config show tells values with their origin and no secret, and is a config itself")
def _show(rig):
    done = rig.verb("config", "show", "-c", good_config(rig), **SECRETS)
    equal((done.returncode, done.stderr), (0, b""), "exit code and errors")
    shown = done.stdout.decode()
    for secret in (*SECRETS.values(), FILE_SECRET):
        expect(secret not in shown, "a secret was printed")
    for setting in ("in_flight: 123", "deadline: 99s", "key: env:PENSTOCK_CASE_KEY",
                    "key: file:case.key", "model: \"#no:comment\""):
        line, _, _ = place(GOOD, setting).partition(":")
        expect(f" {setting}  # good.yaml:{line}\n" in shown, f"no {setting!r} in {shown!r}")
    expect(" head_wait: 10s  # default\n" in shown, "no default")
    again = rig.file("shown.yaml", shown)
    equal(rig.verb("check", "-c", again, **SECRETS).returncode, 0, "exit code of check on it")
    twice = rig.verb("config", "show", "-c", again, **SECRETS).stdout.decode()
    equal(values(twice), values(shown), "what is shown of what was shown")


def values(shown):
    """Without the origins."""
    return [line.rpartition("  # ")[0] for line in shown.splitlines()]


def load(rig, *options):
    """Runs it against the mock; returns what it said and how many requests the mock counted."""
    before = rig.mock.count("requests")
    done = rig.verb("load", "--url", rig.mock.url, *options)
    equal(done.returncode, 0, f"exit code ({done.stderr!r})")
    return done.stdout.decode(), done.stderr.decode(), rig.mock.count("requests") - before


def read_table(text):
    """The counts of the first line, and {row: its four times in ms}."""
    head = re.match(r"requests +(\d+) sent, (\d+) ok, (\d+) aborted, (\d+) failed in [\d.]+ s\n",
                    text)
    expect(head, f"no line of requests: {text[:200]!r}")
    expect(re.search(r"^ +p50 +p95 +p99 +max$", text, re.MULTILINE), f"no percentiles: {text!r}")
    rows = re.findall(r"^(ttft|total|late)((?: +[\d.]+ ms){4})$", text, re.MULTILINE)
    return [int(word) for word in head.groups()], {
        name: [float(word) for word in times.split("ms")[:-1]] for name, times in rows}


@suite.case("load reports what was sent, what was fine, and percentiles")
def _load(rig):
    rig.mock.fault(latency_ms=20)
    table, _, counted = load(rig, "--requests", "30", "--concurrency", "3")
    counts, rows = read_table(table)
    equal(counts, [30, 30, 0, 0], "sent, ok, aborted, failed")
    equal(counted, 30, "requests at the mock")
    equal(set(rows), {"ttft", "total", "late"}, "rows")
    for name in ("ttft", "total"):
        expect(19 < rows[name][0] < 2000, f"p50 of {name}: {rows[name][0]} ms")
        equal(rows[name], sorted(rows[name]), f"percentiles of {name}, in order")


@suite.case("load --json is one object on standard output, the table goes to standard error")
def _load_json(rig):
    records = rig.fleet.path("records.jsonl")
    out, err, counted = load(rig, "--json", "--requests", "12", "--stream", "--records", records)
    equal(out.count("\n"), 1, "lines of output")
    said = json.loads(out)
    equal([said[name] for name in ("sent", "ok", "aborted", "failed")], [12, 12, 0, 0], "counts")
    equal((read_table(err)[0], counted), ([12, 12, 0, 0], 12), "the table, and the mock's count")
    expect(said["chunks"] >= 12 * 16, f"{said['chunks']} chunks")
    for name in ("ttft_us", "total_us"):
        equal(said[name]["count"], 12, f"count of {name}")
        expect(0 < said[name]["p50"] <= said[name]["p99"] <= said[name]["max"], f"{said[name]}")
    expect(said["ttft_us"]["p50"] <= said["total_us"]["p50"], "the end before the first content")
    with open(records, encoding="utf-8") as file:
        equal([json.loads(line)["status"] for line in file], [200] * 12, "statuses recorded")


@suite.case("load --rps offers that rate whatever becomes of it; failures are counted by kind")
def _load_rate(rig):
    rig.mock.fault(latency_ms=200)
    said = json.loads(load(rig, "--json", "--rps", "50", "--duration", "1s")[0])
    equal(said["offered_rps"], 50, "offered")
    expect(49 <= said["sent"] <= 51, f"{said['sent']} sent")  # one at a time would be five
    expect(30 < said["achieved_rps"] <= 51, f"{said['achieved_rps']} achieved")
    rig.mock.fault(status=503)
    said = json.loads(load(rig, "--json", "--requests", "5")[0])
    equal([said["ok"], said["failed"], said["achieved_rps"]], [0, 5, 0], "ok, failed, achieved")
    equal((said["statuses"], said["codes"]), ({"503": 5}, {"mock_fault": 5}), "statuses, codes")


@suite.case("load refuses values that it cannot use, exit code 1")
def _load_refuses(rig):
    for options, word in ((("--url", "elsewhere"), b"--url"),
                          (("--url", rig.mock.url, "--rps", "-1"), b"--rps"),
                          (("--url", rig.mock.url, "--threads", "0"), b"--threads")):
        done = rig.verb("load", *options)
        equal((done.returncode, word in done.stderr), (1, True), f"{options}: {done.stderr!r}")


@suite.case("--help lists every verb, and each verb has its own")
def _help(rig):
    done = rig.verb("--help")
    equal(done.returncode, 0, "exit code")
    for verb in VERBS:
        expect(re.search(rf"^ +{verb} ", done.stdout.decode(), re.MULTILINE), f"no {verb}")
        own = rig.verb(verb, "--help")
        equal(own.returncode, 0, f"exit code of {verb} --help")
        expect(b"--help" in own.stdout and own.stdout != done.stdout, f"help of {verb}")


@suite.case("an unknown verb or flag, or a missing one, is told, points to --help, exit code > 100")
def _unknown(rig):
    for arguments, word in (((), "subcommand"), (("serv",), 'did you mean "serve"?'),
                            (("xyzzy",), "xyzzy"), (("check",), "--config"),
                            (("check", "--cofig", "x"), "--co"),
                            (("config", "shwo"), 'did you mean "show"?'),
                            (("keys",), "subcommand"), (("load", "--ulr", "x"), "--u"),
                            (("mock", "--nosuch"), "--nosuch"), (("version", "extra"), "extra")):
        done = rig.verb(*arguments)
        told = done.stderr.decode()
        expect(done.returncode > USAGE, f"exit code {done.returncode} of {arguments}")
        expect(word in told and "--help" in told, f"{arguments}: {told!r}")
        equal(done.stdout, b"", f"output of {arguments}")
