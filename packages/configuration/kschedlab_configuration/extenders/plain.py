"""An extender that is a plain Python object: a class with some of the methods below, all optional.

    class NoGpu:
        weight = 2

        def filter(self, pod, nodes):
            return {node.metadata.name: "no GPU" for node in nodes if "gpu" not in node.metadata.labels}

        def prioritize(self, pod, nodes):
            return {"node-a": 10, "node-b": 3}

==================================  ==================================================================================
``filter(pod, nodes)``              the names that are left, or a mapping of the refused ones to reasons, or a
                                    :class:`~kschedlab_configuration.extenders.extender.Filtered`
``prioritize(pod, nodes)``          a mapping of names to scores from 0 to 10
``preempt(pod, victims)``           ``victims``: lists of pods by node; the answer has the same shape, or
                                    :class:`~extender.Victims` with the violations of budgets
``bind(pod, node)``                 nothing; in a simulation the pod is then bound
==================================  ==================================================================================

``pod`` and ``nodes`` are typed objects, ``node`` is a name. An extender whose method raises an exception has failed.
The attributes ``name``, ``weight``, ``ignorable``, ``managed_resources`` and ``node_cache_capable`` are optional too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kschedlab.objects.model import Node, Pod
from kschedlab.objects.problems import InputTypeError, InputValueError
from kschedlab.plugins.framework import raised
from kschedlab_configuration.extenders.extender import Extender, ExtenderError, Filtered, Returned, Victims, identity

VERBS = ("filter", "prioritize", "preempt", "bind")


def as_extender(extender: object) -> Extender:
    """The extender of this object; an Extender stays as it is. TypeError or ValueError for another object."""
    if isinstance(extender, Extender):
        return extender
    if isinstance(extender, type):
        raise InputTypeError("expected an object, got the class {name}: write {name}()", name=extender.__name__)
    if not any(callable(getattr(extender, verb, None)) for verb in VERBS):
        raise InputTypeError(
            "{given!r} is not an extender: it has none of the methods {verbs}", given=extender, verbs=[*VERBS]
        )
    return PlainExtender(extender)


class PlainExtender(Extender):
    """Calls the methods of a Python object and checks what they return."""

    def __init__(self, own: Any) -> None:
        self.own = own
        self.name = str(getattr(own, "name", type(own).__name__))
        self.weight = getattr(own, "weight", 1)
        self.ignorable = bool(getattr(own, "ignorable", False))
        managed = getattr(own, "managed_resources", ())
        if isinstance(managed, str) or not isinstance(managed, Iterable):
            raise InputTypeError(
                'extender "{name}": managed_resources is {managed!r}: expected a list of names',
                name=self.name,
                managed=managed,
            )
        self.managed_resources = frozenset(managed)
        self.node_cache_capable = bool(getattr(own, "node_cache_capable", True))
        self.filters, self.prioritizes, self.preempts, self.binds = (
            callable(getattr(own, verb, None)) for verb in VERBS
        )
        if isinstance(self.weight, bool) or not isinstance(self.weight, int):
            raise InputTypeError(
                'extender "{name}": weight is {weight!r}: expected a whole number', name=self.name, weight=self.weight
            )
        if self.prioritizes and self.weight <= 0:
            raise InputValueError(
                'extender "{name}": weight is {weight}: it must be positive', name=self.name, weight=self.weight
            )

    def __repr__(self) -> str:
        return f"<Extender {self.name}: {', '.join(verb for verb in VERBS if callable(getattr(self.own, verb, None)))}>"

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> Filtered:
        """As the object's ``filter`` says."""
        answer = self._call(self.own.filter, pod, list(nodes))
        if isinstance(answer, Filtered):
            return answer
        if isinstance(answer, Mapping):
            refused = {str(name): str(reason) for name, reason in answer.items()}
            return Filtered([node.metadata.name for node in nodes if node.metadata.name not in refused], refused)
        if isinstance(answer, str) or not isinstance(answer, Iterable):
            raise self._wrong("filter", answer, "names of nodes, or reasons by node")
        return Filtered([name.metadata.name if isinstance(name, Node) else str(name) for name in answer])

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Sequence[tuple[str, int]]:
        """As the object's ``prioritize`` says."""
        if not self.prioritizes:
            return super().prioritize(pod, nodes)
        answer = self._call(self.own.prioritize, pod, list(nodes))
        if not isinstance(answer, Mapping) or not all(isinstance(score, int) for score in answer.values()):
            raise self._wrong("prioritize", answer, "whole numbers by node")
        return [(str(name), int(score)) for name, score in answer.items()]

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Returned]:
        """As the object's ``preempt`` says. A list without violations keeps those of its node."""
        offered = {node: list(each.pods) for node, each in victims.items()}
        answer = self._call(self.own.preempt, pod, offered)
        if not isinstance(answer, Mapping):
            raise self._wrong("preempt", answer, "lists of pods by node")
        return {str(node): self._returned(each, victims.get(node)) for node, each in answer.items()}

    def bind(self, pod: Pod, node: str) -> None:
        """As the object's ``bind`` says."""
        self._call(self.own.bind, pod, node)

    def _returned(self, answer: Any, before: Victims | None) -> Returned:
        violations = before.violations if before is not None else 0
        pods, violations = answer if isinstance(answer, Victims) else (answer, violations)
        pods = list(pods) if isinstance(pods, Iterable) else [pods]
        if not all(isinstance(pod, Pod) for pod in pods):
            raise self._wrong("preempt", answer, "lists of pods by node")
        return Returned([identity(pod) for pod in pods], violations)

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except ExtenderError:
            raise
        except Exception as error:
            raise ExtenderError(f"{self.name}: {raised(error)}") from error

    def _wrong(self, verb: str, answer: object, expected: str) -> ExtenderError:
        return ExtenderError(f"{self.name}: {verb} returned {answer!r}, where {expected} are expected")
