"""Which nodes can go, and in which order: every budget is kept, and every pod finds another node.

A drain evicts one pod after the other, as ``kubectl drain --ignore-daemonsets`` does; its controller replaces it at
once, and the scheduler places the replacement on the nodes that remain. Static pods and pods of DaemonSets go with
their node (v1.37: k8s.io/kubectl pkg/drain/filters.go).
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster, bound_to
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.explanation import NoProfileError
from kschedlab.generations import LATEST, Profiles
from kschedlab.objects.meta import controller_of
from kschedlab.objects.problems import unknown
from kschedlab.shown import Shown
from kschedlab.text.sections import BAD, GOOD, WEAK, Limits, Names, Row, Section, Table
from kschedlab.text.words import count, listing
from kschedlab_planning.budgets import Budgets, after_loss, budgets_of, refusal
from kschedlab_planning.check import Check, around, check_drains
from kschedlab_planning.place import beginning, bind, decide, without_preemption
from kschedlab_planning.text import PODS, checked
from kschedlab_simulation.controllers.drain import is_left

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
"""Labels of nodes that are not drained unless they are named."""
TRIES = 2_000
"""The most drains that are tried in search of a better order."""


OTHERS = 4
"""So many plans without one of the first nodes are tried, for the next best."""


class Obstacle(NamedTuple):
    """Why a node cannot go: the pod ``namespace/name`` that is in the way ("" if it is the node itself), and why."""

    node: str
    pod: str
    why: str


class Drained(NamedTuple):
    """One node that goes. ``moves``: the new node of each pod that had been on it; ``lost``: pods nothing replaces."""

    node: str
    moves: dict[str, str]
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Drain(Shown):
    """The most nodes that can go. ``steps``: in order; ``obstacles``: what keeps each of the others.

    ``proven``: whether more nodes are impossible. ``runner_up``: the nodes of the next best plan, in order.
    ``force``: whether pods without a controller may be lost.
    """

    steps: tuple[Drained, ...]
    obstacles: tuple[Obstacle, ...]
    runner_up: tuple[str, ...]
    proven: bool
    force: bool = False
    check: Check | None = None

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that go, in order."""
        return tuple(step.node for step in self.steps)

    def commands(self) -> list[str]:
        """The commands of kubectl, in order."""
        options = "--ignore-daemonsets --delete-emptydir-data" + " --force" * self.force
        return [
            line
            for node in map(shlex.quote, self.nodes)
            for line in (f"kubectl drain {node} {options}", f"kubectl delete node {node}")
        ]

    def manifests(self) -> list[dict[str, Any]]:
        """A timeline for ``kschedlab simulate``: the drains in order, an hour apart, after an hour."""
        entries = [
            entry
            for hour, node in enumerate(self.nodes, 1)
            for entry in ({"at": f"{hour}h", "drain": f"node/{node}"}, {"at": f"{hour}h59m", "delete": f"node/{node}"})
        ]
        return [{"timeline": entries}] if entries else []

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "steps": [step._asdict() for step in self.steps],
            "obstacles": [obstacle._asdict() for obstacle in self.obstacles],
            "runnerUp": list(self.runner_up),
            "proven": self.proven,
            "check": None if self.check is None else self.check._asdict(),
        }

    def sections(self, limits: Limits) -> Iterator[Section]:
        """The nodes that can go in order, what keeps the others, the next best plan."""
        number = len(self.steps)
        title = f"{count(number, 'node')} can go." if number else "No node can go."
        rows = [
            Row([step.node, len(step.moves), listing(sorted(set(step.moves.values())), PODS), listing(step.lost, PODS)])
            for step in self.steps
        ]
        head = ["node", "pods move", "to", "lost"]
        sure = ["No larger number can."] if self.proven else ["A larger number may be possible."]
        yield Section(title, [*sure, Table(head, rows)], mark=GOOD if number else BAD)
        if self.runner_up:
            yield Section("Next best:", [Names(self.runner_up)])
        if self.obstacles:
            rows = [Row([each.node, each.pod, each.why], WEAK) for each in self.obstacles]
            yield Section("In the way after that:", [Table(["node", "pod", "why"], rows)])
        yield from checked(self.check)


