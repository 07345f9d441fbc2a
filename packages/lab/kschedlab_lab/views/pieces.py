"""Pods as bars, and facts about pods and nodes as badges: the pieces of workbenches and other pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from kschedlab.messages import say
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.text.html import Html, element, visible
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.style import EVICTED, EVICTED_SOFT, HAIR, INK_2, INK_3, TRAY, ink, priority_fill
from kschedlab_lab.views.svg import label, rect

Mark: TypeAlias = Literal["", "ghost", "leaving"]

BOLD = {"font_weight": "bold"}
BADGE = 24
"""Height of a badge of one line with its frame, in pixels."""


@dataclass(frozen=True)
class Fact:
    """A fact that is true (``on``) or not. ``refuses``: it is what refuses the pod now; ``kind``: its icon."""

    text: str
    on: bool
    sets: str = ""
    kind: str = ""
    refuses: bool = False
    key: str = ""


@dataclass(frozen=True)
class Piece:
    """A pod as a bar. ``size``: milli CPU; ``mark``: ghost (not there yet, or no longer) or leaving.

    ``short``: what stands for a ``note`` that does not fit, the longest first.

    ``copied``: where it is a copy of the pod.
    """

    name: str
    size: int
    priority: int = 0
    note: str = ""
    mark: Mark = ""
    short: tuple[str, ...] = ()
    copied: str = ""

    @property
    def key(self) -> str:
        """Its identity in all pictures."""
        return f"{self.copied or ('ghost' if self.mark == 'ghost' else 'pod')}/{self.name}"


def running(pod: Pod, now: int) -> Piece:
    """A pod that runs, or that is deleted and has some seconds from ``now`` (in microseconds) to end."""
    priority, ends = pod.spec.priority or 0, pod.metadata.deletionTimestamp
    if ends is not None:
        left = -(-max(ends - now, 0) // SECOND)
        note = say("terminating, {left} s", left=left) if left else say("terminating")
        return Piece(pod.metadata.name, _cpu(pod), priority, note, "leaving", (f"{left} s",) if left else ())
    note = say("priority {priority}", priority=priority)
    return Piece(pod.metadata.name, _cpu(pod), priority, note, short=(str(priority),))


def created(pod: Pod) -> int:
    """When the pod was created: in this order nobody's bar moves when another pod comes."""
    return pod.metadata.creationTimestamp or 0


def _cpu(pod: Pod) -> int:
    return int(pod_requests(pod).get("cpu", 0))


def draw_badge(badge: Fact, owner: str, left: float, top: float, right: float) -> tuple[Html, float]:
    """The badge of this owner between ``left`` and ``right``, and where it ends below."""
    margin = 36 if badge.kind else 16
    wide = min(text_width(said(badge)) + margin, right - left)
    lines = flowed(said(badge), wide - margin + 1)
    return _badge(badge, lines, f"translate({left:.1f},{top:.1f})", wide, owner), top + BADGE + 3 + 15 * (
        len(lines) - 1
    )


def _badge(badge: Fact, lines: Sequence[str], transform: str, wide: float, owner: str) -> Html:
    ground = EVICTED_SOFT if badge.refuses else TRAY if badge.on else "transparent"
    stroke, thick = (EVICTED, 1.5) if badge.refuses else (HAIR, 1)
    line: dict[str, Any] = {"stroke": stroke, "stroke_width": thick, "stroke_dasharray": None if badge.on else "4 3"}
    box = rect(wide, BADGE - 2 + 15 * (len(lines) - 1), 11, fill=ground, **line)
    drawn = [icon(badge.kind, 5, 3, EVICTED if badge.refuses else INK_2)] if badge.kind else []
    words = (label(line, 26 if badge.kind else 8, 15.5 + 15 * i) for i, line in enumerate(lines))
    return element(
        "g",
        element("g", box, *drawn, *words, opacity=None if badge.on else 0.85),
        transform=transform,
        data_key=f"{owner}/{badge.key or badge.text}",
        data_set=badge.sets or None,
        aria_label=say("{fact}: on" if badge.on else "{fact}: off", fact=badge.text) if badge.sets else None,
    )


def said(badge: Fact) -> str:
    """The badge's text; a plus invites to switch it on."""
    sign = "✕ " if badge.refuses else "" if badge.on else "+ "
    return sign + visible(badge.text)


def _within(piece: Piece, wide: float) -> list[tuple[str, float, dict[str, Any]]]:
    """(text, offset, look) of the name and as much of the note as fits."""
    name = visible(piece.name)
    parts = name.split("-")
    if len(parts) > 2 and text_width(name, 12, True) > wide:
        name = f"{parts[0]}…{parts[-1]}"  # its end tells a ReplicaSet's pods apart
    if text_width(name, 12, True) > wide:
        return [(name[: max(int(wide / 9), 1)], 0, BOLD)]
    end = text_width(name, 12, True)
    space = wide - end - (24 if piece.mark == "leaving" else 0)
    for note, gap, size in ((piece.note, 8, 12), *((each, 5, 11.2) for each in piece.short)):
        if note and text_width(note, size) <= space - gap:
            return [(name, 0, BOLD), (visible(note), end + gap, {"font_size": size if size != 12 else None})]
    return [(name, 0, BOLD)]


def bar(
    piece: Piece,
    at: tuple[float, float],
    wide: float,
    high: float,
    carry: bool = False,
) -> Html:
    """A pod as a bar at (x, y). ``carry``: it can be carried to a node."""
    fill = priority_fill(piece.priority)
    ghost = piece.mark == "ghost"
    stroke, thick, dashes, pale = (INK_3, 2, "6 4", 0.25) if ghost else (HAIR, 1, None, None)
    look: dict[str, Any] = {"stroke": stroke, "stroke_width": thick, "stroke_dasharray": dashes}
    box = rect(wide, high, 8, fill=fill, fill_opacity=pale, **look, data_key=f"{piece.key}/box")
    halo: dict[str, Any] = {} if ghost else {"paint_order": "stroke", "stroke": fill, "stroke_width": 4}
    colour, below = None if ghost else ink(fill), high / 2 + 4.5
    words = (label(text, 6 + x, below, fill=colour, **look, **halo) for text, x, look in _within(piece, wide - 10))
    return element(
        "g",
        box,
        *(_leaving(wide, high) if piece.mark == "leaving" else ()),
        *words,
        transform=f"translate({at[0]:.1f},{at[1]:.1f})",
        data_key=piece.key,
        data_from=f"pod/{piece.name}" if ghost or piece.copied else None,
        data_tip=visible(" ".join(filter(None, (piece.name, piece.note)))),
        data_carry="node" if carry else None,
        aria_label=say("carry {pod}", pod=piece.name) if carry else None,
    )


def _leaving(wide: float, high: float) -> Iterator[Html]:
    """A cross at the right end and an orange frame: the pod has been deleted and still runs."""
    box: dict[str, Any] = {"fill": "none", "stroke": EVICTED, "stroke_width": 2.5, "rx": 6}
    yield element("rect", x=2, y=2, width=max(wide - 4, 0), height=high - 4, **box)
    yield element("path", d=f"M{wide - 20:.1f} {high / 2 - 6:.1f}l12 12m0 -12l-12 12", stroke=EVICTED, stroke_width=3)
