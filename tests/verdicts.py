"""Verdicts and scores of a single plugin."""

import numpy as np

from kschedlab.build import Manifest, cluster
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.signatures import Small
from kschedlab.filter.plugin import Filter
from kschedlab.filter.stage import REJECTED, FilterRun, Verdicts, prepare
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.score.plugin import Score

PLENTY = {"cpu": "1000", "memory": "1000Gi", "pods": "1000", "ephemeral-storage": "1000Gi"}
"""The allocatable amounts of a node that never fills up."""


def model(manifest: Manifest) -> Pod:
    """The pod of a manifest, with the API's defaults."""
    (result,) = decode_objects([manifest]).pods
    return result


def judged(plugin: Filter, pod: Manifest, *objects: Manifest) -> tuple[Cluster, Verdicts]:
    """The verdicts of this plugin alone."""
    world = cluster(*objects)
    info = world.info(model(pod))
    prepared = prepare(info, world, [plugin])
    if prepared.rejected is not None:
        return world, Verdicts(np.full(len(world.nodes), REJECTED, Small), rejected=prepared.rejected)
    return world, FilterRun(prepared, info, world).verdicts()


def refused(plugin: Filter, pod: Manifest, *objects: Manifest) -> dict[str, list[str]]:
    """The plugin's reasons for each node that it rejects; ``*`` stands for all nodes if PreFilter rejects the pod."""
    world, verdicts = judged(plugin, pod, *objects)
    if verdicts.rejected is not None:
        return {"*": list(verdicts.rejected.reasons)}
    refusing = {name: i for i, name in enumerate(world.names) if verdicts.plugin(i) is not None}
    return {name: verdicts.reasons(i) or ["excluded"] for name, i in refusing.items()}


def scored(plugin: Score, pod: Manifest, *objects: Manifest) -> dict[str, int] | None:
    """The plugin's normalized score of every node, or None if it skips the pod."""
    world = cluster(*objects)
    row = plugin.score(world.info(model(pod)), world, np.arange(len(world.nodes)))
    return dict(zip(world.names, row.normalized.tolist(), strict=True)) if row is not None else None
