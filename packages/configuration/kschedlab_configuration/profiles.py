"""Turns the profiles of a KubeSchedulerConfiguration into generations.

v1.37: pkg/scheduler/apis/config/validation/validation.go, pkg/scheduler/profile/profile.go and scheduler.go
(buildExtenders). v1.20: the same files, and factory.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from kschedlab.filter.plugin import Filter
from kschedlab.generations import Generation
from kschedlab.messages import later
from kschedlab.objects.meta import Part
from kschedlab.objects.model import DEFAULT_SCHEDULER
from kschedlab.objects.names import label_key_fault
from kschedlab.objects.problems import Fault, Faults, Path, shortened
from kschedlab.objects.requests import is_extended
from kschedlab.plugins.loading import PluginNotFoundError, installed_plugin, made
from kschedlab.preemption.rules import PreemptionRules
from kschedlab.score.stage import Ties
from kschedlab_configuration.arguments import ArgumentsSpec, NewValues, gated
from kschedlab_configuration.declared_plugins import extension_points, name_fault, takes_arguments
from kschedlab_configuration.extender_settings import read_extenders
from kschedlab_configuration.faults import decoded, duplicate, invalid, required
from kschedlab_configuration.fields import (
    IGNORED_FIELDS,
    NOTHING,
    Configuration,
    OldNodeResourcesFitArgs,
    OldPlugins,
    Profile,
)
from kschedlab_configuration.partial_plugins import enabled_filter, enabled_score
from kschedlab_configuration.plugin_sets import MULTI_POINT, Catalogue, Weights
from kschedlab_configuration.versions import GROUP, Version


class OutOfTreePlugins:
    """The out-of-tree plugins of the profiles. ``available``: the caller's by name, preferred to installed ones."""

    def __init__(self, available: Mapping[str, object]) -> None:
        self._available = available
        self._plugins: dict[str, object] = {}

    @property
    def names(self) -> frozenset[str]:
        """The names of the plugins that the profiles enable."""
        return frozenset(self._plugins)

    def load(self, profiles: Sequence[Profile], catalogue: Catalogue, faults: Faults) -> None:
        """Load the plugins that these profiles enable and the catalogue lacks. Append a fault for each failure."""
        for i, profile in enumerate(profiles):
            for path, name in _enabled(profile.plugins):
                if name in catalogue.points or name in catalogue.removed or name in self._plugins:
                    continue
                try:
                    plugin = self._available.get(name) or installed_plugin(name)
                except PluginNotFoundError as error:
                    faults.append(Fault(("profiles", i, "plugins", *path), str(error)))
                    continue
                if plugin is not None:
                    self._plugins[name] = plugin

    def added_to(self, catalogue: Catalogue) -> Catalogue:
        """The catalogue with these plugins added."""
        points = {name: extension_points(plugin) for name, plugin in self._plugins.items()}
        weights = {name: weight for name, plugin in self._plugins.items() if (weight := getattr(plugin, "weight", 1))}
        return replace(catalogue, points={**catalogue.points, **points}, weights=weights)

    def enabled(self, profile: Profile, path: Path, faults: Faults, warnings: list[Fault]) -> list[object]:
        """The plugins that the profile enables, created with its arguments."""
        names = dict.fromkeys(name for _, name in _enabled(profile.plugins) if name in self._plugins)
        created = (self._create(name, profile, path, faults, warnings) for name in names)
        return [plugin for plugin in created if plugin is not None]

    def _create(self, name: str, profile: Profile, path: Path, faults: Faults, warnings: list[Fault]) -> object | None:
        plugin, plugin_path, arguments = self._plugins[name], (*path, "plugins"), {}
        for i, config in enumerate(profile.pluginConfig):
            if config.name == name:
                plugin_path = (*path, "pluginConfig", i)
                if not takes_arguments(plugin):
                    warnings.append(
                        Fault(plugin_path, later('"{name}" takes no arguments: they are ignored', name=shortened(name)))
                    )
                elif not isinstance(config.args, dict | None):
                    faults.append(Fault((*plugin_path, "args"), "expected a map of fields"))
                else:
                    args = config.args or {}
                    arguments = {key: args[key] for key in args if key not in ("apiVersion", "kind")}
        try:
            created = made(plugin, arguments, name)
            if error := name_fault(created, name):
                raise PluginNotFoundError(error)
        except PluginNotFoundError as error:
            faults.append(Fault(plugin_path, str(error)))
            return None
        return created


