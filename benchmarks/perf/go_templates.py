"""Go's text/template, as far as scheduler_perf uses it: values, functions, pipelines, if, range and variables.

v1.37: test/integration/scheduler_perf/operations.go (getTemplateFuncs). For nested templates and other constructs, an
error names the construct.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

Env: TypeAlias = dict[str, Any]
Part: TypeAlias = Callable[[Env], str]
Value: TypeAlias = Callable[[Env], Any]

_TOKEN = re.compile(r"""\s+|(?P<text>"(?:[^"\\]|\\.)*"|`[^`]*`)|(?P<sign>[()|])|(?P<word>[^\s()|"`]+)""")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_FIELD = re.compile(r"\.[A-Za-z_][A-Za-z0-9_]*")
_DECLARED = re.compile(r"(\$[A-Za-z_][A-Za-z0-9_]*)\s*:=\s*(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
_DOT, _ROUNDS = ".", ""
"""Keys of an Env: the element of the innermost range, and how many rounds all ranges have made ([number])."""
_REFUSED = ("with", "define", "template", "block", "break", "continue")
_DEEPEST = 50


_LARGEST = 1 << 20
"""Characters of the longest template, and of the longest text that one renders."""


class TemplateError(ValueError):
    """A template cannot be parsed or evaluated."""


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise TemplateError(f"{_shown(value)} is not a number")
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise TemplateError(f"{_shown(value)} is not a number") from None


def _whole(number: float) -> int:
    if not math.isfinite(number):
        raise TemplateError(f"{number} is not a whole number")
    return int(number)


def _divide(a: Any, b: Any) -> float:
    if not _float(b):
        raise TemplateError("division by zero")
    return _float(a) / _float(b)


def _modulo(a: Any, b: Any) -> int:
    divisor = _whole(_float(b))
    if not divisor:
        raise TemplateError("division by zero")
    return int(math.fmod(_whole(_float(a)), divisor))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=float)


def _or(*values: Any) -> Any:
    return next((value for value in values if value), values[-1])


def _and(*values: Any) -> Any:
    return next((value for value in values if not value), values[-1])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "AddFloat": lambda *numbers: sum(map(_float, numbers)),
    "AddInt": lambda *numbers: _whole(sum(map(_float, numbers))),
    "SubtractFloat": lambda a, b: _float(a) - _float(b),
    "SubtractInt": lambda a, b: _whole(_float(a) - _float(b)),
    "MultiplyFloat": lambda *numbers: math.prod(map(_float, numbers)),
    "MultiplyInt": lambda *numbers: _whole(math.prod(map(_float, numbers))),
    "DivideFloat": _divide,
    "DivideInt": lambda a, b: _whole(_divide(a, b)),
    "Mod": _modulo,
    "Int": lambda value: _whole(_float(value)),
    "JSON": _json,
    "or": _or,
    "and": _and,
    "not": lambda value: not value,
    "eq": lambda a, *others: any(a == other for other in others),
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_WORDS = {"true": True, "false": False, "nil": None}


class Template:
    """A parsed template. TemplateError, starting with the line, if its syntax is invalid or not supported."""

    def __init__(self, text: str) -> None:
        if len(text) > _LARGEST:
            raise TemplateError(f"the template has more than {_LARGEST} characters")
        self._pieces = _pieces(text)
        self._render = self._block(())

    def render(self, env: Mapping[str, Any]) -> str:
        """Render the template with these values. TemplateError."""
        return self._render({**env, _ROUNDS: [0]})

    # -- structure

    def _block(self, ends: tuple[str, ...], depth: int = 0) -> Part:
        """Parse up to the next ``end`` (or ``else``), which is not consumed."""
        if depth > _DEEPEST:
            raise TemplateError(f"nested deeper than {_DEEPEST} levels")
        parts: list[Part] = []
        while self._pieces:
            line, text, action = self._pieces[0]
            word = action.split(None, 1)[0] if action.strip() else ""
            if text is None and word in ends:
                break
            self._pieces.popleft()
            if text is not None:
                parts.append(_constant(text))
            elif not action.startswith("/*"):
                parts.append(self._action(line, word, action, depth))
        else:
            if ends:
                raise TemplateError("an if or a range has no end")

        def block(env: Env) -> str:
            scope = dict(env)  # what is declared in a block ends with it
            return _joined(part(scope) for part in parts)

        return block

    def _action(self, line: int, word: str, action: str, depth: int) -> Part:
        if word in _REFUSED:
            raise TemplateError(f"line {line}: {{{{{word}}}}} is not supported in templates")
        if word in ("end", "else"):
            raise TemplateError(f"line {line}: {{{{{word}}}}} without an if before it")
        if word == "if":
            return self._condition(line, action.split(None, 1)[1] if " " in action.strip() else "", depth)
        if word == "range":
            return self._loop(line, action.removeprefix("range").strip(), depth)
        if declared := _DECLARED.fullmatch(action):
            return _declaration(declared[1], _value(declared[2], line))
        return _printed(_value(action, line), line)

    def _condition(self, line: int, condition: str, depth: int) -> Part:
        test, then = _value(condition, line), self._block(("else", "end"), depth + 1)
        at, _, action = self._pieces.popleft()
        describe = action.split(None, 2)
        if describe[0] == "end":
            otherwise = _constant("")
        elif len(describe) > 1 and describe[1] == "if":
            otherwise = self._condition(at, describe[2] if len(describe) > 2 else "", depth + 1)
        else:
            otherwise = self._block(("end",), depth + 1)
            self._pieces.popleft()
        return lambda env: then(env) if test(env) else otherwise(env)

    def _loop(self, line: int, over: str, depth: int) -> Part:
        """``range`` over a number or a list; its element is the dot, and the variable if there is one."""
        declared = _DECLARED.fullmatch(over)
        elements = _value(declared[2] if declared else over, line)
        body, otherwise = self._block(("else", "end"), depth + 1), _constant("")
        if self._pieces.popleft()[2].split(None, 1)[0] == "else":
            otherwise = self._block(("end",), depth + 1)
            self._pieces.popleft()
        names = (_DOT, declared[1]) if declared else (_DOT,)

        def part(env: Env) -> str:
            rounds = _rounds(elements(env), env, line)
            return _joined(body({**env, **dict.fromkeys(names, each)}) for each in rounds) if rounds else otherwise(env)

        return part


def _pieces(text: str) -> deque[tuple[int, str | None, str]]:
    """Alternating (line, text, "") and (line, None, action); trim markers are applied to the texts."""
    pieces: deque[tuple[int, str | None, str]] = deque()
    position, trim, line = 0, False, 1
    while (start := text.find("{{", position)) >= 0:
        line += text.count("\n", position, start)
        end = text.find("}}", start)
        if end < 0:
            raise TemplateError(f"line {line}: {{{{ is not closed")
        before, action = text[position:start], text[start + 2 : end]
        before = before.lstrip() if trim else before
        trims = action[:1] == "-" and action[1:2].isspace()
        inner = action[2:] if trims else action
        trim = inner[-1:] == "-" and inner[-2:-1].isspace()
        pieces.append((0, before.rstrip() if trims else before, ""))
        pieces.append((line, None, inner[: -2 if trim else None].strip()))
        position, line = end + 2, line + action.count("\n")
    rest = text[position:]
    pieces.append((0, rest.lstrip() if trim else rest, ""))
    return pieces


def _joined(parts: Iterable[str]) -> str:
    texts, size = [], 0
    for text in parts:
        size += len(text)
        if size > _LARGEST:
            raise TemplateError(f"the text that it renders has more than {_LARGEST} characters")
        texts.append(text)
    return "".join(texts)


def _constant(text: str) -> Part:
    return lambda _: text


def _declaration(name: str, value: Value) -> Part:
    def part(env: Env) -> str:
        env[name] = value(env)
        return ""

    return part


def _rounds(over: Any, env: Env, line: int) -> Sequence[Any]:
    """The elements of a range. TemplateError if all ranges together would make too many rounds."""
    if isinstance(over, bool) or not isinstance(over, int | list | None):
        raise TemplateError(f"line {line}: range needs a number or a list")
    rounds = range(over) if isinstance(over, int) else over or ()
    env[_ROUNDS][0] += len(rounds)
    if env[_ROUNDS][0] > _LARGEST:
        raise TemplateError(f"line {line}: ranges make more than {_LARGEST} rounds")
    return rounds


def _printed(value: Value, line: int) -> Part:
    def part(env: Env) -> str:
        result = value(env)
        if result is None:
            raise TemplateError(f"line {line}: the value is not defined and has no default (use: or .name default)")
        return _shown(result)

    return part


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | Decimal):
        return f"{value:g}" if value != int(value) else str(int(value))
    return str(value)


# -- values


def _value(text: str, line: int) -> Value:
    """Parse a pipeline."""
    tokens = _tokens(text, line)
    value = _pipeline(tokens, line)
    if tokens:
        raise TemplateError(f"line {line}: unexpected {tokens[0]}")

    def guarded(env: Env) -> Any:
        try:
            return value(env)
        except TemplateError as error:
            raise TemplateError(f"line {line}: {error}") from None
        except TypeError:
            why = "a function has the wrong number or type of arguments"
            raise TemplateError(f"line {line}: {why}") from None

    return guarded


def _tokens(text: str, line: int) -> deque[str]:
    tokens: deque[str] = deque()
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise TemplateError(f"line {line}: a string is not closed")
        if match[0].strip():
            tokens.append(match[0])
        position = match.end()
    return tokens


def _pipeline(tokens: deque[str], line: int, depth: int = 0) -> Value:
    """``a | f x``: the value before the bar is the last argument of the function after it."""
    if depth > _DEEPEST:
        raise TemplateError(f"line {line}: nested deeper than {_DEEPEST} levels")
    value = _command(tokens, line, None, depth)
    while tokens and tokens[0] == "|":
        tokens.popleft()
        value = _command(tokens, line, value, depth)
    return value


def _command(tokens: deque[str], line: int, last: Value | None, depth: int) -> Value:
    if not tokens or tokens[0] in ("|", ")"):
        raise TemplateError(f"line {line}: a value is missing")
    name = tokens[0]
    function = FUNCTIONS.get(name)
    if function is None and (last is not None or (name[0].isalpha() and name not in _WORDS)):
        raise TemplateError(f'line {line}: unknown function "{name}"')
    if function is None:
        return _operand(tokens, line, depth)
    tokens.popleft()
    arguments = []
    while tokens and tokens[0] not in ("|", ")"):
        arguments.append(_operand(tokens, line, depth))
    if last is not None:
        arguments.append(last)
    if not arguments:
        raise TemplateError(f"line {line}: {name} has no arguments")
    call = function
    return lambda env: call(*[argument(env) for argument in arguments])


def _operand(tokens: deque[str], line: int, depth: int) -> Value:
    token = tokens.popleft()
    if token == "(":
        value = _pipeline(tokens, line, depth + 1)
        if not tokens or tokens.popleft() != ")":
            raise TemplateError(f"line {line}: a parenthesis is not closed")
        return value
    if token[0] in '"`':
        text = token[1:-1] if token[0] == "`" else _unquoted(token, line)
        return lambda _: text
    if _NUMBER.fullmatch(token) and len(token) < 30:
        number = float(token) if "." in token else int(token)
        return lambda _: number
    if token in _WORDS:
        return lambda _: _WORDS[token]
    if _VARIABLE.fullmatch(token):
        return lambda env: _variable(env, token)
    if token == _DOT:
        return lambda env: env.get(_DOT)
    if _FIELD.fullmatch(token):
        return lambda env: _field(env, token[1:])
    raise TemplateError(f"line {line}: {token} is not supported in templates")


def _variable(env: Env, name: str) -> Any:
    if name not in env:
        raise TemplateError(f'undefined variable "{name}"')
    return env[name]


def _field(env: Env, name: str) -> Any:
    if _DOT in env:
        raise TemplateError(f"can't evaluate field {name} of {_shown(env[_DOT])}")
    return env.get(name)


def _unquoted(token: str, line: int) -> str:
    try:
        text: str = json.loads(token)
    except ValueError:
        raise TemplateError(f"line {line}: {token} is not a string") from None
    return text
