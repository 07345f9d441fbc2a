"""When a waiting pod is tried while racks cool down: their thermometers along the time, and a lane for each plugin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import EDGE, Place
from kschedlab_lab.views.layout import moved, placed, words
from kschedlab_lab.views.racks import SLIM, STEP, Rack, tube
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, TRAY
from kschedlab_lab.views.svg import Room, svg

HEAD, TAG, LANE, DOT, LEAST, MOST = 26, 54, 66, 7, 70, 170
"""Heights: of a moment's name, of what is below a thermometer, of a lane; the radius of a try; the least and the
greatest height of a thermometer; in pixels."""


@dataclass(frozen=True)
class Lane:
    """A plugin. ``tries``: how often web is tried at each moment; ``node``: where the last try binds it, or ""."""

    name: str
    tries: Sequence[int]
    node: str


def draw_tries(
    moments: Mapping[int, Mapping[str, int]],
    refused: Sequence[int],
    controls: Mapping[tuple[int, str], str],
    lanes: Sequence[Lane],
    room: Room,
    alt: str,
    answered: bool,
) -> Html:
    """``moments``: by second, the temperature of each rack; ``refused``: degrees at which the plugins refuse a rack.

    ``controls``: by second and rack, the setting that its thermometer drags; ``answered``: else the lanes are empty.
    """
    tall = min(max(room.height - HEAD - TAG - LANE * len(lanes), LEAST), MOST)
    wide = room.width / len(moments)
    drawn = list[Html]()
    for i, (second, celsius) in enumerate(moments.items()):
        x = wide * (i + 0.5)
        drawn.append(placed(words(f"{second} s", 15, bold=True), x, 0))
        dragged = {rack: controls.get((second, rack), "") for rack in celsius}
        drawn += _thermometers(second, celsius, refused, dragged, x, tall)
    for k, lane in enumerate(lanes):
        drawn += _lane(lane, wide, HEAD + tall + TAG + LANE * k, room.width, answered)
    return svg(drawn, room.width, HEAD + tall + TAG + LANE * len(lanes), alt)


def _thermometers(
    second: int, celsius: Mapping[str, int], refused: Sequence[int], dragged: Mapping[str, str], x: float, tall: float
) -> Iterator[Html]:
    """The racks' thermometers at one moment, side by side around ``x``."""
    for k, (rack, degrees) in enumerate(celsius.items()):
        middle = x + (k - (len(celsius) - 1) / 2) * 2 * SLIM
        place = Place(middle - SLIM + 16, HEAD, SLIM, tall)
        yield from tube(f"{second}/{rack}", Rack(degrees, dragged[rack], STEP, 90, tuple(refused)), place, SLIM)
        yield placed(words(rack, 12, fill=INK_2), middle, HEAD + tall + 30)


def _lane(lane: Lane, wide: float, y: float, width: float, answered: bool) -> Iterator[Html]:
    """The plugin's name, and along the time a dot for each try, with what comes of it; in green while web runs."""
    line, end = y + 32, width - EDGE
    yield moved(words(lane.name, 15, bold=True), EDGE, y)
    yield element("path", d=f"M{EDGE} {line:g}H{end:g}", stroke=HAIR, stroke_width=2)
    last = max((i for i, number in enumerate(lane.tries) if number), default=0)
    if answered and lane.node:
        bound = wide * (last + 0.5) + (lane.tries[last] - 1) / 2 * 2.4 * DOT
        runs = f"M{bound:g} {line:g}H{end:g}"
        yield element("path", d=runs, stroke=CHOSEN, stroke_width=4, data_key=f"runs/{lane.name}")
    for i, number in enumerate(lane.tries if answered else ()):
        middle, is_bound, runs_on = wide * (i + 0.5), bool(lane.node) and i == last, bool(lane.node) and i > last
        for k in range(number):
            fill = CHOSEN if is_bound and k == number - 1 else "currentColor"
            at = f"translate({middle + (k - (number - 1) / 2) * 2.4 * DOT:g},{line:g})"
            key = f"try/{lane.name}/{sum(lane.tries[:i]) + k}"
            yield element("circle", r=DOT, fill=fill, stroke=TRAY, transform=at, data_key=key)
        said = say("still runs") if runs_on else _comes(number, lane.node if is_bound else "")
        fill = CHOSEN if is_bound or runs_on else INK_2
        yield placed(words(said, width=wide - 8, fill=fill), middle, line + 11)


def _comes(tries: int, node: str) -> str:
    """What comes of so many tries; ``node``: where the last one binds the pod."""
    if node:
        return say("runs on {node}", node=node)
    if not tries:
        return say("not tried again")
    return say("tried in vain") if tries == 1 else say("{number} tries in vain", number=tries)
