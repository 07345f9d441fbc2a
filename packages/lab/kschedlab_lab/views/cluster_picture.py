"""A decision in a whole cluster: who waits, a map of the nodes or their boxes, and below it what was asked."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from kschedlab.cluster.pools import ZONE, pools
from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.objects.meta import controller_of
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.cluster_detail import (
    Choice,
    choices_part,
    victims_part,
    why_not_part,
)
from kschedlab_lab.views.drawing import Arrangement, Block, Place, shapes
from kschedlab_lab.views.event_line import event_line
from kschedlab_lab.views.glyphs import OUTLINES
from kschedlab_lab.views.layout import NOTHING, Part, moved, padded, words, wrap
from kschedlab_lab.views.lettering import after_hyphen, text_width
from kschedlab_lab.views.map_legend import Drawn as Shown, legend
from kschedlab_lab.views.node_map import (
    CHOSEN_ONE,
    EVICTS,
    FILLS,
    FITS,
    GOOD,
    MORE,
    ONE,
    RANGE,
    REFUSED,
    TWO,
    ZONES,
    Cells,
    Grid,
    Shape,
    blocks,
    ending,
    frame,
    grid,
    heads,
    kinds,
    node_fills,
    refusing,
    siblings,
    sign_for,
    spots,
    star_at,
    starred,
    taints,
    titles,
    verdict_of,
    way,
    word_of,
)
from kschedlab_lab.views.obstacles import SIGNS
from kschedlab_lab.views.picture import Handles, boxes, common_resource
from kschedlab_lab.views.style import (
    ACT,
    CHOSEN,
    CHOSEN_SOFT,
    HAIR,
    INK_2,
    LIFT,
    TICK,
    TRAY,
)
from kschedlab_lab.views.svg import Room, label, svg
from kschedlab_why.why_not import WhyNot

ALL = "all"
BOXES = 40
"""The most nodes that are drawn as boxes with their names."""
TILES = tuple(Shape(wide, round(wide * (0.6 if wide > 66 else 0.5)), 20, 8) for wide in range(320, 57, -4))
"""Sizes of these boxes, the largest first."""
LOOKS = {GOOD: (CHOSEN_SOFT, CHOSEN), TWO: (FILLS[MORE], HAIR), MORE: (FILLS[MORE], HAIR)}
"""The ground of a box and its edge, by the kind of the node; of one that is one obstacle away, the colour of what is in
the way."""
VOLUMES = {"disk", "zone"}
"""The signs of filters that ask where a volume is."""
NARROW, PHONE, MANY = 400, 360, 2000
"""Below which width, in pixels, nodes may be as high as they are wide, and a room is a phone's; and a height for
everything that is below them then."""
TALL, SHARE, LEAST = 0.48, 0.58, 196
"""The height of nodes: most of it, for the width of the picture; and of a low room their share, but never less than
this, in pixels. So they have one place and size, however much is said above and below them."""
BOXED = 0.74
"""The share of the room below the questions that boxes may have."""
CRUMBS = 21
"""The height of the way back to all nodes, in pixels."""
SPARE = -1
"""The position of a node that is not there."""
OPEN = 38
"""The height of what the pod asks for, above the nodes while a question is open: that of the questions' row, so the
nodes stay where they are."""


@dataclass(frozen=True)
class Asked:
    """What the picture shows. ``question``, ``questions``: the one that is asked, and all.

    ``show``: words that choose nodes, or "all"; ``pools``: the label that names pools, "" for the usual one.
    ``why_not``: a node against the chosen one; ``choices``: changes, of which ``change`` is applied, and the decision
    ``before`` it; ``victims``: whether the victims are shown. With ``before``, nodes are where they were then.
    ``note``: said above the nodes in place of ``questions``; ``event``: the decision whose event is below them.
    ``framed``: where the pod runs, if it would go elsewhere.
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
    framed: str = ""
    note: str = ""
    event: Decision | None = None


def cluster_picture(decision: Decision, room: Room, asked: Asked, alt: str) -> Html:
    """The whole picture. ``alt``: its text alternative."""
    width = float(room.width)
    top, y = _header(asked, width)
    tall = min(TALL * width, max(SHARE * (room.height - y), LEAST))
    tall = tall if width >= NARROW else width
    event, below = _event(decision, asked, width), _below(decision, asked, width)
    nodes = _Nodes(decision, asked, width, tall, max(tall, BOXED * (room.height - y)), room.width < PHONE)
    body = nodes.drawn()
    if asked.why_not is not None and y + body.height + _height([*event, *below]) > room.height:
        event = []  # the answer about a node goes before it
    parts, low = [*top, moved(body, 0, y)], y + body.height
    for part in [*event, *below]:
        parts.append(moved(part, 0, low + 6))
        low += part.height + 6
    left = room.height - low - 6 if width >= NARROW else MANY
    explained = legend(decision, width, left, nodes.shown)
    if explained.height:
        parts.append(moved(explained, 0, low + 6))
        low += explained.height + 6
    return svg(parts, width, low, alt)


