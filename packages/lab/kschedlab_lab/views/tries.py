"""When a waiting pod was tried: a lane of time for each plugin, and the events that may help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.style import ACT, CHOSEN, INK_2
from kschedlab_lab.views.svg import label, svg

WIDE, TOP, LANE, STEP, SECOND = 340, 56, 58, 13, 11.5
"""Width, which a phone has; height of the events and of a lane; pixels between tries of one second; of a second."""


def draw_tries(
    tries: Mapping[str, Sequence[int]], nodes: Mapping[str, str], events: Mapping[int, tuple[str, str]]
) -> Html:
    """``tries``: the seconds of each, ``nodes``: where the pod runs at last; both by lane.

    ``events``: by second, what changes and how.
    """
    tall = TOP + LANE * len(tries)
    shapes: list[Html] = []
    for second, what in {0: ("", ""), **events}.items():
        x = _at(second)
        ticks = "".join(f"M{x:g} {TOP + LANE * place + 30:g}v20" for place in range(len(tries)))
        shapes.append(element("path", d=ticks, stroke=ACT))
        shapes += [label(text, x - 6, 14 + 16 * line) for line, text in enumerate((f"{second} s", *what))]
    for place, (name, seconds) in enumerate(tries.items()):
        y = TOP + LANE * place + 40
        bold = element("tspan", name, font_weight="bold")
        when = say(": tried at {seconds} s", seconds=", ".join(map(str, seconds)))
        title = element("text", bold, when, x=0, y=y - 20)
        shapes += [title, element("line", x1=0, x2=WIDE, y1=y, y2=y, stroke=INK_2, opacity=0.5)]
        for number, second in enumerate(seconds):
            x = _at(second) + STEP * list(seconds[:number]).count(second)
            last = number == len(seconds) - 1
            shapes.append(element("circle", cx=x, cy=y, r=5.5, fill=CHOSEN if last else "currentColor"))
        shapes.append(label(f"★ {nodes[name]}", _at(seconds[-1]) + STEP, y - 8, fill=CHOSEN, font_weight="bold"))
    return svg(shapes, WIDE, tall, tries_text(tries, nodes))


def _at(second: int) -> float:
    return 8 + second * SECOND


def tries_text(tries: Mapping[str, Sequence[int]], nodes: Mapping[str, str]) -> str:
    """A line for each lane."""
    message = later("{name}: tried at {seconds} s, and runs on {node}")
    return "\n".join(
        say(message, name=name, seconds=", ".join(map(str, seconds)), node=nodes[name])
        for name, seconds in tries.items()
    )
