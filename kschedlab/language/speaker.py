"""What is said: messages in the language that is spoken now, English at first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh": "中文"}
"""The languages by their codes in HTML, each with its own name."""


class _Speaker:
    """The chosen language. ``texts``: translations by message; ``words``: those that the front ends show."""

    def __init__(self) -> None:
        self.chosen = ENGLISH
        self.texts: Mapping[str, str] = {}
        self.words: Mapping[str, str] = {}


_SPEAKER = _Speaker()


def chosen() -> str:
    """The code of the language that is spoken."""
    return _SPEAKER.chosen


def speak(code: str) -> None:
    """Speak this language from now on. ValueError for a language that there is not."""
    if code not in LANGUAGES:
        raise ValueError(f'there is no language "{code}"; there are {", ".join(LANGUAGES)}')
    if code != _SPEAKER.chosen:
        _SPEAKER.texts, _SPEAKER.words = ({}, {}) if code == ENGLISH else _catalogue(code)
        _SPEAKER.chosen = code


def _catalogue(code: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    from kschedlab.language.catalogue import front_end_words, read, texts

    catalogue = read(code)
    return texts(catalogue), front_end_words(catalogue)


def say(message: str, /, **fields: object) -> str:
    """The message in the chosen language with its fields filled in, as ``str.format`` does.

    A message without fields is taken as it stands, and so is every value: braces in them mean nothing. A message
    without a translation stays English.
    """
    text = _SPEAKER.texts.get(message, message)
    return text.format(**fields) if fields else text


def terms(*messages: str) -> list[str]:
    """Each message in the chosen language: the head of a table, the names of choices."""
    return [say(message) for message in messages]


def later(message: str) -> str:
    """The message itself, marked for the catalogue: it is translated where it is shown."""
    return message


def translation(message: str) -> str | None:
    """What the catalogue has for this message; None in English, or without a translation."""
    return _SPEAKER.texts.get(message)


def listed(parts: Iterable[str]) -> str:
    """The parts in a row: "a, b, c"."""
    return say(", ").join(parts)


def sentences(parts: Iterable[str]) -> str:
    """Sentences one after the other: with a space between them in English, without one in Chinese."""
    return (" " if _SPEAKER.chosen == ENGLISH else "").join(filter(None, parts))


def spoken() -> dict[str, Any]:
    """The language for a front end: its code and, by English text, its words; {} in English."""
    return {} if _SPEAKER.chosen == ENGLISH else {"lang": _SPEAKER.chosen, "words": dict(_SPEAKER.words)}
