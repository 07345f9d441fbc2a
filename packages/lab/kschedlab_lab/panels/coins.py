"""How often does the rule err? A coin for each pair: a hundred experiments in which only chance makes a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from kschedlab.messages import later, say, sentences
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.coins import Tossed, draw_tossed
from kschedlab_lab.views.pairs import Floats, Pairs, number
from kschedlab_lab.views.svg import Room

EXPERIMENTS, ROUNDS = 100, 10


@dataclass(frozen=True)
class Settings(Restorable):
    """How often the coins were tossed again."""

    toss: int = slider(later("toss"), range(1, ROUNDS + 1), 1)


class Coins:
    """What the panel shows of two policies' numbers for the same seeds."""

    def __init__(self, a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> None:
        self.own = Pairs(np.asarray(a, np.float64), np.asarray(b, np.float64))
        self.tossed = lru_cache(maxsize=ROUNDS)(self._tossed)

    def _tossed(self, toss: int) -> list[Pairs]:
        """Experiments in which each difference keeps its sign or changes it, as a coin says."""
        differences = self.own.differences
        signs = np.random.default_rng(toss).choice([-1, 1], (EXPERIMENTS, len(differences)))
        return [Pairs(np.zeros(len(differences)), differences * each) for each in signs]

    def errors(self, settings: Settings) -> int:
        """In how many of them the rule sees a difference."""
        return sum(each.real for each in self.tossed(settings.toss))

    def as_far(self, settings: Settings) -> int:
        """In how many of them the mean is at least as far from 0 as it really is."""
        mean = abs(self.own.mean) - 1e-9
        return sum(abs(each.mean) >= mean for each in self.tossed(settings.toss))

    def __call__(self, settings: Settings) -> View:
        said = self.sentence(settings)
        return View(lambda room: self.draw(settings, room, said), said, Html(), said)

    def draw(self, settings: Settings, room: Room, alt: str) -> Html:
        tossed = sorted(self.tossed(settings.toss), key=lambda each: each.mean)
        picture = Tossed(self.own, tuple(tossed), f"toss: {settings.toss % ROUNDS + 1}")
        return draw_tossed(picture, room, alt)

    def before(self, settings: Settings, room: Room) -> Html:
        """The differences, and each with the other sign."""
        return draw_tossed(Tossed(self.own, (), ""), room, say("the differences, and the same with the other sign"))

    def sentence(self, settings: Settings) -> str:
        """How often the rule errs, and how far chance goes."""
        far, where = self.as_far(settings), {"mean": number(self.own.mean, signed=True), "all": EXPERIMENTS}
        as_far = later("In {far} of {all} the mean is as far from 0 as {mean}.")
        nowhere = later("In none of them is the mean as far from 0 as {mean}.")
        wrong = later("In {errors} of {all} the rule sees a difference that is not there.")
        return sentences(
            (
                say(wrong, errors=self.errors(settings), all=EXPERIMENTS),
                say(as_far, far=far, **where) if far else say(nowhere, **where),
            )
        )

    def question(self) -> Question[Settings]:
        """How often does the rule see a difference where there is none?"""
        never, seldom, half = say("never"), say("in about 5"), say("in about 50")

        def right(settings: Settings) -> str:
            errors = self.errors(settings)
            return never if not errors else seldom if errors < EXPERIMENTS / 4 else half

        return Question(
            say("In how many of {all} such experiments does the rule see a difference?", all=EXPERIMENTS),
            (never, seldom, half),
            right,
            lambda settings, _: say(
                "Of intervals with 95 % confidence, about 5 in 100 miss; with few coins, a few more."
            ),
            lambda settings: partial(self.before, settings),
        )


def panel(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> Panel[Settings]:
    """The panel, which asks first. ``a`` and ``b``: the numbers of two policies, seed by seed."""
    shown = Coins(a, b)
    return Panel(Settings(), shown, call="coins.panel(...)").ask(shown.question())
