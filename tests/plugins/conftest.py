"""The package ``hot_racks``, installed in a folder of its own."""

import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "hot_racks"


@pytest.fixture
def hot_racks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the package as ``pip install --target`` would: its module, and what its pyproject.toml declares."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    shutil.copy(SOURCE / "hot_racks.py", tmp_path)
    info = tmp_path / "hot_racks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    declared = project["entry-points"]["kschedlab.plugins"]
    lines = "\n".join(f"{name} = {value}" for name, value in declared.items())
    (info / "entry_points.txt").write_text(f"[kschedlab.plugins]\n{lines}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("hot_racks", None)
