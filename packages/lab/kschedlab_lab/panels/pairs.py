"""Is a difference real? Numbers of policies for the same seeds -> two policies, so many seeds -> an interval.

The numbers come from anywhere: an experiment (``kschedlab_experiments``), a file, a real cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import make_dataclass
from typing import Any

import numpy as np

from kschedlab.messages import later, say, sentences
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html
from kschedlab.text.plain import aligned
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, switch
from kschedlab_lab.views.pairs import FEWEST, Floats, Pairs, Picture, draw_pairs, number
from kschedlab_lab.views.svg import Room

Numbers = Mapping[str, Sequence[float] | Floats]
"""By policy: a number for each seed; a place in all rows has one seed."""
SAMPLE: Numbers = {
    "default": [62.5, 71.0, 58.0, 80.5, 66.0, 75.0, 69.5, 61.0],
    "packing": [66.0, 75.5, 61.0, 85.0, 69.0, 76.5, 75.0, 64.5],
    "lucky": [64.0, 69.5, 59.0, 80.0, 68.0, 74.0, 68.5, 62.0],
}


class Compared:
    """What the panel shows of some numbers. ``what``: the measure; ``unit``: of its numbers.

    InputValueError unless there are two policies or more, with equally many numbers.
    """

    def __init__(self, numbers: Numbers, what: str = "", unit: str = "%") -> None:
        self.what, self.unit = what or say("CPU in use"), unit
        self.numbers = {str(name): np.asarray(row, np.float64) for name, row in numbers.items()}
        lengths = {len(row) for row in self.numbers.values()}
        if len(self.numbers) < 2 or len(lengths) != 1 or lengths == {0}:
            raise InputValueError(say("expected at least two policies, each with a number for the same seeds"))
        (self.most,) = lengths
        names = tuple(self.numbers)
        fields = [
            ("a", str, choice("A", names, names[0])),
            ("b", str, choice("B", names, names[1])),
            ("seeds", int, slider("seeds", range(1, self.most + 1), self.most)),
            ("joined", bool, switch("joined by seed", True)),
        ]
        self.settings: type[Any] = make_dataclass("Settings", fields, bases=(Restorable,), frozen=True)

    def picture(self, settings: Any) -> Picture:
        """The numbers of these two policies for the first seeds."""
        names = settings.a, settings.b
        return Picture(names, self.numbers, settings.seeds, settings.joined, self.what, self.unit)

    def pairs(self, settings: Any) -> Pairs:
        """The pairs that are shown."""
        return self.picture(settings).pairs

    def __call__(self, settings: Any) -> View:
        picture = self.picture(settings)
        sentence, pairs = describe(picture), picture.pairs
        rows = [[say("seed"), *picture.names, say("difference")]]
        rows += [
            [str(seed), number(a), number(b), number(b - a, signed=True)]
            for seed, (a, b) in enumerate(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True), 1)
        ]
        text = "\n".join([sentence, *(aligned(rows) if pairs.joined else [])])
        return View(lambda room: draw_pairs(picture, room, sentence), sentence, Html(), text)

    def hidden(self, settings: Any) -> Callable[[Room], Html]:
        """The picture while a question is open: the dots without what they say."""
        alt = say("{a} and {b}, a dot for each seed", a=settings.a, b=settings.b)
        return lambda room: draw_pairs(self.picture(settings), room, alt, answered=False)


def describe(picture: Picture) -> str:
    """Whether the difference is real, how large it is, and for how many seeds."""
    a, b = picture.names
    if a == b:
        return say("A and B are the same policy.")
    pairs = picture.pairs
    low, high = pairs.interval
    size = say(
        "{b} − {a}: {mean} on average, {low} to {high} with 95 % confidence.",
        a=a,
        b=b,
        mean=number(pairs.mean, signed=True),
        low=number(low, signed=True),
        high=number(high, signed=True),
    )
    if not pairs.enough:
        size = say("{b} − {a}: {mean} on average.", a=a, b=b, mean=number(pairs.mean, signed=True))
        verdict = say("Too few to tell: at least {fewest} seeds must differ.", fewest=FEWEST)
    else:
        verdict = say("The difference is real.") if pairs.real else say("It may be chance.")
    if not pairs.joined:
        return sentences([verdict, size, say("Nobody knows which numbers have the same seed.")])
    return sentences(
        [verdict, size, say("B is higher for {higher} of {all} seeds, lower for {lower}.", **signs(pairs))]
    )


def signs(pairs: Pairs) -> dict[str, int]:
    """For how many seeds B is higher, lower, and the same."""
    found = np.sign(pairs.differences).tolist()
    return {"higher": found.count(1), "lower": found.count(-1), "same": found.count(0), "all": len(found)}


def panel(numbers: Numbers = SAMPLE, what: str = "", unit: str = "%", **settings: Any) -> Panel[Any]:
    """The panel; settings override its defaults: the first two policies, all seeds, joined.

    ``numbers``: by policy, a number for each seed; ``what``: the measure. InputValueError if seeds are missing.
    """
    shown = Compared(numbers, what, unit)
    return Panel(shown.settings().changed(**settings), shown, call="pairs.panel(...)")


def how_many(numbers: Numbers = SAMPLE, **settings: Any) -> Question[Any]:
    """For how many of the seeds is B higher? The lines show. ``settings``: as :func:`panel` takes them."""
    shown = Compared(numbers)
    picture = shown.picture(shown.settings().changed(**settings))

    def why(settings: Any, _: str) -> str:
        said = later("{higher} of {all} seeds; it is lower for {lower}, and the same for {same}.")
        return say(said, **signs(shown.pairs(settings)))

    a, b = (f"`{name}`" for name in picture.names)
    asked = say("For how many of the {seeds} seeds is {b} higher than {a}?", seeds=picture.count, a=a, b=b)
    return Question(
        asked,
        (),
        lambda settings: str(signs(shown.pairs(settings))["higher"]),
        why,
        shown.hidden,
        shown.most,
    )


def is_it_real(numbers: Numbers = SAMPLE, **settings: Any) -> Question[Any]:
    """Is the difference real? The dots show. ``settings``: as :func:`panel` takes them."""
    shown = Compared(numbers)
    picture = shown.picture(shown.settings().changed(**settings))
    yes, no = say("real"), say("may be chance")

    def why(settings: Any, _: str) -> str:
        pairs = shown.pairs(settings)
        low, high = pairs.interval
        where = {"low": number(low, signed=True), "high": number(high, signed=True)}
        if pairs.real:
            return say("The interval, {low} to {high}, leaves 0 out.", **where)
        return say("The interval, {low} to {high}, contains 0.", **where)

    a, b = (f"`{name}`" for name in picture.names)
    lost = later("Is the difference real if nobody knows which runs of {a} and {b} have the same seed?")
    asked = later("Is the difference between {a} and {b} real?") if picture.joined else lost
    return Question(
        say(asked, a=a, b=b),
        (yes, no),
        lambda settings: yes if shown.pairs(settings).real else no,
        why,
        shown.hidden,
    )
