"""The program: ``kschedlab explain``, ``compare``, ``decide``, ``bench``, and the commands of other packages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

from kschedlab import __version__
from kschedlab.explanation import NoProfileError
from kschedlab.extras import MissingExtraError, require
from kschedlab.manifests.loading import ManifestError
from kschedlab.objects.problems import UnknownNameError
from kschedlab.program import bench, compare, completion, decide, explain, hooks
from kschedlab.program.options import UsageError, say
from kschedlab.text.html import visible

COMMANDS = {"explain": explain, "compare": compare, "decide": decide, "bench": bench, "completion": completion}
"""The program's own commands."""
INTERRUPTED = 130
"""The conventional exit status after Ctrl-C."""


def main(arguments: Sequence[str] | None = None, program: str = "kschedlab") -> int:
    """Run the program and return its exit status. ``program``: its name in messages.

    0: success; 1: an entry of a simulation's timeline failed; 2: invalid input.
    """
    if sys.stdout is None:  # closed by the shell: >&-
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        given = sys.argv[1:] if arguments is None else arguments
        options = _parser(program, given[0] if given else "").parse_args(given)
        if vars(options).get("output") == "text":
            require("program", "rich")
        status: int = options.run(options)
        sys.stdout.flush()
    except (ManifestError, MissingExtraError, NoProfileError, UnknownNameError, UsageError) as error:
        say(str(error))
        return 2
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        say(f"the output cannot be written: {error.strerror or error}")
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _drop_output() -> None:
    """Drop the buffer, which nobody reads; Python would write it when it ends, and fail."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """The user's input must not steer the terminal."""
        super().error(visible(message))


def _parser(program: str, chosen: str = "") -> argparse.ArgumentParser:
    """The parser; of the commands of other packages, only the chosen one is loaded; all are if it is not among them."""
    parser = _Parser(prog=program, description="Decide exactly as kube-scheduler decides, and say why.")
    parser.add_argument("--version", action="version", version=f"kschedlab {__version__}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS.values():
        command.add(commands)
    others = hooks.commands()
    if chosen in others or chosen in hooks.INSTALLED_BY:
        hooks.command(chosen).add(commands)
    elif chosen not in COMMANDS or chosen == "completion":
        for name in others:
            try:
                hooks.command(name).add(commands)
            except MissingExtraError as error:
                say(str(error))
    return parser
