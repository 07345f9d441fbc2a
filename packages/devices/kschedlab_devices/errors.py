"""The error that ends an allocation."""

from __future__ import annotations


class AllocationError(Exception):
    """An allocation fails, in the scheduler's words.

    ``only_this_node``: other nodes may still serve the claims; otherwise the pod cannot be scheduled at all.
    """

    def __init__(self, message: str, only_this_node: bool = False) -> None:
        super().__init__(message)
        self.only_this_node = only_this_node
