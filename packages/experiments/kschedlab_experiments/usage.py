"""What the nodes have and what their pods request, as arrays; the measures of one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab_simulation.usage import PODS, SHAPES, Array, Shapes

Bools = npt.NDArray[np.bool_]


def allocatable_of(node: Node) -> dict[str, int]:
    """By resource: cpu in milli, everything else in whole units."""
    return {name: q.amount(name) for name, q in node.status.allocatable.items()}


class NodeUse:
    """Nodes and their pods. ``resources``, ``nodes``: all that may come; amounts of other resources are ignored.

    ``allocatable``, ``requested``: float64[resources, nodes], cpu in milli; the last resource is the number of pods.
    """

    def __init__(self, resources: Iterable[str], nodes: Iterable[str]) -> None:
        self.resources = [*dict.fromkeys(name for name in resources if name != PODS), PODS]
        self._row = {name: row for row, name in enumerate(self.resources)}
        self._column = {name: column for column, name in enumerate(nodes)}
        self.allocatable: Array = np.zeros((len(self.resources), len(self._column)))
        self.requested: Array = np.zeros_like(self.allocatable)
        self.there: Bools = np.zeros(len(self._column), np.bool_)
        self._pods: dict[str, tuple[int, Array]] = {}

    def node(self, name: str, node: Node | None) -> None:
        """The node is there from now on, with this allocatable, or it is gone."""
        column = self._column[name]
        self.there[column] = node is not None
        self.allocatable[:, column] = self.vector({} if node is None else allocatable_of(node), 0)

    def pod(self, key: str, node: str, pod: Pod | None) -> None:
        """The pod takes its requests from this node; "" or a node that is not there: from none."""
        before = self._pods.pop(key, None)
        if before is not None:
            self.requested[:, before[0]] -= before[1]
        if pod is not None and (column := self._column.get(node)) is not None:
            request = self.vector(pod_requests(pod), 1)
            self._pods[key] = column, request
            self.requested[:, column] += request

    def vector(self, amounts: Mapping[str, int], pods: int) -> Array:
        """Amounts by resource as a column."""
        made: Array = np.zeros(len(self.resources))
        for name, amount in amounts.items():
            if (row := self._row.get(name)) is not None:
                made[row] = amount
        if pods:
            made[-1] = pods
        return made

    def shapes(self, requests: Iterable[Mapping[str, int]]) -> Shapes:
        """The most frequent of these pods' requests."""
        common = Counter(tuple(self.vector(each, 1).tolist()) for each in requests).most_common(SHAPES)
        demand = np.array([request for request, _ in common]).reshape(len(common), len(self.resources))
        times = np.array([[times] for _, times in common]).reshape(len(common), 1)
        return Shapes(demand, np.where(demand > 0, times, 0.0))

    # -- measures of now

    @property
    def free(self) -> Array:
        """float64[resources, nodes that are there]."""
        return np.maximum(self.allocatable[:, self.there] - self.requested[:, self.there], 0)

    def shares(self) -> Array:
        """float64[resources]: the requested share of all nodes' allocatable, 0 where there is none."""
        total = self.allocatable[:, self.there].sum(axis=1)
        used = self.requested[:, self.there].sum(axis=1)
        return np.divide(used, total, out=np.zeros_like(total), where=total > 0)

    def imbalance(self) -> Array:
        """float64[resources]: the standard deviation of the requested share over the nodes that have the resource."""
        has = self.allocatable[:, self.there]
        share = np.divide(self.requested[:, self.there], has, out=np.full_like(has, np.nan), where=has > 0)
        return np.array([row[~np.isnan(row)].std() if (~np.isnan(row)).any() else 0.0 for row in share])

    def fragmentation(self, shapes: Shapes) -> Array:
        """float64[resources]: the share of what is free that the next pod could not use, 0 where nothing is free."""
        free = self.free
        total = free.sum(axis=1)
        _, fragmented = shapes.lost(free)
        return np.divide(fragmented.sum(axis=1), total, out=np.zeros_like(total), where=total > 0)

    def empty(self) -> int:
        """The nodes without a pod."""
        return int((self.requested[-1, self.there] == 0).sum())

    def emptiable(self) -> int:
        """The nodes, of those with pods, that could be emptied because their pods fit on other nodes with pods.

        Only requests count, no affinity, taint or budget. Greedy, the node with the fewest pods first and its largest
        pods first, each to the fullest node that takes it: a better plan may empty more.
        """
        free = self.allocatable - self.requested
        pods: dict[int, list[Array]] = {}
        for column, request in self._pods.values():
            if self.there[column]:
                pods.setdefault(column, []).append(request)
        open_to = self.there & (self.requested[-1] > 0)
        emptied = 0
        for column in sorted(pods, key=lambda each: (len(pods[each]), each)):
            after, fits = free.copy(), True
            moved = []
            open_to[column] = False
            for request in sorted(pods[column], key=lambda each: tuple(-each)):
                takes = np.flatnonzero(open_to & (after >= request[:, None]).all(axis=0))
                if not len(takes):
                    fits = False
                    break
                to = int(takes[after[0, takes].argmin()])
                after[:, to] -= request
                moved.append((to, request))
            if not fits:
                open_to[column] = True
                continue
            free, emptied = after, emptied + 1
            for to, request in moved:
                pods[to].append(request)
        return emptied
