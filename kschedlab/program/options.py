"""Options that several commands share, and the error for wrong usage."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from kschedlab.generations import GENERATIONS, LATEST, Generation, Profiles
from kschedlab.manifests.loading import Objects, load
from kschedlab.objects.problems import quoted, unknown
from kschedlab.program import hooks
from kschedlab.program.progress import Progress
from kschedlab.text.html import visible

if TYPE_CHECKING:
    from kschedlab.program.terminal.screen import Screen

T = TypeVar("T")
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class UsageError(Exception):
    """The options or files cannot be used; the message says why and what to do."""


def check_not_finished(objects: Objects, key: str) -> None:
    """UsageError if the pod ``namespace/name`` has finished."""
    for pod in objects.pods:
        if pod.key == key and pod.status.phase in ("Succeeded", "Failed"):
            raise UsageError(f"pod {key} has finished ({pod.status.phase}): schedulers ignore finished pods")


def pod_named(text: str, objects: Objects) -> str:
    """The key ``namespace/name`` of the pod NAMESPACE/NAME, pod/NAME or, if it is the only one, NAME; UsageError.

    Of several pods of that name it is the one in the namespace ``default``.
    """
    before, _, name = text.rpartition("/")
    if before not in ("", "pod", "pods", "po"):
        return text
    keys = [pod.key for pod in objects.pods if pod.metadata.name == name]
    if not keys:
        raise UsageError(str(unknown("pod", text, (pod.key for pod in objects.pods))))
    if len(keys) > 1 and f"default/{name}" not in keys:
        raise UsageError(f"{len(keys):,} pods have the name {quoted(name)}: {', '.join(keys[:5])}")
    return keys[0] if len(keys) == 1 else f"default/{name}"


def add_files(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help=help)
    strict = "refuse fields and kinds that Kubernetes does not know, as kubectl does"
    parser.add_argument("--strict", action="store_true", help=strict)


def read(options: argparse.Namespace) -> Objects:
    """The objects in the files; warnings about them go to standard error. ManifestError if anything is wrong."""
    with reading(options.files):
        objects = load(*options.files, strict=options.strict)
    for warning in objects.report.lines():
        say(warning)
    return objects


def add_moment(parser: argparse.ArgumentParser) -> None:
    help = "simulate FILE until this virtual time first, such as 5m, and ask the cluster then"
    parser.add_argument("--at", metavar="DURATION", help=help)


def read_at(options: argparse.Namespace) -> tuple[Objects, Profiles]:
    """The objects in the files, or those of a simulation at the time of ``--at``, and the profiles that decide."""
    if options.at is None:
        profiles = chosen_profiles(options)
        return read(options), profiles
    state: tuple[Objects, Profiles] = hooks.part("simulated", "--at").state_at(options)
    return state


@contextmanager
def reading(files: Sequence[str]) -> Iterator[None]:
    """Show a progress line while large files are read."""
    with Progress(sys.stderr) as progress:
        progress.reading(files)
        yield


def add_scheduler(parser: argparse.ArgumentParser, *, asks_extenders: bool = True) -> None:
    """Add the options that choose the scheduler; :func:`chosen_profiles` reads them.

    ``asks_extenders``: whether the command lets its profiles call extenders, which then needs ``--call-extenders``.
    """
    names = tuple(GENERATIONS)
    help = f"the scheduler's version: {', '.join(names)} (default: {LATEST}, or one that reads --config)"
    parser.add_argument("--generation", type=generation_name, choices=names, metavar="VERSION", help=help)
    help = "the scheduler's configuration: a KubeSchedulerConfiguration (from v1.20 on) or a Policy (v1.13, v1.16)"
    parser.add_argument("--config", metavar="FILE", help=help)
    if asks_extenders:
        help = "call the extenders that --config names: they get the pods and the nodes"
        parser.add_argument("--call-extenders", action="store_true", help=help)
    add_plugins(parser)


def generation_name(text: str) -> str:
    try:
        return Generation.named(text).name
    except KeyError as error:
        raise argparse.ArgumentTypeError(str(error.args[0])) from None


def add_plugins(parser: argparse.ArgumentParser) -> None:
    help = "add your own plugin from a file MODULE.py in the current folder or an installed package; repeatable"
    parser.add_argument(
        "--plugin", dest="plugins", action="append", default=[], type=_plugin, metavar="MODULE:NAME", help=help
    )


def _plugin(text: str) -> object:
    from kschedlab.plugins.loading import load_plugin

    if "" not in sys.path:
        sys.path.insert(0, "")
    return argument(load_plugin, text)


def with_plugins(generation: Generation, options: argparse.Namespace) -> Generation:
    try:
        return generation.plus(*options.plugins) if options.plugins else generation
    except (ValueError, TypeError) as error:
        raise UsageError(f"--plugin: {error}") from None


def chosen_profiles(options: argparse.Namespace) -> Profiles:
    """The profiles that the options choose; warnings about a configuration file go to standard error."""
    base = GENERATIONS[options.generation] if options.generation is not None else None
    if options.config is None:
        return with_plugins(base or GENERATIONS[LATEST], options)
    load_configuration = hooks.part("configuration", "--config")
    source = Path(options.config) if options.config != "-" else "-"
    try:
        profiles: Any = load_configuration(source, base, options.plugins)
    except (ValueError, TypeError) as error:
        raise UsageError(f"--plugin: {error}") from None
    for warning in profiles.warnings:
        say(warning)
    stay_here(profiles, options, "--config")
    return profiles


def stay_here(profiles: Mapping[str, Generation], options: argparse.Namespace, what: str) -> None:
    """UsageError if an extender would send objects to another program without the user's word."""
    if vars(options).get("call_extenders", True):
        return
    addresses = {each.address: None for profile in profiles.values() for each in profile.extenders if each.address}
    if addresses:
        where = ", ".join(map(quoted, addresses))
        would = f"{what}: its extenders would get the pods and the nodes over the network: {where}"
        raise UsageError(f"{would}; add --call-extenders if you trust them")


