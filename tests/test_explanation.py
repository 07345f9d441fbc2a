"""The public questions about a pod: their answers as text, and errors that say what is expected."""

import pytest

from kschedlab import Cluster, compare, explain, explain_pending, schedule, what_if
from kschedlab.build import Manifest, cluster, node, pod
from kschedlab.explanation import NoProfileError
from kschedlab.generations import V1_37
from kschedlab.scheduler import Scheduler

WORLD = cluster(node("n1", 4), node("n2", 2), pod("db", "n1", 3), pod("web", cpu=2))
QUESTIONS = pytest.mark.parametrize("ask", [schedule, explain, compare, what_if], ids=lambda ask: ask.__name__)


def test_a_running_pod_is_taken_off_its_node_first() -> None:
    explanation = explain("default/db", WORLD)
    first = "default/db runs on n1. Scheduled again, it would land on the node where it runs."
    assert explanation.runs_on == "n1" and str(explanation).splitlines()[0] == first
    data, pending = explanation.to_dict(), explain("default/web", WORLD).to_dict()
    assert (data["pod"], data["runs_on"]) == ("default/db", "n1") and "runs_on" not in pending
    bigger = explain(pod("db", cpu=4), WORLD)
    assert (bigger.runs_on, bigger.decision.node) == ("n1", "n1"), "its old self no longer counts"


def test_a_running_pod_is_told_how_its_node_would_fare() -> None:
    """Whether it may land there again, and else which filter refuses it or how many points it is behind."""

    def first_line(*nodes: Manifest) -> str:
        return str(explain("default/p", cluster(*nodes, pod("p", "n1", 1)))).splitlines()[0]

    cordoned, two = node("n1", unschedulable=True), [node("n1", 2), node("n2", 8)]
    again = "default/p runs on n1. Scheduled again, it may land on the node where it runs."
    refused = "default/p runs on n1. The node where it runs is refused now, by NodeUnschedulable."
    assert first_line(node("n1"), node("n2")) == again
    assert first_line(cordoned, node("n2")) == refused
    assert first_line(cordoned) == "default/p runs on n1."
    scores = schedule(pod("p", cpu=1), cluster(*two)).scores
    assert scores is not None
    here, there = scores.total.tolist()
    assert first_line(*two) == f"default/p runs on n1. The node where it runs is {there - here} behind."


def test_every_node_of_a_large_cluster_is_looked_at() -> None:
    """A scheduler stops once it has enough nodes; whoever asks for an explanation wants to know all."""
    world = cluster(*(node(f"n{number}") for number in range(150)), pod("p", cpu=1), pod("q", cpu=1))
    assert len(explain("default/p", world).decision.feasible) == 150
    assert [len(each.decision.feasible) for each in explain_pending(world)] == [150, 150]


def test_a_pod_of_another_scheduler_is_not_explained() -> None:
    world = cluster(
        node("n1"), pod("own"), pod("other", schedulerName="batch"), pod("runs", "n1", schedulerName="batch")
    )
    for key in ("default/other", "default/runs"):
        with pytest.raises(NoProfileError, match=f'no profile has the schedulerName "batch" of pod {key}'):
            explain(key, world)
        assert explain(key, world, {"batch": V1_37}).decision.node == "n1"
    pending = explain_pending(world)
    assert [each.decision.pod.key for each in pending] == ["default/own"]
    assert [info.key for info in pending.passed_over] == ["default/other"]


def test_a_manifest_is_scheduled_as_a_pending_pod() -> None:
    assert schedule(pod("new", cpu=2), WORLD).node == schedule("default/web", WORLD, V1_37).node == "n2"
    assert list(WORLD.pending) == ["default/web"]


def test_a_running_pod_is_not_pending() -> None:
    with pytest.raises(KeyError, match=r'pod "default/db" runs on n1 and is not pending; explain\(pod, cluster\)'):
        schedule("default/db", WORLD)
    with pytest.raises(KeyError, match='no pending pod "default/wob"; there are 1: default/web'):
        schedule("default/wob", WORLD)


@QUESTIONS
@pytest.mark.parametrize("wrong", [WORLD.objects, None, [node("n1")], "default/web"], ids=["objects", "none", "l", "s"])
def test_what_is_no_cluster(ask, wrong) -> None:
    with pytest.raises(TypeError, match=f"expected a Cluster, as Cluster.from_dicts.*, got {type(wrong).__name__}"):
        ask("default/web", wrong)
    for other in (Scheduler, explain_pending):
        with pytest.raises(TypeError, match="expected a Cluster"):
            other(wrong)


@QUESTIONS
def test_what_is_no_pod(ask) -> None:
    for wrong in (None, 5, [pod("a")]):
        with pytest.raises(TypeError, match=r'expected a pod \("namespace/name", a manifest or a Pod\), got'):
            ask(wrong, WORLD)
    with pytest.raises(ValueError, match="expected the manifest of one pod, got Node"):
        ask(node("n3"), WORLD)


@pytest.mark.parametrize("wrong", [None, 1.37, WORLD])
def test_what_is_no_generation(wrong) -> None:
    for ask in (schedule, explain, what_if):
        with pytest.raises(TypeError, match='is not a generation, nor the name of one such as "v1.37"'):
            ask("default/web", WORLD, wrong)
    with pytest.raises(TypeError, match="is not a generation"):
        compare("default/web", WORLD, [wrong])
    with pytest.raises(ValueError, match="expected at least one profile"):
        explain("default/web", WORLD, {})


def test_generations_to_compare() -> None:
    with pytest.raises(TypeError, match="expected a list of generations, such as"):
        compare("default/web", WORLD, None)
    assert list(compare("default/web", WORLD, "v1.20").decisions) == ["v1.20", "v1.37"]
    assert list(compare("default/web", WORLD, V1_37).decisions) == ["v1.37"]
    with pytest.raises(ValueError, match="expected generations to compare"):
        compare("default/web", WORLD, [])


def test_questions_about_an_empty_cluster() -> None:
    empty = Cluster.from_dicts([])
    new = pod("new", cpu=1)
    assert str(what_if(new, empty)).splitlines()[1:] == [
        "  Less of one resource alone is not enough.",
        "  No change of its constraints is enough: it has none.",
    ]
    assert "no nodes available to schedule pods" in str(explain(new, empty)) and "4 generations" in str(
        compare(new, empty)
    )
    assert str(explain_pending(empty)) == "no pending pods"
