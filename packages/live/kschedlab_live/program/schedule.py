"""``kschedlab schedule``: the scheduler at work on a real cluster."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from kschedlab.program.options import Commands, UsageError, add_scheduler, chosen_profiles
from kschedlab.text.html import visible

if TYPE_CHECKING:
    from kschedlab_live.schedule.service import Settings

NAME = "kschedlab"


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("schedule", help="schedule pods of a real cluster, beside its own scheduler")
    parser.add_argument(
        "--kubeconfig", metavar="FILE", help="the cluster (default: the pod's service account, or kubectl's own)"
    )
    parser.add_argument("--context", metavar="NAME", help="the context in FILE (default: its current one)")
    parser.add_argument(
        "--scheduler-name",
        metavar="NAME",
        help=f"schedule the pods with this schedulerName (default: {NAME}, or those of the profiles in --config)",
    )
    add_scheduler(parser)
    parser.add_argument(
        "--percentage", type=int, metavar="N", help="percentageOfNodesToScore (default: the scheduler's)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the choice between equal nodes")
    parser.add_argument(
        "--lease",
        metavar="NAMESPACE/NAME",
        help="the Lease that elects the leader (default: kube-system/SCHEDULER)",
    )
    parser.add_argument("--no-lease", action="store_true", help="schedule without leader election: only one may run")
    parser.add_argument("--port", type=int, metavar="N", help="serve /healthz, /livez, /readyz and /metrics there")
    parser.add_argument(
        "--address",
        default="127.0.0.1",
        metavar="IP",
        help="where to serve them (default: 127.0.0.1)",
    )
    parser.add_argument("--verbose", action="store_true", help="show each event: what was scheduled where, what failed")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Schedule until SIGTERM: 0; 1 if the lease is lost."""
    from kschedlab_live.schedule.access import AccessError, reached
    from kschedlab_live.schedule.service import run

    try:
        settings = settings_of(options)
        with reached(options.kubeconfig, options.context) as access:
            return run(access, settings, _say)
    except AccessError as error:
        raise UsageError(str(error)) from None


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings that the options choose. UsageError, ManifestError."""
    from kschedlab_live.schedule.service import Settings

    if options.config is not None and options.scheduler_name is not None:
        raise UsageError("--scheduler-name: the profiles in --config have their own schedulerName")
    lease = _lease(options.lease) if options.lease is not None else None
    profiles = chosen_profiles(options)
    name = options.scheduler_name or NAME
    first = next(iter(profiles)) if isinstance(profiles, dict) else name
    return Settings(
        profiles=profiles,
        name=name,
        percentage=options.percentage,
        seed=options.seed,
        lease=None if options.no_lease else lease or ("", first),
        address=options.address,
        port=options.port,
        verbose=options.verbose,
    )


def _lease(text: str) -> tuple[str, str]:
    namespace, _, name = text.partition("/")
    if not namespace or not name or "/" in name:
        raise UsageError(f"--lease {text}: expected NAMESPACE/NAME")
    return namespace, name


def _say(line: str) -> None:
    """One line with its time, on standard error; what a cluster wrote cannot steer the terminal."""
    print(time.strftime("%H:%M:%S", time.gmtime()), visible(line), file=sys.stderr, flush=True)
