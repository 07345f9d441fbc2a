"""Colours and inline styles. Text and lines inherit the page's colour, which works in light and dark themes.

Styles are inline: untrusted notebooks and GitHub remove style sheets.
"""

from __future__ import annotations

from math import log

EVICTED = "#D55E00"
CHOSEN = "#009E73"
"""Okabe and Ito's vermillion and bluish green, which are distinct for any kind of colour vision."""

PRIORITIES = ("#FFFFCC", "#C7E9B4", "#7FCDBB", "#41B6C4", "#2270A8", "#253494")
"""From the lowest priority to the highest: light to dark, so the order is visible without colour vision."""

KINDS = ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#0072B2", "#D55E00", "#999999")
"""Okabe and Ito's colours for unordered categories; a letter or a pattern repeats the meaning."""

NODES = ("#F6C6AD", "#B9D3EE", "#E9DFA0", "#D5BFE8", "#E3B7C8", "#CFCFCF", "#C8D89A", "#C9B79C")
"""Nodes in maps: pale, because strong colours mean something else; a name or a letter repeats the meaning."""

AMOUNTS = ("#FCFBFD", "#DADAEB", "#9E9AC8", "#6A51A3", "#3F007D")
"""From the smallest number of a heat map to the largest."""

TABLE = "border-collapse:collapse;margin:0.3em 0;font-size:1em;"
CELL = "padding:0.15em 0.6em;text-align:left;"
NOWRAP = "white-space:nowrap;"
RIGHT = "text-align:right;"
NUMBER = "padding:0.15em 0.6em;" + RIGHT + NOWRAP
HEAD = "padding:0.15em 0.6em;border-bottom:1px solid;text-align:left;"
WIDE = TABLE + "table-layout:fixed;width:100%;min-width:44em;max-width:80em;"
SECTION = "padding:0.9em 0.6em 0.15em;border-bottom:1px solid;text-align:left;"
LABELLED = CELL + "font-weight:normal;vertical-align:top;"
WRAPPED = "vertical-align:top;overflow-wrap:anywhere;"
GREY = "opacity:0.55;"
CHANGED = "background-color:rgba(0,114,178,0.25);"
DECIDES = "background-color:rgba(0,158,115,0.22);outline:2px solid #009E73;"
MONO = "font-family:monospace;white-space:pre-wrap;"


STOPS = (0, 100, 200, 500, 1000, 2_000_000_000)
"""The priorities at which ``PRIORITIES`` stand; the colours between two of them are mixed."""


def priority_fill(priority: int) -> str:
    """The colour of a pod of this priority, as #RRGGBB: the same in every picture, on a fixed scale."""
    if priority <= STOPS[0]:
        return PRIORITIES[0]
    above = next((i for i, stop in enumerate(STOPS) if priority <= stop), len(STOPS) - 1)
    low, high = STOPS[above - 1], STOPS[above]
    share = (priority - low) / (high - low) if high <= 1000 else log(priority / low) / log(high / low)
    pairs = zip(_rgb(PRIORITIES[above - 1]), _rgb(PRIORITIES[above]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * min(share, 1)):02X}" for a, b in pairs)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def fills(priorities: set[int]) -> dict[int, str]:
    """A colour for each priority, by rank; the lowest and the highest get the ends of the scale."""
    ranks = sorted(priorities)
    last = len(PRIORITIES) - 1
    return {p: PRIORITIES[rank * last // max(len(ranks) - 1, 1)] for rank, p in enumerate(ranks)}


def ink(fill: str) -> str:
    """Black or white, whichever is easier to read on this colour (#RRGGBB)."""
    red, green, blue = _rgb(fill)
    return "#000000" if 299 * red + 587 * green + 114 * blue > 140_000 else "#FFFFFF"
