"""Map with 1 to 16 workers: how long it takes, and which card decides."""

from xml.etree import ElementTree

from kschedlab_lab.panels.map_reduce import costs, hand_out
from kschedlab_lab.panels.speedup import KNOWN, WORKERS, Settings, cards, ends, how_long, panel, show, times
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of

ROOM = Room(560, 480)


def keys(markup: object, start: str) -> list[str]:
    """The keys that begin so."""
    found = (each.get("data-key", "") for each in ElementTree.fromstring(str(markup)).iter())
    return [key for key in found if key.startswith(start)]


def test_the_times_are_those_of_the_workers_and_the_longest_card_is_the_least():
    assert [*times(Settings()).values()] == [25, 13, 10, 8, 7, 6, 6, 5, 5, 5, 4, 4, 4, 4, 4, 4]
    for settings in each_of(Settings):
        least = max(cards(settings))
        assert ends(settings) == max(piece.end for piece in hand_out(cards(settings), settings.workers)) >= least
        assert ends(settings.changed(workers=16)) == least


def test_no_more_workers_than_nodes_and_never_slower_with_more():
    found = [*times(Settings()).values()]
    assert found == sorted(found, reverse=True) and found[0] == sum(costs(12))
    drawn = str(show(Settings(workers=16)).picture(ROOM))
    assert "alone needs as many" in show(Settings(workers=16)).sentence
    assert len(keys(drawn, "card/")) == 12 and "time/16" in drawn


def test_the_card_that_can_be_changed_decides_when_it_is_long():
    assert ends(Settings(workers=16, ticks=8)) == 8 and ends(Settings(workers=16, ticks=1)) == 4
    assert show(Settings(workers=16, ticks=8)).sentence.startswith("With 16 workers Map takes 8 ticks. node-k alone")


def test_every_picture_is_well_formed_and_a_bar_is_clicked():
    for settings in [*each_of(Settings)][::7]:
        drawn = str(show(settings).picture(ROOM))
        bars = keys(drawn, "time/")
        assert bars == [f"time/{number}" for number in WORKERS] and drawn.count("data-set=") == len(WORKERS)
        assert len(set(keys(drawn, ""))) == len([key for key in keys(drawn, "") if key]) + 1


def test_the_question_is_answered_by_the_work():
    asked, settings = how_long(), Settings()
    assert asked.right(settings) == "4" in asked.choices
    assert asked.why(settings, "2").startswith("node-f alone takes 4 ticks")
    fewer = asked.why(Settings(workers=8), "4")
    assert fewer == "Worker 3 takes node-k only after tick 1, and node-k needs 4 ticks more."
    assert callable(asked.before)
    before = str(asked.before(settings)(ROOM))
    assert all(f">{times(settings)[number]}<" in before for number in KNOWN) and "data-set" not in before
    assert ">ticks<" in before, "below the cards"
    assert "With 12 workers Map takes 4 ticks" in panel().ask(asked).answer("2").view.sentence
