"""A drawing that a card shows wide, or narrow where the wide one's text would be too small: at 800 px, on a phone."""

from __future__ import annotations

from collections.abc import Callable

from kschedlab.text.html import Html, element, join
from kschedlab_lab.panels.base import PAPER
from kschedlab_lab.views.image import image
from kschedlab_lab.views.svg import Room

WIDTH, HALF, HIGH, NARROW = 720, 516, 300, Room(320, 480)
"""Units: of a card's width, and where something else is at the right; of a wide drawing's height, as a rule."""


def fitting(draw: Callable[[Room], Html], height: int = HIGH, width: int = WIDTH) -> Html:
    """The drawing twice. ``height``, ``width``: of the wide one. Without card.css, as in a file elsewhere, only that
    shows."""
    wide = element("div", draw(Room(width, height)), class_="ks-half" if width == HALF else "ks-wide")
    return join([wide, element("div", draw(NARROW), class_="ks-narrow", style="display:none")])


def kept(draw: Callable[[Room], Html]) -> Html:
    """The wide drawing for the notebook's file, where an image survives; the table beside it says the same."""
    return element("p", image(draw(Room(WIDTH, HIGH)), "", PAPER))
