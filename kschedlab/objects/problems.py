"""What is wrong with an input: every message names the place, what was expected and what to do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""The way to a field: ``("spec", "containers", 0, "image")``."""

WRITTEN = "\0"
"""Stands in a fault's message for the value as it is written in the file."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_VALUE = 60


class Fault(NamedTuple):
    """Something wrong at a field of an object. ``value``: what to say in place of ``WRITTEN`` if there is no file."""

    path: Path
    message: str
    value: str = "this"


@dataclass(frozen=True, order=True)
class Problem:
    """Something wrong at a place. ``source``: its number among the sources; ``line`` from 1, 0 if there is none."""

    source: int
    line: int
    place: str
    message: str

    def __str__(self) -> str:
        where = f"{self.place}:{self.line}" if self.line else self.place
        return safe_text(f"{where}: {self.message}")


class ManifestError(Exception):
    """Input that cannot be used. ``problems``: everything that is wrong with it, by place; nothing was loaded."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def safe_text(text: str) -> str:
    """The text with control, bidi and other invisible characters escaped, which a terminal would obey or not show."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == " " or unicodedata.category(c)[0] not in "CZ" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quoted(text: str) -> str:
    """The text in double quotes, shortened if it is long."""
    return f'"{shortened(text)}"'


def shortened(text: str) -> str:
    """The text, or its beginning if it is long."""
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "..."


def shown(path: Sequence[str | int]) -> str:
    """The path as people write it: ``spec.containers[0].image``, ``metadata.labels["example.com/a"]``."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{quoted(step)}]")
    return "".join(parts)


def one_of(known: Iterable[str]) -> str:
    """``A, B or C``."""
    *others, last = known
    return f"{', '.join(others)} or {last}" if others else last