def add_output(parser: argparse.ArgumentParser, *choices: str) -> None:
    """Add the options for output; the first choice of format is the default. :func:`screen` reads the others."""
    parser.add_argument("--output", choices=choices, default=choices[0], help=f"the format (default: {choices[0]})")
    shape = parser.add_argument_group("text output")
    help = "when to use colours (default: auto, on a terminal and without NO_COLOR)"
    shape.add_argument("--color", choices=("auto", "always", "never"), default="auto", help=help)
    shape.add_argument("--wide", action="store_true", help="use lines as long as needed, and names in full")
    shape.add_argument("--all", action="store_true", help="list every node, pod and candidate, not only the first few")


def screen(options: argparse.Namespace) -> Screen:
    from kschedlab.program.terminal.screen import screen_for

    return screen_for(sys.stdout, options.color, options.wide, options.all)


def print_json(data: object) -> None:
    """Print one line of JSON. Characters that a terminal obeys, hides or cannot show are escaped."""
    text = msgspec.json.encode(data, enc_hook=str).decode()
    if not text.isascii() or not text.isprintable():
        shown = text.encode(sys.stdout.encoding or "utf-8", "replace").decode(sys.stdout.encoding or "utf-8")
        pairs = zip(text, shown, strict=True)
        text = "".join(c if c == there == visible(c) else json.dumps(c)[1:-1] for c, there in pairs)
    print(text)


def print_html(document: str) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    print(document)


def say(message: str) -> None:
    """Print a warning or an error to standard error; on a terminal it wraps at words."""
    lines = [visible(line) for line in message.splitlines()]
    if not sys.stderr.isatty() or find_spec("rich") is None:
        print("\n".join(lines), file=sys.stderr)
        return
    from kschedlab.program.terminal.screen import screen_for, text

    screen_for(sys.stderr).print(*map(text, lines))


def argument(parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
