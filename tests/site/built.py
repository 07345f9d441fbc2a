"""The site that tests look at: the one in the folder KSCHEDLAB_SITE, or else a part of it that is built for them."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tools.site.edition import EDITIONS, page_of

ROOT = Path(__file__).parents[2]
PART = {"en": ("00-contents", "10-devices", "11-experiments"), "zh": ("10-devices",)}
"""By language, the lessons that are built for tests."""


@dataclass(frozen=True)
class Site:
    """A built site. ``is_part``: only some lessons were built, and few of their states."""

    folder: Path
    is_part: bool

    @property
    def pages(self) -> list[Path]:
        return sorted([*self.folder.glob("*.html"), *self.folder.glob("zh/*.html")])

    @property
    def whole(self) -> set[Path]:
        """The pages of the whole site, built or not."""
        return {
            self.folder / edition.place / page_of(path.stem)
            for edition in EDITIONS.values()
            for path in edition.paths()
        }

    def page(self, name: str, language: str = "en") -> Path:
        """The page of a notebook."""
        return self.folder / EDITIONS[language].place / page_of(name)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site in KSCHEDLAB_SITE, or a part of it that all workers of a run share."""
    if (there := os.environ.get("KSCHEDLAB_SITE")) is not None:
        return Site(Path(there).resolve(), False)
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    with FileLock(f"{folder}.lock"):
        if not (folder / "done").exists():
            _build_part(folder)
            (folder / "done").touch()
    return Site(folder, True)


def _build_part(folder: Path) -> None:
    for language, names in PART.items():
        flags = ["--language", language, "--pairs", "14", "--states", "14", "--stories", "2"]
        subprocess.run([sys.executable, "-m", "tools.site.build", str(folder), *names, *flags], check=True, cwd=ROOT)
