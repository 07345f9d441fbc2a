"""``kschedlab why``: why a pod is pending, or where it is, in a file or, with kschedlab_live, in kubectl's cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kschedlab.objects.problems import UnknownNameError
from kschedlab.program import hooks
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_moment,
    add_output,
    add_scheduler,
    pod_named,
    print_json,
    read_at,
    say,
    screen,
)

if TYPE_CHECKING:
    from kschedlab.objects.model import Pod
    from kschedlab.text.sections import Section
    from kschedlab_why.answer import Setting

PODS = ("pod", "pods", "po")
OTHER_KINDS = frozenset(
    ("cronjob", "daemonset", "deploy", "deployment", "ds", "job", "node", "replicaset", "rs", "statefulset", "sts")
)
FILES = (".yaml", ".yml", ".json", ".gz")
NO_SUCH = 1
FILE_IS = "ends in .yaml, .yml, .json, .gz or / (a folder), begins with / or ., or is - for standard input"
STATUSES = f"""\
exit status:
  0  answered, whatever the answer is
  1  there is no such pod or node
  2  wrong usage, or files or a configuration that cannot be used
  3  kubectl could not read the cluster
130  interrupted

A FILE {FILE_IS}.
Without FILE, it reads kubectl's cluster, writes nothing, and nothing leaves this machine; docs/live.md says
which rights it needs.
"""


def add(commands: Commands) -> None:
    """Add the command; what asks kubectl's cluster adds its options, if its package is installed."""
    parser = commands.add_parser(
        "why",
        help="why a pod is pending, or where it is, in a file or in kubectl's cluster",
        usage="%(prog)s [FILE ...] [POD | --pending | --watch] [options]",
        description="Why is this pod pending, or where it is, and what would change that? Without FILE, it asks "
        "kubectl's cluster, and decides as the nearest known kube-scheduler to the server's version.",
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="FILE ... POD",
        help="manifests, and the pod: NAME, pod/NAME or NAMESPACE/NAME (default: all pending pods, or the only one)",
    )
    parser.add_argument("--node", metavar="NODE", default="", help="why not there, beside the node that it gets?")
    parser.add_argument("--pending", action="store_true", help="all pending pods, grouped by cause")
    parser.add_argument(
        "--add-node",
        action="append",
        default=[],
        type=_like,
        metavar="like=NODE",
        help="what if there were one more node like this? repeatable",
    )
    parser.add_argument("--namespace", "-n", metavar="NAMESPACE", help="where the pod is (--pending: only there)")
    parser.add_argument("--strict", action="store_true", help="of FILE: refuse fields and kinds unknown to Kubernetes")
    add_moment(parser)
    add_output(parser, "text", "json")
    parser.add_argument("-o", choices=("text", "json"), default=argparse.SUPPRESS, dest="output", help="as --output")
    add_scheduler(parser, asks_extenders=False)
    if hooks.has_part("kubectl"):
        hooks.part("kubectl", "").add_options(parser)
    parser.set_defaults(run=run)


def _like(text: str) -> str:
    word, equals, node = text.partition("=")
    if word != "like" or not equals or not node:
        raise argparse.ArgumentTypeError(f'"{text}": expected like=NODE, the name of a node')
    return node


def run(options: argparse.Namespace) -> int:
    """Answer the question that the options ask."""
    options.files, options.pod = targets(options.targets, options.pending)
    if options.pending and options.pod is not None:
        raise UsageError(f'name a pod, or ask for --pending or --watch; "{options.pod}" is a pod: a FILE {FILE_IS}')
    if not options.files:
        if options.at is not None:
            raise UsageError("--at: name the file to simulate")
        status: int = hooks.part("kubectl", "kschedlab why without a file").run(options)
        return status
    if vars(options).get("watch"):
        raise UsageError("--watch follows kubectl's cluster: leave out the file")
    try:
        return _of_files(options)
    except UnknownNameError as error:
        say(str(error))
        return NO_SUCH


