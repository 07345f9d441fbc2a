"""What is said: messages in the language that is spoken now, English at first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kschedlab.language.message import CONTEXT, Message

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh": "中文"}
"""The languages by their codes in HTML, each with its own name."""
CHINESE = "\u4e00-\u9fff\u3000-\u303f\uff00-\uffef“”"
BETWEEN = re.compile(f"(?<=[{CHINESE}]) (?=[{CHINESE}])")
"""A space between Chinese characters or marks: a field has it beside it, for values in Latin letters."""


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
        raise ValueError(say('there is no language "{code}"; there are {languages}', code=code, languages=[*LANGUAGES]))
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
    without a translation stays English. A value that is a :class:`Message` is said, too, and a list of texts is listed.
    """
    key, english = message, message
    if isinstance(message, Message):
        key, english, fields = message.key, message.english, {**message.fields, **fields}
    text = _SPEAKER.texts.get(key, english)
    if not fields:
        return text
    filled = text.format(**{name: _said(value) for name, value in fields.items()})
    return filled if _SPEAKER.chosen == ENGLISH else BETWEEN.sub("", filled)


def _said(value: object) -> object:
    if isinstance(value, list):
        return listed(str(_said(each)) for each in value)
    return say(value) if isinstance(value, Message) else value


def terms(*messages: str) -> list[str]:
    """Each message in the chosen language: the head of a table, the names of choices."""
    return [say(message) for message in messages]


def later(message: str, /, **fields: object) -> str:
    """The message in English, marked for the catalogue: ``say`` translates it where it is shown."""
    return message if isinstance(message, Message) and not fields else Message.of(message, message, fields)


def meant(message: str, context: str) -> str:
    """A word that has several translations, marked for the catalogue: ``meant("priority", "algorithm")``."""
    return Message.of(f"{context}{CONTEXT}{message}", message, {})


def translation(message: str) -> str | None:
    """What the catalogue has for this message; None in English, or without a translation."""
    return _SPEAKER.texts.get(message)


def listed(parts: Iterable[str]) -> str:
    """The parts in a row: "a, b, c"."""
    return say(", ").join(parts)


def sentences(parts: Iterable[str]) -> str:
    """Sentences one after the other: with a space between them in English, without one in Chinese."""
    return gap().join(filter(None, parts))


def gap() -> str:
    """What stands between two sentences."""
    return " " if _SPEAKER.chosen == ENGLISH else ""


def spoken() -> dict[str, Any]:
    """The language for a front end: its code and, by English text, its words; {} in English."""
    return {} if _SPEAKER.chosen == ENGLISH else {"lang": _SPEAKER.chosen, "words": dict(_SPEAKER.words)}
