"""Pods between the API server and the scheduler: copies stand below who receives them."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.views.informer import RECEIVERS, Seen, draw_informer
from kschedlab_lab.views.pieces import Fact
from kschedlab_lab.views.svg import Room

PODS = (
    Seen("running", "Running", "cache"),
    Seen("done", "Succeeded", ""),
    Seen("other", "Pending, other scheduler", "nobody"),
    Seen("web", "Pending", "queue"),
)
BADGES = [Fact("on node-a", False, "bound: on", "host")]


def places(handed: bool, width: int) -> dict[str, tuple[float, float]]:
    """Where pods, copies and receivers stand, by key."""
    picture = draw_informer(PODS, handed, BADGES, "alt", Room(width, 330))
    found = dict[str, tuple[float, float]]()
    for each in ElementTree.fromstring(str(picture)).iter():
        key = each.get("data-key", "")
        if key.startswith("receiver/"):
            found[key] = float(each.attrib["x"]), float(each.attrib["y"])
        elif key.startswith(("pod/", "informer/")) and key.count("/") == 1:
            x, _, y = each.attrib["transform"][10:-1].partition(",")
            found[key] = float(x), float(y)
    return found


@pytest.mark.parametrize("width", [320, 640, 1000])
def test_each_copy_stands_below_its_receiver(width: int) -> None:
    begin, end = places(False, width), places(True, width)
    assert {key for key in begin if key.startswith("informer/")} == set()
    assert {key: end[key] for key in begin} == begin
    assert {key for key in end if key.startswith("informer/")} == {f"informer/{each.name}" for each in PODS if each.to}
    for each in PODS:
        if each.to:
            right, below = end[f"informer/{each.name}"]
            assert end[f"pod/{each.name}"][0] < right == end[f"receiver/{each.to}"][0]
            assert [key for key in RECEIVERS if end[f"receiver/{key}"][1] < below][-1] == each.to


def test_a_pod_that_is_left_out_has_a_cross_and_a_badge_can_be_switched() -> None:
    picture = str(draw_informer(PODS, True, BADGES, "alt", Room(1000, 330)))
    assert picture.count("✕") == 1 and "✕ Succeeded" in picture and 'data-set="bound: on"' in picture
    assert 'data-key="informer/web" data-from="pod/web"' in picture
    before = str(draw_informer(PODS, False, BADGES, "alt", Room(1000, 330)))
    assert "✕" not in before and "data-set" not in before
    hostile = (Seen("<b>", "<b>", "nobody"),)
    assert "<b>" not in str(draw_informer(hostile, True, [], "<b>", Room()))
