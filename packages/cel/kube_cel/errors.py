"""The faults of an expression, in the words of cel-go (v0.29.2: common/error.go, common/errors.go)."""

from __future__ import annotations


class CelError(ValueError):
    """An expression does not compile, or has no value for a device. The text is the real one's.

    ``cost``: the cost units that the evaluation had used when it failed; None if it did not compile.
    """

    def __init__(self, text: str, cost: int | None = None) -> None:
        super().__init__(text)
        self.cost = cost


class UnsupportedError(CelError):
    """The expression may be valid, but this evaluator cannot say: it needs messages, or more than the limits here."""


class Source:
    """The text of an expression and the errors found in it so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.errors: list[tuple[int, int, str]] = []

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character; lines count from 1, columns from 0."""
        line = self.text.count("\n", 0, offset)
        return line + 1, offset - (self.text.rfind("\n", 0, offset) + 1)

    def report(self, offset: int, message: str) -> None:
        """An error at a character; -1: at no place."""
        line, column = (-1, -1) if offset < 0 else self.place(offset) if self.text else (1, -1)
        self.errors.append((line, column, message))

    def summary(self, limit: int = 100) -> str:
        """All errors in the order of their places, each with its line and a caret."""
        ordered = sorted(self.errors[:limit], key=lambda error: error[:2])
        texts = [self._display(*error) for error in ordered]
        if len(self.errors) > limit:
            texts.append(f"{len(self.errors) - limit} more errors were truncated")
        return "\n".join(texts)

    def _display(self, line: int, column: int, message: str) -> str:
        head = f"ERROR: <input>:{line}:{column + 1}: {message}"
        if not 1 <= line <= len(self.lines) or (not self.text):
            return head
        snippet = self.lines[line - 1].replace("\t", " ")
        marks = "".join("\uff0e" if _wide(c) else "." for c in snippet[:column])
        at = snippet[column : column + 1]
        return f"{head}\n | {snippet}\n | {marks}{chr(0xFF3E) if at and _wide(at) else '^'}"


def _wide(character: str) -> bool:
    return len(character.encode("utf-8", "surrogatepass")) > 1


ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"',
}  # fmt: skip


def go_quote(text: str) -> str:
    """The text in double quotes, as Go's %q prints it."""
    return '"' + "".join(ESCAPES.get(c) or (c if c.isprintable() else _escaped(ord(c))) for c in text) + '"'


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
