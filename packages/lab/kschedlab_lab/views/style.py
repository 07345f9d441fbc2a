"""The tokens of all pictures: colours for light and dark, and inline styles of tables.

A colour is ``light-dark(light,dark)``: a live picture follows the theme of its page, a saved image takes the light one
(:mod:`kschedlab_lab.views.image`). Two accents carry meaning, and each comes with a sign: chosen (star) and refused or
evicted (cross). Priority is the amount of ink. All else is ink, grey or a hairline, and text inherits the ink.

Styles are inline: untrusted notebooks and GitHub remove style sheets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from math import log

TOKEN = re.compile(r"light-dark\((#[0-9A-Fa-f]{6}),(#[0-9A-Fa-f]{6})\)")


def themed(light: str, dark: str) -> str:
    """A colour that follows the page's theme; both as #RRGGBB."""
    return f"light-dark({light},{dark})"


def _all_themed(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(themed(light, dark) for light, dark in pairs)


INK = "currentColor"
INK_2 = themed("#525C6B", "#A9B3C1")
"""Second text."""
INK_3 = themed("#7B8594", "#76818F")
"""Lines and what is not asked; never the only carrier of a fact."""
PANEL = themed("#F6F7F9", "#161A22")
TRAY = themed("#FFFFFF", "#1F2530")
"""The ground of a node or an area."""
LIFT = themed("#FFFFFF", "#2A3240")
HAIR = themed("#DDDFE3", "#3A404A")
"""Edges of trays and pods."""
TICK = themed("#ECEDF0", "#2A313C")
CHOSEN = themed("#00795A", "#3DDBA6")
CHOSEN_SOFT = themed("#DDF1EA", "#17382F")
EVICTED = themed("#C2410C", "#FF9466")
"""Refused, would be evicted, evicted, a broken budget."""
EVICTED_SOFT = themed("#FDEFE8", "#42271C")
ACT = themed("#2F5BD8", "#8FB0FF")
"""What the reader can answer or do now; never a state."""
ACT_SOFT = themed("#E4EAFB", "#243352")
ON_ACCENT = themed("#FFFFFF", "#0E1116")
"""Signs and text on an accent."""

RAMP = (
    ("#D4ECFA", "#92C7F5", "#6A9CE8", "#576CD0", "#5144A5", "#40266A"),
    ("#3C3966", "#4D5694", "#5873BA", "#6E9DE2", "#91C1F1", "#C4E3F9"),
)
"""From the lowest priority to the highest, in light and in dark: the more important, the more it stands out."""
PRIORITIES = _all_themed(zip(*RAMP, strict=True))
STOPS = (0, 200, 400, 700, 1000, 2_000_000_000)
"""The priorities of the ramp's colours; those between two of them are mixed."""

KINDS = _all_themed(
    (
        ("#8DB4DA", "#4A6C8F"),
        ("#E3BE84", "#80632F"),
        ("#A9C9A4", "#4C6B49"),
        ("#DDD49A", "#6B6433"),
        ("#D0A9C6", "#704F68"),
        ("#8E9CCB", "#53609A"),
        ("#DDA99A", "#7D4F42"),
        ("#B7BDC7", "#555D6A"),
    )
)
"""Unordered categories: muted, because strong colours mean something else; a letter or a word repeats the meaning."""

TABLE = "border-collapse:collapse;margin:0.3em 0;font-size:1em;"
CELL = "padding:0.15em 0.6em;text-align:left;"
NOWRAP = "white-space:nowrap;"
HEAD = "padding:0.15em 0.6em;border-bottom:1px solid;text-align:left;"
LABELLED = CELL + "font-weight:normal;vertical-align:top;"
WRAPPED = "vertical-align:top;overflow-wrap:anywhere;"
GREY = "opacity:0.55;"
MONO = "font-family:monospace;white-space:pre-wrap;"


def in_light(markup: str) -> str:
    """The same markup with the colours of the light theme, for what can't follow the page's."""
    return TOKEN.sub(r"\1", markup)


@lru_cache(maxsize=1024)
def priority_fill(priority: int) -> str:
    """The colour of a pod of this priority: the same in every picture, on a fixed scale."""
    if priority <= STOPS[0]:
        return PRIORITIES[0]
    above = next((i for i, stop in enumerate(STOPS) if priority <= stop), len(STOPS) - 1)
    low, high = STOPS[above - 1], STOPS[above]
    share = (priority - low) / (high - low) if high <= 1000 else log(priority / low) / log(high / low)
    return themed(*(mixed(ramp[above - 1], ramp[above], min(share, 1)) for ramp in RAMP))


@lru_cache(maxsize=1024)
def ink(fill: str) -> str:
    """Black or white, whichever has more contrast with this colour (#RRGGBB, or one for each theme)."""
    if both := TOKEN.fullmatch(fill):
        return themed(ink(both[1]), ink(both[2]))
    light = 0.2126 * _linear(fill, 1) + 0.7152 * _linear(fill, 3) + 0.0722 * _linear(fill, 5)
    return "#000000" if (light + 0.05) ** 2 > 0.05 * 1.05 else "#FFFFFF"


def _linear(colour: str, at: int) -> float:
    """One of the colour's channels as light, from 0 to 1 (sRGB)."""
    value = int(colour[at : at + 2], 16) / 255
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def mixed(first: str, second: str, share: float) -> str:
    """The colour between two."""
    pairs = ((int(first[at : at + 2], 16), int(second[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(low + (high - low) * share):02X}" for low, high in pairs)
