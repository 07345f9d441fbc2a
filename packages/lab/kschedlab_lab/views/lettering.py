"""How wide text is, estimated for the widest common system font, so that a drawing can leave out what does not fit.

Chinese has no spaces: a line breaks between its words (:mod:`kschedlab_lab.language.chinese`), and lines are about as
long as each other, so that none has a single character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from os.path import commonprefix

from kschedlab_lab.language.chinese import CJK, ENDING, characters, words

NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[]/ ·-"), frozenset("mwMW@%★✕")
PER_EM = {True: (0.42, 0.72, 1.0), False: (0.38, 0.64, 0.9)}
"""Width of narrow, usual and wide letters in em, for bold and for normal text (DejaVu Sans)."""
SIGNS = {**dict.fromkeys("+=<>≥≤×", 0.84), **dict.fromkeys("¹²³", 0.45)}
"""Width of other letters in em, bold or not."""

HAS_CJK = re.compile(f"[{CJK}]")
FULL = "\u3000-\u303f\uff00-\uffef"
BETWEEN = re.compile(f"(?<=[{CJK}]) (?=[{CJK}])|(?<=[{FULL}]) | (?=[{FULL}])")
"""A space that joins two lines, but none in a Chinese text: between its characters, or beside its marks."""

STEP = 3
"""How exactly Chinese lines are made equally long, in pixels."""
BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[-/. =])(?=.)")
"""Where a name can be divided: before a capital, after a hyphen, a slash, a dot, a space or an equals sign."""


def short(plugin: str) -> str:
    """The plugin's name as pictures show it."""
    return plugin.removeprefix("NodeResources")


def with_minus(number: str) -> str:
    """The number with a true minus sign, which is as wide as a plus."""
    return number.replace("-", "−")


def text_width(text: str, size: float = 12, bold: bool = False) -> float:
    """An upper estimate of the text's width in pixels at this font size."""
    narrow, usual, wide = PER_EM[bold]
    return size * sum(
        narrow if c in NARROW else wide if c in WIDE else 1 if ord(c) > 0x2E7F else SIGNS.get(c, usual) for c in text
    )


def units(text: str, divided: bool = False) -> list[str]:
    """What a line does not divide: words with the space after them and the marks that belong to them.

    ``divided``: Chinese characters in place of words.
    """
    if not HAS_CJK.search(text):
        return [f"{word} " for word in text.split(" ") if word]
    found: list[str] = []
    for unit in (characters() if divided else words()).findall(text):
        if found and not unit.strip(ENDING):
            found[-1] += unit
        elif unit.strip():
            found.append(unit)
    return found


def fitted(text: str, width: float, size: float = 12, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits with an ellipsis."""
    if text_width(text, size, bold) <= width:
        return text
    while text and text_width(f"{text}…", size, bold) > width:
        text = text[:-1]
    return f"{text}…" if text else ""


def both_ends(text: str, width: float) -> str:
    """The bold text, or as much of its beginning and of its end as fits around an ellipsis, divided as names are."""
    parts = BREAK.split(text)
    shorter = (
        f"{''.join(parts[: kept - kept // 2]).rstrip()}…{''.join(parts[-(kept // 2) :])}"
        for kept in range(len(parts) - 1, 1, -1)
    )
    return fitted(fitting([text, *shorter], width, bold=True), width, bold=True)


def told_apart(name: str, width: float, size: float) -> str:
    """The bold name if it fits, else its last part, which tells node-a from node-b."""
    first, _, last = name.rpartition("-")
    return fitted(fitting((name, f"…{last}" if first else name), width, size, bold=True), width, size, bold=True)


def fitting(texts: Sequence[str], width: float, size: float = 12, bold: bool = False) -> str:
    """The first of these texts that fits, or the last one."""
    return next((text for text in texts if text_width(text, size, bold) <= width), texts[-1])


def wrapped(text: str, width: float, lines: int, size: float = 12, bold: bool = False) -> list[str]:
    """The text in at most that many lines; an ellipsis ends what does not fit."""
    found = flowed(text, width, size, bold, most=lines)
    if len(found) <= lines:
        return found
    rest = BETWEEN.sub("", " ".join(found[lines - 1 :]))
    return [*found[: lines - 1], fitted(rest, width, size, bold)]


def name_lines(name: str, width: float, bold: bool = False) -> list[str]:
    """A name in one line or two; a blank one in one."""
    return wrapped(name, width, 2, bold=bold) or [""]


def flowed(text: str, width: float, size: float = 12, bold: bool = False, most: int | None = None) -> list[str]:
    """The whole text in as many lines as it takes. A word that is too wide breaks as names do, or else anywhere.

    Chinese lines are about equally long. ``most``: words are divided if the text fits into so many lines only then.
    """
    return (
        [*_flowed(text, width, size, bold, most)] if HAS_CJK.search(text) else _filled(units(text), width, size, bold)
    )


@lru_cache(maxsize=4096)
def _flowed(text: str, width: float, size: float, bold: bool, most: int | None) -> tuple[str, ...]:
    """The lines of a text with Chinese: as narrow as they can be without becoming more."""
    parts = units(text)
    lines = _filled(parts, width, size, bold)
    if most is not None and len(lines) > most:
        finer = units(text, divided=True)
        if len(fewer := _filled(finer, width, size, bold)) <= most:
            parts, lines = finer, fewer
    least = max((text_width(part.rstrip(), size, bold) for part in parts), default=0)
    while least < width - STEP:
        middle = (least + width) / 2
        narrower = _filled(parts, middle, size, bold)
        if len(narrower) > len(lines):
            least = middle
        else:
            width, lines = middle, narrower
    return tuple(lines)


def _filled(parts: Sequence[str], width: float, size: float, bold: bool) -> list[str]:
    """Lines with as many of these parts as fit."""
    lines: list[str] = []
    for unit in parts:
        word = unit.rstrip()
        if lines and text_width(lines[-1] + word, size, bold) <= width:
            lines[-1] += unit
            continue
        pieces = [""]
        for part in BREAK.split(word) if text_width(word, size, bold) > width else [word]:
            for letters in [part] if text_width(part, size, bold) <= width else list(part):
                if pieces[-1] and text_width(pieces[-1] + letters, size, bold) > width:
                    pieces.append("")
                pieces[-1] += letters
        pieces[-1] += unit[len(word) :]
        lines += pieces
    return [line.rstrip() for line in lines]


def after_hyphen(names: Sequence[str]) -> list[str]:
    """The names without the words that all of them begin with: "01" of gpu-01 beside gpu-02."""
    first = commonprefix(names).rfind("-") + 1 if len(names) > 1 else 0
    return [name[first:] for name in names]
