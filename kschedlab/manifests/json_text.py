"""JSON with line numbers: one value, or several after one another. Slower than msgspec; read when that fails."""

from __future__ import annotations

import re
from bisect import bisect_right
from decimal import Decimal
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import Any

from kschedlab.manifests.composer import Composer, UnreadableError

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_LONGEST_NUMBER = 64


def compose_json(text: str, positions: bool = False) -> Composer:
    """The values in the text. UnreadableError if it cannot be read to its end."""
    return _Reader(text, Composer(positions)).read()


class _Reader:
    """Reads the text from left to right and hands what it finds to the composer."""

    def __init__(self, text: str, composer: Composer) -> None:
        self.text = text
        self.composer = composer
        self.at = 0
        self.closing: list[str] = []
        self.first = False
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]

    @property
    def line(self) -> int:
        return bisect_right(self.starts, self.at)

    def fault(self, message: str) -> UnreadableError:
        return UnreadableError(self.line, f"not valid JSON: {message}")

    def read(self) -> Composer:
        while self.peek():
            self.value()
            while self.closing:
                self.next_member()
        return self.composer

    def peek(self) -> str:
        """The next character that is no space, "" at the end."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def next_member(self) -> None:
        """What follows inside the innermost map or list: another member, or its end."""
        found = self.peek()
        if found == self.closing[-1]:
            self.at += 1
            self.closing.pop()
            self.composer.end()
            self.first = False
            return
        if not found:
            raise self.fault(f'it ends where "{self.closing[-1]}" is missing')
        if not self.first:
            if found != ",":
                raise self.fault(f'"," or "{self.closing[-1]}" is missing before {self.word()}')
            self.at += 1
            if self.peek() == self.closing[-1]:
                raise self.fault(f'there is a "," too many before "{self.closing[-1]}"')
        self.first = False
        if self.closing[-1] == "}":
            self.member_key()
        self.value()

    def member_key(self) -> None:
        if self.peek() != '"':
            raise self.fault(f"a key in double quotes is expected, not {self.word()}")
        line = self.line
        self.composer.key(self.string(), line)
        if self.peek() != ":":
            raise self.fault('":" is missing after the key')
        self.at += 1

    def value(self) -> None:
        found, line = self.peek(), self.line
        if found in ("{", "["):
            self.at += 1
            self.composer.begin({} if found == "{" else [], line)
            self.closing.append("}" if found == "{" else "]")
            self.first = True
            return
        start = self.at
        value = self.string() if found == '"' else self.bare()
        self.composer.scalar(value, line, value if isinstance(value, str) else self.text[start : self.at])
        self.first = False

    def string(self) -> str:
        try:
            value, self.at = scanstring(self.text, self.at + 1, True)
        except JSONDecodeError as error:
            self.at = error.pos
            raise self.fault(error.msg[0].lower() + error.msg[1:].removesuffix(" at")) from None
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            raise self.fault("half of a surrogate pair")
        return value

    def bare(self) -> Any:
        """true, false, null or a number."""
        word = _WORD.match(self.text, self.at)
        if word is not None and word[0] in _LITERALS:
            self.at = word.end()
            return _LITERALS[word[0]]
        number = _NUMBER.fullmatch(word[0]) if word is not None else None
        if word is None or number is None:
            raise self.fault(f"{self.word()} is not a value")
        if len(word[0]) > _LONGEST_NUMBER:
            raise UnreadableError(self.line, f"a number has more than {_LONGEST_NUMBER} digits")
        self.at = word.end()
        return Decimal(word[0]) if number[1] or number[2] else int(word[0])

    def word(self) -> str:
        """What stands here, for a message."""
        word = _WORD.match(self.text, self.at)
        return f'"{(word[0] if word else self.text[self.at : self.at + 1])[:40]}"' if self.peek() else "the end"