def _enabled(plugins: OldPlugins) -> Iterator[tuple[Path, str]]:
    """(path, name) of every plugin that is enabled at an extension point."""
    for point, plugin_set in msgspec.structs.asdict(plugins).items():
        for index, plugin in enumerate(plugin_set.enabled):
            yield (point, "enabled", index), plugin.name


FIT, GATES, PREEMPTION, DEVICES = "NodeResourcesFit", "SchedulingGates", "DefaultPreemption", "DynamicResources"
NEITHER_FILTER_NOR_SCORE = frozenset({"DefaultBinder", PREEMPTION, "PrioritySort", GATES})
"""Modelled plugins that neither filter nor score."""
DECISION_POINTS = frozenset(
    {"preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "queueSort", MULTI_POINT}
)
"""The extension points that affect a decision."""


class PluginArguments(NamedTuple):
    """The arguments that a profile passes to a plugin."""

    spec: ArgumentsSpec
    values: Part

    @property
    def change(self) -> NewValues:
        """The changes that they make in the plugin."""
        return self.spec.change(self.values)


class ProfileReader:
    """Reads one configuration. ``faults``: what the real scheduler refuses. ``warnings``: what is not modelled."""

    def __init__(self, version: Version, base: Generation, plugins: Mapping[str, object]) -> None:
        self.version = replace(version, arguments=gated(version.arguments, dict(base.feature_gates)))
        self.out_of_tree = OutOfTreePlugins(plugins)
        self.base = base
        self.faults = Faults()
        self.warnings: list[Fault] = []
        self._filters = version.all_filters(base)
        self._scores = version.all_scores(base)

    def read(self, data: dict[str, Any]) -> dict[str, Generation]:
        """The generation for each schedulerName; empty if there are faults."""
        configuration = decoded(data, self.version.configuration, (), self.faults)
        self._check(configuration)
        profiles: Sequence[Profile] = configuration.profiles or (self.version.profile(),)
        self.out_of_tree.load(profiles, self.version.catalogue, self.faults)
        if self.out_of_tree.names:
            self.version = replace(self.version, catalogue=self.out_of_tree.added_to(self.version.catalogue))
        self._warn(configuration, profiles, data)
        default_name = DEFAULT_SCHEDULER if len(profiles) == 1 else ""
        names = [default_name if p.schedulerName is None else p.schedulerName for p in profiles]
        arguments, out_of_tree = [], []
        for i, (name, profile) in enumerate(zip(names, profiles, strict=True)):
            path: Path = ("profiles", i)
            if not name:
                self.faults.append(required((*path, "schedulerName")))
            elif name in names[:i]:
                self.faults.append(duplicate((*path, "schedulerName"), name))
            self._check_profile(profile, profiles[0], name, path)
            arguments.append(self._arguments(profile, path))
            out_of_tree.append(self.out_of_tree.enabled(profile, path, self.faults, self.warnings))
        if self.faults:
            return {}
        extenders = read_extenders(configuration.extenders, self.faults)
        if self.faults:
            return {}
        ignored = [r.name for e in configuration.extenders for r in e.managedResources if r.ignoredByScheduler]
        default_percentage = configuration.percentageOfNodesToScore
        generations = {}
        for name, profile, by_plugin, plugins in zip(names, profiles, arguments, out_of_tree, strict=True):
            percentage = default_percentage if profile.percentage is None else profile.percentage
            completed = _with_ignored_resources(by_plugin, ignored, self.version)
            with_plugins = self.base.only().plus(*plugins)
            generation = self._generation(profile, name, percentage, completed, with_plugins)
            generations[name] = replace(generation, extenders=extenders)
        return generations

    # -- checks

    def _check(self, configuration: Configuration) -> None:
        if configuration.parallelism <= 0:
            why = later("should be an integer value greater than zero")
            self.faults.append(invalid(("parallelism",), configuration.parallelism, why))
        for name in ("healthzBindAddress", "metricsBindAddress"):
            if (address := getattr(configuration, name, None)) is not None:
                complaints = self.version.address_complaints(address)
                self.faults += (invalid((name,), value, why) for value, why in complaints)
        self._check_percentage(configuration.percentageOfNodesToScore, ("percentageOfNodesToScore",))
        initial, highest = configuration.podInitialBackoffSeconds, configuration.podMaxBackoffSeconds
        if initial <= 0:
            self.faults.append(invalid(("podInitialBackoffSeconds",), initial, "must be greater than 0"))
        if highest < initial:
            why = later("must be greater than or equal to PodInitialBackoffSeconds")
            self.faults.append(invalid(("podMaxBackoffSeconds",), highest, why))
        self._check_extenders(configuration)

    def _check_percentage(self, percentage: int | None, path: Path) -> None:
        if percentage is not None and not 0 <= percentage <= 100:
            self.faults.append(invalid(path, percentage, "not in valid range [0-100]"))

    def _check_extenders(self, configuration: Configuration) -> None:
        seen: set[str] = set()
        for i, extender in enumerate(configuration.extenders):
            path: Path = ("extenders", i)
            if extender.prioritizeVerb and extender.weight <= 0:
                why = later("must have a positive weight applied to it")
                self.faults.append(invalid((*path, "weight"), extender.weight, why))
            for j, resource in enumerate(extender.managedResources):
                name_path: Path = (*path, "managedResources", j, "name")
                if fault := label_key_fault(resource.name):
                    self.faults.append(Fault(name_path, later("Invalid value: {fault}", fault=fault)))
                elif not is_extended(resource.name):
                    self.faults.append(invalid(name_path, resource.name, "is an invalid extended resource name"))
                if resource.name in seen:
                    self.faults.append(invalid(name_path, resource.name, "duplicate extender managed resource name"))
                seen.add(resource.name)
        if (binders := sum(bool(extender.bindVerb) for extender in configuration.extenders)) > 1:
            value = f"found {binders} extenders implementing bind"
            self.faults.append(invalid(("extenders",), value, "only one extender can implement bind"))

    def _check_profile(self, profile: Profile, first: Profile, name: str, path: Path) -> None:
        self._check_percentage(profile.percentage, (*path, "percentageOfNodesToScore"))
        catalogue, plugins_path = self.version.catalogue, (*path, "plugins")
        catalogue.check(profile.plugins, plugins_path, name, self.faults)
        if catalogue.sets(profile.plugins)["queueSort"] != catalogue.sets(first.plugins)["queueSort"]:
            self.faults.append(Fault((*plugins_path, "queueSort"), "Invalid value: must be the same for all profiles"))

    def _arguments(self, profile: Profile, path: Path) -> dict[str, PluginArguments]:
        """The arguments of ``pluginConfig`` by plugin."""
        by_plugin: dict[str, PluginArguments] = {}
        for i, config in enumerate(profile.pluginConfig):
            config_path: Path = (*path, "pluginConfig", i)
            if config.name in (earlier.name for earlier in profile.pluginConfig[:i]):
                self.faults.append(duplicate(config_path, config.name))
            if config.name in self.version.catalogue.removed:
                self.faults.append(invalid(config_path, config.name, self.version.catalogue.removal))
            elif (spec := self.version.arguments.get(config.name)) is not None:
                values = self._values(config.name, config.args, spec, (*config_path, "args"))
                by_plugin[config.name] = PluginArguments(spec, values)
            elif config.name in self.version.catalogue.points and config.name not in self.out_of_tree.names:
                self.warnings.append(
                    Fault(
                        config_path, later('"{name}" takes no arguments: they are ignored', name=shortened(config.name))
                    )
                )
            if not self._modelled(config.name):
                self.warnings.append(
                    Fault(config_path, later('the plugin "{name}" is not modelled', name=shortened(config.name)))
                )
        if not self.faults:
            self._check_missing(profile, by_plugin, path)
        return by_plugin

    def _values(self, name: str, args: Any, spec: ArgumentsSpec, path: Path) -> Part:
        fields = args if args is not None else {}
        if isinstance(fields, dict):
            kind, version = f"{name}Args", self.version.name
            if fields.get("apiVersion", version) != version:
                self.faults.append(Fault((*path, "apiVersion"), later("expected args of {version}", version=version)))
            if fields.get("kind", kind) != kind:
                why = later("args for plugin {name} were not of type {kind}.{group}", name=name, kind=kind, group=GROUP)
                self.faults.append(Fault((*path, "kind"), why))
            fields = {key: value for key, value in fields.items() if key not in ("apiVersion", "kind")}
        values = decoded(fields, spec.struct, path, self.faults)
        spec.check(values, path, self.faults)
        return values

    def _check_missing(self, profile: Profile, by_plugin: Mapping[str, PluginArguments], path: Path) -> None:
        """Append a fault for each enabled plugin that needs arguments and has none."""
        enabled = {name for weights in self.version.catalogue.plugins(profile.plugins).values() for name in weights}
        for name in sorted(enabled - by_plugin.keys()):
            if (spec := self.version.arguments.get(name)) is not None:
                faults = Faults()
                spec.check(spec.struct(), (), faults)
                if faults:
                    self.faults.append(
                        Fault((*path, "pluginConfig"), later('"{name}" needs arguments', name=shortened(name)))
                    )

    # -- warnings

    def _warn(self, configuration: Configuration, profiles: Sequence[Profile], data: Mapping[str, Any]) -> None:
        if ignored := [name for name in IGNORED_FIELDS if data.get(name) is not None]:
            self.warnings.append(Fault((), later("does not affect decisions: {ignored}", ignored=[*ignored])))
        for i, profile in enumerate(profiles):
            path: Path = ("profiles", i, "plugins")
            sets = msgspec.structs.asdict(profile.plugins)
            scores = self.version.catalogue.lists(profile.plugins)["score"]
            if twice := sorted({name for name in scores if scores.count(name) > 1}):
                why = later(
                    "kube-scheduler {version} runs {names} twice, because it shortens this list while it reads it "
                    "(expandMultiPointPlugins): it may normalise these scores and multiply them by their weight twice; "
                    "kschedlab does so once",
                    version=self.version.base,
                    names=twice,
                )
                self.warnings.append(Fault((*path, "score"), why))
            deciding = DECISION_POINTS & self.version.catalogue.sets(profile.plugins).keys()
            if ignored := [point for point, set_ in sets.items() if set_ != NOTHING and point not in deciding]:
                self.warnings.append(Fault(path, later("does not affect decisions: {ignored}", ignored=[*ignored])))
            for point in deciding:
                for index, plugin in enumerate(sets[point].enabled):
                    if not self._modelled(plugin.name):
                        why = later(
                            'the plugin "{name}" is not modelled: decisions ignore it', name=shortened(plugin.name)
                        )
                        self.warnings.append(Fault((*path, point, "enabled", index), why))

    def _modelled(self, name: str) -> bool:
        known = (self._filters, self._scores, NEITHER_FILTER_NOR_SCORE, self.out_of_tree.names)
        return any(name in names for names in known)

    # -- generations

    def _generation(
        self,
        profile: Profile,
        name: str,
        percentage: int,
        by_plugin: Mapping[str, PluginArguments],
        out_of_tree: Generation,
    ) -> Generation:
        """``out_of_tree``: a generation that has only the profile's out-of-tree plugins."""
        enabled = self._enabled(profile)
        changes = {plugin: arguments.change for plugin, arguments in by_plugin.items()}
        filters = {n: _changed(f, changes[n].filter) if n in changes else f for n, f in self._filters.items()}
        scores = {n: _changed(s, changes[n].score) if n in changes else s for n, s in self._scores.items()}
        filters |= {plugin.name: plugin for plugin in out_of_tree.filters}
        scores |= {score.name: score for score, _ in out_of_tree.scores}
        weights = enabled["score"]
        pre_enqueue = enabled.get("preEnqueue")
        obeys_gates = GATES in pre_enqueue if pre_enqueue is not None else self.base.obeys_scheduling_gates
        return replace(
            self.base,
            name=f"{name} ({self.base.name})",
            filters=tuple(_filters(filters, enabled)),
            scores=tuple((enabled_score(scores[n], enabled), weights[n]) for n in weights if n in scores),
            preemption=_preemption(self.base.preemption, changes.get(PREEMPTION), enabled),
            percentage=percentage,
            obeys_scheduling_gates=obeys_gates,
            plugins=out_of_tree.plugins,
        )

    def _enabled(self, profile: Profile) -> dict[str, Weights]:
        """The plugins by extension point. A plugin without PreFilter or PreScore counts as if it were enabled there."""
        catalogue = self.version.catalogue
        enabled = dict(catalogue.plugins(profile.plugins))
        for pre_point, point in (("preFilter", "filter"), ("preScore", "score")):
            without = {name: 0 for name in enabled[point] if pre_point not in catalogue.points[name]}
            enabled[pre_point] = {**enabled[pre_point], **without}
        return enabled


def may_batch(generation: Generation) -> bool:
    """Whether the real scheduler keeps the heap of scores for the next pod, if both have the same signature.

    PodTopologySpread with default constraints refuses to sign a pod, and so do extenders and the users' plugins. v1.37:
    framework/runtime/framework.go, computeBatchablePlugins; framework/plugins/podtopologyspread/plugin.go, SignPod.
    """
    if generation.ties is not Ties.HEAP or generation.extenders or generation.plugins:
        return False
    plugins: list[Any] = [*generation.filters, *(score for score, _ in generation.scores)]
    spreads = any(getattr(plugin, "defaults", ()) for plugin in plugins if plugin.name == "PodTopologySpread")
    return not spreads and dict(generation.feature_gates).get("OpportunisticBatching") is not False


def _changed(plugin: Any, change: Mapping[str, Any]) -> Any:
    return replace(plugin, **change) if change else plugin


def _filters(filters: Mapping[str, Filter], enabled: Mapping[str, Weights]) -> list[Filter]:
    """The enabled filters in the order of Filter.

    A plugin with PreFilter only is placed before the plugin that follows it in the order of PreFilter.
    """
    order = list(enabled["filter"])
    following: str | None = None
    for name in reversed(list(enabled["preFilter"])):
        if name not in order:
            order.insert(order.index(following) if following is not None else len(order), name)
        following = name
    kept = (
        enabled_filter(filters[n], n in enabled["preFilter"], n in enabled["filter"]) for n in order if n in filters
    )
    return [plugin for plugin in kept if plugin is not None]


def _preemption(rules: PreemptionRules, change: NewValues | None, enabled: Mapping[str, Weights]) -> PreemptionRules:
    order = list(enabled["postFilter"])
    preempts = PREEMPTION in order
    after = DEVICES in order and not (preempts and order.index(PREEMPTION) < order.index(DEVICES))
    arguments = change.preemption if change else {}
    return replace(rules, enabled=preempts, after_dynamic_resources=after, **arguments)


def _with_ignored_resources(
    by_plugin: Mapping[str, PluginArguments], resources: list[str], version: Version
) -> Mapping[str, PluginArguments]:
    """The arguments, with resources that extenders manage as NodeResourcesFit's only ``ignoredResources``."""
    if not resources:
        return by_plugin
    spec = version.arguments[FIT]
    values = by_plugin[FIT].values if FIT in by_plugin else spec.struct()
    assert isinstance(values, OldNodeResourcesFitArgs)
    values = msgspec.structs.replace(values, ignoredResources=tuple(resources))
    return {**by_plugin, FIT: PluginArguments(spec, values)}