def plan_drain(
    cluster: Cluster,
    generation: str | Profiles = LATEST,
    *,
    nodes: Collection[str] | None = None,
    force: bool = False,
    seed: int | None = 0,
) -> Drain:
    """The most nodes that can go, in order, and what keeps the others.

    ``nodes``: only these may go (default: all but the control plane). ``force``: pods without a controller may be lost.
    ``seed``: of the simulation that checks the plan; None: no check. KeyError if there is no such node.
    """
    profiles = without_preemption(generation)
    start = beginning(cluster, profiles).cluster
    for name in nodes or ():
        if name not in start.index:
            raise unknown("node", name, start.names)
    search = _Search(start, profiles, force, _candidates(start, nodes))
    best, runner_up = search.run()
    obstacles = [*_controllers(start, nodes), *search.obstacles(best)]
    check = None
    if seed is not None:
        lost = sum(len(step.lost) for step in best.steps)
        check = check_drains(start, [step.node for step in best.steps], profiles, seed, lost)
    nodes_of_second = tuple(step.node for step in runner_up.steps) if runner_up is not None else ()
    return Drain(best.steps, tuple(obstacles), nodes_of_second, search.proven, force, check)


def _is_control_plane(cluster: Cluster, name: str) -> bool:
    labels = cluster.nodes[cluster.index[name]].metadata.labels
    return any(label in labels for label in CONTROL_PLANE)


def _candidates(cluster: Cluster, nodes: Collection[str] | None) -> list[str]:
    if nodes is not None:
        return sorted(set(nodes))
    return [name for name in sorted(cluster.names) if not _is_control_plane(cluster, name)]


def _controllers(cluster: Cluster, nodes: Collection[str] | None) -> Iterator[Obstacle]:
    for name in sorted(cluster.names) if nodes is None else ():
        if _is_control_plane(cluster, name):
            yield Obstacle(name, "", "it is of the control plane: name it if it may go, too")


def volumes(cluster: Cluster, force: bool) -> tuple[IntArray, IntArray]:
    """int64[resources + 1, nodes], the room for pods that move, and int64[resources + 1], what these request.

    The last row counts pods. A node that is overcommitted keeps what it has.
    """
    moving = np.zeros((len(cluster.resources) + 1, len(cluster.nodes)), np.int64)
    staying = moving.copy()
    for row in np.flatnonzero(cluster.pods.live()).tolist():
        info, place = cluster.pods.info(row), int(cluster.pods.node[row])
        table = moving
        if is_left(info.pod) or controller_of(info.pod.metadata) is None:
            if force and not is_left(info.pod):
                continue  # it may be lost
            table = staying
        for resource, amount in cluster.requests_of(info).items():
            table[resource, place] += amount
        table[-1, place] += 1
    allocatable = np.vstack([cluster.allocatable[:], cluster.max_pods])
    return np.maximum(allocatable - staying, moving), moving.sum(axis=1)


@dataclass(frozen=True)
class _State:
    """A cluster after some drains. ``moved``: where each pod that had to move is now, "" if it is lost."""

    cluster: Cluster
    budgets: Budgets
    steps: tuple[Drained, ...] = ()
    moved: dict[str, str] = field(default_factory=dict)

    @property
    def gone(self) -> frozenset[str]:
        return frozenset(step.node for step in self.steps)


