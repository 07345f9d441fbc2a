"""Decision maps: which node is chosen for every value of two settings, with regions and borders.

Every place is a decision of its own. Three shortcuts change no answer: weights are applied to the table of normalised
scores, the priority of a pod that fits is tried once, because only preemption reads it, and pods that differ in their
requests alone are decided together (:mod:`kschedlab_planning.many`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, as_pending
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.decision import Decision
from kschedlab.explanation import NoProfileError
from kschedlab.extras import require
from kschedlab.generations import LATEST, Generation, Profiles, api_of, profile_for, profiles_of
from kschedlab.objects.problems import InputValueError, Path, unknown
from kschedlab.scheduler import Scheduler
from kschedlab.shown import Shown
from kschedlab.text.sections import Limits, Row, Section, Table
from kschedlab.text.words import count
from kschedlab_planning.manifests import manifest
from kschedlab_planning.many import both, can_decide, decided
from kschedlab_planning.settings import Field, Weight, changed, found, setting

Axis: TypeAlias = tuple[str, Iterable[object]]
"""The name of a setting (:mod:`kschedlab_planning.settings`), and its values."""
PRIORITY = ("spec", "priority")
KEEP = object()
"""In place of a value: the field stays as it is."""


class Outcome(NamedTuple):
    """What is decided: the node, or the node on which preemption evicts pods; both "" if the pod stays pending."""

    node: str
    nominated: str = ""

    def __str__(self) -> str:
        return self.node or (f"evicts on {self.nominated}" if self.nominated else "pending")


class Region(NamedTuple):
    """Places side by side with the same outcome: their number, and the least and greatest values on both axes."""

    outcome: Outcome
    places: int
    x: tuple[object, object]
    y: tuple[object, object]


class Border(NamedTuple):
    """Two neighbours with different outcomes: from ``before`` to ``after`` on one axis, at ``at`` on the other."""

    axis: str
    before: object
    after: object
    at: object
    outcomes: tuple[Outcome, Outcome]


COLUMNS, ROWS = 60, 30
"""The most places that a map shows in a row, and rows; of more, each second, third, ... is shown."""
SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
REGIONS = 20
"""The most regions that are listed."""
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""Okabe and Ito's colours, which differ for colour-blind readers, too."""


