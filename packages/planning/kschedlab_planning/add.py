"""The fewest or cheapest nodes with which all pending pods fit.

First, the pending pods that fit get their nodes. Then the new nodes are there all at once, and the others are placed
in queue order, as the scheduler would.
"""

from __future__ import annotations

import heapq
import itertools
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo, same_info
from kschedlab.cluster.pools import usual_label
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.generations import LATEST, Profiles, profile_for
from kschedlab.objects.model import Node
from kschedlab.objects.problems import InputValueError, unknown
from kschedlab.queue.order import queue_order
from kschedlab.scheduler import Scheduler
from kschedlab.shown import Shown
from kschedlab.text.sections import BAD, GOOD, WARNING, Limits, Row, Section, Table
from kschedlab.text.words import count
from kschedlab_planning.check import Check, check_pods
from kschedlab_planning.kinds import NodeKind, kinds_of, more_nodes, new_objects
from kschedlab_planning.manifests import manifest
from kschedlab_planning.place import Placed, beginning, place, without_preemption
from kschedlab_planning.text import before, checked, grouped

Numbers: TypeAlias = tuple[int, ...]
"""How many nodes of each kind."""
Cost: TypeAlias = tuple[Fraction, int, Fraction]
"""The price, the number of nodes, and their size: what comes first counts more."""
Price: TypeAlias = str | int | float | Fraction

BOUNDS, TRIES = 20_000, 400
"""The most combinations that are compared by their volume, and the most that are tried with the scheduler."""
MOST_NODES = 5_000
STATIC = ("NodeResourcesFit", "NodeAffinity", "TaintToleration", "NodeUnschedulable", "NodeName")
"""Filters whose answer about an empty node no other pod can make better."""
FITS = "NodeResourcesFit"
COMMANDS = {
    "eks.amazonaws.com/nodegroup": 'eksctl scale nodegroup --cluster "$CLUSTER" --name {pool} --nodes {nodes}',
    "alpha.eksctl.io/nodegroup-name": 'eksctl scale nodegroup --cluster "$CLUSTER" --name {pool} --nodes {nodes}',
    "kubernetes.azure.com/agentpool": "az aks nodepool scale --resource-group "
    '"$GROUP" --cluster-name "$CLUSTER" --name {pool} --node-count {nodes}',
}
"""The command that sets the size of a pool, by the label that names it."""


@dataclass(frozen=True)
class Option:
    """A way to let all pods fit. ``numbers``: new nodes by kind; ``price``: of all of them."""

    numbers: dict[NodeKind, int]
    price: Fraction

    @property
    def nodes(self) -> int:
        """The number of new nodes."""
        return sum(self.numbers.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"nodes": {kind.name: number for kind, number in self.numbers.items()}, "price": float(self.price)}


