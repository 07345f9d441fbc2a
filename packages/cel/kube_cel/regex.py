"""Regular expressions with the semantics of RE2 as Go has them (regexp, regexp/syntax): time is linear in the text.

Python's own ``re`` backtracks, so a selector could make it run for years. This one follows all alternatives at once and
remembers what it learnt (a lazily built DFA); :mod:`regex_parser` reads the pattern.
"""

from __future__ import annotations

from functools import lru_cache

from kube_cel.regex_parser import Instruction, RegexError, compile_program

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
        found: tuple[int, int] | None = None
        before = "start" if start == 0 else _side(text[start - 1])
        for at in range(start, len(text) + 1):
            after = _side(text[at]) if at < len(text) else "end"
            current: list[tuple[int, int]] = []
            seen: set[int] = set()
            for pc, begin in threads:
                self._follow(pc, begin, before, after, seen, current)
            if found is None:
                self._follow(0, at, before, after, seen, current)
            threads = []
            self.steps += len(seen)
            for pc, begin in current:
                instruction = self.program[pc]
                if instruction.kind == "match":
                    found = (begin, at)
                    break
                if at < len(text) and instruction.accepts(text[at]):
                    threads.append((pc + 1, begin))
            if not threads and found is not None:
                break
            before = after
        return found

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
