"""Checks of the workloads that create pods, and of their templates.

v1.37: pkg/apis/apps/validation, pkg/apis/batch/validation, pkg/apis/core/validation (ReplicationController).
"""

from __future__ import annotations

from contextlib import suppress

import msgspec

from kschedlab.manifests import checks
from kschedlab.manifests.fields import check_choice, check_labels
from kschedlab.objects.model import (
    ApiObject,
    DaemonSet,
    Deployment,
    Job,
    LabelSelector,
    Pod,
    PodSpec,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab.objects.problems import Fault, Faults
from kschedlab.objects.selectors import SelectorError
from kschedlab_validation.metadata import check_annotations
from kschedlab_validation.pods import check_pod_spec


def template_faults(document: ApiObject, may_lack: bool = False) -> list[Fault]:
    """A fault for everything in a workload's pod template that the API server would refuse.

    The scheduler does not read templates. ``may_lack``: whether the template is optional.
    """
    if not isinstance(document, ReplicaSet | StatefulSet | ReplicationController | DaemonSet | Deployment | Job):
        return []
    faults = Faults()
    template = document.spec.template
    if template is None:
        return [] if may_lack else [Fault(("spec", "template"), "is missing")]
    labels = template.metadata.labels
    spec = _without_claims(template.spec, document)
    checks.check_pod_spec(spec, faults)
    check_pod_spec(Pod(spec=spec), faults, template=True)
    check_labels(labels, ("metadata", "labels"), faults)
    check_annotations(template.metadata.annotations, ("metadata", "annotations"), faults)
    if not isinstance(document, Job) and template.spec.activeDeadlineSeconds is not None:
        faults.note(("spec", "activeDeadlineSeconds"), "cannot be set in the template of this kind")
    policies = ("OnFailure", "Never") if isinstance(document, Job) else ("Always",)
    check_choice(template.spec.restartPolicy or "Always", policies, ("spec", "restartPolicy"), faults)
    in_template = (fault._replace(path=("spec", "template", *fault.path)) for fault in faults)
    return [*_selector_faults(document, labels), *in_template]


def _selector_faults(document: ApiObject, labels: dict[str, str]) -> list[Fault]:
    """A fault if the selector does not match the labels of the template, or there is none."""
    if isinstance(document, Job):
        return []
    selector = document.spec.selector or _default_selector(document)  # type: ignore[attr-defined]
    if not selector:
        return [Fault(("spec", "selector"), "is missing: it must select the pods of the template")]
    if _selects(selector, labels):
        return []
    return [Fault(("spec", "template", "metadata", "labels"), "do not match spec.selector, which must select them")]


def _without_claims(spec: PodSpec, document: ApiObject) -> PodSpec:
    """The spec without the volumes that a StatefulSet replaces with its claims."""
    claims = document.spec.volumeClaimTemplates if isinstance(document, StatefulSet) else ()
    names = {claim.metadata.name for claim in claims}
    kept = tuple(volume for volume in spec.volumes if volume.name not in names)
    return msgspec.structs.replace(spec, volumes=kept) if len(kept) < len(spec.volumes) else spec


def _default_selector(document: ApiObject) -> dict[str, str] | None:
    """The labels of the template, which a ReplicationController without a selector selects."""
    template = document.spec.template if isinstance(document, ReplicationController) else None
    return template.metadata.labels if template is not None else None


def _selects(selector: LabelSelector | dict[str, str], labels: dict[str, str]) -> bool:
    label_selector = selector if isinstance(selector, LabelSelector) else LabelSelector(matchLabels=selector)
    with suppress(SelectorError):
        compiled = label_selector.compile()
        return not compiled.empty and compiled.matches(labels)
    return False
