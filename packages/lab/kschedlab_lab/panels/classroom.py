"""How panels look, and the switch that enlarges them for a projector."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, Self
from weakref import WeakSet

import ipywidgets

from kschedlab.text.html import element

CLASSROOM = "kschedlab-classroom"
STYLE = (
    ".kschedlab .widget-html-content { color: var(--jp-content-font-color1, inherit); line-height: 1.4; } "
    ".kschedlab .widget-label { white-space: normal; height: auto; line-height: 1.2; align-self: center; } "
    ".kschedlab button:focus-visible { outline: 3px solid #009E73; } "
    f".{CLASSROOM} {{ --jp-widgets-font-size: 20px; --jp-widgets-inline-height: 38px; font-size: 20px; }} "
    f".{CLASSROOM} .widget-html-content {{ font-size: 20px; }}"
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

    def classroom(self, on: bool) -> object:
        """Enlarge its content for a projector."""


class _Room:
    """Everything in this kernel that can be enlarged, and whether it is."""

    on = False
    inside = WeakSet[Part]()


def enlarge(part: Part) -> None:
    """Enlarge this part now if the whole notebook is, and whenever that changes."""
    _Room.inside.add(part)
    part.classroom(_Room.on)


def classroom(on: bool = True) -> None:
    """Enlarge every panel and question of this notebook, present and future."""
    _Room.on = on
    for each in _Room.inside:
        each.classroom(on)
