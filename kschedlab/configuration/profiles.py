"""A KubeSchedulerConfiguration to generations, one for each of its profiles.

v1.37: pkg/scheduler/apis/config/validation/validation.go, pkg/scheduler/profile/profile.go and scheduler.go
(buildExtenders). v1.20: the same files, and factory.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from kschedlab.configuration.arguments import Arguments, Change
from kschedlab.configuration.faults import decoded, duplicate, invalid, required
from kschedlab.configuration.fields import NO_BEARING, NOTHING, Configuration, OldNodeResourcesFitArgs, Profile
from kschedlab.configuration.partial_plugins import filter_of, score_of
from kschedlab.configuration.plugin_sets import MULTI_POINT, REMOVED, Weights
from kschedlab.configuration.versions import GROUP, Version
from kschedlab.filter.plugin import Filter
from kschedlab.generations import Generation
from kschedlab.objects.meta import Part
from kschedlab.objects.model import DEFAULT_SCHEDULER
from kschedlab.objects.names import label_key_fault
from kschedlab.objects.problems import Fault, Path, quoted
from kschedlab.objects.requests import is_extended
from kschedlab.preemption.rules import PreemptionRules

FIT, GATES, PREEMPTION = "NodeResourcesFit", "SchedulingGates", "DefaultPreemption"
ELSEWHERE = frozenset({"DefaultBinder", PREEMPTION, "PrioritySort", GATES})
"""Plugins that are modelled, but neither filter nor score."""
DECIDING = frozenset({"preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "queueSort", MULTI_POINT})
"""The extension points that bear on a decision."""


class Given(NamedTuple):
    """The arguments that a profile gives a plugin."""

    arguments: Arguments
    values: Part

    @property
    def change(self) -> Change:
        """What they change about the plugin."""
        return self.arguments.change(self.values)


class Reading:
    """One configuration, as it is read. ``faults``: what the real one refuses; ``notes``: what is not modelled."""

    def __init__(self, version: Version, base: Generation) -> None:
        self.version = version
        self.base = base
        self.faults: list[Fault] = []
        self.notes: list[Fault] = []
        self._filters = version.all_filters(base)
        self._scores = version.all_scores(base)

    def read(self, data: dict[str, Any]) -> dict[str, Generation]:
        """By schedulerName; nothing if there are faults."""
        found = decoded(data, self.version.configuration, (), self.faults)
        self._check(found)
        profiles: Sequence[Profile] = found.profiles or (self.version.profile(),)
        self._note(found, profiles, data)
        alone = DEFAULT_SCHEDULER if len(profiles) == 1 else ""
        names = [alone if p.schedulerName is None else p.schedulerName for p in profiles]
        given = []
        for i, (name, profile) in enumerate(zip(names, profiles, strict=True)):
            path: Path = ("profiles", i)
            if not name:
                self.faults.append(required((*path, "schedulerName")))
            elif name in names[:i]:
                self.faults.append(duplicate((*path, "schedulerName"), name))
            self._check_profile(profile, profiles[0], name, path)
            given.append(self._arguments(profile, path))
        if self.faults:
            return {}
        delegated = [r.name for e in found.extenders for r in e.managedResources if r.ignoredByScheduler]
        made = {}
        for name, profile, arguments in zip(names, profiles, given, strict=True):
            percentage = found.percentageOfNodesToScore if profile.percentage is None else profile.percentage
            made[name] = self._generation(profile, name, percentage, _delegating(arguments, delegated, self.version))
        return made

    # -- checks

    def _check(self, found: Configuration) -> None:
        if found.parallelism <= 0:
            why = "should be an integer value greater than zero"
            self.faults.append(invalid(("parallelism",), found.parallelism, why))
        self._check_percentage(found.percentageOfNodesToScore, ("percentageOfNodesToScore",))
        first, most = found.podInitialBackoffSeconds, found.podMaxBackoffSeconds
        if first <= 0:
            self.faults.append(invalid(("podInitialBackoffSeconds",), first, "must be greater than 0"))
        if most < first:
            why = "must be greater than or equal to PodInitialBackoffSeconds"
            self.faults.append(invalid(("podMaxBackoffSeconds",), most, why))
        self._check_extenders(found)

    def _check_percentage(self, percentage: int | None, path: Path) -> None:
        if percentage is not None and not 0 <= percentage <= 100:
            self.faults.append(invalid(path, percentage, "not in valid range [0-100]"))

    def _check_extenders(self, found: Configuration) -> None:
        seen: set[str] = set()
        for i, extender in enumerate(found.extenders):
            path: Path = ("extenders", i)
            if extender.prioritizeVerb and extender.weight <= 0:
                why = "must have a positive weight applied to it"
                self.faults.append(invalid((*path, "weight"), extender.weight, why))
            for j, resource in enumerate(extender.managedResources):
                here: Path = (*path, "managedResources", j, "name")
                if fault := label_key_fault(resource.name):
                    self.faults.append(Fault(here, f"Invalid value: {fault}"))
                elif not is_extended(resource.name):
                    self.faults.append(invalid(here, resource.name, "is an invalid extended resource name"))
                if resource.name in seen:
                    self.faults.append(invalid(here, resource.name, "duplicate extender managed resource name"))
                seen.add(resource.name)
        if (binders := sum(bool(extender.bindVerb) for extender in found.extenders)) > 1:
            value = f"found {binders} extenders implementing bind"
            self.faults.append(invalid(("extenders",), value, "only one extender can implement bind"))

    def _check_profile(self, profile: Profile, first: Profile, name: str, path: Path) -> None:
        self._check_percentage(profile.percentage, (*path, "percentageOfNodesToScore"))
        catalogue, here = self.version.catalogue, (*path, "plugins")
        catalogue.check(profile.plugins, here, name, self.faults)
        if catalogue.sets(profile.plugins)["queueSort"] != catalogue.sets(first.plugins)["queueSort"]:
            self.faults.append(Fault((*here, "queueSort"), "Invalid value: must be the same for all profiles"))

    def _arguments(self, profile: Profile, path: Path) -> dict[str, Given]:
        """By plugin: the arguments of ``pluginConfig``."""
        given: dict[str, Given] = {}
        for i, config in enumerate(profile.pluginConfig):
            here: Path = (*path, "pluginConfig", i)
            if config.name in (other.name for other in profile.pluginConfig[:i]):
                self.faults.append(duplicate(here, config.name))
            if config.name in self.version.catalogue.removed:
                self.faults.append(invalid(here, config.name, REMOVED))
            elif (arguments := self.version.arguments.get(config.name)) is not None:
                values = self._values(config.name, config.args, arguments, (*here, "args"))
                given[config.name] = Given(arguments, values)
            elif config.name in self.version.catalogue.points:
                self.notes.append(Fault(here, f"{quoted(config.name)} takes no arguments: they mean nothing"))
            if not self._modelled(config.name):
                self.notes.append(Fault(here, f"the plugin {quoted(config.name)} is not modelled"))
        if not self.faults:
            self._check_missing(profile, given, path)
        return given

    def _values(self, name: str, args: Any, arguments: Arguments, path: Path) -> Part:
        fields = args if args is not None else {}
        if isinstance(fields, dict):
            kind, version = f"{name}Args", self.version.name
            if fields.get("apiVersion", version) != version:
                self.faults.append(Fault((*path, "apiVersion"), f"args of {version} are expected here"))
            if fields.get("kind", kind) != kind:
                why = f"args for plugin {name} were not of type {kind}.{GROUP}"
                self.faults.append(Fault((*path, "kind"), why))
            fields = {key: value for key, value in fields.items() if key not in ("apiVersion", "kind")}
        values = decoded(fields, arguments.struct, path, self.faults)
        arguments.check(values, path, self.faults)
        return values

    def _check_missing(self, profile: Profile, given: Mapping[str, Given], path: Path) -> None:
        """Plugins that can't do without arguments."""
        enabled = {name for weights in self.version.catalogue.plugins(profile.plugins).values() for name in weights}
        for name in sorted(enabled - given.keys()):
            if (arguments := self.version.arguments.get(name)) is not None:
                faults: list[Fault] = []
                arguments.check(arguments.struct(), (), faults)
                if faults:
                    self.faults.append(Fault((*path, "pluginConfig"), f"{quoted(name)} needs arguments"))

    # -- notes

    def _note(self, found: Configuration, profiles: Sequence[Profile], data: Mapping[str, Any]) -> None:
        if found.extenders:
            why = "are not modelled: what they would say is left out of decisions"
            self.notes.append(Fault(("extenders",), why))
        if unread := [name for name in NO_BEARING if data.get(name) is not None]:
            self.notes.append(Fault((), f"has no bearing on decisions: {', '.join(unread)}"))
        for i, profile in enumerate(profiles):
            path: Path = ("profiles", i, "plugins")
            sets = msgspec.structs.asdict(profile.plugins)
            if unread := [point for point, given in sets.items() if given != NOTHING and point not in DECIDING]:
                self.notes.append(Fault(path, f"has no bearing on decisions: {', '.join(unread)}"))
            for point in DECIDING & sets.keys():
                for place, plugin in enumerate(sets[point].enabled):
                    if not self._modelled(plugin.name):
                        why = f"the plugin {quoted(plugin.name)} is not modelled: it is left out of decisions"
                        self.notes.append(Fault((*path, point, "enabled", place), why))

    def _modelled(self, name: str) -> bool:
        return name in self._filters or name in self._scores or name in ELSEWHERE

    # -- what comes of it

    def _generation(self, profile: Profile, name: str, percentage: int, given: Mapping[str, Given]) -> Generation:
        enabled = self._enabled(profile)
        changes = {plugin: one.change for plugin, one in given.items()}
        filters = {n: _changed(f, changes[n].filter) if n in changes else f for n, f in self._filters.items()}
        scores = {n: _changed(s, changes[n].score) if n in changes else s for n, s in self._scores.items()}
        weights = enabled["score"]
        return replace(
            self.base,
            name=f"{name} ({self.base.name})",
            filters=tuple(_filters(filters, enabled)),
            scores=tuple((score_of(scores[n], enabled), weights[n]) for n in weights if n in scores),
            preemption=_preemption(self.base.preemption, changes.get(PREEMPTION), enabled),
            percentage=percentage,
            gates_hold=GATES in enabled["preEnqueue"] if "preEnqueue" in enabled else self.base.gates_hold,
        )

    def _enabled(self, profile: Profile) -> dict[str, Weights]:
        """By extension point; a plugin that has no PreFilter or PreScore counts as if that were enabled."""
        catalogue = self.version.catalogue
        enabled = dict(catalogue.plugins(profile.plugins))
        for before, point in (("preFilter", "filter"), ("preScore", "score")):
            without = {name: 0 for name in enabled[point] if before not in catalogue.points[name]}
            enabled[before] = {**enabled[before], **without}
        return enabled


