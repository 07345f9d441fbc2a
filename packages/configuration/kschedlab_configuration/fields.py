"""The fields of a KubeSchedulerConfiguration, v1 and its betas.

v1.37: k8s.io/kube-scheduler/config/v1 (types.go, types_pluginargs.go); before v1.28: the same in config/v1beta1 to
config/v1beta3. Spelled as in the API, with its defaults. Fields that do not affect decisions are ``Any``: they are
accepted but not read.
"""

# ruff: noqa: D101 (a class is the API's type of that name, which the API documents)

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import Int32, Int64, Part
from kschedlab.objects.model import NodeAffinity, TopologySpreadConstraint

# -- plugins and profiles


class Plugin(Part, frozen=True):
    name: str = ""
    weight: Int32 = 0


class PluginSet(Part, frozen=True):
    enabled: tuple[Plugin, ...] = ()
    disabled: tuple[Plugin, ...] = ()


NOTHING = PluginSet()


class OldPlugins(Part, frozen=True):
    queueSort: PluginSet = NOTHING
    preFilter: PluginSet = NOTHING
    filter: PluginSet = NOTHING
    postFilter: PluginSet = NOTHING
    preScore: PluginSet = NOTHING
    score: PluginSet = NOTHING
    reserve: PluginSet = NOTHING
    permit: PluginSet = NOTHING
    preBind: PluginSet = NOTHING
    bind: PluginSet = NOTHING
    postBind: PluginSet = NOTHING


class MultiPointPlugins(OldPlugins, frozen=True):
    multiPoint: PluginSet = NOTHING


class PreEnqueuePlugins(MultiPointPlugins, frozen=True):
    """v1.28 to v1.35."""

    preEnqueue: PluginSet = NOTHING


class PlacementPlugins(PreEnqueuePlugins, frozen=True):
    """v1.36."""

    placementGenerate: PluginSet = NOTHING
    placementScore: PluginSet = NOTHING


class Plugins(PlacementPlugins, frozen=True):
    podGroupPostFilter: PluginSet = NOTHING


class PluginConfig(Part, frozen=True):
    name: str = ""
    args: Any = None


class Profile(Part, frozen=True):
    """The fields of every version; those of v1beta1."""

    schedulerName: str | None = None
    plugins: OldPlugins = OldPlugins()
    pluginConfig: tuple[PluginConfig, ...] = ()

    @property
    def percentage(self) -> int | None:
        """The profile's own percentageOfNodesToScore; None leaves it to the configuration."""
        return None


class MultiPointProfile(Profile, frozen=True):
    """v1beta2 and v1beta3 of v1.24."""

    plugins: MultiPointPlugins = MultiPointPlugins()


class Beta3Profile(Profile, frozen=True):
    """v1beta3 of v1.28."""

    plugins: PreEnqueuePlugins = PreEnqueuePlugins()


class KubeSchedulerProfile35(Beta3Profile, frozen=True):
    """v1 of v1.28 to v1.35."""

    percentageOfNodesToScore: Int32 | None = None

    @property
    def percentage(self) -> int | None:
        """The profile's own percentageOfNodesToScore; None leaves it to the configuration."""
        return self.percentageOfNodesToScore


class KubeSchedulerProfile36(KubeSchedulerProfile35, frozen=True):
    """v1 of v1.36."""

    plugins: PlacementPlugins = PlacementPlugins()


class KubeSchedulerProfile(KubeSchedulerProfile36, frozen=True):
    plugins: Plugins = Plugins()


# -- extenders


class ExtenderManagedResource(Part, frozen=True):
    name: str = ""
    ignoredByScheduler: bool = False


class ExtenderTLSConfig(Part, frozen=True):
    insecure: bool = False
    serverName: str = ""
    certFile: str = ""
    keyFile: str = ""
    caFile: str = ""
    certData: str = ""
    keyData: str = ""
    caData: str = ""


class Extender(Part, frozen=True):
    urlPrefix: str = ""
    filterVerb: str = ""
    preemptVerb: str = ""
    prioritizeVerb: str = ""
    weight: Int64 = 0
    bindVerb: str = ""
    enableHTTPS: bool = False
    tlsConfig: ExtenderTLSConfig | None = None
    httpTimeout: str = ""
    nodeCacheCapable: bool = False
    managedResources: tuple[ExtenderManagedResource, ...] = ()
    ignorable: bool = False


# -- the configuration


class Configuration(Part, frozen=True):
    """The fields of every version."""

    apiVersion: str = ""
    kind: str = ""
    parallelism: Int32 = 16
    leaderElection: Any = None
    clientConnection: Any = None
    enableProfiling: Any = None
    enableContentionProfiling: Any = None
    percentageOfNodesToScore: Int32 = 0
    podInitialBackoffSeconds: Int64 = 1
    podMaxBackoffSeconds: Int64 = 10
    extenders: tuple[Extender, ...] = ()
    profiles: tuple[Profile, ...] = ()


