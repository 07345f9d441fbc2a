"""A message that goes from one to the next: what each does with it, from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import element
from kschedlab_lab.views.layout import Part, padded, phrase, row, wrap
from kschedlab_lab.views.style import CHOSEN, CHOSEN_SOFT, EVICTED, EVICTED_SOFT, INK, INK_2, INK_3, TRAY
from kschedlab_lab.views.svg import rect

LOOKS = {True: (CHOSEN, CHOSEN_SOFT), False: (EVICTED, EVICTED_SOFT), None: (INK, TRAY)}
"""The colours of who passes the message on, of who does not, and where that is not known or goes without saying."""


class Station(NamedTuple):
    """``who``: who does something with the message; ``does``: what; ``passes``: whether the message goes on.

    ``may``: what else it may do, at other times. Its box has room for each.
    """

    who: str
    does: str
    passes: bool | None
    may: Sequence[str] = ()


def relay(stations: Sequence[Station], width: float) -> Part:
    """First of the stations is the message, which is nobody's."""
    first, *others = [_station(each) for each in stations]
    arrow = element("path", d="M0 6H15M10 1.5L15.5 6L10 10.5", fill="none", stroke=INK_3, stroke_width=2)
    return wrap([first, *(row([Part(16, 12, (arrow,)), each], 4) for each in others)], width, 5)


def _station(station: Station) -> Part:
    colour, ground = LOOKS[station.passes]
    who = station.who and say(station.who)
    runs = [(who, INK_2, False)] if who else []
    said, *others = (padded(phrase(*runs, (does, colour, True), gap=5), 7, 4) for does in (station.does, *station.may))
    wide, key = max(each.width for each in (said, *others)), f"relay/{who or station.does}"
    box = rect(wide, said.height, 8, fill=ground, stroke=colour, stroke_opacity=0.5, data_key=key)
    return Part(wide, said.height, (box, *said.shapes))