def _height(parts: Sequence[Part]) -> float:
    return sum(part.height + 6 for part in parts)


def _event(decision: Decision, asked: Asked, width: float) -> list[Part]:
    """The event, in the colours of the nodes that are drawn."""
    if asked.event is None:
        return []
    fills = node_fills(decision) if decision.verdicts is not None else ()
    line = event_line(asked.event, fills, width)
    return [line] if line.height else []


def _below(decision: Decision, asked: Asked, width: float) -> list[Part]:
    """What was asked, one below the other."""
    parts = []
    if asked.choices:
        parts.append(choices_part(asked.choices, asked.change, width))
    if asked.why_not is not None:
        parts.append(why_not_part(asked.why_not, width))
    elif asked.victims:
        parts.append(victims_part(decision, width))
    return [part for part in parts if part.height]


def undecided(decision: Decision) -> Decision:
    """The same pod and cluster before anything was decided."""
    nothing = decision.feasible[:0]
    return replace(
        decision, verdicts=None, feasible=nothing, scores=None, preemption=None, node=None, gates=(), error=""
    )


# -- above the nodes


def _header(asked: Asked, width: float) -> tuple[list[Html], float]:
    """The questions, or what the pod asks for; and where the rest begins."""
    if not asked.questions and not asked.note:
        return [], 0
    if not asked.questions:
        note = words(asked.note, width=width, fill=INK_2)
        return [moved(note, 0, 0)], max(OPEN, note.height + 6)
    whole = _tabs(asked, width)
    return [*whole.shapes], whole.height + 8


def _tabs(asked: Asked, width: float) -> Part:
    """The questions as segments, in as many rows as it takes."""
    parts = []
    for question in asked.questions:
        on = question == asked.question
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


