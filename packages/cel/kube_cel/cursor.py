"""A place in the tokens of an expression, and what the parser says of a token that does not fit.

The messages are those of ANTLR's default error strategy, which cel-go v0.29.2 uses.
"""

from __future__ import annotations

from typing import NoReturn

from kube_cel.errors import Source
from kube_cel.tokens import Token, tokenize

RELATIONS = {"<", "<=", ">=", ">", "==", "!=", "in"}
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}
_OPERATOR_TOKENS = {*RELATIONS, *PRECEDENCE, "&&", "||", "?", ".", "["}
_LITERALS = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER"
OPERAND = "{'[', '{', '(', '.', '-', '!', " + _LITERALS + "}"
FIRST = {  # what may stand behind an opening bracket
    "index": "{'[', '{', '(', '.', '-', '!', '?', " + _LITERALS + "}",
    "list": "{'[', ']', '{', '(', '.', ',', '-', '!', '?', " + _LITERALS + "}",
    "map": "{'[', '{', '}', '(', '.', ',', '-', '!', '?', " + _LITERALS + "}",
    "call": "{'[', '{', '(', ')', '.', '-', '!', " + _LITERALS + "}",
}
MEMBER = "{'[', '{', '(', '.', '-', " + _LITERALS + "}"
STARTS = {"[", "{", "(", ".", "-", "!", "true", "false", "null", "FLOAT", "INT", "UINT", "STRING", "BYTES", "IDENT"}
_NAMES = {"IDENT": "IDENTIFIER"}


class StopError(Exception):
    """The parse ends; the error is reported."""


class Cursor:
    """The tokens of a source and the one that is next."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokenize(source)
        self.at = 0
        self.closers: list[tuple[str, ...]] = [("EOF",)]  # what ends the expressions around this place
        self.first = (-1, "")  # a place behind an opening bracket, and what may stand there

    @property
    def token(self) -> Token:
        """The token that is next."""
        return self.tokens[self.at]

    def accept(self, kind: str) -> Token | None:
        """The next token if it is of this kind; it is read."""
        token = self.tokens[self.at]
        if token.kind != kind:
            return None
        self.at += 1
        return token

    def expect(self, *kinds: str) -> Token:
        """The token, which must be of one of these kinds."""
        for kind in kinds:
            if token := self.accept(kind):
                return token
        self.unexpected(kinds)

    def unexpected(self, kinds: tuple[str, ...]) -> NoReturn:
        """The next token is none of these."""
        token = self.token
        names = [_NAMES.get(kind, f"'{kind}'") for kind in kinds]
        expected = names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
        if self.following.kind in kinds:
            self.fail(f"extraneous input '{token.text}' expecting {expected}")
        if len(kinds) == 1 and self.may_be_missing(kinds[0], token.kind):
            self.fail(f"missing {expected} at '{token.text}'")
        self.fail(f"mismatched input '{token.text}' expecting {expected}")

    def may_be_missing(self, kind: str, following: str) -> bool:
        """Whether the parse could go on if a token of this kind stood here."""
        if kind in (")", "]", "}"):
            return following in _OPERATOR_TOKENS or following in self.closers[-1]
        return kind == ":" and following in STARTS

    @property
    def following(self) -> Token:
        """The token after the next."""
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def fail(self, problem: str) -> NoReturn:
        """Report a syntax error at the next token, and stop."""
        self.source.report(self.token.at, f"Syntax error: {problem}")
        raise StopError

    def no_operand(self, expected: str) -> NoReturn:
        """The next token starts no operand."""
        token = self.token
        if self.first[0] == self.at:
            expected = self.first[1]
        extra = token.kind != "EOF" and self.following.kind in STARTS
        self.fail(f"{'extraneous' if extra else 'mismatched'} input '{token.text}' expecting {expected}")
