"""Generated names.

v1.37: k8s.io/apiserver pkg/storage/names/generate.go, k8s.io/apimachinery pkg/util/rand/rand.go.
"""

from __future__ import annotations

from random import Random

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_LONGEST_BASE = 58


def generated_name(base: str, random: Random) -> str:
    """The base (generateName), truncated if too long, with a random suffix."""
    return base[:_LONGEST_BASE] + "".join(random.choices(_LETTERS, k=5))


def safe_encoded(text: str) -> str:
    """The text in an alphabet that spells no bad words (SafeEncodeString)."""
    return "".join(_LETTERS[ord(letter) % len(_LETTERS)] for letter in text)