def shown_nodes(decision: Decision, words: str, label: str = "", known: Container[str] = ()) -> dict[str, list[int]]:
    """By pool, the positions of the nodes that all these words choose.

    A word chooses by a part of the node's name, a label's value, the pool, the plugin that refuses it, "feasible", a
    kind such as "one-away", or a range of names ``first..last``. Nodes that are not ``known`` come last.
    """
    names, kind = decision.cluster.names, kinds(decision)
    known = known or decision.cluster.index
    groups = {
        pool: sorted(places, key=lambda place: (names[place] not in known, natural(names[place])))
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


def volume_zone(decision: Decision) -> str:
    """The one zone in which no node is refused because the pod's volume is elsewhere; "" without such a refusal."""
    away = np.zeros(len(decision.cluster.nodes), bool)
    for plugin, mask in refusing(decision).items():
        if SIGNS.get(plugin) in VOLUMES:
            away |= mask
    zones = pools(decision.cluster, ZONE)
    near = [zone for zone, places in zones.items() if not away[places].any()]
    return near[0] if len(near) == 1 < len(zones) else ""


def _in_zones(decision: Decision, found: Mapping[str, Sequence[int]], label: str) -> dict[str, dict[str, list[int]]]:
    """The pools, each divided into zones if there are a few, in the order of their names."""
    zone_of = {place: zone for zone, places in pools(decision.cluster, ZONE).items() for place in places}
    shown = sorted({zone_of[place] for places in found.values() for place in places})
    if label == ZONE or not 1 < len(shown) <= ZONES:
        return {pool: {"": [*places]} for pool, places in found.items()}
    return {
        pool: {zone: [place for place in places if zone_of[place] == zone] for zone in shown}
        for pool, places in found.items()
    }


def _chooses(word: str, decision: Decision, place: int, pool: str, kind: str) -> bool:
    node = decision.cluster.nodes[place]
    name = node.metadata.name
    if RANGE in word:
        first, _, last = word.partition(RANGE)
        return natural(first) <= natural(name) <= natural(last)
    if word in FILLS and word != FITS:
        return word == (EVICTS if kind == CHOSEN_ONE else kind)
    verdict = verdict_of(decision, place)
    if word == FITS or verdict == f"{REFUSED}{word}":
        return verdict in (FITS, f"{REFUSED}{word}") and (word == FITS) == (verdict == FITS)
    return word in name or word == word_of(pool) or word in node.metadata.labels.values()


class _Nodes:
    """The nodes in a space of this size: pools below one another and zones side by side, or few nodes as boxes.

    ``boxed``: the height that boxes may have.
    """

    def __init__(
        self, decision: Decision, asked: Asked, width: float, height: float, boxed: float, is_phone: bool
    ) -> None:
        self.decision, self.asked, self.width = decision, asked, width
        base = asked.before or decision
        self.found = found = shown_nodes(decision, asked.show, asked.pools, base.cluster.index)
        number, everything = sum(map(len, found.values())), len(decision.cluster.nodes)
        is_part, is_pool = number < everything, [*map(word_of, found)] == [asked.show]
        self.pods, owner = siblings(decision), controller_of(decision.pod.pod.metadata)
        self.cells = Cells(decision, found, self.pods)
        are_few = bool(found) and (is_part or everything <= BOXES)
        tiles = blocks(found, width, boxed - (0 if is_pool or not is_part else CRUMBS), TILES) if are_few else None
        self.are_boxes = tiles is not None
        is_titled = is_part and is_pool and tiles is not None
        self.crumbs = _crumbs("" if is_titled else asked.show, number, everything) if is_part else NOTHING
        self.above = CRUMBS if is_part and not is_titled else 0
        if tiles is not None and is_titled:  # the pool's title is beside the way back
            left = self.crumbs.width + 14
            tiles = tiles._replace(heads=[(pool, left, y) for pool, _, y in tiles.heads], room=width - left)
        self.zones = _in_zones(decision, found, asked.pools)
        spare = _with_spare(self.zones, decision, base)
        self.made = tiles or _without_spare(grid(spare, width - 1, height - self.above, is_phone, more=1))
        self.volume = volume_zone(base)
        self.shown = Shown(
            0 if self.are_boxes else self.made.each,
            sum(place in self.cells.closed for places in found.values() for place in places),
            owner.kind if owner is not None and self.pods else "",
            self.volume in self.made.zones,
            asked.framed,
        )

    def drawn(self) -> Part:
        """The whole: what is shown, the pools with their nodes, and above them what moves."""
        made, found = self.made, self.found
        numbers = {pool: len(places) for pool, places in found.items()}
        if self.are_boxes:
            notes = {pool: taints(self.decision, places) for pool, places in found.items()}
            parts = [*titles(made, numbers, notes), *_tiles(self.decision, self.cells, made)]
        else:
            parts = [*heads(made, numbers, self._notes(), self.volume), *self.cells.draw(made)]
        body = element("g", *parts, *self._moving(), transform=f"translate(0,{self.above:g})")
        return Part(self.width, self.above + made.bottom, (*self.crumbs.shapes, body))

    def _notes(self) -> dict[str, str]:
        """By zone, how many other pods of the pod's controller are there."""
        if not self.pods:
            return {}
        places = {zone: [place for zones in self.zones.values() for place in zones[zone]] for zone in self.made.zones}
        return {zone: f"● {sum(self.pods.get(place, 0) for place in each)}" for zone, each in places.items()}

    def _moving(self) -> list[Html]:
        """The frames of where the pod runs and of the node in question, the star, and the way that it went."""
        where = spots(self.made, 2 - self.made.shape.head if self.are_boxes else 0)
        index, star, before = self.decision.cluster.index, starred(self.decision), self.asked.before
        named = self.asked.why_not.node if self.asked.why_not is not None else ""
        framed = (("asked", index.get(named, -1)), ("runs", index.get(self.asked.framed, -1)))
        parts = [frame(where[place], key) for key, place in framed if place in where]
        if star not in where:
            return parts
        was = starred(before) if before is not None else -1
        old = index.get(before.cluster.names[was], -1) if before is not None and was >= 0 else -1
        if old in where and old != star:
            parts.append(way(where[old], where[star]))
        return parts if self.are_boxes else [*parts, star_at(where[star])]


def _with_spare(
    found: Mapping[str, Mapping[str, Sequence[int]]], decision: Decision, base: Decision
) -> dict[str, dict[str, Sequence[int]]]:
    """Each pool with room for one node more in each zone, which a change may add: then no other node has to move."""
    names, known = decision.cluster.names, base.cluster.index

    def roomy(places: Sequence[int]) -> Sequence[int]:
        return places if any(names[place] not in known for place in places) else [*places, SPARE]

    return {pool: {zone: roomy(places) for zone, places in zones.items()} for pool, zones in found.items()}


def _without_spare(made: Grid) -> Grid:
    """The same without that room."""
    cells = [(tuple(place for place in group if place != SPARE), x, y) for group, x, y in made.cells]
    return made._replace(cells=[cell for cell in cells if cell[0]])


def _crumbs(show: str, number: int, everything: int) -> Part:
    """The way back to all nodes, and beside it what is shown; "" for a pool whose title says it."""
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
    wide = text_width(back, bold=True)
    return Part(wide, CRUMBS, (button, *([label(what, wide + 14, 13)] if show else [])))


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
        look = (TRAY, cells.fills[group[0]]) if kind == ONE else LOOKS.get(kind)
        refused = cells.tip(group) if box.refused else ""
        sign = sign if box.refused and sign in OUTLINES else ""
        inside = {"data_set": f"node: {name}", "role": "img"}  # Tab stops at the node alone
        pods = tuple(replace(_named(block, made.shape.wide - 22), marks=inside) for block in box.blocks)
        drawn.append(replace(box, title=ending(title, room), refused=refused, sign=sign, blocks=pods, look=look))
    wide, tall = made.shape.wide, made.shape.tall
    places = [Place(x, y, wide, tall) for _, x, y in made.cells]
    resource = common_resource(decision, names)
    return shapes(drawn, Arrangement(tuple(places), 0, 0), resource, captions=False)


def _named(block: Block, room: float) -> Block:
    """The pod with its name where all of it fits; else its tip tells it."""
    if text_width(block.name, bold=True) <= room:
        return block
    return replace(block, name="", numbers=(), note=block.name, key=block.key or block.name)
