"""A redis-server of one case, and a proxy in front of it that can be made to misbehave."""

import contextlib
import shutil
import signal
import socket
import threading
import time

from harness import Missed, Process, eventually

SLOW_S = 0.2  # four times the gateway's time-out


def free_port():
    """A port that was free a moment ago."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Redis:
    """On a port of its own, nothing kept on disk. Without the program every case fails."""

    def __init__(self, fleet, name, *options, port=None):
        if shutil.which("redis-server") is None:
            raise Missed("redis-server is missing")
        self._fleet, self._name, self._options = fleet, name, options
        self.port = port or free_port()
        self._starts = 0
        self.process = None
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.running:
            self.process.child.send_signal(signal.SIGCONT)
        self.process.kill()

    def start(self, *more, until="PONG"):
        """more: options of this once. until: what it says to a PING then."""
        self._starts += 1
        self.process = Process(self._fleet, f"{self._name}-{self._starts}",
                               ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1",
                                "--save", "", "--appendonly", "no",
                                "--repl-diskless-sync-delay", "0", *self._options, *more])
        eventually(lambda: self._says(until), f"redis-server says {until}", 10)

    def _says(self, what):
        try:
            return what in self.call("PING")
        except OSError:
            return False
        except Missed as refusal:
            return what in str(refusal)

    def freeze(self):
        self.process.child.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.child.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()

    def call(self, *words):
        """One command over a connection of its own; texts and lists of texts."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as link:
            parts = [f"*{len(words)}\r\n".encode()]
            for word in words:
                data = str(word).encode()
                parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
            link.sendall(b"".join(parts))
            with link.makefile("rb") as reader:
                return _value(reader)


def _value(reader):
    line = reader.readline()
    kind, rest = line[:1], line[1:].strip().decode()
    if kind in b"+:":
        return rest
    if kind == b"$":
        return None if rest == "-1" else reader.read(int(rest) + 2)[:-2].decode()
    if kind == b"*":
        return [_value(reader) for _ in range(int(rest))]
    raise Missed(f"Redis said {line!r}")


class Proxy:
    """Stands in front of a Redis, from move() on in front of another. `way` is what it does to
    replies: pass, cut (half of each, then the end), swap (each call gets that to another one), slow
    (each comes SLOW_S late)."""

    def __init__(self, port):
        self.target, self.way = port, "pass"
        self._last = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._links = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A thread in accept() keeps the socket until it is woken.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()

    def move(self, port):
        """Leads to another Redis; open connections break."""
        self.target = port
        self.drop()

    def drop(self):
        for link in self._links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()
        self._links = []

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                client.close()
                continue
            self._links += [client, server]
            threading.Thread(target=self._pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, True), daemon=True).start()

    def _pump(self, source, sink, replies):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if replies and self.way == "cut":
                    sink.sendall(data[:len(data) // 2])
                    break
                if replies and self.way == "slow":
                    time.sleep(SLOW_S)
                if replies and self.way == "swap":
                    data, self._last = self._last or data, data
                sink.sendall(data)
        for link in (source, sink):
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
