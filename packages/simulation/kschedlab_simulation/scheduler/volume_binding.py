"""Binds the volumes of a pod: assumes, writes and waits for them, or reverts them.

v1.37: pkg/scheduler/framework/plugins/volumebinding (volume_binding.go: Reserve, PreBind, Unreserve; binder.go:
AssumePodVolumes, BindPodVolumes). v1.13, v1.16: scheduler.go, assumeVolumes and bindVolumes.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import ApiObject, Pod
from kschedlab_simulation.scheduler.assumed_volumes import AssumedVolumes, VolumeError
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.server.interface import answered
from kschedlab_simulation.status import ApiError


class VolumeBinding:
    """Binds pods' volumes; keeps each pod's assumed volumes until its binding has ended."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._assumed: dict[str, AssumedVolumes] = {}

    def has_work(self, pod: Pod) -> bool:
        """Whether the pod has volumes to bind."""
        return pod.metadata.uid in self._assumed

    def assume(self, pod: Pod, node: str) -> str:
        """Assume the volumes that the filter matched on the node. Returns the error, or ""."""
        if not pod.spec.volumes:
            return ""
        try:
            assumed = self._context.cache.assume_volumes(pod, node)
        except VolumeError as error:
            return str(error)
        if not assumed.all_bound:
            self._assumed[pod.metadata.uid] = assumed
        return ""

    def forget(self, pod: Pod) -> None:
        """Drop the assumed volumes of a pod that was not bound; the cache reverts them if the generation does so."""
        assumed = self._assumed.pop(pod.metadata.uid, None)
        if assumed is not None and self._context.rules.cache.binder.reverts_assumed_volumes:
            self._context.cache.restore_volumes(assumed)

    def done(self, pod: Pod) -> None:
        """Drop the assumed volumes of a pod that was bound."""
        self._assumed.pop(pod.metadata.uid, None)

    def bind(self, pod: Pod, node: str) -> Generator[Any, Any, str]:
        """Write the volumes and claims to the API server and wait until all are bound. Returns the error, or ""."""
        context, assumed = self._context, self._assumed[pod.metadata.uid]
        written: list[Any] = []
        for document in assumed.documents:
            yield context.env.timeout(context.latencies.status)
            try:
                written.append((yield from answered(context.api.update(document, by=context.name))))
            except ApiError as error:
                self._restore(assumed, len(written))
                return str(error)
        volumes = len(assumed.volumes)
        done = replace(assumed, volumes=tuple(written[:volumes]), claims=tuple(written[volumes:]))
        return (yield from self._wait(pod, node, done))

    def _wait(self, pod: Pod, node: str, written: AssumedVolumes) -> Generator[Any, Any, str]:
        """Check every second until the timeout."""
        context, messages = self._context, self._context.messages
        for _ in range(context.latencies.volumes // SECOND):
            yield context.env.timeout(SECOND)
            try:
                if context.cache.volumes_bound(pod, node, written):
                    return ""
            except VolumeError as error:
                return messages.volumes_failed.format(message=error)
        return messages.volumes_failed.format(message=messages.volumes_late)

    def _restore(self, assumed: AssumedVolumes, written: int) -> None:
        """Revert the assumed objects that were not written."""
        documents: tuple[ApiObject, ...] = assumed.documents
        left = {id(document) for document in documents[written:]}
        volumes = tuple(v for v in assumed.volumes if id(v) in left)
        claims = tuple(c for c in assumed.claims if id(c) in left)
        self._context.cache.restore_volumes(replace(assumed, volumes=volumes, claims=claims))
