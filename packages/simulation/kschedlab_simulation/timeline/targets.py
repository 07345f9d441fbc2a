"""The objects that a timeline entry applies to: by name, in kubectl's notation, or by labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from kschedlab.messages import later, say
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import ApiObject
from kschedlab.objects.names import name_fault
from kschedlab.objects.problems import Fault, Path, shortened

_ALIASES = {
    "po": "pods",
    "no": "nodes",
    "ns": "namespaces",
    "svc": "services",
    "rc": "replicationcontrollers",
    "rs": "replicasets",
    "sts": "statefulsets",
    "deploy": "deployments",
    "pdb": "poddisruptionbudgets",
    "pc": "priorityclasses",
    "pv": "persistentvolumes",
    "pvc": "persistentvolumeclaims",
    "sc": "storageclasses",
}


@dataclass(frozen=True)
class NamedTarget:
    """One object, by name."""

    kind: type[ApiObject]
    namespace: str
    name: str

    @property
    def key(self) -> str:
        """``namespace/name``, or the name alone."""
        return RESOURCES[self.kind].key(self.namespace, self.name)

    def __str__(self) -> str:
        return f"{self.kind.__name__.lower()} {self.key}"


@dataclass(frozen=True)
class SelectedTargets:
    """The objects of a kind that have these labels when the entry runs."""

    kind: type[ApiObject]
    namespace: str
    labels: dict[str, str]

    def __str__(self) -> str:
        labels = ",".join(f"{key}={value}" for key, value in self.labels.items())
        where = f" in {self.namespace}" if RESOURCES[self.kind].namespaced else ""
        return f"{RESOURCES[self.kind].name} with {labels}{where}"


Targets: TypeAlias = tuple[NamedTarget, ...] | SelectedTargets


def kinds_of(targets: Targets) -> list[type[ApiObject]]:
    """The distinct kinds of the targets."""
    return [targets.kind] if isinstance(targets, SelectedTargets) else list({each.kind: None for each in targets})


def kind_for(name_or_alias: str) -> type[ApiObject] | None:
    """The kind that kubectl accepts by this name: ``pod``, ``pods``, ``po``, ``Pod``."""
    name_or_alias = _ALIASES.get(name_or_alias.lower(), name_or_alias.lower())
    for kind, resource in RESOURCES.items():
        if name_or_alias in (resource.name, resource.qualified, kind.__name__.lower()):
            return kind
    return None


def read_targets(
    value: Any,
    implied: type[ApiObject] | None,
    namespace: str,
    selector: dict[str, str],
    path: Path,
    faults: list[Fault],
) -> Targets:
    """Parse ``pod/web``, a list of these, or ``pods`` with a ``selector``.

    ``implied``: the kind of a name without a kind.
    """
    if selector:
        kind = kind_for(value) if isinstance(value, str) else None
        if kind is None:
            faults.append(Fault(path, 'a selector needs a kind here, such as "pods"'))
            return ()
        return SelectedTargets(kind, _namespace(kind, namespace), selector)
    targets: list[NamedTarget] = []
    texts = value if isinstance(value, list) else [value]
    for i, text in enumerate(texts):
        place = (*path, i) if isinstance(value, list) else path
        try:
            targets.append(_named(text, implied, namespace))
        except ValueError as error:
            faults.append(Fault(place, str(error)))
    if not texts:
        faults.append(Fault(path, "is empty"))
    return tuple(targets)


def _named(text: Any, implied: type[ApiObject] | None, namespace: str) -> NamedTarget:
    """ValueError if the text does not name an object."""
    example = "KIND/NAME" if implied is None else later("a name")
    if not isinstance(text, str):
        raise ValueError(say("expected {example} as text", example=example))
    name_or_alias, slash, name = text.rpartition("/")
    kind = kind_for(name_or_alias) if slash else implied
    if kind is None:
        if slash:
            raise ValueError(say('"{name_or_alias}" is not a supported kind', name_or_alias=shortened(name_or_alias)))
        remedy = (
            later("names no object: use KIND/NAME, or add a selector")
            if kind_for(text)
            else later("has no kind: use KIND/NAME")
        )
        raise ValueError(say('"{text}" {remedy}', text=shortened(text), remedy=remedy))
    if fault := name_fault(name):
        raise ValueError(fault)
    return NamedTarget(kind, _namespace(kind, namespace), name)


def _namespace(kind: type[ApiObject], namespace: str) -> str:
    return (namespace or "default") if RESOURCES[kind].namespaced else ""
