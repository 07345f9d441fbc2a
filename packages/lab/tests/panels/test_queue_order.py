"""activeQComp at every setting, against what v1.13's source says, written out plainly."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab_lab.panels.queue_order import UNSET, Settings, panel, picture, pods, show, who_is_next
from kschedlab_lab.views.svg import Room
from tests.samples import sampled
from tests.saying import says

FIELDS = ("creationTimestamp", "lastTransitionTime", "lastProbeTime")


def stamp(created: int, transition: int, probe: int) -> tuple[int, str]:
    """podTimestamp: minutes after midnight, and where they stand."""
    if transition == probe == UNSET:
        return created, FIELDS[0]
    return (transition, FIELDS[1]) if probe == UNSET else (probe, FIELDS[2])


def sides(settings: Settings) -> tuple[tuple[int, str], tuple[int, str]]:
    s = settings
    return (
        stamp(s.mail_created, s.mail_transition, s.mail_probe),
        stamp(s.web_created, s.web_transition, s.web_probe),
    )


def some() -> list[Settings]:
    """Settings in which equal and different times meet in every pair of fields."""
    times, maybe = (480, 540), (UNSET, 480, 540, 600)
    grid = product((50, 100, 150), times, maybe, maybe, (100,), times, maybe, maybe)
    return [Settings(*values) for values in grid]


@pytest.mark.parametrize("start", sampled(range(11), 1))
def test_many_settings(start: int) -> None:
    for settings in some()[start::11]:
        check(settings)


def check(settings: Settings) -> None:
    view = show(settings)
    (mail, mail_field), (web, web_field) = sides(settings)
    equal = settings.mail_priority == settings.web_priority
    if not equal:
        first = "mail" if settings.mail_priority > settings.web_priority else "web"
        assert says(view.sentence, f"{first} is next.", "Its priority is")
    elif mail == web:
        first = "a tie"
        assert view.sentence.startswith("A tie: neither")
    else:
        first, field = ("mail", mail_field) if mail < web else ("web", web_field)
        assert says(view.sentence, f"{first} is next.", f"its {field}")
    read = {"mail_created", "mail_transition", "mail_probe", "web_created", "web_transition", "web_probe"} - set(
        view.idle
    )
    assert len(read) >= 2 if equal else not read


def test_the_picture_says_what_the_sentence_says() -> None:
    for settings in some()[::29]:
        drawn = ElementTree.fromstring(str(picture(settings, Room(640, 330))))
        assert drawn.get("aria-label") == show(settings).sentence
        assert len([each for each in drawn.iter() if each.get("data-drag")]) == 8
        tie = show(settings).sentence.startswith("A tie")
        assert ('data-key="tie"' in ElementTree.tostring(drawn, encoding="unicode")) == tie
        asked = str(picture(settings, Room(), answered=False))
        assert asked.count("data-pick=") == 2 and "data-drag" not in asked and 'data-key="tie"' not in asked


def test_the_yaml_is_the_two_pods() -> None:
    settings = Settings(mail_probe=580, web_transition=500)
    assert tuple(loads(panel().restore(str(settings)).yaml()).pods) == pods(settings)


def test_panel_and_question() -> None:
    assert panel().move(mail_probe=580).view.text == show(Settings(mail_probe=580)).text


def test_who_was_tried_in_vain_comes_after_an_equal() -> None:
    asked, settings = who_is_next(), Settings(mail_transition=500, mail_probe=580)
    assert asked.right(settings) == "web" and not asked.why(settings, "web")  # the sentence says it
    assert says(asked.why(settings, "mail"), "mail", "lastProbeTime counts: 09:40", "after", "09:00")
    assert asked.why(settings, "a tie")
