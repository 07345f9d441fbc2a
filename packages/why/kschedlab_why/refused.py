"""Why nodes refuse a pod, in groups of nodes with the same obstacle, with the numbers that a person looks for.

Some plugins' reasons leave a person searching; for these it says what exactly is in the way on a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.incoming import FORBIDDEN, incoming_pod
from kschedlab.cluster.labels import required, required_terms, untolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.terms import AffinityTerm
from kschedlab.cluster.volumes import claim_names
from kschedlab.decision import Decision
from kschedlab.filter.inter_pod_affinity import ANTI_AFFINITY, EXISTING_ANTI_AFFINITY, NO_AFFINITY
from kschedlab.filter.node_affinity import NO_MATCH_1_16, NO_MATCH_ADDED
from kschedlab.filter.plugin import Refusal as Part
from kschedlab.filter.stage import EXCLUDED
from kschedlab.filter.volumes.volume_binding import NODE_CONFLICT, NODE_CONFLICT_BEFORE
from kschedlab.filter.volumes.volume_zone import ZONE_CONFLICT
from kschedlab.objects.model import TopologySpreadConstraint
from kschedlab.objects.selectors import Requirement, SelectorError
from kschedlab.text.refused import RefusedNodes
from kschedlab.text.words import asked_and_free, count
from kschedlab_why.why_not import why_not

HOSTNAME = "kubernetes.io/hostname"
ZONES = (
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)
"""Labels of a volume that say where it is (VolumeZone)."""
LOOKED_AT = 300
"""Only in a group of at most so many nodes does each get its own obstacle; else all get the filter's reason."""
KINDS = 4
"""The most obstacles of one filter that are named."""


class Group(NamedTuple):
    """Nodes with the same obstacle."""

    nodes: tuple[str, ...]
    obstacle: str


def groups(decision: Decision) -> list[Group]:
    """All refusing nodes, the largest group first."""
    all_groups = (group for refusal in decision.refusals() for group in _groups(decision, refusal))
    return sorted(all_groups, key=lambda group: (-len(group.nodes), group.obstacle))


def _groups(decision: Decision, refusal: RefusedNodes) -> Iterator[Group]:
    resources = _insufficient(decision)
    if refusal.reasons and resources.keys() >= set(refusal.reasons):
        room = (_room(decision, refusal, resources[reason]) for reason in refusal.reasons)
        yield Group(refusal.nodes, "; ".join(room))
        return
    plain = "; ".join(_plain(reason) for reason in refusal.reasons) or f"refused by {refusal.plugin}"
    if len(refusal.nodes) > LOOKED_AT:
        yield Group(refusal.nodes, plain)
        return
    own: dict[str, list[str]] = {}
    for node in refusal.nodes:
        own.setdefault(_obstacle(decision, node) or plain, []).append(node)
    if len(own) > KINDS:
        own = {plain: list(refusal.nodes)}
    for obstacle, nodes in own.items():
        yield Group(tuple(nodes), obstacle)


def _insufficient(decision: Decision) -> dict[str, str]:
    """The resources that nodes lack, by the reason."""
    refused = decision.verdicts.refusals if decision.verdicts is not None else ()
    return {part.reason: part.resource for each in refused if each is not None for part in each.parts if part.resource}


def _obstacle(decision: Decision, node: str) -> str:
    """The reason of the first filter that refuses the node."""
    if obstacles := details(decision, node):
        return "; ".join(obstacles)
    first = next((check for check in why_not(decision, node).checks if check.first), None)
    return "; ".join(map(_plain, first.details)) if first is not None else ""


def _plain(reason: str) -> str:
    return reason.removeprefix("node(s) ").removeprefix("were ").removeprefix("had ")


