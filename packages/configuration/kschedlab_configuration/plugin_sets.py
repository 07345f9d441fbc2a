"""Which plugins run at each extension point: a version's defaults, merged with a profile's settings.

v1.37: pkg/scheduler/apis/config/v1/default_plugins.go (mergePlugins) and framework/runtime/framework.go
(expandMultiPointPlugins, updatePluginList, getValidScoreWeights). v1.22, v1.24: the same in config/v1beta1 to
config/v1beta3. v1.20: pkg/scheduler/apis/config/types.go (Apply).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from kschedlab.messages import later
from kschedlab.objects.problems import Fault, Path, quoted, shortened
from kschedlab_configuration.faults import invalid
from kschedlab_configuration.fields import NOTHING, OldPlugins, Plugin, PluginSet

ALL = "*"
MULTI_POINT = "multiPoint"
SCORING = ("score", "placementScore")
Weights = Mapping[str, int]
"""Weights by plugin, in the order of the plugins; 0 outside of scoring."""
Division = Callable[[list[str], Container[str]], tuple[list[str], list[str]]]
"""Divides names into those that are overridden and the others."""


def merged(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """The defaults changed by the custom set: a default that it enables again keeps its position, not its weight."""
    disabled = {plugin.name for plugin in (*custom.disabled, *defaults.disabled)}
    index_of = {plugin.name: i for i, plugin in enumerate(custom.enabled)}
    kept = [plugin for plugin in defaults.enabled if plugin.name not in disabled and ALL not in disabled]
    replaced = {index_of[plugin.name] for plugin in kept if plugin.name in index_of}
    enabled = [custom.enabled[index_of[plugin.name]] if plugin.name in index_of else plugin for plugin in kept]
    enabled += [plugin for i, plugin in enumerate(custom.enabled) if i not in replaced]
    return PluginSet(tuple(enabled), (*custom.disabled, *defaults.disabled))


def replaced(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """Like :func:`merged`, but nothing remembers what is disabled."""
    return PluginSet(merged(defaults, custom).enabled)


def appended(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """The defaults that are not disabled, followed by the custom set."""
    disabled = {plugin.name for plugin in custom.disabled}
    kept = tuple(plugin for plugin in defaults.enabled if plugin.name not in disabled and ALL not in disabled)
    return PluginSet((*kept, *custom.enabled))


def divided(names: list[str], overridden: Container[str]) -> tuple[list[str], list[str]]:
    """The overridden names, and the others."""
    return [name for name in names if name in overridden], [name for name in names if name not in overridden]


def divided_in_place(names: list[str], overridden: Container[str]) -> tuple[list[str], list[str]]:
    """Like :func:`divided` as v1.23 to v1.25 do it: they shorten the list while they read it.

    They overlook the name after each that they remove, and read the last one again: it may run twice.
    """
    array, end = list(names), len(names)
    place = {name: i for i, name in enumerate(names)}
    first: list[str] = []
    for i in range(len(names)):
        name = array[i]
        if name in overridden:
            first.append(name)
            if (at := place.pop(name, None)) is not None:
                at -= len(names) - end
                array[at : end - 1] = array[at + 1 : end]
                end -= 1
    return first, array[:end]


def expanded(point_set: PluginSet, multi_point: Iterable[str], divide: Division) -> list[str]:
    """The plugins that run at one extension point, in order.

    First those that both the point's set and multiPoint name, then the others of multiPoint, then the others of the
    point's set. ``multi_point``: the plugins of multiPoint that implement this point. ``divide``: divides the point's
    set.
    """
    specific = list(dict.fromkeys(plugin.name for plugin in point_set.enabled))
    disabled = {plugin.name for plugin in point_set.disabled}
    if ALL in disabled:
        return specific
    general = [name for name in multi_point if name not in disabled]
    first, last = divide(specific, general)
    return [*first, *(name for name in general if name not in specific), *last]


@dataclass(frozen=True)
class Catalogue:
    """The plugins of a version.

    ``points``: the extension points that each plugin implements. ``defaults``: the plugins that run at each point by
    default. ``order``: the points in the order in which the real scheduler validates them. ``merge``: combines the
    default set with a profile's. ``removed``: plugins that configurations of this version must not name, and
    ``removal``, what is wrong with them. ``conflicts``: the scores that exclude each of these scores. ``weights``: the
    default weights of scores, where that is not 1. ``divide``: see :func:`expanded`.
    """

    points: Mapping[str, frozenset[str]]
    defaults: Mapping[str, Weights]
    order: tuple[str, ...]
    merge: Callable[[PluginSet, PluginSet], PluginSet]
    queue_sort_missing: str
    binder_missing: str
    removed: frozenset[str] = field(default_factory=frozenset)
    removal: str = later('was invalid in version "v1"')
    conflicts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    divide: Division = divided

    def plugins(self, custom: OldPlugins) -> dict[str, Weights]:
        """The plugins by extension point, in order. A score without a weight has its default weight."""
        sets, plugins = self.sets(custom), dict[str, Weights]()
        for point, names in self.lists(custom).items():
            weights = self._weights(sets, point)
            plugins[point] = {name: weights[name] if point in SCORING else 0 for name in names}
        return plugins

    def lists(self, custom: OldPlugins) -> dict[str, list[str]]:
        """The names by extension point, in the order in which they run; one that runs twice is there twice."""
        sets = self.sets(custom)
        multi_point = sets.get(MULTI_POINT, NOTHING).enabled
        return {
            point: expanded(
                sets[point], [plugin.name for plugin in multi_point if self._implements(plugin, point)], self.divide
            )
            for point in self.order
        }

    def _implements(self, plugin: Plugin, point: str) -> bool:
        return point in self.points.get(plugin.name, ())

    def _weights(self, sets: Mapping[str, PluginSet], point: str) -> Weights:
        """The weights of all plugins that implement the point; those of its own set precede those of multiPoint."""
        weights: dict[str, int] = {}
        for plugin in (*sets[point].enabled, *sets.get(MULTI_POINT, NOTHING).enabled):
            if self._implements(plugin, point):
                weights.setdefault(plugin.name, plugin.weight or self.weights.get(plugin.name, 1))
        return weights

    def sets(self, custom: OldPlugins) -> dict[str, PluginSet]:
        """The merged set of each extension point, including ``multiPoint`` if the version reads it."""
        points = (*self.order, MULTI_POINT) if MULTI_POINT in self.defaults else self.order
        return {point: self.merge(self._default(point), getattr(custom, point)) for point in points}

    def _default(self, point: str) -> PluginSet:
        return PluginSet(tuple(Plugin(name, weight) for name, weight in self.defaults.get(point, {}).items()))

    def check(self, custom: OldPlugins, path: Path, scheduler: str, faults: list[Fault]) -> None:
        """Append a fault for each plugin that does not exist, does not implement its point, or is enabled twice."""
        sets = self.sets(custom)
        before = len(faults)
        for point, merged_set in sets.items():
            enabled = getattr(custom, point).enabled
            names = [plugin.name for plugin in merged_set.enabled]
            for i, plugin in enumerate(enabled):
                plugin_path: Path = (*path, point, "enabled", i)
                duplicate = names.count(plugin.name) > 1 and all(p.name != plugin.name for p in enabled[i + 1 :])
                if point != MULTI_POINT and plugin.name in self.removed:
                    faults.append(invalid(plugin_path, plugin.name, self.removal))
                elif fault := self._fault(plugin.name, point, duplicate):
                    faults.append(Fault(plugin_path, fault))
        scores = [plugin.name for plugin in sets["score"].enabled]
        for name in scores:
            if others := [other for other in scores if other in self.conflicts.get(name, ())]:
                faults.append(invalid((*path, "score"), name, later("conflicts with {others}", others=others)))
        if len(faults) > before:
            return
        plugins = self.plugins(custom)
        if not plugins["queueSort"]:
            faults.append(Fault(path, later(self.queue_sort_missing, scheduler=quoted(scheduler))))
        if not plugins["bind"]:
            faults.append(Fault(path, later(self.binder_missing, scheduler=quoted(scheduler))))
        for point in SCORING:
            if point in sets and overflows(self._weights(sets, point).values()):
                faults.append(Fault((*path, point), "total score of Score plugins could overflow"))

    def _fault(self, name: str, point: str, duplicate: bool) -> str | None:
        first_point = next((p for p in self.order if p in self.points.get(name, ())), self.order[0])
        kind = plugin_type(first_point if point == MULTI_POINT else point)
        if name not in self.points:
            return later('{kind} "{name}" does not exist', kind=kind, name=shortened(name))
        if point not in self.points[name] and point != MULTI_POINT:
            return later('plugin "{name}" does not extend {kind} plugin', name=shortened(name), kind=kind)
        twice = later('plugin "{name}" already registered as "{kind}"', name=shortened(name), kind=kind)
        return twice if duplicate else None


def overflows(weights: Iterable[int]) -> bool:
    """Whether the real scheduler refuses these weights: the running sum is negative before the last one."""
    return any(total < 0 for total in list(accumulate(weights))[:-1])


def plugin_type(point: str) -> str:
    """The interface of an extension point: ``preFilter`` is a PreFilterPlugin."""
    return f"{point[0].upper()}{point[1:]}Plugin"
