"""Computes a Deployment's next writes: one ReplicaSet with its template, at its scale.

v1.37: pkg/controller/deployment (sync.go, recreate.go, util/deployment_util.go). After a change of the template,
all old pods go before new ones are created (strategy Recreate); there is no rolling update.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from kschedlab.objects.model import Deployment, LabelSelector, Pod, PodTemplate, ReplicaSet, ReplicaSetSpec
from kschedlab.simulation.controllers.replicas import reference_to, replicas_of, template_of
from kschedlab.simulation.controllers.writes import Create, Update, Write
from kschedlab.simulation.pods import TERMINAL
from kschedlab.simulation.server.names import safe_encoded

HASH_LABEL = "pod-template-hash"


def next_writes(owner: Deployment, sets: Sequence[ReplicaSet], pods: Iterable[Pod]) -> list[Write]:
    """``sets``: the Deployment's ReplicaSets; ``pods``: their pods. No writes if a template is missing."""
    template = template_of(owner)
    if template is None or owner.metadata.deletionTimestamp is not None or not all(map(template_of, sets)):
        return []
    plain = _without_hash(template)
    new = next((replica_set for replica_set in sets if _without_hash(replica_set.spec.template) == plain), None)
    old = [replica_set for replica_set in sets if replica_set is not new]
    if any(map(replicas_of, old)):
        return [_scale_update(replica_set, 0) for replica_set in old if replicas_of(replica_set)]
    old_uids = {replica_set.metadata.uid for replica_set in old}
    unfinished = [pod for pod in pods if pod.status.phase not in TERMINAL]
    if any(reference.uid in old_uids for pod in unfinished for reference in pod.metadata.ownerReferences):
        return []
    if new is None:
        return [Create(_new_replica_set(owner, template))]
    return [_scale_update(new, replicas_of(owner))] if replicas_of(new) != replicas_of(owner) else []


def _scale_update(replica_set: ReplicaSet, replicas: int) -> Update:
    return Update(replace(replica_set, spec=replace(replica_set.spec, replicas=replicas)))


def _without_hash(template: PodTemplate | None) -> PodTemplate | None:
    """The template without its hash label."""
    if template is None or HASH_LABEL not in template.metadata.labels:
        return template
    labels = {key: value for key, value in template.metadata.labels.items() if key != HASH_LABEL}
    return replace(template, metadata=replace(template.metadata, labels=labels))


def _new_replica_set(owner: Deployment, template: PodTemplate) -> ReplicaSet:
    checksum = zlib.crc32(msgspec.json.encode(template, enc_hook=str, order="deterministic"))
    hash_label = {HASH_LABEL: safe_encoded(str(checksum))}
    labels = template.metadata.labels | hash_label
    selector = owner.spec.selector or LabelSelector()
    return ReplicaSet(
        metadata=replace(
            owner.metadata,
            name=f"{owner.metadata.name}-{hash_label[HASH_LABEL]}",
            labels=labels,
            ownerReferences=(reference_to(owner),),
            uid="",
            resourceVersion="",
            creationTimestamp=None,
            generation=0,
            finalizers=(),
        ),
        spec=ReplicaSetSpec(
            selector=replace(selector, matchLabels=selector.matchLabels | hash_label),
            template=replace(template, metadata=replace(template.metadata, labels=labels)),
            replicas=replicas_of(owner),
        ),
    )
