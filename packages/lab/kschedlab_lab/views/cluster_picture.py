"""A decision in a whole cluster: a map of its nodes that stays, and below it what was asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kschedlab.cluster.pools import ZONE, pools
from kschedlab.decision import Decision
from kschedlab.generations import LATEST
from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.cluster_detail import (
    FEW_VICTIMS,
    ONLY,
    VICTIMS,
    Choice,
    ask_part,
    choices_part,
    differing,
    legend,
    victims,
    why_not_part,
)
from kschedlab_lab.views.drawing import SIGNS, Arrangement, Block, Box, Place, shapes
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, padded, words, wrap
from kschedlab_lab.views.lettering import fitted, text_width
from kschedlab_lab.views.node_kinds import node_fills, starred
from kschedlab_lab.views.node_map import (
    ALL,
    RANGE,
    Grid,
    Spot,
    Squares,
    answer,
    badge_at,
    blocks,
    frame,
    rows,
    star_at,
    titles,
    word_of,
    zone_titles,
)
from kschedlab_lab.views.picture import boxes, common_resource
from kschedlab_lab.views.style import ACT, INK_2
from kschedlab_lab.views.svg import Room, svg
from kschedlab_why.why_not import WhyNot

WHY, WHAT_IF = later("why"), later("what would change it")
QUESTIONS = (WHY, WHAT_IF)
FEW, ZONES = 40, 4
"""The most nodes that are drawn with their names and pods, and the most zones that are columns."""
NARROW, PHONE = 400, 0.9
"""Below this width, in pixels, squares are for thumbs; and how high the nodes may be then, as a share of the width."""
BELOW, WIDE, LESS, LEAST, STEADY, ENLARGED = 192, 700, 150, 138, 40, 20
"""The height that is left for what is below the nodes, however much it is, so that they stay where they are; the width
from which less is enough, and how much; the least height of the nodes; how much of the room's height may come or go
without any node moving, and how much is lost as a picture is enlarged to the whole width, in pixels."""
LEGIBLE = 80
"""The least width for a part of a pod's name, in pixels."""
GAP, AIR, HEAD, LINE, LINES, MANY = 6, 8, 21, 17, 3, 9
"""The space between what is below the nodes, how much more is before the last of it where there is room, the height of
the way back to all and of a line of text, in pixels; how many lines of an answer are shown in however little room, and
how many lines or rows on a phone."""


@dataclass(frozen=True)
class Asked:
    """What the picture shows. ``question``: one of QUESTIONS, or "" for none and ``note`` in its place.

    ``show``: words that choose nodes, or "all"; ``why_not``: a node against the chosen one; ``choices``: changes, of
    which ``change`` is applied, and the decision ``before`` it: nodes are where they were then; ``framed``: where the
    pod runs, if it would go elsewhere; ``only``: what the legend calls a node that one plugin refuses; ``picks``: the
    nodes that are answers to a question.
    """

    question: str = ""
    show: str = ALL
    why_not: WhyNot | None = None
    choices: tuple[Choice, ...] = ()
    change: str = ""
    before: Decision | None = None
    framed: str = ""
    note: str = ""
    only: str = ONLY
    picks: tuple[str, ...] = ()


def cluster_picture(decision: Decision, room: Room, asked: Asked, alt: str) -> Html:
    """The whole picture. ``alt``: its text alternative."""
    width = float(room.width)
    steady = (room.height + STEADY / 2) // STEADY * STEADY
    height = PHONE * width if width < NARROW else max(steady - (BELOW if width < WIDE else LESS), LEAST)
    known = (asked.before or decision).cluster.index
    shown = in_sight(decision, asked.show, known)
    places = {place for pool in shown.values() for place in pool}
    least = 0.0
    if _asks(decision, asked) and asked.show != ALL:  # a change may lead back to all nodes: no button moves then
        least = _nodes(decision, asked, in_sight(decision, ALL, known), width, height)[0].height
        height = min(height, least - HEAD - ENLARGED * (width >= WIDE)) if len(places) <= FEW else height
    nodes, each = _nodes(decision, asked, shown, width, height)
    nodes = nodes._replace(height=max(nodes.height, least))
    meaning = wrap(legend(decision, each, places, asked.framed, asked.only), width, 12, 1)
    note = words(asked.note, width=width, fill=INK_2) if asked.note else NOTHING
    used = nodes.height + meaning.height + 2 * GAP
    below = 5 * LINE + 3 * GAP + 5  # whatever is changed and clicked: two lines of a legend, a name, two of an answer
    changes = _changes(decision, asked, width, room.height - ENLARGED - nodes.height - below)
    about = _about(decision, asked, width, room.height - used - changes.height - 2 * GAP)
    last = about if about.height else note
    air = min(max(room.height - used - changes.height - GAP - last.height, 0), AIR)
    whole = column([nodes, changes, meaning, padded(last, 0, air / 2)], GAP)
    return svg(whole.shapes, width, whole.height, alt)


