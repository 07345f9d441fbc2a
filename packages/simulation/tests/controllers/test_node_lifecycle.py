import pytest
from msgspec.structs import replace

from kschedlab.build import node, pod
from kschedlab.objects.model import Node, NodeCondition, NodeSpec, NodeStatus, Pod, Taint, Toleration
from kschedlab_simulation.controllers.drain import cordon, uncordon
from kschedlab_simulation.controllers.node_lifecycle import toleration_time, with_taints
from packages.simulation.tests.controllers.stage import NODE, Stage, owner

NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
MINUTE = 60_000_000


def taints(of: Node) -> list[str]:
    return [f"{each.key.removeprefix('node.kubernetes.io/')}:{each.effect}" for each in of.spec.taints]


def given(*conditions: tuple[str, str], unschedulable: bool = False, taints: tuple[Taint, ...] = ()) -> Node:
    found = tuple(NodeCondition(type=type, status=status) for type, status in conditions)
    return Node(spec=NodeSpec(unschedulable=unschedulable, taints=taints), status=NodeStatus(conditions=found))


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (("Ready", "True"), []),
        (("Ready", "False"), ["not-ready:NoSchedule", "not-ready:NoExecute"]),
        (("Ready", "Unknown"), ["unreachable:NoSchedule", "unreachable:NoExecute"]),
        (("MemoryPressure", "True"), ["memory-pressure:NoSchedule"]),
        (("MemoryPressure", "False"), []),
        (("DiskPressure", "True"), ["disk-pressure:NoSchedule"]),
        (("PIDPressure", "True"), ["pid-pressure:NoSchedule"]),
        (("NetworkUnavailable", "True"), ["network-unavailable:NoSchedule"]),
    ],
)
def test_a_node_has_taints_for_its_conditions(condition: tuple[str, str], wanted: list[str]):
    assert taints(with_taints(given(condition), 0)) == wanted


def test_condition_taints_are_removed_and_other_taints_stay():
    before = with_taints(given(("Ready", "False"), taints=(Taint("gpu", "", "NoSchedule"),)), 0)
    assert taints(before) == ["gpu:NoSchedule", "not-ready:NoSchedule", "not-ready:NoExecute"]
    assert taints(with_taints(given(("Ready", "True"), taints=before.spec.taints), 0)) == ["gpu:NoSchedule"]


def test_a_taint_of_an_unreported_condition_stays():
    by_hand = given(taints=(Taint(NOT_READY, "", "NoExecute"),))
    assert with_taints(by_hand, 0) is by_hand


def test_a_cordoned_node_gets_its_taint_and_loses_it_again():
    stage = Stage(NODE).run(1)
    cordon(stage.api, "n1")
    assert taints(stage.run(1).get(Node, "n1", "")) == ["unschedulable:NoSchedule"]
    cordon(stage.api, "n1")
    uncordon(stage.api, "n1")
    assert taints(stage.run(1).get(Node, "n1", "")) == []


def test_pods_stay_as_long_as_they_tolerate():
    both = [Taint(NOT_READY, "", "NoExecute"), Taint("gone", "", "NoExecute")]
    anything = Toleration(operator="Exists")
    gone, five = Toleration("gone", "Exists"), Toleration(NOT_READY, "Exists", "", "NoExecute", 300)
    assert toleration_time([], both) == toleration_time([five], both) == toleration_time([gone], both) == 0
    assert toleration_time([anything], both) is None
    assert toleration_time([gone, five], both) == 5 * MINUTE
    assert toleration_time([Toleration("gone", "Exists", "", "", 60), five], both) == MINUTE
    assert toleration_time([Toleration("gone", "Exists", "", "", -1), anything], both) == 0
    assert toleration_time([anything], []) is None
    assert toleration_time(
        [Toleration("gone", "Exists", "", "", 60), Toleration("gone", "Exists", "", "", 5), five], both
    ) == (MINUTE), "the first toleration of a taint"


def test_pods_on_an_unreachable_node_become_unready_and_are_evicted_after_five_minutes():
    stage = Stage(NODE, node("n2"), owner("ReplicaSet")).run(10)
    stage.ready("Unknown")
    ready = [each.status for pod in stage.run(1).all(Pod) for each in pod.status.conditions if each.type == "Ready"]
    assert ready == ["False"] * 3
    assert stage.run(298).phases() == {"Running": 3}
    assert stage.run(2).phases() == {"Terminating": 3, "Pending": 3}
    target = next(each for each in stage.all(Pod)[0].status.conditions if each.type == "DisruptionTarget")
    assert target.reason == "DeletionByTaintManager"


def test_pods_stay_if_the_node_is_ready_again_in_time():
    stage = Stage(NODE, pod("a", "n1")).run(10)
    stage.ready("False")
    stage.run(200)
    stage.ready("True")
    stage.run(400)
    assert stage.phases() == {"Running": 1}
    ready = next(each for each in stage.get(Pod, "a").status.conditions if each.type == "Ready")
    assert ready.status == "True"


LIFECYCLE = ("node-controller", "taint-eviction-controller")


