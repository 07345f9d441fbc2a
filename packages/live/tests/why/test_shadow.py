"""The cluster's decisions beside ours: by hand, and through kubectl's watches."""

from collections.abc import Mapping
from typing import Any

import pytest

from kschedlab.build import budget, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab_live.why.shadow import ALIKE, APART, OTHERWISE, SAMPLED, TIE, WINDOW, Shadow, Verdict
from tests.cluster.checking import check
from tests.course import GENERATIONS
from tests.saying import says

PROFILES = {"default-scheduler": GENERATIONS["v1.37"]}


def read(manifest: Mapping[str, Any]) -> Pod:
    return decode_objects([manifest]).pods[0]


def refused(name: str, message: str, nominated: str = "", **spec: Any) -> dict[str, Any]:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    status = {"phase": "Pending", "conditions": [condition]} | ({"nominatedNodeName": nominated} if nominated else {})
    return pod(name, **spec) | {"status": status}


class World:
    def __init__(self, *manifests: Mapping[str, Any], namespace: str = "") -> None:
        self.shadow, self.at = Shadow(Cluster.from_dicts(manifests), PROFILES, namespace), 0.0

    def sees(self, *manifests: Mapping[str, Any], after: float = 0.0) -> list[Verdict]:
        self.at += after
        found = []
        for manifest in manifests:
            each = read(manifest)
            found += self.shadow.pod(each.key, each, self.at)
        return found

    def waits(self, seconds: float = WINDOW + 0.1) -> list[Verdict]:
        self.at += seconds
        return list(self.shadow.tick(self.at))


def kinds(verdicts: list[Verdict]) -> list[str]:
    return [verdict.kind for verdict in verdicts]


def test_the_same_node():
    world = World(node("n1"), node("n2", cpu=8), pod("web", cpu=1))
    (verdict,) = world.sees(pod("web", on="n2", cpu=1))
    assert verdict == Verdict("default/web", "-> n2", ALIKE, verdict.why)
    assert verdict.why.startswith("the highest score")
    assert world.shadow.summary() == "1 decision: 1 as ours."


def test_a_tie_is_no_disagreement():
    world = World(node("n1"), node("n2"), pod("web", cpu=1))
    (verdict,) = world.sees(pod("web", on="n2", cpu=1))
    assert verdict.kind == TIE and verdict.why.startswith("one of 2 with the highest score")
    assert world.shadow.summary() == "1 decision: 1 as ours (1 tie)."


def test_another_node_is_told_after_a_moment():
    world = World(node("n1"), node("n2", cpu=8), pod("web", cpu=1))
    assert not world.sees(pod("web", on="n1", cpu=1)) and not world.waits(WINDOW / 2)
    (verdict,) = world.waits()
    assert verdict.kind == OTHERWISE and verdict.why.startswith("we choose n2. n1 fits too, but n2 has")
    assert world.shadow.summary() == "1 decision: 0 as ours, 1 otherwise."
    assert not world.waits()


def test_a_node_where_it_does_not_fit():
    world = World(node("n1", cpu=1), node("n2", cpu=8), pod("web", cpu=2))
    world.sees(pod("web", on="n1", cpu=2))
    (verdict,) = world.waits()
    assert "we choose n2. NodeResourcesFit refuses n1: asks for 2 CPU, 1 free." in verdict.why


def test_bindings_in_the_other_order():
    """A was decided first and took n2, so b went to n1; the watch brings b's binding first."""
    world = World(node("n1", cpu=4), node("n2", cpu=8), pod("a", cpu=7), pod("b", cpu=3))
    assert not world.sees(pod("b", on="n1", cpu=3))
    verdicts = world.sees(pod("a", on="n2", cpu=7), after=0.2)
    assert {(v.pod, v.kind) for v in verdicts} == {("default/a", ALIKE), ("default/b", ALIKE)}
    world = World(node("n1", cpu=4), node("n2", cpu=8), pod("a", cpu=3), pod("b", cpu=3))
    verdicts = [*world.sees(pod("b", on="n2", cpu=3)), *world.sees(pod("a", on="n2", cpu=3), after=0.2), *world.waits()]
    assert kinds(verdicts) == [ALIKE, ALIKE], "without b, a goes to n2"


@pytest.mark.parametrize(("after", "kind"), [(WINDOW / 2, ALIKE), (WINDOW * 2, OTHERWISE)])
def test_only_a_binding_just_before_may_have_come_too_early(after: float, kind: str) -> None:
    """Beside b, a is better on n1; without b, n2 has more room."""
    world = World(node("n1", cpu=4), node("n2", cpu=8), pod("a", cpu=2), pod("b", cpu=6))
    assert kinds(world.sees(pod("b", on="n2", cpu=6))) == [ALIKE]
    assert kinds([*world.sees(pod("a", on="n2", cpu=2), after=after), *world.waits()]) == [kind]


