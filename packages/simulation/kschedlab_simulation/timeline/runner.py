"""Executes a timeline's actions against the API server, each at its time.

If the server rejects a request, the error goes to the log with the entry's place, and the run continues.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import Any, TypeAlias

import msgspec
import simpy
from msgspec.structs import replace

from kschedlab.manifests.decoding import Origin, decode
from kschedlab.objects.model import Node, Taint
from kschedlab_simulation.controllers.drain import DrainSettings, cordon, drain, uncordon
from kschedlab_simulation.log import Acted, Log
from kschedlab_simulation.merge_patch import merged
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError, field_error
from kschedlab_simulation.timeline.actions import (
    Action,
    ChangeTaints,
    Cordon,
    Create,
    Delete,
    Drain,
    Evict,
    Label,
    RemoveTaint,
    RunOperations,
    Scale,
    TimelineEntry,
    Update,
    describe,
)
from kschedlab_simulation.timeline.manifest_objects import ManifestObject
from kschedlab_simulation.timeline.targets import NamedTarget, SelectedTargets, Targets

NAME = "timeline"
Run: TypeAlias = Generator[simpy.Event, Any, None]


class TimelineRunner:
    """Executes timeline entries. ``busy``: the number of unfinished actions, plus 1 while the timeline is not over."""

    def __init__(self, env: simpy.Environment, api: ApiServer, log: Log, seed: int) -> None:
        self.busy = 0
        self._env = env
        self._api = api
        self._log = log
        self._seed = seed

    def run(self, entries: Iterable[TimelineEntry]) -> Run:
        """Run the whole timeline, starting now."""
        self.busy += 1
        start = self._api.now
        for entry in entries:
            if (wait := start + entry.at - self._api.now) > 0:
                yield self._env.timeout(wait)
            self._start(entry)
        self.busy -= 1

    def _start(self, entry: TimelineEntry) -> None:
        action = entry.action
        self._log.write(Acted(at=self._api.now, act=describe(action), place=entry.origin.place))
        if isinstance(action, Drain):
            for node in self._resolve(action.targets):
                self._run_concurrently(self._drain(node, action.settings, entry))
        elif isinstance(action, RunOperations):
            self._run_concurrently(action.operations.run(self._env, self._api, self._log, self._seed))
        elif isinstance(action, Create | Update):
            make = self._create if isinstance(action, Create) else self._update
            for manifest in action.objects:
                self._attempt(f"{_verb(action)} {manifest.name}", manifest.origin, partial(make, manifest))
        else:
            for target in self._resolve(action.targets):
                self._apply_to(action, target, entry)

    def _apply_to(self, action: Action, target: NamedTarget, entry: TimelineEntry) -> None:
        self._attempt(f"{_verb(action)} {target}", entry.origin, partial(self._apply, action, target))

    def _attempt(self, description: str, origin: Origin, do: Callable[[], object]) -> None:
        """Make a request; an error goes to the log."""
        try:
            do()
        except ApiError as error:
            self._log_failure(description, origin.place, error)

    def _log_failure(self, description: str, place: str, error: ApiError) -> None:
        self._log.write(
            Acted(at=self._api.now, act=description, place=place, error=str(error) or error.reason, status=error.status)
        )

    def _run_concurrently(self, run: Run) -> None:
        """Run it concurrently with the timeline."""

        def run_counted() -> Run:
            self.busy += 1
            yield from run
            self.busy -= 1

        self._env.process(run_counted())

    def _resolve(self, targets: Targets) -> list[NamedTarget]:
        if not isinstance(targets, SelectedTargets):
            return list(targets)
        labels = targets.labels.items()
        objects, _ = self._api.list(targets.kind, targets.namespace or None)
        names = [obj.metadata for obj in objects if labels <= obj.metadata.labels.items()]
        return [NamedTarget(targets.kind, metadata.namespace, metadata.name) for metadata in names]

    # -- actions

    def _create(self, manifest: ManifestObject) -> None:
        self._api.create(manifest.obj, by=NAME)

    def _update(self, manifest: ManifestObject) -> None:
        """Apply a merge patch to the current object, including its status."""
        kind, metadata = type(manifest.obj), manifest.metadata
        current: Any = self._api.get(kind, metadata.namespace or "default", metadata.name)
        version = metadata.resourceVersion
        merged = _merged(current, manifest.data)
        if version:
            merged = replace(merged, metadata=replace(merged.metadata, resourceVersion=version))
        changed = self._api.update(merged, by=NAME)
        if "status" in manifest.data:
            self._api.update_status(replace(changed, status=merged.status), by=NAME)

    def _apply(self, action: Action, target: NamedTarget) -> None:
        if isinstance(action, Delete):
            self._api.delete(target.kind, target.namespace, target.name, action.grace, by=NAME)
        elif isinstance(action, Evict):
            self._api.evict(target.namespace, target.name, action.grace, by=NAME)
        elif isinstance(action, Cordon):
            (cordon if action.unschedulable else uncordon)(self._api, target.name, by=NAME)
        elif isinstance(action, Scale):
            current: Any = self._api.get(target.kind, target.namespace, target.name)
            self._api.update(replace(current, spec=replace(current.spec, replicas=action.replicas)), by=NAME)
        elif isinstance(action, Label):
            current = self._api.get(target.kind, target.namespace, target.name)
            labels = {**current.metadata.labels, **action.labels}
            remaining_labels = {key: value for key, value in labels.items() if value is not None}
            self._api.update(replace(current, metadata=replace(current.metadata, labels=remaining_labels)), by=NAME)
        elif isinstance(action, ChangeTaints):
            node = self._api.get(Node, "", target.name)
            taints = _with_taints(node.spec.taints, action.taints)
            self._api.update(replace(node, spec=replace(node.spec, taints=taints)), by=NAME)

    def _drain(self, node: NamedTarget, settings: DrainSettings, entry: TimelineEntry) -> Run:
        description, place = f"drain {node}", entry.origin.place
        try:
            result = yield from drain(self._env, self._api, node.name, settings, by=NAME)
        except ApiError as error:
            self._log_failure(description, place, error)
            return
        remaining = "; ".join(f"{pod}: {why}" for pod, why in result.remaining.items())
        outcome = f"gave up: {remaining}" if remaining else ""
        self._log.write(Acted(at=self._api.now, act=f"drained {node.name}", place=place, error=outcome))


def _verb(action: Action) -> str:
    return describe(action).partition(" ")[0]


def _merged(current: Any, patch: dict[str, Any]) -> Any:
    """The object after the patch. ApiError if the result does not decode."""
    data = msgspec.to_builtins(current, enc_hook=str)
    changed, faults = decode(merged(data, patch), type(current).__name__)
    if faults:
        raise ApiError.invalid(type(current), current.metadata.name, map(field_error, faults))
    return changed


def _with_taints(taints: Iterable[Taint], changes: Iterable[Taint | RemoveTaint]) -> tuple[Taint, ...]:
    """The taints after the changes. A new taint replaces one with the same key and effect."""
    result = list(taints)
    for change in changes:
        any_effect = isinstance(change, RemoveTaint) and not change.effect
        result = [
            taint for taint in result if taint.key != change.key or not (any_effect or taint.effect == change.effect)
        ]
        if isinstance(change, Taint):
            result.append(change)
    return tuple(result)
