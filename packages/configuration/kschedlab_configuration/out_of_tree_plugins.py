"""Out-of-tree plugins: those that a configuration names but kube-scheduler does not ship.

They are passed by the caller or come from installed packages. The real scheduler is compiled with them (v1.37:
cmd/kube-scheduler/app/server.go, WithPlugin).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from kschedlab.messages import later
from kschedlab.objects.problems import Fault, Path, shortened
from kschedlab.plugins.loading import (
    PluginNotFoundError,
    declared_name,
    extension_points,
    installed_plugin,
    made,
    takes_arguments,
)
from kschedlab_configuration.fields import OldPlugins, Profile
from kschedlab_configuration.plugin_sets import Catalogue


class OutOfTreePlugins:
    """The out-of-tree plugins of the profiles. ``available``: the caller's by name, preferred to installed ones."""

    def __init__(self, available: Mapping[str, object]) -> None:
        self._available = available
        self._plugins: dict[str, object] = {}

    @property
    def names(self) -> frozenset[str]:
        """The names of the plugins that the profiles enable."""
        return frozenset(self._plugins)

    def load(self, profiles: Sequence[Profile], catalogue: Catalogue, faults: list[Fault]) -> None:
        """Load the plugins that these profiles enable and the catalogue lacks. Append a fault for each failure."""
        for i, profile in enumerate(profiles):
            for path, name in _enabled(profile.plugins):
                if name in catalogue.points or name in catalogue.removed or name in self._plugins:
                    continue
                try:
                    plugin = self._available.get(name) or installed_plugin(name)
                except PluginNotFoundError as error:
                    faults.append(Fault(("profiles", i, "plugins", *path), str(error)))
                    continue
                if plugin is not None:
                    self._plugins[name] = plugin

    def added_to(self, catalogue: Catalogue) -> Catalogue:
        """The catalogue with these plugins added."""
        points = {name: extension_points(plugin) for name, plugin in self._plugins.items()}
        weights = {name: weight for name, plugin in self._plugins.items() if (weight := getattr(plugin, "weight", 1))}
        return replace(catalogue, points={**catalogue.points, **points}, weights=weights)

    def enabled(self, profile: Profile, path: Path, faults: list[Fault], warnings: list[Fault]) -> list[object]:
        """The plugins that the profile enables, created with its arguments."""
        names = dict.fromkeys(name for _, name in _enabled(profile.plugins) if name in self._plugins)
        created = (self._create(name, profile, path, faults, warnings) for name in names)
        return [plugin for plugin in created if plugin is not None]

    def _create(
        self, name: str, profile: Profile, path: Path, faults: list[Fault], warnings: list[Fault]
    ) -> object | None:
        plugin, plugin_path, arguments = self._plugins[name], (*path, "plugins"), {}
        for i, config in enumerate(profile.pluginConfig):
            if config.name == name:
                plugin_path = (*path, "pluginConfig", i)
                if not takes_arguments(plugin):
                    warnings.append(
                        Fault(plugin_path, later('"{name}" takes no arguments: they are ignored', name=shortened(name)))
                    )
                elif not isinstance(config.args, dict | None):
                    faults.append(Fault((*plugin_path, "args"), "expected a map of fields"))
                else:
                    args = config.args or {}
                    arguments = {key: args[key] for key in args if key not in ("apiVersion", "kind")}
        try:
            created = made(plugin, arguments, name)
            if error := declared_name(created, name):
                raise PluginNotFoundError(error)
        except PluginNotFoundError as error:
            faults.append(Fault(plugin_path, str(error)))
            return None
        return created


def _enabled(plugins: OldPlugins) -> Iterator[tuple[Path, str]]:
    """(path, name) of every plugin that is enabled at an extension point."""
    for point, plugin_set in msgspec.structs.asdict(plugins).items():
        for index, plugin in enumerate(plugin_set.enabled):
            yield (point, "enabled", index), plugin.name
