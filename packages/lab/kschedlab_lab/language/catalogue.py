"""The catalogue of a language: a file of gettext's format (``zh.po``), read and written with Babel."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from kschedlab.messages import CONTEXT

FOLDER = Path(__file__).parent
COMMENT = "# kschedlab in another language: docs/translating.md says how it is kept."
FIRST_DAY = datetime(2026, 11, 22, tzinfo=UTC)
"""Stands in the header, where a day of each change would be a conflict between any two changes."""


def path_of(code: str) -> Path:
    return FOLDER / f"{code}.po"


@cache
def read(code: str) -> Catalog:
    with path_of(code).open("rb") as file:
        return read_po(file, locale=code, charset="utf-8")


def empty(code: str) -> Catalog:
    """A catalogue without messages."""
    return Catalog(
        code,
        None,
        COMMENT,
        "kschedlab",
        "0.1",
        creation_date=FIRST_DAY,
        revision_date=FIRST_DAY,
        fuzzy=False,
    )


def write(catalogue: Catalog, path: Path) -> None:
    """Write the file: messages in their order, without line numbers, each text on one line."""
    with path.open("wb") as file:
        write_po(file, catalogue, width=0, include_lineno=False)
    read.cache_clear()


def texts(catalogue: Catalog) -> dict[str, str]:
    """The translations by message, after its context; without those that are still missing."""
    return {key_of(each): str(each.string) for each in catalogue if each.id and each.string}


def key_of(message: Message) -> str:
    """The message with its context, if it has one, before it."""
    return f"{message.context}{CONTEXT}{message.id}" if message.context else str(message.id)


def front_end_words(catalogue: Catalog) -> dict[str, str]:
    """The translations of what JavaScript shows."""
    shown = {str(each.id) for each in catalogue if any(file.endswith(".js") for file, _ in each.locations)}
    return {text: said for text, said in texts(catalogue).items() if text in shown}
