"""The changes that the feature gates of pod groups make in v1.37: the entry points of the engine's feature gates."""

from __future__ import annotations

from dataclasses import replace

from kschedlab.generations import Generation
from kschedlab.objects.api import GROUP_FIELD


def pod_groups(generation: Generation) -> Generation:
    """pkg/api/pod/util.go, dropDisabledSchedulingGroupField: the API server keeps the field schedulingGroup of pods."""
    kept = tuple(field for field in generation.api.unknown if field != GROUP_FIELD)
    queue = replace(generation.queue, name="with groups", made_by="kschedlab_groups.queue:WithGroups")
    return replace(generation, api=replace(generation.api, unknown=kept), queue=queue)


def read_in_the_cycle(generation: Generation) -> Generation:
    """No plugin and no rule: the cycle of a group looks for the gate itself."""
    return generation
