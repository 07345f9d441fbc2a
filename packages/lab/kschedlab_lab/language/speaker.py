"""The language of a kernel: English at first, then what is chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kschedlab.messages import Translation, translate
from kschedlab.objects.problems import InputValueError

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh": "中文"}
"""The languages by their codes in HTML, each with its own name."""
CHINESE = "\u4e00-\u9fff\u3000-\u303f\uff00-\uffef“”"
BETWEEN = re.compile(f"(?<=[{CHINESE}]) (?=[{CHINESE}])")
"""A space between Chinese characters or marks: a field has it beside it, for values in Latin letters."""


class _Chosen:
    """The chosen language. ``words``: translations that the front ends show."""

    code = ENGLISH
    words: Mapping[str, str] = {}


def chosen() -> str:
    """The code of the language in use."""
    return _Chosen.code


def speak(code: str) -> None:
    """Use this language from now on. ValueError for an unknown one."""
    if code not in LANGUAGES:
        raise InputValueError('there is no language "{code}"; there are {languages}', code=code, languages=[*LANGUAGES])
    if code == _Chosen.code:
        return
    if code == ENGLISH:
        translate(Translation())
        _Chosen.words = {}
    else:
        from kschedlab_lab.language.catalogue import front_end_words, read, texts

        catalogue = read(code)
        translate(Translation(texts(catalogue), gap="", polish=lambda text: BETWEEN.sub("", text)))
        _Chosen.words = front_end_words(catalogue)
    _Chosen.code = code


def spoken() -> dict[str, Any]:
    """The language for a front end: its code and, by English text, its words; {} in English."""
    return {} if _Chosen.code == ENGLISH else {"lang": _Chosen.code, "words": dict(_Chosen.words)}
