"""A decision in a whole cluster: a map of its nodes that stays, and below it what was asked."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kschedlab.cluster.pools import ZONE, pools
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.cluster_detail import Choice, choices_part, victims_part, why_not_part
from kschedlab_lab.views.drawing import Arrangement, Box, Place, shapes
from kschedlab_lab.views.layout import NOTHING, Part, moved, padded, words, wrap
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.map_legend import event_list, legend
from kschedlab_lab.views.node_kinds import CHOSEN_ONE, EVICTS, FILLS, FITS, REFUSED, kinds, starred, verdict_of
from kschedlab_lab.views.node_map import (
    RANGE,
    Grid,
    Squares,
    blocks,
    ending,
    frame,
    rows,
    short_names,
    star_at,
    titles,
    word_of,
)
from kschedlab_lab.views.picture import boxes, common_resource
from kschedlab_lab.views.style import ACT, INK_2, LIFT, TICK
from kschedlab_lab.views.svg import Room, label, svg
from kschedlab_why.why_not import WhyNot

WHY, WHAT_IF = later("why"), later("what would change it")
QUESTIONS = (WHY, WHAT_IF)
ALL = "all"
FEW, ZONES = 40, 4
"""The most nodes that are drawn with their names and pods, and the most zones that are columns."""
NARROW, PHONE = 400, 0.66
"""Below this width, in pixels, squares are for thumbs; and how high the nodes may be then, as a share of the width."""
TALL, SHARE, LEAST = 0.48, 0.58, 196
"""The height of nodes: most of it, for the width of the picture; and of a low room their share, but never less than
this, in pixels. So they have one place and size, however much is said above and below them."""
BOXED = 0.74
"""The share of the room below the questions that nodes with their pods may have."""
CRUMBS, GAP = 21, 6
"""The height of the way back to all nodes, and the space between what is below the nodes, in pixels."""
OPEN = 38
"""The height of what the pod asks for, above the nodes while a question is open: that of the questions' row, so the
nodes stay where they are."""
CLEAR = ("transparent", "transparent")
"""The ground and the edge of a node whose square is drawn already."""


@dataclass(frozen=True)
class Asked:
    """What the picture shows. ``question``: one of QUESTIONS, or "" for none and ``note`` in their place.

    ``show``: words that choose nodes, or "all"; ``why_not``: a node against the chosen one; ``choices``: changes, of
    which ``change`` is applied, and the decision ``before`` it: nodes are where they were then; ``framed``: where the
    pod runs, if it would go elsewhere; ``event``: the decision whose event is below the nodes.
    """

    question: str = ""
    show: str = ALL
    why_not: WhyNot | None = None
    choices: tuple[Choice, ...] = ()
    change: str = ""
    before: Decision | None = None
    framed: str = ""
    note: str = ""
    event: Decision | None = None


def cluster_picture(decision: Decision, room: Room, asked: Asked, alt: str) -> Html:
    """The whole picture. ``alt``: its text alternative."""
    width, narrow = float(room.width), room.width < NARROW
    above, y = NOTHING, 0.0
    if asked.question:
        above = _tabs(asked.question, width)
        y = above.height + 8
    elif asked.note:
        above = words(asked.note, width=width, fill=INK_2)
        y = max(OPEN, above.height + GAP)
    tall = PHONE * width if narrow else min(TALL * width, max(SHARE * (room.height - y), LEAST))
    nodes = _Nodes(decision, asked, width, tall, max(tall, BOXED * (room.height - y)))
    parts, low = [moved(above, 0, 0), moved(nodes.drawn(), 0, y)], y + nodes.height
    below = [
        choices_part(asked.choices, asked.change, width),
        why_not_part(asked.why_not, width) if asked.why_not else victims_part(decision, width),
    ]
    event = event_list(asked.event, decision, width) if asked.event else NOTHING
    if not asked.why_not or low + event.height + sum(part.height + GAP for part in below) < room.height:
        below.insert(0, event)  # else the answer about a node goes before it
    for part in filter(lambda part: part.height, below):
        parts.append(moved(part, 0, low + GAP))
        low += part.height + GAP
    left = width if narrow else room.height - low - GAP
    explained = legend(decision, width, left, 0 if nodes.are_few else nodes.made.each, asked.framed)
    if explained.height:
        parts.append(moved(explained, 0, low + GAP))
        low += explained.height + GAP
    return svg(parts, width, low, alt)


def undecided(decision: Decision) -> Decision:
    """The same pod and cluster before anything was decided."""
    nothing = decision.feasible[:0]
    return replace(
        decision, verdicts=None, feasible=nothing, scores=None, preemption=None, node=None, gates=(), error=""
    )


def _tabs(asked: str, width: float) -> Part:
    """The questions as segments, in as many rows as it takes."""
    parts = []
    for question in QUESTIONS:
        on = question == asked
        text = words(say(question), 12, bold=True, fill="currentColor" if on else INK_2)
        box = element("rect", width=text.width + 18, height=24, rx=8, fill=LIFT if on else "transparent")
        marks = {
            "data_set": f"question: {question}, node: none",
            "aria_label": say(question),
            "aria_pressed": str(on).lower(),
        }
        parts.append(Part(text.width + 18, 24, (element("g", box, moved(text, 9, 4), **marks),)))
    inside = padded(wrap(parts, width - 6, 2, 2), 3, 3)
    ground = element("rect", width=inside.width, height=inside.height, rx=10, fill=TICK)
    return Part(inside.width, inside.height, (ground, *inside.shapes))


# -- the nodes


def shown_nodes(decision: Decision, words: str, known: Container[str] = ()) -> dict[str, list[int]]:
    """By pool, the positions of the nodes that all these words choose.

    A word chooses by a part of the node's name, a label's value, the pool, the plugin that refuses it, "feasible", a
    kind such as "one-away", or a range of names ``first..last``. Nodes that are not ``known`` come last.
    """
    names, kind = decision.cluster.names, kinds(decision)
    known = known or decision.cluster.index
    groups = {
        pool: sorted(places, key=lambda place: (names[place] not in known, natural(names[place])))
        for pool, places in pools(decision.cluster).items()
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


def _chooses(word: str, decision: Decision, place: int, pool: str, kind: str) -> bool:
    node = decision.cluster.nodes[place]
    name = node.metadata.name
    if RANGE in word:
        first, _, last = word.partition(RANGE)
        return natural(first) <= natural(name) <= natural(last)
    if word in FILLS and word != FITS:
        return word == (EVICTS if kind == CHOSEN_ONE else kind)
    words = {word_of(pool), *node.metadata.labels.values(), verdict_of(decision, place).removeprefix(REFUSED)}
    return word in words or word in name


def _in_zones(decision: Decision, found: Mapping[str, Sequence[int]]) -> dict[str, dict[str, list[int]]]:
    """The pools, each divided into zones if there are a few, in the order of their names."""
    zone_of = {place: zone for zone, places in pools(decision.cluster, ZONE).items() for place in places}
    shown = sorted({zone_of[place] for places in found.values() for place in places})
    if not 1 < len(shown) <= ZONES:
        return {pool: {"": [*places]} for pool, places in found.items()}
    return {
        pool: {zone: [place for place in places if zone_of[place] == zone] for zone in shown}
        for pool, places in found.items()
    }


class _Nodes:
    """The nodes in a space of this size. ``boxed``: the height that few nodes may have, with their names and pods."""

    def __init__(self, decision: Decision, asked: Asked, width: float, height: float, boxed: float) -> None:
        self.decision, self.asked = decision, asked
        known = (asked.before or decision).cluster.index
        self.found = found = shown_nodes(decision, asked.show, known)
        number, everything = sum(map(len, found.values())), len(decision.cluster.nodes)
        is_pool = [*map(word_of, found)] == [asked.show]  # whose title says the same
        shown = "" if is_pool else asked.show
        self.crumbs = _crumbs(shown, number, everything) if number < everything else NOTHING
        self.squares = Squares(decision, found)
        few = blocks(found, width, boxed - self.crumbs.height) if 0 < number <= FEW else None
        self.are_few = few is not None
        self.zones = _in_zones(decision, found)
        new = {place for name, place in decision.cluster.index.items() if name not in known}
        self.made = few or rows(self.zones, width, height - self.crumbs.height, width < NARROW, new)
        self.height = self.crumbs.height + self.made.bottom

    def drawn(self) -> Part:
        """The way back to all nodes, and below it the pools with their nodes, and what moves over them."""
        made, found = self.made, self.found
        numbers = {pool: len(places) for pool, places in found.items()}
        inside = _insides(self.decision, self.squares, made) if self.are_few else []
        parts = [*titles(made, numbers, self._notes()), *self.squares.draw(made), *inside, *self._moving()]
        body = element("g", *parts, transform=f"translate(0,{self.crumbs.height:g})")
        return Part(made.room, self.height, (*self.crumbs.shapes, body))

    def _notes(self) -> dict[str, str]:
        """By pool, the taints of all of its nodes; by zone, how many other pods of the pod's controller are there."""
        if self.are_few:
            return {pool: _taints(self.decision, places) for pool, places in self.found.items()}
        if not self.squares.pods:
            return {}
        places = {zone: [place for zones in self.zones.values() for place in zones[zone]] for zone in self.made.zones}
        return {zone: f"● {sum(self.squares.pods[place] for place in each)}" for zone, each in places.items()}

    def _moving(self) -> list[Html]:
        """The frames of where the pod runs and of the node in question, and the star."""
        where, index, star = self.made.spots, self.decision.cluster.index, starred(self.decision)
        named = self.asked.why_not.node if self.asked.why_not is not None else ""
        framed = (("asked", index.get(named, -1)), ("runs", index.get(self.asked.framed, -1)))
        parts = [frame(where[place], key) for key, place in framed if place in where]
        return [*parts, star_at(where[star])] if star in where and not self.are_few else parts


