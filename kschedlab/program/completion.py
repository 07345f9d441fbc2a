"""``kschedlab completion``: print a shell script that completes commands, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from kschedlab.extras import require
from kschedlab.program.options import Commands

SHELLS = ("bash", "zsh", "fish")
FILES = ("FILE", "WORKLOAD.json")
INSTALL = """\
bash, in ~/.bashrc:      source <(kschedlab completion bash)
zsh, a folder in $fpath:
                         kschedlab completion zsh > ~/.zsh/completions/_kschedlab
fish:                    kschedlab completion fish > ~/.config/fish/completions/kschedlab.fish
"""


def add(commands: Commands) -> None:
    help, layout = "print the script that completes arguments in a shell", argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser("completion", help=help, epilog=INSTALL, formatter_class=layout)
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    require("program", "shtab")
    import shtab

    for action in _actions(options.parser):
        if action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks for it
    print(shtab.complete(options.parser, options.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
