"""How panels look, and the switch that enlarges them for a projector."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, Self
from weakref import WeakSet

import ipywidgets

from kschedlab.views.html import element

CLASSROOM, SETTINGS = "kschedlab-classroom", "kschedlab-settings"
STYLE = (
    ".kschedlab .widget-html-content { color: var(--jp-content-font-color1, inherit); line-height: 1.4; } "
    ".kschedlab .widget-readout { min-width: 7.5em; } "
    ".kschedlab .widget-label { white-space: normal; height: auto; line-height: 1.2; align-self: center; } "
    ".kschedlab .noUi-handle:focus, .kschedlab button:focus-visible { outline: 3px solid #009E73; } "
    ".kschedlab .widget-radio { display: flex; align-items: baseline; } "
    ".kschedlab .widget-radio > .widget-label { text-align: right; flex-shrink: 0; margin-right: 8px; } "
    ".kschedlab .widget-radio-box-horizontal { flex-wrap: wrap; margin-bottom: 0 !important; } "
    ".kschedlab .widget-play button { width: auto; padding: 0 0.8em; } "
    ".kschedlab .widget-play button:has(.fa-play)::after { content: 'Play'; margin-left: 0.4em; } "
    ".kschedlab .widget-play button:has(.fa-pause)::after { content: 'Pause'; margin-left: 0.4em; } "
    ".kschedlab .widget-play button:has(.fa-stop) { display: none; } "
    f".{CLASSROOM} {{ --jp-widgets-font-size: 20px; --jp-widgets-inline-height: 38px; font-size: 20px; }} "
    f".{CLASSROOM} .widget-html-content {{ font-size: 20px; }} "
    f"@media (max-width: 1700px) {{ .{CLASSROOM} .{SETTINGS} {{ flex-flow: row wrap; flex: 1 1 100% !important; }} "
    f".{CLASSROOM} .{SETTINGS} .widget-hslider {{ width: 25em !important; }} }}"
)


class Enlargeable(ipywidgets.VBox):
    """A part of the lesson that can be enlarged."""

    def __init__(self, children: Sequence[ipywidgets.Widget]) -> None:
        style = ipywidgets.HTML(str(element("style", STYLE)), layout={"display": "none"})
        super().__init__([style, *children])
        self.add_class("kschedlab")
        enlarge(self)

    def classroom(self, on: bool = True) -> Self:
        """Enlarge its content for a projector."""
        (self.add_class if on else self.remove_class)(CLASSROOM)
        return self


class Part(Hashable, Protocol):
    """A part of the lesson that can be enlarged."""

    def classroom(self, on: bool = True) -> object:
        """Enlarge its content for a projector."""


class _Room:
    """Everything in this kernel that can be enlarged."""

    def __init__(self) -> None:
        self.on = False
        self.inside: WeakSet[Part] = WeakSet()

    def switch(self, on: bool) -> None:
        self.on = on
        for each in self.inside:
            each.classroom(on)


_ROOM = _Room()


def enlarge(part: Part) -> None:
    """Enlarge this part now if the whole notebook is, and whenever that changes."""
    _ROOM.inside.add(part)
    if _ROOM.on:
        part.classroom()


def classroom(on: bool = True) -> None:
    """Enlarge every panel and question of this notebook, present and future."""
    _ROOM.switch(on)
