"""Builds the widgets' front ends: esbuild makes one module of each script and all that it imports.

A notebook and a page from a file can load no second script. pip runs this wherever it installs the package, also
editable; ``make .venv/installed`` runs it again once a script has changed.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import platform
import ssl
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path
from typing import Any

import certifi
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "kschedlab_lab"
BUNDLES = PACKAGE / "bundles"
WIDGETS = ("stage/stage.js", "stage/files.js", "stage/terminal.js", "exercises/card.js", "exercises/desk.js")

VERSION = "0.28.2"
PROGRAM = HERE / "build" / f"esbuild-{VERSION}"
PACKAGES = "https://registry.npmjs.org/@esbuild"
MACHINES = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}
SUMS = {
    "linux-x64": "4xTZr1FUmSoQW4XIWmit3tzQrUTZM+N3P0XV8xROKYF50XfI7xeO90+1bZvNwxIufQ9hDQVRJH5YhgPVF8A/HQ==",
    "linux-arm64": "pW4AC0P3it8c7do9MVM4p51FzHzdM/TZrerurgRcHJ2WTa1VQ1CIq18xncfpBJw4ojkiZZrKW2yIBWBP92j6Ug==",
    "darwin-x64": "uq6suIWYP37qzGddBKPw5QEQPi6HiLGsO7UmkpfyaYNQ3D+rN6w6WfwH+nuqcGXWvawGwxOEroO4YGnFh95azw==",
    "darwin-arm64": "n4KqkOQrraxHJcgjM1RvwbigfQKIKJVpM7xp+KsxiyUSrRdIXnt73VhrPAx0fV44hgfmIVKjxMN9J1t5jySVkw==",
    "win32-x64": "5ebpxr3nWMzrL/rnUI755Jkuee0bHL/Gq0WTF9lvcpv73wAp5eu8MfBUgWK9bhWvZjj7yX8etf/8tI8Ney695g==",
}
"""SHA-512 of the packages with esbuild's program, as npm states them."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Hatchling looks for this name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        BUNDLES.mkdir(exist_ok=True)
        for widget in WIDGETS:
            entry = PACKAGE / widget
            (BUNDLES / entry.name).write_text(bundle(entry), encoding="utf-8")
        build_data["artifacts"].append("kschedlab_lab/bundles/*.js")


def bundle(entry: Path, *options: str) -> str:
    """The script with all that it imports, as one module unless ``options`` of esbuild ask for something else.

    RuntimeError with esbuild's words if it can't: a file that is missing, a name that nothing exports.
    """
    command = [
        str(esbuild()),
        str(entry),
        "--bundle",
        "--format=esm",
        "--charset=utf8",
        "--log-level=warning",
        *options,
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd=HERE)
    if done.returncode or done.stderr:
        raise RuntimeError(f"{entry.name}: {done.stderr}")
    return done.stdout


def esbuild() -> Path:
    """The program: ``$ESBUILD``, or the one that is fetched the first time. RuntimeError if it can't be."""
    if own := os.environ.get("ESBUILD"):
        return Path(own)
    if not PROGRAM.exists():
        system = f"{sys.platform}-{MACHINES.get(platform.machine(), platform.machine())}"
        if system not in SUMS:
            raise RuntimeError(f"no esbuild is known for {system}: set ESBUILD to the program")
        _fetch(system)
    return PROGRAM


def _fetch(system: str) -> None:
    url = f"{PACKAGES}/{system}/-/{system}-{VERSION}.tgz"
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(certifi.where())  # Python's installer for macOS brings no certificates
    try:
        with urllib.request.urlopen(url, timeout=120, context=trusted) as answer:
            package = answer.read()
    except OSError as error:
        raise RuntimeError(
            f"esbuild can't be fetched from {url}: {error}. Set ESBUILD to a program that is there"
        ) from None
    if base64.b64encode(hashlib.sha512(package).digest()).decode() != SUMS[system]:
        raise RuntimeError(f"{url} is not what it was: its SHA-512 differs")
    with tarfile.open(fileobj=io.BytesIO(package)) as files:
        program = files.extractfile("package/esbuild.exe" if sys.platform == "win32" else "package/bin/esbuild")
        assert program is not None
        PROGRAM.parent.mkdir(exist_ok=True)
        new = PROGRAM.with_name(f"{PROGRAM.name}.{os.getpid()}")
        new.write_bytes(program.read())
    new.chmod(0o755)
    os.replace(new, PROGRAM)
