"""Generations of kube-scheduler, from v1.13 to v1.37: each is loaded when it is looked up."""

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

__all__ = ["COURSE", "GENERATIONS", "LATEST", "Generation", "Profiles", "api_of", "profile_for", "profiles_of"]
__all__ += ["V1_13", "V1_16", "V1_20", "V1_37"]

if TYPE_CHECKING:
    V1_13 = V1_16 = V1_20 = V1_37 = GENERATIONS[LATEST]
else:

    def __getattr__(name: str) -> Generation:
        """``V1_37`` is ``GENERATIONS["v1.37"]``."""
        generation = name.lower().replace("_", ".")
        if name not in __all__ or generation not in GENERATIONS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return GENERATIONS[generation]
