"""Generations side by side: filters and their order, scores and their weights, rules that differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from kschedlab.generations import COURSE, Generation
from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError
from kschedlab.plugins.arrays import CheckedFilter, CheckedScore
from kschedlab.plugins.one_node import OneNodeFilter, OneNodeScore
from kschedlab.text.html import Html, element, join
from kschedlab.text.tables import folded
from kschedlab.text.words import count
from kschedlab.whatif.compare import identity, setting_text
from kschedlab_lab.views.style import CELL, CHANGED, GREY, HEAD, LABELLED, SECTION, WIDE, WRAPPED
from kschedlab_simulation.scheduler.changes import loop_messages, loop_rules

TOPICS = {
    name: each["topic"]
    for each in yaml.load(files("kschedlab_lab.views").joinpath("topics.yaml").read_text("utf-8"), yaml.CSafeLoader)
    for name in each["classes"]
}
"""Topic of a plugin class; plugins with the same topic share a row, whatever their names."""

HIGHEST = "highest"
"""A setting of nearly every score; ``max_node_score`` states it once for all of them."""
APART = frozenset({"name", "filters", "scores", "plugins", "loop", "messages", "unknown", HIGHEST})
"""Fields that do not appear among the settings."""
LONG = "DuringSchedulingIgnoredDuringExecution"
LABEL = 24
"""Width of the label column, in percent of the table."""
NONE = "–"
SEAM = re.compile(r"(?<=[._/])(?=\w)|(?<=[a-z])(?=[A-Z])")
"""Where a long name may be broken."""


class CellLine(NamedTuple):
    """One line of a cell. ``place``: its number in a list; a moved number alone is not marked as a change."""

    text: str
    place: str = ""


Cell = tuple[CellLine, ...]
Item = tuple[Hashable, str, CellLine]
"""(key of the row, label of the row, entry)."""


class RuleRow(NamedTuple):
    """A label, and a cell for each generation."""

    label: str
    cells: tuple[Cell, ...]

    @property
    def differs(self) -> bool:
        """Whether the generations that have an entry here differ."""
        return len(set(self.cells) - {()}) > 1


@dataclass(frozen=True)
class Section:
    """Rows of one kind. ``plugins``: of plugins, which only some generations may have, at other places."""

    title: str
    rows: tuple[RuleRow, ...]
    plugins: bool = False

    @property
    def summary(self) -> str:
        """Its title, and in how many rows the generations differ; a plugin that only moved does not count."""
        texts = ({tuple(entry.text for entry in cell) for cell in row.cells} for row in self.rows)
        changed = sum(len(found) > 1 for found in texts) if self.plugins else len(self.rows)
        rows = count(len(self.rows), "row")
        return say("{title}: {rows}, {changed} changed", title=say(self.title), rows=rows, changed=changed)


class GenerationTable:
    """Generations as folded tables, for notebooks: what they have, and where they differ. Default: those of the course.

    What differs from the generation on the left is marked. ``only``: how the titles of the sections to show begin, such
    as "scores". KeyError for a name that no generation has.
    """

    def __init__(self, *generations: str | Generation, only: str = "") -> None:
        self.generations = tuple(map(Generation.named, generations)) or tuple(map(Generation.named, COURSE))
        self.only = only

    @property
    def sections(self) -> list[Section]:
        """The sections to show. ValueError lists the titles if there is none."""
        found = sections(self.generations)
        if not (kept := [each for each in found if each.title.startswith(self.only)]):
            message = later('no section begins with "{only}"; there are {titles}')
            raise InputValueError(message, only=self.only, titles=listed(each.title for each in found))
        return kept

    def __repr__(self) -> str:
        return "\n".join(section.summary for section in self.sections)

    def _repr_html_(self) -> str:
        names = [generation.name for generation in self.generations]
        tables = (folded(section.summary, _table(names, section)) for section in self.sections)
        legend = element(
            "p", element("span", say("marked"), style=CHANGED), say(": other than in the generation on its left")
        )
        return str(element("div", *tables, legend if len(names) > 1 else None, style="overflow-x:auto;"))


# -- contents of the table


def sections(generations: Sequence[Generation]) -> list[Section]:
    """The generations side by side, with the settings that differ.

    Settings have the same names as in :func:`kschedlab.whatif.compare.compare`.
    """

    def rows(items: Callable[[Generation], Iterable[Item]]) -> tuple[RuleRow, ...]:
        return _rows([items(generation) for generation in generations])

    def settings(items: Callable[[Generation], Iterable[Item]]) -> tuple[RuleRow, ...]:
        return tuple(row for row in rows(items) if row.differs)

    fields = dict.fromkeys(field for generation in generations for field in generation.api.unknown)
    found = [
        Section(later("filters and their order"), rows(_filters), plugins=True),
        Section(later("scores and their weights"), rows(_scores), plugins=True),
        Section(later("constants and rules"), settings(lambda g: _settings(g, "", ""))),
        Section(later("rules of the loop"), settings(lambda g: _settings(loop_rules(g), "loop", "loop."))),
        Section(later("messages"), settings(_messages)),
        Section(later("rules of filters"), settings(lambda g: _rules(part for f in g.filters for part in _parts(f)))),
        Section(later("rules of scores"), settings(lambda g: _rules(score for score, _ in g.scores))),
        Section(later("fields of a pod that the API has"), settings(lambda g: _fields(g, fields))),
    ]
    return [section for section in found if section.rows]


def _rows(columns: Sequence[Iterable[Item]]) -> tuple[RuleRow, ...]:
    """A row for each key: first the keys of the last column, in its order and with its labels, then the others."""
    labels: dict[Hashable, str] = {}
    cells: list[dict[Hashable, Cell]] = []
    for column in reversed(columns):
        cells.insert(0, {})
        for key, label, entry in column:
            labels.setdefault(key, label)
            cells[0][key] = (*cells[0].get(key, ()), entry)
    return tuple(RuleRow(label, tuple(each.get(key, ()) for each in cells)) for key, label in labels.items())


def _topic(plugin: Any) -> str:
    name = plugin.name if _is_added(plugin) else type(plugin).__name__
    return TOPICS.get(name, name)


def _is_added(plugin: object) -> bool:
    """Whether the plugin comes from outside the package."""
    return isinstance(plugin, OneNodeFilter | OneNodeScore | CheckedFilter | CheckedScore)


def _parts(check: Any) -> tuple[Any, ...]:
    """The filters that this one combines, or the filter itself."""
    return getattr(check, "filters", ()) or (check,)


def _filters(generation: Generation) -> Iterator[Item]:
    for place, check in enumerate(generation.filters, start=1):
        for part in _parts(check):
            name = part.name if part is check else f"{check.name}: {part.name}"
            yield _topic(part), _topic(part), CellLine(name, f"{place}. ")


def _scores(generation: Generation) -> Iterator[Item]:
    for score, weight in generation.scores:
        yield _topic(score), _topic(score), CellLine(f"{score.name} ×{weight}")


def _messages(generation: Generation) -> Iterator[Item]:
    for texts in (generation.messages, loop_messages(generation)):
        yield from _settings(texts, "messages", "messages.")


def _rules(plugins: Iterable[Any]) -> Iterator[Item]:
    for plugin in plugins:
        if not _is_added(plugin):
            yield from _settings(plugin, identity(plugin), f"{plugin.name}.")


def _settings(holder: object, of: Hashable, path: str) -> Iterator[Item]:
    """Every setting, including nested ones. ``of``: the owner of the setting, whatever its name in ``path``."""
    for name, value in vars(holder).items():
        if name in APART:
            continue
        if is_dataclass(value) and not callable(value):
            yield from _settings(value, (of, name), f"{path}{name}.")
        else:
            yield from (((of, name), f"{path}{name}", entry) for entry in _entries(value))


def _entries(value: object) -> Iterator[CellLine]:
    if isinstance(value, bool):
        yield CellLine(say("yes" if value else "no"))
    elif isinstance(value, tuple) and len(value) > 1:
        yield from (CellLine(setting_text(each), f"{place}. ") for place, each in enumerate(value, start=1))
    else:
        yield CellLine(setting_text(value) or NONE)


def _fields(generation: Generation, fields: Iterable[str]) -> Iterator[Item]:
    for field in fields:
        yield field, field, CellLine(say("no" if field in generation.api.unknown else "yes"))


# -- HTML


def _brief(label: str) -> str:
    """The label with the API's longest suffix abbreviated."""
    return label.replace(LONG, "…")


