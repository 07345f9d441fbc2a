"""Find plugins by reference (``MODULE:NAME``) or by the name under which an installed package declares them.

A package declares its plugins as entry points of the group ``kschedlab.plugins``; in pyproject.toml::

    [project.entry-points."kschedlab.plugins"]
    ColdNode = "my_plugins:ColdNode"

The name on the left is the plugin's name; on the right is the plugin object or its class.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError
from kschedlab.plugins.framework import raised
from kschedlab.plugins.joining import explain_no_plugin, is_plugin

GROUP = "kschedlab.plugins"


class PluginNotFoundError(InputValueError):
    """No such plugin; the message gives the reason and the remedy."""


def load_plugin(reference: str) -> object:
    """The plugin ``MODULE:NAME``, or the installed plugin of that name. PluginNotFoundError if there is none.

    A class is called without arguments.
    """
    module_name, colon, name = reference.partition(":")
    if colon and not (module_name and name) or module_name.endswith(".py"):
        module, name = module_name.removesuffix(".py") or "MODULE", name or "NAME"
        message = later('"{reference}": write {module}:{name}, for {name} in the file {module}.py')
        raise PluginNotFoundError(message, reference=reference, module=module, name=name)
    if not colon:
        if (plugin := installed_plugin(reference)) is None:
            there = listed(sorted(each.name for each in entry_points(group=GROUP))) or say("none")
            message = later(
                'no installed plugin "{reference}"; installed plugins: {there}. For a plugin in a file, name the '
                "file too, without .py: MODULE:{reference}, or {reference}:NAME if that is the file"
            )
            raise PluginNotFoundError(message, reference=reference, there=there)
        return made(plugin, {}, reference)
    module = _imported(module_name, reference)
    if not hasattr(module, name):
        there = listed(sorted(each for each, value in vars(module).items() if is_plugin(value))) or say("none")
        message = later('"{reference}": module {module} has no "{name}"; its plugins are: {there}')
        raise PluginNotFoundError(message, reference=reference, module=module_name, name=name, there=there)
    return made(getattr(module, name), {}, reference)


def installed_plugin(name: str) -> object | None:
    """The object or class that a package declares under that name; None if none does.

    PluginNotFoundError if it cannot be loaded or two packages declare it.
    """
    declared = tuple(entry_points(group=GROUP, name=name))
    if not declared:
        return None
    if len({each.value for each in declared}) > 1:
        message = later('plugin "{name}" is declared twice: {names}')
        raise PluginNotFoundError(message, name=name, names=listed(sorted(each.value for each in declared)))
    try:
        plugin: object = declared[0].load()
    except (Exception, SystemExit) as error:
        message = later('plugin "{name}" ({place}) cannot be loaded: {why}')
        raise PluginNotFoundError(message, name=name, place=declared[0].value, why=raised(error)) from None
    return plugin


def made(plugin: Any, arguments: Mapping[str, Any], reference: str) -> object:
    """The plugin; a class is called with these arguments. PluginNotFoundError if that fails or yields no plugin."""
    if isinstance(plugin, type):
        try:
            inspect.signature(plugin).bind(**arguments)
        except (TypeError, ValueError) as error:  # ValueError: a class of Python's own
            remedy = "" if arguments else say(": give it a default, or name an object in place of the class")
            raise PluginNotFoundError(_about(reference, f"{plugin.__name__}: {error}{remedy}")) from None
        try:
            plugin = plugin(**arguments)
        except Exception as error:
            message = later('"{reference}": {name} cannot be created: {why}')
            raise PluginNotFoundError(message, reference=reference, name=plugin.__name__, why=raised(error)) from None
    if not is_plugin(plugin):
        raise PluginNotFoundError(_about(reference, explain_no_plugin(plugin)))
    return plugin


def _about(reference: str, why: str) -> str:
    return say('"{reference}": {why}', reference=reference, why=why)


def _imported(module: str, reference: str) -> Any:
    try:
        return import_module(module)
    except (Exception, SystemExit) as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and (module == missing or module.startswith(f"{missing}.")):
            message = later(
                '"{reference}": there is no module "{name}": create {name}.py in the current folder, or '
                "install the package"
            )
            raise PluginNotFoundError(message, reference=reference, name=missing) from None
        message = later('"{reference}": module {module} cannot be imported: {why}')
        raise PluginNotFoundError(message, reference=reference, module=module, why=raised(error)) from None
