"""Check that the environment has what the notebooks need."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from kschedlab.messages import later, say


def needs(package: str = "kschedlab", extra: str = "lab") -> list[Requirement]:
    """The requirements of the package and its extra, with the lowest versions."""
    asked = map(Requirement, metadata.requires(package) or ())
    return [each for each in asked if each.marker is None or each.marker.evaluate({"extra": extra})]


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
