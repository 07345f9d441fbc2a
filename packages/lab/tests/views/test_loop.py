"""The two lanes of the scheduler's way."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.views import loop
from kschedlab_lab.views.drawing import Block, Box
from kschedlab_lab.views.loop import Piece, Taken, Way, rows
from kschedlab_lab.views.svg import Room

WEB, SHOP = Piece("web", 2000, 200), Piece("shop", 1000, 100)
NODES = (Box("node-a", 4000, (Block("logs", 1000, 0),)), Box("node-b", 4000, ()))
STEPS = (
    Taken(0, loop.QUEUE, "", place="active"),
    Taken(0, loop.NEXT, ""),
    Taken(1, loop.SCHEDULE, ""),
    Taken(1, loop.ASSUME, ""),
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
    assume, bind, bound = (found["web", title] for title in (loop.ASSUME, loop.BIND, loop.POST_BIND))
    assert (assume.lane, bind.lane) == (0, 1) and bind.row == assume.row
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
    there = (NODES[0], Box("node-b", 4000, (Block("web", 2000, 200),), chosen=True))
    arrived = drawn(len(STEPS), nodes=there)
    assert keyed(arrived)["node/node-b"].get("data-state") == "chosen"
    assert len([each for each in arrived.iter() if each.get("data-key") == "pod/web"]) == 1


def test_a_pod_waits_in_the_queue_until_it_is_taken_and_where_it_comes_back_to_is_named():
    first, waiting, taken = (keyed(drawn(number)) for number in (1, 3, 7))
    line = place(waiting["pod/shop"])[1]
    assert place(first["pod/web"])[1] == place(first["pod/shop"])[1] == line
    assert place(waiting["pod/web"])[1] > line and place(taken["pod/shop"])[1] > line
    back = (*STEPS[:5], Taken(3, loop.FORGET, ""), Taken(3, loop.QUEUE, "", place="unschedulable"))
    ends = ElementTree.fromstring(str(loop.draw_way(Way(back, len(back), (WEB,), NODES), "alt", Room(640, 330))))
    assert place(keyed(ends)["pod/web"])[1] == line and "unschedulableQ" in "".join(ends.itertext())


@pytest.mark.parametrize("width", [312, 426, 904])
def test_the_nodes_stand_beside_the_lanes_or_below_them(width):
    shown = keyed(drawn(3, width))
    first, other = place(shown["node/node-a"]), place(shown["node/node-b"])
    assert (first[0] == other[0]) == (width >= loop.ROOMY) and first[0] >= width / 2 * (width >= loop.ROOMY)


def test_letters_grow_with_the_room():
    def size(width):
        return max(float(each.get("font-size", 0)) for each in keyed(drawn(3, width))["step/1"].iter())

    assert 12 <= size(312) <= size(426) <= size(904) == max(loop.SIZES)