@dataclass(frozen=True, eq=False, repr=False)
class Add(Shown):
    """The best option, or None if no new node helps any pod.

    ``pods``: each pod that a new node lets fit, with its node; ``first``: the pods that fit without. ``stuck``: pods
    that no new node helps, with the reason. ``proven``: whether nothing better exists. ``priced``: whether prices were
    given. ``runner_up``: the best option with other kinds of nodes.
    """

    cluster: Cluster
    best: Option | None
    pods: dict[str, str]
    first: Placed
    stuck: dict[str, str]
    proven: bool
    priced: bool
    runner_up: Option | None = None
    check: Check | None = None

    def manifests(self) -> list[dict[str, Any]]:
        """The new nodes."""
        objects = new_objects(self.cluster, self.best.numbers) if self.best is not None else []
        return [manifest(each, status=True) for each in objects if isinstance(each, Node)]

    def commands(self) -> list[str]:
        """A command for each pool whose provider is known by its label, and a comment for the others."""
        lines, label = [], usual_label(self.cluster)
        for pool, number in _by_pool(self.best).items():
            now = sum(node.metadata.labels.get(label) == pool for node in self.cluster.nodes)
            lines.append(f"# {pool}: {count(number, 'node')} more, {now:,} now")
            if now and (command := COMMANDS.get(label)) is not None:
                lines.append(command.format(pool=shlex.quote(pool), nodes=now + number))
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "best": None if self.best is None else self.best.to_dict(),
            "pods": self.pods,
            "stuck": self.stuck,
            "proven": self.proven,
            "runnerUp": None if self.runner_up is None else self.runner_up.to_dict(),
            "check": None if self.check is None else self.check._asdict(),
        }

    def sections(self, limits: Limits) -> Iterator[Section]:
        """The new nodes, the pods that they let fit, the pods that they do not help."""
        best = self.best
        if best is None:
            yield Section(
                "No new node helps any pod." if self.stuck else "All pending pods fit: no new node is needed.",
                before(len(self.first.nodes)),
                mark=BAD if self.stuck else GOOD,
            )
        else:
            rows = [
                Row([kind.name, number, pods, *([_price(kind.price * number)] if self.priced else [])])
                for (kind, number), pods in zip(best.numbers.items(), _pods_by_kind(self), strict=True)
            ]
            what = "cheapest" if self.priced else "fewest"
            sure = (
                f"No {'cheaper' if self.priced else 'smaller'} number does."
                if self.proven
                else f"The {what} that was found."
            )
            price = f" for {_price(best.price)}" if self.priced else ""
            title = f"With {count(best.nodes, 'new node')}{price}, {count(len(self.pods), 'more pod')} fit."
            table = Table(["of", "nodes", "pods", *(["price"] if self.priced else [])], rows)
            yield Section(
                title, [sure, *before(len(self.first.nodes)), table], mark=GOOD if not self.stuck else WARNING
            )
        if self.runner_up is not None:
            yield Section(f"Next best: {_option_text(self.runner_up, self.priced)}.")
        if self.stuck:
            yield Section(f"No new node helps {count(len(self.stuck), 'pod')}:", grouped(self.stuck), mark=BAD)
        yield from checked(self.check)


def plan_add(
    cluster: Cluster,
    generation: str | Profiles = LATEST,
    *,
    prices: Mapping[str, Price] | None = None,
    kinds: Iterable[Node] = (),
    label: str = "",
    seed: int | None = 0,
) -> Add:
    """The cheapest nodes, or the fewest without prices, with which all pending pods fit.

    ``prices``: of one node of each pool or kind. ``kinds``: nodes like which there can be new ones, besides those of
    the cluster's pools; ``label``: the one that names pools. ``seed``: of the simulation that checks the plan; None: no
    check. KeyError for a price of a pool that is not there; ValueError for a pool without one, or a wrong price.
    """
    profiles = without_preemption(generation)
    first = beginning(cluster, profiles)
    available = _priced(kinds_of(first.cluster, label, kinds), prices)
    search = _Search(first.cluster, available, profiles)
    search.run()
    options = [search.option(numbers) for numbers in (search.best, search.second) if numbers is not None]
    best = options[0] if options else None
    pods = search.placed(search.best).nodes if search.best is not None else {}
    check = None
    if seed is not None:
        more = new_objects(first.cluster, best.numbers) if best is not None else []
        check = check_pods(cluster, more, profiles, seed, len(search.stuck))
    second = options[1] if len(options) > 1 else None
    return Add(first.cluster, best, pods, first, search.stuck, search.proven, prices is not None, second, check)


def _priced(kinds: list[NodeKind], prices: Mapping[str, Price] | None) -> list[NodeKind]:
    if prices is None:
        return kinds
    names = {name for kind in kinds for name in (kind.name, kind.pool)}
    for name in prices:
        if name not in names:
            raise unknown("pool", name, sorted(names))
    priced = []
    for kind in kinds:
        given = prices.get(kind.name, prices.get(kind.pool))
        if given is None:
            raise InputValueError(f'there is no price of "{kind.name}": give each pool one')
        priced.append(_with_price(kind, given))
    return priced


