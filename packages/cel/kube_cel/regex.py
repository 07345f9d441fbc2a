"""Regular expressions with the semantics of RE2 as Go has them (regexp, regexp/syntax): time is linear in the text.

Python's own ``re`` backtracks, so a selector could make it run for years. Here a pattern becomes a program. A search
follows all alternatives at once and remembers what it learnt (a lazily built DFA).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TypeAlias

from kube_cel.errors import UnsupportedError

MAX_PROGRAM = 20_000
_MAX_REPEAT = 1000
_MAX_NESTING = 1000
_WRONG_ESCAPE = re.compile(r"\\x\{0*(?:10[0-9a-fA-F]{4}|[0-9a-fA-F]{0,5}).?|\\x.{0,2}|\\.", re.DOTALL)
"""As far as Go reads an escape until it is wrong."""
Test: TypeAlias = Callable[[str], bool]


class RegexError(ValueError):
    """The pattern is wrong."""

    def __init__(self, problem: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {problem}: `{part}`")


@dataclass(slots=True)
class Instruction:
    """``char`` (accepts), ``split`` (targets), ``assert`` (condition) or ``match``."""

    kind: str
    accepts: Test = lambda character: False
    targets: tuple[int, ...] = ()
    condition: str = ""


@dataclass(slots=True)
class _Node:
    kind: str  # char, cat, alt, repeat, assert
    parts: list[_Node] = field(default_factory=list)
    accepts: Test = lambda character: False
    low: int = 0
    high: int = -1
    greedy: bool = True
    condition: str = ""

    def copies(self) -> int:
        """How often a repetition inside a repetition is written out, at most."""
        inner = max((part.copies() for part in self.parts), default=1)
        return inner * max(self.low, self.high, 1) if self.kind == "repeat" else inner


def compile_program(pattern: str) -> list[Instruction]:
    """The program of a pattern; raises RegexError."""
    tree = _Reader(pattern).read()
    program: list[Instruction] = []
    _emit(tree, program)
    program.append(Instruction("match"))
    return program


def _emit(node: _Node, program: list[Instruction]) -> None:
    if len(program) > MAX_PROGRAM:
        raise UnsupportedError("a regular expression is larger than kube_cel's limit")
    if node.kind == "char":
        program.append(Instruction("char", node.accepts))
    elif node.kind == "assert":
        program.append(Instruction("assert", condition=node.condition))
    elif node.kind == "cat":
        for part in node.parts:
            _emit(part, program)
    elif node.kind == "alt":
        _emit_alternatives(node, program)
    else:
        _emit_repeat(node, program)


def _jump(program: list[Instruction]) -> Instruction:
    program.append(Instruction("split"))
    return program[-1]


def _emit_alternatives(node: _Node, program: list[Instruction]) -> None:
    choice = _jump(program)
    starts, ends = [], []
    for part in node.parts:
        starts.append(len(program))
        _emit(part, program)
        ends.append(_jump(program))
    choice.targets = tuple(starts)
    for end in ends:
        end.targets = (len(program),)


def _emit_repeat(node: _Node, program: list[Instruction]) -> None:
    """Without an end, ``x{2,}`` is ``xx+``, and ``x*`` is ``(x+)?``: of empty matches, that is Go's order."""
    (part,) = node.parts
    loop, choices = len(program), []
    for i in range(node.high if node.high >= 0 else max(node.low, 1)):
        if i >= node.low:
            choices.append((len(program), _jump(program)))
        loop = len(program)
        _emit(part, program)
    if node.high < 0:
        again = _jump(program)
        again.targets = _ordered(loop, len(program), node.greedy)
    for at, choice in choices:
        choice.targets = _ordered(at + 1, len(program), node.greedy)


def _ordered(inside: int, past: int, greedy: bool) -> tuple[int, int]:
    return (inside, past) if greedy else (past, inside)


