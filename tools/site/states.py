"""Which settings of a panel are recorded: those nearest to where it begins."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from kschedlab.lab.panels.settings import Restorable

MARK = re.compile(r' data-set="([^"]*)"')
TYPED = 24
"""As many suggestions for a typed text are recorded; of more, none but those that a picture sets."""


def nearest(settings: Any, limit: int, pictures: str = "") -> list[Any]:
    """Up to ``limit`` settings: these, one control changed, what marks in the pictures set, two controls, and so on.

    With few combinations, these are all of them.
    """
    found = {str(settings): settings}
    for each in _all(settings, pictures):
        if len(found) >= limit:
            break
        found.setdefault(str(each), each)
    return list(found.values())


def _all(settings: Any, pictures: str) -> Iterator[Any]:
    controls = type(settings).controls()
    names = [name for name, each in controls.items() if each.reads is None or len(each.values) <= TYPED]
    names.sort(key=lambda name: controls[name].last is not None)  # steps depend on the other settings
    for changed in range(1, len(names) + 1):
        some = (each for chosen in combinations(names, changed) for each in _varied(settings, chosen))
        yield from sorted(some, key=lambda each: _distance(settings, each))
        if changed == 1:
            yield from _marked(settings, pictures)


def _distance(settings: Any, other: Any) -> int:
    """How many values lie between them; of what has no order, one."""
    controls, here, there = type(settings).controls(), settings.indices(), other.indices()
    ordered = {name for name, each in controls.items() if each.kind in ("slider", "steps")}
    return sum(abs(there[name] - at) if name in ordered else there[name] != at for name, at in here.items())


def _marked(settings: Any, pictures: str) -> Iterator[Any]:
    """What a click in the picture leads to."""
    for text in dict.fromkeys(MARK.findall(pictures)):
        try:
            yield type(settings).parse(f"{settings}, {html.unescape(text)}")
        except ValueError:
            continue  # a mark may set a step that these settings do not have


def _varied(settings: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """Every value of these controls."""
    if not names:
        yield settings
        return
    control = type(settings).controls()[names[0]]
    for value in control.allowed(settings):
        yield from _varied(settings.changed(**{names[0]: value}), names[1:])


def becomes(settings: Sequence[Any]) -> dict[str, int]:
    """Settings that cannot be, such as a write before its read: by their indices, the place of what they become."""
    if type(settings[0]).clamped is Restorable.clamped:
        return {}
    places, found = {each: place for place, each in enumerate(settings)}, {}
    for each in settings:
        for name, control in each.controls().items():
            for index, value in enumerate(control.allowed(each)):
                asked, made = {**each.indices(), name: index}, each.changed(**{name: value})
                if made.indices() != asked and made in places:
                    found["|".join(map(str, asked.values()))] = places[made]
    return found


def fixed(settings: Restorable) -> list[str]:
    """The controls that are no steps of something that is walked through: an answer holds for all of its moments."""
    return [name for name, each in settings.controls().items() if not each.counts_steps]
