"""Writes conditions and nominations to the status of pods.

v1.37: pkg/scheduler/schedule_one.go (updatePod), pkg/scheduler/util/utils.go (PatchPodStatus). v1.13, v1.16:
factory.go (podConditionUpdater, podPreemptor), which replace the whole status.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec.structs import replace

from kschedlab.objects.model import Pod, PodCondition
from kschedlab_simulation.pods import with_condition
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.server.interface import answered
from kschedlab_simulation.status import ApiError


def write_status(
    context: Context, pod: Pod, condition: PodCondition | None = None, nominated: str | None = None
) -> Generator[Any, Any, ApiError | None]:
    """Write the condition and the nominated node (None: unchanged). Returns the error if the API server refuses.

    Nothing is written if neither differs from the status of ``pod``, which is the scheduler's version.
    """
    metadata, status, patches, fields = pod.metadata, pod.status, context.rules.patches_status, dict[str, Any]()
    if condition is not None:
        conditions = with_condition(status.conditions, condition, context.now)
        if conditions != status.conditions:
            fields["conditions"] = [condition] if patches else conditions
    if nominated is not None and nominated != status.nominatedNodeName:
        fields["nominatedNodeName"] = nominated
    if not fields:
        return None
    try:
        if patches:
            where = metadata.namespace, metadata.name, metadata.uid
            yield from answered(context.api.patch_status(Pod, *where, by=context.name, **fields))
        else:
            changed = replace(pod, status=replace(status, **fields))
            yield from answered(context.api.update_status(changed, by=context.name))
    except ApiError as error:
        return error
    return None
