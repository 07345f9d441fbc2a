"""Signatures of pods, and the queries that are asked about them.

Thousands of pods are copies of a few templates. A *signature* is what selectors, affinity terms and host ports can
see of a pod; pods with the same signature get the same answer to every query. A :class:`PodQuery` is asked once
for each signature, never for each pod.
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
class Signature:
    """What a group of like pods looks like to a query.

    ``example``: the first pod with the signature; only fields that are part of the signature may be read from it.
    """

    namespace: str
    labels: Mapping[str, str]
    terminating: bool
    example: Pod = field(compare=False)

    @cached_property
    def terms(self) -> PodTerms:
        """The affinity terms that every pod of the signature has."""
        return PodTerms.of(self.example)


class PodQuery(Protocol):
    """A hashable query about a signature of pod, answered with a number (0: no)."""

    def __hash__(self) -> int: ...

    def of(self, signature: Signature) -> int:
        """The answer for one signature, e.g. 1 if a selector matches it."""
        ...


class VolumeQuery(PodQuery, Protocol):
    """A query about volumes that keeps their names, so that one used twice can be told from two."""

    def handles(self, signature: Signature) -> frozenset[str]:
        """The names of the volumes that every pod of the signature uses."""
        ...


class VolumeTable:
    """The volumes that each signature uses, as numbers. Each signature is looked at once."""

    def __init__(self, query: VolumeQuery) -> None:
        self._query = query
        self._numbers: dict[str, int] = {}
        self._start = self._length = self._volumes = np.zeros(0, np.int64)

    def number(self, handle: str) -> int:
        """The number of the volume of that name."""
        return self._numbers.setdefault(handle, len(self._numbers))

    def of(self, signature: IntArray) -> tuple[IntArray, IntArray]:
        """(int64[pods]: how many volumes each pod uses, int64[]: their numbers, pod by pod), given signatures."""
        length = self._length[signature]
        ends = np.cumsum(length)
        place = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - length - self._start[signature], length)
        return length, self._volumes[place]

    def learn(self, signatures: Sequence[Signature]) -> None:
        """Look at the signatures that are new."""
        new = [self._query.handles(signatures[number]) for number in range(len(self._length), len(signatures))]
        if new:
            length = np.array([len(handles) for handles in new], np.int64)
            start = np.cumsum(length) - length + len(self._volumes)
            self._start, self._length = np.concatenate([self._start, start]), np.concatenate([self._length, length])
            self._extend(handle for handles in new for handle in handles)

    def refresh(self, number: int, signature: Signature) -> None:
        """Look at a signature again."""
        if number < len(self._length):
            handles = self._query.handles(signature)
            self._start[number], self._length[number] = len(self._volumes), len(handles)
            self._extend(handles)

    def _extend(self, handles: Iterable[str]) -> None:
        numbers = np.fromiter((self.number(handle) for handle in handles), np.int64)
        self._volumes = np.concatenate([self._volumes, numbers])


class Signatures:
    """Interned signatures: a pod's signature is an integer. Only ever grows; forks of a cluster share it.

    A query knows all that its answer depends on, so that answers hold for ever; but see :meth:`refresh`.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[object, ...], int] = {}
        self._all: list[Signature] = []
        self._answers: dict[PodQuery, IntArray] = {}
        self._volume_tables: dict[VolumeQuery, VolumeTable] = {}
        self._extracted: dict[object, tuple[int, dict[object, list[int]]]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, signature: int) -> Signature:
        return self._all[signature]

    def of(self, pod: Pod) -> int:
        """The number of the pod's signature; a new one if no pod had it. O(size of the pod's labels and affinity)."""
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
            self._all.append(
                Signature(metadata.namespace, metadata.labels, metadata.deletionTimestamp is not None, pod)
            )
        return number

    def evaluate(self, query: PodQuery) -> IntArray:
        """The query's answer for every signature: int64[signatures]. Each signature is asked once."""
        known = self._answers.get(query)
        done = 0 if known is None else len(known)
        if known is None or done < len(self._all):
            if known is None and (len(self._answers) + 1) * len(self._all) > LIMIT:
                self._answers.clear()
            fresh = np.fromiter((query.of(k) for k in self._all[done:]), np.int64, len(self._all) - done)
            known = fresh if known is None else np.concatenate([known, fresh])
            self._answers[query] = known
        return known

    def volume_table(self, query: VolumeQuery) -> VolumeTable:
        """The volumes that each signature uses, by the query's names for them."""
        known = self._volume_tables.get(query)
        if known is None:
            known = self._volume_tables[query] = VolumeTable(query)
        known.learn(self._all)
        return known

    def refresh(self, volumes: object, signatures: Sequence[int]) -> None:
        """These volumes changed, and what queries about them say of some signatures may have changed with them."""
        for query, answers in self._answers.items():
            if _is_about(query, volumes):
                for signature in signatures:
                    if signature < len(answers):
                        answers[signature] = query.of(self._all[signature])
        for handles, table in self._volume_tables.items():
            if _is_about(handles, volumes):
                for signature in signatures:
                    table.refresh(signature, self._all[signature])
        self._extracted = {w: found for w, found in self._extracted.items() if not _is_about(_owner(w), volumes)}

    def drop(self, volumes: object) -> None:
        """Make room: what is known about these volumes is worked out again if anyone should ask."""
        self._answers = {q: answers for q, answers in self._answers.items() if not _is_about(q, volumes)}
        self._volume_tables = {q: table for q, table in self._volume_tables.items() if not _is_about(q, volumes)}
        self._extracted = {w: found for w, found in self._extracted.items() if not _is_about(_owner(w), volumes)}

    def extracted(self, extract: Callable[[Signature], Iterable[T]]) -> Iterable[T]:
        """Everything that the function finds in any signature, each thing once. Each signature is looked at once."""
        return self._index(extract)  # type: ignore[return-value]  # the function names what is stored

    def signatures_with(self, extract: Callable[[Signature], Iterable[T]], thing: T) -> list[int]:
        """The signatures in which the function finds the thing; one in which it is found twice comes twice."""
        return self._index(extract).get(thing, [])

    def occurrences(self, signatures: Iterable[int]) -> IntArray:
        """int64[signatures + 1]: how often each signature occurs here. The last is 0, for rows without a pod (-1)."""
        weight = np.zeros(len(self._all) + 1, np.int64)
        np.add.at(weight, np.fromiter(signatures, np.int64), 1)
        return weight

    def _index(self, extract: Callable[[Signature], Iterable[object]]) -> dict[object, list[int]]:
        done, things = self._extracted.get(extract, (0, {}))
        for number, signature in enumerate(self._all[done:], start=done):
            for thing in extract(signature):
                things.setdefault(thing, []).append(number)
        self._extracted[extract] = (len(self._all), things)
        return things


def _is_about(query: object, volumes: object) -> bool:
    return getattr(query, "volumes", None) is volumes


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
