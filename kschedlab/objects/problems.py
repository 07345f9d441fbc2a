"""Errors in input. Every message names the place, what is expected there and the remedy."""

from __future__ import annotations

import linecache
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from traceback import walk_tb
from typing import NamedTuple, TypeAlias

from kschedlab.messages import later, say

Path: TypeAlias = tuple[str | int, ...]
"""The path of a field: ``("spec", "containers", 0, "image")``."""

WRITTEN = "\0"
"""Placeholder in a fault's message for the value as the file spells it."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MAX_SHOWN, _MAX_PLACE, _MAX_MESSAGE = 60, 300, 2000


class Fault(NamedTuple):
    """An error in a field of an object. ``value``: as the object has it; "": unknown."""

    path: Path
    message: str
    value: str = ""

    @property
    def written(self) -> str:
        """What replaces ``WRITTEN`` if there is no file."""
        return self.value or say("this")


class Faults(list[Fault]):
    def note(self, path: Path, message: str | None, written: str = "", **fields: object) -> None:
        """Add a fault of that field, with its message's fields; None: there is none."""
        if message:
            self.append(Fault(path, later(message, **fields), written))


@dataclass(frozen=True, order=True)
class Problem:
    """An error at a place. ``source``: index among the sources. ``line``: from 1, or 0 if there is none."""

    source: int
    line: int
    place: str
    message: str

    def __str__(self) -> str:
        place = shortened(self.place, _MAX_PLACE)
        where = f"{place}:{self.line}" if self.line else place
        return safe_text(placed(where, shortened(self.message, _MAX_MESSAGE)))


class BriefError(Exception):
    """An error whose message says all: a notebook shows it and the user's own line instead of a traceback."""

    def _render_traceback_(self) -> list[str]:  # IPython asks an error for this
        lines = []
        for frame, number in walk_tb(self.__traceback__):
            if frame.f_globals.get("__name__") == "__main__":
                code = linecache.getline(frame.f_code.co_filename, number).strip()
                lines = [say("line {number}: {code}", number=number, code=code)] if code else []
        return [*lines, f"{type(self).__name__}: {self}"]


class InputError(BriefError):
    """Something that a user gave is wrong; the message, with its fields, says what, where and what to do."""

    def __init__(self, message: str = "", /, **fields: object) -> None:
        super().__init__(say(message, **fields))


class InputValueError(InputError, ValueError):
    """An argument has the right type and a wrong value."""


class InputTypeError(InputError, TypeError):
    """An argument has a wrong type."""


class ManifestError(InputError):
    """Invalid input; nothing is loaded. ``problems``: everything that is wrong with it, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(_lines(self.problems)))


ALIKE = 20
"""The most problems listed that differ only in place, names and numbers; of more, the first represents all."""
_VARIES = re.compile(r'"[^"]*"|[0-9]+')


def _lines(problems: Sequence[Problem]) -> Iterator[str]:
    """A line for each problem; of many alike, the first and their number."""
    causes = [_VARIES.sub("", shortened(problem.message, _MAX_MESSAGE)) for problem in problems]
    numbers, shown = Counter(causes), set[str]()
    for problem, cause in zip(problems, causes, strict=True):
        if numbers[cause] <= ALIKE:
            yield str(problem)
        elif cause not in shown:
            shown.add(cause)
            yield say("{problem} (and {number:,} more like it)", problem=problem, number=numbers[cause] - 1)


class UnknownNameError(InputError, KeyError):
    """A name that nothing has; the message lists the names that there are."""

    def __str__(self) -> str:
        return str(self.args[0])


def expected(what: str, given: object) -> InputTypeError:
    return InputTypeError("expected {what}, got {type}", what=what, type=type(given).__name__)


LISTED = 10
"""The most names that an error lists."""


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not among the known ones; it lists up to ten of them, similar ones first."""
    names, wanted = list(dict.fromkeys(known)), str(name)
    text = say(
        'no {kind} "{name}"; there are {number:,}: {names}' if names else 'no {kind} "{name}"; there are {number:,}',
        kind=say(kind),
        name=shortened(safe_text(wanted)),
        number=len(names),
        names=[*map(safe_text, _similar_first(wanted, names, LISTED)), *["..."] * (len(names) > LISTED)],
    )
    return UnknownNameError(text)


_CLOSE = 5000
"""The most names that are searched for a similar one."""


def _similar_first(wanted: str, names: list[str], most: int) -> list[str]:
    """The first of these names, those that are similar to the wanted one before the others."""
    near = [each for each in names if wanted and wanted in each] or get_close_matches(wanted, names[:_CLOSE], most)
    return list(islice(dict.fromkeys([*near, *names]), most))


def out_of_range(value: object, least: int, most: int) -> str:
    """The message about a number that is below ``least`` or above ``most``."""
    return later("{value} is out of range: from {least} to {most}", value=value, least=least, most=most)


def placed(place: str, message: str) -> str:
    """``place: message``; the message alone without a place."""
    return say("{place}: {message}", place=place, message=message) if place else message


def safe_text(text: str) -> str:
    """The text with control, bidi and other invisible characters escaped, so that no terminal obeys or hides them."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == " " or unicodedata.category(c)[0] not in "CZ" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quoted(text: str) -> str:
    return f'"{shortened(text)}"'


def shortened(text: str, most: int = _MAX_SHOWN) -> str:
    """The text, cut off if it has more than ``most`` characters."""
    return text if len(text) <= most else text[:most] + "..."


def path_text(path: Sequence[str | int]) -> str:
    """The path as text: ``spec.containers[0].image``, ``metadata.labels["example.com/a"]``."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            parts.append(f".{shortened(step)}" if parts else shortened(step))
        else:
            parts.append(f"[{quoted(step)}]")
    return "".join(parts)


def one_of(choices: Iterable[str]) -> str:
    """``A, B or C``."""
    *others, last = choices
    return later("{others} or {last}", others=others, last=last) if others else last
