"""Text with code in it."""

from __future__ import annotations

import re

from kschedlab.text.html import Html, element, join

CODE = re.compile(r"`([^`\s](?:[^`\n]*[^`\s])?)`")


def coded(text: str) -> Html:
    """The text, with each part between backquotes as code."""
    parts = CODE.split(text)
    return join(element("code", part) if place % 2 else part for place, part in enumerate(parts))
