"""How often does chance alone look like a difference? Differences of seeds, tossed -> a hundred dots; some turn red.

Each dot compares two schedulers that are equal: a coin gives each difference its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from kschedlab.messages import later, say, sentences
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.pairs import FEWEST, Floats
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.tosses import HUNDRED, Looks, Squares, draw_squares, looks_at, press, tossed

ROUNDS = 20


@dataclass(frozen=True)
class Settings(Restorable):
    """``round``: which hundred is shown; a round is the seed of its coins."""

    round: int = slider("round", range(1, ROUNDS + 1), 1)


class Tosses:
    """What the panel shows of these differences."""

    def __init__(self, differences: Sequence[float] | Floats) -> None:
        self.differences = np.asarray(differences, np.float64)
        self.looks = lru_cache(ROUNDS)(self._looks)

    def _looks(self, round: int) -> list[Looks]:
        return looks_at(tossed(self.differences, round))

    def counts(self, rounds: Sequence[int]) -> tuple[int, int]:
        """How many comparisons of these rounds seem different: at some look, and at the last one."""
        seen = [look for each in rounds for look in self.looks(each)]
        return sum(look.first > 0 for look in seen), sum(look.last for look in seen)

    def __call__(self, settings: Settings) -> View:
        red = say("Red: a look sees a difference where there is none.")
        return View(partial(self.draw, settings), red, Html(), self.sentence(settings.round))

    def draw(self, settings: Settings, room: Room) -> Html:
        """The picture of this round."""
        following = settings.round % ROUNDS + 1
        text = say("Toss again")
        button = press(text, data_set=f"round: {following}", aria_label=text)
        return draw_squares(self.squares(settings.round), room, self.sentence(settings.round), button)

    def squares(self, round: int, asked: bool = False) -> Squares:
        """This round; ``asked``: without what one sees who looks often."""
        return Squares(self.looks(round), round, len(self.differences), self.counts(range(1, round + 1)), asked)

    def sentence(self, round: int) -> str:
        """How many seem different, in this round and in all so far."""
        often, once = self.counts([round])
        first = say(
            "Looked at after each seed, {often} of 100 seem different; looked at once, {once}.", often=often, once=once
        )
        if round == 1:
            return first
        often, once = self.counts(range(1, round + 1))
        return sentences((first, say("Of all {all}: {often} and {once}.", all=round * HUNDRED, often=often, once=once)))

    def ask(self) -> Question[Settings]:
        """How many will seem different? How many do at the end is shown."""
        asked = say("Looked at after each seed, how many of these 100 dots will turn red?")
        choices = {number: say("about {number}", number=number) for number in (10, 20, 50, 90)}
        why = later(
            "Each look is one more chance. But the looks share most of their seeds, so {looks} looks are not {looks} "
            "chances."
        )
        looks = len(self.differences) - FEWEST + 1

        def right(settings: Settings) -> str:
            often, _ = self.counts([settings.round])
            return choices[min(choices, key=lambda number: abs(number - often))]

        def before(settings: Settings) -> Callable[[Room], Html]:
            return partial(draw_squares, self.squares(settings.round, asked=True), alt=asked)

        return Question(asked, tuple(choices.values()), right, lambda *_: say(why, looks=looks), before)


def panel(differences: Sequence[float] | Floats, round: int = 1) -> Panel[Settings]:
    """The panel; it asks first how many of a hundred will seem different."""
    shown = Tosses(differences)
    return Panel(Settings().changed(round=round), shown, call="tosses.panel(...)").ask(shown.ask())
