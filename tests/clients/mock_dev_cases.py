"""The verbs that stay and listen, by themselves: `penstock mock` and `penstock dev`."""

import contextlib
import json
import re
import signal
import socket
import subprocess

import openai

from cases import Suite
from curl_cases import CURL_S, events, stream_text
from harness import Process, equal, eventually, expect, fetch
from process_cases import Rig

suite = Suite()

# `dev` takes these and no others: docs/reference/commands.md.
DEV_DATA, DEV_ADMIN = "127.0.0.1:7100", "127.0.0.1:7101"
DEV_URL = f"http://{DEV_DATA}/v1/chat/completions"
ANOTHER_LOOPBACK = "127.0.0.2"  # reached by what listens everywhere, not by what has 127.0.0.1
ASK = {"model": "mock", "messages": [{"role": "user", "content": "Say hello"}]}


def run(report, fleet, mock):
    suite.run(report, "verbs", Rig(fleet, mock, "verbs"))


def text(body):
    return json.loads(body)["choices"][0]["message"]["content"]


def mock_of_its_own(rig, *options):
    return rig.fleet.mock("mock-of-a-case", *options)


@suite.case("mock listens where it says, answers, and counts; TERM ends it with exit code 0")
def _mock(rig):
    with mock_of_its_own(rig, "--name", "weir") as mock:
        equal(fetch(mock.url + "/health"), (200, b'{"status":"ok"}'), "health")
        status, body = fetch(mock.url + "/v1/chat/completions", ASK)
        equal(status, 200, "status")
        expect(text(body), "no text")
        equal(fetch(mock.url + "/v1/chat/completions", ASK)[1], body, "the same reply again")
        said = mock.stats()
        equal((said["requests"], said["by_model"]), (2, {"mock": 2}), "requests")
        equal(said["identity"], {"pid": mock.child.pid, "name": "weir"}, "identity")
        equal(said["tokens_out"], 2 * 16, "tokens")
        mock.child.send_signal(signal.SIGTERM)
        equal(mock.child.wait(5), 0, "exit code")


@suite.case("POST /mock/fault replaces what was set, refuses nonsense, and spares /mock/*")
def _fault(rig):
    with mock_of_its_own(rig, "--fault", '{"status": 418}') as mock:
        url = mock.url + "/mock/fault"
        equal(fetch(mock.url + "/v1/chat/completions", ASK)[0], 418, "status by --fault")
        mock.fault(status=429)
        mock.fault(hang=True, refuse=1000, reset_after_bytes=0)
        for body, word in (({"hangs": True}, b'Did you mean \\"hang\\"?'),
                           ({"hang": 1}, b"hang takes true or false"), ([], b"object")):
            status, told = fetch(url, body)
            equal((status, word in told), (400, True), f"{body}: {told!r}")
        equal(json.loads(fetch(url)[1]),
              {"hang": True, "refuse": 1000, "reset_after_bytes": 0}, "what is set")
        mock.fault()
        equal(fetch(mock.url + "/v1/chat/completions", ASK)[0], 200, "status without faults")
        fetch(mock.url + "/mock/reset", {})
        equal(mock.count("requests"), 0, "requests after a reset")


@suite.case("mock --key wants that key")
def _mock_key(rig):
    with mock_of_its_own(rig, "--key", "sk-weir") as mock:
        url = mock.url + "/v1/chat/completions"
        equal([fetch(url, ASK)[0], fetch(url, ASK, authorization="Bearer sk-wier")[0],
               fetch(url, ASK, authorization="Bearer sk-weir")[0]], [401, 401, 200], "statuses")


@suite.case("mock refuses values that it cannot use, exit code 1")
def _mock_refuses(rig):
    taken = rig.mock.url.removeprefix("http://")
    for options, word in ((("--listen", "elsewhere:0"), b"elsewhere"),
                          (("--listen", taken), taken.encode() + b" is in use"),
                          (("--dialect", "morse"), b"morse"),
                          (("--fault", '{"hangs": true}'), b'"hang"'),
                          (("--workers", "0"), b"workers")):
        done = rig.verb("mock", *options)
        equal((done.returncode, word in done.stderr), (1, True), f"{options}: {done.stderr!r}")


def _hello(process):
    expect(process.running, f"`penstock dev` did not start. Its ports {DEV_DATA} and {DEV_ADMIN} "
           f"cannot be chosen and must be free: {process.text()[-300:]!r}")
    return f"listens on {DEV_DATA}" in process.text()


@contextlib.contextmanager
def dev(rig):
    """`penstock dev`, once it has said that it listens."""
    with Process(rig.fleet, "dev", [rig.fleet.binary, "dev"]) as process:
        eventually(lambda: _hello(process), "dev says that it listens", 10)
        yield process


@suite.case("dev serves the model mock, unary and streamed; TERM ends it with exit code 0")
def _dev(rig):
    with dev(rig) as process:
        status, body = fetch(DEV_URL, ASK)
        equal((status, json.loads(body)["model"]), (200, "mock"), "status and model")
        expect(text(body), "no text")
        status, stream = fetch(DEV_URL, {**ASK, "stream": True})
        equal((status, events(stream)[-1]), (200, "[DONE]"), "status and end of the stream")
        equal(stream_text(stream), text(body), "the text")
        equal(fetch(f"http://{DEV_ADMIN}/readyz")[0], 200, "/readyz")
        process.child.send_signal(signal.SIGTERM)
        equal(process.child.wait(5), 0, "exit code")


@suite.case("dev prints a curl line and an SDK line that work as they stand")
def _dev_lines(rig):
    with dev(rig) as process:
        told = process.text()
        line = told[told.index("curl "):].split("\n\n")[0]
        done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, timeout=CURL_S)
        equal(done.returncode, 0, f"exit code of {line!r} ({done.stderr!r})")
        said = text(done.stdout)
        expect(said, "no text")
        client = re.search(r'openai\.OpenAI\(base_url="(.*?)", api_key="(.*?)"\)', told)
        with openai.OpenAI(base_url=client[1], api_key=client[2], max_retries=0) as sdk:
            equal(sdk.chat.completions.create(**ASK).choices[0].message.content, said, "the text")


def _reached(host, port):
    with socket.socket() as one:
        return one.connect_ex((host, port)) == 0


@suite.case("dev is for this machine only: neither other addresses nor other web pages reach it")
def _dev_loopback(rig):
    with socket.create_server(("0.0.0.0", 0)) as everywhere:
        expect(_reached(ANOTHER_LOOPBACK, everywhere.getsockname()[1]), "this proves nothing here")
    with dev(rig):
        for place in (DEV_DATA, DEV_ADMIN):
            port = int(place.rpartition(":")[2])
            equal((_reached("127.0.0.1", port), _reached(ANOTHER_LOOPBACK, port)), (True, False),
                  f"whether port {port} is reached")
        page = {"origin": "https://elsewhere.example"}
        equal(fetch(DEV_URL, ASK, **page)[0], 401, "status for a web page")


@suite.case("dev where its ports are served already is exit code 1, with the address named")
def _dev_taken(rig):
    with dev(rig):
        done = rig.verb("dev")
        equal(done.returncode, 1, "exit code")
        expect(f"{DEV_DATA} is in use already".encode() in done.stderr, f"it said {done.stderr!r}")
