"""What can happen to a cluster from outside: the acts of a timeline."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import simpy

from kschedlab.manifests.decoding import Origin
from kschedlab.objects.model import Taint
from kschedlab.simulation.controllers.drain import DrainSettings
from kschedlab.simulation.log import Log
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.timeline.manifest_objects import ManifestObject
from kschedlab.simulation.timeline.targets import SelectedTargets, Targets


@dataclass(frozen=True)
class Create:
    """New objects."""

    objects: tuple[ManifestObject, ...]


@dataclass(frozen=True)
class Update:
    """Objects get the fields that are given (a JSON merge patch, RFC 7386)."""

    objects: tuple[ManifestObject, ...]


@dataclass(frozen=True)
class Delete:
    """Objects are deleted. ``grace``: seconds, None for what they say themselves."""

    targets: Targets
    grace: int | None = None


@dataclass(frozen=True)
class Evict:
    """Pods are evicted, if their budgets allow it."""

    targets: Targets
    grace: int | None = None


@dataclass(frozen=True)
class Scale:
    """Owners get another number of replicas."""

    targets: Targets
    replicas: int


@dataclass(frozen=True)
class Cordon:
    """Nodes become unschedulable, or schedulable again."""

    targets: Targets
    unschedulable: bool


@dataclass(frozen=True)
class Drain:
    """Nodes are cordoned, and their pods evicted."""

    targets: Targets
    settings: DrainSettings


@dataclass(frozen=True)
class Label:
    """Objects get labels, or lose them (None)."""

    targets: Targets
    labels: dict[str, str | None]


@dataclass(frozen=True)
class RemoveTaint:
    """The taint with this key (and effect, if it is not empty) goes."""

    key: str
    effect: str


@dataclass(frozen=True)
class ChangeTaints:
    """Nodes get taints, or lose them."""

    targets: Targets
    taints: tuple[Taint | RemoveTaint, ...]


class Operations(Protocol):
    """Operations of another language, such as scheduler_perf's. As text: their names."""

    def run(self, env: simpy.Environment, api: ApiServer, log: Log, seed: int) -> Generator[simpy.Event, Any, None]:
        """Carry them out, one after the other, beside the timeline."""
        ...


@dataclass(frozen=True)
class RunOperations:
    """Operations begin."""

    operations: Operations


Action: TypeAlias = Create | Update | Delete | Evict | Scale | Cordon | Drain | Label | ChangeTaints | RunOperations


class TimelineEntry(NamedTuple):
    """An act and when it takes place: microseconds after the beginning. ``field``: of its entry, where it stands."""

    at: int
    action: Action
    origin: Origin
    field: str = ""


# -- in words


def describe(action: Action) -> str:
    """The act in a few words, for the log: ``drain node n1``."""
    if isinstance(action, Create | Update):
        verb = "create" if isinstance(action, Create) else "update"
        return (
            f"{verb} {action.objects[0].name}" if len(action.objects) == 1 else f"{verb} {len(action.objects)} objects"
        )
    if isinstance(action, RunOperations):
        return f"ops: {action.operations}"
    targets = action.targets
    about = str(targets) if isinstance(targets, SelectedTargets) else ", ".join(map(str, targets))
    return f"{_verb(action)} {about}{_more(action)}"


def _verb(action: Action) -> str:
    if isinstance(action, Cordon):
        return "cordon" if action.unschedulable else "uncordon"
    return "taint" if isinstance(action, ChangeTaints) else type(action).__name__.lower()


def _more(action: Action) -> str:
    if isinstance(action, Scale):
        return f" to {action.replicas}"
    if isinstance(action, Label):
        return "".join(f" {key}={value}" if value is not None else f" {key}-" for key, value in action.labels.items())
    if isinstance(action, ChangeTaints):
        return "".join(f" {shown_taint(taint)}" for taint in action.taints)
    return ""


def shown_taint(taint: Taint | RemoveTaint) -> str:
    """As kubectl takes it."""
    effect = f":{taint.effect}" if taint.effect else ""
    if isinstance(taint, RemoveTaint):
        return f"{taint.key}{effect}-"
    return f"{taint.key}={taint.value}{effect}" if taint.value else f"{taint.key}{effect}"
