"""The versions of a KubeSchedulerConfiguration: the generation that reads each, its fields, plugins and arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from kschedlab.filter.plugin import Filter
from kschedlab.filter.volumes.older_limits import CINDER, DiskLimits, StepsAside
from kschedlab.generations import GENERATIONS, Generation
from kschedlab.score.node_resources import NodeResourcesFitScore, most_allocated
from kschedlab.score.plugin import Score
from kschedlab.score.priorities.node_prefer_avoid_pods import NodePreferAvoidPods
from kschedlab.score.priorities.selector_spread import SelectorSpread
from kschedlab.score.volume_binding import VolumeBindingScore
from kschedlab_configuration.arguments import (
    V1_ARGUMENTS,
    V1_ARGUMENTS_36,
    V1_ARGUMENTS_TO_32,
    V1_ARGUMENTS_TO_35,
    V1BETA1_22_ARGUMENTS,
    V1BETA1_ARGUMENTS,
    V1BETA2_22_ARGUMENTS,
    V1BETA2_ARGUMENTS,
    ArgumentsSpec,
)
from kschedlab_configuration.bind_addresses import (
    Complaint,
    no_complaints,
    port_0_complaints,
    socket_complaints,
)
from kschedlab_configuration.fields import (
    Beta2KubeSchedulerConfiguration,
    Beta3KubeSchedulerConfiguration,
    Beta3Profile,
    Configuration,
    KubeSchedulerConfiguration,
    KubeSchedulerConfiguration35,
    KubeSchedulerConfiguration36,
    KubeSchedulerProfile,
    KubeSchedulerProfile35,
    KubeSchedulerProfile36,
    MultiPointKubeSchedulerConfiguration,
    MultiPointProfile,
    OldKubeSchedulerConfiguration,
    Profile,
)
from kschedlab_configuration.older.node_label import NodeLabel, NodeLabelScore
from kschedlab_configuration.plugin_catalogues import (
    V1,
    V1_28,
    V1_30,
    V1_32,
    V1_34,
    V1_35,
    V1_36,
    V1BETA1,
    V1BETA1_22,
    V1BETA2_22,
    V1BETA2_24,
    V1BETA3_24,
    V1BETA3_28,
)
from kschedlab_configuration.plugin_sets import Catalogue

KIND = "KubeSchedulerConfiguration"
GROUP = "kubescheduler.config.k8s.io"


@dataclass(frozen=True)
class Version:
    """A version of the API.

    ``base``: the generation that reads it. ``filters``, ``scores``: those that it offers in addition to the base's.
    ``address_complaints``: what is wrong with a bind address.
    """

    name: str
    base: str
    configuration: type[Configuration]
    profile: type[Profile]
    catalogue: Catalogue
    arguments: Mapping[str, ArgumentsSpec]
    filters: tuple[Filter, ...] = ()
    scores: tuple[Score, ...] = ()
    address_complaints: Callable[[str], Iterable[Complaint]] = no_complaints

    def all_filters(self, base: Generation) -> dict[str, Filter]:
        """The plugins by name; those of ``base`` take precedence."""
        return {f.name: f for f in (*self.filters, *GENERATIONS[self.base].filters, *base.filters)}

    def all_scores(self, base: Generation) -> dict[str, Score]:
        """The plugins by name; those of ``base`` take precedence."""
        of_base = GENERATIONS[self.base].with_feature_gates(dict(base.feature_gates))
        tables = (*of_base.scores, *base.scores)
        return {s.name: s for s in (*self.scores, *(score for score, _ in tables))}


# v1.20 to v1.30: pkg/scheduler/framework/plugins/registry.go: what the default table omits, except ServiceAffinity
_CINDER = DiskLimits("CinderLimits", CINDER)
_SPREAD = SelectorSpread(yields_to_spread_constraints=True)
_FIT_1_20, _FIT_1_22 = NodeResourcesFitScore(ignores_absent_resources=False), NodeResourcesFitScore(adds_overhead=True)
_MOST, _RATIO = "NodeResourcesMostAllocated", "RequestedToCapacityRatio"  # which needs arguments
_SCORES_1_20: tuple[Score, ...] = (
    NodeLabelScore(),
    replace(_FIT_1_20, name=_MOST, strategy=most_allocated),
    replace(_FIT_1_20, name=_RATIO),
    _SPREAD,
)
_FILTERS_1_22 = (NodeLabel(), replace(_CINDER, steps_aside=StepsAside.WHERE_LISTED))
_SCORES_1_22: tuple[Score, ...] = (
    NodeLabelScore(panics_without_labels=False),
    NodePreferAvoidPods(),
    replace(_FIT_1_22, name="NodeResourcesLeastAllocated"),
    replace(_FIT_1_22, name=_MOST, strategy=most_allocated),
    replace(_FIT_1_22, name=_RATIO),
    _SPREAD,
    VolumeBindingScore(scores_capacity=False),
)
_CINDER_1_24 = replace(_CINDER, checks_claims=True, steps_aside=StepsAside.WITH_CSI_NODE)
"""v1.24, v1.28: nodevolumelimits/utils.go, isCSIMigrationOn does not ask for Cinder's annotation."""

