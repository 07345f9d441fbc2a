"""The numbers of the score stage."""

from kschedlab_lab.panels.score_cluster import THREE, Cause, decide
from kschedlab_lab.views.score import lead, number, result_list, total
from tests.saying import says

NAMES = ("node-a", "node-b", "node-c", "node-d")


def test_numbers_and_the_list_of_sums() -> None:
    decision = decide(Cause())
    assert [number(decision, stage, "NodeAffinity", "node-c") for stage in ("raw", "normalised", "weighted")] == [
        20,
        33,
        33,
    ]
    assert result_list(decision) == [(name, total(decision, name)) for name in NAMES]
    assert number(decision, "raw", "Nobody", "node-a") is None


def test_the_lead_or_the_tie() -> None:
    assert says(lead(decide(Cause())), "node-c", "highest", 185, 20, "node-a")
    tie = decide(Cause(), THREE.weighted(NodeResourcesLeastAllocated=0, NodeAffinity=0))
    assert lead(tie).startswith("node-a, node-b and node-c share the highest sum")
