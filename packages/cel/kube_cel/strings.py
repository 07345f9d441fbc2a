"""Functions on strings (cel-go v0.29.2: ext/strings.go, version 2; apiserver v0.37.0: pkg/cel/library/regex.go)."""

from __future__ import annotations

from kube_cel.errors import ESCAPES
from kube_cel.formatting import format_string
from kube_cel.numbers import text_of
from kube_cel.regex import RegexError, compile_regex
from kube_cel.run import check_length
from kube_cel.values import Err, Function, Value

_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def _out_of_range(index: int) -> Err:
    return Err(f"index out of range: {index}")


def _char_at(text: str, index: int) -> Value:
    return text[index : index + 1] if 0 <= index <= len(text) else _out_of_range(index)


def _index_of(text: str, part: str, offset: int = 0) -> Value:
    if offset < 0:
        return _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    return text.find(part, offset) if offset < len(text) else -1


def _last_index_of(text: str, part: str, offset: int | None = None) -> Value:
    if offset is None:
        return text.rfind(part)
    if offset < 0:
        return _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    return text.rfind(part, 0, offset + len(part)) if offset < len(text) else -1


def _substring(text: str, start: int, end: int | None = None) -> Value:
    if end is None:
        return text[start:] if 0 <= start <= len(text) else _out_of_range(start)
    if start > end:
        return Err(f"invalid substring range. start: {start}, end: {end}")
    if not 0 <= start <= len(text):
        return _out_of_range(start)
    return text[start:end] if end <= len(text) else _out_of_range(end)


def _replace(text: str, old: str, new: str, count: int = -1) -> Value:
    found = text.count(old)
    replaced = found if count < 0 else min(count, found)
    check_length(len(text) + replaced * (len(new) - len(old)))
    return text.replace(old, new, replaced)


def _split(text: str, separator: str, count: int = -1) -> Value:
    if count == 0:
        return []
    if not separator:
        if count < 0:
            return list(text)
        rest = text[count - 1 :]
        return [*text[: count - 1], rest] if rest else list(text)
    return text.split(separator, count - 1)


def _join(items: list[Value], separator: str = "") -> Value:
    for item in items:
        if not isinstance(item, str):
            return Err(f"join: invalid input: {text_of(item)}")
    return separator.join(items)


def _lower(text: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in text)


def _upper(text: str) -> str:
    return "".join(c.upper() if c.isascii() else c for c in text)


def _quote(text: str) -> str:
    return '"' + "".join(ESCAPES.get(c, c) for c in text) + '"'


def _find(text: str, pattern: str) -> Value:
    try:
        span = compile_regex(pattern).find(text)
    except RegexError as error:
        return Err(f"Illegal regex: {error}")
    return text[span[0] : span[1]] if span else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> Value:
    try:
        return compile_regex(pattern).find_all(text, limit)
    except RegexError as error:
        return Err(f"Illegal regex: {error}")


OVERLOADS: dict[str, Function] = {
    "string_index_of_string": _index_of,
    "string_index_of_string_int": _index_of,
    "string_last_index_of_string": _last_index_of,
    "string_last_index_of_string_int": _last_index_of,
}
FUNCTIONS: dict[str, Function] = {
    "charAt": _char_at,
    "substring": _substring,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "lowerAscii": _lower,
    "upperAscii": _upper,
    "trim": lambda text: text.strip(_SPACE),
    "strings.quote": _quote,
    "format": format_string,
    "find": _find,
    "findAll": _find_all,
}
