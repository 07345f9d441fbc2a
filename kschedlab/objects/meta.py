"""The parts that all Kubernetes objects share: metadata, times, resource lists, selectors.

v1.37: k8s.io/apimachinery pkg/apis/meta/v1/types.go, k8s.io/api core/v1/types.go.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeAlias

import msgspec

from kschedlab.objects.quantity import INT64_MAX, Quantity
from kschedlab.objects.selectors import NodeTerm, NodeTerms, Selector, SelectorError, label_selector, node_term

SECOND = 1_000_000
"""One second in microseconds, the unit of every time in this package."""

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Time(int):
    """A moment, as whole microseconds since 1970 (UTC)."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Time:
        """Read RFC 3339, e.g. ``2024-01-31T12:00:00Z``. ValueError if the text is anything else."""
        if not _RFC_3339.fullmatch(text):  # the hour 24 is the next day for Python 3.14
            raise ValueError("not an RFC 3339 time")
        return cls((datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND)

    @classmethod
    def whole_second(cls, moment: int) -> Time:
        """The moment rounded down to whole seconds, as an API server stores times."""
        return cls(moment - moment % SECOND)

    def __str__(self) -> str:
        """RFC 3339: ``2024-01-31T12:00:00Z``, with a fraction unless it is a whole second."""
        return (_EPOCH + _MICROSECOND * int(self)).isoformat().replace("+00:00", "Z")


Int32: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, msgspec.Meta(ge=-INT64_MAX - 1, le=INT64_MAX)]

ResourceList: TypeAlias = dict[str, Quantity]
"""Amounts by resource name."""


class Part(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A struct inside an object, such as a spec or a container."""


CLUSTER_SCOPED = frozenset(
    ("Node", "Namespace", "PriorityClass", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver")
    + ("VolumeAttachment", "ResourceSlice", "DeviceClass", "DeviceTaintRule")
)
"""The names of the kinds whose objects have no namespace."""


class OwnerReference(Part, frozen=True):
    apiVersion: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class ObjectMeta(Part, frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    ownerReferences: tuple[OwnerReference, ...] = ()
    creationTimestamp: Time | None = None
    deletionTimestamp: Time | None = None
    deletionGracePeriodSeconds: Int64 | None = None
    resourceVersion: str = ""
    generation: Int64 = 0
    finalizers: tuple[str, ...] = ()
    generateName: str = ""


class ApiObject(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag=True):
    """A whole object; its class name is its ``kind``."""

    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()


def controller_of(metadata: ObjectMeta) -> OwnerReference | None:
    """The controlling owner of the object, or None."""
    return next((owner for owner in metadata.ownerReferences if owner.controller), None)


class LabelSelectorRequirement(Part, frozen=True):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(Part, frozen=True):
    """A selector of labels. An empty one selects everything; where it may be absent, None selects nothing."""

    matchLabels: dict[str, str] = {}
    matchExpressions: tuple[LabelSelectorRequirement, ...] = ()

    def compile(self) -> Selector:
        """The selector, ready to match labels. SelectorError if the API would refuse it."""
        return label_selector(self.matchLabels, [(e.key, e.operator, e.values) for e in self.matchExpressions])


class NodeSelectorRequirement(LabelSelectorRequirement, frozen=True):
    pass


class NodeSelectorTerm(Part, frozen=True):
    """Matches if all requirements hold; a term without requirements matches no node."""

    matchExpressions: tuple[NodeSelectorRequirement, ...] = ()
    matchFields: tuple[NodeSelectorRequirement, ...] = ()

    def compile(self) -> NodeTerm:
        """The term, ready to match nodes. SelectorError if it is invalid, such as Gt without an integer."""
        expressions = [(e.key, e.operator, e.values) for e in self.matchExpressions]
        return node_term(expressions, [(e.key, e.operator, e.values) for e in self.matchFields])


class NodeSelector(Part, frozen=True):
    """Matches if at least one term matches."""

    nodeSelectorTerms: tuple[NodeSelectorTerm, ...] = ()

    def compile(self) -> NodeTerms:
        """The selector, ready to match nodes. Invalid terms match nothing and are left out."""
        terms = []
        for term in self.nodeSelectorTerms:
            with suppress(SelectorError):
                terms.append(term.compile())
        return NodeTerms(tuple(terms))


class ObjectReference(Part, frozen=True):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    apiVersion: str = ""


class Condition(Part, frozen=True):
    """An observed condition of an object (v1.37: meta/v1, Condition; older kinds have types of the same shape)."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    observedGeneration: Int64 = 0
    lastTransitionTime: Time | None = None
