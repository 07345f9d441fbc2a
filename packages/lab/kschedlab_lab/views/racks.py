"""Nodes with thermometers, and below them their points: what one's own filter refuses, what one's own score adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import Box, Place, Plan, arrange, shapes
from kschedlab_lab.views.glyphs import Badge
from kschedlab_lab.views.lettering import fitted, text_width
from kschedlab_lab.views.picture import boxes, boxes_before, scarcest
from kschedlab_lab.views.style import CHOSEN, EVICTED, HAIR, KINDS, PANEL, TRAY, ink
from kschedlab_lab.views.svg import Room, label, svg

TUBE, ROW, LINE, NAME, TOTAL = 30, 19, 16, 74, 48
"""Widths of a thermometer, heights of rows of bars and of the legend, widths of names and of totals; in pixels."""
COLOURS = (KINDS[0], KINDS[1], KINDS[4], KINDS[7], KINDS[5])


@dataclass(frozen=True)
class Rack:
    """A node's label. ``celsius``: None without the label; ``control``: the setting that is dragged.

    ``step``: degrees per value; ``most``: the highest value; ``refused``: degrees at which a filter refuses the node;
    ``toggle``: the settings that put the label on or take it off.
    """

    celsius: int | None
    control: str
    step: int
    most: int
    refused: tuple[int, ...] = ()
    toggle: str = ""


@dataclass(frozen=True)
class Points:
    """The weighted scores that differ, by plugin and node. ``same``: points of all nodes; ``most``: the longest bar.

    ``own``: the plugin whose weight is dragged, as the setting ``weight``, and by node its points at weight 1.
    """

    parts: Mapping[str, Mapping[str, int]]
    totals: Mapping[str, int]
    best: Sequence[str]
    same: int
    most: int
    own: str = ""
    each: Mapping[str, int] = field(default_factory=dict)


def stage(
    decision: Decision, racks: Mapping[str, Rack], points: Points | None, room: Room, alt: str, decided: bool = True
) -> Html:
    """The racks, and what the plugins give them. ``decided``: else the pod still waits."""
    shown = boxes(decision) if decided else boxes_before(decision)
    return _stage([_labelled(box, racks) for box in shown], scarcest(decision), racks, points, room, alt)


def stage_before(decision: Decision, racks: Mapping[str, Rack], room: Room) -> Html:
    """The racks while a question is open: one picks a node."""
    picks = [replace(box, marks={"data_pick": box.name}) if box.capacity else box for box in boxes_before(decision)]
    still = {name: replace(rack, control="", refused=()) for name, rack in racks.items()}
    return _stage(picks, scarcest(decision), still, None, room, say("{pod} waits.", pod=decision.pod.key))


def _labelled(box: Box, racks: Mapping[str, Rack]) -> Box:
    """The node with a sign for its label, which is switched."""
    if (rack := racks.get(box.name)) is None:
        return box
    tip = (
        say("no label: click to put it on")
        if rack.celsius is None
        else say("celsius={celsius}: click to take it off", celsius=rack.celsius)
    )
    marks = {"data_set": rack.toggle} if rack.toggle else {}
    return replace(box, badges=(Badge("label", say("{node}: {tip}", node=box.name, tip=tip), marks=marks),))


def _stage(
    shown: Sequence[Box], resource: str, racks: Mapping[str, Rack], points: Points | None, room: Room, alt: str
) -> Html:
    width = float(room.width)
    bars, lower = _bars([*racks], points, width) if points is not None else ([], 0.0)
    plan = arrange(shown, room, lower)
    named = list(zip(shown, plan.places, strict=True))
    places = tuple(_beside(place) if box.name in racks else place for box, place in named)
    tubes = [tube for box, place in named if box.name in racks for tube in _tube(box.name, racks[box.name], place)]
    below = element("g", *bars, transform=f"translate(0,{plan.bottom + 4:g})")
    nodes = shapes(shown, Plan(places, plan.width, plan.bottom), resource)
    return svg([*nodes, *tubes, below], width, plan.bottom + lower, alt)


def _beside(place: Place) -> Place:
    """The place of the box, at the right of its thermometer."""
    return place._replace(x=place.x + TUBE, width=place.width - TUBE)


def _tube(name: str, rack: Rack, place: Place) -> Iterator[Html]:
    """A thermometer: what is refused, the temperature, and the handle on top of it.

    A value stands in the middle of its zone, so that the handle is inside or outside, never on an edge.
    """
    x, bottom = place.x + TUBE - 20, place.y + place.height
    scale = place.height / (rack.most + rack.step / 2)
    key = f"tube/{name}"
    for degrees in rack.refused:
        zone = {"y": bottom - scale * (degrees + rack.step / 2), "height": scale * rack.step}
        tip = say("your filter refuses {node} at {degrees} degrees", node=name, degrees=degrees)
        yield element("rect", x=x - 4, width=18, fill=EVICTED, fill_opacity=0.3, data_tip=tip, **zone)
    dashes = "3 3" if rack.celsius is None else None
    outline = {"x": x, "y": place.y, "width": 10, "height": place.height, "rx": 5}
    yield element("rect", **outline, fill=TRAY, stroke=HAIR, stroke_dasharray=dashes)
    high = scale * (rack.celsius or 0)
    hot = rack.celsius in rack.refused
    fill = EVICTED if hot else "currentColor"
    mercury = {"x": x + 2, "y": bottom - high, "width": 6, "height": max(high, 0.1)}
    yield element("rect", **mercury, fill=fill, fill_opacity=0.75, data_key=f"{key}/mercury")
    written = "–" if rack.celsius is None else f"{rack.celsius}°"
    yield label(written, x + 5, place.y + place.height + 16, "middle", data_key=f"{key}/degrees")
    if rack.control:
        yield element(
            "g",
            element("circle", r=12, fill="transparent"),
            element("circle", r=7, fill=fill, stroke=TRAY, stroke_width=2),
            transform=f"translate({x + 5:g},{bottom - high:g})",
            data_key=f"{key}/handle",
            data_drag=rack.control,
            data_axis="y",
            data_step=round(-scale * rack.step, 2),
            aria_label=say("celsius of {node}", node=name),
        )


def _bars(names: Sequence[str], points: Points, width: float) -> tuple[list[Html], float]:
    """The legend, a row for each node, and their height."""
    found, y = _legend(points, width)
    scale = (width - NAME - TOTAL - 8) / max(points.most, 1)
    for i, name in enumerate(names):
        found.append(element("g", *_row(name, points, scale), transform=f"translate(0,{y + ROW * i:g})"))
    return found, y + ROW * len(names) + 8


def _legend(points: Points, width: float) -> tuple[list[Html], float]:
    """The plugins with their colours, in as many lines as it takes, and where the legend ends."""
    texts = [plugin.replace("NodeResourcesBalanced", "Balanced") for plugin in points.parts]
    found, x, y = [], 8.0, 4.0
    for i, text in enumerate([*texts, say("and {points} for every node", points=points.same)]):
        wide = text_width(text) + 30
        if x + wide > width and x > 8:
            x, y = 8.0, y + LINE
        if i < len(texts):
            fill = COLOURS[i % len(COLOURS)]
            found.append(element("rect", x=x, y=y, width=12, height=12, rx=3, fill=fill))
        found.append(label(text, x + 16, y + 10, font_style=None if i < len(texts) else "italic"))
        x += wide
    return found, y + LINE


def _row(name: str, points: Points, scale: float) -> Iterator[Html]:
    best = name in points.best
    weight = "bold" if best else None
    star = element("tspan", "★ ", fill=CHOSEN) if best else None
    yield element("text", star, fitted(name, NAME - 4), x=4, y=14, font_weight=weight)
    if name not in points.totals:
        yield label(say("refused: it gets no points"), NAME + 4, 14, fill=EVICTED)
        return
    x = float(NAME)
    for i, (plugin, each) in enumerate(points.parts.items()):
        long = scale * each.get(name, 0)
        fill = COLOURS[i % len(COLOURS)]
        bar = {"x": x, "y": 2, "width": max(long, 0.1), "height": ROW - 4}
        yield element("rect", **bar, fill=fill, stroke=PANEL, data_key=f"points/{plugin}/{name}")
        if long > 24:
            yield label(str(each[name]), x + long / 2, 14, "middle", fill=ink(fill))
        x += long
    total = x + (14 if points.own else 4)
    yield label(str(points.totals[name]), total, 14, font_weight=weight, data_key=f"points/total/{name}")
    if points.own and points.each.get(name):
        yield element(
            "g",
            element("circle", r=11, fill="transparent"),
            element("circle", r=6, fill="currentColor"),
            transform=f"translate({x:g},{ROW / 2:g})",
            data_key=f"points/weight/{name}",
            data_drag="weight",
            data_axis="x",
            data_step=round(scale * points.each[name], 2),
            aria_label=say("weight of {name}", name=points.own),
        )
