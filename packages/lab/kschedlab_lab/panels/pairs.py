"""Is a difference real? Numbers of policies for the same seeds -> the first and another, so many seeds -> an interval.

The numbers come from anywhere: an experiment (``kschedlab_experiments``), a file, a real cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import make_dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kschedlab.messages import later, say, sentences
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, switch
from kschedlab_lab.views.pairs import FEWEST, RESAMPLES, Floats, Pairs, Picture, Shown, draw_pairs, number
from kschedlab_lab.views.svg import Room

SOME = 80
"""Grains that one can still see."""
Numbers = Mapping[str, Sequence[float] | Floats]
"""By policy: a number for each seed; a place in all rows has one seed."""


class Compared:
    """What the panel shows of some numbers. ``what``: the measure; ``hero``: a seed's name; ``reported``: by policy, a
    mean difference that others report; ``joinable``: whether one can forget the seeds; ``shown``: how much is shown.

    InputValueError unless there are two policies or more, with equally many numbers.
    """

    def __init__(
        self,
        numbers: Numbers,
        what: str = "",
        hero: int = 0,
        reported: Mapping[str, float] | None = None,
        joinable: bool = False,
        shown: Shown = Shown.HILL,
    ) -> None:
        self.what, self.hero, self.reported = f"{what or say('CPU requested')}, %", hero, reported or {}
        self.joinable, self.shown = joinable, shown
        self.numbers = {str(name): np.asarray(row, np.float64) for name, row in numbers.items()}
        lengths = {len(row) for row in self.numbers.values()}
        if len(self.numbers) < 2 or len(lengths) != 1 or lengths == {0}:
            raise InputValueError("expected at least two policies, each with a number for the same seeds")
        (self.most,) = lengths
        names = tuple(self.numbers)
        fields = [
            ("policy", str, choice(later("policy"), names[1:], names[1])),
            *([("seeds", int, slider("seeds", range(1, self.most + 1), self.most))] if shown is Shown.HILL else []),
            *([("joined", bool, switch("joined by seed", True))] if joinable else []),
        ]
        self.settings: type[Any] = make_dataclass("Settings", fields, bases=(Restorable,), frozen=True)

    def picture(self, settings: Any) -> Picture:
        """The numbers of these two policies for the first seeds, or for all where one cannot choose."""
        names = next(iter(self.numbers)), settings.policy
        choices = [(name, f"policy: {name}", name == settings.policy) for name in self.numbers if name != names[0]]
        return Picture(
            names,
            self.numbers,
            getattr(settings, "seeds", self.most),
            getattr(settings, "joined", True),
            self.what,
            self.hero,
            choices,
            self.joinable,
            self.reported.get(settings.policy),
            self.shown,
        )

    def pairs(self, settings: Any) -> Pairs:
        """The pairs that are shown."""
        return self.picture(settings).pairs

    def __call__(self, settings: Any) -> View:
        picture = self.picture(settings)
        sentence = describe(picture)
        has_story = picture.shown is Shown.HILL and picture.joined and picture.pairs.enough
        told = partial(story, picture) if has_story else None
        return View(lambda room: draw_pairs(picture, room, sentence), sentence, Html(), sentence, story=told)

    def hidden(self, settings: Any, seeds: Collection[int] | None = None) -> Callable[[Room], Html]:
        """The picture while a question is open: without the hill, and of these seeds alone without the differences."""
        picture = self.picture(settings)
        is_whole = picture.joined and seeds is None
        picture = replace(picture, shown=Shown.DIFFERENCES if is_whole else Shown.LINES)
        alt = say("{a} and {b}, a dot for each seed", a=picture.names[0], b=picture.names[1])
        return lambda room: draw_pairs(picture, room, alt, seeds)


def describe(picture: Picture) -> str:
    """Whether the difference is real, how large it is, and for how many seeds."""
    a, b = picture.names
    pairs = picture.pairs
    mean = say("{b} − {a}: {mean} on average.", a=a, b=b, mean=number(pairs.mean, signed=True))
    if picture.shown is not Shown.HILL:
        return sentences([counted(picture), mean])
    if not pairs.enough:
        return sentences([verdict(pairs), mean, counted(picture)])
    low, high = ends(pairs)
    size = say(
        "{b} − {a}: {mean} on average; the bar is {low} to {high}.",
        a=a,
        b=b,
        mean=number(pairs.mean, signed=True),
        low=low,
        high=high,
    )
    return sentences([verdict(pairs), size, counted(picture)])


def verdict(pairs: Pairs) -> str:
    """Whether chance may explain the difference."""
    if not pairs.enough:
        return say("Too few to tell: at least {fewest} seeds must differ.", fewest=FEWEST)
    return say("Hard to explain by chance.") if pairs.real else say("It may be chance.")


def counted(picture: Picture) -> str:
    """For how many seeds the second policy is higher, "" if nobody knows which numbers belong together."""
    if not picture.joined:
        return ""
    changes = np.sign(picture.pairs.differences).tolist()
    higher, lower = changes.count(1), changes.count(-1)
    counts = later("{b} is higher for {higher} of {all} seeds, lower for {lower}, equal for {equal}.")
    return say(counts, b=picture.names[1], higher=higher, lower=lower, equal=changes.count(0), all=len(changes))


def story(picture: Picture, room: Room) -> list[Frame]:
    """How the hill comes about: a lot, its mean, and more of them."""
    mean = number(float(picture.pairs.resampled[0]), signed=True)
    drawn = later(
        "How far can chance move the mean? Draw {all} of the {all} differences: some come twice or more (large), some "
        "never (pale). Their mean, {mean}, is one grain."
    )
    frames = list[Frame]()
    for grains, caption in (
        (1, say(drawn, all=picture.count, mean=mean)),
        (SOME, say("Draw again, {number} times: this is how far chance moves the mean.", number=SOME)),
    ):
        frames.append(Frame(draw_pairs(picture, room, caption, grains=grains), caption))
    caption = say("{number:,} grains are a hill; the thick bar is the middle 95 % of them.", number=RESAMPLES)
    return [*frames, Frame(draw_pairs(picture, room, describe(picture)), caption)]


def panel(
    numbers: Numbers,
    what: str = "",
    hero: int = 0,
    reported: Mapping[str, float] | None = None,
    hill: bool = True,
    **settings: Any,
) -> Panel[Any]:
    """The panel; settings override its defaults: the second policy, all seeds. With ``joined``, one can forget the
    seeds; False: they are forgotten at first.

    ``numbers``: by policy, a number for each seed; ``what``: the measure; ``hero``: the seed that is named, 0 for none;
    ``reported``: by policy, the mean difference to the first that others report; ``hill``: whether to show how far
    chance may move the mean. InputValueError if seeds are missing.
    """
    how_much = Shown.HILL if hill else Shown.DIFFERENCES
    shown = Compared(numbers, what, hero, reported, "joined" in settings, how_much)
    return Panel(shown.settings().changed(**settings), shown, call="pairs.panel(...)")


def do_the_same(numbers: Numbers, hero: int, **settings: Any) -> Question[Any]:
    """With how many of the other seeds is B higher, too: few, or most? The line of the named one shows."""
    shown = Compared(numbers, hero=hero)
    picture = shown.picture(shown.settings().changed(**settings))
    difference = float(picture.pairs.differences[hero - 1])
    others = picture.count - 1

    def higher(settings: Any) -> int:
        differences = shown.pairs(settings).differences
        return int((differences > 0).sum() - (differences[hero - 1] > 0))

    few, half, most = choices = say("few"), say("about half"), say("nearly all")

    def right(settings: Any) -> str:
        share = higher(settings) / max(others, 1)
        return few if share < 1 / 3 else half if share < 2 / 3 else most

    def why(settings: Any, _: str) -> str:
        differences = shown.pairs(settings).differences
        said = [say("With {number} of {others}.", number=higher(settings), others=others)]
        if differences[hero - 1] == differences.max() > 0:
            best = later("Seed {seed} is the best of all {all}: anyone who tries for long enough finds such a run.")
            said.append(say(best, seed=hero, all=others + 1))
        return sentences(said)

    asked = say(
        "With seed {seed}, {b} has {points} points more than {a}. With how many of the other {others} is it ahead?",
        seed=hero,
        a=f"`{picture.names[0]}`",
        b=f"`{picture.names[1]}`",
        points=number(difference),
        others=others,
    )
    before = partial(shown.hidden, seeds=frozenset([hero]))
    return Question(asked, choices, right, why, before)


def is_it_inside(numbers: Numbers, difference: float, what: str = "", **settings: Any) -> Question[Any]:
    """Does a difference that others report lie inside the bar? Takes what :func:`panel` takes."""
    shown = Compared(numbers, what)
    a, b = shown.picture(shown.settings().changed(**settings)).names
    shown.reported = {b: difference}
    yes, no = say("inside"), say("outside")

    def right(settings: Any) -> str:
        low, high = shown.pairs(settings).interval
        return yes if low <= difference <= high else no

    def why(settings: Any, _: str) -> str:
        low, high = ends(shown.pairs(settings))
        return say("Our bar goes from {low} to {high}.", low=low, high=high)

    asked = later("{b} − {a}: the paper's difference is {points}. Will it lie inside our bar?")
    return Question(
        say(asked, a=f"`{a}`", b=f"`{b}`", points=number(difference, signed=True)),
        (yes, no),
        right,
        why,
        shown.hidden,
    )


def ends(pairs: Pairs) -> tuple[str, str]:
    """From where to where the bar is."""
    low, high = pairs.interval
    return number(low, signed=True), number(high, signed=True)


def where_the_bar_is(pairs: Pairs) -> str:
    """Whether the bar leaves 0 out, if there are enough seeds to say so."""
    if not pairs.enough:
        return verdict(pairs)
    return say("The bar leaves 0 out.") if pairs.real else say("The bar contains 0.")


def is_it_chance(numbers: Numbers, what: str = "", hero: int = 0, **settings: Any) -> Question[Any]:
    """Can chance explain the difference? The dots show. Takes what :func:`panel` takes."""
    shown = Compared(numbers, what, hero, joinable="joined" in settings)
    picture = shown.picture(shown.settings().changed(**settings))
    yes, no = say("hardly"), say("it may")

    a, b = (f"`{name}`" for name in picture.names)
    lost = later("The seeds are lost. Can chance explain the difference between {a} and {b} now?")
    asked = later("Can chance explain the difference between {a} and {b}?") if picture.joined else lost
    return Question(
        say(asked, a=a, b=b),
        (yes, no),
        lambda settings: yes if shown.pairs(settings).real else no,
        lambda settings, _: where_the_bar_is(shown.pairs(settings)),
        shown.hidden,
    )
