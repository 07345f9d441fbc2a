"""The two lanes of the scheduler's way."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.views import loop
from kschedlab_lab.views.bench import NodeCard
from kschedlab_lab.views.loop import Taken, Way, rows
from kschedlab_lab.views.pieces import Piece
from kschedlab_lab.views.svg import Room

WEB, SHOP = Piece("web", 2000, 200), Piece("shop", 1000, 100)
NODES = (NodeCard("node-a", 4000, (Piece("logs", 1000),)), NodeCard("node-b", 4000))
STEPS = (
    Taken(0, loop.QUEUE, "", place="active"),
    Taken(0, loop.NEXT, ""),
    Taken(1, loop.SCHEDULE, ""),
    Taken(1, loop.ASSUME, ""),
    Taken(1, loop.PERMIT, ""),
    Taken(1, loop.BIND, ""),
    Taken(1, loop.NEXT, "", "shop"),
    Taken(2, loop.SCHEDULE, "", "shop"),
    Taken(3, loop.POST_BIND, ""),
)


def drawn(taken, width=640, nodes=NODES):
    return ElementTree.fromstring(str(loop.draw_way(Way(STEPS, taken, (WEB, SHOP), nodes), "alt", Room(width, 330))))


def keyed(drawing):
    return {each.get("data-key"): each for each in drawing.iter() if each.get("data-key")}


def place(element):
    return [float(each) for each in element.get("transform")[10:-1].split(",")]


def test_a_goroutine_begins_beside_assume_and_the_next_pod_is_taken_meanwhile():
    found = {(each.step.pod, each.step.title): each for each in rows(STEPS)}
    assume, permit, bound = (found["web", title] for title in (loop.ASSUME, loop.PERMIT, loop.POST_BIND))
    assert (assume.lane, permit.lane) == (0, 1) and permit.row == assume.row
    shop = found["shop", loop.NEXT]
    assert shop.lane == 0 and shop.row == assume.row + 1
    assert bound.row > found["shop", loop.SCHEDULE].row, "later is lower"


def test_no_two_steps_lie_on_one_another():
    taken = [(each.lane, each.row) for each in rows(STEPS)]
    assert len(set(taken)) == len(taken)


@pytest.mark.parametrize("width", [312, 496, 904])
def test_the_picture_does_not_jump_while_an_attempt_goes_on(width):
    assert len({drawn(taken, width).get("viewBox") for taken in range(1, len(STEPS) + 1)}) == 1


def test_the_pod_is_at_its_latest_step_and_leaves_it_for_its_node():
    first, second = (place(keyed(drawn(taken))["pod/web"]) for taken in (2, 3))
    assert second[1] > first[1]
    there = (NODES[0], NodeCard("node-b", 4000, (WEB,), state="chosen"))
    arrived = drawn(len(STEPS), nodes=there)
    assert "★ node-b" in "".join(arrived.itertext()) and "node/node-b" in keyed(arrived)
    assert len([each for each in arrived.iter() if each.get("data-key") == "pod/web"]) == 1


def test_a_pod_that_waits_is_shown_below_what_is_done():
    waiting, taken = drawn(3), drawn(8)
    assert place(keyed(waiting)["pod/shop"])[1] > place(keyed(waiting)["pod/web"])[1]
    assert "waits" in "".join(waiting.itertext()) and "waits" not in "".join(taken.itertext())
