"""Two schedulers get the same pods: the picture goes from arrival to arrival, and says which pods make a difference."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.two_runs import panel
from kschedlab_lab.views.svg import Room
from packages.lab.tests.panels.policies import BOTH, Three
from tests.saying import says

ROOM = Room(640, 400)


def keys(picture):
    return {each.get("data-key"): each for each in ElementTree.fromstring(str(picture)).iter()}


def test_the_same_pods_fill_both_and_one_waits_in_one_of_them():
    shown = panel(Three(), BOTH)
    assert says(shown.view.sentence, "default: 25.0 %", "packing: 75.0 %", "large-2 waits only with default")
    drawn = keys(shown.view.picture(ROOM))
    assert {f"pod/{row}/{name}" for row in ("default", "packing") for name in ("small-0", "large-2")} <= {*drawn}


def test_pods_come_one_after_the_other():
    shown = panel(Three(), BOTH)
    for count in range(1, 4):
        drawn = keys(shown.move(pods=count).view.picture(ROOM))
        assert sum(str(key).count("/") == 2 and str(key).startswith("pod/default") for key in drawn) >= count
    assert says(shown.move(pods=1).view.sentence, "small-0", "1 CPU", "Both: node-a")
    assert says(shown.move(pods=2).view.sentence, "small-1", "default: node-b", "packing: node-a")
    assert "pod/default/large-2" not in keys(shown.move(pods=2).view.picture(ROOM))


def test_the_memory_of_a_node_fills_as_its_pods_take_it():
    drawn = keys(panel(Three(), BOTH).view.picture(ROOM))
    bars = {key: each for key, each in drawn.items() if str(key).startswith("memory/")}
    shares = [float(each.get("data-tip").partition(" ")[0]) for each in bars.values()]
    longs = [float(each.get("width")) for each in bars.values()]
    full = max(longs) / max(shares)
    assert max(shares) > 20 and longs == pytest.approx([max(full * share, 0.1) for share in shares], rel=0.05)


def test_one_run_is_no_reason_to_deploy():
    shown = panel(Three(), BOTH)
    assert says(shown.question.text, "packing")
    assert says(str(shown.question.before(shown.settings)(ROOM)), "75.0 %", "25.0 %")
    assert says(repr(shown.answer("wait")), "Right", "other pods") and "Not quite" in repr(shown.answer("deploy it"))


def test_it_takes_two():
    with pytest.raises(ValueError, match="two schedulers"):
        panel(Three(), BOTH[:1])