@pytest.mark.parametrize(("between", "kind"), [(5, ALIKE), (6, OTHERWISE)])
def test_six_bindings_before_may_have_come_too_early(between: int, kind: str) -> None:
    """As above, with bindings of another namespace between that of b and that of a."""
    nodes = node("n1", cpu=4), node("n2", cpu=8), node("far", unschedulable=True)
    noise = [{"name": f"x{i}", "namespace": "noise"} for i in range(between)]
    waiting = pod("a", cpu=2), pod("b", cpu=6), *(pod(**each) for each in noise)
    world = World(*nodes, *waiting, namespace="default")
    assert kinds(world.sees(pod("b", on="n2", cpu=6))) == [ALIKE]
    assert not world.sees(*(pod(**each, on="far") for each in noise))
    assert kinds([*world.sees(pod("a", on="n2", cpu=2)), *world.waits()]) == [kind]


def test_a_node_that_the_other_watch_brings_later():
    world = World(node("n1", cpu=1), pod("web", cpu=2))
    assert not world.sees(pod("web", on="n9", cpu=2))
    (late,) = decode_objects([node("n9")]).nodes
    world.shadow.node("n9", late)
    assert kinds(world.waits(0.1)) == [ALIKE]


def test_refusals():
    said = (
        "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful "
    )
    world = World(node("n1"), pod("big", cpu=9))
    (verdict,) = world.sees(refused("big", said + "for scheduling.", cpu=9))
    assert (verdict.did, verdict.kind) == ("pending", ALIKE) and verdict.why.startswith("0/1 nodes are available")
    assert not world.sees(refused("big", said + "for scheduling.", cpu=9)), "the same message is no new decision"
    world = World(node("n1"), pod("web", cpu=1))
    assert not world.sees(refused("web", "0/1 nodes are available: 1 too hot.", cpu=1))
    (verdict,) = world.waits()
    assert verdict.kind == OTHERWISE and "default/web goes to n1" in verdict.why and "1 too hot." in verdict.why


def test_preemption():
    nodes = node("n1", cpu=4), node("n2", cpu=4)
    lows = pod("low-1", on="n1", cpu=4, priority=5), pod("low-2", on="n2", cpu=4)
    world = World(*nodes, *lows, pod("vip", cpu=4, priority=9))
    (verdict,) = world.sees(refused("vip", "0/2 nodes are available.", "n2", cpu=4, priority=9))
    assert (verdict.did, verdict.kind) == ("preempts on n2", ALIKE) and "evicts low-2." in verdict.why
    world = World(*nodes, *lows, pod("vip", cpu=4, priority=9))
    world.sees(refused("vip", "0/2 nodes are available.", "n1", cpu=4, priority=9))
    assert kinds(world.waits()) == [OTHERWISE]
    world = World(*nodes, *lows, pod("vip", cpu=4, priority=9), budget("b", 1))
    (verdict,) = world.sees(refused("vip", "0/2 nodes are available.", "n1", cpu=4, priority=9))
    assert verdict.kind == APART and says(verdict.why, "budgets", "n2")


CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


@pytest.mark.parametrize(
    ("volume", "kind"),
    [
        ({"persistentVolumeClaim": {"claimName": "d"}}, APART),
        ({"ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}}, APART),
        ({"emptyDir": {}}, ALIKE),
    ],
)
def test_what_is_not_followed_is_not_compared(volume, kind):
    with_volume = {"volumes": [{"name": "d", **volume}]}
    world = World(node("n1"), pod("web", **with_volume))
    assert kinds(world.sees(pod("web", on="n1", **with_volume))) == [kind]


def test_pods_of_other_schedulers_are_not_decisions():
    claimed = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]}
    world = World(node("n1"), pod("web", **claimed), pod("v", schedulerName="volcano"))
    assert kinds(world.sees(pod("web", on="n1", **claimed))) == [APART]
    assert not world.sees(pod("v", on="n1", schedulerName="volcano"))
    assert world.shadow.summary() == "1 decision: 0 as ours, 1 not compared."


def test_a_sample_of_many_nodes():
    world = World(*(node(f"n{i}", cpu=4 + (i == 150)) for i in range(200)), pod("web", cpu=1))
    (verdict,) = world.sees(pod("web", on="n3", cpu=1))
    assert verdict.kind == SAMPLED and "Of all, we would take n150. n3 fits too" in verdict.why
    assert "1 from a sample of the nodes" in world.shadow.summary()


def test_other_namespaces_change_the_cluster_only():
    world = World(node("n1", cpu=4), pod("a", cpu=3), pod("b", cpu=3, namespace="shop"), namespace="shop")
    assert not world.sees(pod("a", on="n1", cpu=3))
    said = "0/1 nodes are available: 1 Insufficient cpu."
    (verdict,) = world.sees(refused("b", said, cpu=3, namespace="shop"))
    assert verdict.kind == ALIKE


