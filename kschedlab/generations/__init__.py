"""Generations of kube-scheduler, from v1.13 to v1.37.

================================  =================================================================================
``generation``                    the class Generation, the generations by name, profiles
``changes``                       what each version changed: constants, rules and messages
``messages``                      the record of the messages
``queues``                        the scheduling queues by generation
``v1_37``, ``v1_20``, ...         one generation with its filters and scores, loaded on first use
``steps``                         a generation as what it changed in the one before
``between``                       the versions between them, and how far each is from its neighbours
``feature_gates``                 v1.37's feature gates, and what the modelled ones change
================================  =================================================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kschedlab.generations.generation import (
    COURSE,
    GENERATIONS,
    LATEST,
    Generation,
    Profiles,
    api_of,
    profile_for,
    profiles_of,
)

if TYPE_CHECKING:
    from kschedlab.generations.v1_13 import V1_13
    from kschedlab.generations.v1_16 import V1_16
    from kschedlab.generations.v1_20 import V1_20
    from kschedlab.generations.v1_37 import V1_37

__all__ = [
    "COURSE",
    "GENERATIONS",
    "LATEST",
    "V1_13",
    "V1_16",
    "V1_20",
    "V1_37",
    "Generation",
    "Profiles",
    "api_of",
    "profile_for",
    "profiles_of",
]

_TABLES = {name: name.lower() for name in ("V1_13", "V1_16", "V1_20", "V1_37")}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _TABLES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"{__name__}.{_TABLES[name]}"), name)
        return value
