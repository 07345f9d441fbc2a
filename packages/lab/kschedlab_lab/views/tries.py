"""When a waiting pod was tried: a lane of time for each plugin, and the events that may help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.style import ACT, CHOSEN
from kschedlab_lab.views.svg import label, svg

WIDE, LEFT, LANE, STEP, END = 560, 90, 54, 13, 28
"""Width; where time begins; height of a lane; pixels between tries of one second; seconds."""


def draw_tries(tries: Mapping[str, Sequence[int]], nodes: Mapping[str, str], events: Mapping[int, str]) -> Html:
    """``tries``: the seconds of each, ``nodes``: where the pod runs at last; both by lane. ``events``: by second."""
    tall = 40 + LANE * len(tries)
    shapes: list[Html] = []
    for second, what in {0: "", **events}.items():
        x = _at(second)
        line = element("line", x1=x, x2=x, y1=36, y2=tall, stroke=ACT, stroke_dasharray="3 4")
        shapes += [line, label(f"{second} s", x, 14), label(what, x, 30)]
    for place, (name, seconds) in enumerate(tries.items()):
        y = 40 + LANE * place + LANE / 2
        shapes += [
            label(name, 0, y + 4, font_weight="bold"),
            element("line", x1=LEFT, x2=WIDE, y1=y, y2=y, stroke="currentColor", opacity=0.4),
        ]
        for number, second in enumerate(seconds):
            x = _at(second) + STEP * list(seconds[:number]).count(second)
            last = number == len(seconds) - 1
            shapes.append(element("circle", cx=x, cy=y, r=5, fill=CHOSEN if last else "currentColor"))
        shapes.append(label(f"★ {nodes[name]}", _at(seconds[-1]) + STEP, y - 6, fill=CHOSEN))
    return svg(shapes, WIDE, tall, tries_text(tries, nodes))


def _at(second: int) -> float:
    return LEFT + 6 + second * (WIDE - LEFT) / END


def tries_text(tries: Mapping[str, Sequence[int]], nodes: Mapping[str, str]) -> str:
    """A line for each lane."""
    message = later("{name}: tried at {seconds} s, and runs on {node}")
    return "\n".join(
        say(message, name=name, seconds=", ".join(map(str, seconds)), node=nodes[name])
        for name, seconds in tries.items()
    )
