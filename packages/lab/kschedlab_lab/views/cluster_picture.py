"""A decision in a whole cluster: who waits, a map of the nodes or their boxes, and beside it what was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.why_not import WhyNot
from kschedlab.text.words import count, request_text
from kschedlab_lab.views.cluster_detail import MARKED, Choice, Drawn, choice_shapes, ends, victim_shapes, why_not_shapes
from kschedlab_lab.views.drawing import Place, Plan, shapes
from kschedlab_lab.views.glyphs import OUTLINES
from kschedlab_lab.views.lettering import after_hyphen, fitted, text_width
from kschedlab_lab.views.map_legend import legend
from kschedlab_lab.views.node_map import (
    FITS,
    RANGE,
    REFUSED,
    Cells,
    Grid,
    Shape,
    ending,
    flow,
    frame,
    grid,
    heads,
    sign_for,
    verdict_of,
    word_of,
)
from kschedlab_lab.views.picture import Handles, boxes, common_resource
from kschedlab_lab.views.style import priority_fill
from kschedlab_lab.views.svg import Room, label, svg

ALL = "all"
BOXES = 40
"""The most nodes that are drawn as boxes with their names."""
TILES = tuple(Shape(wide, round(wide * 0.6), 20, 8) for wide in range(150, 69, -4))
"""Sizes of these boxes, the largest first."""
SQUARE = 15
"""The size of the square of the pod in question, in pixels."""
BESIDE, TALL, LOW = 480, 440, 340
"""The least width of a picture in which two things stand side by side; the least heights for two lines of waiting pods,
and for a legend where something stands beside the nodes; in pixels."""


@dataclass(frozen=True)
class Asked:
    """What the picture shows. ``question``, ``questions``: the one that is asked, and all.

    ``show``: words that choose nodes, or "all"; ``pools``: the label that names pools, "" for the usual one.
    ``why_not``: a node against the chosen one; ``choices``: changes, of which ``change`` is applied, and the decision
    ``before`` it; ``victims``: whether the victims are shown.
    """

    question: str = ""
    questions: tuple[str, ...] = ()
    show: str = ALL
    pools: str = ""
    why_not: WhyNot | None = None
    choices: tuple[Choice, ...] = ()
    change: str = ""
    before: Decision | None = None
    victims: bool = False


def cluster_picture(decision: Decision, room: Room, asked: Asked, alt: str) -> Html:
    """The whole picture. ``alt``: its text alternative."""
    width = float(room.width)
    top, y = _header(decision, asked, width, lines=2 if room.height >= TALL else 1)
    found = shown_nodes(decision, asked.show, asked.pools)
    has_detail = asked.why_not is not None or bool(asked.choices) or asked.victims
    left = round(width * 0.54) if has_detail and width >= BESIDE else width
    space = max(room.height - y, 200.0)
    tall = space if left < width or not has_detail else space * 0.55
    nodes, bottom = _nodes(decision, asked, found, left, tall, explains=not has_detail or room.height >= LOW)
    parts = [*top, element("g", *nodes, transform=f"translate(0,{y:g})")]
    if has_detail:
        x, at = (left + 18, y) if left < width else (0.0, y + bottom + 8)
        detail, low = _detail(decision, asked, width - x, max(space, bottom) if left < width else space)
        parts.append(element("g", *detail, transform=f"translate({x:g},{at:g})"))
        bottom = max(bottom, at + low - y)
    return svg(parts, width, y + bottom, alt)


def undecided(decision: Decision) -> Decision:
    """The same pod and cluster before anything was decided."""
    nothing = decision.feasible[:0]
    return replace(
        decision, verdicts=None, feasible=nothing, scores=None, preemption=None, node=None, gates=(), error=""
    )


def _detail(decision: Decision, asked: Asked, width: float, height: float) -> Drawn:
    if asked.why_not is not None:
        return why_not_shapes(asked.why_not, width, height)
    if asked.choices:
        return choice_shapes(asked.choices, asked.change, width, height)
    return victim_shapes(decision, width, height)


# -- above the nodes


def _header(decision: Decision, asked: Asked, width: float, lines: int) -> tuple[list[Html], float]:
    """The pods that wait, the pod in question, and the questions; and where the rest begins."""
    tabs, wide = _tabs(asked)
    own = decision.pod
    if wide > width * 0.6:  # the panel's controls have the questions too
        tabs, wide = [], 0.0
    name = fitted(own.key, width - wide - 30, bold=True)
    detail = fitted(request_text(decision), width - wide - text_width(name, bold=True) - 40)
    line = [label(name, SQUARE + 8, 13, font_weight="bold")]
    line.append(label(detail, SQUARE + 16 + text_width(name, bold=True), 13, opacity=0.8))
    fill = priority_fill(own.priority)
    square = element("rect", width=SQUARE, height=SQUARE, rx=2, fill=fill, stroke="currentColor", stroke_width=2)
    line.append(element("g", square, transform="translate(1,1)", data_key=f"pod/{own.key}", data_tip=own.key))
    found = [*line, element("g", *tabs, transform=f"translate({width - wide:g},0)")]
    waiting, tall = _waiting(decision, width, lines)
    return [*found, element("g", *waiting, transform="translate(0,23)")], 28 + tall


def _tabs(asked: Asked) -> tuple[list[Html], float]:
    """The questions as buttons, and their width."""
    found, x = list[Html](), 0.0
    for question in asked.questions:
        on = question == asked.question
        wide = text_width(say(question), bold=True) + 8
        opacity = 0.16 if on else 0.03
        box = element("rect", y=0.5, width=wide, height=19, rx=4, fill=MARKED, fill_opacity=opacity, stroke=MARKED)
        words = label(say(question), wide / 2, 14, "middle", font_weight="bold" if on else None)
        marks = {"data_set": f"question: {question}", "aria_label": say(question), "aria_pressed": str(on).lower()}
        found.append(element("g", box, words, transform=f"translate({x:g},0)", **marks))
        x += wide + 5
    return found, x


def _waiting(decision: Decision, width: float, lines: int) -> Drawn:
    """The other pods that wait, in at most so many lines; a click asks about one."""
    others = [info for key, info in decision.cluster.pending.items() if key != decision.pod.key]
    if not others:
        return [], 0
    if decision.pod.key in decision.cluster.pending:
        words = say("{pods:,} more wait:" if len(others) > 1 else "{pods:,} more waits:", pods=len(others))
    else:
        words = say("{pods:,} wait:" if len(others) > 1 else "{pods:,} waits:", pods=len(others))
    found, chips, x, y = [label(words, 0, 12, opacity=0.8)], list[Html](), text_width(words) + 8, 0
    for number, info in enumerate(others):
        name = ends(info.pod.metadata.name, 110)
        wide = 16 + text_width(name) + 10
        last = y >= 18 * (lines - 1)
        if x + wide > width - (46 if last else 0):
            if last:
                found.append(label(f"+{len(others) - number:,}", x, y + 12, opacity=0.8))
                break
            x, y = 0.0, y + 18
        fill = priority_fill(info.priority)
        square = element("rect", y=1, width=12, height=12, rx=2, fill=fill, stroke="currentColor")
        tip = say("{pod}, priority {priority}", pod=info.key, priority=info.priority)
        marks = {"data_key": f"pod/{info.key}", "data_set": f"pod: {info.key}", "data_tip": tip}
        inside = [square, element("text", name, x=16, y=12)]
        chips.append(element("g", *inside, transform=f"translate({x:.0f},{y})", **marks))
        x += wide
    return [*found, element("g", *chips, text_decoration="underline")], y + 20


# -- the nodes


def shown_nodes(decision: Decision, words: str, label: str = "") -> dict[str, list[int]]:
    """By pool, the positions of the nodes that all these words choose.

    A word chooses by a part of the node's name, a label's value, the pool, the plugin that refuses it, "feasible", or
    a range of names ``first..last``.
    """
    names = decision.cluster.names
    groups = {
        pool: sorted(places, key=lambda place: natural(names[place]))
        for pool, places in pools(decision.cluster, label).items()
    }
    if words in (ALL, ""):
        return groups
    wanted = words.split()
    found = {
        pool: [place for place in places if all(_chooses(word, decision, place, pool) for word in wanted)]
        for pool, places in groups.items()
    }
    return {pool: places for pool, places in found.items() if places}


@lru_cache(maxsize=20_000)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts names as people count: node-9 before node-10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name))


def _chooses(word: str, decision: Decision, place: int, pool: str) -> bool:
    node = decision.cluster.nodes[place]
    name = node.metadata.name
    if RANGE in word:
        first, _, last = word.partition(RANGE)
        return natural(first) <= natural(name) <= natural(last)
    verdict = verdict_of(decision, place)
    if word == FITS or verdict == f"{REFUSED}{word}":
        return verdict in (FITS, f"{REFUSED}{word}") and (word == FITS) == (verdict == FITS)
    return word in name or word == word_of(pool) or word in node.metadata.labels.values()


def _nodes(
    decision: Decision, asked: Asked, found: Mapping[str, Sequence[int]], width: float, height: float, explains: bool
) -> tuple[list[Html], float]:
    """The nodes with their legend if it ``explains`` them, and their height."""
    number, everything = sum(map(len, found.values())), len(decision.cluster.nodes)
    crumbs = _crumbs(asked.show, number, everything) if number < everything else []
    above = 21 if crumbs else 0
    changed = asked.before is not None
    explained, low = legend(decision, width, 1, changed) if explains else ([], 0.0)
    space = height - above - low - 6
    cells = Cells(decision, found, asked.why_not.node if asked.why_not is not None else "", asked.before)
    tiles = flow(found, width, space, TILES) if 0 < number <= BOXES else None
    if tiles is not None:
        drawn, made = _tiles(decision, cells, tiles), tiles
        explained, low = legend(decision, width, 0, changed) if explains else ([], 0.0)
    else:
        made = grid(found, width - 1, space)
        drawn = cells.draw(made)
        if made.each > 1 and explains:
            explained, low = legend(decision, width, made.each, changed)
    body = element("g", *heads(found, made), *drawn, transform=f"translate(0,{above:g})")
    y = above + made.bottom + 4
    return [*crumbs, body, element("g", *explained, transform=f"translate(0,{y:g})")], y + low


def _crumbs(show: str, number: int, everything: int) -> list[Html]:
    """What is shown, and the way back to all nodes."""
    back = say("‹ all {nodes}", nodes=count(everything, "node"))
    link = label(back, 0, 13, fill=MARKED, font_weight="bold")
    what = (
        say("{nodes} for “{show}”", nodes=count(number, "node"), show=show)
        if number
        else say("no node for “{show}”", show=show)
    )
    button = element(
        "g", link, data_set=f"show: {ALL}", data_tip=say("show all nodes"), aria_label=say("show all nodes")
    )
    return [button, label(what, text_width(back, bold=True) + 14, 13)]


def _tiles(decision: Decision, cells: Cells, made: Grid) -> list[Html]:
    """The nodes as boxes with their names and pods."""
    names = [decision.cluster.names[group[0]] for group, _, _ in made.cells]
    marks = {name: {"data_set": f"node: {name}", "aria_label": say("why not {name}?", name=name)} for name in names}
    found = {box.name: box for box in boxes(decision, Handles(nodes=marks), names)}
    drawn, room = [], made.shape.wide - 32
    short = [cells.short[group[0]] for group, _, _ in made.cells]
    fits = (each for each in (names, short) if all(text_width(name, bold=True) <= room for name in each))
    titles = next(fits, after_hyphen(short))
    for name, title, (group, _, _) in zip(names, titles, made.cells, strict=True):
        box, sign = found[name], sign_for(decision, group[0])
        refused = cells.tip(group) if box.refused else ""
        sign = sign if box.refused and sign in OUTLINES else ""
        drawn.append(replace(box, title=ending(title, room), refused=refused, sign=sign))
    wide, tall = made.shape.wide, made.shape.tall
    places = [Place(x, y, wide, tall) for _, x, y in made.cells]
    above = [frame(x, y, wide, tall) for group, x, y in made.cells if cells.asked in group]
    corners = "".join(f"M{x + wide - 8:g} {y:g}h8v8z" for group, x, y in made.cells if cells.changed(group))
    if corners:
        above.append(element("path", d=corners, fill="currentColor", pointer_events="none"))
    resource = common_resource(decision, names)
    return [*shapes(drawn, Plan(tuple(places), 0, 0), resource, captions=False), *above]
