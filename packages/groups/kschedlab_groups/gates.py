"""What the feature gates of pod groups change in v1.37: the entry points that the engine's feature gates describe."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kschedlab.generations import Generation
from kschedlab.objects.api import GROUP_FIELD
from kschedlab_groups.queue import WithGroups


def pod_groups(generation: Generation) -> Generation:
    """pkg/api/pod/util.go, dropDisabledSchedulingGroupField: the API server keeps the field schedulingGroup of pods."""
    kept = tuple(field for field in generation.api.unknown if field != GROUP_FIELD)
    options = getattr(generation.queue.make, "keywords", {})  # of another gate
    queue = replace(generation.queue, name="with groups", make=partial(WithGroups, **options))
    return replace(generation, api=replace(generation.api, unknown=kept), queue=queue)


def read_in_the_cycle(generation: Generation) -> Generation:
    """No plugin and no rule: the cycle of a group looks for the gate itself."""
    return generation
