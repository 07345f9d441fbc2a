"""What became of the pods of a run. The whole way is in packages/simulation/tests/program/test_simulate.py."""

from kschedlab.objects.model import ObjectMeta, Pod, PodCondition, PodSpec, PodStatus
from kschedlab_simulation.changes import pod_changes
from kschedlab_simulation.log import Changed, Log


def a_pod(name: str, uid: str = "1", node: str = "", phase: str = "Running", reason: str = "") -> Pod:
    conditions = [PodCondition(type="DisruptionTarget", status="True", reason=reason)] if reason else []
    metadata = ObjectMeta(name=name, namespace="default", uid=uid)
    return Pod(metadata=metadata, spec=PodSpec(nodeName=node), status=PodStatus(phase=phase, conditions=conditions))


def changes(before: list[Pod], after: list[Pod], *deleted: Pod) -> list[tuple[str, str, str]]:
    log = Log()
    for pod in deleted:
        key = f"default/{pod.metadata.name}"
        log.write(Changed(at=0, type="DELETED", kind="Pod", key=key, old=pod))
    return [(each.what, each.pod.metadata.name, each.origin) for each in pod_changes(before, after, log)]


def test_what_is_new_bound_changed_or_the_same():
    before = [a_pod("a", node="n1"), a_pod("b"), a_pod("c", node="n1"), a_pod("d")]
    after = [a_pod("a", node="n1"), a_pod("b", node="n2"), a_pod("c", node="n1", phase="Failed"), a_pod("e")]
    assert changes(before, after, a_pod("d")) == [
        ("gone", "d", ""),
        ("new", "e", ""),
        ("bound", "b", ""),
        ("changed", "c", "n1"),
        ("", "a", "n1"),
    ]


def test_why_a_pod_is_gone():
    reasons = {"a": "EvictionByEvictionAPI", "b": "PreemptionByScheduler", "c": "DeletionByTaintManager", "d": ""}
    pods = [a_pod(name, node="n1", reason=reason) for name, reason in reasons.items()]
    assert [what for what, _, _ in changes(pods, [], *pods)] == ["evicted", "evicted", "preempted", "gone"]
    assert changes([], [], *pods)[0] == ("evicted", "a", "n1"), "also one that came and went during the run"


def test_a_pod_that_took_the_place_of_another():
    before = [a_pod("a", node="n1"), a_pod("b", node="n1")]
    after = [a_pod("a", "2", node="n2"), a_pod("b", "3", node="n1")]
    assert changes(before, after, *before) == [("moved", "a", "n1"), ("replaced", "b", "n1")]
    between = a_pod("a", "4", node="n3")
    assert changes(before, after, *before, between)[0] == ("gone", "a", "n3")
