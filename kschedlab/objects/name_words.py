"""Why a text is not a name or a label, with the remedy; the end of a sentence."""

from __future__ import annotations

from kschedlab.messages import later
from kschedlab.objects.problems import shortened

_WHY = {
    "name": later(
        '"{text}" is not a valid name: use lowercase letters, digits, - and . (at most 253), '
        "starting and ending with a letter or digit"
    ),
    "label": later(
        '"{text}" is not a valid name: use lowercase letters, digits and - (at most 63), '
        "starting and ending with a letter or digit"
    ),
    "key": later(
        '"{text}" is not a valid key: use letters, digits, -, _ and . (at most 63), optionally after a domain/'
    ),
    "value": later(
        '"{text}" is not a valid label value: use letters, digits, -, _ and . (at most 63), '
        "starting and ending with a letter or digit"
    ),
    "attribute": later(
        '"{text}" is not a valid name: use letters, digits and _ (at most 32), not starting with a digit, '
        "optionally after a domain/"
    ),
    "full attribute": later('"{text}" is not a full name: expected domain/name, such as gpu.example.com/model'),
    "driver": later(
        '"{text}" is not a valid name of a driver: use letters, digits, - and . (at most 63), '
        "starting and ending with a letter or digit"
    ),
}


def refusal(what: str, text: str) -> str:
    """The sentence. ``what``: ``name``, ``label`` (a name without dots), ``key``, ``value``, ..."""
    return later(_WHY[what], text=shortened(text))
