"""The real programs of v1.37, built from their Go modules.

They are built once, into a folder of the user's cache, or taken from the folder that KSCHEDLAB_LIVE_BIN names. A first
build takes minutes and 2 GB. Who has neither Go nor the programs skips the tests, but `make live` and `make hybrid`,
which set KSCHEDLAB_REAL, fail.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

VERSION = "v1.37.0"
PROGRAMS = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
}
_LOCAL = re.compile(r"^\s*(k8s\.io/[\w-]+) => \./staging/", re.MULTILINE)
_OPTIONS = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=mod", "GOWORK": "off"}


@cache
def binary(name: str) -> Path:
    """The program, built if need be. Skips the test where that is impossible, or fails if KSCHEDLAB_REAL is set."""
    if given := os.environ.get("KSCHEDLAB_LIVE_BIN"):
        if (path := Path(given) / name).exists():
            return path
        _absent(f"KSCHEDLAB_LIVE_BIN has no {name}")
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kschedlab" / VERSION
    if not (folder / name).exists():
        need_go(f"{name} {VERSION}")
        build(name, folder)
    return folder / name


def need_go(what: str) -> None:
    """Skip the test without Go, or fail if KSCHEDLAB_REAL is set."""
    if shutil.which("go") is None:
        _absent(f"{what} is built from its Go module, and Go is not installed")


def _absent(why: str) -> NoReturn:
    (pytest.fail if os.environ.get("KSCHEDLAB_REAL") else pytest.skip)(why)


def build(name: str, folder: Path) -> None:
    """Build the program into the folder."""
    module = _module(folder / "module")
    stamp = "k8s.io/component-base/version"
    flags = f"-s -w -X {stamp}.gitVersion={VERSION} -X {stamp}.gitMajor=1 -X {stamp}.gitMinor=37"
    print(f"building {name} {VERSION}: this takes minutes", file=sys.stderr, flush=True)
    go(module, "build", "-p", "2", "-ldflags", flags, "-o", str(folder / name), PROGRAMS[name])


def _module(folder: Path) -> Path:
    """A module that needs what k8s.io/kubernetes needs, with the published copies of its staging modules."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "go.mod").exists():
        return folder
    with tempfile.TemporaryDirectory() as empty:
        (Path(empty) / "go.mod").write_text("module empty\n", encoding="utf-8")
        listed = go(Path(empty), "mod", "download", "-json", f"k8s.io/kubernetes@{VERSION}")
    source = Path(re.findall(r'"Dir": "([^"]+)"', listed)[0])
    own = (source / "go.mod").read_text(encoding="utf-8")
    staging = VERSION.replace("v1.", "v0.", 1)
    replaced = sorted({*_LOCAL.findall(own), *re.findall(r"^\s*(k8s\.io/[\w-]+) v0\.0\.0(?=\s)", own, re.MULTILINE)})
    text = own.split("\nreplace ")[0].replace("module k8s.io/kubernetes", "module programs")
    lines = [text, f"require k8s.io/kubernetes {VERSION}", "replace ("]
    lines += [f"\t{each} => {each} {staging}" for each in replaced]
    (folder / "go.mod").write_text("\n".join([*lines, ")", ""]), encoding="utf-8")
    shutil.copy(source / "go.sum", folder / "go.sum")
    (folder / "go.sum").chmod(0o644)
    return folder


def go(folder: Path, *arguments: str) -> str:
    """What the go command prints. RuntimeError if it fails."""
    done = subprocess.run(
        ["go", *arguments], cwd=folder, env=os.environ | _OPTIONS, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"go {' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    for each in sys.argv[1:] or PROGRAMS:
        print(binary(each))
