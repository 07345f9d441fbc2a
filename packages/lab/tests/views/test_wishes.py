"""A pod with its wishes beside or above the nodes: nothing lies on anything else, in any room."""

import re

import pytest

from kschedlab_lab.panels.score_cluster import Cause, before, decide, picture
from kschedlab_lab.views.svg import Room

ROOMS = [Room(360, 400), Room(540, 280), Room(540, 240), Room(560, 420), Room(780, 420), Room(980, 680)]
NODE = re.compile(
    r'translate\(([\d.]+),([\d.]+)\)" data-key="node/[^"/]*"|'
    r'<rect y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]* data-key="node/[^"]*/box"'
)


def boxes_in(markup: str) -> list[tuple[float, float, float, float]]:
    """By node: left, top, right and bottom of its tray."""
    found = NODE.findall(markup)
    groups, trays = ([each for each in found if bool(each[0]) is group] for group in (True, False))
    both = ((*map(float, group[:2]), *map(float, tray[2:])) for group, tray in zip(groups, trays, strict=True))
    return [(x, y + top, x + wide, y + top + high) for x, y, top, wide, high in both]


@pytest.mark.parametrize("room", ROOMS, ids=str)
@pytest.mark.parametrize("decided", [False, True])
def test_the_nodes_keep_apart(room: Room, decided: bool) -> None:
    cause = Cause()
    markup = str((picture(cause, decide(cause)) if decided else before(cause))(room))
    places = boxes_in(markup)
    assert len(places) == 4
    for i, (left, top, right, bottom) in enumerate(places):
        assert left >= 0 and right <= room.width + 2
        for other in places[i + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom + 22 <= other[1] or other[3] + 22 <= top
    wishes = markup.count('data-key="wish/')
    assert wishes == 5 or decided, "the bars may take the wishes' place"
    for name in ("batch-b", "cache-b", "shop-b2", "shop-b"):
        assert f">{name}<" in markup, "a pod without its name"


@pytest.mark.parametrize("room", [room for room in ROOMS if room.width >= 500], ids=str)
def test_the_answer_has_room_in_the_picture_of_the_question(room: Room) -> None:
    def high(markup: str) -> float:
        found = re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', markup)
        assert found is not None
        return float(found[1])

    cause = Cause()
    assert high(str(picture(cause, decide(cause))(room))) <= high(str(before(cause)(room)))
