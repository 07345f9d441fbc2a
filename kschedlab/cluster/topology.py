"""The order in which the scheduler visits the nodes, and their topology domains."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.objects.model import Node


@dataclass(frozen=True, eq=False)
class Topology:
    """The domains of a key. ``domain``: int64[nodes], -1 without the label. ``values``: each domain's value."""

    domain: IntArray
    values: tuple[str, ...]

    @classmethod
    def of(cls, key: str, labels: Sequence[Mapping[str, str]]) -> Topology:
        """Number the key's values in order of first appearance."""
        numbers: dict[str, int] = {}
        domain = [numbers.setdefault(node[key], len(numbers)) if key in node else -1 for node in labels]
        return cls(np.array(domain, np.int64), tuple(numbers))

    def in_domains_of(self, values: Collection[str]) -> BoolArray:
        """bool[nodes]: the nodes in the domains of these values. O(values + nodes)."""
        inside = np.zeros(len(self.values) + 1, np.bool_)
        inside[[self._number_of_value[value] for value in values if value in self._number_of_value]] = True
        return inside[self.domain]

    @cached_property
    def _number_of_value(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values)}

    def total(self, count: IntArray | BoolArray) -> IntArray:
        """int64[domains + 1]: the sum of ``count`` (of the nodes) in each domain; the last is a 0 for domain -1."""
        sums = np.bincount(self._sum_position, weights=count, minlength=len(self.values) + 1).astype(np.int64)
        sums[-1] = 0
        return sums

    @cached_property
    def _sum_position(self) -> IntArray:
        """int64[nodes]: where each node adds to the sums; the last position for nodes without a domain."""
        return np.where(self.domain >= 0, self.domain, len(self.values))


ZONE = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
REGION = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")


def zone_of(node: Node, older_labels_only: bool) -> tuple[str, str]:
    """The node's (region, zone); the older label takes precedence. v1.37: component-helpers/node/topology/helpers.go.

    ``older_labels_only``: ignore the newer labels. v1.16: pkg/util/node/node.go, GetZoneKey.
    """
    labels, keys = node.metadata.labels, slice(1 if older_labels_only else 2)
    region = next((labels[key] for key in REGION[keys] if key in labels), "")
    zone = next((labels[key] for key in ZONE[keys] if key in labels), "")
    return region, zone


class NodeOrder:
    """The order in which the scheduler visits the nodes: round robin over the zones.

    Zones, and the nodes of each zone, are in order of arrival. A zone is removed with its last node; if it returns, it
    comes last. v1.37: pkg/scheduler/backend/cache/node_tree.go.
    """

    def __init__(self) -> None:
        self._zone_of: dict[str, tuple[str, str]] = {}
        self._zones: dict[tuple[str, str], dict[str, None]] = {}

    def copy(self) -> NodeOrder:
        other = NodeOrder()
        other._zone_of = dict(self._zone_of)
        other._zones = {zone: dict(names) for zone, names in self._zones.items()}
        return other

    def put(self, name: str, zone: tuple[str, str]) -> bool:
        """Put the node into that zone, as its last unless it was there before; return whether it is new there."""
        if self._zone_of.get(name) == zone:
            return False
        if name in self._zone_of:
            self.remove(name)
        self._zone_of[name] = zone
        self._zones.setdefault(zone, {})[name] = None
        return True

    def remove(self, name: str) -> None:
        zone = self._zone_of.pop(name)
        names = self._zones[zone]
        del names[name]
        if not names:
            del self._zones[zone]

    def arrivals(self) -> list[str]:
        """The nodes in order of arrival; a node that changed its zone arrived again."""
        return list(self._zone_of)

    def names(self) -> list[str]:
        """The nodes in the order of visits. O(nodes)."""
        left = [list(names) for names in self._zones.values()]
        ordered: list[str] = []
        place = 0
        while left:
            ordered += [names[place] for names in left]
            place += 1
            left = [names for names in left if len(names) > place]
        return ordered

    def by_zone(self) -> list[str]:
        """The nodes zone by zone: added in this order, they are visited in the same order as now."""
        return [name for names in self._zones.values() for name in names]