def _table(names: Sequence[str], section: Section) -> Html:
    """A section, with equal column widths in all tables."""
    widths = [LABEL, *([(100 - LABEL) // max(len(names), 1)] * len(names))]
    columns = element("colgroup", *(element("col", style=f"width:{width}%;") for width in widths))
    head = element("tr", *(element("th", text, scope="col", style=HEAD) for text in ["", *names]))
    title = element("th", say(section.title), scope="rowgroup", colspan=len(widths), style=SECTION)
    body = element("tbody", element("tr", title), *map(_tr, section.rows))
    return element("table", columns, element("thead", head), body, style=WIDE)


def _tr(row: RuleRow) -> Html:
    label = _soft(_brief(say(row.label)))
    title = row.label if LONG in row.label else None
    cells = [_td(cell, before) for before, cell in zip((None, *row.cells), row.cells, strict=False)]
    return element("tr", element("th", label, scope="row", title=title, style=LABELLED), *cells)


def _soft(text: str) -> Html:
    """The text; long names may wrap: ``preemption.victims.sorted_again``, ``MaxEBSVolumeCount``."""
    return join(SEAM.split(text), element("wbr"))


def _td(cell: Cell, before: Cell | None) -> Html:
    """``before``: the cell of the generation to the left, if any."""
    changed = before is not None and [entry.text for entry in before] != [entry.text for entry in cell]
    lines = (element("div", element("span", place, style=GREY), _soft(text)) for text, place in cell)
    return element("td", *(lines if cell else [NONE]), style=CELL + WRAPPED + (CHANGED if changed else ""))