def targets(given: Sequence[str], pending: bool) -> tuple[list[str], str | None]:
    """The files, and the pod or None. Of several, the last one alone may be a pod; none is one with ``pending``."""
    if not given:
        return [], None
    *files, last = given
    if _is_file(last) or (pending and files):
        return [*files, last], None
    return files, last


def _is_file(text: str) -> bool:
    return text == "-" or text.endswith((*FILES, "/")) or text[:1] in ("/", ".")


def _of_files(options: argparse.Namespace) -> int:
    from kschedlab_why.answer import Setting, pending_pods

    setting = Setting.of(*read_at(options))
    pod = None
    if options.pod is not None:
        namespace, name = named(options)
        objects = setting.reading.objects
        if namespace is None and any(pod.metadata.name == name for pod in objects.pods):
            namespace = pod_named(name, objects).partition("/")[0]
        if (pod := setting.pod(f"{namespace or 'default'}/{name}")) is None:
            return no_pod(setting, namespace or "", name)
    elif not options.pending and len(waiting := pending_pods(setting, options.namespace or "")) == 1:
        (pod,) = waiting
    if pod is None and options.node:
        raise UsageError("--node: name the pod that does not go there")
    at = setting.reading.moment
    return answered(setting, pod, options, at) if pod is not None else grouped(setting, options, at)


# -- printing answers, for files and live clusters


def named(options: argparse.Namespace) -> tuple[str | None, str]:
    """The pod's namespace, None if none is given, and its name. UsageError if another kind is named."""
    before, slash, name = options.pod.rpartition("/")
    if not name or "/" in before:
        raise UsageError(f'"{options.pod}" is not a pod: expected NAME, pod/NAME or NAMESPACE/NAME')
    if not OTHER_KINDS.isdisjoint((before, before.partition(".")[0].removesuffix("s"))):
        raise UsageError(f'"{options.pod}" is not a pod: name one of its pods, or ask for --pending')
    if slash and before not in PODS:
        if options.namespace is not None and options.namespace != before:
            raise UsageError(f'"{options.pod}" names the namespace {before}, and --namespace {options.namespace}')
        return before, name
    return options.namespace, name


def answered(setting: Setting, pod: Pod, options: argparse.Namespace, at: int) -> int:
    """Print the answer about one pod. ``at``: the time now. UnknownNameError for an unknown node."""
    from kschedlab_why.answer import answer, enlarged
    from kschedlab_why.text import answer_sections

    larger = None
    if options.add_node and setting.cluster is not None:
        larger, setting.added = enlarged(setting.cluster, options.add_node)
    result = answer(setting, pod, options.node, larger)
    if options.output == "json":
        print_json(result.to_dict())
    else:
        _print(answer_sections(result, at, options.all), options, setting)
    return 0


def grouped(setting: Setting, options: argparse.Namespace, at: int) -> int:
    """Print all pending pods by cause. ``at``: the time now. UnknownNameError for an unknown node."""
    from kschedlab_why.pending import pending_data, pending_sections, sorted_out

    groups = sorted_out(setting, options.namespace or "", options.add_node)
    if options.output == "json":
        print_json(pending_data(groups))
    else:
        _print(pending_sections(groups, at, options.all), options, setting)
    return 0


def no_pod(setting: Setting, namespace: str, name: str) -> int:
    """Say that there is no such pod, and what is like it."""
    from kschedlab_why.reading import similar

    say(f"there is no pod {namespace}/{name}" if namespace else f"there is no pod {name}")
    if setting.cluster is not None and name in setting.cluster.index:
        say(f"{name} is a node: name a pod, and ask --node {name}")
    if near := similar(name, setting.reading.objects.pods):
        say(f"similar: {', '.join(near)}")
    for gap in setting.reading.gaps:
        if gap.what == "pods":
            say(f"pods of all namespaces cannot be read: {gap.why}")
    return NO_SUCH


def _print(sections: Iterable[Section], options: argparse.Namespace, setting: Setting) -> None:
    """Write the sections to standard output."""
    from kschedlab.program.terminal.writer import written

    out = screen(options)
    out.print(*written(sections, out, setting.cluster.names if setting.cluster is not None else ()))
    out.close()