class KubeSchedulerConfiguration35(Configuration, frozen=True):
    """v1 of v1.28 to v1.35."""

    profiles: tuple[KubeSchedulerProfile35, ...] = ()
    delayCacheUntilActive: Any = None


class KubeSchedulerConfiguration36(KubeSchedulerConfiguration35, frozen=True):
    """v1 of v1.36."""

    profiles: tuple[KubeSchedulerProfile36, ...] = ()


class KubeSchedulerConfiguration(KubeSchedulerConfiguration36, frozen=True):
    profiles: tuple[KubeSchedulerProfile, ...] = ()


class Beta3KubeSchedulerConfiguration(Configuration, frozen=True):
    profiles: tuple[Beta3Profile, ...] = ()


class MultiPointKubeSchedulerConfiguration(Configuration, frozen=True):
    profiles: tuple[MultiPointProfile, ...] = ()


class OldKubeSchedulerConfiguration(Configuration, frozen=True):
    """v1beta1, and v1beta2 of v1.22."""

    healthzBindAddress: str | None = None
    metricsBindAddress: str | None = None


class Beta2KubeSchedulerConfiguration(MultiPointKubeSchedulerConfiguration, frozen=True):
    """v1beta2 of v1.24."""

    healthzBindAddress: str | None = None
    metricsBindAddress: str | None = None


IGNORED_FIELDS = (
    "parallelism",
    "leaderElection",
    "clientConnection",
    "enableProfiling",
    "enableContentionProfiling",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
    "delayCacheUntilActive",
    "healthzBindAddress",
    "metricsBindAddress",
)
"""Fields that do not affect any decision."""

# -- plugin arguments


class UtilizationShapePoint(Part, frozen=True):
    utilization: Int32 = 0
    score: Int32 = 0


class ResourceSpec(Part, frozen=True):
    name: str = ""
    weight: Int64 = 0


class RequestedToCapacityRatioParam(Part, frozen=True):
    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategy(Part, frozen=True):
    type: str = ""
    resources: tuple[ResourceSpec, ...] = ()
    requestedToCapacityRatio: RequestedToCapacityRatioParam | None = None


class OldNodeResourcesFitArgs(Part, frozen=True):
    ignoredResources: tuple[str, ...] = ()
    ignoredResourceGroups: tuple[str, ...] = ()


class NodeResourcesFitArgs(OldNodeResourcesFitArgs, frozen=True):
    scoringStrategy: ScoringStrategy = ScoringStrategy("LeastAllocated")


class ResourcesArgs(Part, frozen=True):
    """NodeResourcesBalancedAllocationArgs, NodeResourcesLeastAllocatedArgs, NodeResourcesMostAllocatedArgs."""

    resources: tuple[ResourceSpec, ...] = ()


class RequestedToCapacityRatioArgs(ResourcesArgs, frozen=True):
    shape: tuple[UtilizationShapePoint, ...] = ()


class NodeAffinityArgs(Part, frozen=True):
    addedAffinity: NodeAffinity = NodeAffinity()


class PodTopologySpreadArgs(Part, frozen=True):
    defaultConstraints: tuple[TopologySpreadConstraint, ...] = ()
    defaultingType: str = ""


class OldInterPodAffinityArgs(Part, frozen=True):
    hardPodAffinityWeight: Int32 = 1


class InterPodAffinityArgs(OldInterPodAffinityArgs, frozen=True):
    ignorePreferredTermsOfExistingPods: bool = False


class DefaultPreemptionArgs(Part, frozen=True):
    minCandidateNodesPercentage: Int32 = 10
    minCandidateNodesAbsolute: Int32 = 100


class OldVolumeBindingArgs(Part, frozen=True):
    bindTimeoutSeconds: Int64 = 600


class UngatedVolumeBindingArgs(OldVolumeBindingArgs, frozen=True):
    """Without the gate that ``shape`` needs."""

    shape: tuple[UtilizationShapePoint, ...] | None = None


class VolumeBindingArgs(OldVolumeBindingArgs, frozen=True):
    shape: tuple[UtilizationShapePoint, ...] = (UtilizationShapePoint(0, 10), UtilizationShapePoint(100, 0))


class OldDynamicResourcesArgs(Part, frozen=True):
    filterTimeout: str | None = None


class DynamicResourcesArgs(OldDynamicResourcesArgs, frozen=True):
    bindingTimeout: str | None = None


class NodeLabelArgs(Part, frozen=True):
    presentLabels: tuple[str, ...] = ()
    absentLabels: tuple[str, ...] = ()
    presentLabelsPreference: tuple[str, ...] = ()
    absentLabelsPreference: tuple[str, ...] = ()


class ServiceAffinityArgs(Part, frozen=True):
    affinityLabels: tuple[str, ...] = ()
    antiAffinityLabelsPreference: tuple[str, ...] = ()