_V1_37 = Version(f"{GROUP}/v1", "v1.37", KubeSchedulerConfiguration, KubeSchedulerProfile, V1, V1_ARGUMENTS)
_V1_36 = replace(
    _V1_37,
    base="v1.36",
    configuration=KubeSchedulerConfiguration36,
    profile=KubeSchedulerProfile36,
    catalogue=V1_36,
    arguments=V1_ARGUMENTS_36,
)
_V1_35 = replace(
    _V1_36,
    base="v1.35",
    configuration=KubeSchedulerConfiguration35,
    profile=KubeSchedulerProfile35,
    catalogue=V1_35,
    arguments=V1_ARGUMENTS_TO_35,
)
_V1_32 = replace(_V1_35, base="v1.32", catalogue=V1_32, arguments=V1_ARGUMENTS_TO_32)
_V1_28 = replace(_V1_32, base="v1.28", catalogue=V1_28, filters=(_CINDER_1_24,), scores=(_SPREAD,))


def _v1beta1(
    base: str,
    catalogue: Catalogue,
    arguments: Mapping[str, ArgumentsSpec],
    filters: tuple[Filter, ...],
    scores: tuple[Score, ...],
) -> Version:
    name, configuration = f"{GROUP}/v1beta1", OldKubeSchedulerConfiguration
    addresses = partial(socket_complaints, unreadable=False)
    return Version(name, base, configuration, Profile, catalogue, arguments, filters, scores, addresses)


_V1BETA1_22 = _v1beta1("v1.22", V1BETA1_22, V1BETA1_22_ARGUMENTS, _FILTERS_1_22, _SCORES_1_22)
_V1BETA2_22 = replace(
    _V1BETA1_22,
    name=f"{GROUP}/v1beta2",
    catalogue=V1BETA2_22,
    arguments=V1BETA2_22_ARGUMENTS,
    address_complaints=socket_complaints,
)
_V1BETA2_24 = replace(
    _V1BETA2_22,
    base="v1.24",
    configuration=Beta2KubeSchedulerConfiguration,
    profile=MultiPointProfile,
    catalogue=V1BETA2_24,
    arguments=V1BETA2_ARGUMENTS,
    filters=(_CINDER_1_24,),
    scores=(_SPREAD,),
    address_complaints=port_0_complaints,
)
_V1BETA3_24 = replace(
    _V1BETA2_24,
    name=f"{GROUP}/v1beta3",
    configuration=MultiPointKubeSchedulerConfiguration,
    catalogue=V1BETA3_24,
)
_V1BETA3_28 = replace(
    _V1BETA3_24,
    base="v1.28",
    configuration=Beta3KubeSchedulerConfiguration,
    profile=Beta3Profile,
    catalogue=V1BETA3_28,
    arguments=_V1_28.arguments,
    address_complaints=no_complaints,
)

VERSIONS = (
    _V1_37,
    _V1_36,
    _V1_35,
    replace(_V1_35, base="v1.34", catalogue=V1_34),
    _V1_32,
    replace(
        _V1_32, base="v1.30", catalogue=V1_30, filters=(replace(_CINDER_1_24, missing_claim_is_error=False),), scores=()
    ),
    _V1_28,
    _V1BETA3_28,
    _V1BETA3_24,
    _V1BETA2_24,
    _V1BETA2_22,
    _v1beta1("v1.20", V1BETA1, V1BETA1_ARGUMENTS, (NodeLabel(), _CINDER), _SCORES_1_20),
    _V1BETA1_22,
)
"""The generations that read each version; the first of a version is the one that reads it by default."""