def _room(decision: Decision, refusal: RefusedNodes, resource: str) -> str:
    """The most that is free of a resource, or the most that a node has."""
    cluster, row = decision.cluster, decision.cluster.resources.get(resource)
    request = decision.pod.request.get(resource, 0)
    places = [cluster.index[name] for name in refusal.nodes]
    if row is None or not places:
        return f"Insufficient {resource}"
    whole = cluster.allocatable[row, places]
    largest = int(whole.max())
    if not largest:
        return f"no {resource} on {'it' if len(places) == 1 else 'them'}"
    if largest < request:
        asked, has = asked_and_free(resource, request, largest)
        return f"too small for {asked}: {_most('have', has, len(places))}"
    free = whole - cluster.requested[row, places]
    best = max(int(free.max()), 0)
    where = f", on {refusal.nodes[int(free.argmax())]}" if len(places) > 1 and best else ""
    asked, most = asked_and_free(resource, request, best)
    free_there = f"{'at most ' if len(places) > 1 else ''}{most} free{where}" if best else "nothing free"
    return f"too little {resource} for {asked}: {free_there}"


def _most(verb: str, most: str, nodes: int) -> str:
    return f"they {verb} at most {most}" if nodes > 1 else f"it has {most}"


# -- what exactly is in the way on one node


def details(decision: Decision, node: str) -> list[str]:
    """The obstacles that the first refusing filter sees on the node; [] if its reasons say enough."""
    verdicts, position = decision.verdicts, decision.cluster.index[node]
    if verdicts is None:
        return []
    number = int(verdicts.refused_by[position])
    if number == EXCLUDED:
        return ["the pod asks for other nodes by name"] if "NodeAffinity" in verdicts.excluded_by else []
    refused = verdicts.refusals[number] if number >= 0 else None
    explain = EXPLAINED_BY.get(verdicts.plugins[number]) if refused is not None else None
    if refused is None or explain is None:
        return []
    return [text for part in refused.parts if part.mask[position] and (text := explain(decision, position, part))]


def _between_pods(decision: Decision, position: int, part: Part) -> str:
    rule = {ANTI_AFFINITY: _anti_affinity, EXISTING_ANTI_AFFINITY: _existing_anti_affinity, NO_AFFINITY: _affinity}
    return rule[part.reason](decision, position) if part.reason in rule else ""


def _anti_affinity(decision: Decision, position: int) -> str:
    """The pod that the incoming one may not be with."""
    incoming = incoming_pod(decision.pod, decision.cluster)
    for term in incoming.terms.anti_affinity:
        key = term.key
        other = _in_domain(decision, position, key, lambda info, term=term: incoming.matches(term, info.signature))  # type: ignore[misc]
        if other is not None:
            return f"its podAntiAffinity: {other.key} is {_where(decision, position, key)}"
    return ""


def _existing_anti_affinity(decision: Decision, position: int) -> str:
    """The pod that may not be with the incoming one."""
    terms = incoming_pod(decision.pod, decision.cluster).terms_of_others(decision.cluster)
    for held in terms:
        if held.purpose == FORBIDDEN:
            other = _in_domain(decision, position, held.term.key, lambda info, term=held.term: _holds(info, term))  # type: ignore[misc]
            if other is not None:
                return f"the podAntiAffinity of {other.key}, {_where(decision, position, held.term.key)}"
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


def _affinity(decision: Decision, position: int) -> str:
    keys = dict.fromkeys(term.key for term in incoming_pod(decision.pod, decision.cluster).terms.affinity)
    labels = decision.cluster.nodes[position].metadata.labels
    if missing := [key for key in keys if key not in labels]:
        return f"its podAffinity: the node has no label {missing[0]}"
    places = " and ".join(_where(decision, position, key) for key in keys)
    return f"its podAffinity: no matching pod is {places}"


def _skew(decision: Decision, position: int, part: Part) -> str:
    if "maxSkew" not in part.terms:  # a node without the topology's label
        return ""
    matching, least, most = (_number(part, name, position) for name in ("matching", "minimum", "maxSkew"))
    constraints = decision.pod.pod.spec.topologySpreadConstraints
    own = [c for c in constraints if c.whenUnsatisfiable == "DoNotSchedule" and c.maxSkew == most]
    here, emptiest = "in this domain", "the emptiest"
    if len(own) == 1:  # else it is not certain which of them refuses
        here = _where(decision, position, own[0].topologyKey)
        emptiest += _emptiest(decision, own[0], part, least)
    return f"its spreading: {count(matching, 'pod')} like it {here}, {least} in {emptiest}, maxSkew {most}"


