"""HTML without injection: joining escapes all text, and only :func:`element` writes tags.

Characters that would hide or reorder text (controls, direction marks, lone surrogates) appear as code points.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
VOID = frozenset({"br", "col", "img", "meta", "wbr"})


def visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"[U+{ord(c):04X}]" if unicodedata.category(c) in HIDDEN else c for c in text)


@dataclass(slots=True, unsafe_hash=True, repr=False)
class Html:
    """A piece of markup. ``Html()`` is empty; others come from :func:`element` and :func:`join`."""

    _markup: str = field(default="", init=False)

    def __str__(self) -> str:
        return self._markup

    def __repr__(self) -> str:
        return f"<Html, {len(self._markup)} characters>"

    def _repr_html_(self) -> str:
        return self._markup


Child: TypeAlias = Html | str | int | float | None
"""The content of an element: markup unchanged, None as nothing, anything else as escaped text."""


def _written(child: Child) -> str:
    if isinstance(child, Html):
        return str(child)
    return "" if child is None else html.escape(visible(_plain(child)))


def _style_sheet(child: Child) -> str:
    """Browsers read ``<style>`` literally up to the next tag, so its content cannot be escaped."""
    if "<" in (text := str(child)):
        raise ValueError("a style sheet can't contain <")
    return text


def _plain(value: str | int | float) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def markup(text: str) -> Html:
    """Text that is markup already, with everything in it escaped."""
    made = Html()
    made._markup = text
    return made


def join(children: Iterable[Child], between: Child = None) -> Html:
    return markup(_written(between).join(map(_written, children)))


def element(tag: str, *children: Child, **attributes: str | int | float | None) -> Html:
    """``<tag attribute="...">children</tag>``. In attribute names ``_`` becomes ``-``; a trailing ``_`` is dropped.

    Attributes that are None are omitted. Tag and attribute names must not come from user input.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(visible(_plain(value)))}"'
        for name, value in attributes.items()
        if value is not None
    )
    inside = "".join(map(_style_sheet if tag == "style" else _written, children))
    return markup(f"<{tag}{written}>" if tag in VOID else f"<{tag}{written}>{inside}</{tag}>")
