"""One more node: it is like a healthy one of its pool, and what it would take is decided, not guessed."""

from kschedlab.build import cluster, node, pod
from kschedlab.whatif import Case, what_if
from kschedlab.whatif.another_node import another_node, copies
from kschedlab.whatif.answers import whatif_lines
from tests.cluster.checking import check

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
GPU = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
GPU_POOL = {"pool": "gpu"}
CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def pooled(name, pool, zone="a", **more):
    return node(name, 4, labels={"pool": pool, ZONE: zone, HOST: name}, **more)


def daemon(on, cpu):
    made = pod(f"agent-{on}", on, cpu)
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1", "controller": True}
    made["metadata"]["ownerReferences"] = [owner]
    return made


def test_a_pool_of_full_nodes_gets_one_more():
    world = cluster(
        pooled("web-1", "web"), pooled("gpu-1", "gpu", taints=[GPU]), pod("busy", "web-1", 4), pod("mine", "", 3)
    )
    found = what_if("default/mine", world)
    (more,) = found.nodes
    assert (more.pool, more.zone, more.node, more.decision.node) == ("web", "", "web-1-new", "web-1-new")
    assert [line.change for line in whatif_lines(found) if line.what == "nodes"] == ["one more web node"]
    assert world.names == ["gpu-1", "web-1"] or sorted(world.names) == ["gpu-1", "web-1"], "the cluster stays"
    check(world)


def test_the_pods_of_daemon_sets_come_with_it():
    def helped(cpu):
        pods = [pod("busy", "web-1", 2), daemon("web-1", "1500m"), pod("mine", "", cpu)]
        return [more.pool for more in what_if("default/mine", cluster(pooled("web-1", "web"), *pods)).nodes]

    assert helped("2500m") == ["web"] and helped("2501m") == []


def test_a_zone_is_named_if_the_others_would_not_do():
    near = {"nodeSelector": {ZONE: "b"}}
    nodes = [pooled("web-1", "web", "a"), pooled("web-2", "web", "b"), pod("busy", "web-2", 4)]
    (more,) = what_if("default/mine", cluster(*nodes, pod("mine", "", 1, **near))).nodes
    assert (more.pool, more.zone, more.node) == ("web", "b", "web-2-new")


def test_a_node_more_is_tried_in_forty_zones():
    nodes = [pooled(f"web-{number:02}", "web", f"z{number:02}") for number in range(41)]
    busy = [pod(f"busy-{number:02}", f"web-{number:02}", 4) for number in range(41)]
    for zone, helped in (("z39", ["web-39-new"]), ("z40", [])):
        case = Case("default/mine", cluster(*nodes, *busy, pod("mine", "", 1, nodeSelector={ZONE: zone})))
        assert [more.node for more in another_node(case)] == helped


def test_all_pools_together_have_forty_tries():
    for zones, helped in ((39, ["gpu-1-new"]), (40, []), (41, [])):
        nodes = [pooled(f"a-{number}", "a", f"z{number}") for number in range(zones)]
        full = [pooled("gpu-1", "gpu"), pod("busy", "gpu-1", 4)]
        case = Case("default/mine", cluster(*nodes, *full, pod("mine", "", 1, nodeSelector=GPU_POOL)))
        assert [more.node for more in another_node(case)] == helped


def test_a_new_node_is_well_and_has_a_name_of_its_own():
    ill = pooled("web-0", "web", taints=[CORDON], unschedulable=True)
    world = cluster(ill, pooled("web-1", "web", taints=[GPU]), daemon("web-1", 1), pod("other", "web-1", 1))
    made, agent = copies(world, "web-1")
    assert made.metadata.labels == {"pool": "web", ZONE: "a", HOST: "web-1-new"} and made.spec.taints[0].key == "gpu"
    assert (agent.metadata.name, agent.spec.nodeName) == ("agent-web-1-new", "web-1-new")
    mine = pod("mine", "", 4, tolerations=[{"key": "gpu", "operator": "Exists"}])
    case = Case("default/mine", cluster(ill, pooled("web-1", "web", taints=[GPU]), pod("busy", "web-1", 4), mine))
    assert [more.node for more in another_node(case)] == ["web-1-new"], "the cordoned node is no model"


def test_the_pools_follow_the_label():
    world = cluster(
        pooled("n1", "a", "x"), pooled("n2", "b", "x"), pod("p", "n1", 4), pod("q", "n2", 4), pod("mine", "", 4)
    )
    assert [more.pool for more in what_if("default/mine", world).nodes] == ["a", "b"]
    assert [more.pool for more in what_if("default/mine", world, pool_label=ZONE).nodes] == ["x"]


def test_a_pod_that_fits_needs_no_node():
    assert what_if("default/mine", cluster(pooled("n1", "a"), pod("mine", "", 1))).nodes == ()
