"""Tables of published traces: CSV, plain or compressed, whose faults name file, line and column."""

from __future__ import annotations

import csv
import gzip
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError, shortened


class TableRow:
    """A row of a table. The readers raise InputValueError with the place of a field that is missing or wrong."""

    def __init__(self, fields: dict[str, str], place: str) -> None:
        self._fields = fields
        self._place = place

    def text(self, name: str, default: str | None = None) -> str:
        """The field; ``default`` if it is empty."""
        if text := (self._fields.get(name) or "").strip():
            return text
        if default is None:
            raise self._wrong(name, say("is missing"))
        return default

    def number(self, name: str, default: float | None = None) -> float:
        """The field as a number."""
        text = self.text(name, None if default is None else str(default))
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self._wrong(name, say('"{text}" is not a number', text=shortened(text)))
        return value

    def whole(self, name: str, default: int | None = None) -> int:
        """The field as a whole number of at least 0."""
        value = self.number(name, default)
        if value < 0 or value != int(value):
            raise self._wrong(name, say("{value:g} is not a whole number of at least 0", value=value))
        return int(value)

    def choice(self, name: str, names: Mapping[str, int]) -> int:
        """The field as one of these numbers, written as the number or as its name."""
        text = self.text(name)
        if text in names:
            return names[text]
        if text in map(str, names.values()):
            return int(text)
        raise self._wrong(name, say('"{text}" is not one of {names}', text=shortened(text), names=list(names)))

    def _wrong(self, name: str, why: str) -> InputValueError:
        return InputValueError("{place}: {name}: {why}", place=self._place, name=name, why=why)


def rows(path: str | os.PathLike[str], needed: Sequence[str]) -> Iterator[TableRow]:
    """The rows of a CSV file, or a gzip of one. ``needed``: columns that it must have."""
    shown = Path(path).name
    try:
        with _opened(path) as file:
            reader = csv.DictReader(file)
            missing = [name for name in needed if name not in (reader.fieldnames or ())]
            if missing:
                has = listed(reader.fieldnames or ()) or say("none")
                words = later("{file}: has no column {missing}; its columns are {has}")
                raise InputValueError(words, file=shown, missing=listed(missing), has=has)
            for fields in reader:
                yield TableRow(fields, f"{shown}:{reader.line_num}")
    except (OSError, UnicodeDecodeError, csv.Error, EOFError) as error:
        raise _unreadable(path, error) from None


def records(path: str | os.PathLike[str], needed: Sequence[str]) -> Iterator[TableRow]:
    """The rows of a table as CSV or as JSON lines, plain or as gzip; a field of a field has a dot in its name."""
    if ".json" not in Path(path).suffixes:
        yield from rows(path, needed)
        return
    shown = Path(path).name
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield TableRow(_fields(line, f"{shown}:{number}"), f"{shown}:{number}")
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise _unreadable(path, error) from None


def _fields(line: str, place: str) -> dict[str, str]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputValueError("{place}: is not JSON: {error}", place=place, error=error) from None
    if not isinstance(data, dict):
        raise InputValueError("{place}: expected an object of JSON, a row of the table", place=place)
    fields: dict[str, str] = {}
    for name, value in data.items():
        inner = value.items() if isinstance(value, dict) else ()
        fields |= {f"{name}.{key}": "" if each is None else str(each) for key, each in inner}
        fields[name] = "" if value in (None, [], {}) else str(value)
    return fields


def _unreadable(path: str | os.PathLike[str], error: Exception) -> InputValueError:
    why = getattr(error, "strerror", None) or error
    return InputValueError("{file}: cannot be read: {why}", file=path, why=why)


def _opened(path: str | os.PathLike[str]) -> TextIO:
    opener: Any = gzip.open if Path(path).suffix == ".gz" else open
    file: TextIO = opener(path, "rt", encoding="utf-8", newline="")
    return file
