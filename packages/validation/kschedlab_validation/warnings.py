"""Warnings about what the API server refuses or drops, but kschedlab accepts."""

from __future__ import annotations

from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import Fault
from kschedlab_validation.gated import GATED, gated
from kschedlab_validation.tolerated import tolerated


def warnings_of(document: ApiObject) -> list[Fault]:
    """A warning for each of these in the object."""
    if isinstance(document, GATED):
        return [*{gate: fault for gate, fault in reversed([*gated(document)])}.values()]  # of each gate the first
    return tolerated(document)