def test_evictions_that_are_marked_and_cancelled_are_reported():
    stage = Stage(NODE, pod("a", "n1"), pod("b", "n1", tolerations=[{"operator": "Exists"}])).run(10)
    stage.ready("True")
    stage.run(1)
    stage.ready("Unknown")
    stage.run(200)
    stage.ready("True")
    assert stage.run(10).events(*LIFECYCLE) == [
        ("NodeNotReady", "Node n1 status is now: NodeNotReady"),
        ("NodeNotReady", "Node is not ready"),
        ("NodeNotReady", "Node is not ready"),
        ("TaintManagerEviction", "Cancelling deletion of Pod default/a"),
    ]
    stage.ready("Unknown")
    assert stage.run(310).events(*LIFECYCLE)[-1] == ("TaintManagerEviction", "Marking for deletion Pod default/a")


def test_nodes_that_come_and_go_are_reported_at_the_next_look():
    stage = Stage(NODE).run(11)
    stage.create(node("n2"))
    assert stage.run(3).events(*LIFECYCLE) == []
    came = ("RegisteredNode", "Node n2 event: Registered Node n2 in Controller")
    assert stage.run(2).events(*LIFECYCLE) == [came]
    stage.api.delete(Node, "", "n1", by="test")
    went = ("RemovingNode", "Node n1 event: Removing Node n1 from Controller")
    assert stage.run(5).events(*LIFECYCLE) == [came, went]


def test_toleration_time_starts_with_the_first_taint():
    stage = Stage(NODE, pod("a", "n1")).run(10)
    stage.ready("False")
    stage.run(200)
    stage.ready("Unknown")
    assert stage.run(99).phases() == {"Running": 1}
    assert stage.run(2).phases() == {"Terminating": 1}


def test_a_pod_that_tolerates_longer_stays_longer():
    tolerates = {"key": "broken", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
    stage = Stage(NODE, *(pod(name, "n1", tolerations=[tolerates]) for name in "ab")).run(10)
    found = stage.get(Node, "n1", "")
    stage.api.update(replace(found, spec=replace(found.spec, taints=(Taint("broken", "", "NoExecute"),))), by="test")
    stage.run(30)
    kept = stage.get(Pod, "a")
    longer = (replace(kept.spec.tolerations[0], tolerationSeconds=None), *kept.spec.tolerations[1:])
    stage.api.update(replace(kept, spec=replace(kept.spec, tolerations=longer)), by="test")
    assert stage.run(29).phases() == {"Running": 2}
    assert stage.run(100).phases() == {"Running": 1}
    assert ("TaintManagerEviction", "Cancelling deletion of Pod default/a") in stage.events(*LIFECYCLE)


def test_existing_and_new_pods_without_toleration_are_evicted_at_once():
    stage = Stage(NODE, pod("a", "n1"), pod("b", "n1", tolerations=[{"operator": "Exists"}])).run(10)
    found = stage.get(Node, "n1", "")
    broken = replace(found, spec=replace(found.spec, taints=(Taint("broken", "", "NoExecute"),)))
    stage.api.update(broken, by="test")
    assert stage.run(1).phases() == {"Terminating": 1, "Running": 1}
    stage.create(pod("c"))
    assert stage.run(1).names() == ["a", "b"]


def test_a_node_gets_the_taints_of_the_state_in_which_it_comes():
    off = node("off") | {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    stage = Stage(node("shut", unschedulable=True), off).run(1)
    stage.create(node("later", unschedulable=True))
    stage.run(1)
    assert taints(stage.get(Node, "shut", "")) == taints(stage.get(Node, "later", "")) == ["unschedulable:NoSchedule"]
    assert taints(stage.get(Node, "off", "")) == ["not-ready:NoSchedule", "not-ready:NoExecute"]


def test_a_pod_that_is_there_before_its_tainted_node_is_evicted_once_the_node_comes():
    stage = Stage(NODE, pod("a", "n2")).run(1)
    stage.create(node("n2", taints=[{"key": "broken", "effect": "NoExecute"}]))
    assert stage.run(1).phases() == {"Terminating": 1}


CANCELLED = ("TaintManagerEviction", "Cancelling deletion of Pod default/a")
MARKED = ("TaintManagerEviction", "Marking for deletion Pod default/a")


def evictions(stage: Stage) -> list[tuple[str, str]]:
    return stage.events("taint-eviction-controller")


def test_a_pod_that_goes_by_itself_has_its_eviction_cancelled_and_its_successor_the_whole_time():
    """v1.37: pkg/controller/tainteviction/taint_eviction.go, handlePodUpdate (cancelWorkWithEvent)."""
    stage = Stage(NODE, pod("a", "n1")).run(10)
    stage.ready("False")
    stage.run(200)
    stage.delete("a", grace_seconds=0)
    assert evictions(stage.run(1)) == [CANCELLED]
    stage.create(pod("a", "n1"))
    assert stage.run(299).phases() == {"Running": 1}
    assert evictions(stage.run(2)) == [CANCELLED, MARKED]


def test_an_eviction_that_is_over_is_not_cancelled_when_the_pod_has_gone():
    stage = Stage(NODE, pod("a", "n1")).run(10)
    stage.ready("False")
    assert stage.run(400).names() == [] and evictions(stage) == [MARKED]
