"""A Redis Cluster of one case: three masters with a replica each."""

import contextlib
import os
import random
import re
import socket
import subprocess

from harness import Missed, eventually
from redis_kit import Redis

MASTERS = 3
BUS = 10000  # above a node's port
PORTS = range(11000, 22000)  # they and their buses: no connection takes one while a node is dead
NODE_TIMEOUT_MS = 500


class RedisCluster:
    """Members are `Redis`; the first MASTERS of them begin as masters."""

    def __init__(self, fleet, name):
        self.members = []
        for number in range(2 * MASTERS):
            folder = fleet.path(f"{name}-{number}")
            os.makedirs(folder)
            self.members.append(Redis(
                fleet, f"{name}-{number}", "--cluster-enabled", "yes", "--dir", folder,
                "--cluster-node-timeout", str(NODE_TIMEOUT_MS),
                "--cluster-require-full-coverage", "no", port=_port()))
        places = [f"127.0.0.1:{member.port}" for member in self.members]
        done = subprocess.run(
            ["redis-cli", "--cluster", "create", *places, "--cluster-replicas", "1",
             "--cluster-yes"], capture_output=True, text=True, timeout=15, check=False)
        if done.returncode != 0:
            raise Missed(f"no cluster: {done.stdout[-300:]!r}")
        eventually(lambda: all(self._settled(member) for member in self.members),
                   "the cluster settles", 10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for member in self.members:
            member.__exit__()

    @staticmethod
    def _settled(member):
        """Whether it knows everybody, and a replica has what its master has."""
        if "cluster_state:ok" not in member.call("CLUSTER", "INFO"):
            return False
        info = member.call("INFO", "replication")
        return "role:master" in info or "master_link_status:up" in info

    def slot(self, tag):
        return int(self.members[MASTERS - 1].call("CLUSTER", "KEYSLOT", "{" + tag + "}"))

    def owner(self, slot, told_by=None):
        """(member, id) of who has the slot, as that member tells it."""
        for line in (told_by or self.members[0]).call("CLUSTER", "NODES").splitlines():
            words = line.split()
            if "master" in words[2] and any(_within(slot, part) for part in words[8:]):
                port = int(re.search(r":(\d+)@", words[1])[1])
                return next(one for one in self.members if one.port == port), words[0]
        return None, None

    def tenants_of(self, member, tags):
        return [tag for tag in tags if self.owner(self.slot(tag))[0] is member]


def _within(slot, part):
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
    return match is not None and int(match[1]) <= slot <= int(match[2] or match[1])


def _port():
    """One that is free, as is its bus."""
    while True:
        port = random.choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as one, socket.socket() as bus:
            one.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + BUS))
            return port
