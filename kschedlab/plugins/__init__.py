"""Everything that you need to write your own plugins, in one place.

A **filter** says where a pod may run. It looks at one node at a time and returns None, or the reason to refuse it::

    @node_filter("ColdNode")
    def cold(pod, node):
        return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"

A **score** says which of those nodes is best, from 0 to 100. The node with the highest weighted sum wins::

    @node_score("PackByLabel", weight=5)
    def pack(pod, node):
        return 100 if node.metadata.labels.get("pool") == pod.metadata.labels.get("pool") else 0

Both join a generation: ``schedule("default/web", cluster, Generation.named("v1.37").plus(cold, pack))``.

====================  ===============================================================================================
one node at a time    :func:`node_filter`, :func:`node_score`; with more extension points (Reserve, Permit, PreBind,
                      ...): a class :class:`Plugin`, as in kube-scheduler's framework, with :class:`NodeView`
one array over all    :class:`ArrayFilter`, and any object with ``name`` and ``score(pod, cluster, nodes) -> Scored``;
                      the engine's own: :class:`Filter`, :class:`PreparedFilter`, :class:`Score`
by name               :func:`load_plugin`; a package declares its own as entry points of ``kschedlab.plugins``
is it right?          :func:`check_plugin`; ``generation.plugin(name).filter(pod, cluster)``, ``.score(pod, cluster)``
====================  ===============================================================================================
"""

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import (
    Filter,
    PreFilterRejection,
    PreparedFilter,
    Refusal,
    Refusals,
    SchedulingError,
    StaticFilter,
    first_of,
)
from kschedlab.objects.model import Pod
from kschedlab.objects.nodes import Node
from kschedlab.plugins.arrays import ArrayFilter
from kschedlab.plugins.checking import CheckReport, check_plugin
from kschedlab.plugins.framework import (
    ERROR,
    SKIP,
    UNRESOLVABLE,
    UNSCHEDULABLE,
    NodeView,
    Nominate,
    Plugin,
    PluginError,
    Skip,
    Status,
    Wait,
)
from kschedlab.plugins.functions import node_filter, node_score
from kschedlab.plugins.loading import PluginNotFoundError, load_plugin
from kschedlab.queue.interface import ClusterEvent
from kschedlab.score.plugin import MAX_NODE_SCORE, Score, Scored, default_normalize

__all__ = [
    "ERROR",
    "MAX_NODE_SCORE",
    "SKIP",
    "UNRESOLVABLE",
    "UNSCHEDULABLE",
    "ArrayFilter",
    "BoolArray",
    "CheckReport",
    "Cluster",
    "ClusterEvent",
    "Filter",
    "IntArray",
    "Node",
    "NodeView",
    "Nominate",
    "Plugin",
    "PluginError",
    "PluginNotFoundError",
    "Pod",
    "PodInfo",
    "PreFilterRejection",
    "PreparedFilter",
    "Refusal",
    "Refusals",
    "SchedulingError",
    "Score",
    "Scored",
    "Skip",
    "Snapshot",
    "StaticFilter",
    "Status",
    "Wait",
    "check_plugin",
    "default_normalize",
    "first_of",
    "load_plugin",
    "node_filter",
    "node_score",
]
