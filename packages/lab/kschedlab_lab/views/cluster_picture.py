"""A decision in a whole cluster: who waits, a map of the nodes or their boxes, and beside it what was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.cluster_detail import Choice, Drawn, choice_shapes, ends, victim_shapes, why_not_shapes
from kschedlab_lab.views.drawing import Place, Plan, shapes
from kschedlab_lab.views.glyphs import OUTLINES
from kschedlab_lab.views.layout import Part, column, moved, padded, row, words, wrap
from kschedlab_lab.views.lettering import after_hyphen, text_width
from kschedlab_lab.views.map_legend import legend
from kschedlab_lab.views.node_map import (
    CAUSE,
    EVICTS,
    FILLS,
    FITS,
    GOOD,
    MORE,
    ONE,
    RANGE,
    REFUSED,
    TWO,
    Cells,
    Grid,
    Shape,
    blocks,
    ending,
    frame,
    grid,
    heads,
    kinds,
    sign_for,
    verdict_of,
    word_of,
)
from kschedlab_lab.views.picture import Handles, boxes, common_resource
from kschedlab_lab.views.style import (
    ACT,
    CHOSEN,
    CHOSEN_SOFT,
    HAIR,
    INK_2,
    LIFT,
    TICK,
    priority_fill,
)
from kschedlab_lab.views.svg import Room, label, svg
from kschedlab_why.why_not import WhyNot

ALL = "all"
ORDER = tuple(FILLS)
"""The kinds of nodes, those that are nearest first."""
BOXES = 40
"""The most nodes that are drawn as boxes with their names."""
TILES = tuple(Shape(wide, round(wide * (0.6 if wide > 66 else 0.5)), 20, 8) for wide in range(150, 57, -4))
"""Sizes of these boxes, the largest first."""
LOOKS = {GOOD: (CHOSEN_SOFT, CHOSEN), TWO: (FILLS[MORE], HAIR), MORE: (FILLS[MORE], HAIR)}
"""The ground of a box and its edge, by the kind of the node; of one that is one obstacle away, the colour of what is in
the way."""
SEVERAL = 3
"""As many nodes are a part of a pool with a heading of its own."""
WAITING, CHIPS, MORE_PODS = 5, 220, 64
"""The most pods to choose from; the widths for them beside the questions, and for what leads to more; in pixels."""
BESIDE, LOW, PHONE = 400, 340, 360
"""The least width of a picture for two things side by side, and the least height for a legend where something is beside
the nodes, and below which width a room is a phone's; in pixels."""


