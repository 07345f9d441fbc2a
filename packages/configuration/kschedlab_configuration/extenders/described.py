"""An extender that answers by tables: a scenario of ``kschedlab decide`` describes it.

    {"name": "http://gpu.example", "weight": 2, "nodeCacheCapable": true,
     "filter": {"refuse": {"n1": "no GPU"}}, "prioritize": {"scores": {"n2": 7}}, "preempt": {"drop": ["n3"]}}

What is left out, the extender does not do. ``tests/conformance/README.md`` lists all fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from kschedlab.objects.meta import Int64
from kschedlab.objects.model import Node, Pod
from kschedlab_configuration.extenders.extender import (
    BadStatusError,
    Extender,
    ExtenderError,
    Filtered,
    Returned,
    Victims,
    identity,
)


class FilterTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``refuse``, ``unresolvable``: reasons of the given nodes that are refused; ``drop``: nodes refused silently.

    ``add``, ``also``: nodes that are returned, and reasons for nodes, whether they were given or not. ``error``: the
    answer's error; ``status``: a status of HTTP instead of an answer.
    """

    refuse: dict[str, str] = {}
    unresolvable: dict[str, str] = {}
    drop: list[str] = []
    add: list[str] = []
    also: dict[str, str] = {}
    error: str = ""
    status: int = 0


class ScoreTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``scores``: by node. ``status``: as above."""

    scores: dict[str, Int64] = {}
    status: int = 0


class VictimTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``drop``: candidates that are refused; ``victims``, ``violations``: in place of those given, pods by uid."""

    drop: list[str] = []
    victims: dict[str, list[str]] = {}
    violations: dict[str, Int64] = {}
    status: int = 0


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of the description."""

    name: str
    weight: Int64 = 1
    ignorable: bool = False
    nodeCacheCapable: bool = False
    managedResources: list[str] = []
    filter: FilterTable | None = None
    prioritize: ScoreTable | None = None
    preempt: VictimTable | None = None


class DescribedExtender(Extender):
    """Answers by the tables of a description."""

    def __init__(self, table: Description) -> None:
        self.table = table
        self.name = table.name
        self.weight = table.weight
        self.ignorable = table.ignorable
        self.managed_resources = frozenset(table.managedResources)
        self.node_cache_capable = table.nodeCacheCapable
        self.filters = table.filter is not None
        self.prioritizes = table.prioritize is not None
        self.preempts = table.preempt is not None

    def __repr__(self) -> str:
        return f"<Extender {self.name}: described>"

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> Filtered:
        table = self.table.filter
        assert table is not None
        self._check("filter", table.status)
        if table.error:
            raise ExtenderError(table.error)
        names = [node.metadata.name for node in nodes]
        gone = {*table.refuse, *table.unresolvable, *table.drop}
        failed = {**table.also, **{name: table.refuse[name] for name in names if name in table.refuse}}
        unresolvable = {name: table.unresolvable[name] for name in names if name in table.unresolvable}
        return Filtered([*(name for name in names if name not in gone), *table.add], failed, unresolvable)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Sequence[tuple[str, int]]:
        if self.table.prioritize is None:
            return super().prioritize(pod, nodes)
        self._check("prioritize", self.table.prioritize.status)
        return list(self.table.prioritize.scores.items())

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Returned]:
        table = self.table.preempt
        assert table is not None
        self._check("preempt", table.status)
        return {
            node: Returned(
                table.victims.get(node, [identity(pod) for pod in each.pods]),
                table.violations.get(node, each.violations),
            )
            for node, each in victims.items()
            if node not in table.drop
        }

    def _check(self, verb: str, status: int) -> None:
        if status:
            raise BadStatusError(verb, f"{self.name}/{verb}", status)


def described(tables: msgspec.Raw) -> list[Extender]:
    """The extenders of a scenario's JSON list. ValueError if one is not as described above."""
    return [DescribedExtender(table) for table in msgspec.json.decode(tables, type=list[Description])]