def _about(decision: Decision, asked: Asked, width: float, spare: float) -> Part:
    """The node in question against the chosen one. Of many pods that would have to leave it, as many are named as fit
    into the ``spare`` height; of filters that refuse it, and below changes of a long sentence, as much as fits."""
    found, bars = asked.why_not, asked.question != WHAT_IF
    if found is None:
        return NOTHING
    scale = differing(decision) if bars else {}
    whole = bars and not (found.checks and not victims(decision, found.node))
    high = words("").height
    for most in range(VICTIMS, 0, -1):
        leave = victims(decision, found.node, most)
        about = why_not_part(found, width, scale, leave)
        if about.height <= spare or (whole and len(leave) <= FEW_VICTIMS < most):
            return about
    leave, lines = victims(decision, found.node, 0), max(int(spare // high), MANY if width < NARROW else LINES)
    if whole:
        return why_not_part(found, width, scale, leave)
    leave = leave[: lines - 1]
    return why_not_part(found, width, scale, leave, lines - len(leave))


def _changes(decision: Decision, asked: Asked, width: float, spare: float) -> Part:
    """What would change the decision: right below the nodes, whose place is fixed, so that no button moves; all that
    fit into the ``spare`` height, three rows at least, which most pods need; two if they are long.

    A pod that fits is not in need of a change: there one asks in the menu.
    """
    if not _asks(decision, asked):
        return NOTHING
    changing = asked.question == WHAT_IF
    ask = ask_part(WHAT_IF, WHY, changing)
    few = MANY if width < NARROW else 3 if width < WIDE else 2
    rows = max(few, int((spare + 4) // (ask.height + 4)))
    return choices_part(ask, asked.choices, asked.change, width, rows) if changing else ask


def _asks(decision: Decision, asked: Asked) -> bool:
    """Whether a button below the nodes asks what would change the decision."""
    return asked.question == WHAT_IF or (asked.question == WHY and decision.node is None)


def undecided(decision: Decision) -> Decision:
    """The same pod and cluster before anything was decided."""
    return replace(
        decision,
        verdicts=None,
        feasible=decision.feasible[:0],
        scores=None,
        preemption=None,
        node=None,
        gates=(),
        error="",
    )


# -- which nodes


def in_sight(decision: Decision, words: str, known: Container[str] = ()) -> dict[str, list[int]]:
    """By pool, the positions of the nodes that all these words choose; those that are not ``known`` come last.

    A word chooses by the pool, by a part of the node's name, or by a range of names ``first..last``.
    """
    names, known = decision.cluster.names, known or decision.cluster.index
    wanted = words.split() if words != ALL else []
    found = dict[str, list[int]]()
    for pool, places in pools(decision.cluster).items():
        chosen = [place for place in places if all(_chooses(word, names[place], pool) for word in wanted)]
        if chosen:
            found[pool] = sorted(chosen, key=lambda place: (names[place] not in known, natural(names[place])))
    return found


@lru_cache(maxsize=20_000)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts names as people count: node-9 before node-10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name))


def _chooses(word: str, name: str, pool: str) -> bool:
    if RANGE in word:
        first, _, last = word.partition(RANGE)
        return natural(first) <= natural(name) <= natural(last)
    return word == word_of(pool) or word in name


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


# -- how they are drawn


def _nodes(
    decision: Decision, asked: Asked, found: Mapping[str, Sequence[int]], width: float, height: float
) -> tuple[Part, int]:
    """These nodes by pool, and the way back to all; how many of them a square is, 0 if they have names and pods.

    The way back takes no height from few nodes: less is below them than below all.
    """
    known = (asked.before or decision).cluster.index
    number, everything = sum(map(len, found.values())), len(decision.cluster.nodes)
    version = words(decision.generation.name, fill=INK_2) if decision.generation.name != LATEST else NOTHING
    head = [_crumbs(asked.show, number, everything)] if number < everything else []
    squares, zones = Squares(decision, found), _in_zones(decision, found)
    alone = _alone(zones)
    names = (decision.cluster.names[place] for places in found.values() for place in places)
    tall = height + ENLARGED * (width >= WIDE)
    few = blocks(alone or found, width, tall, max(map(_width, names))) if 0 < number <= FEW else None
    if few is not None:
        made, notes, (drawn, spots, resource) = few, {}, _boxes(decision, squares, few)
        head.append(words(say("numbers: free {resource}", resource=resource), fill=INK_2))
    else:
        new = {place for name, place in decision.cluster.index.items() if name not in known}
        made = rows(zones, width, height - HEAD * bool(head), width < NARROW, new)
        notes, drawn, spots = _siblings(squares, zones), squares.draw(made), made.spots
    numbers = {pool: len(places) for pool, places in found.items()}
    named = zone_titles(made) if few is not None and alone else titles(made, numbers, notes)
    parts = [*named, *drawn, *_marks(decision, asked, spots, star=few is None)]
    if made.zones and not head and version.width < made.room:
        parts.append(moved(version, 0, -1))
    elif version.width:
        head.append(version)
    above = wrap([part._replace(height=HEAD) for part in head], width, 16, 0)
    return column([above, Part(width, made.bottom, tuple(parts))], 0), 0 if few is not None else made.each


def _alone(zones: Mapping[str, Mapping[str, Sequence[int]]]) -> dict[str, Sequence[int]]:
    """By zone, the nodes of the only pool; {} if there are several pools, or one zone."""
    ((pool, parts),) = zones.items() if len(zones) == 1 else [("", {})]
    return {f"{pool}, {zone}": places for zone, places in parts.items()} if len(parts) > 1 else {}


def _width(name: str) -> float:
    return text_width(name, bold=True)


def _siblings(squares: Squares, zones: Mapping[str, Mapping[str, Sequence[int]]]) -> dict[str, str]:
    """By zone, how many other pods of the pod's controller are there."""
    numbers = Counter[str]()
    for zone, places in (each for pool in zones.values() for each in pool.items()) if squares.pods else ():
        numbers[zone] += sum(squares.pods[place] for place in places)
    return {zone: f"● {number}" for zone, number in numbers.items()}


def _marks(decision: Decision, asked: Asked, where: Mapping[int, Spot], star: bool) -> list[Html]:
    """The star, and the frames of where the pod runs and of the node in question if that is another one.

    ``star``: whether it covers the node.
    """
    index, chosen = decision.cluster.index, starred(decision)
    named = asked.why_not.node if asked.why_not is not None and asked.why_not.node != asked.framed else ""
    framed = (("asked", index.get(named, -1)), ("runs", index.get(asked.framed, -1)))
    parts = [frame(where[place], key) for key, place in framed if place in where]
    parts += [answer(where[index[name]], name) for name in asked.picks if index.get(name) in where]
    draw = star_at if star else badge_at
    return [*parts, draw(where[chosen])] if chosen in where else parts


def _crumbs(show: str, number: int, everything: int) -> Part:
    """The way back to all nodes."""
    back = say("‹ all {nodes}", nodes=count(everything, "node"))
    text = back if number else say("{back}: no node for “{show}”", back=back, show=show)
    link = words(text, 13, bold=True, fill=ACT)
    marks = {"data_set": f"show: {ALL}", "aria_label": say("show all nodes")}
    return Part(link.width, HEAD, (element("g", *link.shapes, **marks),))


def _boxes(decision: Decision, squares: Squares, made: Grid) -> tuple[list[Html], dict[int, Spot], str]:
    """Few nodes with their pods, all to one scale, where each is, and what the scale measures."""
    names, fills = [decision.cluster.names[group[0]] for group, _, _ in made.cells], node_fills(decision)
    found = {box.name: box for box in boxes(decision, nodes=names)}
    drawn = list[Box]()
    for name, (group, _, _) in zip(names, made.cells, strict=True):
        box, fill = found[name], fills[group[0]]
        pods = tuple(_block(block, name, made.shape.wide - 22) for block in box.blocks)
        tip = squares.tip(group) if box.refused else ""
        about = {"data_set": f"node: {name}"}
        drawn.append(replace(box, refused=tip, sign="", blocks=pods, look=(fill, fill), marks=about))
    places = tuple(Place(x, y, made.shape.wide, made.shape.tall) for _, x, y in made.cells)
    resource = common_resource(decision, names)
    shown = shapes(drawn, Arrangement(places, 0, 0), resource, captions=False)
    largest, spots = max(max(box.capacity, box.used) for box in drawn), dict[int, Spot]()
    for box, (group, x, y) in zip(drawn, made.cells, strict=True):
        tall = made.shape.tall * box.capacity / max(largest, 1)
        spots[group[0]] = Spot(x, y + made.shape.tall - tall, made.shape.wide, tall)
    return shown, spots, resource


def _block(pod: Block, node: str, width: float) -> Block:
    """The pod on its node. What is in the way of an eviction, and a name that does not fit, are only in its tip."""
    stays = pod.mark == "obstacle"
    about = [*([SIGNS[pod.mark].tip] if stays else []), *(each.tip for each in pod.badges)]
    pod = replace(pod, mark="" if stays else pod.mark, badges=(), fixed=listed(map(say, about)))
    pod = replace(pod, marks={"data_set": f"node: {node}", "role": "img"})  # Tab stops at the node alone
    if text_width(pod.name, bold=True) <= width or width >= LEGIBLE:
        return replace(pod, name=fitted(pod.name, width, bold=True), key=pod.key or pod.name)
    return replace(pod, name="", numbers=(), note=pod.name, key=pod.key or pod.name)
