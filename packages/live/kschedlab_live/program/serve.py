"""``kschedlab serve``: a simulated cluster for kubectl."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_scheduler,
    argument,
    reading,
    say,
)
from kschedlab_simulation.program.simulate import scenario_profiles

if TYPE_CHECKING:
    from kschedlab_live.serve.server import Server

DEFAULT_KUBECONFIG = Path("kschedlab.kubeconfig")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("serve", help="serve a simulated cluster on this machine, for kubectl")
    add_files(parser, "manifests and timelines: files or folders; - is standard input")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random choices (default: the one in FILE, or 0)")
    add_kubeconfig(parser, "write the server's address to FILE, and remove FILE at the end")
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="listen on this port (default: a free one)")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, metavar="N", help="let time pass N times as fast (default: 1)"
    )
    parser.add_argument("--paused", action="store_true", help="start with the clock stopped (see kschedlab clock)")
    parser.add_argument("--no-scheduler", action="store_true", help="leave the scheduling to another program")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def add_kubeconfig(parser: argparse.ArgumentParser, help: str) -> None:
    """Add the option for the kubeconfig."""
    default = DEFAULT_KUBECONFIG
    parser.add_argument("--kubeconfig", type=Path, default=default, metavar="FILE", help=f"{help} (default: {default})")


def _port(text: str) -> int:
    def parse(written: str) -> int:
        if not (written.isascii() and written.isdigit() and len(written) < 6 and int(written) < 65536):
            raise ValueError(f"{written} is not a port: expected a number from 0 (a free port) to 65535")
        return int(written)

    return argument(parse, text)


def _speed(text: str) -> float:
    from kschedlab_live.serve.plane import speed_of

    return argument(speed_of, text)


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from kschedlab_live.serve.kubeconfig import KubeconfigError, check_free
    from kschedlab_live.serve.server import Server, Serving
    from kschedlab_simulation.timeline.scenario import load_scenario

    with reading(options.files):
        scenario = load_scenario(*options.files, strict=options.strict)
    for warning in scenario.report.lines():
        say(warning)
    named = scenario_profiles(options, scenario.options.config, scenario.options.generation)
    profiles = options.generation if named is None else named
    serving = Serving(options.kubeconfig, options.port, options.speed, options.paused, not options.no_scheduler)
    plugins = options.plugins if options.config is None else ()
    try:
        check_free(options.kubeconfig)
        try:
            server = Server(scenario, serving, profiles, options.seed, plugins)
        except (ValueError, TypeError) as error:
            if not plugins:
                raise
            raise UsageError(f"--plugin: {error}") from None
        server.run(_ready)
    except KubeconfigError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"port {options.port}: cannot be used: {error.strerror or error}") from None
    return 0


def _ready(server: Server, port: int) -> None:
    path = shlex.quote(str(server.serving.path))
    print(f"A cluster with the scheduler of {server.generation} answers on 127.0.0.1:{port}.", flush=True)
    print(f"Ask it: export KUBECONFIG={path}; kubectl get nodes. Ctrl-C ends it.", flush=True)
