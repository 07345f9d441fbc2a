"""How wide text is, estimated for the widest common system font, so that a drawing can leave out what does not fit.

Chinese has no spaces: a line breaks between any two of its characters, but not before a closing mark or after an
opening one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import commonprefix
from unicodedata import east_asian_width

NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[]/ ·-"), frozenset("mwMW@%★✕")
PER_EM = {True: (0.42, 0.72, 1.0), False: (0.38, 0.64, 0.9)}
"""Width of narrow, usual and wide letters in em, for bold and for normal text (DejaVu Sans)."""
SIGNS = {**dict.fromkeys("+=<>≥≤×", 0.84), **dict.fromkeys("¹²³", 0.45)}
"""Width of other letters in em, bold or not."""

CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
"""Characters of Chinese (and its neighbours), with their punctuation; each is one em wide."""
CLOSING, OPENING = "，。、；：！？）」』】》〉%…·—”’", "（「『【《〈“‘"
UNITS = re.compile(rf"[{OPENING}]*(?:[{CJK}]|[^{CJK}{OPENING}\s]+)[{CLOSING}]*| +|[{OPENING}]+")
"""What a line does not divide in a text with Chinese: a character or a word, with the marks that belong to it."""
HAS_CJK = re.compile(f"[{CJK}]")
BETWEEN = re.compile(f"(?<=[{CJK}]) | (?=[{CJK}])")
"""A space beside a Chinese character, such as one that joins two lines."""

BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[-/. ])(?=.)")
"""Where a name can be divided: before a capital, after a hyphen, a slash, a dot or a space."""


def text_width(text: str, size: float = 12, bold: bool = False) -> float:
    """An upper estimate of the text's width in pixels at this font size."""
    narrow, usual, wide = PER_EM[bold]
    return size * sum(
        narrow if c in NARROW else wide if c in WIDE else 1 if ord(c) > 0x2E7F else SIGNS.get(c, usual) for c in text
    )


def text_columns(text: str) -> int:
    """How many columns the text takes in a terminal: a Chinese character takes two."""
    return len(text) + (0 if text.isascii() else sum(east_asian_width(c) in "WF" for c in text))


def units(text: str) -> list[str]:
    """What a line does not divide: words with the space after them, and Chinese characters with their marks."""
    if not HAS_CJK.search(text):
        return [f"{word} " for word in text.split(" ") if word]
    found: list[str] = []
    for unit in UNITS.findall(text):
        if unit.isspace() and found:
            found[-1] += " "
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


def fitting(texts: Sequence[str], width: float, size: float = 12, bold: bool = False) -> str:
    """The first of these texts that fits, or the last one."""
    return next((text for text in texts if text_width(text, size, bold) <= width), texts[-1])


def wrapped(text: str, width: float, lines: int, size: float = 12, bold: bool = False) -> list[str]:
    """The text in at most that many lines; an ellipsis ends what does not fit."""
    found = flowed(text, width, size, bold)
    if len(found) <= lines:
        return found
    rest = BETWEEN.sub("", " ".join(found[lines - 1 :]))
    return [*found[: lines - 1], fitted(rest, width, size, bold)]


def folded(name: str, width: float, size: float = 12, bold: bool = False) -> list[str]:
    """A name in one line or two; an ellipsis ends a line that is too long all the same."""
    if text_width(name, size, bold) <= width:
        return [name]
    places = [match.start() for match in BREAK.finditer(name)]
    fitting = [at for at in places if text_width(name[:at].strip(), size, bold) <= width]
    lines = [name[: fitting[-1]], name[fitting[-1] :]] if fitting else [name]
    return [fitted(line.strip(), width, size, bold) for line in lines]


def flowed(text: str, width: float, size: float = 12, bold: bool = False) -> list[str]:
    """The whole text in as many lines as it takes. A word that is too wide breaks as names do, or else anywhere."""
    lines: list[str] = []
    for unit in units(text):
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
