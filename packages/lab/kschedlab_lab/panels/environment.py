"""Check that the environment has what the notebooks need."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from kschedlab.messages import later, say

OURS = ("kschedlab", "kube-cel")


def needs(package: str = "kschedlab-lab") -> list[Requirement]:
    """What the package and ours below it require of others, with the lowest versions."""
    needed: dict[str, Requirement] = {}
    for each in map(Requirement, metadata.requires(package) or ()):
        if each.marker is not None and not each.marker.evaluate({"extra": "program"}):
            continue
        needed |= {below.name: below for below in needs(each.name)} if each.name.startswith(OURS) else {each.name: each}
    return [needed[name] for name in sorted(needed, key=str.lower)]


def problem(requirement: Requirement) -> str:
    """The problem with an installed package, or ""."""
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return say("not installed")
    return "" if version in requirement.specifier else say("is {version}, too old", version=version)


def check() -> str:
    """A line for each requirement of the notebooks: ``ok``, or the problem and its remedy."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    version, wanted = platform.python_version(), metadata.metadata("kschedlab")["Requires-Python"]
    if version in SpecifierSet(wanted):
        yield f"ok   python{wanted}"
    else:
        message = later("python{wanted} is needed, this is {version}: make PYTHON=/path/to/python lab")
        yield say(message, wanted=wanted, version=version)
    for each in needs():
        name = f"{each.name}{each.specifier}"
        found = problem(each)
        message = later("{name} {problem}: run `make lab`, or pip install '{name}'")
        yield say(message, name=name, problem=found) if found else f"ok   {name}"
