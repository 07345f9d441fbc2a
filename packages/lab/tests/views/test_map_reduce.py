"""The grid of scores: which cells are written when."""

from xml.etree import ElementTree

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab_lab.exercises.map_reduce_build import LEAST, SPREAD, weighted
from kschedlab_lab.panels.map_reduce import NEW, decide, hand_out, manifests
from kschedlab_lab.views.cells import (
    UNCHANGED,
    WORKERS,
    Cell,
    Columns,
    Dial,
    ScoreRow,
    columns,
    draw_rows,
    named,
    token,
    worker_cell,
)
from kschedlab_lab.views.handing_out import draw_handing_out
from kschedlab_lab.views.map_reduce import (
    FUNCTIONS,
    MAPPING,
    REDUCED,
    SUMMED,
    Handout,
    Piece,
    done_at,
    draw_turn,
    handing_out,
    mapped,
    reduced,
    sum_row,
)
from kschedlab_lab.views.style import CHOSEN, EVICTED
from kschedlab_lab.views.svg import Room, svg

DIALS = Dial("nodes", "nodes"), Dial("16", "workers")


def test_the_function_is_the_one_that_normalises_itself():
    assert FUNCTIONS == ("InterPodAffinityPriority",)
    assert len(mapped(decide())) == len(V1_16.scores) - 1


def test_cells_of_a_node_are_written_at_an_even_pace():
    piece = Piece(node=2, worker=1, start=3, end=7)
    assert [done_at(piece, tick, 8) for tick in (0, 3, 4, 5, 6, 7, 9)] == [0, 0, 2, 4, 6, 8, 8]


def test_the_grid_grows_row_by_row():
    work = hand_out([1, 1, 1, 1], 2)
    first, all_of_it = (handing_out(Handout(decide(), work, tick)) for tick in (1, 2))
    assert [bool(cell.text) for cell in first[0].cells] == [True, True, False, False]
    assert all(cell.text for each in all_of_it for cell in each.cells if each.name != "InterPodAffinity")


def test_rows_that_reduce_has_changed_are_no_worker_s_any_more():
    work = hand_out([1, 1, 1, 1], 2)
    rows = handing_out(Handout(decide(), work, 2, REDUCED))
    nobody = [row.name for row in rows if all(cell.fill == UNCHANGED for cell in row.cells)]
    assert nobody == ["InterPodAffinity", "NodeAffinity", "SelectorSpread", "TaintToleration"]


def test_a_reduced_score_shows_the_raw_one_where_all_have_room():
    now = Handout(decide(12), hand_out([1] * 12, 4), 3, REDUCED)
    wide, narrow = (str(draw_handing_out(now, DIALS, Room(width, 400), "alt")) for width in (900, 360))
    assert ">50→</tspan>10<" in wide and "NodeAffinity of c: 50→10" in wide
    assert "</tspan>" not in narrow and "NodeAffinity of c: 50→10" in narrow


def test_many_workers_leave_rows_as_high_as_few():
    tops = []
    for workers in (4, 8, 16):
        drawn = draw_handing_out(Handout(decide(12), hand_out([1] * 12, workers), 1), DIALS, Room(640, 340), "alt")
        names = [each for each in ElementTree.fromstring(str(drawn)).iter() if each.text in ("Balanced", "AvoidPods")]
        tops.append([float(each.get("y", "0")) for each in names])
    assert tops[0] == tops[1] == tops[2]


def test_sixteen_workers_look_different():
    cells = [worker_cell("1", worker, {}) for worker in range(1, 17)]
    assert len({(cell.fill, cell.ring) for cell in cells}) == 16
    assert len({str(token(worker, 0, 0)) for worker in range(1, 17)}) == 16
    assert not {CHOSEN, EVICTED} & set(WORKERS)


def test_sums_say_what_they_have_in_common_once():
    scores = decide(12).scores
    assert scores is not None
    row = sum_row(scores)
    assert row.name == "sum: 100,000 +"
    assert [int(cell.text) + 100_000 for cell in row.cells] == scores.total.tolist()
    best = [place for place, cell in enumerate(row.cells) if cell.fill == CHOSEN]
    assert [f"node-{'abcdefghijkl'[place]}" for place in best] == decide(12).best


def test_columns_have_room_and_names_make_place():
    wide, narrow = (columns(room, ["a long name of a row, or more"], 12, 16, 56) for room in (720, 330))
    assert narrow.left < wide.left and narrow.wide >= 16
    assert narrow.x(12) <= 330 and wide.x(12) <= 720


def test_a_long_name_is_cut_and_has_a_tip():
    at, name = Columns(100, 20), "BalancedResourceAllocation"
    assert "…" in str(named(name, at, 10)) and f'data-tip="{name}"' in str(named(name, at, 10))
    assert "data-tip" not in str(named("Balanced", at, 10))


def test_every_room_is_kept_to():
    for nodes, workers, width in ((4, 4, 400), (12, 16, 640), (12, 16, 328), (12, 1, 1600)):
        work = hand_out([1 + i % 4 for i in range(nodes)], workers)
        for tick, stage in ((0, MAPPING), (2, MAPPING), (max(p.end for p in work), SUMMED)):
            now = Handout(decide(nodes), work, tick, stage)
            drawn = ElementTree.fromstring(str(draw_handing_out(now, DIALS, Room(width, 330), "alt")))
            for rect in drawn.iter("{http://www.w3.org/2000/svg}rect"):
                right = float(rect.get("x", "0")) + float(rect.get("width", "0"))
                assert right <= width
            assert float((drawn.get("viewBox") or "").split()[2]) == width


def test_which_rows_reduce_changes():
    assert reduced(decide().scores) == ["NodeAffinityPriority", "SelectorSpreadPriority", "TaintTolerationPriority"]


def test_the_heads_of_an_exercise_are_whole():
    decision = schedule(NEW, Cluster(decode_objects(manifests()), V1_16.api), weighted({LEAST: 1, SPREAD: 3}))
    drawn = str(draw_turn(decision, Room(540, 320), "alt"))
    assert ">Map × weight<" in drawn and ">Reduce × weight<" in drawn


def test_text_is_escaped():
    rows = [ScoreRow("<b>", [worker_cell("1", 9, {}), Cell()])]
    drawn = str(svg(draw_rows(rows, Columns(40, 50), 0, 24), 140, 24, "<script>"))
    assert "<b>" not in drawn and "<script>" not in drawn


def test_an_arrow_that_leads_nowhere_is_pale():
    least, some, most = (str(Dial.among(range(1, 4), each, str(each), "workers").drawn(100, 20)) for each in (1, 2, 3))
    assert [each.count(' opacity="') for each in (least, some, most)] == [1, 0, 1]
    assert least.index(' opacity="') < most.index(' opacity="')
    assert "data-drag" not in str(Dial("4").drawn(100, 20))


def test_cards_that_do_not_fit_stand_in_a_second_line():
    work = hand_out([2] * 12, 4)
    markup = str(draw_handing_out(Handout(decide(12), work, 0), DIALS, Room(328, 400), "alt"))
    drawn = ElementTree.fromstring(markup)
    cards = {
        each.get("data-key"): each.get("transform") for each in drawn.iter() if "card/" in each.get("data-key", "")
    }
    places = [tuple(map(float, cards[f"card/{i}"][10:-1].split(","))) for i in range(12)]
    assert len(set(places)) == 12 and len({y for _, y in places}) == 2
    assert all(x + 10 <= 328 for x, _ in places)
