"""HTML without injection: joining escapes all text, and only :func:`element` writes tags.

Characters that would hide or reorder text (controls, direction marks, lone surrogates) appear as code points.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
MARKS = re.compile(r' (?:data-[a-z]+|aria-label|role)="[^"]*"')
"""Marks for the front end; a quotation mark in a value or in text is always escaped."""
ZERO = re.compile(r"(?<=\d)\.0(?=[ ,)LCMZ\"-])(?=[^<]*>)")
"""A decimal without a value, in an attribute."""
EMPTY = re.compile(r"<(path|rect|circle|line|use)([^<>]*)></\1>")
INVISIBLE = re.compile(r'<rect[^<>]* fill="transparent"[^<>]*/>')
"""A surface that only enlarges a handle."""
LOOK = re.compile(r'(?: (?:fill|stroke|opacity|font|text)[a-z-]*="[\w#.,% ()-]*")+')
"""Attributes that style an element; a style sheet names them alike."""
TAG = re.compile(r"<[^<>]*>")
ID, REFERS = re.compile(r' id="([^"]*)"'), re.compile(r'( id="| href="#|="url\(#)([^")]*)')
LEAF = re.compile(r"<(?:path|rect|circle|line)[^<>]*/>|<text[^<>]*>[^<>]*</text>")
"""An element without elements in it."""
RUN = re.compile(r"(?:<use [^<>]*/>){4,}")
"""A row of what is used."""
IN_URL = str.maketrans({"%": "%25", "#": "%23", "<": "%3C", ">": "%3E", "&": "%26", '"': "'"})
"""How a drawing is written into an address: shorter than base64. Quotation marks in its text are always escaped."""
CODE = re.compile(r"`([^`\s](?:[^`\n]*[^`\s])?)`")
VOID = frozenset({"br", "col", "img", "meta", "wbr"})


def visible(text: str) -> str:
    """The text with every control, format and surrogate character spelled out, e.g. ``[U+202E]``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"[U+{ord(c):04X}]" if unicodedata.category(c) in HIDDEN else c for c in text)


class Html:
    """A piece of markup. ``Html()`` is empty; others come from :func:`element` and :func:`join`."""

    __slots__ = ("_markup",)

    def __init__(self) -> None:
        self._markup = ""

    def __str__(self) -> str:
        return self._markup

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Html) and self._markup == other._markup

    def __repr__(self) -> str:
        return f"<Html, {len(self._markup)} characters>"

    def __hash__(self) -> int:
        return hash(self._markup)

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


def _raw(markup: str) -> Html:
    made = Html()
    made._markup = markup
    return made


def join(children: Iterable[Child], between: Child = None) -> Html:
    """The children, concatenated."""
    return _raw(_written(between).join(map(_written, children)))


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
    return _raw(f"<{tag}{written}>" if tag in VOID else f"<{tag}{written}>{inside}</{tag}>")


def coded(text: str) -> Html:
    """The text, with each part between backquotes as code."""
    parts = CODE.split(text)
    return join(element("code", part) if place % 2 else part for place, part in enumerate(parts))


def image(svg: Html, alt: str, style: str = "max-width:min(100%,56em)") -> Html:
    """The drawing as an ``<img>``, which survives where inline SVG is removed (untrusted notebooks).

    What only a front end reads is left out: nothing in an image can be clicked.
    """
    short = EMPTY.sub(r"<\1\2/>", MARKS.sub("", str(svg))).replace('="currentColor"', '="#000"')
    small = _runs(_once(_by_class(_numbered(ZERO.sub("", INVISIBLE.sub("", short))))))
    rest = element("img", alt=alt, style=style)
    return _raw(f'<img src="data:image/svg+xml,{small.translate(IN_URL)}"{str(rest).removeprefix("<img")}')


def _numbered(svg: str) -> str:
    """The same drawing with short ids: an image is a document of its own, and nothing else refers to them."""
    names = {each: f"c{number}" for number, each in enumerate(ID.findall(svg))}
    return REFERS.sub(lambda each: f"{each[1]}{names.get(each[2], each[2])}", svg)


def _once(svg: str) -> str:
    """The same drawing; what it repeats stands in it once, and is used."""
    times = Counter(each[0] for each in LEAF.finditer(svg))
    repeated = [each for each, n in times.most_common() if (n - 1) * (len(each) - 18) > 40]
    names = {each: f"b{number}" for number, each in enumerate(repeated)}
    stock = "".join(re.sub(r"^<\w+", rf'\g<0> id="{name}"', each) for each, name in names.items())
    drawn = LEAF.sub(lambda each: f'<use href="#{names[each[0]]}"/>' if each[0] in names else each[0], svg)
    return re.sub(r"^<svg[^<>]*>", lambda head: f"{head[0]}<defs>{stock}</defs>", drawn) if stock else svg


def _runs(svg: str) -> str:
    """The same drawing; equal rows of what is used again and again, as of a map, stand in it once."""
    rows = [row for row, times in Counter(each[0] for each in RUN.finditer(svg)).items() if times > 1]
    names = {row: f"d{number}" for number, row in enumerate(rows)}
    stock = "".join(f'<g id="{name}">{row}</g>' for row, name in names.items())
    drawn = RUN.sub(lambda each: f'<use href="#{names[each[0]]}"/>' if each[0] in names else each[0], svg)
    return re.sub(r"^<svg[^<>]*>", lambda head: f"{head[0]}<defs>{stock}</defs>", drawn) if stock else svg


def _by_class(svg: str) -> str:
    """The same drawing, with the looks that it repeats in a style sheet."""
    looks = [look for look, times in Counter(LOOK.findall(svg)).most_common() if times > 2 and len(look) > 12]
    if not looks:
        return svg
    names = {look: f"a{number}" for number, look in enumerate(looks)}
    rules = [(name, look[1:-1].replace('="', ":").replace('" ', ";")) for look, name in names.items()]
    sheet = "".join(f".{name}{{{rule}}}" for name, rule in rules)
    head, start, rest = svg.partition(">")

    def named(tag: re.Match[str]) -> str:
        """The tag with a class for its first look: a second class would be an error."""
        return LOOK.sub(lambda look: f' class="{names[look[0]]}"' if look[0] in names else look[0], tag[0], count=1)

    return f"{head}{start}<style>{sheet}</style>{TAG.sub(named, rest)}"
