"""The front ends as one ES module each: what they share, then their own file. Nothing is bundled or fetched."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def front_end(file: Path) -> str:
    """The module in this file, after the functions of ``dom.js``."""
    return "\n".join(each.read_text(encoding="utf-8") for each in (HERE / "dom.js", file))
