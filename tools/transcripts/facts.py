"""What a reader gets of markup, in words: its texts in their order, and what its marks say; no places, no colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import groupby

from kschedlab.text.html import VOID
from kschedlab_lab.views.style import ACT, CHOSEN, CHOSEN_SOFT, EVICTED, EVICTED_SOFT

MARKS = ("from", "order", "set", "drag", "pick", "tip", "ref")
SAID = ("aria-label", "alt", "href")
LINES = ("svg", "tr", "p", "li", "div", "pre", "summary", "h1", "h2", "h3", "h4", "caption")
"""Elements that begin a line."""
PIECES = ("text", "td", "th", "br")
"""Elements that begin a new piece of a line."""
ACCENTS = {CHOSEN: "chosen", CHOSEN_SOFT: "chosen", EVICTED: "refused", EVICTED_SOFT: "refused", ACT: "act"}
"""Colours that have a meaning."""
KEYED = re.compile(r"((?:  [~+-] )?[^ {]*/)([^ /]+)(?= |$)")
"""The key of a part, and its name at the end of it."""


@dataclass
class _Line:
    """What belongs to a marked element, or to a line of text."""

    key: str
    state: str
    marks: list[str]
    pieces: list[str] = field(default_factory=list)
    looks: dict[str, None] = field(default_factory=dict)

    def __str__(self) -> str:
        said = " | ".join(text for each in self.pieces if (text := " ".join(each.split())))
        is_bare = self.key.endswith("/box") and not self.looks
        if is_bare and not self.marks or not (said or self.key or self.marks or self.state):
            return ""
        looks = f"({', '.join(self.looks)})" if self.looks else ""
        state = f"[{self.state}]" if self.state else ""
        marks = f"{{{'; '.join(self.marks)}}}" if self.marks else ""
        return " ".join(part for part in (self.key, state, looks, said, marks) if part)


class _Reader(HTMLParser):
    """Reads markup into lines."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.lines = [_Line("", "", [])]
        self._open: list[_Line | None] = [self.lines[0]]
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: text or "" for name, text in attrs}
        line = self._open[-1]
        if tag in ("style", "script", "defs"):
            line = None
        elif line is not None:
            key, state = given.get("data-key", ""), given.get("data-state", "")
            marks = [f"{name}: {given[f'data-{name}']}" for name in MARKS if f"data-{name}" in given]
            said = (
                name for name in ("aria-label", "alt", "href") if given.get(name) not in (None, given.get("data-tip"))
            )
            marks += [f"{name}: {given[name]}" for name in said]
            if tag == "svg":
                self.lines.append(_Line("alt:", "", [], [given.get("aria-label", "")]))
                marks = []
            loose = tag == "text" and not (line.key or line.marks)
            if key or state or marks or tag in LINES or loose:
                line = _Line(key, state, marks)
                self.lines.append(line)
            if tag in PIECES or not line.pieces:
                line.pieces.append("")
            line.looks |= dict.fromkeys(_looks(given))
        if tag not in VOID:
            self._open.append(line)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()
        if tag in PIECES and (line := self._open[-1]) is not None:
            line.pieces.append("")

    def handle_data(self, data: str) -> None:
        if (line := self._open[-1]) is not None:
            line.pieces = line.pieces or [""]
            line.pieces[-1] += data


def _looks(given: Mapping[str, str]) -> Iterator[str]:
    """What stands out in the looks of an element, and means something."""
    written = f"{given.get('fill', '')} {given.get('stroke', '')} {given.get('style', '')}"
    yield from (name for colour, name in ACCENTS.items() if colour in written)
    if "stroke-dasharray" in given:
        yield "dashed"
    if float(given.get("opacity", 1)) < 1:
        yield "faint"


def facts(markup: object, said: str = "") -> list[str]:
    """The lines of this markup: of each marked part its key, its state, its texts, and what it does.

    ``said``: what is said beside the picture, which its alternative text repeats.
    """
    return [text for line in _Reader(str(markup)).lines if (text := str(line)) and text != f"alt: {said}"]


def together(lines: Iterable[str]) -> Iterator[str]:
    """The lines; parts that follow each other and differ in their names alone share one."""
    for (place, rest), group in groupby(lines, key=_without_name):
        same = list(group)
        if place and len(same) > 1:
            names = (found[2] for each in same if (found := KEYED.match(each)))
            yield f"{place}{{{' '.join(names)}}}{rest}"
        else:
            yield from same


def _without_name(line: str) -> tuple[str, str]:
    """What is before the name at the end of a part's key, and the line after it, without the name."""
    if (found := KEYED.match(line)) is None:
        return "", line
    return found[1], re.sub(rf"(?<![\w-]){re.escape(found[2])}(?![\w-])", "NAME", line[found.end() :])
