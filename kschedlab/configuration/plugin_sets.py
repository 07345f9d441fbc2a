"""Which plugins run at every extension point: a version's own, merged with those of a profile.

v1.37: pkg/scheduler/apis/config/v1/default_plugins.go (mergePlugins) and framework/runtime/framework.go
(expandMultiPointPlugins, updatePluginList, getValidScoreWeights). v1.20: pkg/scheduler/apis/config/types.go (Apply).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from kschedlab.configuration.faults import invalid
from kschedlab.configuration.fields import NOTHING, OldPlugins, Plugin, PluginSet
from kschedlab.objects.problems import Fault, Path, quoted

ALL = "*"
MULTI_POINT = "multiPoint"
SCORING = ("score", "placementScore")
REMOVED = 'was invalid in version "v1"'
Weights = Mapping[str, int]
"""Plugins in their order, with their weights where they score."""


def merged(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """The custom set over the default one: a default that is named again keeps its place, and loses its weight."""
    off = {plugin.name for plugin in (*custom.disabled, *defaults.disabled)}
    last = {plugin.name: place for place, plugin in enumerate(custom.enabled)}
    kept = [plugin for plugin in defaults.enabled if plugin.name not in off and ALL not in off]
    replacing = {last[plugin.name] for plugin in kept if plugin.name in last}
    enabled = [custom.enabled[last[plugin.name]] if plugin.name in last else plugin for plugin in kept]
    enabled += [plugin for place, plugin in enumerate(custom.enabled) if place not in replacing]
    return PluginSet(tuple(enabled), (*custom.disabled, *defaults.disabled))


def appended(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """The defaults that are not disabled, and the custom set behind them."""
    off = {plugin.name for plugin in custom.disabled}
    kept = tuple(plugin for plugin in defaults.enabled if plugin.name not in off and ALL not in off)
    return PluginSet((*kept, *custom.enabled), custom.disabled)


def expanded(own: PluginSet, everywhere: Iterable[str]) -> list[str]:
    """The names at one point: ``own``, the point's set; ``everywhere``: those of multiPoint that can work there.

    First those that are named in both, then the others of multiPoint, then the point's own.
    """
    mine = list(dict.fromkeys(plugin.name for plugin in own.enabled))
    off = {plugin.name for plugin in own.disabled}
    if ALL in off:
        return mine
    able = [name for name in everywhere if name not in off]
    overridden = [name for name in mine if name in able]
    return [*overridden, *(n for n in able if n not in mine), *(n for n in mine if n not in overridden)]


@dataclass(frozen=True)
class Catalogue:
    """The plugins of a version.

    ``points``: by plugin, the extension points at which it can work. ``defaults``: by point, what runs there without a
    configuration. ``order``: the points, in the order in which the real scheduler goes through them. ``merge``: how a
    profile's set changes the default one. ``removed``: plugins that configurations of this version must not name.
    """

    points: Mapping[str, frozenset[str]]
    defaults: Mapping[str, Weights]
    order: tuple[str, ...]
    merge: Callable[[PluginSet, PluginSet], PluginSet]
    queue_sort_missing: str
    binder_missing: str
    removed: frozenset[str] = field(default_factory=frozenset)

    def plugins(self, custom: OldPlugins) -> dict[str, Weights]:
        """By extension point, the plugins in their order; a weight of 0, or none, counts as 1."""
        sets = self.sets(custom)
        multi = sets.get(MULTI_POINT, NOTHING).enabled
        found: dict[str, Weights] = {}
        for point in self.order:
            names = expanded(sets[point], [plugin.name for plugin in multi if self._works(plugin, point)])
            weights = self._weights(sets, point)
            found[point] = {name: weights[name] if point in SCORING else 0 for name in names}
        return found

    def _works(self, plugin: Plugin, point: str) -> bool:
        return point in self.points.get(plugin.name, ())

    def _weights(self, sets: Mapping[str, PluginSet], point: str) -> Weights:
        """Of all plugins that could work at the point: what its own set says goes before what multiPoint says."""
        named = (*sets[point].enabled, *sets.get(MULTI_POINT, NOTHING).enabled)
        weights: dict[str, int] = {}
        for plugin in named:
            if self._works(plugin, point):
                weights.setdefault(plugin.name, plugin.weight or 1)
        return weights

    def sets(self, custom: OldPlugins) -> dict[str, PluginSet]:
        """By extension point, the merged set; ``multiPoint`` among them."""
        points = (*self.order, MULTI_POINT) if hasattr(custom, MULTI_POINT) else self.order
        return {point: self.merge(self._default(point), getattr(custom, point)) for point in points}

    def _default(self, point: str) -> PluginSet:
        return PluginSet(tuple(Plugin(name, weight) for name, weight in self.defaults.get(point, {}).items()))

    def check(self, custom: OldPlugins, path: Path, scheduler: str, faults: list[Fault]) -> None:
        """Plugins that do not exist, that cannot work where they are named, or that are there twice."""
        sets = self.sets(custom)
        before = len(faults)
        for point, merged_set in sets.items():
            given = getattr(custom, point).enabled
            names = [plugin.name for plugin in merged_set.enabled]
            for place, plugin in enumerate(given):
                here: Path = (*path, point, "enabled", place)
                twice = names.count(plugin.name) > 1 and all(p.name != plugin.name for p in given[place + 1 :])
                if point != MULTI_POINT and plugin.name in self.removed:
                    faults.append(invalid(here, plugin.name, REMOVED))
                elif fault := self._fault(plugin.name, point, twice):
                    faults.append(Fault(here, fault))
        if len(faults) > before:
            return
        found = self.plugins(custom)
        if not found["queueSort"]:
            faults.append(Fault(path, self.queue_sort_missing.format(scheduler=quoted(scheduler))))
        if not found["bind"]:
            faults.append(Fault(path, self.binder_missing.format(scheduler=quoted(scheduler))))
        for point in SCORING:
            if point in sets and overflows(self._weights(sets, point).values()):
                faults.append(Fault((*path, point), "total score of Score plugins could overflow"))

    def _fault(self, name: str, point: str, twice: bool) -> str | None:
        at = next((p for p in self.order if p in self.points.get(name, ())), self.order[0])
        kind = plugin_type(at if point == MULTI_POINT else point)
        if name not in self.points:
            return f"{kind} {quoted(name)} does not exist"
        if point not in self.points[name] and point != MULTI_POINT:
            return f"plugin {quoted(name)} does not extend {kind} plugin"
        return f'plugin {quoted(name)} already registered as "{kind}"' if twice else None

    def strangers(self, custom: OldPlugins, modelled: Iterable[str]) -> Iterator[tuple[Path, str]]:
        """(the way to it, its name) of every plugin that the profile enables and that is not modelled."""
        known = frozenset(modelled)
        for point in self.sets(custom):
            for place, plugin in enumerate(getattr(custom, point).enabled):
                if plugin.name not in known:
                    yield (point, "enabled", place), plugin.name


def overflows(weights: Iterable[int]) -> bool:
    """Whether the real check of the sum refuses these weights: once the sum is below 0, at any that follows."""
    return any(total < 0 for total in list(accumulate(weights))[:-1])


def plugin_type(point: str) -> str:
    """The interface of an extension point: ``preFilter`` is a PreFilterPlugin."""
    return f"{point[0].upper()}{point[1:]}Plugin"
