"""The actions of a timeline: changes to the cluster from outside."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import simpy

from kschedlab.manifests.decoding import Origin
from kschedlab.objects.model import Taint
from kschedlab_simulation.controllers.drain import DrainSettings
from kschedlab_simulation.log import Log
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.timeline.manifest_objects import ManifestObject
from kschedlab_simulation.timeline.targets import SelectedTargets, Targets


@dataclass(frozen=True)
class Create:
    """Create objects."""

    objects: tuple[ManifestObject, ...]


@dataclass(frozen=True)
class Update:
    """Update objects with a JSON merge patch (RFC 7386)."""

    objects: tuple[ManifestObject, ...]


@dataclass(frozen=True)
class Delete:
    """Delete objects. ``grace``: seconds, None for each object's own grace period."""

    targets: Targets
    grace: int | None = None


@dataclass(frozen=True)
class Evict:
    """Evict pods, subject to their budgets."""

    targets: Targets
    grace: int | None = None


@dataclass(frozen=True)
class Scale:
    """Change the number of replicas of owners."""

    targets: Targets
    replicas: int


@dataclass(frozen=True)
class Cordon:
    """Cordon or uncordon nodes."""

    targets: Targets
    unschedulable: bool


@dataclass(frozen=True)
class Drain:
    """Drain nodes: cordon them and evict their pods."""

    targets: Targets
    settings: DrainSettings


@dataclass(frozen=True)
class Label:
    """Add labels to objects, or remove them (None)."""

    targets: Targets
    labels: dict[str, str | None]


@dataclass(frozen=True)
class RemoveTaint:
    """Remove taints with this key, and with this effect unless it is empty."""

    key: str
    effect: str


@dataclass(frozen=True)
class ChangeTaints:
    """Add taints to nodes, or remove them."""

    targets: Targets
    taints: tuple[Taint | RemoveTaint, ...]


class Operations(Protocol):
    """Operations in a different format, such as scheduler_perf's. ``str()`` gives their names."""

    def run(self, env: simpy.Environment, api: ApiServer, log: Log, seed: int) -> Generator[simpy.Event, Any, None]:
        """Run them in sequence, concurrently with the timeline."""
        ...


@dataclass(frozen=True)
class RunOperations:
    """Start operations."""

    operations: Operations


Action: TypeAlias = Create | Update | Delete | Evict | Scale | Cordon | Drain | Label | ChangeTaints | RunOperations


class TimelineEntry(NamedTuple):
    """An action and its time: microseconds after the start. ``field``: the entry's field that holds the action."""

    at: int
    action: Action
    origin: Origin
    field: str = ""


# -- text


def describe(action: Action) -> str:
    """A short description for the log: ``drain node n1``."""
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
    """The taint in kubectl's notation."""
    effect = f":{taint.effect}" if taint.effect else ""
    if isinstance(taint, RemoveTaint):
        return f"{taint.key}{effect}-"
    return f"{taint.key}={taint.value}{effect}" if taint.value else f"{taint.key}{effect}"
