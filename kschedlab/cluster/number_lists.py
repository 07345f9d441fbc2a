"""A list of numbers for each signature, in columns, so that those of thousands of pods are read at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.signatures import IntArray, Signature


class NumberLists(ABC):
    """The lists; a subclass says what they hold. Each signature is evaluated once.

    ``_start``, ``_length``: int64[signatures], where each one's numbers begin in ``_numbers``, and how many there are.
    """

    def __init__(self) -> None:
        self._begin(0)

    def _begin(self, sweeps: int) -> None:
        self._start: IntArray = np.zeros(64, np.int64)
        self._length: IntArray = np.zeros(64, np.int64)
        self._numbers: IntArray = np.zeros(0, np.int64)
        self._done, self._sweeps = 0, sweeps

    @abstractmethod
    def numbers_of(self, signature: Signature) -> Iterable[int]: ...

    def of(self, signature: IntArray) -> tuple[IntArray, IntArray]:
        """(int64[pods]: how many numbers each pod has, int64[]: all of them). ``signature``: int64[pods]."""
        length = self._length[signature]
        ends = np.cumsum(length)
        place = np.arange(length.sum()) - np.repeat(ends - length - self._start[signature], length)
        return length, self._numbers[place]

    def update(self, signatures: Signatures) -> None:
        """Evaluate the signatures that are new; all of them if some have new numbers."""
        if self._sweeps != signatures.sweeps:
            self._begin(signatures.sweeps)
        self.write(signatures.born_since(self._done))
        self._done = signatures.born

    def write(self, signatures: Iterable[Signature]) -> None:
        """Evaluate these signatures, perhaps again."""
        numbers: list[int] = []
        for signature in signatures:
            while signature.number >= len(self._length):
                self._start, self._length = (np.concatenate([a, np.zeros_like(a)]) for a in (self._start, self._length))
            before = len(numbers)
            numbers += self.numbers_of(signature)
            self._start[signature.number] = len(self._numbers) + before
            self._length[signature.number] = len(numbers) - before
        if numbers:
            self._numbers = np.concatenate([self._numbers, np.array(numbers, np.int64)])
