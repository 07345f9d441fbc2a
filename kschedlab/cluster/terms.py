"""Affinity terms between pods, compiled.

v1.37: kube-scheduler/framework/types.go (AffinityTerm, newAffinityTerm) and
pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (mergeAffinityTermNamespacesIfNotEmpty).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kschedlab.objects.model import Pod, PodAffinity, PodAffinityTerm
from kschedlab.objects.selectors import Selector, only

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """The pods that a term matches (``selector`` None: none), their namespaces, the topology key. It keeps its hash."""

    key: str
    selector: Selector | None
    namespaces: frozenset[str]
    namespace_selector: Selector | None = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.key, self.selector, self.namespaces, self.namespace_selector)))

    def __hash__(self) -> int:
        return self._hash

    @classmethod
    def of(cls, term: PodAffinityTerm, namespace: str) -> AffinityTerm:
        """The compiled term of a pod in that namespace, which is the default namespace of the term."""
        names, selector = frozenset(term.namespaces), term.namespaceSelector
        if not names and selector is None:
            names = only(namespace)
        compiled = term.labelSelector.compile() if term.labelSelector is not None else None
        return cls(term.topologyKey, compiled, names, selector.compile() if selector is not None else None)

    def matches(self, namespace: str, labels: Labels, namespace_labels: Labels) -> bool:
        """Whether the term matches a pod with those labels, in the namespace of that name with those labels."""
        if namespace not in self.namespaces:
            selector = self.namespace_selector
            if selector is None or not selector.matches(namespace_labels):
                return False
        return self.selector is not None and self.selector.matches(labels)

    def resolved(self, namespaces: Mapping[str, Labels], keeps_selector: bool) -> AffinityTerm:
        """The term with its namespace selector replaced by the names of the namespaces that it selects.

        The real scheduler reads the terms of an incoming pod in this way, so a namespace without an object is not
        selected, unless the selector is empty and selects all. ``keeps_selector``: see
        :class:`~kschedlab.objects.api.Api`.
        """
        selector = self.namespace_selector
        if selector is None or selector.empty:
            return self
        names = frozenset(name for name, labels in namespaces.items() if selector.matches(labels))
        kept = selector if keeps_selector and selector.matches({}) else None
        return replace(self, namespaces=self.namespaces | names, namespace_selector=kept)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class PodTerms:
    """``affinity``, ``anti_affinity``: required terms. ``preferred``: (weight, term), negative for anti-affinity."""

    affinity: tuple[AffinityTerm, ...] = ()
    anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred: tuple[tuple[int, AffinityTerm], ...] = ()

    @classmethod
    def of(cls, pod: Pod) -> PodTerms:
        """The terms of the pod. SelectorError if one of them is invalid."""
        if pod.spec.affinity is None:
            return cls()
        namespace = pod.metadata.namespace
        affinity, anti_affinity = pod.spec.affinity.podAffinity, pod.spec.affinity.podAntiAffinity
        preferred = (*_preferred(affinity, namespace, +1), *_preferred(anti_affinity, namespace, -1))
        return cls(_required(affinity, namespace), _required(anti_affinity, namespace), preferred)

    @property
    def select_namespaces(self) -> bool:
        terms = (*self.affinity, *self.anti_affinity, *(term for _, term in self.preferred))
        return any(term.namespace_selector is not None for term in terms)

    def resolved(self, namespaces: Mapping[str, Labels], keeps_selectors: bool) -> PodTerms:
        return PodTerms(
            tuple(term.resolved(namespaces, keeps_selectors) for term in self.affinity),
            tuple(term.resolved(namespaces, keeps_selectors) for term in self.anti_affinity),
            tuple((weight, term.resolved(namespaces, keeps_selectors)) for weight, term in self.preferred),
        )


def _required(affinity: PodAffinity | None, namespace: str) -> tuple[AffinityTerm, ...]:
    terms = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity is not None else ()
    return tuple(AffinityTerm.of(term, namespace) for term in terms)


def _preferred(affinity: PodAffinity | None, namespace: str, sign: int) -> tuple[tuple[int, AffinityTerm], ...]:
    terms = affinity.preferredDuringSchedulingIgnoredDuringExecution if affinity is not None else ()
    return tuple((sign * term.weight, AffinityTerm.of(term.podAffinityTerm, namespace)) for term in terms)
