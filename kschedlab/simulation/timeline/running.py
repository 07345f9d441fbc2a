"""The timeline's acts carried out against the API server, each when its moment comes.

What the server refuses is written to the log with the entry's place; nothing else changes, and the run goes on.
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
from kschedlab.simulation.controllers.drain import DrainSettings, cordon, drain, uncordon
from kschedlab.simulation.log import Acted, Log
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.status import ApiError, field_error
from kschedlab.simulation.timeline.actions import (
    Act,
    AddTaints,
    Cordon,
    Create,
    Delete,
    Drain,
    Evict,
    Label,
    Moment,
    Operate,
    Scale,
    Untaint,
    Update,
    words,
)
from kschedlab.simulation.timeline.given_objects import Given
from kschedlab.simulation.timeline.targets import Named, Selected, Targets

NAME = "timeline"
Run: TypeAlias = Generator[simpy.Event, Any, None]


class Acting:
    """Carries out the moments. ``busy``: how many acts are under way, counting the timeline while it is not over."""

    def __init__(self, env: simpy.Environment, api: ApiServer, log: Log, seed: int) -> None:
        self.busy = 0
        self._env = env
        self._api = api
        self._log = log
        self._seed = seed

    def run(self, moments: Iterable[Moment]) -> Run:
        """The whole timeline, beginning now."""
        self.busy += 1
        began = self._api.now
        for moment in moments:
            if (wait := began + moment.at - self._api.now) > 0:
                yield self._env.timeout(wait)
            self._begin(moment)
        self.busy -= 1

    def _begin(self, moment: Moment) -> None:
        act = moment.act
        self._log.write(Acted(at=self._api.now, act=words(act), place=moment.origin.place))
        if isinstance(act, Drain):
            for node in self._named(act.targets):
                self._beside(self._drain(node, act.settings, moment))
        elif isinstance(act, Operate):
            self._beside(act.operations.run(self._env, self._api, self._log, self._seed))
        elif isinstance(act, Create | Update):
            make = self._create if isinstance(act, Create) else self._update
            for one in act.objects:
                self._tried(f"{_verb(act)} {one.name}", one.origin, partial(make, one))
        else:
            for target in self._named(act.targets):
                self._one(act, target, moment)

    def _one(self, act: Act, target: Named, moment: Moment) -> None:
        self._tried(f"{_verb(act)} {target}", moment.origin, partial(self._carry_out, act, target))

    def _tried(self, what: str, origin: Origin, do: Callable[[], object]) -> None:
        """Do it; a refusal goes to the log."""
        try:
            do()
        except ApiError as error:
            self._failed(what, origin.place, error)

    def _failed(self, what: str, place: str, error: ApiError) -> None:
        self._log.write(
            Acted(at=self._api.now, act=what, place=place, error=str(error) or error.reason, status=error.status)
        )

    def _beside(self, run: Run) -> None:
        """Let it go on while the timeline does."""

        def counted() -> Run:
            self.busy += 1
            yield from run
            self.busy -= 1

        self._env.process(counted())

    def _named(self, targets: Targets) -> list[Named]:
        """The targets as they are now."""
        if not isinstance(targets, Selected):
            return list(targets)
        wanted = targets.labels.items()
        found, _ = self._api.list(targets.kind, targets.namespace or None)
        names = [one.metadata for one in found if wanted <= one.metadata.labels.items()]  # type: ignore[attr-defined]
        return [Named(targets.kind, metadata.namespace, metadata.name) for metadata in names]

    # -- acts

    def _create(self, one: Given) -> None:
        self._api.create(one.document, by=NAME)

    def _update(self, one: Given) -> None:
        """A merge patch of the object as it is, of its status too."""
        kind, metadata = type(one.document), one.metadata
        live: Any = self._api.get(kind, metadata.namespace or "default", metadata.name)
        version = metadata.resourceVersion
        merged = _merged(live, one.data)
        if version:
            merged = replace(merged, metadata=replace(merged.metadata, resourceVersion=version))
        changed = self._api.update(merged, by=NAME)
        if "status" in one.data:
            self._api.update_status(replace(changed, status=merged.status), by=NAME)

    def _carry_out(self, act: Act, target: Named) -> None:
        if isinstance(act, Delete):
            self._api.delete(target.kind, target.namespace, target.name, act.grace, by=NAME)
        elif isinstance(act, Evict):
            self._api.evict(target.namespace, target.name, act.grace, by=NAME)
        elif isinstance(act, Cordon):
            (cordon if act.unschedulable else uncordon)(self._api, target.name, by=NAME)
        elif isinstance(act, Scale):
            live: Any = self._api.get(target.kind, target.namespace, target.name)
            self._api.update(replace(live, spec=replace(live.spec, replicas=act.replicas)), by=NAME)
        elif isinstance(act, Label):
            live = self._api.get(target.kind, target.namespace, target.name)
            labels = {**live.metadata.labels, **act.labels}
            kept = {key: value for key, value in labels.items() if value is not None}
            self._api.update(replace(live, metadata=replace(live.metadata, labels=kept)), by=NAME)
        elif isinstance(act, AddTaints):
            node = self._api.get(Node, "", target.name)
            taints = _with_taints(node.spec.taints, act.taints)
            self._api.update(replace(node, spec=replace(node.spec, taints=taints)), by=NAME)

    def _drain(self, node: Named, settings: DrainSettings, moment: Moment) -> Run:
        what, place = f"drain {node}", moment.origin.place
        try:
            result = yield from drain(self._env, self._api, node.name, settings, by=NAME)
        except ApiError as error:
            self._failed(what, place, error)
            return
        remaining = "; ".join(f"{pod}: {why}" for pod, why in result.remaining.items())
        outcome = f"gave up: {remaining}" if remaining else ""
        self._log.write(Acted(at=self._api.now, act=f"drained {node.name}", place=place, error=outcome))


def _verb(act: Act) -> str:
    return words(act).split(" ", 1)[0]


def _merged(live: Any, given: dict[str, Any]) -> Any:
    """The object with the fields that are given; null takes one away. ApiError if it has lost its shape."""
    data = msgspec.to_builtins(live, enc_hook=str)
    merged, faults = decode(_patched(data, given), type(live).__name__)
    if faults:
        raise ApiError.invalid(type(live), live.metadata.name, map(field_error, faults))
    return merged


def _patched(target: Any, patch: Any) -> Any:
    """RFC 7386: maps are merged, all else is replaced."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _patched(merged.get(key), value)
    return merged


def _with_taints(taints: Iterable[Taint], changes: Iterable[Taint | Untaint]) -> tuple[Taint, ...]:
    """The taints after the changes. A taint takes the place of the one with its key and effect."""
    found = list(taints)
    for change in changes:
        found = [
            each
            for each in found
            if each.key != change.key or (each.effect != change.effect and (isinstance(change, Taint) or change.effect))
        ]
        if isinstance(change, Taint):
            found.append(change)
    return tuple(found)
