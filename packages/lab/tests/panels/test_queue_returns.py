"""Events sorted by hand: nothing tells the answer before the check, and the check is the queue's."""

from __future__ import annotations

from dataclasses import replace

from kschedlab_lab.panels.queue_returns import BACK, EVENTS, STAYS, WHY, Settings, panel, right, show
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room(640, 400)


def drawn(settings: Settings) -> str:
    picture = show(settings).picture
    return str(picture(ROOM) if callable(picture) else picture)


def test_the_queue_says_what_comes_back() -> None:
    assert right() == dict.fromkeys(EVENTS, BACK) | {"status": STAYS, "cache": STAYS}


def test_before_the_check_every_place_looks_alike() -> None:
    for settings in Settings.grid():
        if not settings.checked:
            view = show(settings)
            assert "✓" not in drawn(settings) and "✕" not in drawn(settings) and not str(view.table)
            assert says(view.sentence, "Which events bring web back?")


def test_the_check_counts_and_marks_what_is_right() -> None:
    wrong = Settings(**right(), checked=True).changed(cache=BACK)
    assert says(show(wrong).sentence, "5 of 6") and drawn(wrong).count("✕") == 1 and drawn(wrong).count("✓") == 5
    solved = replace(wrong, cache=STAYS)
    assert says(show(solved).sentence, "All cards are right") and "✕" not in drawn(solved)
    assert all(reason in drawn(solved) for reason in WHY.values()) and "Show the answer" not in drawn(solved)


def test_a_card_is_clicked_or_carried() -> None:
    first = drawn(Settings())
    for name in EVENTS:
        assert f'data-set="{name}: returns"' in first and f'data-drop="{name}: returns"' in first
    assert f'data-set="db: {STAYS}"' in drawn(Settings(db=BACK))
    assert 'data-set="checked: on"' in first and 'data-set="checked: on"' not in drawn(Settings(checked=True))


def test_the_state_can_be_restored() -> None:
    moved = panel().move(joins=BACK, checked=True)
    assert panel().restore(str(moved.settings)).settings == moved.settings and "podAffinity" in moved.yaml()
