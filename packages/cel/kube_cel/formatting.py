"""``"%s".format([...])`` (cel-go v0.29.2: ext/formatting.go, with the locale en_US)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from kube_cel.errors import UnsupportedError, go_quote
from kube_cel.numbers import text_of
from kube_cel.times import duration_text, timestamp_text
from kube_cel.values import Duration, Err, Map, Timestamp, TypeValue, UInt, Value, type_name

_SUPERSCRIPT = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_MAX_PRECISION = 1000
STRING_CLAUSE = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps, was given "
)


class FormatError(Exception):
    """The format or an argument is wrong. ``argument``: the place of the argument, if it is one."""

    def __init__(self, message: str, argument: int | None = None) -> None:
        super().__init__(message)
        self.argument = argument


def format_string(template: str, args: list[Value]) -> Value:
    """The formatted text, or an error."""
    try:
        return "".join(
            clause if isinstance(clause, str) else clause.shown(args) for clause in clauses(template, len(args))
        )
    except FormatError as error:
        return Err(str(error))


def clauses(template: str, count: int) -> list[str | Clause]:
    """The parts of a template for that many arguments. Raises FormatError."""
    parts: list[str | Clause] = []
    at = used = 0
    while at < len(template):
        percent = template.find("%", at)
        if percent < 0:
            parts.append(template[at:])
            break
        parts.append(template[at:percent])
        if template[percent + 1 : percent + 2] == "%":
            parts.append("%")
            at = percent + 2
            continue
        parts.append(Clause(template[percent + 1 :], used, count))
        at = percent + 1 + parts[-1].length  # type: ignore[union-attr]
        used += 1
    return parts


class Clause:
    """``%s`` and the like. What is wrong with it shows when it is used, as in the real one."""

    def __init__(self, text: str, at: int, count: int) -> None:
        self.at = at
        self.problem = ""
        self.precision: int | None = None
        match = re.match(r"(?:\.([0-9]*))?([\s\S])?", text)
        assert match
        self.length = match.end()
        self.letter = chr(match[2].encode("utf-8", "surrogatepass")[0]) if match[2] else ""  # Go looks at one byte
        if not text:
            self.problem = "unexpected end of string"
        elif at >= count:
            self.problem = f"index {at} out of range"
        elif match[1] is not None:
            self._read_precision(match[1])
        if not self.problem and self.letter not in _FORMATS:
            self.problem = f'could not parse formatting clause: unrecognized formatting clause "{self.letter}"'

    def _read_precision(self, digits: str) -> None:
        before = "could not parse formatting clause: error while parsing precision: "
        if not self.letter:
            self.problem = before + "could not find end of precision specifier"
        elif not digits:
            self.problem = (
                before + 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
            )
        elif len(digits.lstrip("0")) > 4 or int(digits[-4:]) > _MAX_PRECISION:
            raise UnsupportedError("kube_cel formats at most 1,000 digits")
        else:
            self.precision = int(digits[-4:])

    def shown(self, args: list[Value]) -> str:
        """Its argument as text."""
        if self.problem:  # a clause without its end asks for its argument first, but is validated in the other order
            raise FormatError(self.problem if self.at < len(args) else f"index {self.at} out of range")
        try:
            return _FORMATS[self.letter](args[self.at], self.precision)
        except FormatError as error:
            raise FormatError(f"error during formatting: {error}", self.at) from None


def _string(value: Value, precision: int | None = None) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_quoted(item) for item in value)}]"
    if type(value) is Map:
        pairs = sorted((_map_key(key), _quoted(item)) for key, item in value.items())
        return "{" + ", ".join(f"{key}:{item}" for key, item in pairs) + "}"
    if type(value) is bytes:
        try:
            return value.decode()
        except UnicodeDecodeError:
            fault = "invalid UTF-8 in bytes, cannot convert to string"
            raise FormatError(f'could not convert argument "{fault}" to string') from None
    if type(value) is Duration:
        return duration_text(value)
    if type(value) is Timestamp:
        return timestamp_text(value)
    if type(value) is TypeValue:
        return value.name
    if value is None:
        return "null"
    if type(value) in (bool, int, UInt, float, str):
        return text_of(value)
    raise FormatError(STRING_CLAUSE + type_name(value))


def _map_key(key: Value) -> str:
    if type(key) not in (str, bool, int, UInt):
        raise FormatError(f"no formatting function for map key of type {type_name(key)}")
    return _quoted(key)


def _quoted(value: Value) -> str:
    """The value inside a list or map, as a literal."""
    if type(value) is str:
        return go_quote(value)
    if type(value) is bytes:
        return "b" + go_quote(_string(value))
    if type(value) is float:
        text = "NaN" if math.isnan(value) else f"{value:+f}" if math.isinf(value) else f"{value:.6f}"
        text = text.replace("inf", "Inf")
        return f'"{text}"' if not math.isfinite(value) else text
    if (text_of_call := call_text(value)) is not None:
        return text_of_call
    if value is None or isinstance(value, bool | int | list | Map):
        return _string(value)
    raise FormatError(f"no formatting function for {type_name(value)}")


def call_text(value: Value) -> str | None:
    """A duration, timestamp or type as an expression writes it; None for other values."""
    if type(value) is Duration:
        return f'duration("{duration_text(value)}")'
    if type(value) is Timestamp:
        return f'timestamp("{timestamp_text(value)}")'
    return value.name if type(value) is TypeValue else None


def _decimal(value: Value, precision: int | None) -> str:
    if type(value) not in (int, UInt):
        raise FormatError(f"decimal clause can only be used on integers, was given {type_name(value)}")
    return str(value)


def _float(value: Value, clause: str) -> float:
    special = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    if type(value) is str and value in special:
        return special[value]
    if type(value) is not float:
        raise FormatError(f"{clause} clause can only be used on doubles, was given {type_name(value)}")
    return value


def _fixed(value: Value, precision: int | None) -> str:
    number = _float(value, "fixed-point")
    if not math.isfinite(number):
        return _special(number)
    return f"{number or 0.0:,.{6 if precision is None else precision}f}"  # x/text writes no -0.0


def _scientific(value: Value, precision: int | None) -> str:
    number = _float(value, "scientific")
    text = _special(number)
    if math.isfinite(number):
        mantissa, _, exponent = f"{number or 0.0:.6e}".partition("e")
        text = f"{mantissa}×10{exponent.removeprefix('+').translate(_SUPERSCRIPT)}"
    return text.rjust(6 if precision is None else precision)  # golang.org/x/text v0.40.0 takes the precision as width


def _special(number: float) -> str:
    return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"


def _binary(value: Value, precision: int | None) -> str:
    if type(value) not in (int, UInt, bool):
        raise FormatError(f"only integers and bools can be formatted as binary, was given {type_name(value)}")
    return f"{int(value):b}"


def _hex(upper: bool) -> Callable[[Value, int | None], str]:
    def apply(value: Value, precision: int | None) -> str:
        if type(value) in (str, bytes):
            text = (value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value).hex()
        elif type(value) in (int, UInt):
            text = f"{value:x}"
        else:
            raise FormatError(
                f"only integers, byte buffers, and strings can be formatted as hex, was given {type_name(value)}"
            )
        return text.upper() if upper else text

    return apply


def _octal(value: Value, precision: int | None) -> str:
    if type(value) not in (int, UInt):
        raise FormatError(f"octal clause can only be used on integers, was given {type_name(value)}")
    return f"{value:o}"


_ACCEPTED = {
    "d": (("int", "uint"), "decimal clause can only be used on integers, was given "),
    "f": (("double", "string"), "fixed-point clause can only be used on doubles, was given "),
    "e": (("double", "string"), "scientific clause can only be used on doubles, was given "),
    "b": (("int", "uint", "bool"), "only integers and bools can be formatted as binary, was given "),
    "o": (("int", "uint"), "octal clause can only be used on integers, was given "),
}
_HEX = (
    ("int", "uint", "string", "bytes"),
    "only integers, byte buffers, and strings can be formatted as hex, was given ",
)


def wrong_type(letter: str, kind: str) -> str:
    """Why a clause does not accept values of this kind, before the type's name; empty if it does."""
    accepted, message = _ACCEPTED.get(letter, _HEX)
    return "" if kind in accepted else message


_FORMATS: dict[str, Callable[[Value, int | None], str]] = {
    "s": _string,
    "d": _decimal,
    "f": _fixed,
    "e": _scientific,
    "b": _binary,
    "x": _hex(False),
    "X": _hex(True),
    "o": _octal,
}
