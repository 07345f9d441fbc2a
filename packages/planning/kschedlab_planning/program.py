"""``kschedlab plan fit``, ``plan add`` and ``plan drain``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from kschedlab.objects.problems import InputError
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_scheduler,
    chosen_profiles,
    print_json,
    reading,
    say,
    screen,
)
from kschedlab.text.html import visible
from kschedlab_simulation.status import ApiError

if TYPE_CHECKING:
    from kschedlab_planning.add import Add
    from kschedlab_planning.drain import Drain
    from kschedlab_planning.fit import Fit

    Plan: TypeAlias = Fit | Add | Drain

FILES = "the cluster: files or folders with manifests, such as a dump; - is standard input"


def add(commands: Commands) -> None:
    parser = commands.add_parser("plan", help="plan capacity: what fits, which nodes to add, which can go")
    plans = parser.add_subparsers(required=True, metavar="PLAN")
    fit = _plan(plans, "fit", "how many more replicas fit, and what stops the next one")
    fit.add_argument("pods", metavar="PODS", help="the pods, Deployments or other workloads to have more of")
    fit.add_argument("--most", type=int, default=10_000, metavar="N", help="stop counting at N (default: 10000)")
    _add_label(fit)
    fit.set_defaults(run=run_fit)
    more = _plan(plans, "add", "the fewest or cheapest nodes with which all pending pods fit")
    more.add_argument(
        "--price", action="append", default=[], metavar="POOL=PRICE", help="the price of a node; one for each pool"
    )
    more.add_argument(
        "--kinds",
        action="append",
        default=[],
        metavar="FILE",
        help="nodes like which there can be new ones; repeatable",
    )
    _add_label(more)
    more.set_defaults(run=run_add)
    drain = _plan(plans, "drain", "which nodes can go, in which order, with every budget kept")
    drain.add_argument(
        "--node", action="append", metavar="NAME", help="only this node may go; repeatable (default: all workers)"
    )
    drain.add_argument("--force", action="store_true", help="lose pods that no controller replaces")
    drain.set_defaults(run=run_drain)


def _plan(plans: Commands, name: str, help: str) -> argparse.ArgumentParser:
    parser = plans.add_parser(name, help=help)
    add_files(parser, FILES)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the simulation that checks the plan")
    parser.add_argument("--no-check", action="store_true", help="do not simulate the plan")
    add_output(parser, "text", "yaml", "commands", "json")
    parser.add_argument(
        "-o", choices=("text", "yaml", "commands", "json"), default=argparse.SUPPRESS, dest="output", help="as --output"
    )
    add_scheduler(parser)
    return parser


def _add_label(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pool-label",
        default="",
        metavar="LABEL",
        help="the label that names pools of nodes (default: the usual ones)",
    )


def run_fit(options: argparse.Namespace) -> int:
    """One plan for each pod or workload in PODS."""
    from kschedlab_planning.fit import plan_fit
    from kschedlab_planning.reading import read_cluster, read_workloads

    profiles = chosen_profiles(options)
    with reading([*options.files, options.pods]):
        cluster, objects = read_cluster(options.files, profiles, say, strict=options.strict)
        wanted = read_workloads([options.pods], objects, profiles, say)
    if not wanted:
        raise UsageError(f"{options.pods}: there is no pod and no workload with a template")
    keywords = {"most": options.most, "label": options.pool_label, "seed": _seed(options), "bounds": objects}
    return _shown([_checked(plan_fit, each, cluster, profiles, **keywords) for each in wanted], options)


def run_add(options: argparse.Namespace) -> int:
    """The plan for the pending pods."""
    from kschedlab_planning.add import plan_add
    from kschedlab_planning.reading import read_cluster, read_nodes

    profiles = chosen_profiles(options)
    prices = dict(map(_price, options.price)) or None
    with reading([*options.files, *options.kinds]):
        cluster, _ = read_cluster(options.files, profiles, say, strict=options.strict)
        kinds = read_nodes(options.kinds, profiles, say)
    keywords = {"prices": prices, "kinds": kinds, "label": options.pool_label, "seed": _seed(options)}
    return _shown([_checked(plan_add, cluster, profiles, **keywords)], options)


def run_drain(options: argparse.Namespace) -> int:
    """The plan for the nodes."""
    from kschedlab_planning.drain import plan_drain
    from kschedlab_planning.reading import read_cluster

    profiles = chosen_profiles(options)
    with reading(options.files):
        cluster, _ = read_cluster(options.files, profiles, say, strict=options.strict)
    keywords = {"nodes": options.node, "force": options.force, "seed": _seed(options)}
    return _shown([_checked(plan_drain, cluster, profiles, **keywords)], options)


def _checked(make: object, *arguments: object, **keywords: object) -> Plan:
    """The plan. UsageError for what the user gave wrong."""
    try:
        plan: Plan = make(*arguments, **keywords)  # type: ignore[operator]  # one of the three
    except (InputError, ApiError) as error:  # the API server would refuse the new pods
        raise UsageError(str(error)) from None
    return plan


def _seed(options: argparse.Namespace) -> int | None:
    seed: int = options.seed
    return None if options.no_check else seed


def _price(text: str) -> tuple[str, str]:
    pool, separator, price = text.rpartition("=")
    if not separator or not pool:
        raise UsageError(f"--price {text}: expected POOL=PRICE, such as small=0.10")
    return pool, price


def _shown(plans: list[Plan], options: argparse.Namespace) -> int:
    """Print the plans: 0, or 1 if a simulation does not confirm one."""
    if options.output == "json":
        for plan in plans:
            print_json(plan.to_dict())
    elif options.output == "yaml":
        _print_yaml(plans)
    elif options.output == "commands":
        for plan in plans:
            print("\n".join([*map(visible, plan.commands()), *_remarks(plan)]))
    else:
        from kschedlab.program.terminal.writer import limits, written

        out = screen(options)
        for number, plan in enumerate(plans):
            out.print(*([""] if number else []), *written(plan.sections(limits(out)), out))
        out.close()
    return int(any(plan.check is not None and not plan.check.holds for plan in plans))


def _print_yaml(plans: list[Plan]) -> None:
    import yaml

    documents = [yaml.safe_dump(each, sort_keys=False) for plan in plans for each in plan.manifests()]
    print("---\n".join(documents).rstrip())
    print("\n".join(line for plan in plans for line in _remarks(plan)))


def _remarks(plan: Plan) -> list[str]:
    """The beginning of each section, as comments."""
    from kschedlab.text.plain import LIMITS
    from kschedlab.text.sections import Names, Table

    lines = []
    for section in plan.sections(LIMITS):
        first = next((each for each in section.parts if not isinstance(each, Table)), "")
        more = ", ".join(first.names) if isinstance(first, Names) else first
        lines.append(visible(f"# {section.title} {more if section.title.endswith(':') else ''}".rstrip()))
    return [line for line in lines if not line.endswith(":")]
