"""Plugins that a configuration names and that kube-scheduler does not ship: those given, and installed ones.

The real scheduler is built anew with them (v1.37: cmd/kube-scheduler/app/server.go, WithPlugin).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from kschedlab.configuration.fields import OldPlugins, Profile
from kschedlab.configuration.plugin_sets import Catalogue
from kschedlab.objects.problems import Fault, Path, quoted
from kschedlab.plugins.loading import (
    PluginNotFoundError,
    declared_name,
    extension_points,
    installed_plugin,
    made,
    takes_arguments,
)


class OtherPlugins:
    """The other plugins that profiles name. ``given``: by name, those that need not be looked for."""

    def __init__(self, given: Mapping[str, object]) -> None:
        self._given = given
        self._found: dict[str, object] = {}

    @property
    def names(self) -> frozenset[str]:
        """The names of those that were found."""
        return frozenset(self._found)

    def find(self, profiles: Sequence[Profile], catalogue: Catalogue, faults: list[Fault]) -> None:
        """Look for what these profiles enable and the catalogue does not have. What can't be loaded is a fault."""
        for i, profile in enumerate(profiles):
            for path, name in _enabled(profile.plugins):
                if name in catalogue.points or name in catalogue.removed or name in self._found:
                    continue
                try:
                    plugin = self._given.get(name) or installed_plugin(name)
                except PluginNotFoundError as error:
                    faults.append(Fault(("profiles", i, "plugins", *path), str(error)))
                    continue
                if plugin is not None:
                    self._found[name] = plugin

    def listed(self, catalogue: Catalogue) -> Catalogue:
        """The catalogue with them."""
        points = {name: extension_points(plugin) for name, plugin in self._found.items()}
        weights = {name: weight for name, plugin in self._found.items() if (weight := getattr(plugin, "weight", 1))}
        return replace(catalogue, points={**catalogue.points, **points}, weights=weights)

    def enabled(self, profile: Profile, path: Path, faults: list[Fault], notes: list[Fault]) -> list[object]:
        """The profile's own of them, made with its arguments."""
        names = dict.fromkeys(name for _, name in _enabled(profile.plugins) if name in self._found)
        return [made for name in names if (made := self._made(name, profile, path, faults, notes)) is not None]

    def _made(self, name: str, profile: Profile, path: Path, faults: list[Fault], notes: list[Fault]) -> object | None:
        plugin, here, arguments = self._found[name], (*path, "plugins"), {}
        for i, config in enumerate(profile.pluginConfig):
            if config.name == name:
                here = (*path, "pluginConfig", i)
                if not takes_arguments(plugin):
                    notes.append(Fault(here, f"{quoted(name)} takes no arguments: they are ignored"))
                elif not isinstance(config.args, dict | None):
                    faults.append(Fault((*here, "args"), "a map of fields is expected here"))
                else:
                    given = config.args or {}
                    arguments = {key: given[key] for key in given if key not in ("apiVersion", "kind")}
        try:
            found = made(plugin, arguments, name)
            if wrong := declared_name(found, name):
                raise PluginNotFoundError(wrong)
        except PluginNotFoundError as error:
            faults.append(Fault(here, str(error)))
            return None
        return found


def _enabled(plugins: OldPlugins) -> Iterator[tuple[Path, str]]:
    """(the way to it, its name) of every plugin that is enabled somewhere."""
    for point, given in msgspec.structs.asdict(plugins).items():
        for place, plugin in enumerate(given.enabled):
            yield (point, "enabled", place), plugin.name
