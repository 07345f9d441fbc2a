"""The plugins of each version: which extension points each implements, and which run by default.

v1.37: pkg/scheduler/framework/plugins/registry.go and apis/config/v1/default_plugins.go, with the default feature
gates; older versions: the same in their versions of the API. v1.20: the same registry.go and
pkg/scheduler/algorithmprovider/registry.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kschedlab.generations.generation import GENERATIONS
from kschedlab.messages import later
from kschedlab_configuration.plugin_sets import MULTI_POINT, Catalogue, appended, divided_in_place, merged, replaced


def _points(text: str) -> Mapping[str, frozenset[str]]:
    """Parse ``name: point point ...``, one plugin per line."""
    rows = (line.split(":") for line in text.splitlines() if line.strip())
    return {name.strip(): frozenset(points.split()) for name, points in rows}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _plugins(text: str, generation: str = "") -> Mapping[str, int]:
    """These plugins; a score has the weight that it has in the generation, every other plugin 0."""
    weights = {score.name: weight for score, weight in GENERATIONS[generation].scores} if generation else {}
    return {name: weights.get(name, 0) for name in text.split()}


_ORDER_35 = _words(
    "preFilter filter postFilter reserve preScore score preBind bind postBind permit preEnqueue queueSort"
)
_ORDER_36 = (*_ORDER_35, "placementGenerate", "placementScore")

V1 = Catalogue(
    points=_points("""
        DefaultBinder: bind
        DefaultPreemption: postFilter preEnqueue podGroupPostFilter
        DeferredPodScheduling: preFilter filter permit
        DynamicResources: preEnqueue preFilter filter postFilter podGroupPostFilter score reserve preBind
        GangScheduling: preEnqueue permit
        ImageLocality: score
        InterPodAffinity: preFilter filter preScore score
        NodeAffinity: preFilter filter preScore score
        NodeDeclaredFeatures: preFilter filter
        NodeName: preFilter filter
        NodePorts: preFilter filter
        NodeResourcesBalancedAllocation: preScore score
        NodeResourcesFit: preFilter filter preScore score placementScore
        NodeUnschedulable: preFilter filter
        NodeVolumeLimits: preFilter filter
        PodGroupPodsCount: placementScore
        PodTopologySpread: preFilter filter preScore score
        PrioritySort: queueSort
        SchedulingGates: preEnqueue
        TaintToleration: preFilter filter preScore score
        TopologyPlacementGenerator: placementGenerate
        VolumeBinding: preFilter filter preScore score reserve preBind
        VolumeRestrictions: preFilter filter
        VolumeZone: preFilter filter
    """),
    defaults={
        MULTI_POINT: _plugins(
            """
            SchedulingGates PrioritySort NodeName NodeUnschedulable TaintToleration
            NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits
            VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources
            DefaultPreemption NodeResourcesBalancedAllocation ImageLocality DefaultBinder
            NodeDeclaredFeatures
            """,
            "v1.37",
        )
    },
    order=(*_ORDER_36, "podGroupPostFilter"),
    merge=merged,
    queue_sort_missing=later(
        "only one queue sort plugin required for profile with scheduler name {scheduler}, but got 0"
    ),
    binder_missing=later("at least one bind plugin is needed for profile with scheduler name {scheduler}"),
    removed=frozenset({"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}),
)

GATES, _BY_LIMITS = "SchedulingGates", "EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits"


def _older(generation: str, limits: str, devices: str, last: str, points: str = "", gates: str = GATES) -> Catalogue:
    """v1 or v1beta3 as an older version has it. Source: its apis/config/v1 or v1beta3/default_plugins.go.

    ``points``: of plugins that implement others than in v1.36, or do not run by default.
    """
    names = f"""
        {gates} PrioritySort NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts
        NodeResourcesFit VolumeRestrictions {limits} VolumeBinding VolumeZone PodTopologySpread InterPodAffinity
        {devices} DefaultPreemption NodeResourcesBalancedAllocation ImageLocality DefaultBinder {last}
    """
    multi_point = _plugins(names, generation)
    more = _points(points)
    every = {**V1.points, **_points(_POINTS_36), **more}
    known = {name: every[name] for name in (*multi_point, *more)}
    multi, removed = {MULTI_POINT: multi_point}, V1.removed - known.keys()
    return replace(V1, points=known, defaults=multi, removed=removed, order=_ORDER_35)


_POINTS_36 = """
    NodeName: filter
    NodeUnschedulable: filter
    TaintToleration: filter preScore score
"""
_POINTS_30 = """
    AzureDiskLimits: preFilter filter
    CinderLimits: preFilter filter
    DefaultPreemption: postFilter
    DynamicResources: preEnqueue preFilter filter postFilter preScore reserve preBind postBind
    EBSLimits: preFilter filter
    GCEPDLimits: preFilter filter
"""
_POINTS_28 = f"""{_POINTS_30}
    DynamicResources: preEnqueue preFilter filter postFilter preScore reserve postBind
    VolumeBinding: preFilter filter score reserve preBind
