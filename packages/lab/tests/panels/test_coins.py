"""Coins: how often the rule of lesson 11 sees a difference where only chance makes one."""

from xml.etree import ElementTree

from kschedlab_lab.panels.coins import Coins, Settings, panel
from kschedlab_lab.views.svg import Room
from packages.lab.tests.panels import policies
from tests.saying import says

ROOM = Room(640, 400)
NUMBERS = policies.NUMBERS["default"], policies.NUMBERS["packing"]


def keys(picture):
    return {each.get("data-key") for each in ElementTree.fromstring(str(picture)).iter()} - {None}


def test_each_toss_is_a_hundred_experiments_with_the_same_differences_up_to_their_signs():
    shown = Coins(*NUMBERS)
    first, second = (shown.tossed(toss) for toss in (1, 2))
    assert len(first) == 100
    assert all((abs(each.differences) == abs(shown.own.differences)).all() for each in first)
    assert [each.mean for each in first] != [each.mean for each in second]


def test_what_is_said_is_what_the_picture_shows():
    shown = Coins(*NUMBERS)
    for settings in Settings.grid():
        wrong = sum(low > 0 or high < 0 for low, high in (each.interval for each in shown.tossed(settings.toss)))
        assert says(shown(settings).sentence, f"{wrong} of 100") and shown.errors(settings) == wrong
    assert {"interval/0", "interval/99", "interval/own"} <= keys(shown(Settings()).picture(ROOM))


def test_it_asks_first_and_shows_the_coins_both_sides():
    asked = panel(*NUMBERS)
    before = keys(asked.question.before(asked.settings)(ROOM))
    assert {"seed/1", "twin/1"} <= before and "interval/0" not in before
    assert asked.question.right(asked.settings) == asked.question.choices[1]
