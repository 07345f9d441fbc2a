"""Options that several commands share, and the error for values that name nothing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, TypeVar

from kschedlab.generations import GENERATIONS, LATEST, Profiles

T = TypeVar("T")
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class UsageError(Exception):
    """Something that was asked for does not exist; the message names what does."""


def add_files(parser: argparse.ArgumentParser, help: str) -> None:
    """The files to read."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=help)


def add_scheduler(parser: argparse.ArgumentParser) -> None:
    """The options that choose the scheduler; :func:`chosen_profiles` reads them."""
    parser.add_argument("--generation", choices=tuple(GENERATIONS), help=f"default: {LATEST}, or what reads FILE")
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="decide as this KubeSchedulerConfiguration (v1.37, v1.20) or Policy (v1.13, v1.16) says",
    )


def chosen_profiles(options: argparse.Namespace) -> Profiles:
    """The scheduler that the options choose; warnings about a configuration file go to standard error."""
    base = GENERATIONS[options.generation] if options.generation is not None else None
    if options.config is None:
        return base or GENERATIONS[LATEST]
    from kschedlab.configuration import load_configuration

    profiles = load_configuration(Path(options.config) if options.config != "-" else "-", base)
    for warning in profiles.warnings:
        print(warning, file=sys.stderr)
    return profiles


def argument(parse: Callable[[str], T], text: str) -> T:
    """The parsed argument; a ValueError becomes the program's message."""
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
