"""Which objects an entry of a timeline is about: by their names, as kubectl takes them, or by their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import ApiObject
from kschedlab.objects.names import name_fault
from kschedlab.objects.problems import Fault, Path, quoted

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
    """One object."""

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
    """The objects of a kind that have these labels when the moment comes."""

    kind: type[ApiObject]
    namespace: str
    labels: dict[str, str]

    def __str__(self) -> str:
        labels = ",".join(f"{key}={value}" for key, value in self.labels.items())
        where = f" in {self.namespace}" if RESOURCES[self.kind].namespaced else ""
        return f"{RESOURCES[self.kind].name} with {labels}{where}"


Targets: TypeAlias = tuple[NamedTarget, ...] | SelectedTargets


def kinds_of(targets: Targets) -> list[type[ApiObject]]:
    """The kinds that are meant, each once."""
    return [targets.kind] if isinstance(targets, SelectedTargets) else list({each.kind: None for each in targets})


def kind_for(name_or_alias: str) -> type[ApiObject] | None:
    """The kind that kubectl knows by this word: ``pod``, ``pods``, ``po``, ``Pod``."""
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
    """What is meant by ``pod/web``, a list of such, or ``pods`` with a ``selector``.

    ``implied``: the kind that is meant if a name stands alone.
    """
    if selector:
        kind = kind_for(value) if isinstance(value, str) else None
        if kind is None:
            faults.append(Fault(path, 'the kind that the selector is for is expected here, such as "pods"'))
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
    """ValueError if it names nothing."""
    example = "KIND/NAME" if implied is None else "a name"
    if not isinstance(text, str):
        raise ValueError(f"{example} is expected here, as text")
    name_or_alias, slash, name = text.rpartition("/")
    kind = kind_for(name_or_alias) if slash else implied
    if kind is None:
        if slash:
            raise ValueError(f"{quoted(name_or_alias)} is not a kind that is simulated")
        remedy = ": give names as KIND/NAME, or a selector" if kind_for(text) else ": KIND/NAME is expected here"
        raise ValueError(f"{quoted(text)} does not say which one is meant{remedy}")
    if fault := name_fault(name):
        raise ValueError(fault)
    return NamedTarget(kind, _namespace(kind, namespace), name)


def _namespace(kind: type[ApiObject], namespace: str) -> str:
    return (namespace or "default") if RESOURCES[kind].namespaced else ""
