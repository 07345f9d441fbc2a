"""The grid of scores: which cells are written when."""

from xml.etree import ElementTree

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab_lab.exercises.map_reduce import LEAST, SPREAD, weighted
from kschedlab_lab.panels.map_reduce import NEW, costs, decide, hand_out, manifests
from kschedlab_lab.views.cells import (
    WORKERS,
    Cell,
    Columns,
    Dial,
    ScoreRow,
    columns,
    draw_rows,
    named,
    token,
)
from kschedlab_lab.views.handing_out import draw_handing_out
from kschedlab_lab.views.map_reduce import (
    Handout,
    Piece,
    done_at,
    draw_turn,
    mapped,
)
from kschedlab_lab.views.style import CHOSEN, EVICTED, TRAY
from kschedlab_lab.views.svg import Room, svg

DIAL = Dial("8", "workers")


def test_what_is_the_same_everywhere_has_no_row():
    same = {name for plugin, _ in V1_16.scores if (name := plugin.name) not in mapped(decide())}
    assert same == {"InterPodAffinityPriority", "NodePreferAvoidPodsPriority"}


def test_cells_of_a_node_are_written_at_an_even_pace():
    piece = Piece(node=2, worker=1, start=3, end=7)
    assert [done_at(piece, tick, 8) for tick in (0, 3, 4, 5, 6, 7, 9)] == [0, 0, 2, 4, 6, 8, 8]


def test_eight_workers_look_different():
    assert len({str(token(worker, 0, 0)) for worker in range(1, 9)}) == len(WORKERS) == 8
    assert not {CHOSEN, EVICTED} & set(WORKERS)


def test_columns_have_room_and_names_make_place():
    wide, narrow = (columns(room, ["a long name of a row, or more"], 12, 16, 56) for room in (720, 330))
    assert narrow.left < wide.left and narrow.wide >= 16
    assert narrow.x(12) <= 330 and wide.x(12) <= 720


def test_a_long_name_is_cut_and_has_a_tip():
    at, name = Columns(100, 20), "BalancedResourceAllocation"
    assert "…" in str(named(name, at, 10)) and f'data-tip="{name}"' in str(named(name, at, 10))
    assert "data-tip" not in str(named("Balanced", at, 10))


def test_every_room_is_kept_to():
    for workers, width in ((1, 400), (8, 640), (8, 328), (4, 1600)):
        work = hand_out(costs(12), workers)
        for tick in (0, 2, max(piece.end for piece in work)):
            now = Handout(decide(12), work, tick)
            drawn = ElementTree.fromstring(str(draw_handing_out(now, DIAL, Room(width, 330), "alt")))
            for rect in drawn.iter("{http://www.w3.org/2000/svg}rect"):
                assert float(rect.get("x", "0")) + float(rect.get("width", "0")) <= width
            assert float((drawn.get("viewBox") or "").split()[2]) == width


def test_the_heads_of_an_exercise_are_whole():
    decision = schedule(NEW, Cluster(decode_objects(manifests()), V1_16.api), weighted({LEAST: 1, SPREAD: 3}))
    drawn = str(draw_turn(decision, Room(540, 320), "alt"))
    assert ">Map × weight<" in drawn and ">Reduce × weight<" in drawn


def test_text_is_escaped():
    rows = [ScoreRow("<b>", [Cell("<i>", TRAY)])]
    drawn = str(svg(draw_rows(rows, Columns(40, 50), 0, 24), 140, 24, "<script>"))
    assert "<b>" not in drawn and "<i>" not in drawn and "<script>" not in drawn


def test_an_arrow_that_leads_nowhere_is_pale():
    least, some, most = (str(Dial.among(range(1, 4), each, str(each), "workers").drawn(100, 20)) for each in (1, 2, 3))
    assert [each.count(' opacity="') for each in (least, some, most)] == [1, 0, 1]
    assert least.index(' opacity="') < most.index(' opacity="')
    assert "data-drag" not in str(Dial("4").drawn(100, 20))


def test_cards_that_do_not_fit_stand_in_a_second_line():
    work = hand_out([2] * 12, 4)
    markup = str(draw_handing_out(Handout(decide(12), work, 0), DIAL, Room(328, 400), "alt"))
    drawn = ElementTree.fromstring(markup)
    cards = {
        each.get("data-key"): each.get("transform") for each in drawn.iter() if "card/" in each.get("data-key", "")
    }
    places = [tuple(map(float, cards[f"card/{i}"][10:-1].split(","))) for i in range(12)]
    assert len(set(places)) == 12 and len({y for _, y in places}) == 2
    assert all(x + 10 <= 328 for x, _ in places)
