"""Signatures of pods, and queries about them.

Thousands of pods are copies of a few templates. A *signature* holds the fields of a pod that selectors, affinity terms,
host ports and volumes depend on, so every query has the same answer for all pods with the same signature. A
:class:`PodQuery` is evaluated once for each signature, never for each pod.
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

NO_ANSWERS: IntArray = np.zeros(0, np.int64)
LIMIT = 1 << 23
"""The most answers (queries x signatures) that are kept."""


@dataclass(frozen=True)
class Signature:
    """The fields that all pods of one signature share.

    ``example``: the first pod with the signature; read only those of its fields that are part of the signature.
    """

    namespace: str
    labels: Mapping[str, str]
    terminating: bool
    example: Pod = field(compare=False)

    @cached_property
    def terms(self) -> PodTerms:
        """The affinity terms of every pod with the signature."""
        return PodTerms.of(self.example)


class PodQuery(Protocol):
    """A hashable question about a signature, answered with a number (0: no)."""

    def __hash__(self) -> int: ...

    def of(self, signature: Signature) -> int:
        """The answer for one signature, e.g. 1 if a selector matches it."""
        ...


class VolumeQuery(PodQuery, Protocol):
    """A query about volumes that also names them, so that a volume used by two pods counts once."""

    def handles(self, signature: Signature) -> frozenset[str]:
        """The names of the volumes that every pod with the signature uses."""
        ...


class VolumeTable:
    """The volumes that each signature uses, as numbers. Each signature is evaluated once."""

    def __init__(self, query: VolumeQuery) -> None:
        self._query = query
        self._numbers: dict[str, int] = {}
        self._start = self._length = self._volumes = np.zeros(0, np.int64)

    def number(self, handle: str) -> int:
        """The number of the volume of that name."""
        return self._numbers.setdefault(handle, len(self._numbers))

    def of(self, signature: IntArray) -> tuple[IntArray, IntArray]:
        """(int64[pods]: how many volumes each pod uses, int64[]: their numbers, pod by pod).

        ``signature``: int64[pods].
        """
        length = self._length[signature]
        ends = np.cumsum(length)
        place = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - length - self._start[signature], length)
        return length, self._volumes[place]

    def add_new(self, signatures: Sequence[Signature]) -> None:
        """Evaluate the signatures that are new."""
        new = [self._query.handles(signatures[number]) for number in range(len(self._length), len(signatures))]
        if new:
            length = np.array([len(handles) for handles in new], np.int64)
            start = np.cumsum(length) - length + len(self._volumes)
            self._start, self._length = np.concatenate([self._start, start]), np.concatenate([self._length, length])
            self._extend(handle for handles in new for handle in handles)

    def refresh(self, number: int, signature: Signature) -> None:
        """Evaluate a signature again."""
        if number < len(self._length):
            handles = self._query.handles(signature)
            self._start[number], self._length[number] = len(self._volumes), len(handles)
            self._extend(handles)

    def _extend(self, handles: Iterable[str]) -> None:
        numbers = np.fromiter((self.number(handle) for handle in handles), np.int64)
        self._volumes = np.concatenate([self._volumes, numbers])


class Signatures:
    """Interned signatures: a pod's signature is an integer. Only grows; forks of a cluster share it.

    A query contains everything that its answer depends on, so answers stay valid, except as in :meth:`refresh`.
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
        """The number of the pod's signature, new if no pod had it before. O(size of its labels and affinity)."""
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
        """int64[signatures]: the query's answer for every signature. Each signature is evaluated once."""
        answers = self._answers.get(query, NO_ANSWERS)
        if len(answers) < len(self._all):
            if query not in self._answers and (len(self._answers) + 1) * len(self._all) > LIMIT:
                self._answers.clear()
            new = np.fromiter((query.of(signature) for signature in self._all[len(answers) :]), np.int64)
            answers = self._answers[query] = np.concatenate([answers, new])
        return answers

    def volume_table(self, query: VolumeQuery) -> VolumeTable:
        """The volumes that each signature uses, as the query names them."""
        table = self._volume_tables.get(query)
        if table is None:
            table = self._volume_tables[query] = VolumeTable(query)
        table.add_new(self._all)
        return table

    def refresh(self, volumes: object, signatures: Sequence[int]) -> None:
        """Evaluate queries about these volumes again for these signatures, because the volumes changed."""
        for query, answers in self._answers.items():
            if _is_about(query, volumes):
                for signature in signatures:
                    if signature < len(answers):
                        answers[signature] = query.of(self._all[signature])
        for volume_query, table in self._volume_tables.items():
            if _is_about(volume_query, volumes):
                for signature in signatures:
                    table.refresh(signature, self._all[signature])
        self._drop_extracted(volumes)

    def drop(self, volumes: object) -> None:
        """Forget all answers about these volumes; they are recomputed when needed."""
        self._answers = {q: answers for q, answers in self._answers.items() if not _is_about(q, volumes)}
        self._volume_tables = {q: table for q, table in self._volume_tables.items() if not _is_about(q, volumes)}
        self._drop_extracted(volumes)

    def _drop_extracted(self, volumes: object) -> None:
        """Forget what methods of queries about these volumes extracted."""
        self._extracted = {
            extract: items
            for extract, items in self._extracted.items()
            if not _is_about(getattr(extract, "__self__", None), volumes)
        }

    def extracted(self, extract: Callable[[Signature], Iterable[T]]) -> Iterable[T]:
        """The distinct items that the function extracts from all signatures. Each signature is examined once."""
        return self._index(extract)  # type: ignore[return-value]  # the function names what is stored

    def signatures_with(self, extract: Callable[[Signature], Iterable[T]], item: T) -> list[int]:
        """The signatures from which the function extracts the item; one that has it twice is listed twice."""
        return self._index(extract).get(item, [])

    def occurrences(self, signatures: Iterable[int]) -> IntArray:
        """int64[signatures + 1]: how often each signature is listed. The last is 0, for rows without a pod (-1)."""
        weight = np.zeros(len(self._all) + 1, np.int64)
        np.add.at(weight, np.fromiter(signatures, np.int64), 1)
        return weight

    def _index(self, extract: Callable[[Signature], Iterable[object]]) -> dict[object, list[int]]:
        done, items = self._extracted.get(extract, (0, {}))
        for number, signature in enumerate(self._all[done:], start=done):
            for item in extract(signature):
                items.setdefault(item, []).append(number)
        self._extracted[extract] = (len(self._all), items)
        return items


def _is_about(query: object, volumes: object) -> bool:
    return getattr(query, "volumes", None) is volumes


def _mounts(pod: Pod) -> bytes | None:
    """The pod's volumes that can conflict with other pods or nodes. An ephemeral volume's claim is the pod's own."""
    volumes = [volume for volume in pod.spec.volumes if volume != Volume(volume.name)]  # without emptyDir and the like
    if not any(volume.ephemeral is not None for volume in volumes):
        return msgspec.json.encode(volumes) if volumes else None
    plain = [volume for volume in volumes if volume.ephemeral is None]
    ephemeral = [volume.name for volume in volumes if volume.ephemeral is not None]
    return msgspec.json.encode((plain, ephemeral, pod.metadata.name, pod.metadata.uid))