def _changed(plugin: Any, change: Mapping[str, Any]) -> Any:
    return replace(plugin, **change) if change else plugin


def _filters(filters: Mapping[str, Filter], enabled: Mapping[str, Weights]) -> list[Filter]:
    """In the order of Filter; a PreFilter without Filter stands before the next that PreFilter goes on to."""
    order = list(enabled["filter"])
    following: str | None = None
    for name in reversed(list(enabled["preFilter"])):
        if name not in order:
            order.insert(order.index(following) if following is not None else len(order), name)
        following = name
    kept = (filter_of(filters[n], n in enabled["preFilter"], n in enabled["filter"]) for n in order if n in filters)
    return [plugin for plugin in kept if plugin is not None]


def _preemption(rules: PreemptionRules, change: Change | None, enabled: Mapping[str, Weights]) -> PreemptionRules:
    return replace(rules, enabled=PREEMPTION in enabled["postFilter"], **(change.preemption if change else {}))


def _delegating(given: Mapping[str, Given], resources: list[str], version: Version) -> Mapping[str, Given]:
    """Resources that an extender looks after are ignored, whatever else was to be ignored by name."""
    if not resources:
        return given
    arguments = version.arguments[FIT]
    values = given[FIT].values if FIT in given else arguments.struct()
    assert isinstance(values, OldNodeResourcesFitArgs)
    return {**given, FIT: Given(arguments, msgspec.structs.replace(values, ignoredResources=tuple(resources)))}
