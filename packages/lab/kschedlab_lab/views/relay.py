"""A message that goes from one to the next: what each does with it, from left to right."""

from __future__ import annotations

from collections.abc import Sequence

from kschedlab.messages import say
from kschedlab.text.html import element
from kschedlab_lab.views.layout import Part, padded, phrase, row, wrap
from kschedlab_lab.views.style import CHOSEN, CHOSEN_SOFT, EVICTED, EVICTED_SOFT, INK, INK_2, INK_3, TRAY
from kschedlab_lab.views.svg import rect

LOOKS = {True: (CHOSEN, CHOSEN_SOFT), False: (EVICTED, EVICTED_SOFT), None: (INK, TRAY)}
"""The colours of who passes the message on, of who does not, and where that is not known or goes without saying."""


def relay(stations: Sequence[tuple[str, str, bool | None]], width: float) -> Part:
    """``stations``: who, what it does, and whether the message goes on; first the message, which is nobody's."""
    first, *others = [_station(who and say(who), does, passes) for who, does, passes in stations]
    arrow = element("path", d="M0 6H15M10 1.5L15.5 6L10 10.5", fill="none", stroke=INK_3, stroke_width=2)
    return wrap([first, *(row([Part(16, 12, (arrow,)), each], 4) for each in others)], width, 5)


def _station(who: str, does: str, passes: bool | None) -> Part:
    colour, ground = LOOKS[passes]
    runs = [(who, INK_2, False)] if who else []
    said = padded(phrase(*runs, (does, colour, True), gap=5), 7, 4)
    box = rect(
        said.width, said.height, 8, fill=ground, stroke=colour, stroke_opacity=0.5, data_key=f"relay/{who or does}"
    )
    return Part(said.width, said.height, (box, *said.shapes))