_PERL = {"d": "0-9", "s": "\t\n\f\r ", "w": "0-9A-Za-z_"}
_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\x00-\x7f", "blank": "\t ", "cntrl": "\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@[-`{-~", "space": "\t-\r ",
    "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CATEGORIES = {
    "casedletter": "LC", "closepunctuation": "Pe", "combiningmark": "M", "connectorpunctuation": "Pc",
    "control": "Cc", "currencysymbol": "Sc", "dashpunctuation": "Pd", "decimalnumber": "Nd", "enclosingmark": "Me",
    "finalpunctuation": "Pf", "format": "Cf", "initialpunctuation": "Pi", "letter": "L", "letternumber": "Nl",
    "lineseparator": "Zl", "lowercaseletter": "Ll", "mark": "M", "mathsymbol": "Sm", "modifierletter": "Lm",
    "modifiersymbol": "Sk", "nonspacingmark": "Mn", "number": "N", "openpunctuation": "Ps", "other": "C",
    "otherletter": "Lo", "othernumber": "No", "otherpunctuation": "Po", "othersymbol": "So",
    "paragraphseparator": "Zp", "privateuse": "Co", "punctuation": "P", "separator": "Z", "spaceseparator": "Zs",
    "spacingmark": "Mc", "surrogate": "Cs", "symbol": "S", "titlecaseletter": "Lt", "unassigned": "Cn",
    "uppercaseletter": "Lu", "cntrl": "Cc", "digit": "Nd", "punct": "P",
}  # fmt: skip
"""Go 1.26: unicode/tables.go, CategoryAliases; case, spaces, ``-`` and ``_`` don't count."""
_CATEGORIES |= {short.lower(): short for short in _CATEGORIES.values()} | {"any": ""}
_CASED = ("Lu", "Ll", "Lt")


def _ranges(spec: str) -> Test:
    """A test for characters and ranges written one after the other: ``a-z_``."""
    pairs = [(m[1], m[2] or m[1]) for m in re.finditer(r"([\s\S])(?:-([\s\S]))?", spec)]
    return lambda character: any(low <= character <= high for low, high in pairs)


@cache
def _cases() -> dict[str, str]:
    """For each character that has other cases: all of them, as Unicode's simple folding has it."""
    groups: dict[str, str] = {}
    for character in map(chr, range(0x20000)):
        folded = character.casefold() if len(character.casefold()) == 1 else character.lower()
        if folded != character and len(folded) == 1:
            groups[folded] = groups.get(folded, folded) + character
    return {character: group for group in groups.values() for character in group}


def _folded(test: Test) -> Test:
    """The test for any case of the character."""
    cases = _cases()
    return lambda character: any(map(test, cases.get(character, character)))


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.flags: set[str] = set()
        self.depth = 0

    def read(self) -> _Node:
        node = self.alternatives()
        if self.at < len(self.text):
            raise RegexError("unexpected )", self.text)
        return node

    def alternatives(self) -> _Node:
        self.depth += 1
        if self.depth > _MAX_NESTING:
            if "(?" in self.text:
                raise UnsupportedError("a regular expression nests deeper than kube_cel's limit")
            raise RegexError("expression nests too deeply", self.text)
        parts = [self.sequence()]
        while self.text[self.at : self.at + 1] == "|":
            self.at += 1
            parts.append(self.sequence())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else _Node("alt", parts)

    def sequence(self) -> _Node:
        parts: list[_Node] = []
        repeated = ""
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            start = self.at
            if self.text[start] in "*+?" or (self.text[start] == "{" and self.counts()):
                self.repeat(parts, start, repeated)
                repeated = repeated + self.text[start : self.at] if repeated else self.text[start : self.at]
                continue
            repeated = ""
            if self.text.startswith("\\Q", start):
                quoted, _, rest = self.text[start + 2 :].partition("\\E")
                self.at = len(self.text) - len(rest)
                parts += map(self.literal, quoted)
            elif (node := self.atom()) is not None:
                parts.append(node)
        return parts[0] if len(parts) == 1 else _Node("cat", parts)

    def counts(self) -> re.Match[str] | None:
        return re.compile(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}").match(self.text, self.at)

    def repeat(self, parts: list[_Node], start: int, repeated: str) -> None:
        operator = self.text[start]
        if operator == "{":
            match = self.counts()
            assert match
            low, high = _bounds(match)
            self.at = match.end()
            if low > _MAX_REPEAT or high > _MAX_REPEAT or (0 <= high < low):
                raise RegexError("invalid repeat count", match.group())
        else:
            low, high = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[operator]
            self.at += 1
        greedy = "U" not in self.flags
        if self.text[self.at : self.at + 1] == "?":
            self.at += 1
            greedy = not greedy
        written = self.text[start : self.at]
        if repeated:
            raise RegexError("invalid nested repetition operator", repeated + written)
        if not parts:
            raise RegexError("missing argument to repetition operator", written)
        node = _Node("repeat", [parts[-1]], low=low, high=high, greedy=greedy)
        if operator == "{" and (low >= 2 or high >= 2) and node.copies() > _MAX_REPEAT:
            raise RegexError("invalid repeat count", written)
        parts[-1] = node

    def atom(self) -> _Node | None:
        character = self.text[self.at]
        if character == "(":
            return self.group()
        if character == "[":
            return _Node("char", accepts=self.bracket())
        if character == "\\":
            return self.escape()
        self.at += 1
        if character == ".":
            newline = "s" in self.flags
            return _Node("char", accepts=lambda c: newline or c != "\n")
        if character == "^":
            return _Node("assert", condition="^" if "m" in self.flags else r"\A")
        if character == "$":
            return _Node("assert", condition="$" if "m" in self.flags else r"\z")
        return self.literal(character)

    def literal(self, character: str) -> _Node:
        def test(c: str) -> bool:
            return c == character

        return _Node("char", accepts=_folded(test) if "i" in self.flags else test)

    def group(self) -> _Node | None:
        start = self.at
        flags = set(self.flags)
        if self.text[self.at + 1 : self.at + 2] == "?":
            if not self.group_head(start):
                return None
        else:
            self.at += 1
        node = self.alternatives()
        if self.text[self.at : self.at + 1] != ")":
            raise RegexError("missing closing )", self.text)
        self.at += 1
        self.flags = flags
        return _Node("cat", [node])

    def group_head(self, start: int) -> bool:
        """Read ``(?...``: whether a group follows, and not only flags."""
        name = re.compile(r"\(\?P?<([^>]*)>").match(self.text, start)
        if self.text.startswith(("(?P<", "(?<"), start) and not self.text.startswith(("(?<=", "(?<!"), start):
            if name is None:
                raise RegexError("invalid named capture", self.text[start:])
            if not re.fullmatch("[0-9A-Za-z_]+", name[1]):
                raise RegexError("invalid named capture", name.group())
            self.at = name.end()
            return True
        match = re.compile(r"\(\?([imsU]*)(-[imsU]+)?([:)])").match(self.text, start)
        if match is None:
            wrong = re.compile(r"\(\?[imsU]*-?[imsU]*[\s\S]?").match(self.text, start)
            if wrong is not None and wrong.end() == len(self.text) and not wrong.group().endswith((")", ":")):
                raise RegexError("missing closing )", self.text)
            raise RegexError("invalid or unsupported Perl syntax", wrong.group() if wrong else "(?")
        self.flags = (self.flags | set(match[1])) - set(match[2] or "")
        self.at = match.end()
        return match[3] == ":"

    def escape(self) -> _Node:
        start = self.at
        if start + 1 >= len(self.text):
            raise RegexError("trailing backslash at end of expression", "")
        letter = self.text[start + 1]
        if letter in "AbBz":
            self.at += 2
            return _Node("assert", condition=f"\\{letter}")
        known = self.class_escape()
        if known is not None:
            return _Node("char", accepts=known)
        if letter == "C":
            raise RegexError("invalid escape sequence", r"\C")
        return self.literal(self.character_escape())

    def class_escape(self) -> Test | None:
        r"""``\d``, ``\pL`` and the like."""
        letter = self.text[self.at + 1]
        if letter.lower() in _PERL:
            self.at += 2
            return self.chosen(_ranges(_PERL[letter.lower()]), letter.isupper())
        if letter not in "pP":
            return None
        match = re.compile(r"\\[pP](?:\{(\^?)([^}]*)\}|(.))").match(self.text, self.at)
        if match is None:
            raise RegexError("invalid character class range", self.text[self.at :])
        self.at = match.end()
        name = match[2] if match[2] is not None else match[3]
        category = _CATEGORIES.get(re.sub("[ _-]", "", name).lower())
        if category is None:
            if re.fullmatch("[a-zA-Z][a-zA-Z _-]+", name):
                raise UnsupportedError(f"kube_cel has no table of the Unicode script {name}")
            raise RegexError("invalid character class range", match.group())
        negated = (letter == "P") != bool(match[1])
        beginnings = _CASED if category == "LC" else category
        return self.chosen(lambda c: unicodedata.category(c).startswith(beginnings), negated)

    def chosen(self, test: Test, negated: bool = False) -> Test:
        """The test for any case, if case doesn't count; or for what is left."""
        whole = _folded(test) if "i" in self.flags else test
        return (lambda c: not whole(c)) if negated else whole

    def character_escape(self) -> str:
        start = self.at
        match = re.compile(r"\\(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2}))").match(
            self.text, start
        )
        letter = self.text[start + 1]
        code = 0 if match is None else int(match[3], 8) if match[3] else int(match[1] or match[2], 16)
        if match and code <= sys.maxunicode:
            self.at = match.end()
            return chr(code)
        if letter in _ESCAPES:
            self.at += 2
            return _ESCAPES[letter]
        if letter.isascii() and not letter.isalnum():
            self.at += 2
            return letter
        wrong = _WRONG_ESCAPE.match(self.text, start)
        raise RegexError("invalid escape sequence", wrong.group() if wrong else "")

    def bracket(self) -> Test:
        start = self.at
        self.at += 1
        negated = self.text[self.at : self.at + 1] == "^"
        self.at += negated
        tests: list[Test] = []
        while not tests or self.text[self.at : self.at + 1] != "]":
            if self.at >= len(self.text):
                raise RegexError("missing closing ]", self.text[start:])
            tests.append(self.member())
        self.at += 1

        def test(character: str) -> bool:
            return any(member(character) for member in tests)

        return (lambda c: not test(c)) if negated else test

    def member(self) -> Test:
        posix = re.compile(r"\[:(\^?)([^\]]*?):\]").match(self.text, self.at)
        if posix:
            if posix[2] not in _POSIX:
                raise RegexError("invalid character class range", posix.group())
            self.at = posix.end()
            return self.chosen(_ranges(_POSIX[posix[2]]), bool(posix[1]))
        if self.text[self.at] == "\\" and self.at + 1 < len(self.text):
            known = self.class_escape()
            if known is not None:
                return known
        begin = self.at
        low = high = self.character()
        if self.text[self.at : self.at + 1] == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high = self.character()
            if high < low:
                raise RegexError("invalid character class range", self.text[begin : self.at])
        return self.chosen(lambda c: low <= c <= high)

    def character(self) -> str:
        if self.text[self.at] == "\\":
            if self.at + 1 >= len(self.text):
                raise RegexError("trailing backslash at end of expression", "")
            return self.character_escape()
        self.at += 1
        return self.text[self.at - 1]


def _bounds(match: re.Match[str]) -> tuple[int, int]:
    low = min(int(match[1][:9]), _MAX_REPEAT + 1)
    if not match[2]:
        return low, low
    return low, min(int(match[3][:9]), _MAX_REPEAT + 1) if match[3] else -1


# -- searching

_CACHE_LIMIT = 20_000


class Regex:
    """A compiled pattern. ``steps`` counts the work that was not remembered."""

    def __init__(self, pattern: str) -> None:
        self.program: list[Instruction] = compile_program(pattern)
        self.steps = 0
        self._closures: dict[tuple[frozenset[int], str, str], tuple[frozenset[int], bool]] = {}
        self._moves: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def search(self, text: str) -> bool:
        """Whether the pattern matches somewhere."""
        states = frozenset((0,))
        before = "start"
        for character in text:
            closed, matched = self._close(states, before, _side(character))
            if matched:
                return True
            states = self._move(closed, character)
            before = _side(character)
        return self._close(states, before, "end")[1]

    def find(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """(start, end) of the first match, with Perl's preference among alternatives."""
        threads: list[tuple[int, int]] = []
        match: tuple[int, int] | None = None
        before = "start" if start == 0 else _side(text[start - 1])
        for at in range(start, len(text) + 1):
            after = _side(text[at]) if at < len(text) else "end"
            current: list[tuple[int, int]] = []
            seen: set[int] = set()
            for pc, begin in threads:
                self._follow(pc, begin, before, after, seen, current)
            if match is None:
                self._follow(0, at, before, after, seen, current)
            threads = []
            self.steps += len(seen)
            for pc, begin in current:
                instruction = self.program[pc]
                if instruction.kind == "match":
                    match = (begin, at)
                    break
                if at < len(text) and instruction.accepts(text[at]):
                    threads.append((pc + 1, begin))
            if not threads and match is not None:
                break
            before = after
        return match

    def find_all(self, text: str, limit: int) -> list[str]:
        """The matches from left to right, at most ``limit`` of them (negative: all)."""
        results: list[str] = []
        at, last = 0, -1
        while at <= len(text) and (limit < 0 or len(results) < limit):
            span = self.find(text, at)
            if span is None:
                break
            begin, end = span
            if end > begin or begin != last:
                results.append(text[begin:end])
                last = end
            at = end if end > at else at + 1
        return results

    def _close(self, states: frozenset[int], before: str, after: str) -> tuple[frozenset[int], bool]:
        """(the states that wait for a character, whether the pattern has matched)."""
        key = (states, before, after)
        known = self._closures.get(key)
        if known is None:
            reached: list[tuple[int, int]] = []
            seen: set[int] = set()
            for pc in states:
                self._follow(pc, 0, before, after, seen, reached)
            matched = any(self.program[pc].kind == "match" for pc, _ in reached)
            known = frozenset(pc for pc, _ in reached), matched
            self.steps += len(seen)
            if len(self._closures) > _CACHE_LIMIT:
                self._closures.clear()
            self._closures[key] = known
        return known

    def _move(self, closed: frozenset[int], character: str) -> frozenset[int]:
        key = (closed, character)
        moved = self._moves.get(key)
        if moved is None:
            self.steps += len(closed)
            moved = frozenset([0, *(pc + 1 for pc in closed if self.program[pc].accepts(character))])
            if len(self._moves) > _CACHE_LIMIT:
                self._moves.clear()
            self._moves[key] = moved
        return moved

    def _follow(
        self, pc: int, begin: int, before: str, after: str, seen: set[int], reached: list[tuple[int, int]]
    ) -> None:
        """Go through everything that needs no character, in the order of preference."""
        pending = [pc]
        while pending:
            pc = pending.pop()
            if pc in seen:
                continue
            seen.add(pc)
            instruction = self.program[pc]
            if instruction.kind == "split":
                pending.extend(reversed(instruction.targets))
            elif instruction.kind == "assert":
                if _holds(instruction.condition, before, after):
                    pending.append(pc + 1)
            else:
                reached.append((pc, begin))


def _side(character: str) -> str:
    if character == "\n":
        return "newline"
    return "word" if character.isascii() and (character.isalnum() or character == "_") else "other"


def _holds(condition: str, before: str, after: str) -> bool:
    if condition == r"\A":
        return before == "start"
    if condition == r"\z":
        return after == "end"
    if condition == "^":
        return before in ("start", "newline")
    if condition == "$":
        return after in ("end", "newline")
    return ((before == "word") != (after == "word")) == (condition == r"\b")


@lru_cache(maxsize=256)
def compile_regex(pattern: str) -> Regex:
    """Compile a pattern; raises RegexError with Go's message."""
    return Regex(pattern)


__all__ = ["Regex", "RegexError", "compile_regex"]
