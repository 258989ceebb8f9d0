"""Quotas that two gateways share over a Redis Cluster: every tenant on the node of its slot."""

import hashlib

from cases import Suite
from harness import equal, eventually, expect
from process_cases import Rig
from quota_cases import at_once, chat, degraded, statuses
from redis_cluster_kit import MASTERS, RedisCluster

suite = Suite()

TENANTS = [f"t{number}" for number in range(12)]
BURST = 20
SHARE = 2  # of the burst, for each of two gateways, while the store is away


def run(report, fleet, mock):
    suite.run(report, "cluster", Rig(fleet, mock, "cluster"))


def key_of(tenant):
    return f"sk-{tenant}-of-the-cluster-cases"


def gateway(rig, member, rate):
    limits = {"requests": rate, "burst": BURST, "tokens": "100k/h"}
    tenants = {name: {"tier": "internal" if number % 2 else "external", "limits": limits,
                      "keys": [{"id": name, "workload": "w", "sha256":
                                hashlib.sha256(key_of(name).encode()).hexdigest()}],
                      "workloads": {"w": {"priority": "interactive"}}}
               for number, name in enumerate(TENANTS)}
    url = rig.file(f"cluster-{member.port}.url", f"redis://127.0.0.1:{member.port}")
    return rig.gateway(auth={"mode": "keys"}, tenants=tenants,
                       store={"quota": {"kind": "redis"},
                              "redis": {"url": f"file:{url}", "gateways": 2}})


def ask(gate, tenant):
    return chat(gate, key=key_of(tenant))


def by_the_store(gate, tenant):
    return "x-penstock-degraded" not in ask(gate, tenant).headers


def move(cluster, tenant, gates):
    """Moves the tenant's slot to another master, key by key, and calls at each step. Its names are
    there before: a script with one that is not is told TRYAGAIN while the slot is between two."""
    left = {int(ask(gate, tenant).headers["x-ratelimit-remaining-requests"]) for gate in gates}
    slot = cluster.slot(tenant)
    source, source_id = cluster.owner(slot)
    target, target_id = next(cluster.owner(cluster.slot(other)) for other in TENANTS
                             if cluster.owner(cluster.slot(other))[0] is not source)
    target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
    source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
    for name in source.call("CLUSTER", "GETKEYSINSLOT", slot, 100):
        source.call("MIGRATE", "127.0.0.1", target.port, name, 0, 1000)
    asked = target.call("INFO", "commandstats").count("cmdstat_asking")
    left |= {int(ask(gate, tenant).headers["x-ratelimit-remaining-requests"]) for gate in gates}
    equal((asked, target.call("INFO", "commandstats").count("cmdstat_asking")), (0, 1),
          "whether ASK was followed, before and behind")
    for member in (target, source):
        member.call("CLUSTER", "SETSLOT", slot, "NODE", target_id)
    left |= {int(ask(gate, tenant).headers["x-ratelimit-remaining-requests"]) for gate in gates}
    equal(sorted(left), sorted(BURST - 1 - number for number in range(6)),
          "what is left, call by call, while the slot moves")


@suite.case("a limit is exact on every node, and while its slot moves to another")
def _exact(rig):
    with RedisCluster(rig.fleet, "spread") as cluster, \
            gateway(rig, cluster.members[0], "1/h") as one, \
            gateway(rig, cluster.members[1], "1/h") as two:
        nodes = {cluster.owner(cluster.slot(tenant))[0].port for tenant in TENANTS}
        equal(len(nodes), MASTERS, "masters that have a tenant")
        move(cluster, TENANTS[0], (one, two))
        for tenant in TENANTS[1:]:
            replies = at_once((one, two), 2 * BURST, key=key_of(tenant))
            equal(statuses(replies), {200: BURST, 429: BURST}, f"statuses of {tenant}")
            expect(not any("x-penstock-degraded" in reply.headers for reply in replies),
                   "a reply was decided without the store")
        for gate in (one, two):
            expect(not degraded(gate), "a gateway without its store")


def lose(cluster, dead, gates, mine):
    """Kills a master and calls on until its replica has taken over, as the gateways see it."""
    slot = cluster.slot(mine[0])
    living = cluster.members[2]
    dead.kill()
    for gate in gates:
        eventually(lambda gate=gate: not all([by_the_store(gate, name) for name in mine]),
                   "tenants of the dead node have their part", 3)

    def promoted():
        for gate in gates:
            for name in mine:
                ask(gate, name)  # what the cluster still says of the dead one must not stay
        return cluster.owner(slot, living)[0] not in (dead, None)

    eventually(promoted, "a replica is promoted", 10)
    for gate in gates:
        eventually(lambda gate=gate: all([by_the_store(gate, name) for name in TENANTS]),
                   "every tenant is back by itself", 3)


@suite.case("masters die while calls go on, the configured one too: back with their replicas")
def _failover(rig):
    with RedisCluster(rig.fleet, "failover") as cluster:
        given, other = cluster.members[:2]
        tenants = {member: cluster.tenants_of(member, TENANTS) for member in (given, other)}
        with gateway(rig, given, "100/h") as one, gateway(rig, given, "100/h") as two:
            for gate in (one, two):  # which makes the nodes known
                expect(all([by_the_store(gate, name) for name in TENANTS]), "all by the store")
            for dead in (other, given):
                lose(cluster, dead, (one, two), tenants[dead])
        given.start()
        eventually(lambda: "role:slave" in given.call("INFO", "replication"), "it follows", 5)
        with gateway(rig, given, "100/h") as late:
            eventually(lambda: all([by_the_store(late, name) for name in TENANTS]),
                       "a replica may be the configured node", 3)
