"""The text of one input, and where its fields are."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cached_property

import msgspec

from kschedlab.manifests.composer import Composer, UnreadableError
from kschedlab.messages import later, say
from kschedlab.objects.problems import ManifestError, Path, Problem, expected

_STARTS, _STARTS_ENCODED = re.compile(r"\s*[{\[]"), re.compile(rb"\s*[{\[]")
_FIRST_ITEM = re.compile(rb'"items"\s*:\s*\[\s*')
"""What stands before the first item: in a string, the quotes would follow backslashes."""


class _Items(msgspec.Struct):
    items: list[msgspec.Raw] = []


class SourceText:
    """The text of one input. ``number``: its index among the inputs. ``name``: as messages give it.

    It keeps the text as it is given: a large file is in memory once. ``content``: also valid UTF-8.
    """

    def __init__(self, number: int, name: str, content: str | bytes) -> None:
        if not isinstance(content, str | bytes):
            raise expected(later("the text of manifests"), content)
        self.number = number
        self.name = name
        self._given = content

    @property
    def content(self) -> str:
        return self._given if isinstance(self._given, str) else self._given.decode()

    @cached_property
    def encoded(self) -> bytes:
        """The text in UTF-8. UnicodeEncodeError if it has an unpaired surrogate."""
        return self._given if isinstance(self._given, bytes) else self._given.encode()

    @cached_property
    def is_json(self) -> bool:
        """Whether to read it as JSON: its name ends in ``.json`` or it starts like JSON, as for kubectl."""
        given = self._given
        starts = _STARTS.match(given) if isinstance(given, str) else _STARTS_ENCODED.match(given)
        return self.name.endswith(".json") or starts is not None

    def compose(self, positions: bool = False) -> Composer:
        """The documents in it. ManifestError if it is not valid YAML or JSON."""
        from kschedlab.manifests.json_text import compose_json
        from kschedlab.manifests.yaml_text import compose_yaml

        try:
            if not self.is_json:
                return compose_yaml(self.content, positions)
            try:
                return compose_json(self.content, positions)
            except UnreadableError as of_json:
                if self.name.endswith(".json"):
                    raise
                with suppress(UnreadableError):
                    return compose_yaml(self.content, positions)  # what starts like JSON may be flow-style YAML
                raise of_json from None
        except UnreadableError as error:
            why: str = error.message
            if "{{" in self.content:
                why = later("{message} (if this is a template, render it first, as helm template does)", message=why)
            raise ManifestError([self.problem(error.line, why)]) from None

    @cached_property
    def positions(self) -> Composer:
        """The documents with the line of every field. Parsed only when the first fault needs it."""
        return self.compose(positions=True)

    def problem(self, line: int, message: str) -> Problem:
        return Problem(self.number, line, self.name, say(message))

    @property
    def emptiness(self) -> Problem:
        return self.problem(0, later("it has no objects"))

    def locate(self, root: int, path: Path) -> tuple[int, str | None]:
        """(line, the scalar's spelling) of a field of the document. Of a large JSON list only one item is parsed."""
        if len(path) < 2 or path[0] != "items" or not self._items:
            return self.positions.locate(root, path)
        before, start, end = self._items[int(path[1])]
        item = SourceText(0, self.name, self.encoded[start:end])
        line, spelling = item.compose(positions=True).locate(0, path[2:])
        return before + line, spelling

    @cached_property
    def _items(self) -> list[tuple[int, int, int]]:
        """Of each item the lines before it, its start and its end, if the text is one list in valid JSON; or empty."""
        places, line, start = [], 0, 0
        try:
            items = msgspec.json.decode(self.encoded, type=_Items).items if self.is_json else []
        except (ValueError, RecursionError):
            return []
        if (before := _FIRST_ITEM.search(self.encoded)) is None:
            return []
        end = before.end()
        for item in items:  # between two items there are only spaces and a comma
            line, start = line + self.encoded.count(b"\n", start, begin := self.encoded.index(item, end)), begin
            end = start + len(bytes(item))
            places.append((line, start, end))
        return places
