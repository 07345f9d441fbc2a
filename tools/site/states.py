"""Which settings of a panel are recorded: those nearest to where it begins."""

from __future__ import annotations

import html
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Any

from kschedlab_lab.panels.settings import Control, Restorable

MARK = re.compile(r' data-set="([^"]*)"')
FURTHER = 2
"""How often a control is moved further that took another one along."""
TYPED = 24
"""As many values of a typed text are tried: its suggestions, or else those that clicks set; of more, none."""


def nearest(
    settings: Any, pairs: int, states: int, pictures: str = "", known: Container[str] = ()
) -> tuple[list[Any], list[Any]]:
    """What a reader tries first: these settings, each control by itself, what clicks and handles in pictures set, and
    each control moved further where its first move took another along, such as a step that fewer nodes do not have.

    And settings beside them whose text is not ``known``: up to ``pairs`` with two controls changed, then with three
    and so on, up to so many ``states`` in all. With few combinations, these are all of them.
    """
    controls, clicks = type(settings).controls(), list(_marked(settings, pictures))
    values = {name: _values(name, control, clicks) for name, control in controls.items()}
    names = [name for name, own in values.items() if own is None or 0 < len(own) <= TYPED]
    names.sort(key=lambda name: controls[name].last is not None)  # steps depend on the other settings
    further = (each for name in names for each in _further(settings, name, values, FURTHER))
    first = _distinct([settings, *_changed(settings, 1, names, values), *clicks, *further])

    def changed(*numbers: int) -> Iterator[Any]:
        some = (each for number in numbers for each in _changed(settings, number, names, values))
        return (each for each in some if str(each) not in known)

    two = _distinct(changed(2), pairs, first)
    more = _distinct(changed(*range(3, len(names) + 1)), max(states - len(two), 0), {**first, **two})
    return list(first.values()), [*two.values(), *more.values()]


def _values(name: str, control: Control, clicks: Sequence[Any]) -> Sequence[Any] | None:
    """The values of a typed text that are tried; None for a control that has its own."""
    if control.reads is None:
        return None
    clicked = list(dict.fromkeys(getattr(each, name) for each in clicks))
    return control.values if len(control.values) <= TYPED and len(control.values) > len(clicked) else clicked


def _distinct(some: Iterable[Any], limit: int | None = None, but: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """By their text: up to so many different settings, without those that are known."""
    new = ((str(each), each) for each in some)
    found: dict[str, Any] = {}
    for text, each in new:
        if limit is not None and len(found) >= limit:
            break
        if but is None or text not in but:
            found.setdefault(text, each)
    return found


def _changed(settings: Any, number: int, names: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
    """The settings with so many controls changed, the nearest first; of equally near ones, controls with few values."""
    groups = sorted(
        combinations(names, number), key=lambda group: prod(_many(settings, each, values) for each in group)
    )
    some = (each for group in groups for each in _varied(settings, group, values))
    return sorted(some, key=lambda each: _distance(settings, each))


def _many(settings: Any, name: str, values: Mapping[str, Any]) -> int:
    """How many values of a control are tried."""
    own = values[name]
    return len(type(settings).controls()[name].allowed(settings) if own is None else own)


def _distance(settings: Any, other: Any) -> int:
    """How many values lie between them; of what has no order, one."""
    controls, here, there = type(settings).controls(), settings.indices(), other.indices()
    ordered = {name for name, each in controls.items() if each.kind in ("slider", "steps")}
    return sum(abs(there[name] - at) if name in ordered else there[name] != at for name, at in here.items())


def _marked(settings: Any, pictures: str) -> Iterator[Any]:
    """What a click in the picture leads to, and what is carried to its place."""
    for text in dict.fromkeys(MARK.findall(pictures)):
        yield from _set(settings, text)


def _set(settings: Any, text: str) -> list[Any]:
    """What a mark sets, or nothing: it may set a step that these settings do not have."""
    try:
        return [settings.at(type(settings).parse(f"{settings}, {html.unescape(text)}").indices())]
    except ValueError:
        return []


def _varied(settings: Any, names: Sequence[str], values: Mapping[str, Any]) -> Iterator[Any]:
    """Every value of these controls."""
    if not names:
        yield settings
        return
    own = values[names[0]]
    for value in type(settings).controls()[names[0]].allowed(settings) if own is None else own:
        yield from _varied(_moved(settings, names[0], value), names[1:], values)


def _moved(settings: Any, name: str, value: Any) -> Any:
    """As a reader moves this control: another may go along, such as the step when another story begins."""
    control = type(settings).controls()[name]
    index = value if control.reads is not None else control.allowed(settings).index(value)
    return settings.at({**settings.indices(), name: index})


def _further(settings: Any, name: str, values: Mapping[str, Any], moves: int) -> Iterator[Any]:
    """Every value of this control after each value of it that changes another control, too; up to so many ``moves``."""
    here = settings.indices()
    for moved in _varied(settings, [name], values):
        if moves and any(at != here[other] for other, at in moved.indices().items() if other != name):
            yield from _varied(moved, [name], values)
            yield from _further(moved, name, values, moves - 1)


def along(settings: Sequence[Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """What a move takes along, such as the step when another story begins: by the indices where it begins and by the
    control with its new index, the indices of other controls."""
    if type(settings[0]).at is Restorable.at:
        return {}
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for each in settings:
        here = each.indices()
        for name, control in each.controls().items():
            for index, value in enumerate(control.allowed(each)):
                made = _moved(each, name, value).indices()
                if taken := {other: at for other, at in made.items() if other != name and at != here[other]}:
                    found.setdefault(_key(here), {})[f"{name}:{index}"] = taken
    return found


def _key(indices: Mapping[str, Any]) -> str:
    return "|".join(map(str, indices.values()))
