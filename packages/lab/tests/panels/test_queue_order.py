"""activeQComp at every setting, against what v1.13's source says, written out plainly."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab_lab.panels.queue_order import UNSET, Settings, panel, picture, pods, show, who_is_next
from kschedlab_lab.views.style import DECIDES
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
    assert who_is_next().right(settings) == first
    right = who_is_next().right(settings)  # of that one, the sentence says it all
    assert all(bool(who_is_next().why(settings, answer)) == (answer != right) for answer in who_is_next().choices)
    for field in FIELDS:
        (line,) = (line for line in view.text.splitlines()[-4:] if field in line)
        assert line.count("← podTimestamp") == (mail_field, web_field).count(field)
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
        assert ("url(#tie)" in ElementTree.tostring(drawn, encoding="unicode")) == tie
        asked = str(picture(settings, Room(), answered=False))
        assert asked.count("data-pick=") == 2 and "data-drag" not in asked and "url(#tie)" not in asked


def test_the_yaml_is_the_two_pods() -> None:
    settings = Settings(mail_probe=580, web_transition=500)
    assert tuple(loads(panel().restore(str(settings)).yaml()).pods) == pods(settings)


def test_panel_and_question() -> None:
    assert panel().move(mail_probe=580).view.text == show(Settings(mail_probe=580)).text
    settings = Settings(mail_probe=580)
    assert says(who_is_next().why(settings, "mail"), "mail", "lastProbeTime counts: 09:40", "after", "09:00")
    settings = Settings(mail_transition=500)
    assert says(who_is_next().why(settings, "web"), "no lastProbeTime", "lastTransitionTime counts: 08:20", "before")


def test_who_picks_a_pod_in_a_tie_reads_what_is_equal() -> None:
    equal = "The priorities are equal, and so are the times that count: {}."
    for tie, time in ((Settings(mail_created=540), "09:00"), (Settings(mail_probe=540), "09:00")):
        assert who_is_next().right(tie) == "a tie"
        for answer in ("mail", "web"):
            assert who_is_next().why(tie, answer).startswith(equal.format(time))


def test_the_table_marks_the_row_that_decides() -> None:
    for settings in some()[::29]:
        decides = [row.split("</td>")[0] for row in str(show(settings).table).split("<tr")[2:] if DECIDES in row]
        (_, mail), (_, web) = sides(settings)
        wanted = {mail, web} if settings.mail_priority == settings.web_priority else {"priority"}
        assert {row.split()[-1].rpartition(">")[2] for row in decides} == wanted, settings
