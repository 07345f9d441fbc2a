"""A whole cluster in tables."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.scheduler import schedule
from kschedlab.text import your_cluster as view
from kschedlab.whatif import Case
from kschedlab_lab.panels.cluster_source import bundled

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "10"}
TAINT = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}


@pytest.fixture(scope="module")
def world():
    return bundled().cluster("v1.37")


def test_the_overview_counts_what_is_there(world):
    rows = {row[0]: row for row in view.pool_rows(world)}
    assert [rows[name][1] for name in ("general", "spot", "data", "gpu", "ingress")] == ["98", "60", "24", "12", "6"]
    assert sum(int(row[-1]) for row in rows.values()) == len(world.pods.row_of)
    assert rows["gpu"][2] == "nvidia.com/gpu=present"
    assert "node.kubernetes.io/unreachable (1)" in rows["general"][2]
    assert "general" in repr(view.Overview(world)) and "<table" in view.Overview(world)._repr_html_()


def test_refusals_are_told_by_pool(world):
    rows = view.refusal_rows(schedule("data/postgres-0", world))
    assert sum(int(row[0]) for row in rows) == 200
    told = {row[1]: row for row in rows}
    assert told["VolumeBinding"][3] == "data 16" and told["NodeResourcesFit"][3] == "data 8"
    assert [told[name][4] for name in ("VolumeBinding", "NodeResourcesFit")] == ["does not help", "tried: no victims"]
    burst = {row[1]: row[4] for row in view.refusal_rows(schedule("shop/payment-burst-0", world))}
    assert burst["NodeResourcesFit"] == "may help"


def test_the_margin_adds_up(world):
    decision = schedule("shop/banner-0", world)
    names, lines = view.compared(decision, None)
    assert names[0] == decision.node and names[1] not in decision.best
    total = lines[-1]
    assert total.chosen - total.others[0] == sum(line.chosen - line.others[0] for line in lines[:-1]) > 0
    assert f"It is {total.chosen - total.others[0]} ahead of {names[1]}: " in view.margin(decision)


def test_would_it_land_there_again():
    spread = [node("n", allocatable=ROOM), node("m", allocatable=ROOM)]
    stays = Case("default/mine", cluster(*spread, pod("busy", "m", cpu="1"), pod("mine", "n", cpu="1")))
    assert view.again(stays.decide(), "n") == "So it would land on the node where it runs."
    tie = Case("default/mine", cluster(*spread, pod("mine", "n", cpu="1")))
    assert view.again(tie.decide(), "n") == "So it may land on the node where it runs."
    moves = Case("default/mine", cluster(*spread, pod("busy", "n", cpu="1"), pod("mine", "n", cpu="1")))
    names, lines = view.compared(moves.decide(), "n")
    assert (
        view.again(moves.decide(), "n") == f"The node where it runs is {lines[-1].chosen - lines[-1].others[0]} behind."
    )
    tainted = cluster(
        node("n", allocatable=ROOM, taints=[TAINT]),
        node("m", allocatable=ROOM),
        pod("mine", "n", cpu="1"),
    )
    told = view.again(Case("default/mine", tainted).decide(), "n")
    assert told == "The node where it runs is refused now, by TaintToleration."
    assert view.again(schedule("default/mine", cluster(*spread, pod("mine", ""))), None) == ""


def test_whom_as_text(world):
    decision = schedule("shop/payment-burst-0", world)
    lines = view.whom_text(decision.preemption)
    assert lines[0].startswith("95 candidates") and any(decision.nominated_node in line for line in lines)
    assert any("decides: " in line for line in lines)
