"""Generations side by side: filters and their order, scores and their weights, rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, NamedTuple

from kschedlab.generations import COURSE, Generation
from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError
from kschedlab.plugins.arrays import CheckedFilter, CheckedScore
from kschedlab.plugins.one_node import OneNodeFilter, OneNodeScore
from kschedlab.text.html import Html, element, join, visible
from kschedlab.text.plain import aligned, below
from kschedlab.text.tables import folded
from kschedlab.text.words import broken, count
from kschedlab.whatif.compare import identity, setting_text
from kschedlab_lab.views.style import CELL, CHANGED, GREY, HEAD, LABELLED, SECTION, WIDE, WRAPPED
from kschedlab_simulation.scheduler.changes import loop_messages, loop_rules

TOPICS = {
    "CheckNodeCondition": later("conditions of the node"),
    "NodePressure": later("pressure on the node"),
    "NodeUnschedulable": later("cordoned nodes"),
    "NodeName": later("name of the node"),
    "NodePorts": later("host ports"),
    "NodeAffinity": later("node selector and affinity"),
    "NodeResourcesFit": later("resources"),
    "TaintToleration": later("taints"),
    "NodeLabel": later("labels of the node"),
    "VolumeRestrictions": later("disks in use"),
    "DiskLimits": later("number of volumes"),
    "NodeVolumeLimits": later("number of volumes"),
    "VolumeBinding": later("binding of volumes"),
    "VolumeZone": later("zones of volumes"),
    "PodTopologySpread": later("spreading"),
    "InterPodAffinity": later("affinity between pods"),
    "DynamicResources": later("devices"),
    "NodeDeclaredFeatures": later("features that nodes declare"),
    "ServiceAffinity": later("agreement within a service"),
    "NodeAffinityScore": later("node affinity"),
    "NodeResourcesFitScore": later("resources"),
    "BalancedResourceAllocation": later("balance of resources"),
    "NodeResourcesBalancedAllocation": later("balance of resources"),
    "ResourceLimits": later("limits"),
    "TaintTolerationScore": later("taints"),
    "NodeLabelScore": later("labels of the node"),
    "NodePreferAvoidPods": later("pods that a node avoids"),
    "ImageLocality": later("images"),
    "VolumeBindingScore": later("binding of volumes"),
    "PodTopologySpreadScore": later("spreading"),
    "SelectorSpread": later("spreading"),
    "ServiceAntiAffinity": later("spreading over a service"),
    "InterPodAffinityScore": later("affinity between pods"),
    "DynamicResourcesScore": later("devices"),
    "EqualPriority": later("the same for all"),
}
"""Topic of a plugin class; plugins with the same topic share a row, whatever their names."""

HIGHEST = "highest"
"""A setting of nearly every score; ``max_node_score`` states it once for all of them."""
APART = frozenset({"name", "filters", "scores", "plugins", "loop", "messages", "unknown", HIGHEST})
"""Fields that do not appear among the settings."""
LONG = "DuringSchedulingIgnoredDuringExecution"
LABEL = 24
"""Width of the label column, in percent of the table."""
WIDTH = 36
"""Width of a column of text."""
FEW = 12
"""The most rows that are shown unfolded."""
NONE = "–"
SEAM = re.compile(r"(?<=[._/])(?=\w)|(?<=[a-z])(?=[A-Z])")
"""Where a long name may be broken."""


class Entry(NamedTuple):
    """One line of a cell. ``place``: its number in a list; a moved number alone is not marked as a change."""

    text: str
    place: str = ""

    def __str__(self) -> str:
        return self.place + self.text


Cell = tuple[Entry, ...]
Item = tuple[Hashable, str, Entry]
"""(key of the row, label of the row, entry)."""


class Row(NamedTuple):
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
    rows: tuple[Row, ...]
    plugins: bool = False

    @property
    def changed(self) -> tuple[Row, ...]:
        """The rows in which the generations differ; not those of plugins that only moved to another place."""
        if not self.plugins:
            return tuple(row for row in self.rows if row.differs)
        texts = (({tuple(entry.text for entry in cell) for cell in row.cells}, row) for row in self.rows)
        return tuple(row for found, row in texts if len(found) > 1)


class GenerationTable:
    """Generations as a table, for notebooks; those of the course by default.

    Shows the settings that differ; with ``everything``, all of them. ``only``: how the titles of the sections to show
    begin, such as "scores". KeyError for a name that no generation has.
    """

    def __init__(self, *generations: str | Generation, everything: bool = False, only: str = "") -> None:
        self.generations = tuple(map(Generation.named, generations)) or tuple(map(Generation.named, COURSE))
        self.everything, self.only = everything, only

    def __repr__(self) -> str:
        return generations_text(self.generations, self.everything, self.only)

    def _repr_html_(self) -> str:
        return generations_html(self.generations, self.everything, self.only)


def generations_text(generations: Sequence[Generation], everything: bool = False, only: str = "") -> str:
    """The generations side by side as text; arguments as for :class:`GenerationTable`."""
    names = [generation.name for generation in generations]
    lines: list[list[str]] = [["", *names]]
    titles: dict[int, str] = {}
    for section in _begun(sections(generations, everything), only):
        titles[len(lines)] = say(section.title)
        for row in section.rows:
            lines += _lines(row)
    written = [visible(line) for line in aligned(lines)]
    return "\n".join(f"\n{titles[i]}\n{line}" if i in titles else line for i, line in enumerate(written))


def generations_html(generations: Sequence[Generation], everything: bool = False, only: str = "") -> str:
    """The generations side by side: what differs, if that is little, then folded tables of everything.

    What differs from the generation on the left is marked.
    """
    names = [generation.name for generation in generations]
    found = _begun(sections(generations, everything), only)
    brief = [replace(each, rows=each.changed) for each in found]
    brief = [each for each in brief if each.rows]
    changed, rows = (sum(len(each.rows) for each in some) for some in (brief, found))
    open_ = _table(names, brief) if 0 < changed <= FEW and changed < rows else None
    whole = (folded(_summary(section, brief), _table(names, [section])) for section in found)
    legend = element(
        "p", element("span", say("marked"), style=CHANGED), say(": other than in the generation on its left")
    )
    return str(element("div", open_, *whole, legend if len(names) > 1 else None, style="overflow-x:auto;"))


def _begun(found: Sequence[Section], only: str) -> list[Section]:
    """The sections whose titles begin like this. ValueError lists the titles if there is none."""
    if not (kept := [each for each in found if each.title.startswith(only)]):
        raise InputValueError(
            say(
                'no section begins with "{only}"; there are {titles}',
                only=only,
                titles=listed(each.title for each in found),
            )
        )
    return kept


def _summary(section: Section, brief: Sequence[Section]) -> str:
    changed = next((len(each.rows) for each in brief if each.title == section.title), 0)
    return say(
        "{title}: {rows}, {changed} changed",
        title=say(section.title),
        rows=count(len(section.rows), "row"),
        changed=changed,
    )


# -- contents of the table


def sections(generations: Sequence[Generation], everything: bool = False) -> list[Section]:
    """The generations side by side, with the settings that differ; with ``everything``, all settings.

    Settings have the same names as in :func:`kschedlab.whatif.compare.compare`.
    """

    def rows(items: Callable[[Generation], Iterable[Item]]) -> tuple[Row, ...]:
        return _rows([items(generation) for generation in generations])

    def settings(items: Callable[[Generation], Iterable[Item]]) -> tuple[Row, ...]:
        return tuple(row for row in rows(items) if everything or row.differs)

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


def _rows(columns: Sequence[Iterable[Item]]) -> tuple[Row, ...]:
    """A row for each key: first the keys of the last column, in its order and with its labels, then the others."""
    labels: dict[Hashable, str] = {}
    cells: list[dict[Hashable, Cell]] = []
    for column in reversed(columns):
        cells.insert(0, {})
        for key, label, entry in column:
            labels.setdefault(key, label)
            cells[0][key] = (*cells[0].get(key, ()), entry)
    return tuple(Row(label, tuple(each.get(key, ()) for each in cells)) for key, label in labels.items())


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
            yield _topic(part), _topic(part), Entry(name, f"{place}. ")


def _scores(generation: Generation) -> Iterator[Item]:
    for score, weight in generation.scores:
        yield _topic(score), _topic(score), Entry(f"{score.name} ×{weight}")


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


def _entries(value: object) -> Iterator[Entry]:
    if isinstance(value, bool):
        yield Entry(say("yes" if value else "no"))
    elif isinstance(value, tuple) and len(value) > 1:
        yield from (Entry(setting_text(each), f"{place}. ") for place, each in enumerate(value, start=1))
    else:
        yield Entry(setting_text(value) or NONE)


def _fields(generation: Generation, fields: Iterable[str]) -> Iterator[Item]:
    for field in fields:
        yield field, field, Entry(say("no" if field in generation.api.unknown else "yes"))


# -- text and HTML


def _lines(row: Row) -> list[list[str]]:
    """The row as lines of text: one entry below another, long ones wrapped."""
    columns = [[line for entry in cell for line in broken(str(entry), WIDTH)] or [NONE] for cell in row.cells]
    return below([[_brief(say(row.label))], *columns])


def _brief(label: str) -> str:
    """The label with the API's longest suffix abbreviated."""
    return label.replace(LONG, "…")


def _table(names: Sequence[str], shown: Iterable[Section]) -> Html:
    """One section below another, with equal column widths in all tables."""
    widths = [LABEL, *([(100 - LABEL) // max(len(names), 1)] * len(names))]
    columns = element("colgroup", *(element("col", style=f"width:{width}%;") for width in widths))
    head = element("tr", *(element("th", text, scope="col", style=HEAD) for text in ["", *names]))
    bodies = [element("tbody", _heading(section, len(widths)), *map(_tr, section.rows)) for section in shown]
    return element("table", columns, element("thead", head), *bodies, style=WIDE)


def _heading(section: Section, width: int) -> Html:
    return element("tr", element("th", say(section.title), scope="rowgroup", colspan=width, style=SECTION))


def _tr(row: Row) -> Html:
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
