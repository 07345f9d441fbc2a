"""What exactly is in the way on one node where the filter's reason alone leaves a person searching."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kschedlab.cluster.incoming import FORBIDDEN, incoming_pod
from kschedlab.cluster.labels import required_terms
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.terms import AffinityTerm
from kschedlab.decision import Decision
from kschedlab.filter.inter_pod_affinity import ANTI_AFFINITY, EXISTING_ANTI_AFFINITY, NO_AFFINITY
from kschedlab.filter.node_affinity import NO_MATCH, NO_MATCH_1_16, NO_MATCH_1_20
from kschedlab.filter.node_resources import TOO_MANY_PODS
from kschedlab.filter.plugin import Refusal
from kschedlab.filter.pod_topology_spread import TOO_SKEWED
from kschedlab.filter.stage import EXCLUDED
from kschedlab.objects.selectors import Requirement, SelectorError
from kschedlab.text.words import count

HOSTNAME = "kubernetes.io/hostname"


def details(decision: Decision, node: str) -> list[str]:
    """What is in the way of the pod, by the first filter that refuses the node; [] if its reasons say enough."""
    position = decision.cluster.index[node]
    if decision.verdicts is not None and int(decision.verdicts.refused_by[position]) == EXCLUDED:
        return ["the pod asks for other nodes by name"] if "NodeAffinity" in decision.verdicts.excluded_by else []
    said = (ASKED[part.reason](decision, position, part) for part in _parts(decision, position) if part.reason in ASKED)
    return [text for text in said if text]


def _parts(decision: Decision, position: int) -> Iterator[Refusal]:
    verdicts = decision.verdicts
    if verdicts is not None and (number := int(verdicts.refused_by[position])) >= 0:
        refused = verdicts.refusals[number]
        yield from (part for part in refused.parts if part.mask[position]) if refused is not None else ()


# -- pods


def _anti_affinity(decision: Decision, position: int, part: Refusal) -> str:
    """The pod that the incoming one may not be with."""
    incoming = incoming_pod(decision.pod, decision.cluster)
    for term in incoming.terms.anti_affinity:
        key = term.key
        found = _in_domain(decision, position, key, lambda info, term=term: incoming.matches(term, info.signature))  # type: ignore[misc]
        if found is not None:
            return f"its podAntiAffinity: {found.key} is {_where(decision, position, key)}"
    return ""


def _existing_anti_affinity(decision: Decision, position: int, part: Refusal) -> str:
    """The pod that may not be with the incoming one."""
    terms = incoming_pod(decision.pod, decision.cluster).terms_of_others(decision.cluster)
    for held in terms:
        if held.purpose == FORBIDDEN:
            found = _in_domain(decision, position, held.term.key, lambda info, term=held.term: _holds(info, term))  # type: ignore[misc]
            if found is not None:
                return f"the podAntiAffinity of {found.key}, {_where(decision, position, held.term.key)}"
    return ""


def _holds(info: PodInfo, term: AffinityTerm) -> bool:
    return term in info.signature.terms.anti_affinity


def _in_domain(decision: Decision, position: int, key: str, matches: Callable[[PodInfo], bool]) -> PodInfo | None:
    """The first matching pod in the node's domain of the key."""
    cluster = decision.cluster
    domain = cluster.topology(key).domain
    if domain[position] < 0:
        return None
    there = np.flatnonzero(domain == domain[position])
    rows = np.flatnonzero(np.isin(cluster.pods.node, there)).tolist()
    return next((info for info in map(cluster.pods.info, rows) if matches(info)), None)


def _where(decision: Decision, position: int, key: str) -> str:
    return "on it" if key == HOSTNAME else f"in {key}={decision.cluster.nodes[position].metadata.labels.get(key, '')}"


def _affinity(decision: Decision, position: int, part: Refusal) -> str:
    keys = dict.fromkeys(term.key for term in incoming_pod(decision.pod, decision.cluster).terms.affinity)
    labels = decision.cluster.nodes[position].metadata.labels
    if missing := [key for key in keys if key not in labels]:
        return f"its podAffinity: the node has no label {missing[0]}"
    places = " and ".join(_where(decision, position, key) for key in keys)
    return f"its podAffinity: no matching pod is {places}"


def _skew(decision: Decision, position: int, part: Refusal) -> str:
    matching, least, most = (_number(part, name, position) for name in ("matching", "minimum", "maxSkew"))
    return f"its spreading: {count(matching, 'pod')} like it in this domain, {least} in the emptiest, maxSkew {most}"


def _number(part: Refusal, name: str, position: int) -> int:
    value = part.terms[name]
    return int(value) if isinstance(value, int) else int(value[position])


def _full(decision: Decision, position: int, part: Refusal) -> str:
    return f"as many pods as it may have, {int(decision.cluster.max_pods[position]):,}"


# -- labels


def _node_affinity(decision: Decision, position: int, part: Refusal) -> str:
    """The expressions of a required nodeAffinity that the node's labels do not meet."""
    required, node = required_terms(decision.pod.pod.spec), decision.cluster.nodes[position]
    labels, selector = node.metadata.labels, decision.pod.pod.spec.nodeSelector
    if required is None or any(labels.get(key) != value for key, value in selector.items()):
        return ""
    if len(required.nodeSelectorTerms) != 1:
        return f"matches none of the {len(required.nodeSelectorTerms)} terms of its nodeAffinity"
    try:
        requirements = required.nodeSelectorTerms[0].compile().labels.requirements
    except SelectorError:
        return ""
    unmet = [each for each in requirements if not each.matches(labels)]
    return "; ".join(f"its nodeAffinity wants {_words(each)}, the node has {_has(labels, each.key)}" for each in unmet)


def _words(each: Requirement) -> str:
    return f"{each.key} {each.operator} {', '.join(sorted(each.values))}".rstrip()


def _has(labels: dict[str, str], key: str) -> str:
    return labels.get(key) or "no such label"


ASKED: dict[str, Callable[[Decision, int, Refusal], str]] = {
    ANTI_AFFINITY: _anti_affinity,
    EXISTING_ANTI_AFFINITY: _existing_anti_affinity,
    NO_AFFINITY: _affinity,
    TOO_SKEWED: _skew,
    TOO_MANY_PODS: _full,
    NO_MATCH: _node_affinity,
    NO_MATCH_1_20: _node_affinity,
    NO_MATCH_1_16: _node_affinity,
}
"""Who explains a reason further."""
