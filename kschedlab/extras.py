"""What only parts of the package need: libraries, which ``pip install 'kschedlab[EXTRA]'`` installs, and packages."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class MissingExtraError(ImportError):
    """A part of the package needs libraries that are not installed. The message says how to install them."""


def require(extra: str, *libraries: str) -> None:
    """Raise MissingExtraError unless the libraries of this extra are installed."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"{' and '.join(missing)} not found: run pip install 'kschedlab[{extra}]'")


def only(group: str, name: str = "") -> EntryPoint | None:
    """What an installed package declares in this group, under this name; None if none does.

    MissingExtraError if two packages do.
    """
    from importlib.metadata import entry_points  # slow to load, and most decisions need none

    named = entry_points(group=group, name=name) if name else entry_points(group=group)
    declared = {entry.value: entry for entry in named}
    if len(declared) > 1:
        both = " and ".join(sorted(declared))
        raise MissingExtraError(f"two packages declare {name or group}, {both}: uninstall one")
    return next(iter(declared.values()), None)
