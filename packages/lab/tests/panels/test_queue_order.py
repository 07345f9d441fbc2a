"""activeQComp at every setting, against what v1.13's source says, written out plainly."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree

from kschedlab.manifests.loading import loads
from kschedlab_lab.panels.queue_order import UNSET, Settings, panel, picture, pods, show, who_is_next
from kschedlab_lab.views.svg import Room
from tests.saying import says

FIELDS = ("creationTimestamp", "lastTransitionTime", "lastProbeTime")


def stamp(transition: int, probe: int) -> tuple[int, str]:
    """podTimestamp of mail: minutes after midnight, and where they stand."""
    if transition == probe == UNSET:
        return 480, FIELDS[0]
    return (transition, FIELDS[1]) if probe == UNSET else (probe, FIELDS[2])


def some() -> list[Settings]:
    """Settings in which equal and different times meet in every pair of fields."""
    maybe = (UNSET, 480, 540, 600)
    return [Settings(*values) for values in product(maybe, maybe, (480, 540, 600), (50, 100, 150))]


def test_many_settings() -> None:
    for settings in some():
        check(settings)


def check(settings: Settings) -> None:
    view = show(settings)
    (mail, mail_field), web = stamp(settings.mail_transition, settings.mail_probe), settings.web_created
    equal = settings.web_priority == 100
    if not equal:
        first = "mail" if settings.web_priority < 100 else "web"
        assert says(view.sentence, f"{first} is next.", "Its priority is")
    elif mail == web:
        first = "a tie"
        assert view.sentence.startswith("A tie: neither")
    else:
        first, field = ("mail", mail_field) if mail < web else ("web", FIELDS[0])
        assert says(view.sentence, f"{first} is next.", f"its {field}")
    unread = equal and UNSET not in (settings.mail_transition, settings.mail_probe)
    assert {*view.idle} == (
        {"mail_transition"} if unread else set() if equal else {*Settings.controls()} - {"web_priority"}
    )


def test_the_picture_says_what_the_sentence_says() -> None:
    for settings in some()[::29]:
        drawn = ElementTree.fromstring(str(picture(settings, Room(640, 330))))
        assert drawn.get("aria-label") == show(settings).sentence
        assert len([each for each in drawn.iter() if each.get("data-drag")]) == 4
        tie = show(settings).sentence.startswith("A tie")
        assert ("next" in drawn.itertext()) == (not tie)
        asked = str(picture(settings, Room(), answered=False))
        assert asked.count("data-pick=") == 2 and "data-drag" not in asked and ">next<" not in asked


def test_the_yaml_is_the_two_pods() -> None:
    settings = Settings(mail_probe=580, web_created=500)
    assert tuple(loads(panel().restore(str(settings)).yaml()).pods) == pods(settings)


def test_panel_and_question() -> None:
    assert panel().move(mail_probe=580).view.text == show(Settings(mail_probe=580)).text


def test_who_was_tried_in_vain_comes_after_an_equal() -> None:
    asked, settings = who_is_next(), Settings(mail_transition=500, mail_probe=580)
    assert asked.right(settings) == "web" and not asked.why(settings, "web")  # the sentence says it
    assert says(asked.why(settings, "mail"), "mail", "lastProbeTime counts: 09:40", "after", "09:00")
    assert asked.why(settings, "a tie")
