"""What is measured and what stands behind it: HAProxy, the bare relay, Penstock, the upstreams."""

import dataclasses
import hashlib
import json
import os
import shutil
import socket
import subprocess
import urllib.request

from programs import Program, Invalid, free_port

KEY = "sk-bench-0123456789abcdef"
# Two names of one length, so that replies weigh the same whoever is asked; Penstock maps them.
MODEL = "bench-model-named-as-long-as-those-of-real-deployments-front"
UPSTREAM_MODEL = "bench-model-named-as-long-as-those-of-real-deployments-rears"
REPLY = json.dumps({
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000,
    "model": UPSTREAM_MODEL,
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "word " * 40},
                 "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 8, "total_tokens": 15},
}, separators=(",", ":"))

PROXY_CPUS = {0}
OTHER_CPUS = {1}

# http-no-delay: what one sets to let streams through at once; without it chunks are held back.
HAPROXY_HEAD = """global
  nbthread 1
  maxconn 4500
  stats socket {folder}/{name}.sock level admin
defaults
  mode http
  timeout connect 5s
  timeout client 120s
  timeout server 120s
  option http-keep-alive
  option http-no-delay
  http-reuse always
"""


@dataclasses.dataclass
class Rules:
    """What a gateway asks of its callers, as YAML; every part may be empty."""
    auth: str = "{ mode: keys }"
    tenant: str = ""    # members of the tenant, beside its keys and its workload
    workload: str = ""  # members of the workload
    store: str = ""     # members of `store`


class Bench:
    """Where the programs are and where they may write."""

    def __init__(self, root, build, folder):
        self.root = root
        self.build = build
        self.folder = folder
        self.penstock_path = os.path.join(build, "penstock")
        self.relay_path = os.path.join(build, "penstock_relay")
        self.haproxy_path = shutil.which("haproxy") or "/usr/sbin/haproxy"
        self.made = 0
        with open(self.path("reply.json"), "w", encoding="utf-8") as file:
            file.write(REPLY)

    def path(self, name):
        return os.path.join(self.folder, name)

    def _write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def _name(self, word):
        self.made += 1
        return f"{word}{self.made}"

    def _haproxy(self, word, port, rest, cpus):
        name = self._name(word)
        text = HAPROXY_HEAD.format(folder=self.folder, name=name) + rest
        config = self._write(name + ".cfg", text)
        program = Program(word, [self.haproxy_path, "-db", "-f", config], cpus, port)
        program.stats_socket = self.path(name + ".sock")
        return program

    def canned_upstream(self, cpus=None):
        """HAProxy that answers every request with the same reply, cheaper than any server."""
        port = free_port()
        rest = (f"frontend f\n  bind 127.0.0.1:{port}\n  http-request return status 200 "
                f"content-type application/json file {self.path('reply.json')}\n")
        return self._haproxy("upstream", port, rest, cpus or OTHER_CPUS)

    def mock(self, faults=None, cpus=None):
        command = [self.penstock_path, "mock", "--listen", "127.0.0.1:0"]
        if faults:
            command += ["--fault", json.dumps(faults)]
        return Program("mock", command, cpus or OTHER_CPUS)

    def haproxy(self, upstream, certificate=None):
        port = free_port()
        tls = f" ssl crt {certificate}" if certificate else ""
        rest = (f"frontend f\n  bind 127.0.0.1:{port}{tls}\n  default_backend b\n"
                f"backend b\n  server s 127.0.0.1:{upstream.port}\n")
        return self._haproxy("haproxy", port, rest, PROXY_CPUS)

    def relay(self, upstream):
        return Program("relay", [self.relay_path, "0", upstream.port], PROXY_CPUS)

    def secret_file(self, text):
        """A reference to a file that holds the text."""
        return "file:" + self._write(self._name("secret"), text)

    def penstock(self, upstream, workers=1, cpus=None, certificate=None, rules=None):
        """Keys, validation, metrics and an access log to a file; ceilings out of the way."""
        name = self._name("penstock")
        rules = rules or Rules()
        tls = ""
        if certificate:
            tls = f"  tls: {{ certificate: \"file:{certificate}\", key: \"file:{certificate}\" }}\n"
        digest = hashlib.sha256(KEY.encode()).hexdigest()
        config = self._write(name + ".yaml", f"""version: 1
workers: {workers}
listen:
  data: 127.0.0.1:0
  admin: 127.0.0.1:0
{tls}limits: {{ in_flight: 10000 }}
drain: {{ settle: 0s, timeout: 0s }}
auth: {rules.auth}
tenants:
  retail:
    keys: [ {{ id: bench-1, sha256: "{digest}", workload: support }} ]
    workloads: {{ support: {{ {rules.workload} }} }}
    {rules.tenant}
{f"store: {{ {rules.store} }}" if rules.store else ""}
providers:
  stable:
    dialect: openai
    replicas: [ "http://127.0.0.1:{upstream.port}" ]
    limits: {{ connections: 10000, in_flight: 10000 }}
models:
  {MODEL}: {{ targets: [ {{ provider: stable, model: {UPSTREAM_MODEL} }} ] }}
telemetry: {{ access_log: "file:{self.path(name)}.log" }}
""")
        return Program("penstock", [self.penstock_path, "serve", "-c", config], cpus or PROXY_CPUS)

    def certificate(self):
        """A certificate for 127.0.0.1 with its key, in one file; made once a run."""
        path = self.path("tls.pem")
        if not os.path.exists(path):
            key, leaf = self.path("tls.key"), self.path("tls.crt")
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                 "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", leaf],
                check=True, capture_output=True, timeout=30)
            with open(leaf, encoding="utf-8") as first, open(key, encoding="utf-8") as second:
                self._write("tls.pem", first.read() + second.read())
        return path


def served(upstream):
    """Requests that an upstream has seen, as it counts them itself."""
    if upstream.name == "mock":
        return mock_stats(upstream)["requests"]
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(5)
        control.connect(upstream.stats_socket)
        control.sendall(b"show stat\n")
        answer = b""
        while part := control.recv(65536):
            answer += part
    lines = answer.decode().lstrip("# ").splitlines()
    names = lines[0].split(",")
    for line in lines[1:]:
        row = dict(zip(names, line.split(",")))
        if row.get("svname") == "FRONTEND" and row.get("pxname") == "f":
            return int(row["req_tot"])
    raise Invalid("the upstream does not say how many requests it saw")


def mock_stats(mock):
    with urllib.request.urlopen(f"http://127.0.0.1:{mock.port}/mock/stats", timeout=5) as reply:
        return json.load(reply)


def set_faults(mock, faults):
    request = urllib.request.Request(f"http://127.0.0.1:{mock.port}/mock/fault",
                                     data=json.dumps(faults).encode())
    urllib.request.urlopen(request, timeout=5).close()
