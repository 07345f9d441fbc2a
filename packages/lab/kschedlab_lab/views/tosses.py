"""A hundred comparisons of two equal schedulers, as dots: which ones seem different, looked at often and once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kschedlab.messages import say, sentences
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import remark
from kschedlab_lab.views.layout import Part, column, moved, padded, words
from kschedlab_lab.views.pairs import CONFIDENCE, FEWEST, Floats, leaves_out, lots_of
from kschedlab_lab.views.style import EVICTED, INK, INK_2, INK_3, PANEL, TICK, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

HUNDRED, ACROSS = 100, 10
APART, EDGE, BUTTON, TOTAL, LEAST, NUMBERED = 28, 6, 34, 30, 160, 8.3
"""Pixels between the squares of dots, and beside them; the heights of the button and of what is counted so far, the
least side of a square, and the least radius of a dot with a number in it."""


class Looks(NamedTuple):
    """What the looks at one comparison said. ``first``: after how many seeds one said "different", 0 for none;
    ``last``: whether the look at all of them does."""

    first: int
    last: bool


@cache
def _shares(count: int) -> Floats:
    """Of each lot, the share of each seed: float64[seeds, lots]."""
    lots, _ = lots_of(count)
    return np.stack([(lots == seed).mean(axis=1) for seed in range(count)])


def real_after(differences: Floats, count: int) -> npt.NDArray[np.bool_]:
    """Of each row of differences, whether the rule of ``Pairs`` sees a difference in the first ones."""
    seen = differences[:, :count]
    rest = (100 - CONFIDENCE) / 2
    ends = np.percentile(seen @ _shares(count), [rest, 100 - rest], axis=1)
    bars = np.array([leaves_out(low, high) for low, high in ends.T.tolist()])
    enough: npt.NDArray[np.bool_] = np.count_nonzero(seen, axis=1) >= FEWEST
    return enough & bars


def tossed(differences: Floats, seed: int) -> Floats:
    """A hundred comparisons of two equal schedulers: these differences in another order, each with a sign by a coin."""
    rng = np.random.default_rng(seed)
    shuffled: Floats = rng.permuted(np.tile(differences, (HUNDRED, 1)), axis=1)
    return shuffled * rng.choice([-1, 1], shuffled.shape)


def looks_at(comparisons: Floats) -> list[Looks]:
    """What is seen of each comparison by who looks after each seed."""
    most = comparisons.shape[1]
    counts = range(min(FEWEST, most), most + 1)
    real = np.stack([real_after(comparisons, count) for count in counts], axis=1)
    first = np.where(real.any(axis=1), real.argmax(axis=1) + counts.start, 0)
    return [Looks(*each) for each in zip(first.tolist(), real[:, -1].tolist(), strict=True)]


class Squares(NamedTuple):
    """``looks``: of the comparisons of this round; ``seeds``: of each comparison; ``so_far``: how many of all rounds
    seemed different, at some look and at the end; ``asked``: only what the look at the end says is shown."""

    looks: Sequence[Looks]
    round: int
    seeds: int
    so_far: tuple[int, int]
    asked: bool = False


def draw_squares(squares: Squares, room: Room, alt: str, button: Part | None = None) -> Html:
    """Two squares of the same comparisons, one beside the other, above what is pressed for others."""
    wide = (room.width - APART - 2 * EDGE) / 2
    heads = _heads(squares, wide)
    high = max(each.height for each in heads.values()) + 6
    across = room.width - 2 * EDGE
    kept = remark(_meaning(squares, wide), across).height
    side = min(wide, max(room.height - high - kept - BUTTON - TOTAL - 12, LEAST))
    shapes = list[Html]()
    for (name, head), x in zip(heads.items(), (EDGE, EDGE + wide + APART), strict=True):
        about = {"data_key": f"{name}/head/{squares.round}", "data_order": str(squares.seeds - FEWEST)}
        shapes.append(moved(head, x, 0, **({} if squares.asked else about)))
        shapes += _square(squares, name, (x, high), side)
        if not squares.asked:
            shapes += _total(squares, name, (x, high + side + 6), side)
    under = high + side + TOTAL + 6
    if not squares.asked:
        shapes.append(moved(remark(_meaning(squares, side), across), EDGE, under))
    under += kept + 6
    if button is not None:
        shapes.append(moved(button, EDGE, under))
    return svg(shapes, room.width, under + BUTTON, alt)


def _meaning(squares: Squares, side: float) -> str:
    """What the numbers and the rims mean, in squares that are so wide at most."""
    numbers = say("A number: after so many seeds it seemed different.") if _radius(side) >= NUMBERED else ""
    rims = say("A red rim: it seemed different before, but not after {seeds} seeds.", seeds=squares.seeds)
    return sentences((numbers, rims))


def _radius(side: float) -> float:
    """Of the dots in a square with this side."""
    return side / ACROSS / 2 - 1


def _heads(squares: Squares, wide: float) -> dict[str, Part]:
    """By square: what is looked at, and how many are red."""
    titles = {"often": say("looked at after each seed"), "once": say("looked at once, at the end")}
    heads = {}
    for name, title in titles.items():
        red = sum(bool(each) for each in _red_after(squares, name))
        is_open = squares.asked and name == "often"
        count = say("{red} of {all}", red="?" if is_open else red, all=HUNDRED)
        fill = INK_2 if is_open else EVICTED
        heads[name] = column([words(title, bold=True, width=wide), words(count, 18, bold=True, fill=fill)], 2)
    return heads


def _red_after(squares: Squares, name: str) -> list[int]:
    """Of each comparison, after how many seeds its dot turns red in this square, 0 for never."""
    return [look.first if name == "often" else squares.seeds * look.last for look in squares.looks]


def _square(squares: Squares, name: str, corner: tuple[float, float], side: float) -> Iterator[Html]:
    """A square of dots."""
    step, (left, top) = side / ACROSS, corner
    r = _radius(side)
    red = _red_after(squares, name)
    for i in range(HUNDRED):
        x, y = left + step * (i % ACROSS + 0.5), top + step * (i // ACROSS + 0.5)
        at = {"transform": f"translate({x:.1f},{y:.1f})"}
        ring = element("circle", r=round(r - 0.75, 1), fill="none", stroke=INK_3, stroke_width=1.5)
        yield element("g", ring, data_key=f"{name}/{i}", **at)
        if (red[i] and name == "once") if squares.asked else squares.looks[i].first:
            dot = _red(r, red[i], name == "often")
            order = (red[i] or squares.seeds) - FEWEST
            about = {"data_key": f"{name}/{squares.round}/{i}", "data_order": str(order)}
            yield element("g", *dot, **about, data_tip=_tip(red[i], squares.seeds), **at)


def _total(squares: Squares, name: str, corner: tuple[float, float], side: float) -> Iterator[Html]:
    """The share of all comparisons so far that is red in this square; it grows when the last dots have turned red."""
    (left, top), every = corner, squares.round * HUNDRED
    red, order = squares.so_far[name == "once"], str(squares.seeds - FEWEST)
    yield rect(side, 6, 3, left, top, fill=TICK)
    yield rect(side * red / every, 6, 3, left, top, fill=EVICTED, data_key=f"{name}/total", data_order=order)
    text = words(say("{red} of {all} so far", red=red, all=every), 13, bold=True)
    yield moved(text, left, top + 8, data_key=f"{name}/total/{squares.round}", data_order=order)


def _tip(seeds: int, most: int) -> str:
    if seeds:
        return say("different after {seeds} seeds", seeds=seeds)
    return say("not different after {seeds} seeds", seeds=most)


def _red(r: float, seeds: int, is_numbered: bool) -> Iterator[Html]:
    """A red dot, with a number where it has room; only a rim without any seeds."""
    if not seeds:
        yield element("circle", r=round(r - 0.75, 1), fill="none", stroke=EVICTED, stroke_width=2)
        return
    yield element("circle", r=round(r, 1), fill=EVICTED)
    if is_numbered and r >= NUMBERED:
        yield label(str(seeds), 0, 4.3, "middle", fill=ink(EVICTED), font_weight="bold")


def press(text: str, key: str = "press", **marks: str) -> Part:
    """A thing to press; ``key``: its identity, if there are several."""
    inside = padded(words(text, 14, bold=True, fill=PANEL), 16, 7)
    ground = rect(inside.width, inside.height, 9, fill=INK)
    return Part(inside.width, inside.height, (element("g", ground, *inside.shapes, data_key=key, **marks),))
