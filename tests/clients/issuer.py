"""An identity provider for the cases: keys of the openssl command, and a server of JWKs."""

import base64
import contextlib
import http.server
import json
import os
import ssl
import subprocess
import tempfile
import threading
import time

from harness import Answers

ISSUER = "https://idp.example/"
AUDIENCE = "penstock"

KINDS = {  # algorithm: how openssl makes its key
    "RS256": ["RSA", "rsa_keygen_bits:2048"], "PS256": ["RSA", "rsa_keygen_bits:2048"],
    "ES256": ["EC", "ec_paramgen_curve:P-256"], "ES384": ["EC", "ec_paramgen_curve:P-384"],
    "ES512": ["EC", "ec_paramgen_curve:P-521"], "EdDSA": ["ED25519"]}
CURVES = {"ES256": ("P-256", 32), "ES384": ("P-384", 48), "ES512": ("P-521", 66)}


def openssl(*arguments, data=None):
    done = subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr[-200:]!r}")
    return done.stdout


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def segment(value):
    return b64url(json.dumps(value, separators=(",", ":")).encode())


class Key:
    """A private key of the provider."""

    def __init__(self, folder, algorithm, kid):
        self.algorithm, self.kid = algorithm, kid
        self.path = os.path.join(folder, f"{kid}.pem")
        kind, *option = KINDS[algorithm]
        options = ["-pkeyopt", *option] if option else []
        openssl("genpkey", "-algorithm", kind, *options, "-out", self.path)

    def jwk(self):
        der = openssl("pkey", "-in", self.path, "-pubout", "-outform", "DER")
        common = {"kid": self.kid, "alg": self.algorithm, "use": "sig"}
        if self.algorithm in CURVES:
            name, size = CURVES[self.algorithm]
            return {"kty": "EC", "crv": name, "x": b64url(der[-2 * size:-size]),
                    "y": b64url(der[-size:]), **common}
        if self.algorithm == "EdDSA":
            return {"kty": "OKP", "crv": "Ed25519", "x": b64url(der[-32:]), **common}
        text = openssl("rsa", "-in", self.path, "-noout", "-modulus").decode()
        modulus = bytes.fromhex(text.strip().partition("=")[2])
        return {"kty": "RSA", "n": b64url(modulus), "e": "AQAB", **common}

    def sign(self, message):
        if self.algorithm == "EdDSA":
            with tempfile.NamedTemporaryFile() as file:
                file.write(message)
                file.flush()
                return openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.path, "-in", file.name)
        digest = "-sha" + self.algorithm[2:]
        if self.algorithm.startswith("PS"):
            return openssl("dgst", digest, "-sigopt", "rsa_padding_mode:pss", "-sigopt",
                           "rsa_pss_saltlen:digest", "-sign", self.path, data=message)
        made = openssl("dgst", digest, "-sign", self.path, data=message)
        return raw_ecdsa(made, CURVES[self.algorithm][1]) if self.algorithm in CURVES else made

    def token(self, **claims):
        """A token of tenant `clients`, workload `suite`; a claim of None is left out."""
        usual = {"iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + 600, "sub": "somebody",
                 "tenant": "clients", "workload": "suite"}
        payload = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        header = {"alg": self.algorithm, "kid": self.kid, "typ": "JWT"}
        message = segment(header) + "." + segment(payload)
        return message + "." + b64url(self.sign(message.encode()))


def raw_ecdsa(der, size):
    """r || s of SEQUENCE { INTEGER r, INTEGER s }."""
    at, halves = (2 if der[1] < 0x80 else 3), []
    for _ in range(2):
        length = der[at + 1]
        halves.append(der[at + 2:at + 2 + length].lstrip(b"\0").rjust(size, b"\0"))
        at += 2 + length
    return b"".join(halves)


class Issuer:
    """Publishes `keys`; delay_s: before each answer; silent: accepts and never answers."""

    def __init__(self, folder, *keys, certificate=None, key=None):
        self.folder, self.keys = folder, list(keys)
        self.fetches, self.delay_s, self.silent = 0, 0.0, False
        self._woken = threading.Event()
        issuer = self

        class Handler(Answers):
            def do_GET(self):  # pylint: disable=invalid-name
                issuer.answer(self)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        self.url = f"{scheme}://localhost:{self._server.server_address[1]}/jwks.json"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """From now on its address refuses."""
        self._woken.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler):
        self.fetches += 1
        if self.silent or self.delay_s:
            self._woken.wait(self.delay_s or 60)
        with contextlib.suppress(OSError):  # whoever asked may be gone
            handler.send_json({"keys": [key.jwk() for key in self.keys]})

    def auth(self, mode="jwt", **more):
        """The `auth` section of a gateway that trusts it."""
        jwt = {"issuer": ISSUER, "audience": AUDIENCE, "jwks": self.url, **more}
        return {"mode": mode, "jwt": jwt}