def _with_price(kind: NodeKind, given: Price) -> NodeKind:
    try:
        price = Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        price = Fraction(-1)
    if price < 0:
        raise InputValueError(f'expected a price from 0 of "{kind.name}", got {given!r}')
    return NodeKind(kind.name, kind.pool, kind.zone, kind.node, kind.there, price)


class _Search:
    """Looks for the cheapest numbers: first each kind alone and a greedy mix, then all that cost less than the best.

    ``stuck``: the pods that no new node helps. ``proven``: whether all combinations that cost less were ruled out.
    """

    def __init__(self, cluster: Cluster, kinds: list[NodeKind], profiles: Profiles) -> None:
        self.cluster, self.kinds, self.profiles = cluster, kinds, profiles
        self.waiting = queue_order(cluster.pending.values())
        self.stuck: dict[str, str] = {}
        self.best: Numbers | None = None
        self.second: Numbers | None = None
        self.proven = False
        self._feasible: dict[Numbers, Placed] = {}
        self._known: dict[Numbers, bool] = {}
        self._sizes = _sizes(kinds)

    def run(self) -> None:
        """Find the best numbers and the second best."""
        self._set_stuck_aside()
        if not self.waiting or not self.kinds:
            self.proven = True
            return
        self.volume = _Volume(self.cluster, self.kinds, self.waiting, self.profiles)
        for place_ in range(len(self.kinds)):
            self._alone(place_)
        if len(self.kinds) > 1 or self.best is None:
            self._mixed()
        self._rule_out()

    def option(self, numbers: Numbers) -> Option:
        return Option(self._by_kind(numbers), self.cost(numbers)[0])

    def placed(self, numbers: Numbers) -> Placed:
        """Where the waiting pods go with these nodes."""
        if numbers not in self._feasible:
            return place(self.waiting, more_nodes(self.cluster, self._by_kind(numbers)), self.profiles)
        return self._feasible[numbers]

    def cost(self, numbers: Numbers) -> Cost:
        prices = (kind.price * number for kind, number in zip(self.kinds, numbers, strict=True))
        sizes = (size * number for size, number in zip(self._sizes, numbers, strict=True))
        return sum(prices, Fraction(0)), sum(numbers), sum(sizes, Fraction(0))

    def _by_kind(self, numbers: Numbers) -> dict[NodeKind, int]:
        return {kind: number for kind, number in zip(self.kinds, numbers, strict=True) if number}

    def _set_stuck_aside(self) -> None:
        """Pods that do not fit even if there are many new nodes of each kind wait for something else."""
        cluster, left = self.cluster, self.waiting
        each = max(1, min(len(left), 400 // max(1, len(self.kinds))))
        while left:
            roomy = more_nodes(cluster, dict.fromkeys(self.kinds, each)) if self.kinds else cluster
            outcome = place(left, roomy, self.profiles)
            if not outcome.nodes:
                self.stuck = outcome.left
                break
            left = [info for info in left if info.key in outcome.left]
            cluster = self._with_bound(cluster, outcome)
        self.waiting = [info for info in self.waiting if info.key not in self.stuck]

    def _with_bound(self, cluster: Cluster, outcome: Placed) -> Cluster:
        """The pods that were placed count where they are, but new nodes are empty again."""
        fork = cluster.fork()
        for key, node in outcome.nodes.items():
            info = fork.pending[key]
            if node in fork.index:
                fork.bind(info, node)
        return fork

    def _fits(self, numbers: Numbers) -> bool:
        """Whether all waiting pods fit with these nodes. It is remembered, and so is the best."""
        if numbers not in self._known:
            fits = self.volume.may_fit(numbers)
            if fits:
                outcome = self.placed(numbers)
                fits = not outcome.left
                if fits:
                    self._feasible[numbers] = outcome
                    self._keep(numbers)
            self._known[numbers] = fits
        return self._known[numbers]

    def _keep(self, numbers: Numbers) -> None:
        if self.best is None or self.cost(numbers) < self.cost(self.best):
            if self.best is not None and _which(self.best) != _which(numbers):
                self.second = self.best
            self.best = numbers
        elif _which(numbers) != _which(self.best) and (
            self.second is None or self.cost(numbers) < self.cost(self.second)
        ):
            self.second = numbers
        if self.second is not None and _which(self.second) == _which(self.best):
            self.second = None

    def _only(self, place_: int, number: int) -> Numbers:
        return tuple(number if i == place_ else 0 for i in range(len(self.kinds)))

    def _alone(self, place_: int) -> None:
        """The fewest nodes of one kind, if that kind alone is enough: doubled, then halved in between."""
        most = min(len(self.waiting), MOST_NODES)
        low, high = 0, 1
        while not self._fits(self._only(place_, high)):
            if high >= most:
                return
            low, high = high, min(2 * high, most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._fits(self._only(place_, middle)) else (middle, high)

    def _mixed(self) -> None:
        """Add what places most pods for its price, then leave out what is not needed."""
        numbers, left = [0] * len(self.kinds), len(self.waiting)
        while left:
            gains = []
            for place_, kind in enumerate(self.kinds):
                trial = (*numbers[:place_], numbers[place_] + 1, *numbers[place_ + 1 :])
                gain = left - len(self.placed(trial).left)
                gains.append((gain / float(kind.price or 1), gain, -place_))
            worth, gain, minus = max(gains)
            if gain <= 0 or sum(numbers) > MOST_NODES:
                numbers = [number + 1 for number in numbers]
                if sum(numbers) > MOST_NODES:
                    return
            else:
                numbers[-minus] += max(1, left // gain // 2)
            left = len(self.placed(tuple(numbers)).left)
        if not self._fits(tuple(numbers)):
            return
        dearest = sorted(range(len(self.kinds)), key=lambda place_: -self.kinds[place_].price)
        for place_ in dearest:
            while numbers[place_] and self._fits((*numbers[:place_], numbers[place_] - 1, *numbers[place_ + 1 :])):
                numbers[place_] -= 1

    def _rule_out(self) -> None:
        """Try everything that costs less than the best, the cheapest first, as long as that is not too much."""
        heap: list[tuple[Cost, Numbers, int]] = [(self.cost(self._only(0, 0)), self._only(0, 0), 0)]
        tries = TRIES
        for seen in itertools.count():
            cost, numbers, begin = heapq.heappop(heap)
            if self.best is not None and cost >= self.cost(self.best):
                self.proven = True
                return
            if seen > BOUNDS or tries <= 0 or sum(numbers) > MOST_NODES:
                return
            if numbers not in self._known and self.volume.may_fit(numbers):
                tries -= 1
            if self._fits(numbers):
                self.proven = True
                return
            for place_ in range(begin, len(self.kinds)):
                more = (*numbers[:place_], numbers[place_] + 1, *numbers[place_ + 1 :])
                heapq.heappush(heap, (self.cost(more), more, place_))


def _which(numbers: Numbers) -> tuple[bool, ...]:
    return tuple(number > 0 for number in numbers)


def _sizes(kinds: list[NodeKind]) -> list[Fraction]:
    """Each kind's share of the largest in CPU and memory, to tell equal prices apart."""
    amounts = []
    for kind in kinds:
        allocatable = kind.node.status.allocatable
        cpu, memory = allocatable.get("cpu"), allocatable.get("memory")
        amounts.append((cpu.milli() if cpu is not None else 0, memory.value() if memory is not None else 0))
    most = [max((each[i] for each in amounts), default=0) or 1 for i in (0, 1)]
    return [Fraction(cpu, most[0]) + Fraction(memory, most[1]) for cpu, memory in amounts]


class _Volume:
    """What the volume of the pods rules out: pods that can only go to some nodes must have room on these in all."""

    def __init__(self, cluster: Cluster, kinds: list[NodeKind], waiting: list[PodInfo], profiles: Profiles) -> None:
        self.groups: list[tuple[IntArray, IntArray, BoolArray]] = []
        with_kinds = more_nodes(cluster, dict.fromkeys(kinds, 1))
        places = [with_kinds.index[node.metadata.name] for node in new_nodes(cluster, kinds)]
        free = np.vstack(
            [with_kinds.allocatable[:] - with_kinds.requested[:], with_kinds.max_pods - with_kinds.pods_on]
        )
        free = np.maximum(free, 0)
        old = np.ones(len(with_kinds.nodes), np.bool_)
        old[places] = False
        templates: list[tuple[PodInfo, BoolArray]] = []
        possible: dict[bytes, list[PodInfo]] = {}
        masks: dict[bytes, BoolArray] = {}
        for info in waiting:
            known = next((mask for other, mask in templates if same_info(other.pod, info.pod)), None)
            mask = _possible(info, with_kinds, profiles) if known is None else known
            if known is None:
                templates.append((info, mask))
            if not mask.any():
                continue  # it is not known where the pod can go
            possible.setdefault(mask.tobytes(), []).append(info)
            masks[mask.tobytes()] = mask
        for mask in masks.values():
            within = [info for text, infos in possible.items() if not (masks[text] & ~mask).any() for info in infos]
            demand = np.zeros(len(free), np.int64)
            for info in within:
                for resource, amount in with_kinds.requests_of(info).items():
                    demand[resource] += amount
                demand[-1] += 1
            room = free[:, mask & old].sum(axis=1)
            self.groups.append((demand - room, free[:, places], mask[places]))

    def may_fit(self, numbers: Numbers) -> bool:
        """Whether the volume allows these numbers."""
        new = np.array(numbers, np.int64)
        return all((missing <= per_node @ (new * mask)).all() for missing, per_node, mask in self.groups)


def new_nodes(cluster: Cluster, kinds: list[NodeKind]) -> list[Node]:
    """One new node of each kind."""
    return [each for each in new_objects(cluster, dict.fromkeys(kinds, 1)) if isinstance(each, Node)]


def _possible(info: PodInfo, cluster: Cluster, profiles: Profiles) -> BoolArray:
    """bool[nodes]: where the pod could go if no other pod came before it; none if that is not known."""
    own = profile_for(info.pod, profiles)
    assert own is not None  # without a profile it is stuck
    names = [name for name in STATIC if name in own.plugin_names]
    if FITS not in names:
        return np.zeros(len(cluster.nodes), np.bool_)
    verdicts = Scheduler(cluster, own.only(*names), exhaustive=True).decide(info).verdicts
    return np.zeros(len(cluster.nodes), np.bool_) if verdicts is None else verdicts.passes


def _pods_by_kind(add: Add) -> list[int]:
    """How many of the pods are on new nodes of each kind."""
    assert add.best is not None
    on = Counter(add.pods.values())
    names = [
        [kind.node.metadata.name + ending for ending in (["-new"] + [f"-new-{i}" for i in range(2, number + 1)])]
        if kind.there
        else [f"{kind.node.metadata.name}-{i}" for i in range(1, number + 1)]
        for kind, number in add.best.numbers.items()
    ]
    return [sum(on[name] for name in own) for own in names]


def _option_text(option: Option, priced: bool) -> str:
    """ "2 nodes of small and 1 node of large (0.58)"."""
    parts = [f"{count(number, 'node')} of {kind.name}" for kind, number in option.numbers.items()]
    return f"{' and '.join(parts)}{f' ({_price(option.price)})' if priced else ''}"


def _price(price: object) -> str:
    return f"{float(price):,.4g}"  # type: ignore[arg-type]  # a Fraction


def _by_pool(option: Option | None) -> Mapping[str, int]:
    pools: Counter[str] = Counter()
    for kind, number in option.numbers.items() if option is not None else ():
        pools[kind.pool] += number
    return pools
