"""What a Deployment does next: it keeps one ReplicaSet, of its template, at its scale.

v1.37: pkg/controller/deployment (sync.go, recreate.go, util/deployment_util.go). A changed template replaces the
pods as the strategy Recreate does, the old ones first; there is no rolling update.
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

HASH = "pod-template-hash"


def next_writes(owner: Deployment, sets: Sequence[ReplicaSet], pods: Iterable[Pod]) -> list[Write]:
    """``sets``: the Deployment's own; ``pods``: theirs. Nothing is done if a template is not known."""
    template = template_of(owner)
    if template is None or owner.metadata.deletionTimestamp is not None or not all(map(template_of, sets)):
        return []
    new = next((each for each in sets if _plain(each.spec.template) == _plain(template)), None)
    old = [each for each in sets if each is not new]
    if any(map(replicas_of, old)):
        return [_scaled(each, 0) for each in old if replicas_of(each)]
    going = {each.metadata.uid for each in old}
    if any(o.uid in going for pod in pods if pod.status.phase not in TERMINAL for o in pod.metadata.ownerReferences):
        return []
    if new is None:
        return [Create(_made(owner, template))]
    return [_scaled(new, replicas_of(owner))] if replicas_of(new) != replicas_of(owner) else []


def _scaled(found: ReplicaSet, replicas: int) -> Update:
    return Update(replace(found, spec=replace(found.spec, replicas=replicas)))


def _plain(template: PodTemplate | None) -> PodTemplate | None:
    """The template without the label that tells one from another."""
    if template is None or HASH not in template.metadata.labels:
        return template
    labels = {key: value for key, value in template.metadata.labels.items() if key != HASH}
    return replace(template, metadata=replace(template.metadata, labels=labels))


def _made(owner: Deployment, template: PodTemplate) -> ReplicaSet:
    number = zlib.crc32(msgspec.json.encode(template, enc_hook=str, order="deterministic"))
    mark = {HASH: safe_encoded(str(number))}
    labels = template.metadata.labels | mark
    selector = owner.spec.selector or LabelSelector()
    return ReplicaSet(
        metadata=replace(
            owner.metadata,
            name=f"{owner.metadata.name}-{mark[HASH]}",
            labels=labels,
            ownerReferences=(reference_to(owner),),
            uid="",
            resourceVersion="",
            creationTimestamp=None,
            generation=0,
            finalizers=(),
        ),
        spec=ReplicaSetSpec(
            selector=replace(selector, matchLabels=selector.matchLabels | mark),
            template=replace(template, metadata=replace(template.metadata, labels=labels)),
            replicas=replicas_of(owner),
        ),
    )
