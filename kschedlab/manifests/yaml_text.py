"""YAML as Kubernetes reads it.

:mod:`kschedlab.manifests.composer` turns libyaml's events into data without recursion. Plain scalars get the types of
sigs.k8s.io/yaml v1.6 (go.yaml.in/yaml/v2 resolve.go), not those of PyYAML: ``1:30`` is text, ``1e3`` a number and
``y`` true.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from kschedlab.manifests.composer import MERGE, Composer, UnreadableError
from kschedlab.messages import later
from kschedlab.objects.problems import shortened

_WORDS: dict[str, bool | None] = (
    dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True)
    | dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False)
    | dict.fromkeys(["", "~", "null", "Null", "NULL"], None)
)
_INFINITE = (".inf", ".Inf", ".INF")
_NOT_FINITE = {sign + word for sign in ("", "+", "-") for word in _INFINITE} | {".nan", ".NaN", ".NAN"}
_INTEGER = re.compile(r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_STARTS = frozenset("0123456789+-.")
_MAX_DIGITS = 64
_UINT64_MAX = 2**64 - 1
_TAG = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    f"{_TAG}int": (int,),
    f"{_TAG}float": (int, Decimal),
    f"{_TAG}bool": (bool,),
    f"{_TAG}null": (type(None),),
}


def compose_yaml(text: str, positions: bool = False) -> Composer:
    """The documents in the text. UnreadableError if it is not valid YAML."""
    import yaml

    composer = Composer(positions)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(text, Loader=loader):
            _compose(event, composer)
    except UnicodeEncodeError as error:
        raise UnreadableError(text[: error.start].count("\n") + 1, "unpaired surrogate") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        last = max(len(text.splitlines()), 1)  # an error at the end of the text is marked on the line after it
        raise _not_yaml(min(mark.line + 1, last) if mark else 1, _yaml_problem(error)) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        raise _not_yaml(before.count("\n") + 1, later(error.reason)) from None
    return composer


def _not_yaml(line: int, why: str) -> UnreadableError:
    return UnreadableError(line, later("not valid YAML: {why}", why=why))


def _yaml_problem(error: Any) -> str:
    problem = later(error.problem or "syntax error")
    if error.context and error.context_mark is not None:
        return later(
            "{problem} ({context} that starts on line {line})",
            problem=problem,
            context=later(error.context),
            line=error.context_mark.line + 1,
        )
    return problem


def _compose(event: Any, composer: Composer) -> None:
    import yaml

    line = event.start_mark.line + 1
    kind = type(event)
    if kind is yaml.ScalarEvent:
        _compose_scalar(event, line, composer)
    elif kind is yaml.MappingStartEvent:
        _check_tag(event.tag, "map", line)
        composer.begin({}, line, event.anchor)
    elif kind is yaml.SequenceStartEvent:
        _check_tag(event.tag, "seq", line)
        composer.begin([], line, event.anchor)
    elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
        composer.end()
    elif kind is yaml.AliasEvent:
        if composer.wants_key:
            raise UnreadableError(line, "a map's key must be text, not an alias")
        composer.alias(event.anchor, line)


def _check_tag(tag: str | None, expected: str, line: int) -> None:
    if tag not in (None, "!", f"{_TAG}{expected}"):
        raise UnreadableError(line, later("the tag {tag} is not allowed in a Kubernetes object", tag=_short_tag(tag)))


def _short_tag(tag: str | None) -> str:
    return str(tag).replace(_TAG, "!!")


def _compose_scalar(event: Any, line: int, composer: Composer) -> None:
    text, plain = event.value, not event.style
    if composer.wants_key:
        merge = plain and text == "<<" and event.tag is None
        composer.key(MERGE if merge else _key(text, plain and event.tag is None, line), line)
        return
    try:
        value = _typed(text, plain, event.tag)
    except ValueError as error:
        composer.faults.append((line, error.args[0]))
        value = None
    composer.scalar(value, line, text, event.anchor)


def _key(text: str, plain: bool, line: int) -> str:
    """The key as text: ``true`` and ``yes`` become "true", ``010`` becomes "8"."""
    try:
        value = resolve(text) if plain else text
    except ValueError as error:
        raise UnreadableError(line, error.args[0]) from None
    if value is None or isinstance(value, Decimal):
        raise UnreadableError(line, later("a map's key must be text: put {text} in quotes", text=text or later("it")))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _typed(text: str, plain: bool, tag: str | None) -> Any:
    if tag is None:
        return resolve(text) if plain else text
    if tag in ("!", f"{_TAG}str"):
        return text
    value = resolve(text)
    if tag not in _TYPES:
        raise ValueError(later("the tag {tag} is not allowed in a Kubernetes object", tag=_short_tag(tag)))
    if type(value) not in _TYPES[tag]:
        raise ValueError(later('"{text}" does not fit the tag {tag}', text=shortened(text), tag=_short_tag(tag)))
    return value


def resolve(text: str) -> str | int | bool | Decimal | None:
    """The value of a plain scalar, a fraction as Go parses it. ValueError if not finite, or longer than 64 digits."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if text in _NOT_FINITE:
        raise ValueError(later("{text} is not a finite number", text=text))
    digits = text.replace("_", "") if text[0] != "." else text
    if (match := _INTEGER.fullmatch(digits)) or _FLOAT.fullmatch(digits):
        if len(digits) > _MAX_DIGITS:
            raise ValueError(later('"{text}" has more than {most} digits', text=shortened(text), most=_MAX_DIGITS))
        number = _integer(match) if match else None
        return number if number is not None else _fraction(digits, text)
    return text


def _integer(match: re.Match[str]) -> int | None:
    """The integer, or None if it does not fit into 64 bits."""
    sign, hexadecimal, binary, octal, decimal = match.groups()
    for digits, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10)):
        if digits is not None:
            number = int(digits, base)
            if sign == "-":
                return -number if number <= 2**63 else None
            return number if number <= (2**63 - 1 if sign else _UINT64_MAX) else None
    return None


def _fraction(digits: str, text: str) -> int | Decimal | str:
    if not _FLOAT.fullmatch(digits):
        return text
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        return text
    number = Decimal(repr(value))
    return int(number) if value.is_integer() and abs(value) < 1e21 else number
