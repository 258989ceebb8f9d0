"""Callers with tokens of an identity provider: algorithms, rotation, outage, silence, floods."""

import concurrent.futures
import hashlib
import json
import os
import secrets
import signal
import socket
import time

from cases import Suite
from curl_cases import make_certificate
from harness import KEY, equal, eventually, expect, fetch
from issuer import KINDS, Issuer, Key, b64url, segment
from process_cases import Rig

suite = Suite()

ASK = {"model": "chat", "messages": [{"role": "user", "content": "Where does the water go?"}]}
WAIT_S = 1.0  # how long a request waits for a key
SLACK_S = 1.0  # of a busy machine
FLOOD = 10_000
PIPELINED = 100


def run(report, fleet, mock):
    suite.run(report, "tokens", Rig(fleet, mock, "tokens"))


def gateway(rig, issuer, mode="jwt", **more):
    hashed = hashlib.sha256(KEY.encode()).hexdigest()
    keys = [{"id": "k1", "sha256": hashed, "workload": "suite"}] if "keys" in mode else []
    return rig.gateway(auth=issuer.auth(mode, **more), telemetry={"access_log": "stdout"},
                       tenants={"clients": {"keys": keys, "workloads": {"suite": {}}}})


def key(rig, algorithm="ES256", kid=None):
    return Key(rig.fleet.folder, algorithm, kid or "k" + secrets.token_hex(4))


def chat(gate, credential):
    start = time.monotonic()
    status, body = fetch(gate.url + "/v1/chat/completions", ASK,
                         authorization="Bearer " + credential)
    return status, body, time.monotonic() - start


