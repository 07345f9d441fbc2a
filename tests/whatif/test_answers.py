"""Counterfactuals in words: a sentence, a table and text that say the same."""

from dataclasses import replace

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.whatif import what_if
from kschedlab.whatif.answers import whatif_answers, whatif_lines, whatif_sentence
from kschedlab.whatif.relaxations import Relaxation

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "10"}


def test_a_pod_that_fits_nowhere_is_told_all_ways_out():
    world = cluster(
        node("n", allocatable=ROOM),
        node("gpu", allocatable=ROOM, taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]),
        pod("busy", "n", cpu="3", priority=7),
        pod("mine", "", cpu="2"),
    )
    found = what_if("default/mine", world)
    told = {line.what: line for line in whatif_lines(found)}
    assert told["requests"] == (
        "requests",
        "asking for 1 CPU instead of 2 CPU",
        "n, 1 feasible node",
        "1001m CPU: still fits nowhere",
    )
    assert told["constraints"][1:3] == ("tolerating gpu=yes", "gpu, 1 feasible node")
    assert told["priority"][1:] == ("with priority 8 instead of 0", "preempts busy on n", "7: preempts nobody")
    assert told["eviction"][1:3] == ("without default/busy (priority 7) on n", "n, 1 feasible node")
    for line in told.values():
        assert line.change in whatif_sentence(found) and line.change in str(found)
        assert line.change in found._repr_html_() and line.then in found._repr_html_()


def test_a_pod_that_fits_is_told_where_it_would_go_elsewhere():
    world = cluster(
        node("n", allocatable=ROOM),
        node("m", allocatable=ROOM),
        pod("busy", "m", cpu="1"),
        pod("mine", "", cpu="1"),
    )
    found = what_if("default/mine", world)
    assert [line for line in whatif_lines(found) if line.what == "requests: most"] == [
        ("requests: most", "asking for 4001m CPU", "fits nowhere", "4 CPU: n, 1 feasible node")
    ]
    assert str(found).startswith("default/mine goes to n, which has the highest score")
    assert "What would change it" not in str(found) and "fits nowhere" not in whatif_sentence(found)


def test_a_score_is_left_out_because_no_weight_is_zero():
    world = cluster(
        node("full", allocatable=ROOM, images=[{"names": ["example/app:1"], "sizeBytes": 1 << 30}]),
        node("m", allocatable=ROOM),
        pod("busy", "full", cpu="1"),
        pod("mine", "", cpu="1"),
    )
    found = what_if("default/mine", world)
    assert found.decision.node == "full" and {each.far for each in found.weights} >= {0}
    changes = [line.change for line in whatif_lines(found)]
    assert "without the score ImageLocality" in changes and not any("weight 0" in change for change in changes)


def test_a_node_that_ties_is_called_one_of_the_best():
    prefers = node("c", cpu=16, memory="8Gi", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    pair = [node(name, cpu=4, memory="8Gi") for name in "ab"]
    for nodes, near in (([*pair, prefers], "4 CPU: one of 2 best: a"), ([pair[0], prefers], "4 CPU: a")):
        found = what_if("default/p", cluster(*nodes, pod("p", cpu=1)))
        assert ("requests", "asking for 4001m CPU", "c, 1 feasible node", near) in whatif_lines(found)


@pytest.mark.parametrize(("number", "more"), [(3, ""), (4, " and 1 more")])
def test_three_of_the_pods_to_evict_are_named(number, more):
    room = {"cpu": str(number), "memory": "8Gi", "pods": "10"}
    busy = [pod(f"p{each}", "n", cpu=1, priority=each) for each in range(number)]
    found = what_if("default/mine", cluster(node("n", allocatable=room), *busy, pod("mine", cpu=number, priority=-1)))
    (answer,) = [each for each in whatif_answers(found) if each.line.what == "eviction"]
    first = sorted(range(number), reverse=True)[:3]
    named = ", ".join(f"default/p{each} (priority {each})" for each in first)
    assert answer.line.change == f"without {named}{more} on n"
    assert answer.word == f"without {', '.join(f'default/p{each} ({each})' for each in first)}{more} on n"


def test_a_selector_of_one_label_goes_as_a_whole():
    """The short words say so; of several labels, they would hide which one goes."""
    for other, short in (({}, "without its nodeSelector"), ({"zone": "a"}, "")):
        world = cluster(node("n", labels={"zone": "a"}), pod("mine", nodeSelector={"disk": "ssd"} | other))
        (answer,) = [each for each in whatif_answers(what_if("default/mine", world)) if each.line.what == "constraints"]
        assert (answer.word, answer.short) == ("without nodeSelector disk=ssd", short)


def test_a_node_more_is_named_by_its_pool_and_zone_as_far_as_they_matter():
    zone = "topology.kubernetes.io/zone"
    for pool, selector, change in (
        ({}, {}, "one more node"),
        ({}, {zone: "b"}, "one more node in b"),
        ({"pool": "web"}, {}, "one more web node"),
        ({"pool": "web"}, {zone: "b"}, "one more web node in b"),
    ):
        nodes = [node(name, labels={zone: name} | pool) for name in "ab"]
        busy = [pod(f"on-{name}", name, cpu=4) for name in "ab"]
        found = what_if("default/mine", cluster(*nodes, *busy, pod("mine", cpu=1, nodeSelector=selector)))
        assert [line.change for line in whatif_lines(found) if line.what == "nodes"] == [change]


def test_nothing_helps():
    nobody = cluster(node("n", allocatable=ROOM), pod("mine", "", nodeName="n2"), pod("busy", "n"))
    found = what_if("default/busy", nobody)
    assert found.weights == () and "No weight of one score alone, from 0 to 100, changes the node." in str(found)
    stuck = cluster(node("n", allocatable=ROOM), pod("mine", "", requests={"example.com/fpga": "1", "cpu": "9"}))
    assert whatif_sentence(what_if("default/mine", stuck)).endswith("Nothing that was tried changes that.")
    assert "No change of its constraints is enough" in str(what_if("default/mine", stuck))
    assert "No priority makes it preempt." in str(what_if("default/mine", stuck))


def test_text_from_manifests_stays_text():
    found = what_if("default/mine", cluster(node("n", allocatable=ROOM), pod("mine", "", nodeSelector={"a": "b"})))
    hostile = Relaxation(("without volume <script>\u202e",), found.relaxations.sufficient[0].decision)
    found = replace(found, relaxations=replace(found.relaxations, sufficient=(hostile,)))
    assert "without volume <script>[U+202E]" in str(found)
    assert "<script>" not in found._repr_html_() and "&lt;script&gt;[U+202E]" in found._repr_html_()


def test_every_node_of_a_large_cluster_is_asked():
    """A scheduler stops once it has found enough nodes; whoever asks what would be better wants to know all."""
    world = cluster(*(node(f"n{number}", cpu=4) for number in range(150)), pod("p", cpu=1))
    assert len(what_if("default/p", world).decision.feasible) == 150
