"""The filter stage: preparing, the first plugin that refuses, nominated pods, and the search for enough nodes."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node, pod
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.plugin import PodsFilter, PreFilterRejection, Refusal, Refusals, SchedulingError, StaticFilter
from kschedlab.filter.stage import EXCLUDED, PASSES, FilterRun, SamplingRules, nodes_to_find, prepare, search
from kschedlab.generations import V1_37
from kschedlab.scheduler import schedule


@dataclass(frozen=True)
class Says:
    """A filter that always returns the same. ``asked`` counts the calls."""

    name: str
    answer: object
    asked: list = None

    def prepare(self, pod, cluster):
        if self.asked is not None:
            self.asked.append(self.name)
        return self.answer


def static(filter="", node_names=None):
    """Refuses the nodes whose numbers are in the text; excludes all but ``only``."""
    mask = np.array([str(number) in filter for number in range(3)])
    refused = Refusals([Refusal(mask, f"no {filter}", True)]) if filter else None
    return StaticFilter(refused, frozenset(node_names) if node_names is not None else None)


def world():
    return cluster(*(node(f"n{i}") for i in range(3)), pod("p"))


def prepared(*filters):
    here = world()
    return prepare(here.pending["default/p"], here, filters)


def judged(*filters):
    here = world()
    info = here.pending["default/p"]
    return FilterRun(prepare(info, here, filters), info, here).verdicts()


def test_plugins_that_skip_the_pod_do_not_run_again():
    found = prepared(Says("A", None), Says("B", static()), Says("C", None))
    assert (found.plugins, found.included, found.rejected) == (("B",), None, None)


def test_an_unresolvable_rejection_ends_it():
    asked = []
    found = prepared(Says("A", PreFilterRejection("A", ("no",)), asked), Says("B", None, asked))
    assert found.rejected == PreFilterRejection("A", ("no",)) and asked == ["A"]


def test_a_resolvable_rejection_waits_for_the_others():
    mild, hard = PreFilterRejection("A", ("mild",), unresolvable=False), PreFilterRejection("B", ("hard",))
    assert prepared(Says("A", mild), Says("B", None)).rejected == mild
    assert prepared(Says("A", mild), Says("B", hard)).rejected == hard


def test_prefilter_results_are_intersected():
    found = prepared(Says("B", static(node_names=["n0", "n1"])), Says("A", static(node_names=["n1", "n2", "gone"])))
    assert found.included.tolist() == [False, True, False] and found.excluded_by == ("A", "B")


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ([[]], "node(s) didn't satisfy plugin B"),
        ([["n0"], ["n1"]], "node(s) didn't satisfy plugin(s) [A B] simultaneously"),
    ],
    ids=["one", "two"],
)
def test_prefilter_results_without_a_node(results, reason):
    found = prepared(
        *(Says(name, static(node_names=node_names)) for name, node_names in zip("BA", results, strict=False))
    )
    assert found.rejected.reasons == (reason,) and found.rejected.unresolvable


def test_the_first_plugin_that_refuses_a_node_decides_it():
    verdicts = judged(Says("A", static("1")), Says("B", static("12")))
    assert [verdicts.plugin(i) for i in range(3)] == [None, "A", "B"]
    assert [verdicts.reasons(i) for i in range(3)] == [[], ["no 1"], ["no 12"]]
    assert verdicts.passes.tolist() == [True, False, False]


def test_an_excluded_node_has_no_reasons_and_is_unresolvable():
    verdicts = judged(Says("A", static("12", node_names=["n1"])))
    assert verdicts.refused_by.tolist() == [EXCLUDED, 0, EXCLUDED]
    assert [verdicts.plugin(i) for i in range(3)] == ["PreFilter", "A", "PreFilter"]
    assert verdicts.reasons(0) == [] and verdicts.unresolvable().all()


def test_reasons_keep_the_plugins_order_and_one_unresolvable_part_is_enough():
    masks = np.array([True, True, False]), np.array([False, True, False])
    parts = [Refusal(masks[0], "first"), Refusal(masks[1], "second", unresolvable=True)]
    verdicts = judged(Says("A", StaticFilter(Refusals(parts))))
    assert [verdicts.reasons(i) for i in range(3)] == [["first"], ["first", "second"], []]
    assert verdicts.unresolvable().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("failing", "all_errors", "message"),
    [
        ({"A": "0", "B": "12"}, False, 'running "A" filter plugin: broken 0'),
        ({"A": "0"}, True, "broken 0"),
        ({"A": "0", "B": "12"}, True, "[broken 0, broken 12 (repeated 2 times)]"),
    ],
    ids=["the first", "the only one", "all"],
)
def test_the_errors_of_plugins(failing, all_errors, message):
    here = world()
    info = here.pending["default/p"]
    masks = {name: np.array([str(number) in nodes for number in range(3)]) for name, nodes in failing.items()}
    parts = {name: Refusal(mask, f"broken {failing[name]}", error=True) for name, mask in masks.items()}
    filters = [Says(name, StaticFilter(Refusals([part]))) for name, part in parts.items()]
    with pytest.raises(SchedulingError) as raised:
        FilterRun(prepare(info, here, filters), info, here, all_errors).verdicts()
    assert str(raised.value) == message


def test_a_filter_that_depends_only_on_the_nodes_runs_once():
    asked = []

    class Counting(StaticFilter):
        def filter(self, world):
            asked.append(1)
            return self.refused

    here = cluster(node("n"), pod("p"), pod("q", nominated="n"))
    info = here.pending["default/p"]
    run = FilterRun(prepare(info, here, [Says("A", Counting(None))]), info, here)
    run.verdicts()
    run.verdicts()
    assert asked == [1]


ROOM = {"cpu": "10", "memory": "10Gi", "pods": "10"}


def fits(asking, *others):
    here = cluster(node("n", allocatable=ROOM), node("m", allocatable=ROOM), asking, *others)
    info = here.pending[f"default/{asking['metadata']['name']}"]
    verdicts = FilterRun(prepare(info, here, [NodeResourcesFit()]), info, here).verdicts()
    return {name: bool(passes) for name, passes in zip(here.names, verdicts.passes, strict=True)}


@pytest.mark.parametrize(
    ("priority", "counts"), [(0, False), (5, True), (9, True)], ids=["lower", "equal", "higher priority"]
)
def test_nominated_pods_of_equal_or_higher_priority_use_resources(priority, counts):
    nominated = pod("q", cpu="6", priority=priority, nominated="n")
    assert fits(pod("p", cpu="6", priority=5), nominated) == {"n": not counts, "m": True}


def test_a_pods_own_nomination_does_not_count_against_it():
    assert fits(pod("p", cpu="6", nominated="n")) == {"n": True, "m": True}


def test_nominations_to_a_node_add_up_and_those_to_missing_nodes_are_ignored():
    nominated = [pod(f"q{i}", cpu="3", nominated="n") for i in range(2)]
    assert fits(pod("p", cpu="4"), nominated[0]) == {"n": True, "m": True}
    assert fits(pod("p", cpu="5"), *nominated) == {"n": False, "m": True}
    assert fits(pod("p", cpu="9"), pod("q", cpu="9", nominated="gone")) == {
        "n": True,
        "m": True,
    }


@dataclass(frozen=True)
class Needs:
    """A filter that added pods can satisfy, like required pod affinity: it needs two pods on the node."""

    node_names: object = None
    depends_on_pods: bool = True
    monotonic: bool = False

    def filter(self, world):
        lonely = world.pods_on() < 2
        return Refusals([Refusal(lonely, "lonely")]) if lonely.any() else None


def test_a_node_must_also_pass_without_the_nominated_pods():
    here = cluster(node("n"), node("m"), pod("a", "n"), pod("b", "m"), pod("c", "m"), pod("p"), pod("q", nominated="n"))
    info = here.pending["default/p"]
    verdicts = FilterRun(prepare(info, here, [Says("A", Needs())]), info, here).verdicts()
    assert verdicts.refused_by[here.index["m"]] == PASSES
    assert verdicts.plugin(here.index["n"]) == "A" and verdicts.reasons(here.index["n"]) == ["lonely"]


def test_filters_that_more_pods_cannot_satisfy_are_asked_once_in_spite_of_nominated_pods():
    asked = []

    class Counting(PodsFilter):
        def filter(self, snapshot):
            asked.append(snapshot)

    here = cluster(node("n"), pod("p"), pod("q", nominated="n"))
    info = here.pending["default/p"]
    filters = [Says("A", StaticFilter(None)), Says("B", Counting())]
    FilterRun(prepare(info, here, filters), info, here).verdicts()
    assert len(asked) == 1


@pytest.mark.parametrize("plugins", [62, 70, 130])
def test_of_many_plugins_each_is_named_and_counted_with_and_without_nominated_pods(plugins):
    here = cluster(node("n"), node("m"), pod("a", "n"), pod("p"), pod("q", nominated="n"))
    filters = (*(Says(f"F{i}", StaticFilter(None)) for i in range(plugins - 1)), Says("last", Needs()))
    decision = schedule("default/p", here, replace(V1_37, filters=filters))
    assert [decision.verdict(name).plugin for name in ("n", "m")] == ["last", "last"]
    assert decision.node is None and "2 lonely" in decision.message


@pytest.mark.parametrize(
    ("nodes", "percentage", "want"),
    [
        (10, 0, 10),
        (10, 40, 10),
        (99, 1, 99),
        (100, 0, 100),
        (100, 40, 100),
        (1000, 0, 420),
        (1000, 40, 400),
        (1000, 100, 1000),
        (6000, 0, 300),
        (6000, 40, 2400),
        (5000, 0, 500),
        (15000, 0, 750),
    ],
)
def test_nodes_to_find(nodes, percentage, want):
    """Rows of v1.37: schedule_one_test.go, TestNumFeasibleNodesToFind, and more."""
    assert nodes_to_find(nodes, percentage, SamplingRules()) == want


@pytest.mark.parametrize(
    ("passes", "start", "enough", "want"),
    [
        ("11111", 0, 2, ([0, 1], 2)),
        ("11111", 3, 3, ([3, 4, 0], 3)),
        ("10101", 1, 2, ([2, 4], 4)),
        ("10101", 1, 3, ([2, 4, 0], 5)),
        ("10001", 1, 1, ([4], 4)),
        ("00000", 2, 3, ([], 5)),
        ("01000", 2, 3, ([1], 5)),
    ],
    ids=[
        "from the start",
        "round the end",
        "nodes that do not pass are looked at too",
        "exactly enough",
        "up to the one that is too many",
        "nobody",
        "too few",
    ],
)
def test_the_search(passes, start, enough, want):
    found, looked_at = search(np.array([each == "1" for each in passes]), start, enough)
    assert (found.tolist(), looked_at) == want


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 29), st.integers(1, 30))
def test_the_search_equals_a_search_node_by_node(passes, start, enough):
    wanted, looked_at = [], 0
    for step in range(len(passes)):
        position = (start + step) % len(passes)
        if passes[position] and len(wanted) == enough:
            break
        looked_at += 1
        if passes[position]:
            wanted.append(position)
    found, seen = search(np.array(passes), start, enough)
    assert (found.tolist(), seen) == (wanted, looked_at)