class _Search:
    """Looks for the longest sequence of drains: first greedily, the emptiest node first, then in every order.

    ``proven``: whether the best plan has as many nodes as the capacity allows, or every order was tried.
    """

    def __init__(self, cluster: Cluster, profiles: Profiles, force: bool, candidates: Sequence[str]) -> None:
        self.profiles, self.force, self.candidates = profiles, force, list(candidates)
        self.start = _State(cluster, budgets_of(cluster, around(cluster)))
        self.room, self.demand = volumes(cluster, force)
        share = {name: self._share(cluster.index[name]) for name in self.candidates}
        self.candidates.sort(key=lambda name: (share[name], name))
        self.positions = [cluster.index[name] for name in self.candidates]
        self.proven = False
        self._tries, self._seen = TRIES, set[object]()
        self._best = self._second = self.start

    def run(self) -> tuple[_State, _State | None]:
        """The best plan, and the best with other nodes."""
        most = self._most(self.start)
        for order in (self.candidates, self.candidates[::-1]):
            self._keep(self._greedy(order))
        for step in self._best.steps[:OTHERS]:
            self._keep(self._greedy([name for name in self.candidates if name != step.node]))
        self.proven = len(self._best.steps) == most
        if not self.proven and len(self.candidates) <= 200:
            self._explore(self.start)
            self.proven = self._tries > 0
        return self._best, self._second if self._second.steps else None

    def obstacles(self, after: _State) -> Iterator[Obstacle]:
        """What keeps each candidate that is still there after this plan, even if no other node goes."""
        for name in sorted(set(self.candidates) - after.gone):
            alone = self.drained(self.start, name)
            outcome = alone if isinstance(alone, Obstacle) else self.drained(after, name)
            if isinstance(outcome, Obstacle):
                yield outcome

    def drained(self, state: _State, name: str) -> _State | Obstacle:
        """The state after this drain, or what is in its way."""
        fork, budgets, moves, lost = state.cluster.fork(), state.budgets, dict[str, str](), list[str]()
        place = fork.index[name]
        node = fork.nodes[place]
        fork.change_nodes([(name, replace(node, spec=replace(node.spec, unschedulable=True)))])
        for row in fork.pods_of(place).tolist():
            info = fork.pods.info(row)
            pod = replace(info.pod, spec=replace(info.pod.spec, nodeName=name))
            if is_left(pod):
                continue
            replaced = controller_of(pod.metadata) is not None
            if not replaced and not self.force:
                return Obstacle(name, info.key, "no controller would replace it; --force drops it")
            if why := refusal(pod, budgets):
                return Obstacle(name, info.key, why)
            fork.evict(info.key)
            if not replaced:
                budgets = after_loss(pod, budgets)
                lost.append(info.key)
                continue
            moved = self._placed(info, fork)
            if isinstance(moved, str):
                moves[info.key] = moved
            else:
                return Obstacle(name, info.key, moved[0])
        fork.remove(name)
        step = Drained(name, moves, tuple(lost))
        return _State(fork, budgets, (*state.steps, step), state.moved | moves | dict.fromkeys(lost, ""))

    def _placed(self, info: PodInfo, fork: Cluster) -> str | tuple[str]:
        """The new node of the replacement, or (why there is none,)."""
        try:
            decision = decide(replace(info, pod=bound_to(info.pod, "")), fork, self.profiles)
        except NoProfileError as error:
            return (str(error),)
        if decision.node is None:
            return (decision.event,)
        bind(decision, fork)
        return decision.node

    def _greedy(self, order: Sequence[str]) -> _State:
        state = self.start
        for name in order:
            after = self.drained(state, name)
            state = after if isinstance(after, _State) else state
        return state

    def _explore(self, state: _State) -> None:
        """Every order that can beat the best plan so far, until the tries are used up."""
        key = state.gone, frozenset(state.moved.items())
        if key in self._seen or self._most(state) <= len(self._best.steps):
            return
        self._seen.add(key)
        for name in self.candidates:
            if name in state.gone:
                continue
            if self._tries <= 0:
                return
            self._tries -= 1
            after = self.drained(state, name)
            if isinstance(after, _State):
                self._keep(after)
                self._explore(after)

    def _keep(self, state: _State) -> None:
        """Remember the plan if it is the best, or the best with other nodes."""
        if len(state.steps) > len(self._best.steps):
            if not self._best.gone <= state.gone:
                self._second = self._best
            self._best = state
        elif not state.gone <= self._best.gone and len(state.steps) > len(self._second.steps):
            self._second = state

    def _most(self, state: _State) -> int:
        """An upper limit of the number of nodes that can go in all, from the volume of the pods alone."""
        left = [n for n, name in zip(self.positions, self.candidates, strict=True) if name not in state.gone]
        kept = self.room.sum(axis=1) - self.room[:, [self.start.cluster.index[name] for name in state.gone]].sum(axis=1)
        spare = kept - self.demand
        sums = np.cumsum(np.sort(self.room[:, left], axis=1), axis=1)
        fewest = int((sums <= spare[:, None]).sum(axis=1).min()) if left else 0
        return len(state.steps) + fewest

    def _share(self, position: int) -> float:
        """The largest share of a resource that the pods on the node request."""
        cluster = self.start.cluster
        requested, allocatable = cluster.requested[:][:, position], cluster.allocatable[:][:, position]
        has = allocatable > 0
        return float((requested[has] / allocatable[has]).max(initial=0.0))
