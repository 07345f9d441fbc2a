"""GeneralPredicates: rows of v1.13's predicates_test.go (TestRunGeneralPredicates), and more."""

import numpy as np
import pytest

from kschedlab.build import cluster, node, node_affinity, pod, term
from kschedlab.filter.general_predicates import GeneralPredicates
from kschedlab.filter.node import NodeName
from kschedlab.filter.node_affinity import CONFLICT, NO_MATCH_1_16, NodeAffinity
from kschedlab.filter.node_ports import PORTS_TAKEN
from kschedlab.filter.stage import prepare
from kschedlab.generations import V1_16
from tests.verdicts import judged, model, refused

GENERAL = next(each for each in V1_16.filters if each.name == "GeneralPredicates")
TEN = {"cpu": "10m", "memory": "20", "pods": "32"}
HOST = "node(s) didn't match the requested hostname"


def port(number):
    return [{"containerPort": number, "hostPort": number}]


@pytest.mark.parametrize(
    ("asking", "running", "reasons"),
    [
        (pod("p"), pod("r", "n", cpu="9m", memory="19"), []),
        (
            pod("p", cpu="8m", memory="10"),
            pod("r", "n", cpu="5m", memory="19"),
            ["Insufficient cpu", "Insufficient memory"],
        ),
        (pod("p", "other"), pod("r", "n"), [HOST]),
        (pod("p", ports=port(123)), pod("r", "n", ports=port(123)), [PORTS_TAKEN]),
        (
            pod("p", "other", cpu="11m", ports=port(123), nodeSelector={"disk": "ssd"}),
            pod("r", "n", ports=port(123)),
            ["Insufficient cpu", HOST, PORTS_TAKEN, NO_MATCH_1_16],
        ),
    ],
    ids=[
        "no resources/port/host requested always fits",
        "not enough cpu and memory resource",
        "host not match",
        "hostport conflict",
        "everything at once",
    ],
)
def test_general_predicates(asking, running, reasons):
    found = refused(GENERAL, asking, node("n", allocatable=TEN), running)
    assert found == ({"n": reasons} if reasons else {})


def test_a_node_that_is_full_and_not_selected_is_unresolvable():
    asking = pod("p", cpu="20m", nodeSelector={"disk": "ssd"})
    world, verdicts = judged(
        GENERAL, asking, node("full", allocatable=TEN, labels={"disk": "ssd"}), node("both", allocatable=TEN)
    )
    hopeless = verdicts.unresolvable()
    assert (hopeless[world.index["full"]], hopeless[world.index["both"]]) == (False, True)


def test_a_pod_that_all_filters_skip_is_skipped():
    world = cluster(node("n"))
    assert GeneralPredicates(filters=(NodeName(), NodeAffinity())).prepare(world.info(model(pod("p"))), world) is None


def test_pre_filter_results_and_rejections_of_its_filters_count():
    world = cluster(node("a"), node("b"), node("c"))
    plugin = GeneralPredicates(filters=(NodeName(), NodeAffinity()))

    def prepared(asking):
        return prepare(world.info(model(asking)), world, [plugin])

    here = [term("metadata.name In a"), term("metadata.name In b")]
    included = prepared(pod("p", "b", affinity=node_affinity(*here))).included
    assert np.array_equal(included, [name == "b" for name in world.names])
    nowhere = term("metadata.name In a", "metadata.name In b")
    rejected = prepared(pod("p", affinity=node_affinity(nowhere))).rejected
    assert rejected is not None and rejected.reasons == (CONFLICT,)
