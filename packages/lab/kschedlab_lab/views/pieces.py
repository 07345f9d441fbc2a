"""Pods as bars: the pieces of workbenches and other pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from kschedlab.messages import say
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.text.html import Html, element, visible
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import EVICTED, HAIR, INK_3, ink, priority_fill
from kschedlab_lab.views.svg import label, rect

Mark: TypeAlias = Literal["", "ghost", "leaving"]

BOLD = {"font_weight": "bold"}


@dataclass(frozen=True)
class Piece:
    """A pod as a bar. ``size``: milli CPU; ``mark``: ghost (not there yet, or no longer) or leaving.

    ``short``: what stands for a ``note`` that does not fit, the longest first.
    """

    name: str
    size: int
    priority: int = 0
    note: str = ""
    mark: Mark = ""
    short: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Its identity in all pictures."""
        return f"{'ghost' if self.mark == 'ghost' else 'pod'}/{self.name}"


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


def bar(piece: Piece, at: tuple[float, float], wide: float, high: float) -> Html:
    """A pod as a bar at (x, y)."""
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
        data_from=f"pod/{piece.name}" if ghost else None,
        data_tip=visible(" ".join(filter(None, (piece.name, piece.note)))),
    )


def _leaving(wide: float, high: float) -> Iterator[Html]:
    """A cross at the right end and an orange frame: the pod has been deleted and still runs."""
    box: dict[str, Any] = {"fill": "none", "stroke": EVICTED, "stroke_width": 2.5, "rx": 6}
    yield element("rect", x=2, y=2, width=max(wide - 4, 0), height=high - 4, **box)
    yield element("path", d=f"M{wide - 20:.1f} {high / 2 - 6:.1f}l12 12m0 -12l-12 12", stroke=EVICTED, stroke_width=3)
