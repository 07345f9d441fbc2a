"""Tokens of an expression (cel-go v0.29.2: parser/gen/CEL.g4, parser/unescape.go)."""

from __future__ import annotations

import re
from typing import NamedTuple

from kube_cel.errors import Source


class Token(NamedTuple):
    """``kind``: a symbol or keyword itself, or INT, UINT, FLOAT, STRING, BYTES, IDENT, ESC or EOF."""

    kind: str
    text: str
    at: int


_ESCAPE = r"""\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"""
_STRING = (
    rf'"""(?:{_ESCAPE}|[^\\])*?"""'
    rf"|'''(?:{_ESCAPE}|[^\\])*?'''"
    rf'|"(?:{_ESCAPE}|[^\\"\n\r])*"'
    rf"|'(?:{_ESCAPE}|[^\\'\n\r])*'"
    r'|[rR]"""[\s\S]*?"""' + r"|[rR]'''[\s\S]*?'''" + r'|[rR]"[^"\n\r]*"' + r"|[rR]'[^'\n\r]*'"
)
_RULES = [
    ("SPACE", r"[\t \r\n\f]+|//[^\n]*"),
    ("FLOAT", r"[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?"),
    ("UINT", r"0x[0-9a-fA-F]+[uU]|[0-9]+[uU]"),
    ("INT", r"0x[0-9a-fA-F]+|[0-9]+"),
    ("BYTES", rf"[bB](?:{_STRING})"),
    ("STRING", _STRING),
    ("IDENT", r"[A-Za-z_][A-Za-z0-9_]*"),
    ("ESC", r"`[A-Za-z0-9_.\-/ ]+`"),
    ("SYMBOL", r"==|!=|<=|>=|&&|\|\||[<>\[\]{}().,\-!?:+*/%]"),
]
_WHOLE_ESCAPE = re.compile(_ESCAPE)
_BEGUN_ESCAPE = re.compile(r"\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?")
_TOKEN = re.compile("|".join(f"(?P<{name}>{rule})" for name, rule in _RULES))
_KEYWORDS = {"in", "true", "false", "null"}
_SIMPLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_BROKEN_NAME = re.compile(r"`[A-Za-z0-9_.\-/ ]*[\s\S]?")


def tokenize(source: Source) -> list[Token]:
    """All tokens, ending with EOF; anything else is reported and skipped."""
    tokens: list[Token] = []
    text, at = source.text, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            end = _unknown(text, at)
            source.report(at, f"Syntax error: token recognition error at: '{text[at:end]}'")
            at = end
            continue
        kind = match.lastgroup or ""
        word = match.group()
        if kind == "SYMBOL" or word in _KEYWORDS:
            kind = word
        if kind != "SPACE":
            tokens.append(Token(kind, word, at))
        at = match.end()
    tokens.append(Token("EOF", "<EOF>", len(text)))
    return tokens


def _unknown(text: str, at: int) -> int:
    """The end of what the lexer gives up on."""
    if text[at] in "\"'":
        return _broken_string(text, at)
    if match := _BROKEN_NAME.match(text, at):
        return match.end()
    return at + (2 if text[at] in "&|=" else 1)


def _broken_string(text: str, at: int) -> int:
    end = at + 1
    while end < len(text) and text[end] not in "\n\r":
        escape = _WHOLE_ESCAPE.match(text, end)
        if escape is None and (begun := _BEGUN_ESCAPE.match(text, end)):
            end = begun.end()
            break
        end = escape.end() if escape else end + 1
    return min(end + 1, len(text))


def unquote(literal: str, is_bytes: bool) -> str | bytes:
    """The value of a string or bytes literal. Raises ValueError with the reason."""
    if is_bytes:
        literal = literal[1:]
    literal = literal.replace("\r\n", "\n").replace("\r", "\n")
    raw = literal[0] in "rR"
    if raw:
        literal = literal[1:]
    quotes = 3 if literal[:3] in ('"""', "'''") else 1
    body = literal[quotes:-quotes]
    if raw or "\\" not in body:
        return body.encode() if is_bytes else body
    out = bytearray()
    at = 0
    while at < len(body):
        if body[at] != "\\":
            out += body[at].encode("utf-8", "surrogatepass")
            at += 1
            continue
        code, at = _unescape(body, at + 1, is_bytes)
        out += bytes([code]) if is_bytes else chr(code).encode()
    return bytes(out) if is_bytes else out.decode()


def _unescape(body: str, at: int, is_bytes: bool) -> tuple[int, int]:
    letter = body[at]
    if letter in "xXuU":
        digits = {"x": 2, "X": 2, "u": 4, "U": 8}[letter]
        if is_bytes and letter in "uU":
            raise ValueError("unable to unescape string")
        code, end = int(body[at + 1 : at + 1 + digits], 16), at + 1 + digits
    elif letter in "0123":
        code, end = int(body[at : at + 3], 8), at + 3
    else:
        return _SIMPLE.get(letter, ord(letter)), at + 1
    if not is_bytes and (code > 0x10FFFF or 0xD800 <= code < 0xE000):
        raise ValueError("invalid unicode code point")
    return code, end
