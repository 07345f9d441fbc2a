"""The names and labels that the API accepts.

v1.37: k8s.io/apimachinery pkg/api/validate/content and pkg/util/validation/validation.go. Each function returns
the fault as the end of a sentence, or None. Results are cached: the same few texts come up thousands of times.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kschedlab.messages import later
from kschedlab.objects.problems import shortened

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_QUALIFIED = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_NOT_A_NAME = later(
    '"{text}" is not a valid name: use lowercase letters, digits, - and . (at most 253), '
    "starting and ending with a letter or digit"
)
_NOT_A_LABEL = later(
    '"{text}" is not a valid name: use lowercase letters, digits and - (at most 63), '
    "starting and ending with a letter or digit"
)
_NOT_A_KEY = later(
    '"{text}" is not a valid key: use letters, digits, -, _ and . (at most 63), optionally after a domain/'
)
_NOT_A_VALUE = later(
    '"{text}" is not a valid label value: use letters, digits, -, _ and . (at most 63), '
    "starting and ending with a letter or digit"
)


@lru_cache(65536)
def name_fault(name: str) -> str | None:
    """What is wrong with an object's name (lowercase letters, digits, ``-`` and ``.``)."""
    if len(name) <= 253 and _DNS_NAME.fullmatch(name):
        return None
    return later(_NOT_A_NAME, text=shortened(name))


@lru_cache(4096)
def dns_label_fault(name: str) -> str | None:
    """What is wrong with the name of a namespace or container (lowercase letters, digits and ``-``)."""
    if len(name) <= 63 and _DNS_LABEL.fullmatch(name):
        return None
    return later(_NOT_A_LABEL, text=shortened(name))


@lru_cache(65536)
def label_key_fault(key: str) -> str | None:
    """What is wrong with a label's key, which may have a domain as prefix."""
    prefix, slash, name = key.rpartition("/")
    if len(name) <= 63 and _QUALIFIED.fullmatch(name) and (not slash or name_fault(prefix) is None):
        return None
    return later(_NOT_A_KEY, text=shortened(key))


@lru_cache(65536)
def label_value_fault(value: str) -> str | None:
    if not value or (len(value) <= 63 and _QUALIFIED.fullmatch(value)):
        return None
    return later(_NOT_A_VALUE, text=shortened(value))
