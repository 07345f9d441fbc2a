"""The three errors of v1.13's source: each with what is broken, and why nobody sees it."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.queue_faults import Settings, fault_of, panel, picture, show, who_sees_them
from kschedlab_lab.views.svg import Room

each_fault = pytest.mark.parametrize("settings", list(Settings.grid()), ids=str)


@each_fault
def test_the_broken_entry_is_red_and_the_words_are_v1_13s(settings: Settings) -> None:
    found, view = fault_of(settings), show(settings)
    broken = [each for each in (*found.left[1], *found.right[1]) if each.broken]
    assert broken and found.told in view.sentence and found.never in view.sentence
    drawn = ElementTree.fromstring(str(picture(settings, Room(640, 330))))
    said = [each.text or "" for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert sum(each.startswith("✕ ") for each in said) == len(broken) + 1  # and what v1.13 says
    assert view.text.count("✕") == len(broken)


def test_nobody_sees_them() -> None:
    asked = who_sees_them()
    assert asked.right(Settings()) == "none of them"
    assert len({asked.why(Settings(), answer) for answer in asked.choices}) == 4
    assert panel().move(fault="already exists").view.sentence.startswith("nominatedPodMap.add")