def _taints(decision: Decision, places: Sequence[int]) -> str:
    """The taints that all of these nodes have."""
    found = [{taint.key for taint in decision.cluster.nodes[place].spec.taints} for place in places]
    common = sorted(set.intersection(*found))
    return say("taint {taints}", taints=listed(common)) if common else ""


def _crumbs(show: str, number: int, everything: int) -> Part:
    """The way back to all nodes, and beside it the words that chose what is shown, if any."""
    back = say("‹ all {nodes}", nodes=count(everything, "node"))
    link = label(back, 0, 13, fill=ACT, font_weight="bold")
    what = (
        say("{nodes} for “{show}”", nodes=count(number, "node"), show=show)
        if number
        else say("no node for “{show}”", show=show)
    )
    marks = {"data_set": f"show: {ALL}", "data_tip": say("show all nodes"), "aria_label": say("show all nodes")}
    wide = text_width(back, bold=True)
    return Part(wide, CRUMBS, (element("g", link, **marks), *([label(what, wide + 14, 13)] if show else [])))


def _insides(decision: Decision, squares: Squares, made: Grid) -> list[Html]:
    """What is in the squares of few nodes, and below them: their pods and names."""
    names = [decision.cluster.names[group[0]] for group, _, _ in made.cells]
    found = {box.name: box for box in boxes(decision, nodes=names)}
    room = made.shape.wide - 6
    shown = names if all(text_width(name, bold=True) <= room for name in names) else short_names(names)
    drawn = [
        _inside(found[name], ending(title, room), squares.tip(group), made.shape.wide - 22)
        for name, title, (group, _, _) in zip(names, shown, made.cells, strict=True)
    ]
    places = tuple(Place(x, y, made.shape.wide, made.shape.tall) for _, x, y in made.cells)
    return shapes(drawn, Arrangement(places, 0, 0), common_resource(decision, names), captions=False)


def _inside(box: Box, title: str, tip: str, room: float) -> Box:
    """The node without its ground; a click on a pod asks about the node, and a name that does not fit is its tip."""
    marks = {"data_set": f"node: {box.name}", "role": "img"}  # Tab stops at the node alone
    blocks = (
        replace(block, marks=marks)
        if text_width(block.name, bold=True) <= room
        else replace(block, marks=marks, name="", numbers=(), note=block.name, key=block.key or block.name)
        for block in box.blocks
    )
    refused = tip if box.refused else ""
    return replace(
        box, name=f"in/{box.name}", title=title, refused=refused, sign="", blocks=tuple(blocks), look=CLEAR, marks=marks
    )
