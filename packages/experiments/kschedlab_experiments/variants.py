"""The schedulers that an experiment compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kschedlab.build import Manifest
from kschedlab.generations import GENERATIONS, LATEST, Generation, Profiles
from kschedlab.messages import later
from kschedlab.objects.problems import InputTypeError, expected
from kschedlab.plugins.framework import name_of
from kschedlab.plugins.loading import load_plugin
from kschedlab_configuration.loading import load_configuration


@dataclass(frozen=True)
class Variant:
    """A scheduler, and the nodes that it has.

    ``generation``: its version, by default v1.37 or the one that reads ``config``. ``config``: a
    KubeSchedulerConfiguration or a Policy, as a path or a text of several lines. ``plugins``: your own, added to all
    profiles: objects, classes, or ``"MODULE:NAME"``; each run gets plugins of its own, made from the class or copied
    from the object. ``weights``: of scores, by name. ``nodes``: manifests of the nodes in place of the arrivals' own.
    Errors are those of :func:`load_configuration` and of ``Generation.plus``, when the variant is made.
    """

    name: str
    generation: str | None = None
    config: str | Path | None = None
    plugins: tuple[object, ...] = ()
    weights: Mapping[str, int] = field(default_factory=dict)
    nodes: tuple[Manifest, ...] | None = None
    warnings: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        put: Any = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731  # the class is frozen
        put("plugins", tuple(self.plugins))
        if self.nodes is not None:
            put("nodes", tuple(self.nodes))
        profiles = self.profiles()
        put("warnings", getattr(profiles, "warnings", ()))
        if self.config is not None and not _is_text(self.config):
            put("config", Path(self.config).read_text(encoding="utf-8") + "\n")  # a worker may not have the file

    def profiles(self) -> Profiles:
        """The generation of each schedulerName, with plugins of their own."""
        plugins = [_made(plugin) for plugin in self.plugins]
        if self.config is None:
            return Generation.named(self.generation or LATEST).plus(*plugins).weighted(**self.weights)
        source = self.config if _is_text(self.config) else Path(self.config)
        profiles = load_configuration(source, self.generation, plugins)
        for name, generation in profiles.items():
            profiles[name] = generation.weighted(**self.weights)
        return profiles

    def fingerprint(self) -> list[Any]:
        """What distinguishes it from other variants, as plain data."""
        plugins = [each if isinstance(each, str) else name_of(each) for each in self.plugins]
        return [self.name, self.generation, self.config, plugins, dict(self.weights), self.nodes]


def variants_of(given: Iterable[object]) -> tuple[Variant, ...]:
    """The variants; the name of a generation or the path of a configuration is one, too. InputTypeError."""
    if isinstance(given, str | Variant):
        given = [given]
    made = tuple(_variant(each) for each in given)
    if not made:
        raise InputTypeError('an experiment needs at least one variant, such as Variant("default")')
    names = [each.name for each in made]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputTypeError('two variants are called "{name}": give each a name of its own', name=twice)
    return made


def _variant(given: object) -> Variant:
    if isinstance(given, Variant):
        return given
    if isinstance(given, str | Path):
        if str(given) in GENERATIONS:
            return Variant(str(given), generation=str(given))
        return Variant(Path(given).stem, config=given)
    raise expected(later("a Variant, a generation's name or a configuration's path"), given)


def _is_text(config: str | Path) -> bool:
    return isinstance(config, str) and ("\n" in config or config.lstrip().startswith("{"))


def _made(plugin: object) -> object:
    if isinstance(plugin, str):
        return load_plugin(plugin)
    return plugin() if isinstance(plugin, type) else plugin
