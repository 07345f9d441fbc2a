"""What a configuration must know of a plugin before it is made: its parameters, its extension points, its name."""

from __future__ import annotations

import inspect

from kschedlab.messages import say
from kschedlab.plugins.framework import POINTS, Plugin, name_of


def takes_arguments(plugin: object) -> bool:
    """Whether it is a class with parameters, to which a configuration may pass arguments."""
    return isinstance(plugin, type) and bool(inspect.signature(plugin).parameters)


def extension_points(plugin: object) -> frozenset[str]:
    """The extension points of the plugin or class, in the spelling of configurations: ``preFilter``, ``score``."""
    owner = plugin if isinstance(plugin, type) else type(plugin)
    own = {each for each in POINTS if callable(getattr(owner, each, None))}
    own -= {each for each in own if getattr(owner, each) is getattr(Plugin, each)}
    if callable(getattr(owner, "prepare", None)):
        own.add("filter")
    names = {"less": "queueSort"}
    return frozenset(names.get(each, _camel_case(each)) for each in own)


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def name_fault(plugin: object, name: str) -> str:
    """Why a plugin cannot have that name, or ""."""
    if (own := name_of(plugin)) == name:
        return ""
    return say('the plugin that is declared as "{name}" calls itself "{own}": give both one name', name=name, own=own)