@dataclass(frozen=True, eq=False, repr=False)
class DecisionMap(Shown):
    """The outcome at each place. ``places``: int64[y, x], numbers of ``outcomes``. ``x``, ``y``: names and values."""

    pod: str
    x: tuple[str, tuple[object, ...]]
    y: tuple[str, tuple[object, ...]]
    outcomes: tuple[Outcome, ...]
    places: IntArray
    case: _Case

    def at(self, x: object, y: object) -> Outcome:
        """The outcome with these values. KeyError if they are not on the axes."""
        return self.outcomes[self.places[self._place(self.y, y), self._place(self.x, x)]]

    def decision(self, x: object, y: object) -> Decision:
        """The decision with these values, with its evidence. KeyError if they are not on the axes."""
        self._place(self.x, x)
        self._place(self.y, y)
        return self.case.decide(x, y)

    def regions(self) -> list[Region]:
        """The regions, the largest first."""
        seen = np.zeros_like(self.places, dtype=np.bool_)
        regions = []
        for y, x in np.ndindex(self.places.shape):
            if not seen[y, x]:
                ys, xs = zip(*self._connected(y, x, seen), strict=True)
                bounds = [(values[min(each)], values[max(each)]) for (_, values), each in ((self.x, xs), (self.y, ys))]
                regions.append(Region(self.outcomes[self.places[y, x]], len(xs), bounds[0], bounds[1]))
        return sorted(regions, key=lambda region: -region.places)

    def _connected(self, y: int, x: int, seen: Any) -> list[tuple[int, int]]:
        here, waiting, connected = self.places[y, x], [(y, x)], []
        seen[y, x] = True
        while waiting:
            place = waiting.pop()
            connected.append(place)
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                near = place[0] + down, place[1] + right
                inside = 0 <= near[0] < seen.shape[0] and 0 <= near[1] < seen.shape[1]
                if inside and not seen[near] and self.places[near] == here:
                    seen[near] = True
                    waiting.append(near)
        return connected

    def borders(self) -> list[Border]:
        """All borders: along x, row by row, then along y, column by column."""
        return [
            *self._along(self.x, self.y, self.places),
            *self._along(self.y, self.x, self.places.T),
        ]

    def _along(
        self, axis: tuple[str, tuple[object, ...]], other: tuple[str, tuple[object, ...]], places: IntArray
    ) -> Iterator[Border]:
        for row, place in zip(*np.nonzero(places[:, 1:] != places[:, :-1]), strict=True):
            sides = self.outcomes[places[row, place]], self.outcomes[places[row, place + 1]]
            yield Border(axis[0], axis[1][place], axis[1][place + 1], other[1][row], sides)

    def figure(self) -> Any:
        """A ``plotly.graph_objects.Figure``: a colour for each outcome. MissingExtraError without plotly."""
        require("lab", "plotly")
        from plotly.graph_objects import Figure, Heatmap

        (x, xs), (y, ys), names = self.x, self.y, [str(each) for each in self.outcomes]
        number = len(names)
        colours = [COLOURS[place % len(COLOURS)] for place in range(number)]
        steps = [(end / number, colour) for place, colour in enumerate(colours) for end in (place, place + 1)]
        heatmap = Heatmap(
            x=[str(value) for value in xs],
            y=[str(value) for value in ys],
            z=self.places.tolist(),
            text=[[names[place] for place in row] for row in self.places.tolist()],
            hovertemplate=f"{x}: %{{x}}<br>{y}: %{{y}}<br>%{{text}}<extra></extra>",
            colorscale=steps,
            zmin=-0.5,
            zmax=number - 0.5,
            colorbar={"tickvals": list(range(number)), "ticktext": names},
        )
        axes = {
            "xaxis": {"title": {"text": x}, "type": "category"},
            "yaxis": {"title": {"text": y}, "type": "category"},
        }
        return Figure(heatmap, layout={"title": {"text": self.pod}, **axes})

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "pod": self.pod,
            "x": {"setting": self.x[0], "values": list(self.x[1])},
            "y": {"setting": self.y[0], "values": list(self.y[1])},
            "outcomes": [each._asdict() for each in self.outcomes],
            "places": self.places.tolist(),
        }

    def sections(self, limits: Limits) -> Iterator[Section]:
        """The map as letters, the greatest y at the top; then what each letter means."""
        (x, xs), (y, ys) = self.x, self.y
        right, up = -(-len(xs) // COLUMNS), -(-len(ys) // ROWS)
        signs = _signs(self.outcomes)
        labels = [str(value) for value in ys]
        width = max(map(len, labels))
        lines = [
            f"{labels[row]:>{width}} {''.join(signs[place] for place in self.places[row, ::right].tolist())}"
            for row in reversed(range(0, len(ys), up))
        ]
        title = f"{self.pod}: {count(self.places.size, 'place')}, {count(len(self.outcomes), 'outcome')}"
        skipped = [f"Shown: 1 of {right} columns, 1 of {up} rows."] if right * up > 1 else []
        below = f"{x} from {xs[0]} to {xs[-1]}, {y} upwards from {ys[0]} to {ys[-1]}"
        yield Section(title, [*lines, below, *skipped])
        rows = [
            Row(
                [signs[self.outcomes.index(each.outcome)], str(each.outcome), each.places, _span(each.x), _span(each.y)]
            )
            for each in self.regions()[:REGIONS]
        ]
        yield Section("Regions", [Table(["", "outcome", "places", x, y], rows)])

    @staticmethod
    def _place(axis: tuple[str, tuple[object, ...]], value: object) -> int:
        if value not in axis[1]:
            raise unknown(axis[0], value, map(str, axis[1]))
        return axis[1].index(value)


def decision_map(cluster: Cluster, pod: AnyPod, x: Axis, y: Axis, generation: str | Profiles = LATEST) -> DecisionMap:
    """The outcome for each value of two settings; the cluster stays as it is. Of equal nodes the first by name counts.

    ``pod``: ``namespace/name``, a manifest or a Pod; a running one is taken off its node. ``x``, ``y``: the name of a
    setting (:mod:`kschedlab_planning.settings`) and its values. KeyError if there is no such pod, object or plugin;
    ValueError for a wrong path, no values, or the same setting twice; ManifestError for a value that the API refuses.
    """
    axes = tuple((name, tuple(values)) for name, values in (x, y))
    for name, values in axes:
        if not values:
            raise InputValueError(f"expected values of {name}, got none")
    if axes[0][0] == axes[1][0]:
        raise InputValueError(f"expected two settings, got {axes[0][0]} twice")
    case = _Case(cluster, pod, (setting(axes[0][0]), setting(axes[1][0])), profiles_of(generation))
    outcomes: dict[Outcome, int] = {}
    table = case.outcomes(axes[0][1], axes[1][1])
    places = np.array([[outcomes.setdefault(each, len(outcomes)) for each in row] for row in table], np.int64)
    return DecisionMap(case.key, axes[0], axes[1], tuple(outcomes), places, case)


class _Case:
    """A pod in a cluster with two settings, decided again and again."""

    def __init__(
        self, cluster: Cluster, pod: AnyPod, settings: tuple[Weight | Field, Weight | Field], profiles: Profiles
    ) -> None:
        info, self.cluster, _ = as_pending(pod, cluster, api_of(profiles))
        self.key, self.settings = info.key, settings
        own = profile_for(info.pod, profiles)
        if own is None:
            raise NoProfileError(info)
        self.generation: Generation = own
        self.data = manifest(info.original or info.pod, status=True)
        self.objects: dict[tuple[object, str], dict[str, Any]] = {}
        for each in settings:
            if isinstance(each, Weight):
                own.weighted(**{each.plugin: 1})
            elif each.kind is not None:
                self.objects[each.kind, each.key] = found(each, info.pod, self.cluster)
        self._infos: dict[object, PodInfo] = {}
        self._clusters: dict[object, Cluster] = {}

    def decide(self, x: object, y: object) -> Decision:
        """The decision with these values."""
        weights = {
            each.plugin: value for each, value in zip(self.settings, (x, y), strict=True) if isinstance(each, Weight)
        }
        return self._decided(x, y, self.generation.weighted(**weights))  # type: ignore[arg-type]  # it checks them

    def outcomes(self, xs: Sequence[object], ys: Sequence[object]) -> list[list[Outcome]]:
        """The outcome at each place, by row."""
        by_x, by_y = (isinstance(each, Weight) for each in self.settings)
        for each, values in zip(self.settings, (xs, ys), strict=True):
            if isinstance(each, Weight):
                for value in values:
                    self.generation.weighted(**{each.plugin: value})  # type: ignore[arg-type]  # it checks them
        if by_x and by_y:
            return self._weighted(self._decided(None, None), xs, ys)
        if by_x:
            return [self._weighted(self._decided(None, y), xs, [None])[0] for y in ys]
        if by_y:
            columns = [[row[0] for row in self._weighted(self._decided(x, None), [None], ys)] for x in xs]
            return [list(row) for row in zip(*columns, strict=True)]
        if self._is_priority(1):
            columns = [self._by_priority([(x, y) for y in ys]) for x in xs]
            return [list(row) for row in zip(*columns, strict=True)]
        if self._is_priority(0):
            return [self._by_priority([(x, y) for x in xs]) for y in ys]
        return self._each(xs, ys)

    def _each(self, xs: Sequence[object], ys: Sequence[object]) -> list[list[Outcome]]:
        """The outcomes place by place; those in one cluster together, if the pods differ in requests alone."""
        if self._of_cluster(0) and not self._of_cluster(1):
            columns = [self._together([(x, y) for y in ys]) for x in xs]
            return [list(row) for row in zip(*columns, strict=True)]
        if self._of_cluster(1):
            return [self._together([(x, y) for x in xs]) for y in ys]
        flat = self._together([(x, y) for y in ys for x in xs])
        return [flat[start : start + len(xs)] for start in range(0, len(flat), len(xs))]

    def _of_cluster(self, number: int) -> bool:
        """Whether the setting changes the cluster, not the pod."""
        setting = self.settings[number]
        return isinstance(setting, Field) and setting.kind is not None

    def _together(self, places: list[tuple[object, object]]) -> list[Outcome]:
        fields = [each for each in self.settings if isinstance(each, Field) and each.kind is None]
        if all(_is_request(each.path) for each in fields) and not all(map(self._of_cluster, (0, 1))):
            infos, cluster = [self._requesting(*place) for place in places], self._cluster(*places[0])
            if can_decide(infos, cluster, self.generation):
                decisions = decided(infos, cluster, self.generation)
                return [Outcome(each) if isinstance(each, str) else _outcome(each) for each in decisions]
        return [_outcome(self._decided(*place)) for place in places]

    def _requesting(self, x: object, y: object) -> PodInfo:
        """The pod with these values, both of them requests, or one of them; what two values change is put together."""
        if self._of_cluster(0) or self._of_cluster(1):
            return self._info(x, y)
        alone = self._info(KEEP, KEEP), self._info(x, KEEP), self._info(KEEP, y)
        return both(*alone) or self._info(x, y)

    def _is_priority(self, number: int) -> bool:
        """Whether the setting is the pod's priority, and only preemption reads it."""
        setting, generation = self.settings[number], self.generation
        alone = not generation.plugins and not generation.extenders and not len(self.cluster.nominated.row_of)
        return alone and isinstance(setting, Field) and setting.kind is None and setting.path == PRIORITY

    def _by_priority(self, places: list[tuple[object, object]]) -> list[Outcome]:
        first = _outcome(self._decided(*places[0]))
        if first.node:
            return [first] * len(places)
        return [first, *(_outcome(self._decided(*place)) for place in places[1:])]

    def _weighted(self, decision: Decision, xs: Sequence[Any], ys: Sequence[Any]) -> list[list[Outcome]]:
        """The outcomes with each pair of weights: totals of the same table."""
        scores = decision.scores
        if scores is None:
            return [[_outcome(decision)] * len(xs)] * len(ys)
        total = np.broadcast_to(scores.total, (len(ys), len(xs), len(scores.nodes))).copy()
        shapes = ((1, -1, 1), (-1, 1, 1))
        for each, values, shape in zip(self.settings, (xs, ys), shapes, strict=True):
            if isinstance(each, Weight) and each.plugin in scores.plugins:
                number = scores.plugins.index(each.plugin)
                change = np.array(values, np.int64) - scores.weights[number]
                total += change.reshape(shape) * scores.rows[number].normalized
        order = np.argsort(decision.cluster.ranks[scores.nodes])
        best = order[np.argmax(total[..., order], axis=-1)]
        names = [Outcome(decision.cluster.names[n]) for n in scores.nodes.tolist()]
        return [[names[place] for place in row] for row in best.tolist()]

    def _decided(self, x: object, y: object, generation: Generation | None = None) -> Decision:
        info = self._info(x, y)
        return Scheduler(self._cluster(x, y), generation or self.generation, exhaustive=True).decide(info)

    def _info(self, x: object, y: object) -> PodInfo:
        """The pod with the values of the settings that are its fields."""
        own = [
            (each.path, value)
            for each, value in zip(self.settings, (x, y), strict=True)
            if isinstance(each, Field) and each.kind is None and value is not KEEP
        ]
        key = tuple(map(repr, own))
        if key not in self._infos:
            data = self.data
            for path, value in own:
                data = changed(data, path, value)
            pods = self.cluster.read([data]).pods
            self._infos[key] = self.cluster.info(pods[0])
        return self._infos[key]

    def _cluster(self, x: object, y: object) -> Cluster:
        """The cluster with the values of the settings that are fields of its other objects."""
        objects, key = dict(self.objects), []
        for each, value in zip(self.settings, (x, y), strict=True):
            if isinstance(each, Field) and each.kind is not None:
                objects[each.kind, each.key] = changed(objects[each.kind, each.key], each.path, value)
                key.append(repr(value))
        if not objects:
            return self.cluster
        if tuple(key) not in self._clusters:
            if len(self._clusters) > 1:
                self._clusters.clear()  # a row or a column shares one; a place that has its own needs it once
            self._clusters[tuple(key)] = self.cluster.fork().add(*objects.values())
        return self._clusters[tuple(key)]


def _is_request(path: Path) -> bool:
    """Whether the field is the request of a container for a resource."""
    return path[:2] == ("spec", "containers") and path[3:5] == ("resources", "requests") and len(path) == 6


def _outcome(decision: Decision) -> Outcome:
    return Outcome(decision.node or "", decision.nominated_node or "")


def _signs(outcomes: Sequence[Outcome]) -> list[str]:
    """A capital letter for a node, the same small letter for eviction there, a dot for a pending pod."""
    nodes = sorted({each.node or each.nominated for each in outcomes} - {""})
    letters = {node: SIGNS[place % len(SIGNS)] for place, node in enumerate(nodes)}
    return [letters.get(each.node, "") or letters.get(each.nominated, "").lower() or "." for each in outcomes]


def _span(ends: tuple[object, object]) -> str:
    return f"{ends[0]} to {ends[1]}" if ends[0] != ends[1] else str(ends[0])
