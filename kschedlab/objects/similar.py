"""Names that somebody may have meant."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice

CLOSE = 5000
"""Among how many names a similar one is looked for."""


def similar_first(wanted: str, names: list[str], most: int) -> list[str]:
    """The first of these names, those that are similar to the wanted one before the others."""
    near = [each for each in names if wanted and wanted in each] or get_close_matches(wanted, names[:CLOSE], most)
    return list(islice(dict.fromkeys([*near, *names]), most))
