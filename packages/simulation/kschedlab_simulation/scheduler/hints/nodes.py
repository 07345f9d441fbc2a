"""Hints of the plugins that check a node's name, taints and labels.

v1.37: pkg/scheduler/framework/plugins: nodename/node_name.go, nodeunschedulable/node_unschedulable.go,
tainttoleration/taint_toleration.go, nodeaffinity/node_affinity.go, nodedeclaredfeatures/nodedeclaredfeatures.go
(isSchedulableAfter...).
"""

from __future__ import annotations

from kschedlab.cluster.labels import first_untolerated, required_terms, tolerated
from kschedlab.filter.node_declared_features import needed_features
from kschedlab.objects.model import UNSCHEDULABLE_TAINT, Node, NodeSelector, Pod
from kschedlab.objects.selectors import NodeTerm, SelectorError
from kschedlab.queue.events import Hint
from kschedlab_simulation.scheduler.hints.pod_cache import PodCache


def unschedulable_after_node(pod: Pod, old: Node | None, new: Node) -> bool:
    """NodeUnschedulable: the node was added schedulable, or uncordoned."""
    return (old is None or old.spec.unschedulable) and not new.spec.unschedulable


def unschedulable_after_toleration(pod: Pod, old: Pod, new: Pod) -> bool:
    """NodeUnschedulable: the pod now tolerates cordoned nodes."""
    return tolerated(UNSCHEDULABLE_TAINT, new.spec.tolerations)


def taints_after_node(pod: Pod, old: Node | None, new: Node) -> bool:
    """TaintToleration: the pod tolerates the node's taints, and did not before."""
    tolerations = pod.spec.tolerations
    if old is not None and first_untolerated(old.spec.taints, tolerations) is None:
        return False
    return first_untolerated(new.spec.taints, tolerations) is None


def features_after_node(pod: Pod, old: Node | None, new: Node) -> bool:
    """NodeDeclaredFeatures: the node is new, or declares other features; which ones does not matter."""
    return old is None or old.status.declaredFeatures != new.status.declaredFeatures


def features_after_itself(pod: Pod, old: Pod, new: Pod) -> bool:
    """NodeDeclaredFeatures: the pod needs other features."""
    return needed_features(old.spec) != needed_features(new.spec)


def affinity_after_node(added: NodeSelector | None = None) -> Hint:
    """NodeAffinity: the pod matches the node, and did not before. ``added``: the plugin's addedAffinity."""
    terms = added.compile() if added is not None else None

    def hint(pod: Pod, old: Node | None, new: Node) -> bool:
        if terms is not None and not terms.matches(new.metadata.name, new.metadata.labels):
            return False
        return _asked_for(pod, new) and (old is None or not _asked_for(pod, old))

    return hint


def _terms(pod: Pod) -> list[NodeTerm | SelectorError] | None:
    required = required_terms(pod.spec)
    if required is None:
        return None
    terms: list[NodeTerm | SelectorError] = []
    for term in required.nodeSelectorTerms:
        try:
            terms.append(term.compile())
        except SelectorError as error:
            terms.append(error)
    return terms


_prepared = PodCache(_terms)


def _asked_for(pod: Pod, node: Node) -> bool:
    """Whether the pod's nodeSelector and required affinity match. SelectorError if none does and a term is invalid."""
    name, labels = node.metadata.name, node.metadata.labels
    if any(labels.get(key) != value for key, value in pod.spec.nodeSelector.items()):
        return False
    terms = _prepared(pod)
    if terms is None or any(isinstance(term, NodeTerm) and term.matches(name, labels) for term in terms):
        return True
    for term in terms:
        if isinstance(term, SelectorError):
            raise term
    return False