def test_pods_and_nodes_that_go():
    world = World(node("n1"), node("n2"), pod("a", on="n1", cpu=4), pod("b", on="n2", cpu=4), pod("web", cpu=1))
    assert not list(world.shadow.pod("default/a", None, 0.0)) and not list(world.shadow.pod("default/none", None, 0.0))
    world.shadow.node("n2", None)
    world.shadow.node("n2", None)
    assert kinds(world.sees(pod("web", on="n1", cpu=1))) == [ALIKE]
    check(world.shadow.cluster)


# -- through kubectl


def versioned(manifest: dict[str, Any], version: int) -> dict[str, Any]:
    return manifest | {"metadata": manifest["metadata"] | {"resourceVersion": str(version)}}


@pytest.fixture
def followed(kubectl, monkeypatch):
    """A cluster whose watches bring a binding, a refusal, a node and what was listed already; all are brief."""
    monkeypatch.setattr("kschedlab_live.why.watching.BRIEF", 600.0)  # on a busy machine one may take seconds
    n1, web = versioned(node("n1"), 1), versioned(pod("web", cpu=1), 2)
    running = versioned(pod("run", on="n1", cpu=1), 3)
    fake = kubectl(n1, web, running)
    bound = versioned(pod("web", on="n1", cpu=1), 6)
    odd = versioned(pod("x\x1b[31m"), 9)
    fake.watches(
        nodes=[("ADDED", n1), ("ADDED", versioned(node("n2", unschedulable=True), 4)), ("BOOKMARK", n1)],
        pods=[("ADDED", web), ("ADDED", running), ("MODIFIED", bound), ("ADDED", odd), ("DELETED", bound)],
    )
    return fake


def test_watching_prints_each_decision_and_the_agreement(followed, why):
    said = why("--watch", status=3)
    assert said.startswith("Following 1 node and 2 pods, 1 of them pending; decided as v1.37. Ctrl-C ends it.")
    assert said.count("default/web -> n1 - as we decide: the only feasible node out of") == 3, "each time it begins"
    assert "3 decisions: 3 as ours." in said
    assert "kubectl: the watch ends again and again" in said
    watches = [call for call in followed.calls if "--watch" in call]
    assert {tuple(call[2:]) for call in watches} == {
        ("--watch", "--output-watch-events", "--output=json", "--all-namespaces")
    }


def test_a_quiet_moment_does_not_end_the_watch(followed, why, monkeypatch):
    monkeypatch.setattr("kschedlab_live.why.watching.TICK", 0.001)
    assert "3 decisions: 3 as ours." in why("--watch", status=3)


def test_the_owner_of_a_new_pod_is_read_once(kubectl, why, monkeypatch):
    """The default spreading needs the owner's selector; only a few kinds of owners have one."""
    monkeypatch.setattr("kschedlab_live.why.watching.BRIEF", 600.0)

    def owned(name: str, kind: str, owner: str, version: int) -> dict[str, Any]:
        made = versioned(pod(name, cpu=1), version)
        made["metadata"]["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": owner, "controller": True}
        ]
        return made

    n1 = versioned(node("n1"), 1)
    fake = kubectl(n1, versioned(pod("run", on="n1", cpu=1), 2))
    new = [("a1", "ReplicaSet", "a"), ("a2", "ReplicaSet", "a"), ("b1", "StatefulSet", "b"), ("d1", "DaemonSet", "d")]
    pods = [("ADDED", owned(*each, version)) for version, each in enumerate(new, 3)]
    fake.watches(nodes=[("ADDED", n1)], pods=[*pods, ("ADDED", versioned(pod("alone"), 9))])
    why("--watch", status=3)
    begun = sum("--watch" in call and call[1] == "pods" for call in fake.calls)
    owners = [call for call in fake.gets if "--namespace=default" in call]
    assert begun == 3 and len(owners) == 2 * begun
    assert {call[1] for call in owners} == {"services,replicationcontrollers,replicasets.apps,statefulsets.apps"}


def test_watching_needs_nodes_and_pods(kubectl, why):
    kubectl(node("n1"), pod("web"), refused=["nodes"])
    assert "nodes and pods of all namespaces must be readable to follow the cluster" in why("--watch", status=3)


def test_ctrl_c_ends_it_with_the_agreement(followed, monkeypatch, capsys):
    from kschedlab.program.main import main
    from kschedlab_live.why import watching

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(watching, "_follow", interrupted)
    assert main(["why", "-w"]) == 130
    assert capsys.readouterr().out.endswith("\nNo decision was seen.\n")


def test_a_cluster_that_is_away_for_a_moment(followed, why, monkeypatch):
    from kschedlab_live.kubectl import KubectlError
    from kschedlab_live.why import watching

    answers, gather, waits = iter([True, False, False]), watching.gather, []

    def sometimes(*arguments):
        if next(answers, True):
            return gather(*arguments)
        raise KubectlError("the connection was refused")

    monkeypatch.setattr(watching, "gather", sometimes)
    monkeypatch.setattr(watching.time, "sleep", waits.append)
    said = why("--watch", status=3)
    assert said.count("the cluster cannot be read: the connection was refused") == 2 and len(waits) == 2
    assert "3 decisions: 3 as ours." in said
