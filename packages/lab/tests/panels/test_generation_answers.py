"""The answers of generations, in the words of the panel of lesson 06."""

from kschedlab.build import Manifest, cluster, node, pod
from kschedlab.decision import Decision
from kschedlab.scheduler import schedule
from kschedlab_lab.panels.generation_answers import PodAnswer, answer, picked

FULL = {"cpu": "1", "memory": "8Gi", "pods": "9"}
CLAIMING = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])


def decided(*objects: Manifest) -> Decision:
    return schedule("default/p", cluster(*objects))


def test_the_answer_that_a_pod_notices() -> None:
    tight = [node(name, allocatable=FULL) for name in ("a", "b")]
    alone = decided(tight[0], pod("v", "a", cpu="1"), pod("p", "", cpu="1", priority=9))
    assert answer(alone) == PodAnswer(("a",), (("default/v",),)) and picked(alone) == "a"
    running = [pod("v", "a", cpu="1"), pod("w", "b", cpu="1")]
    tied = decided(*tight, *running, pod("p", "", cpu="1", priority=9))
    assert answer(tied) == PodAnswer(("a", "b"), (("default/v",), ("default/w",))) and picked(tied) == "tie: a, b"
    assert picked(decided(node("a"), node("b"), pod("p"))) == "tie: a, b"
    full = decided(tight[0], pod("p", "", cpu="2"))
    assert answer(full) == PodAnswer(()) and picked(full) == "no node"
    failed = schedule("default/p", cluster(node("a"), CLAIMING), "v1.13")
    assert picked(failed) == "an error"
