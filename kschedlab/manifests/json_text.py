"""A JSON reader that records line numbers, for one value or several in sequence. Used where msgspec fails; slower."""

from __future__ import annotations

import re
from bisect import bisect_right
from decimal import Decimal
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import Any

from kschedlab.manifests.composer import Composer, UnreadableError
from kschedlab.messages import later

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_MAX_DIGITS = 64


def compose_json(text: str, positions: bool = False) -> Composer:
    """The values in the text. UnreadableError if it is not valid JSON."""
    return _Reader(text, Composer(positions)).read()


class _Reader:
    """Reads from left to right. ``closing``: the brackets of open maps and lists. ``first``: no member was read yet."""

    def __init__(self, text: str, composer: Composer) -> None:
        self.text = text
        self.composer = composer
        self.position = 0
        self.closing: list[str] = []
        self.first = False
        self.line_starts = [0, *(m.end() for m in re.finditer("\n", text))]

    @property
    def line(self) -> int:
        return bisect_right(self.line_starts, self.position)

    def fault(self, message: str) -> UnreadableError:
        return UnreadableError(self.line, later("not valid JSON: {message}", message=message))

    def read(self) -> Composer:
        while self.peek():
            self.value()
            while self.closing:
                self.next_member()
        return self.composer

    def peek(self) -> str:
        """Skip white space and return the next character, "" at the end."""
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.text[self.position : self.position + 1]

    def next_member(self) -> None:
        character = self.peek()
        if character == self.closing[-1]:
            self.position += 1
            self.closing.pop()
            self.composer.end()
            self.first = False
            return
        if not character:
            raise self.fault(later('the input ends before the closing "{bracket}"', bracket=self.closing[-1]))
        if not self.first:
            if character != ",":
                raise self.fault(
                    later('"," or "{bracket}" is missing before {word}', bracket=self.closing[-1], word=self.word())
                )
            self.position += 1
            if self.peek() == self.closing[-1]:
                raise self.fault(later('remove the "," before "{bracket}"', bracket=self.closing[-1]))
        if self.closing[-1] == "}":
            self.member_key()
        self.value()

    def member_key(self) -> None:
        if self.peek() != '"':
            raise self.fault(later("expected a key in double quotes, not {word}", word=self.word()))
        line = self.line
        self.composer.key(self.string(), line)
        if self.peek() != ":":
            raise self.fault(later('":" is missing after the key'))
        self.position += 1

    def value(self) -> None:
        character, line = self.peek(), self.line
        if character in ("{", "["):
            self.position += 1
            self.composer.begin({} if character == "{" else [], line)
            self.closing.append("}" if character == "{" else "]")
            self.first = True
            return
        start = self.position
        value = self.string() if character == '"' else self.bare()
        self.composer.scalar(value, line, value if isinstance(value, str) else self.text[start : self.position])
        self.first = False

    def string(self) -> str:
        try:
            value, self.position = scanstring(self.text, self.position + 1, True)
        except JSONDecodeError as error:
            self.position = error.pos
            raise self.fault(later(error.msg[0].lower() + error.msg[1:].removesuffix(" at"))) from None
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            raise self.fault(later("unpaired surrogate"))
        return value

    def bare(self) -> Any:
        word = _WORD.match(self.text, self.position)
        if word is not None and word[0] in _LITERALS:
            self.position = word.end()
            return _LITERALS[word[0]]
        number = _NUMBER.fullmatch(word[0]) if word is not None else None
        if word is None or number is None:
            raise self.fault(later("{word} is not a value", word=self.word()))
        if len(word[0]) > _MAX_DIGITS:
            raise UnreadableError(self.line, later("a number has more than {most} digits", most=_MAX_DIGITS))
        self.position = word.end()
        return Decimal(word[0]) if number[1] or number[2] else int(word[0])

    def word(self) -> str:
        """The word at this position, for a message."""
        word = _WORD.match(self.text, self.position)
        if not self.peek():
            return later("the end")
        shown = word[0] if word else self.text[self.position]
        return f'"{shown[:40]}"'