@dataclass(frozen=True)
class Asked:
    """What the picture shows. ``question``, ``questions``: the one that is asked, and all.

    ``show``: words that choose nodes, or "all"; ``pools``: the label that names pools, "" for the usual one.
    ``why_not``: a node against the chosen one; ``choices``: changes, of which ``change`` is applied, and the decision
    ``before`` it; ``victims``: whether the victims are shown; ``node``: one that is framed. ``near``: the pools that
    are drawn large; the others are rows of dots.
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
    node: str = ""
    near: tuple[str, ...] = ()


def cluster_picture(decision: Decision, room: Room, asked: Asked, alt: str) -> Html:
    """The whole picture. ``alt``: its text alternative."""
    width = float(room.width)
    top, y = _header(decision, asked, width)
    found = shown_nodes(decision, asked.show, asked.pools)
    has_detail = asked.why_not is not None or bool(asked.choices) or asked.victims
    left = round(width * 0.54) if has_detail and width >= BESIDE else width
    space = max(room.height - y, 200.0)
    tall = space if left < width or not has_detail else space * 0.55
    explains, is_phone = not has_detail or room.height >= LOW, room.width < PHONE
    nodes, bottom = _nodes(decision, asked, found, left, tall, explains, is_phone)
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


def _header(decision: Decision, asked: Asked, width: float) -> tuple[list[Html], float]:
    """The pods that wait, and the questions; and where the rest begins."""
    tabs = _tabs(asked, width)
    if not asked.questions:
        return [], 0
    beside = tabs.width + 24 + CHIPS <= width
    waiting = _waiting(decision, width - (tabs.width + 24 if beside else 0))
    whole = row([tabs, waiting], 24) if beside else column([tabs, waiting], 8)
    return [*whole.shapes], whole.height + 14


def _tabs(asked: Asked, width: float) -> Part:
    """The questions as segments, in as many rows as it takes."""
    parts = []
    for question in asked.questions:
        on = question == asked.question
        text = words(say(question), 12, bold=True, fill="currentColor" if on else INK_2)
        box = element("rect", width=text.width + 18, height=24, rx=8, fill=LIFT if on else "transparent")
        marks = {"data_set": f"question: {question}", "aria_label": say(question), "aria_pressed": str(on).lower()}
        parts.append(Part(text.width + 18, 24, (element("g", box, moved(text, 9, 4), **marks),)))
    inside = padded(wrap(parts, width - 6, 2, 2), 3, 3)
    ground = element("rect", width=inside.width, height=inside.height, rx=10, fill=TICK)
    return Part(inside.width, inside.height, (ground, *inside.shapes))


def _waiting(decision: Decision, width: float) -> Part:
    """The pod in question and others that wait, as many as fit in a line; a click asks about one."""
    own, pending = decision.pod, decision.cluster.pending
    here = [*pending].index(own.key) if own.key in pending else -1
    pods = [*pending.values()]
    others = [*pods[here + 1 :], *pods[: max(here, 0)]]
    chips = [_chip(own, True), *(_chip(info, False) for info in others)]
    shown: list[Part] = []
    for chip in chips[:WAITING]:
        if sum(part.width + 12 for part in shown) + chip.width + MORE_PODS > width and shown:
            break
        shown.append(chip)
    if not (rest := others[len(shown) - 1 :]):
        return row(shown, 12)
    more = words(say("{number} more", number=len(rest)), fill=ACT)
    marks = {"data_set": f"pod: {rest[0].key}", "data_tip": say("the next pods that wait")}
    return row([*shown, Part(more.width, more.height, (element("g", *more.shapes, **marks),))], 12)


def _chip(info: PodInfo, here: bool) -> Part:
    square = element("rect", width=12, height=12, rx=3, fill=priority_fill(info.priority), stroke=HAIR)
    name = words(ends(info.pod.metadata.name, 130), bold=here, fill="currentColor" if here else INK_2)
    part = row([Part(12, 12, (square,)), name], 5)
    tip = say("{pod}, priority {priority}", pod=info.key, priority=info.priority)
    surface = element("rect", x=-4, y=-5, width=part.width + 8, height=26, fill="transparent")
    marks = {"data_key": f"pod/{info.key}", "data_set": f"pod: {info.key}", "data_tip": tip}
    return Part(part.width, part.height, (element("g", surface, *part.shapes, **marks),))


# -- the nodes


def shown_nodes(decision: Decision, words: str, label: str = "") -> dict[str, list[int]]:
    """By pool, the positions of the nodes that all these words choose.

    A word chooses by a part of the node's name, a label's value, the pool, the plugin that refuses it, "feasible", a
    kind such as "one-away", or a range of names ``first..last``. The nearest nodes come first.
    """
    names, kind = decision.cluster.names, kinds(decision)
    groups = {
        pool: sorted(places, key=lambda place: (ORDER.index(kind[place]), natural(names[place])))
        for pool, places in pools(decision.cluster, label).items()
    }
    if words in (ALL, ""):
        return groups
    wanted = words.split()
    found = {
        pool: [place for place in places if all(_chooses(word, decision, place, pool, kind[place]) for word in wanted)]
        for pool, places in groups.items()
    }
    return {pool: places for pool, places in found.items() if places}


@lru_cache(maxsize=20_000)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts names as people count: node-9 before node-10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name))


def near_pools(decision: Decision, label: str = "") -> tuple[str, ...]:
    """The pools with a node that the pod can have, or else with the nodes that are the fewest obstacles away."""
    kind, reached = kinds(decision), ORDER.index(EVICTS)
    far = {
        pool: min(max(ORDER.index(kind[place]), reached) for place in places)
        for pool, places in pools(decision.cluster, label).items()
    }
    return tuple(pool for pool, rank in far.items() if rank == min(far.values()))


def by_cause(decision: Decision, found: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """A pool that takes the pod on no node in parts, by the plugin that refuses it there."""
    parts: dict[str, Sequence[int]] = {}
    for pool, places in found.items():
        causes: dict[str, list[int]] = {}
        for place in places:
            causes.setdefault(verdict_of(decision, place), []).append(place)
        divides = all(cause.startswith(REFUSED) and len(each) >= SEVERAL for cause, each in causes.items())
        named = {f"{pool}{CAUSE}{cause.removeprefix(REFUSED)}": each for cause, each in causes.items()}
        parts |= named if divides else {pool: places}
    return parts


def _chooses(word: str, decision: Decision, place: int, pool: str, kind: str) -> bool:
    node = decision.cluster.nodes[place]
    name = node.metadata.name
    if RANGE in word:
        first, _, last = word.partition(RANGE)
        return natural(first) <= natural(name) <= natural(last)
    if word in FILLS and word != FITS:
        return word == kind
    verdict = verdict_of(decision, place)
    if word == FITS or verdict == f"{REFUSED}{word}":
        return verdict in (FITS, f"{REFUSED}{word}") and (word == FITS) == (verdict == FITS)
    return word in name or word == word_of(pool) or word in node.metadata.labels.values()


def _nodes(
    decision: Decision,
    asked: Asked,
    found: Mapping[str, Sequence[int]],
    width: float,
    height: float,
    explains: bool,
    is_phone: bool,
) -> tuple[list[Html], float]:
    """The nodes with their legend if it ``explains`` them, and their height."""
    number, everything = sum(map(len, found.values())), len(decision.cluster.nodes)
    crumbs = _crumbs(asked.show, number, everything) if number < everything else []
    above = 21 if crumbs else 0
    large = {pool: places for pool, places in found.items() if crumbs or pool in asked.near} or dict(found)
    small = {pool: places for pool, places in found.items() if pool not in large}
    large = by_cause(decision, large) if small or len(large) == 1 else large
    number = sum(map(len, large.values()))
    changed = asked.before is not None
    causes = not all(CAUSE in pool for pool in large)
    explained, low = legend(decision, width, 1, changed, causes) if explains else ([], 0.0)
    cells = Cells(
        decision, large | small, asked.why_not.node if asked.why_not is not None else asked.node, asked.before
    )
    rows = cells.dots(small, width)
    space = height - above - low - rows.height - 6
    tiles = blocks(large, width, space, TILES) if 0 < number <= BOXES else None
    if tiles is not None:
        drawn, made = _tiles(decision, cells, tiles), tiles
        explained, low = legend(decision, width, 0, changed, causes) if explains else ([], 0.0)
    else:
        made = grid(large, width - 1, space, is_phone)
        drawn = cells.draw(made)
        if made.each > 1 and explains:
            explained, low = legend(decision, width, made.each, changed, causes)
    body = element("g", *heads(large, made, decision), *drawn, transform=f"translate(0,{above:g})")
    y = above + made.bottom + 4
    below = column([rows, Part(width, low, tuple(explained))], 8)
    return [*crumbs, body, moved(below, 0, y)], y + below.height


def _crumbs(show: str, number: int, everything: int) -> list[Html]:
    """What is shown, and the way back to all nodes."""
    back = say("‹ all {nodes}", nodes=count(everything, "node"))
    link = label(back, 0, 13, fill=ACT, font_weight="bold")
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
    """The nodes as boxes with their pods, and below them their names."""
    up = made.shape.head - 2
    made = made._replace(cells=[(group, x, y - up) for group, x, y in made.cells])
    names = [decision.cluster.names[group[0]] for group, _, _ in made.cells]
    marks = {name: {"data_set": f"node: {name}", "aria_label": say("why not {name}?", name=name)} for name in names}
    found = {box.name: box for box in boxes(decision, Handles(nodes=marks), names)}
    drawn, room = [], made.shape.wide - 32
    short = [cells.short[group[0]] for group, _, _ in made.cells]
    fits = (each for each in (names, short) if all(text_width(name, bold=True) <= room for name in each))
    titles = next(fits, after_hyphen(short))
    for name, title, (group, _, _) in zip(names, titles, made.cells, strict=True):
        box, sign = found[name], sign_for(decision, group[0])
        kind = cells.kinds[group[0]]
        look = (cells.fills[group[0]], HAIR) if kind == ONE else LOOKS.get(kind)
        refused = cells.tip(group) if box.refused else ""
        sign = sign if box.refused and sign in OUTLINES else ""
        inside = {"data_set": f"node: {name}", "role": "img"}  # Tab stops at the node alone
        pods = tuple(replace(block, marks=inside) for block in box.blocks)
        drawn.append(replace(box, title=ending(title, room), refused=refused, sign=sign, blocks=pods, look=look))
    wide, tall = made.shape.wide, made.shape.tall
    places = [Place(x, y, wide, tall) for _, x, y in made.cells]
    above = [frame(x, y, wide, tall) for group, x, y in made.cells if cells.asked in group]
    corners = "".join(f"M{x + wide - 8:g} {y:g}h8v8z" for group, x, y in made.cells if cells.changed(group))
    if corners:
        above.append(element("path", d=corners, fill="currentColor", pointer_events="none"))
    resource = common_resource(decision, names)
    return [*shapes(drawn, Plan(tuple(places), 0, 0), resource, captions=False), *above]
