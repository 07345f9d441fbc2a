"""Another language for a while: what is made inside a ``with`` block is made in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kschedlab_lab.language.speaker import chosen, speak


@contextmanager
def speaking(code: str | None) -> Iterator[str]:
    """Speak this language inside the block and yield its code; None: the present one.

    ValueError for a language that there is not.
    """
    before = chosen()
    speak(before if code is None else code)
    try:
        yield chosen()
    finally:
        speak(before)
