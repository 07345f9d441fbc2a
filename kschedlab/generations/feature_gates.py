"""Feature gates of v1.37: which there are, which this package models, and what they change in a generation.

v1.37: pkg/features/kube_features.go (the gates and what each depends on), with those of the libraries
(test/compatibility_lifecycle/reference/versioned_feature_list.yaml), are in feature_gates.json. Older generations have
their defaults alone.

A package models another gate with a function from a generation to the changed one; in its pyproject.toml::

    [project.entry-points."kschedlab.feature_gates"]
    GenericWorkload = "my_groups.gates:pod_groups"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from typing import Any, TypeAlias, TypeVar

import msgspec

from kschedlab.messages import later, say
from kschedlab.objects.api import GROUPS, LISTS, WORKLOADS
from kschedlab.objects.problems import InputValueError, unknown
from kschedlab.score.volume_binding import VolumeBindingScore

FeatureGates: TypeAlias = Mapping[str, bool]
G = TypeVar("G")


class FeatureGateError(InputValueError):
    """A gate that is unknown, locked, set before, or needs another one that is off."""


@dataclass(frozen=True)
class Gate:
    """A feature gate: whether it is on by default, and whether it is locked to that."""

    default: bool
    locked: bool


@dataclass(frozen=True)
class Chosen:
    """``modelled``: gates that leave their defaults and have a model here. ``notes``: sentences about the others."""

    modelled: FeatureGates
    notes: tuple[str, ...]


def chosen(gates: FeatureGates, *, emulated: bool = False) -> Chosen:
    """Sort out these gates. FeatureGateError for one that kube-scheduler refuses too: unknown, or locked.

    ``emulated``: locked gates can be changed, as in a cluster that emulates an older version.
    """
    known, modelled, notes = known_gates(), dict[str, bool](), list[str]()
    _check_needs(gates, lambda name: gates.get(name) is not False)  # what is not named here may be on already
    for name, value in gates.items():
        if name not in known:
            raise FeatureGateError(str(unknown("feature gate", name, known)))
        gate = known[name]
        if value == gate.default:
            continue
        if gate.locked and not emulated:
            message = later("cannot set feature gate {name} to {value}, feature is locked to {default}")
            raise FeatureGateError(message, name=name, value=_word(value), default=_word(gate.default))
        if effect_of(name) is not None:
            modelled[name] = value
        elif name in EXTRAS:
            message = later("the feature gate {name} needs another package: run pip install 'kschedlab[{extra}]'")
            raise FeatureGateError(message, name=name, extra=EXTRAS[name])
        else:
            on = later("the feature gate {name} is not modelled, and stays on")
            off = later("the feature gate {name} is not modelled, and stays off")
            notes.append(say(on if gate.default else off, name=name))
    return Chosen(modelled, tuple(notes))


def effect_of(name: str) -> Callable[[Any], Any] | None:
    """The function that changes a generation when the gate leaves its default; None for a gate without a model."""
    if name in EFFECTS:
        return EFFECTS[name]
    return next((entry.load() for entry in entry_points(group=GROUP, name=name)), None)


@cache
def known_gates() -> Mapping[str, Gate]:
    """All gates of v1.37 by name."""
    content = files("kschedlab.generations").joinpath("feature_gates.json").read_bytes()
    lists = msgspec.json.decode(content, type=dict[str, list[str]])
    return {name: Gate(kind.endswith("on"), kind.startswith("locked")) for kind in lists for name in lists[kind]}


def gated(generation: G, gates: FeatureGates) -> G:
    """The generation with these gates. FeatureGateError as :func:`chosen`, and for one that is not modelled."""
    wanted = chosen(gates)
    if wanted.notes:
        raise FeatureGateError(wanted.notes[0])
    return with_gates(generation, wanted.modelled)


def with_gates(profiles: Any, modelled: FeatureGates) -> Any:
    """The generation, or all profiles, with these gates of :func:`chosen`. FeatureGateError if they cannot be set."""
    if not modelled:
        return profiles
    if isinstance(profiles, Mapping):
        return {name: with_gates(each, modelled) for name, each in profiles.items()}
    generation = profiles
    if generation.version != VERSION:
        raise FeatureGateError(
            "feature gates are settings of {version}: {name} has none", version=VERSION, name=generation.name
        )
    before = dict(generation.feature_gates)
    after = before | dict(modelled)
    if again := [name for name in modelled if before.get(name, modelled[name]) != modelled[name]]:
        message = later("the feature gate {name} is {value} already")
        raise FeatureGateError(message, name=again[0], value=_word(before[again[0]]))
    known = known_gates()
    _check_needs(after, lambda name: after.get(name, known[name].default))
    for name in sorted(modelled.keys() - before.keys()):
        if (effect := effect_of(name)) is not None:
            generation = effect(generation)
    return replace(generation, feature_gates=tuple(sorted(after.items())))


def _check_needs(gates: FeatureGates, is_on: Callable[[str], bool]) -> None:
    for name, needed in NEEDS.items():
        if missing := [each for each in needed if gates.get(name) and not is_on(each)]:
            message = later("{name} is enabled, but depends on features that are disabled: [{missing}]")
            raise FeatureGateError(message, name=name, missing=" ".join(missing))


def _word(value: bool) -> str:
    return "true" if value else "false"


VERSION = "v1.37"
GROUP = "kschedlab.feature_gates"
CAPACITY = "StorageCapacityScoring"


def _alike(generation: Any) -> Any:
    """The generation unchanged: another part asks for the gate itself, or the gate changes only speed."""
    return generation


def _no_capacity_score(generation: Any) -> Any:
    """volumebinding/volume_binding.go, Score: without a scorer, all nodes get 0. FeatureGateError for a shape."""
    score = next((score for score, _ in generation.scores if score.name == "VolumeBinding"), None)
    if score is None:
        return generation
    if score != VolumeBindingScore():
        raise FeatureGateError(later("VolumeBinding has a shape, which needs the feature gate {gate}"), gate=CAPACITY)
    return generation.weighted(VolumeBinding=0)


def _no_declared_features(generation: Any) -> Any:
    """apis/config/v1/default_plugins.go, applyFeatureGates."""
    name = "NodeDeclaredFeatures"
    return generation.without(name) if name in generation.plugin_names else generation


def _no_early_pops(generation: Any) -> Any:
    """backend/queue: a pod stays in backoff to its end, to the nanosecond, and passes PreEnqueue afterwards."""
    queue = generation.queue
    return replace(generation, queue=replace(queue, options={**queue.options, "pops_backoff": False}))


def _comparing_taints(generation: Any) -> Any:
    """k8s.io/api core/v1/toleration.go: Gt and Lt."""
    return replace(generation, api=replace(generation.api, compares_taints=True))


def _of_devices(name: str) -> Callable[[Any], Any]:
    """The API server keeps fields, and what reads them obeys them: both look for the gate."""
    return lambda generation: replace(
        generation, api=replace(generation.api, gates=tuple(sorted({*generation.api.gates, name})))
    )


EFFECTS: Mapping[str, Callable[[Any], Any]] = {
    GROUPS: _of_devices(GROUPS),
    LISTS: _of_devices(LISTS),
    WORKLOADS: _of_devices(WORKLOADS),
    **dict.fromkeys(("InterPodAffinityHostnameFastPath", "NominatedNodeNameForExpectation"), _alike),
    **dict.fromkeys(("OpportunisticBatching", "SchedulerAsyncPreemption", "SchedulerPreQueueingHints"), _alike),
    "NodeDeclaredFeatures": _no_declared_features,
    "SchedulerPopFromBackoffQ": _no_early_pops,
    CAPACITY: _no_capacity_score,
    "TaintTolerationComparisonOperators": _comparing_taints,
}
"""The gates that the engine models."""

EXTRAS: Mapping[str, str] = dict.fromkeys(
    ("GenericWorkload", "PodGroupPreemptionPolicy", "TopologyAwareWorkloadScheduling"), "groups"
)
"""Gates that a package models, and the extra that installs it."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    GROUPS: ("DynamicResourceAllocation", "DRAPartitionableDevices"),
    LISTS: ("DynamicResourceAllocation",),
    WORKLOADS: ("GenericWorkload",),
    "PodGroupPreemptionPolicy": ("GenericWorkload",),
    "TopologyAwareWorkloadScheduling": ("GenericWorkload",),
}
"""The modelled gates that depend on others, and on which."""
