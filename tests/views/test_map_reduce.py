"""The grid of scores: which cells are written when, and a cell's arithmetic."""

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_13, V1_16
from kschedlab.lab.panels.map_reduce import NEW, decide, hand_out, manifests
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.testing import node, pod
from kschedlab.views.map_reduce import (
    FUNCTIONS,
    Cell,
    Piece,
    Row,
    arithmetic,
    done_at,
    draw_grid,
    grid_text,
    handing_out,
    mapped,
    reduced,
    stage_rows,
    worker_fill,
    writers,
)


def test_the_function_is_the_one_that_normalises_itself():
    assert FUNCTIONS == ("InterPodAffinityPriority",)
    assert len(mapped(decide())) == len(V1_16.scores) - 1


def test_cells_of_a_node_are_written_at_an_even_pace():
    piece = Piece(node=2, worker=1, start=3, end=7)
    assert [done_at(piece, tick, 8) for tick in (0, 3, 4, 5, 6, 7, 9)] == [0, 0, 2, 4, 6, 8, 8]


def test_two_writers_of_a_cell_would_be_seen():
    work = [Piece(0, 1, 0, 1), Piece(0, 2, 0, 2)]
    assert writers(work, 1, 2) == {(0, 0): [1, 2]}
    assert all(len(who) == 1 for who in writers(hand_out([1, 2, 3, 1], 2), 5, 9).values())


def test_the_grid_grows_row_by_row():
    work = hand_out([1, 1, 1, 1], 2)
    first, all_of_it = (handing_out(decide(), work, tick, 0, True) for tick in (1, 2))
    assert [[bool(cell.text) for cell in each.cells] for each in first if "Function" not in each.name][0] == [
        True,
        True,
        False,
        False,
    ]
    assert all(cell.text for each in all_of_it for cell in each.cells)
    assert [each.cells[0].small for each in all_of_it].count("F") == 1


def test_stages_are_the_engine_s_rows():
    scores = decide().scores
    assert scores is not None
    stages = {
        "Map": [row.raw for row in scores.rows],
        "Reduce": [row.normalized for row in scores.rows],
        "× weight": list(scores.results),
        "sum": [*scores.results, scores.total],
    }
    for stage, expected in stages.items():
        shown = [[int(cell.text) for cell in row.cells] for row in stage_rows(decide(), stage)]
        assert shown == [row.tolist() for row in expected]


def test_which_rows_reduce_changes():
    assert reduced(decide().scores) == ["NodeAffinityPriority", "SelectorSpreadPriority", "TaintTolerationPriority"]


def test_selector_spread_is_told_with_its_largest_count():
    told = arithmetic(decide(), "SelectorSpreadPriority", "node-c")
    assert [str(step) for step in told] == ["2", "10 × (3 - 2) / 3 = 3", "3 × 1 = 3"]
    assert [step.what for step in told] == ["Map", "Reduce", "× weight"]
    told = arithmetic(decide(), "InterPodAffinityPriority", "node-a")
    assert [step.what for step in told] == ["pull", "Function", "× weight"]
    assert arithmetic(decide(), "LeastRequestedPriority", "node-a")[-2].remark == "it has no Reduce"


def test_selector_spread_with_zones_or_without_any_pod_gives_its_numbers():
    zone = {"failure-domain.beta.kubernetes.io/zone": "z1"}
    zoned = [each for each in manifests() if each["kind"] != "Node"] + [
        node(name, 4, "16Gi", zone) for name in ("node-a", "node-b", "node-c", "node-d")
    ]
    decision = schedule(NEW, Cluster(decode_objects(zoned), V1_13.api), V1_13)
    assert [str(step) for step in arithmetic(decision, "SelectorSpreadPriority", "node-a")][0] == "3"
    alone = [node("node-a"), node("node-b"), pod("web-new")]
    decision = schedule(NEW, Cluster(decode_objects(alone), V1_13.api), V1_13)
    assert [str(s) for s in arithmetic(decision, "SelectorSpreadPriority", "node-a")] == ["0", "10", "10 × 1 = 10"]


def test_text_is_escaped_and_empty_cells_are_shown():
    rows = [Row("<b>", [Cell("1", "2", worker_fill(9)), Cell()])]
    assert grid_text(["", "a", "b"], rows).splitlines()[1].split() == ["<b>", "1:2", "-"]
    drawn = str(draw_grid(["a", "b"], rows, 50, "<script>"))
    assert "<b>" not in drawn and "<script>" not in drawn
    assert worker_fill(9) == worker_fill(1)
