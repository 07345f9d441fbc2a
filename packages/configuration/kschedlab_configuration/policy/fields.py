"""The fields of a Policy.

v1.13: pkg/scheduler/api/v1/types.go; v1.16 adds ``resources``. Spelled as in the API.
"""

# ruff: noqa: D101 (a class is the API's type of that name, which the API documents)

from __future__ import annotations

from kschedlab.objects.meta import Int64, Part
from kschedlab_configuration.fields import ExtenderTLSConfig, ResourceSpec, UtilizationShapePoint


class ServiceAffinity(Part, frozen=True):
    labels: tuple[str, ...] = ()


class LabelsPresence(Part, frozen=True):
    labels: tuple[str, ...] = ()
    presence: bool = False


class PredicateArgument(Part, frozen=True):
    serviceAffinity: ServiceAffinity | None = None
    labelsPresence: LabelsPresence | None = None


class PredicatePolicy(Part, frozen=True):
    name: str = ""
    argument: PredicateArgument | None = None


class ServiceAntiAffinity(Part, frozen=True):
    label: str = ""


class LabelPreference(Part, frozen=True):
    label: str = ""
    presence: bool = False


class RequestedToCapacityRatioArguments(Part, frozen=True):
    shape: tuple[UtilizationShapePoint, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()


class PriorityArgument(Part, frozen=True):
    serviceAntiAffinity: ServiceAntiAffinity | None = None
    labelPreference: LabelPreference | None = None
    requestedToCapacityRatioArguments: RequestedToCapacityRatioArguments | None = None


class PriorityPolicy(Part, frozen=True):
    name: str = ""
    weight: Int64 = 0
    argument: PriorityArgument | None = None


class ManagedResource(Part, frozen=True):
    name: str = ""
    ignoredByScheduler: bool = False


class ExtenderConfig(Part, frozen=True):
    urlPrefix: str = ""
    managedResources: tuple[ManagedResource, ...] = ()
    filterVerb: str = ""
    preemptVerb: str = ""
    prioritizeVerb: str = ""
    weight: Int64 = 0
    bindVerb: str = ""
    BindVerb: str = ""
    enableHttps: bool = False
    tlsConfig: ExtenderTLSConfig | None = None
    httpTimeout: Int64 = 0
    nodeCacheCapable: bool = False
    ignorable: bool = False


class Policy(Part, frozen=True):
    """``predicates``, ``priorities``: None means those of the default provider, an empty list means none."""

    apiVersion: str = ""
    kind: str = ""
    predicates: tuple[PredicatePolicy, ...] | None = None
    priorities: tuple[PriorityPolicy, ...] | None = None
    extenders: tuple[ExtenderConfig, ...] = ()
    hardPodAffinitySymmetricWeight: Int64 = 0
    alwaysCheckAllPredicates: bool = False
