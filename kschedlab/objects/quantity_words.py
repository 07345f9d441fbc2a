"""Why a text is not a quantity, with the remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kschedlab.messages import later, listed, say

_TRAILING_LETTERS = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?)([A-Za-z]+)")


def refusal(why: str, text: str, longest: int, exponent: int, suffixes: Iterable[str]) -> str:
    """The sentence. ``why``: ``too long``, ``no digits``, ``exponent`` (it is too large) or ``unreadable``."""
    if why == "too long":
        message = later('"{text}..." is not a quantity: it has more than {most} characters')
        return say(message, text=text[:20], most=longest)
    if why == "no digits":
        reason = say("it has no digits")
    elif why == "exponent":
        reason = say("its exponent is beyond {most}", most=exponent)
    else:
        reason = _remedy(text, suffixes)
    return say('"{text}" is not a quantity ({why})', text=text, why=reason)


def _remedy(text: str, suffixes: Iterable[str]) -> str:
    """What to write instead."""
    if re.fullmatch(r"[+-]?[0-9]+,[0-9]+[A-Za-z]*", text):
        return say('use a decimal point: "{number}"', number=text.replace(",", "."))
    letters = _TRAILING_LETTERS.fullmatch(text)
    if letters is None:
        return say("expected a number such as 2, 0.5, 500m, 64Mi, 1.5Gi or 1e3")
    number, suffix = letters.groups()
    likely = suffix[0].upper()
    if likely in "KMGTPE" and suffix[1:].lower() in ("", "b", "i", "ib"):
        power = "k" if likely == "K" else likely
        message = later('unknown suffix "{suffix}"; {binary} uses powers of 1024, {decimal} powers of 1000')
        return say(message, suffix=suffix, binary=f"{number}{likely}i", decimal=f"{number}{power}")
    message = later('unknown suffix "{suffix}"; use {suffixes} or an exponent such as e3')
    return say(message, suffix=suffix, suffixes=listed(suffixes))
