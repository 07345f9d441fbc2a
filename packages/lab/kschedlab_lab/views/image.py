"""A drawing as an image: an SVG made as small as it can be, in the address of an ``<img>``."""

from __future__ import annotations

import re
from collections import Counter

from kschedlab.text.html import Html, element, markup
from kschedlab_lab.views.style import in_light

MARKS = re.compile(r' (?:data-[a-z]+|aria-label|role|pointer-events|class)="[^"]*"')
"""Marks for the front end; a quotation mark in a value or in text is always escaped."""
ZERO = re.compile(r"(?<=\d)\.0(?=[ ,)LCMZ\"-])(?=[^<]*>)")
"""A decimal without a value, in an attribute."""
EMPTY = re.compile(r"<(path|rect|circle|line|use)([^<>]*)></\1>")
INVISIBLE = re.compile(r'<rect[^<>]* fill="transparent"[^<>]*/>')
"""A surface that only enlarges a handle."""
LOOK = re.compile(r'(?: (?:fill|stroke|opacity|font|text)[a-z-]*="[\w#.,% ()-]*")+')
"""Attributes that style an element; a style sheet names them alike."""
SIZE = re.compile(r"(font-size:[\d.]+)(?![\w.])")
"""A size as an attribute has it: a style sheet ignores it without a unit."""
TAG = re.compile(r"<[^<>]*>")
LEAF = re.compile(r"<(?:path|rect|circle|line)[^<>]*/>|<text[^<>]*>[^<>]*</text>")
"""An element without elements in it."""
PILL = re.compile(r'<rect[^<>]* class="ks-pill"[^<>]*></rect>(?:<path[^<>]*></path>){2}')
"""The ground and the carets of a number that can be changed: not in an image."""
GRIP = re.compile(r'<g[^<>]* class="ks-hold"[^<>]*>(?:(?!</?g[ >]).)*</g>')
"""What one pulls: not in an image either."""
STILL = re.compile(r' transform="translate\(0,0\)"')
SIMPLE = re.compile(r"<g>((?:(?!</?g[ >]).)*)</g>")
"""A group that says nothing."""
IN_URL = str.maketrans({"%": "%25", "#": "%23", "<": "%3C", ">": "%3E", "&": "%26", '"': "'"})
"""How a drawing is written into an address: shorter than base64. Quotation marks in its text are always escaped."""


def image(svg: Html, alt: str, style: str = "max-width:min(100%,56em)") -> Html:
    """The drawing as an ``<img>``, which survives where inline SVG is removed (untrusted notebooks).

    What only a front end reads is left out: nothing in an image can be clicked.
    """
    plain = STILL.sub("", GRIP.sub("", PILL.sub("", in_light(str(svg)))))
    short = EMPTY.sub(r"<\1\2/>", MARKS.sub("", plain)).replace('="currentColor"', '="#14181F"')
    short = SIMPLE.sub(r"\1", short)
    small = _once(_by_class(ZERO.sub("", INVISIBLE.sub("", short))))
    rest = element("img", alt=alt, style=style)
    return markup(f'<img src="data:image/svg+xml,{small.translate(IN_URL)}"{str(rest).removeprefix("<img")}')


def _once(svg: str) -> str:
    """The same drawing; what it repeats stands in it once, and is used."""
    times = Counter(each[0] for each in LEAF.finditer(svg))
    repeated = [each for each, n in times.most_common() if (n - 1) * (len(each) - 18) > 40]
    names = {each: f"b{number}" for number, each in enumerate(repeated)}
    stock = "".join(re.sub(r"^<\w+", rf'\g<0> id="{name}"', each) for each, name in names.items())
    drawn = LEAF.sub(lambda each: f'<use href="#{names[each[0]]}"/>' if each[0] in names else each[0], svg)
    return re.sub(r"^<svg[^<>]*>", lambda head: f"{head[0]}<defs>{stock}</defs>", drawn) if stock else svg


def _by_class(svg: str) -> str:
    """The same drawing, with the looks that it repeats in a style sheet."""
    looks = [look for look, times in Counter(LOOK.findall(svg)).most_common() if times > 2 and len(look) > 12]
    if not looks:
        return svg
    names = {look: f"a{number}" for number, look in enumerate(looks)}
    rules = [(name, look[1:-1].replace('="', ":").replace('" ', ";")) for look, name in names.items()]
    sheet = SIZE.sub(r"\1px", "".join(f".{name}{{{rule}}}" for name, rule in rules))
    head, start, rest = svg.partition(">")

    def named(tag: re.Match[str]) -> str:
        """The tag with a class for its first look: a second class would be an error."""
        return LOOK.sub(lambda look: f' class="{names[look[0]]}"' if look[0] in names else look[0], tag[0], count=1)

    return f"{head}{start}<style>{sheet}</style>{TAG.sub(named, rest)}"
