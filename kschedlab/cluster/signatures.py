"""Kinds of pods, and the questions that are asked about them.

Thousands of pods are copies of a few templates. A *kind* is what selectors, affinity terms and host ports can
see of a pod; pods with the same kind get the same answer to every question. A :class:`Question` is asked once
for each kind, never for each pod.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from kschedlab.cluster.terms import PodTerms
from kschedlab.objects.model import Pod, Volume

T = TypeVar("T")
IntArray: TypeAlias = NDArray[np.int64]
SmallArray: TypeAlias = NDArray[np.int8]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]

LIMIT = 1 << 23
"""How many answers are kept at most."""


@dataclass(frozen=True)
class Kind:
    """What a group of like pods looks like to a question.

    ``example`` is the first pod of the kind that was seen; only the fields that make up the kind may be read from it.
    """

    namespace: str
    labels: Mapping[str, str]
    terminating: bool
    example: Pod = field(compare=False)

    @cached_property
    def terms(self) -> PodTerms:
        """The affinity terms that every pod of the kind has."""
        return PodTerms.of(self.example)


class Question(Protocol):
    """A hashable question about a kind of pod, answered with a number (0: no)."""

    def __hash__(self) -> int: ...

    def of(self, kind: Kind) -> int:
        """The answer for one kind, e.g. 1 if a selector matches it."""
        ...


class Handles(Question, Protocol):
    """A question about volumes that keeps their names, so that one used twice can be told from two."""

    def handles(self, kind: Kind) -> frozenset[str]:
        """The names of the volumes that every pod of the kind uses."""
        ...


class Listing:
    """The volumes that each kind uses, as numbers. Each kind is looked at once."""

    def __init__(self, question: Handles) -> None:
        self._question = question
        self._numbers: dict[str, int] = {}
        self._start = self._length = self._volumes = np.zeros(0, np.int64)

    def number(self, handle: str) -> int:
        """The number of the volume of that name."""
        return self._numbers.setdefault(handle, len(self._numbers))

    def of(self, kind: IntArray) -> tuple[IntArray, IntArray]:
        """(int64[pods]: how many volumes pods of these kinds use, int64[]: their numbers, one pod after the other)."""
        length = self._length[kind]
        ends = np.cumsum(length)
        place = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - length - self._start[kind], length)
        return length, self._volumes[place]

    def learn(self, kinds: Sequence[Kind]) -> None:
        """Look at the kinds that are new."""
        new = [self._question.handles(kinds[number]) for number in range(len(self._length), len(kinds))]
        if new:
            length = np.array([len(handles) for handles in new], np.int64)
            start = np.cumsum(length) - length + len(self._volumes)
            self._start, self._length = np.concatenate([self._start, start]), np.concatenate([self._length, length])
            self._extend(handle for handles in new for handle in handles)

    def revise(self, number: int, kind: Kind) -> None:
        """Look at a kind again."""
        if number < len(self._length):
            handles = self._question.handles(kind)
            self._start[number], self._length[number] = len(self._volumes), len(handles)
            self._extend(handles)

    def _extend(self, handles: Iterable[str]) -> None:
        numbers = np.fromiter((self.number(handle) for handle in handles), np.int64)
        self._volumes = np.concatenate([self._volumes, numbers])


class Kinds:
    """Interned kinds: a pod's kind is an integer. Only ever grows; forks of a cluster share it.

    A question knows all that its answer depends on, so that answers hold for ever; but see :meth:`revise`.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[object, ...], int] = {}
        self._all: list[Kind] = []
        self._answers: dict[Question, IntArray] = {}
        self._listings: dict[Handles, Listing] = {}
        self._found: dict[object, tuple[int, dict[object, list[int]]]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, kind: int) -> Kind:
        return self._all[kind]

    def of(self, pod: Pod) -> int:
        """The number of the pod's kind, new if no pod like it was seen. O(size of the pod's labels and affinity)."""
        spec, metadata = pod.spec, pod.metadata
        ports = [c.ports for c in spec.containers if c.ports]
        init_ports = [(c.restartPolicy, c.ports) for c in spec.initContainers if c.ports]
        key = (
            metadata.namespace,
            tuple(sorted(metadata.labels.items())),
            metadata.deletionTimestamp is not None,
            msgspec.json.encode(spec.affinity) if spec.affinity else None,
            msgspec.json.encode((ports, init_ports)) if ports or init_ports else None,
            _mounts(pod) if spec.volumes else None,
        )
        number = self._ids.get(key)
        if number is None:
            number = self._ids[key] = len(self._all)
            self._all.append(Kind(metadata.namespace, metadata.labels, metadata.deletionTimestamp is not None, pod))
        return number

    def answers(self, question: Question) -> IntArray:
        """The question's answer for every kind: int64[kinds]. Each kind is asked once."""
        known = self._answers.get(question)
        done = 0 if known is None else len(known)
        if known is None or done < len(self._all):
            if known is None and (len(self._answers) + 1) * len(self._all) > LIMIT:
                self._answers.clear()
            fresh = np.fromiter((question.of(k) for k in self._all[done:]), np.int64, len(self._all) - done)
            known = fresh if known is None else np.concatenate([known, fresh])
            self._answers[question] = known
        return known

    def listing(self, question: Handles) -> Listing:
        """The volumes that each kind uses, by the question's names for them."""
        known = self._listings.get(question)
        if known is None:
            known = self._listings[question] = Listing(question)
        known.learn(self._all)
        return known

    def revise(self, volumes: object, kinds: Sequence[int]) -> None:
        """These volumes changed, and what questions about them say of some kinds may have changed with them."""
        for question, answers in self._answers.items():
            if _is_about(question, volumes):
                for kind in kinds:
                    if kind < len(answers):
                        answers[kind] = question.of(self._all[kind])
        for handles, listing in self._listings.items():
            if _is_about(handles, volumes):
                for kind in kinds:
                    listing.revise(kind, self._all[kind])
        self._found = {w: found for w, found in self._found.items() if not _is_about(_owner(w), volumes)}

    def forget(self, volumes: object) -> None:
        """Make room: what is known about these volumes is worked out again if anyone should ask."""
        self._answers = {q: answers for q, answers in self._answers.items() if not _is_about(q, volumes)}
        self._listings = {q: listing for q, listing in self._listings.items() if not _is_about(q, volumes)}
        self._found = {w: found for w, found in self._found.items() if not _is_about(_owner(w), volumes)}

    def found(self, within: Callable[[Kind], Iterable[T]]) -> Iterable[T]:
        """Everything that the function finds in any kind, each thing once. Each kind is looked at once."""
        return self._sought(within)  # type: ignore[return-value]  # the function names what is stored

    def having(self, within: Callable[[Kind], Iterable[T]], thing: T) -> list[int]:
        """The kinds in which the function finds the thing; one in which it is found twice comes twice."""
        return self._sought(within).get(thing, [])

    def weights(self, kinds: Iterable[int]) -> IntArray:
        """int64[kinds + 1]: how often each kind is among these. The last is a 0 for rows without a pod (kind -1)."""
        weight = np.zeros(len(self._all) + 1, np.int64)
        np.add.at(weight, np.fromiter(kinds, np.int64), 1)
        return weight

    def _sought(self, within: Callable[[Kind], Iterable[object]]) -> dict[object, list[int]]:
        done, things = self._found.get(within, (0, {}))
        for number, kind in enumerate(self._all[done:], start=done):
            for thing in within(kind):
                things.setdefault(thing, []).append(number)
        self._found[within] = (len(self._all), things)
        return things


def _is_about(question: object, volumes: object) -> bool:
    return getattr(question, "volumes", None) is volumes


def _owner(method: object) -> object:
    return getattr(method, "__self__", None)


def _mounts(pod: Pod) -> bytes | None:
    """The pod's volumes that other pods or nodes may conflict with. An ephemeral volume's claim is the pod's own."""
    volumes = [volume for volume in pod.spec.volumes if volume != Volume(volume.name)]
    if not any(volume.ephemeral is not None for volume in volumes):
        return msgspec.json.encode(volumes) if volumes else None
    plain = [volume for volume in volumes if volume.ephemeral is None]
    made = [volume.name for volume in volumes if volume.ephemeral is not None]
    return msgspec.json.encode((plain, made, pod.metadata.name, pod.metadata.uid))
