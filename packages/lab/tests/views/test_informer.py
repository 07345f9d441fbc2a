"""Pods between the API server and the scheduler: copies go on, and a pod says why it goes no further."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.views.informer import Seen, draw_informer
from kschedlab_lab.views.pieces import Fact
from kschedlab_lab.views.svg import Room

PODS = (
    Seen("running", "Running", True, "cache"),
    Seen("done", "Succeeded", False, "nobody", "Succeeded"),
    Seen("other", "Pending", True, "nobody", "another scheduler's"),
    Seen("web", "Pending", True, "queue"),
)


def columns(handed: bool, width: int) -> dict[str, list[float]]:
    """By pod: where it stands, and where its copies stand."""
    picture = draw_informer(PODS, handed, [Fact("on node-a", False, "bound: on", "host")], "alt", Room(width, 330))
    found = {each.get("data-key", ""): each for each in ElementTree.fromstring(str(picture)).iter()}
    return {
        each.name: [
            float(found[key].attrib["transform"][10:].partition(",")[0])
            for place in ("pod", "informer", "handed")
            if (key := f"{place}/{each.name}") in found
        ]
        for each in PODS
    }


@pytest.mark.parametrize("width", [400, 640, 1000])
def test_each_pod_goes_as_far_as_it_is_let(width: int) -> None:
    begin, end = columns(False, width), columns(True, width)
    first, second, third = end["web"]
    assert 0 < first < second < third < width
    assert begin == dict.fromkeys(begin, [first])
    whole = [first, second, third]
    assert end == {"running": whole, "done": [first], "other": whole, "web": whole}


def test_a_pod_that_stays_says_why_and_a_badge_can_be_switched() -> None:
    picture = str(draw_informer(PODS, True, [Fact("on node-a", False, "bound: on", "host")], "alt", Room(1000, 330)))
    assert "✕ Succeeded" in picture and "✕ nobody" in picture and 'data-set="bound: on"' in picture
    assert 'data-key="informer/web" data-from="pod/web"' in picture
    assert 'data-key="handed/web" data-from="informer/web"' in picture
    hostile = (Seen("<b>", "<b>", False, "nobody", "<b>"),)
    assert "<b>" not in str(draw_informer(hostile, True, [], "<b>", Room()))
