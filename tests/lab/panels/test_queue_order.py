"""activeQComp at every setting, against what v1.13's source says, written out plainly."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab.lab.panels.queue_order import UNSET, WEB_PRIORITY, Settings, as_yaml, panel, pods, show, who_is_next
from kschedlab.manifests.loading import loads

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


@pytest.mark.parametrize("priority", Settings.controls()["mail_priority"].values)
def test_every_setting(priority: int) -> None:
    for settings in Settings.grid():
        if settings.mail_priority == priority:
            check(settings)


def check(settings: Settings) -> None:
    view = show(settings)
    (mail, mail_field), (web, web_field) = sides(settings)
    if settings.mail_priority != WEB_PRIORITY:
        first = "mail" if settings.mail_priority > WEB_PRIORITY else "web"
        assert view.sentence.startswith(f"{first} is next: its priority is ")
    elif mail == web:
        assert view.sentence.startswith("Neither")
    else:
        first, field = ("mail", mail_field) if mail < web else ("web", web_field)
        assert view.sentence.startswith(f"{first} is next: the priorities are equal, and its {field} ")
    assert str(view.picture).count("★") == (not view.sentence.startswith("Neither"))
    for field in FIELDS:
        (line,) = (line for line in view.text.splitlines()[1:] if field in line)
        assert line.count("← podTimestamp") == (mail_field, web_field).count(field)
    assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence


def test_the_yaml_is_the_two_pods() -> None:
    settings = Settings(mail_probe=580, web_transition=500)
    assert tuple(loads(as_yaml(settings)).pods) == pods(settings)


def test_panel_and_question() -> None:
    assert panel().move(mail_probe=580).view == show(Settings(mail_probe=580))
    assert [answer.partition(":")[0] for answer in who_is_next().remarks] == ["mail", "web"]
