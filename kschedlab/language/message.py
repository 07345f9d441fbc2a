"""An English text that can still be translated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

CONTEXT = "\4"
"""Stands between a context and its message in a key of the catalogue, as in gettext's own files."""


class Message(str):
    """A text in English with what ``say`` needs to translate it: its key in the catalogue, and its fields.

    ``english``: the text without the values of the fields.
    """

    key: str
    english: str
    fields: Mapping[str, object]

    @classmethod
    def of(cls, key: str, english: str, fields: Mapping[str, object]) -> Self:
        """The message; a field that is a list is listed."""
        plain = {name: ", ".join(value) if isinstance(value, list) else value for name, value in fields.items()}
        made = cls(english.format(**plain) if fields else english)
        made.key, made.english, made.fields = key, english, fields
        return made
