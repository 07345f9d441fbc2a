"""Names that are made up.

v1.37: k8s.io/apiserver pkg/storage/names/generate.go, k8s.io/apimachinery pkg/util/rand/rand.go.
"""

from __future__ import annotations

from random import Random

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_LONGEST_BASE = 58


def generated_name(base: str, random: Random) -> str:
    """A name that begins with the base (generateName), which is cut if it is too long."""
    return base[:_LONGEST_BASE] + "".join(random.choices(_LETTERS, k=5))


def safe_encoded(text: str) -> str:
    """The text in letters that spell no bad words (SafeEncodeString)."""
    return "".join(_LETTERS[ord(letter) % len(_LETTERS)] for letter in text)