def _emptiest(decision: Decision, constraint: TopologySpreadConstraint, part: Part, least: int) -> str:
    """The first counted domain with the fewest pods, in brackets, and what keeps the pod off all of its nodes."""
    cluster, spec, matching = decision.cluster, decision.pod.pod.spec, part.terms["matching"]
    domain = cluster.topology(constraint.topologyKey).domain
    counted = (domain >= 0) & (np.asarray(matching) == least)
    if constraint.nodeAffinityPolicy == "Honor":
        counted &= required(cluster, spec)
    kept_off = untolerated(cluster, spec.tolerations)
    if constraint.nodeTaintsPolicy == "Honor":
        counted &= ~kept_off
    places = np.flatnonzero(counted)
    if not len(places):
        return ""
    name = cluster.nodes[places[0]].metadata.labels[constraint.topologyKey]
    tainted = kept_off[domain == domain[places[0]]].all()
    return f" ({name}{', whose nodes all have taints' if tainted else ''})"


def _number(part: Part, name: str, position: int) -> int:
    value = part.terms[name]
    return int(value) if isinstance(value, int) else int(value[position])


def _full(decision: Decision, position: int, part: Part) -> str:
    if "allowed" not in part.terms:  # a resource
        return ""
    return f"as many pods as it may have, {int(decision.cluster.max_pods[position]):,}"


def _node_affinity(decision: Decision, position: int, part: Part) -> str:
    """The expressions of a required nodeAffinity that the node's labels do not meet."""
    if part.reason == NO_MATCH_ADDED:  # the scheduler's own
        return ""
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
    unmet = (requirement for requirement in requirements if not requirement.matches(labels))
    return "; ".join(f"its nodeAffinity wants {_wanted(r)}, the node has {_has(labels, r.key)}" for r in unmet)


def _wanted(requirement: Requirement) -> str:
    return f"{requirement.key} {requirement.operator} {', '.join(sorted(requirement.values))}".rstrip()


def _has(labels: dict[str, str], key: str) -> str:
    return labels.get(key) or "no such label"


def _volume(decision: Decision, position: int, part: Part) -> str:
    """The bound volumes that other nodes reach, and where they are."""
    if part.reason not in (NODE_CONFLICT, NODE_CONFLICT_BEFORE, ZONE_CONFLICT):
        return ""
    volumes, node = decision.cluster.volumes, decision.cluster.nodes[position]
    texts = []
    for name, _ in claim_names(decision.pod.pod):
        claim = volumes.claim(decision.pod.pod, name)
        volume = volumes.volumes.get(claim.spec.volumeName) if claim is not None else None
        if volume is None:
            continue
        affinity = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
        wanted = [f"{e.key} {e.operator} {', '.join(e.values)}".rstrip()
                  for term in (affinity.nodeSelectorTerms if affinity is not None else ())
                  for e in term.matchExpressions]  # fmt: skip
        labels = volume.metadata.labels
        wanted += [f"{key} In {labels[key]}" for key in ZONES if key in labels and affinity is None]
        if wanted:
            key = wanted[0].partition(" ")[0]
            text = f"volume {volume.metadata.name} of claim {name} is where {' and '.join(wanted)}"
            texts.append(f"{text}, the node has {_has(node.metadata.labels, key)}")
    return "; ".join(texts)


def _general(decision: Decision, position: int, part: Part) -> str:
    """GeneralPredicates: room, ports, the node's name, and labels."""
    if part.reason == NO_MATCH_1_16:
        return _node_affinity(decision, position, part)
    return _full(decision, position, part)


EXPLAINED_BY: dict[str, Callable[[Decision, int, Part], str]] = {
    "GeneralPredicates": _general,
    "InterPodAffinity": _between_pods,
    "MatchInterPodAffinity": _between_pods,
    "MatchNodeSelector": _node_affinity,
    "NodeAffinity": _node_affinity,
    "NodeResourcesFit": _full,
    "PodFitsResources": _full,
    "PodTopologySpread": _skew,
    "VolumeBinding": _volume,
    "VolumeZone": _volume,
    "CheckVolumeBinding": _volume,
}
"""For each plugin, a sentence about its refusal of one node; "" if the reason says enough."""