def statuses(calls):
    """Makes the calls at once; how many had which status."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        got = [one.result()[0] for one in [pool.submit(call) for call in calls]]
    return {status: got.count(status) for status in set(got)}


@suite.case("a token of each algorithm is taken, and changed by a byte it is not")
def _algorithms(rig):
    keys = [key(rig, algorithm) for algorithm in KINDS]
    with Issuer(rig.fleet.folder, *keys) as issuer, gateway(rig, issuer) as gate:
        for one in keys:
            token = one.token()
            equal(chat(gate, token)[0], 200, f"status of {one.algorithm}")
            changed = token[:-10] + ("A" if token[-10] != "A" else "B") + token[-9:]
            equal(chat(gate, changed)[0], 401, f"status of {one.algorithm}, changed")
        equal(issuer.fetches, 1, "fetches")
        equal(chat(gate, KEY)[0], 401, "status of an API key in mode jwt")


@suite.case("a rotated key fails no request, and all that need it share one fetch")
def _rotation(rig):
    old, new = key(rig), key(rig, "RS256")
    with Issuer(rig.fleet.folder, old) as issuer, gateway(rig, issuer) as gate:
        old_token, new_token = old.token(), new.token()
        equal(chat(gate, old_token)[0], 200, "status before")
        issuer.keys.append(new)
        calls = [lambda: chat(gate, new_token)] * 8 + [lambda: chat(gate, old_token)] * 8
        equal(statuses(calls), {200: 16}, "statuses")
        equal(issuer.fetches, 2, "fetches")


@suite.case("a withdrawn key opens nothing after the next refresh")
def _withdrawal(rig):
    old, new = key(rig), key(rig)
    with Issuer(rig.fleet.folder, old, new) as issuer, \
            gateway(rig, issuer, refresh="200ms") as gate:
        token = old.token()
        equal(chat(gate, token)[0], 200, "status before")
        issuer.keys.remove(old)
        eventually(lambda: chat(gate, token)[0] == 401, "the old token is refused")
        equal(chat(gate, new.token())[0], 200, "status of the other key")


@suite.case("a tenant that a reload takes away is refused, though its token is remembered")
def _tenant_gone(rig):
    signing = key(rig)
    with Issuer(rig.fleet.folder, signing) as issuer, gateway(rig, issuer) as gate:
        token, other = signing.token(), signing.token(tenant="others")
        equal([chat(gate, one)[0] for one in (token, other)], [200, 401], "statuses before")
        gate.write({**gate.config(), "tenants": {"others": {"workloads": {"suite": {}}}}})
        gate.child.send_signal(signal.SIGHUP)
        eventually(lambda: chat(gate, token)[0] == 401, "the old tenant is refused")
        equal(chat(gate, other)[0], 200, "status of the new tenant")
        equal(issuer.fetches, 1, "fetches")


@suite.case("known keys outlive their issuer, and an unknown one is refused at once")
def _outage(rig):
    known, unknown = key(rig), key(rig)
    issuer = Issuer(rig.fleet.folder, known)
    with gateway(rig, issuer) as gate:
        equal(chat(gate, known.token())[0], 200, "status before")
        issuer.stop()
        for number in range(3):
            equal(chat(gate, known.token(sub=str(number)))[0], 200, "status of a new token")
        status, _, took = chat(gate, unknown.token())
        equal(status, 401, "status of an unknown key")
        expect(took < SLACK_S, f"it took {took:.2f} s")
        expect("penstock_key_set_fetches_total{result=\"failed\"} 0" not in gate.metrics(),
               "the failed fetch is not counted")
        eventually(lambda: '"msg":"key set not fetched"' in gate.text(), "operators are told")


@suite.case("keys older than `keep` let nobody in, and the next set does again")
def _too_old(rig):
    known = key(rig)
    with Issuer(rig.fleet.folder, known) as issuer:
        with gateway(rig, issuer, refresh="300ms", keep="900ms") as gate:
            token = known.token()
            equal(chat(gate, token)[0], 200, "status before")
            issuer.silent = True
            eventually(lambda: chat(gate, token)[0] == 503, "a token is refused", 8)
            expect(b"store_unavailable" in chat(gate, token)[1], "another code")
            issuer.silent = False
            eventually(lambda: chat(gate, token)[0] == 200, "a token is taken again", 10)


@suite.case("the first request waits for a slow issuer, and nobody else does")
def _slow(rig):
    signing = key(rig)
    with Issuer(rig.fleet.folder, signing) as issuer:
        issuer.delay_s = 0.5
        with gateway(rig, issuer, "keys_or_jwt") as gate:
            status, _, took = chat(gate, KEY)
            equal(status, 200, "status of a key")
            expect(took < 0.4, f"a key took {took:.2f} s")
            equal(chat(gate, signing.token())[0], 200, "status of a token")
            equal(issuer.fetches, 1, "fetches")


@suite.case("a silent issuer stalls nobody: keys are served, tokens are 503 after a second")
def _silent(rig):
    signing = key(rig)
    with Issuer(rig.fleet.folder, signing) as issuer:
        issuer.silent = True
        with gateway(rig, issuer, "keys_or_jwt") as gate, \
                concurrent.futures.ThreadPoolExecutor(20) as pool:
            token = signing.token()
            waiting = [pool.submit(chat, gate, token) for _ in range(20)]
            status, _, took = chat(gate, KEY)
            equal(status, 200, "status of a key")
            expect(took < WAIT_S / 2, f"a key took {took:.2f} s")
            for one in waiting:
                status, body, took = one.result()
                equal(status, 503, f"status of a token ({body[:100]!r})")
                expect(took < WAIT_S + SLACK_S, f"a token took {took:.2f} s")


def flood(gate, tokens):
    """Sends a request with each token, many at a time on one connection; counts statuses."""
    host, port = gate.data.rsplit(":", 1)
    counts = {}
    with socket.create_connection((host, int(port)), 10) as line:
        replies = line.makefile("rb")
        for at in range(0, len(tokens), PIPELINED):
            part = tokens[at:at + PIPELINED]
            line.sendall(b"".join(b"GET /v1/models HTTP/1.1\r\nhost: h\r\nauthorization: Bearer " +
                                  token.encode() + b"\r\n\r\n" for token in part))
            for _ in part:
                status = int(replies.readline().split()[1])
                counts[status] = counts.get(status, 0) + 1
                length = 0
                while (field := replies.readline()) != b"\r\n":
                    if field.lower().startswith(b"content-length:"):
                        length = int(field.split(b":")[1])
                replies.read(length)
    return counts


@suite.case(f"{FLOOD} made-up kids are all 401 and cause one fetch; good tokens pass meanwhile")
def _flood(rig):
    known = key(rig)
    with Issuer(rig.fleet.folder, known) as issuer, gateway(rig, issuer) as gate:
        good = known.token()
        equal(chat(gate, good)[0], 200, "status before")
        rest = good.partition(".")[2]
        tokens = [segment({"alg": "ES256", "kid": secrets.token_hex(8)}) + "." + rest
                  for _ in range(FLOOD)]
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            parts = [pool.submit(flood, gate, tokens[i::4]) for i in range(4)]
            equal(chat(gate, good)[0], 200, "status meanwhile")
            counts = [part.result() for part in parts]
        took = time.monotonic() - start
        equal(counts, [{401: FLOOD // 4}] * 4, "statuses")
        equal(issuer.fetches, 2 + int(took // 30), f"fetches in {took:.1f} s")
        equal(chat(gate, good)[0], 200, "status after")


@suite.case("a key set over TLS is taken from a trusted server only")
def _tls(rig):
    certificate, private = make_certificate(rig.fleet, "issuer")
    signing = key(rig)
    token = signing.token()
    with Issuer(rig.fleet.folder, signing, certificate=certificate, key=private) as issuer:
        with gateway(rig, issuer) as gate:
            equal(chat(gate, token)[0], 503, "status with a certificate that nobody signed")
            eventually(lambda: "TLS" in gate.text(), "the log says why")
        os.environ["SSL_CERT_FILE"] = certificate
        try:
            with gateway(rig, issuer) as gate:
                equal(chat(gate, token)[0], 200, "status with a trusted certificate")
        finally:
            del os.environ["SSL_CERT_FILE"]


def access_log(text, count):
    """Its lines, once there are so many."""
    lines = text.splitlines()
    return lines if text.endswith("\n") and len(lines) >= count else None


@suite.case("neither tokens nor claims are written anywhere")
def _secrecy(rig):
    signing, foreign = key(rig), key(rig)
    marked = "claim-" + secrets.token_hex(8)
    tokens = [signing.token(sub=marked), signing.token(jti=marked, tenant="x" + marked),
              signing.token(workload=marked), signing.token(aud=marked), foreign.token(sub=marked),
              signing.token(sub='x"}\n{"tenant":"forged"}\r\nx-evil: 1')]
    with Issuer(rig.fleet.folder, signing) as issuer, gateway(rig, issuer) as gate:
        said = [chat(gate, token)[1].decode() for token in tokens]
        with open(rig.fleet.path(gate.name + ".out"), encoding="utf-8") as file:
            lines = eventually(lambda: file.seek(0) or access_log(file.read(), len(tokens)),
                               "a line of the access log for each")
        places = {"the replies": "".join(said), "the access log": "".join(lines),
                  "the log": gate.text(), "the metrics": gate.metrics(),
                  "the config shown": fetch(gate.admin + "/admin/v1/config")[1].decode()}
        words = [marked, b64url(marked.encode())[:16]]
        words += [part for token in tokens for part in token.split(".")[1:]]
        for place, text in places.items():
            for word in words:
                expect(word not in text, f"{word[:20]}… stands in {place}")
        for line in lines:
            expect(json.loads(line)["tenant"] in (None, "clients"), "a claim forged a line")
