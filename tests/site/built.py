"""The site that tests look at: the one in the folder KSCHEDLAB_SITE, or else a part of it that is built for them."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.site.edition import EDITIONS, page_of

ROOT = Path(__file__).parents[2]
PART = ("00-contents", "10-devices")


@dataclass(frozen=True)
class Site:
    """A built site. ``is_part``: only some lessons were built, and few of their states."""

    folder: Path
    is_part: bool

    @property
    def pages(self) -> list[Path]:
        return sorted(self.folder.glob("*.html"))

    @property
    def names(self) -> set[str]:
        """The pages of the whole site."""
        english = [page_of(path.stem) for path in EDITIONS["en"].paths()]
        return {*english, *(f"zh/{name}" for name in english)}


def build(folder: Path) -> Site:
    """The site in KSCHEDLAB_SITE, or a part of it in this folder."""
    if (there := os.environ.get("KSCHEDLAB_SITE")) is not None:
        return Site(Path(there).resolve(), False)
    command = [sys.executable, "-m", "tools.site.build", str(folder), *PART, "--states", "14", "--stories", "2"]
    subprocess.run(command, check=True, cwd=ROOT)
    return Site(folder, True)
