"""Other packages extend the program. A package declares its part in its pyproject.toml::

    [project.entry-points."kschedlab.commands"]
    simulate = "my_package.simulate"            # a module with add(commands), for `kschedlab simulate`

    [project.entry-points."kschedlab.program"]
    configuration = "my_package:load"           # reads the file of --config: (source, base, plugins) -> Profiles
    extenders = "my_package:extenders"          # the extenders of a scenario for decide: JSON -> list of Extender
    pod_groups = "my_package.groups"            # group_verdict and group_scheduler, for scenarios with pod groups
    summary = "my_package.summary"              # what explain says of many pending pods: print_summary
    upgrade = "my_package.upgrade:upgrade"      # compare without --pod: (cluster, earlier, later) -> something shown
    simulated = "my_package.simulate"           # state_at: the cluster at the time of --at
    kubectl = "my_package.kubectl"              # add_options and run of `kschedlab why` without a file

Nothing is loaded before it is needed.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from kschedlab.extras import MissingExtraError, only

COMMANDS, PARTS = "kschedlab.commands", "kschedlab.program"
INSTALLED_BY = {
    **dict.fromkeys(("clock", "schedule", "serve"), "live"),
    "experiment": "experiments",
    "plan": "planning",
    "sheet": "lab",
    "simulate": "simulation",
    "why": "why",
}
"""The extra of kschedlab that installs a command."""
PARTS_OF = {
    "configuration": "configuration",
    "extenders": "configuration",
    "kubectl": "live",
    "pod_groups": "groups",
    "simulated": "simulation",
    "summary": "why",
    "upgrade": "why",
}
"""The extra that installs a part of the program."""


def commands() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=COMMANDS), key=lambda entry: entry.name)}


def command(name: str) -> Any:
    """The module of a command. MissingExtraError if no package brings it, or if it cannot be loaded."""
    return _loaded(only(COMMANDS, name), f"kschedlab {name}", INSTALLED_BY.get(name, ""))


def part(name: str, what: str) -> Any:
    """The object that a package declares under this name. ``what``: for the MissingExtraError if no package does."""
    return _loaded(only(PARTS, name), what, PARTS_OF[name])


def has_part(name: str) -> bool:
    return bool(entry_points(group=PARTS, name=name))


def _loaded(entry: EntryPoint | None, what: str, extra: str) -> Any:
    if entry is None:
        raise MissingExtraError(f"{what} needs another package: run pip install 'kschedlab[{extra}]'")
    try:
        return entry.load()
    except Exception as error:
        where = f"{entry.value} of {entry.dist.name}" if entry.dist is not None else entry.value
        raise MissingExtraError(f"{what}: {where} cannot be loaded: {type(error).__name__}: {error}") from error
