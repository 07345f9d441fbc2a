"""Messages: English texts with named fields, which another package may show in another language.

A message is its own key: ``say("{node} is chosen.", node=name)``. Here all texts are English. A package that knows
another language installs a :class:`Translation` with :func:`translate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

CONTEXT = "\4"
"""Separates a context from its message in a key, as in gettext's own files."""


class Message(str):
    """A text in English that can still be translated. ``english``: without the values of its fields."""

    key: str
    english: str
    fields: Mapping[str, object]

    @classmethod
    def of(cls, key: str, english: str, fields: Mapping[str, object]) -> Self:
        """The message; a field that is a list is joined with commas."""
        plain = {name: ", ".join(value) if isinstance(value, list) else value for name, value in fields.items()}
        made = cls(english.format(**plain) if fields else english)
        made.key, made.english, made.fields = key, english, fields
        return made


@dataclass(frozen=True)
class Translation:
    """A language. ``texts``: translations by key; ``gap``: separates sentences; ``polish``: applied to filled texts."""

    texts: Mapping[str, str] = field(default_factory=dict)
    gap: str = " "
    polish: Callable[[str], str] = str


class _Spoken:
    """The language in use: a holder, so that importers see changes."""

    language = Translation()


def translate(language: Translation) -> None:
    """Show all messages in this language from now on; ``Translation()`` is English."""
    _Spoken.language = language


def say(message: str, /, **fields: object) -> str:
    """The message in the language in use, with its fields filled in as ``str.format`` does.

    Braces are literal if there are no fields, and always literal in values. A message without a translation stays
    English. A value that is a :class:`Message` is translated, too, and a list of texts is joined.
    """
    key, english = message, message
    if isinstance(message, Message):
        key, english, fields = message.key, message.english, {**message.fields, **fields}
    language = _Spoken.language
    text = language.texts.get(key, english)
    if not fields:
        return text
    return language.polish(text.format(**{name: _shown(value) for name, value in fields.items()}))


def _shown(value: object) -> object:
    if isinstance(value, list):
        return listed(str(_shown(each)) for each in value)
    return say(value) if isinstance(value, Message) else value


def terms(*messages: str) -> list[str]:
    """Each message in the language in use: the head of a table, the names of choices."""
    return [say(message) for message in messages]


def later(message: str, /, **fields: object) -> str:
    """The message in English, which ``say`` translates where it is shown."""
    return message if isinstance(message, Message) and not fields else Message.of(message, message, fields)


def meant(message: str, context: str) -> str:
    """A word that has several translations, with its context: ``meant("priority", "algorithm")``."""
    return Message.of(f"{context}{CONTEXT}{message}", message, {})


def translation(message: str) -> str | None:
    """The translation of this message; None in English, or if it has none."""
    return _Spoken.language.texts.get(message)


def listed(parts: Iterable[str]) -> str:
    """The parts in a row: "a, b, c"."""
    return say(", ").join(parts)


def sentences(parts: Iterable[str]) -> str:
    """One sentence after the other; empty ones are left out."""
    return gap().join(filter(None, parts))


def gap() -> str:
    """The text between two sentences."""
    return _Spoken.language.gap