"""
_WITHOUT_SCORE = "DynamicResources: preEnqueue preFilter filter postFilter reserve preBind"
_GANGS = "GangScheduling: preEnqueue permit"
_V1_28 = _older("v1.28", _BY_LIMITS, "", "", _POINTS_28)
V1_28 = replace(_V1_28, removed=frozenset({"SelectorSpread"}))
V1BETA3_28 = replace(_V1_28, points={**_V1_28.points, **_points("SelectorSpread: preScore score")})
V1_30 = _older("v1.30", _BY_LIMITS, "", "", _POINTS_30)
V1_32 = _older("v1.32", "NodeVolumeLimits", "", "", _WITHOUT_SCORE)
V1_34 = _older("v1.34", "NodeVolumeLimits", "DynamicResources", "", _WITHOUT_SCORE)
V1_35 = _older(
    "v1.35",
    "NodeVolumeLimits",
    "DynamicResources",
    "",
    f"""{_GANGS} reserve
    NodeDeclaredFeatures: preFilter filter
    """,
)
V1_36 = replace(
    _older("v1.36", "NodeVolumeLimits", "DynamicResources", "NodeDeclaredFeatures", _GANGS), order=_ORDER_36
)

V1BETA1 = Catalogue(
    points=_points("""
        AzureDiskLimits: filter
        CinderLimits: filter
        DefaultBinder: bind
        DefaultPreemption: postFilter
        EBSLimits: filter
        GCEPDLimits: filter
        ImageLocality: score
        InterPodAffinity: preFilter filter preScore score
        NodeAffinity: filter score
        NodeLabel: filter score
        NodeName: filter
        NodePorts: preFilter filter
        NodePreferAvoidPods: score
        NodeResourcesBalancedAllocation: score
        NodeResourcesFit: preFilter filter
        NodeResourcesLeastAllocated: score
        NodeResourcesMostAllocated: score
        NodeUnschedulable: filter
        NodeVolumeLimits: filter
        PodTopologySpread: preFilter filter preScore score
        PrioritySort: queueSort
        RequestedToCapacityRatio: score
        SelectorSpread: preScore score
        ServiceAffinity: preFilter filter score
        TaintToleration: filter preScore score
        VolumeBinding: preFilter filter reserve preBind
        VolumeRestrictions: filter
        VolumeZone: filter
    """),
    defaults={
        "queueSort": _plugins("PrioritySort"),
        "preFilter": _plugins("NodeResourcesFit NodePorts PodTopologySpread InterPodAffinity VolumeBinding"),
        "filter": _plugins("""
            NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit
            VolumeRestrictions EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits
            VolumeBinding VolumeZone PodTopologySpread InterPodAffinity
        """),
        "postFilter": _plugins("DefaultPreemption"),
        "preScore": _plugins("InterPodAffinity PodTopologySpread TaintToleration"),
        "score": _plugins(
            """
            NodeResourcesBalancedAllocation ImageLocality InterPodAffinity
            NodeResourcesLeastAllocated NodeAffinity NodePreferAvoidPods
            PodTopologySpread TaintToleration
            """,
            "v1.20",
        ),
        "reserve": _plugins("VolumeBinding"),
        "preBind": _plugins("VolumeBinding"),
        "bind": _plugins("DefaultBinder"),
    },
    order=_words("""
        preFilter filter postFilter reserve preScore score preBind bind postBind permit queueSort
    """),
    merge=appended,
    queue_sort_missing=later("no queue sort plugin is enabled"),
    binder_missing=later("at least one bind plugin is needed"),
)

V1BETA1_22 = replace(
    V1BETA1,
    points={
        **V1BETA1.points,
        **_points("""
            NodeAffinity: preFilter filter preScore score
            NodeResourcesFit: preFilter filter score
            VolumeBinding: preFilter filter reserve preBind score
            VolumeRestrictions: preFilter filter
        """),
    },
    defaults={
        **V1BETA1.defaults,
        "preFilter": _plugins("""
            NodeResourcesFit NodePorts VolumeRestrictions PodTopologySpread InterPodAffinity VolumeBinding NodeAffinity
        """),
        "preScore": _plugins("InterPodAffinity PodTopologySpread TaintToleration NodeAffinity"),
    },
    conflicts={
        "NodeResourcesFit": frozenset(
            {"NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"}
        )
    },
)

_REMOVED = V1BETA1_22.conflicts["NodeResourcesFit"] | {"NodeLabel", "NodePreferAvoidPods", "ServiceAffinity"}

V1BETA2_22 = replace(
    V1BETA1_22,
    points={name: points for name, points in V1BETA1_22.points.items() if name not in _REMOVED},
    defaults={
        **V1BETA1_22.defaults,
        "score": _plugins(
            """
            NodeResourcesBalancedAllocation ImageLocality InterPodAffinity NodeResourcesFit NodeAffinity
            PodTopologySpread TaintToleration
            """,
            "v1.22",
        ),
    },
    merge=replaced,
    removed=_REMOVED,
    removal=later('was removed in version "v1beta2"'),
    conflicts={},
)

V1BETA2_24 = replace(
    V1BETA2_22,
    queue_sort_missing=later("one queue sort plugin required for profile with scheduler name {scheduler}"),
    removed=frozenset(),
)

V1BETA3_24 = replace(
    V1BETA2_24,
    defaults=_older("v1.24", _BY_LIMITS, "", "", _POINTS_30, gates="").defaults,
    merge=merged,
    divide=divided_in_place,
)
