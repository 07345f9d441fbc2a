"""Sentences, amounts, times, and nodes folded by their reasons."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.pods import NEVER_STARTED
from kschedlab.objects.model import Time
from kschedlab.scheduler import schedule
from kschedlab.text.plain import aligned
from kschedlab.text.preemption import choice
from kschedlab.text.words import (
    amount,
    asked_and_free,
    broken,
    clock,
    columns_of,
    count,
    init_containers_text,
    listing,
    request_text,
)
from tests.saying import says

SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}


@pytest.mark.parametrize(
    ("resource", "value", "text"),
    [
        ("cpu", 3000, "3 CPU"),
        ("cpu", 1500, "1.5 CPU"),
        ("cpu", 250, "250m CPU"),
        ("cpu", 1000, "1 CPU"),
        ("cpu", 1050, "1050m CPU"),
        ("memory", 3 << 40, "3Ti memory"),
        ("memory", 5 << 10, "5Ki memory"),
        ("ephemeral-storage", 2 << 30, "2Gi ephemeral-storage"),
        ("memory", 1 << 30, "1Gi memory"),
        ("memory", 3 << 29, "1.5Gi memory"),
        ("memory", 500 << 20, "500Mi memory"),
        ("memory", 1000, "1000 memory"),
        ("memory", 0, "0 memory"),
        ("memory", (1 << 30) + 1, "1073741825 memory"),
        ("hugepages-2Mi", 4 << 20, "4Mi hugepages-2Mi"),
        ("nvidia.com/gpu", 2, "2 nvidia.com/gpu"),
    ],
)
def test_amounts(resource: str, value: int, text: str) -> None:
    assert amount(resource, value) == text


@pytest.mark.parametrize(
    ("resource", "asked", "free", "texts"),
    [
        ("cpu", 1000, 0, ("1 CPU", "0 CPU")),
        ("cpu", 2500, 800, ("2.5 CPU", "0.8 CPU")),
        ("cpu", 2000, 1685, ("2 CPU", "1.685 CPU")),
        ("cpu", 1050, 1000, ("1.05 CPU", "1 CPU")),
        ("cpu", 900, 800, ("900m CPU", "800m CPU")),
        ("memory", 16 << 30, (12 << 30) - 1, ("16Gi memory", "11.99Gi memory")),
        ("memory", 1000, 999, ("1000 memory", "999 memory")),
        ("nvidia.com/gpu", 2, 1, ("2 nvidia.com/gpu", "1 nvidia.com/gpu")),
    ],
)
def test_what_is_asked_and_what_is_free_are_in_one_unit(
    resource: str, asked: int, free: int, texts: tuple[str, str]
) -> None:
    assert asked_and_free(resource, asked, free) == texts


def test_counts_and_lists() -> None:
    assert (count(1, "node"), count(5000, "node")) == ("1 node", "5,000 nodes")
    assert (listing(list("abc")), listing(list("abcd"), 2), listing([])) == ("a, b, c", "a, b and 2 more", "")
    assert (listing(list("abcde")), listing(list("abcdef"))) == ("a, b, c, d, e", "a, b, c, d, e and 1 more")


def test_times_are_as_short_as_they_can_be() -> None:
    nine, later, tomorrow = (
        int(Time.parse(f"2026-03-{text}Z")) for text in ("02T09:00:00", "02T09:00:07", "03T10:00:00")
    )
    assert clock([nine])(nine) == "09:00"
    assert clock([nine, later])(nine) == "09:00:00"
    assert clock([nine, tomorrow])(tomorrow) == "2026-03-03 10:00"
    assert clock([nine, NEVER_STARTED])(NEVER_STARTED) == "not started"


@given(st.lists(st.lists(st.text("ab|", max_size=6), min_size=2, max_size=2), min_size=1, max_size=5))
def test_columns_stand_below_each_other(rows: list[list[str]]) -> None:
    width = max(len(row[0]) for row in rows)
    assert [line[2 + width + 2 :] for line in aligned(rows)] == [row[1] for row in rows]


def said(*objects: Any, **options: Any) -> str:
    return schedule("default/web", cluster(*objects), **options).outcome


def test_what_was_decided_in_a_sentence() -> None:
    web = pod("web", cpu="1")
    full = pod("big", "n1", cpu="1", priority=5)
    assert says(said(node("n1", allocatable=SMALL), web), "default/web", "n1", "only feasible", 1)
    score = schedule("default/web", cluster(node("n1"), node("n2"), web)).scores.total.max()  # type: ignore[union-attr]
    best = f"with the highest score ({score}) of the 2 feasible nodes out of 2."
    assert said(node("n1"), node("n2"), web) == f"default/web goes to n1, one of 2 {best}"
    assert (
        said(node("n1", allocatable=SMALL), full, web)
        == "default/web fits on none of 1 node, and preemption does not help."
    )
    low = pod("low", "n1", cpu="1", priority=-1)
    assert says(said(node("n1", allocatable=SMALL), low, web), "default/web", "none of 1 node", "preempts low on n1")
    assert said(web) == "default/web fits on none of 0 nodes."
    gated = pod("web", schedulingGates=[{"name": "a"}])
    assert says(said(node("n1"), gated), "default/web", "scheduling gates", "a")


@pytest.mark.parametrize(("number", "named"), [(3, "low0, low1 and low2"), (4, "4 pods")])
def test_up_to_three_victims_are_named(number: int, named: str) -> None:
    low = [pod(f"low{i}", "n1", cpu="200m", priority=-1) for i in range(number)]
    sentence = said(node("n1", allocatable=SMALL), *low, pod("web", cpu="1"))
    assert sentence.endswith(f"it preempts {named} on n1.")


def test_init_containers_that_ask_for_more_are_named() -> None:
    asked = {"cpu": "1m", "example.com/gpu": "1"}
    init = [{"name": "setup", "image": "i", "resources": {"requests": asked, "limits": {"example.com/gpu": "1"}}}]
    room = {"cpu": "4", "pods": "9", "example.com/gpu": "2"}
    world = cluster(node("n1", allocatable=room), pod("web", initContainers=init))
    text = init_containers_text(schedule("default/web", world).pod)
    assert text == "Init containers count: setup; without them it would ask for 0 example.com/gpu, 0m CPU."


def test_only_what_init_containers_raise_is_compared() -> None:
    """Another init container asks for as much memory as the containers do."""
    init = [
        {"name": name, "image": "i", "resources": {"requests": asked}}
        for name, asked in (("setup", {"cpu": "2"}), ("cache", {"memory": "1Gi"}))
    ]
    asking = pod("web", cpu=1, memory="1Gi", initContainers=init)
    text = init_containers_text(schedule("default/web", cluster(node("n1"), asking)).pod)
    assert text == "Init containers count: setup; without them it would ask for 1 CPU."
    small = pod("web", cpu=2, memory="1Gi", initContainers=init)
    assert init_containers_text(schedule("default/web", cluster(node("n1"), small)).pod) == ""


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 13, ["one two three"]),
        ("abc-def ghi", 9, ["abc-def", "ghi"]),
        ("a-b c-d", 5, ["a-b", "c-d"]),
        ("节点满了", 4, ["节点", "满了"]),
        ("节点满了", 5, ["节点", "满了"]),
        ("节点满了", 8, ["节点满了"]),
        ("节点 node-a 满了", 8, ["节点", "node-a ", "满了"]),
        ("节点 node-a 满了", 11, ["节点 node-a", "满了"]),
        ("node-a node-b 满了", 8, ["node-a", "node-b ", "满了"]),
    ],
)
def test_lines_break_between_words_and_wide_characters(text: str, width: int, lines: list[str]) -> None:
    """A Chinese character takes two columns of a terminal."""
    assert broken(text, width) == lines


def test_wide_characters_take_two_columns() -> None:
    """Those of East Asian Width W and F (Unicode, UAX 11), such as 满 and the full-width A."""
    texts = {"": 0, "abc": 3, "é": 1, "满": 2, "满a": 3, "\uff21": 2, "→": 1}
    assert {text: columns_of(text) for text in texts} == texts


def test_pods_that_may_not_preempt_or_are_rejected_at_once() -> None:
    low = pod("low", "n1", cpu="1", priority=-1)
    polite = pod("web", cpu="1", preemptionPolicy="Never")
    reason = "not eligible due to preemptionPolicy=Never"
    assert (
        said(node("n1", allocatable=SMALL), low, polite)
        == f"default/web fits on none of 1 node and may not preempt: {reason}."
    )
    lost = pod("web", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}])
    told = said(node("n1"), lost)
    assert told.startswith("default/web stays pending: ") and 'persistentvolumeclaim "gone" not found' in told


def test_a_search_that_ended_early_says_how_far_it_looked() -> None:
    world = cluster(*(node(f"n{i:03}") for i in range(200)), pod("web"))
    told = schedule("default/web", world, percentage=50, exhaustive=False).outcome
    assert told.endswith("of the 100 feasible nodes found by looking at 100 of 200.")


def test_what_the_pod_asks_for() -> None:
    world = cluster(node("n1"), pod("web", cpu="500m", memory="1Gi", priority=7), pod("idle"))
    assert request_text(schedule("default/web", world).pod) == "asks for 500m CPU, 1Gi memory; priority 7"
    assert request_text(schedule("default/idle", world).pod) == "asks for nothing; priority 0"


def test_refused_nodes_are_folded_as_each_node_says_itself() -> None:
    tiny = {"cpu": "1", "memory": "1Mi", "pods": "0"}
    taint = {"key": "k", "value": "v", "effect": "NoSchedule"}
    world = cluster(
        *(node(f"small{i}", allocatable=SMALL) for i in range(3)),
        *(node(f"tiny{i}", allocatable=tiny) for i in range(2)),
        node("tainted", taints=[taint]),
        node("closed", allocatable=tiny, unschedulable=True, taints=[taint]),
        pod("web", cpu="2", memory="1Gi"),
    )
    decision = schedule("default/web", world)
    expected: dict[tuple[object, ...], tuple[str, ...]] = {}
    for name in sorted(world.names):
        verdict = decision.verdict(name)
        key = (verdict.plugin, verdict.reasons, verdict.unresolvable)
        expected[key] = (*expected.get(key, ()), name)
    folded = decision.refusals()
    assert {(r.plugin, r.reasons, r.unresolvable): r.nodes for r in folded} == expected
    assert [len(r.nodes) for r in folded] == [3, 2, 1, 1]
    assert {r.nodes: r.also for r in folded}[("closed",)] == (("TaintToleration", 1), ("NodeResourcesFit", 1))


def test_nodes_that_a_nominated_pod_crowds_out_are_folded_with_the_others() -> None:
    world = cluster(
        node("n1", allocatable=SMALL),
        node("n2", allocatable=SMALL),
        pod("vip", priority=9, cpu="1", nominated="n1"),
        pod("here", "n2", priority=9, cpu="1"),
        pod("web", cpu="1"),
    )
    (refusal,) = schedule("default/web", world).refusals()
    assert (refusal.plugin, refusal.reasons, refusal.nodes) == ("NodeResourcesFit", ("Insufficient cpu",), ("n1", "n2"))


def test_which_rule_chose() -> None:
    def choose(*objects: Any) -> str:
        decision = schedule("default/web", cluster(*objects, pod("web", priority=9, cpu="1")))
        assert decision.preemption is not None
        return choice(decision.preemption)

    def victim(on: str, priority: int) -> dict[str, Any]:
        return pod(f"v-{on}", on, priority=priority, cpu="1")

    one, two = node("n1", allocatable=SMALL), node("n2", allocatable=SMALL)
    assert choose(one, victim("n1", 10)) == ""
    assert says(choose(one, victim("n1", 1)), "n1", "only candidate", "no rule")
    expected = "Of 2 candidates, rule 2 (lowest first victim priority) chooses n2 over n1."
    assert choose(one, two, victim("n1", 2), victim("n2", 1)) == expected
    tie = "All 5 rules leave a tie of n1, n2; the scheduler takes any of them, here n1."
    assert choose(one, two, victim("n1", 1), victim("n2", 1)) == tie
