"""Many pending pods on a terminal: those that fail alike together, and how many got a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from rich.console import RenderableType

from kschedlab.decision import Decision
from kschedlab.explanation import Explanation
from kschedlab.program.terminal.screen import Screen, ShortNames, text
from kschedlab.program.terminal.writer import LISTED, limits, written
from kschedlab.text.words import count, request_text

PLACED, PREEMPTING, PENDING = "placed", "preempting", "left pending"


def print_all(explanations: Iterable[Explanation], out: Screen) -> None:
    """Print each decision as soon as it is made, then how many pods found a node.

    Consecutive pods that fail for the same reasons, such as replicas, are listed after the first one.
    """
    outcomes: Counter[str] = Counter()
    same: list[str] = []
    latest = None
    for explanation in explanations:
        decision = explanation.decision
        failure = None if out.all else _failure(decision)
        outcomes[_outcome(decision)] += 1
        if failure is not None and failure == latest:
            same.append(decision.pod.key)
            continue
        if outcomes.total() > 1:
            out.print(*_alike(same, out), "", out.rule(), "")
        out.print(*written(explanation.sections(limits(out)), out, decision.cluster.names))
        same, latest = [], failure
    out.print(*_alike(same, out))
    if not outcomes:
        out.print(text("no pending pods"))
    elif outcomes.total() > 1:
        numbers = [f"{outcomes[each]:,} {each}" for each in (PLACED, PREEMPTING, PENDING) if each in outcomes]
        out.print("", text(f"{count(outcomes.total(), 'pending pod')}: {', '.join(numbers)}", "bold"))
    out.close()


def _failure(decision: Decision) -> Hashable:
    """Key of equal failures: all that is printed about a pod without a node except its name. None if it gets a node."""
    if decision.node is not None or decision.nominated_node is not None:
        return None
    result = decision.outcome.replace(decision.pod.key, "")
    reasons = (*decision.refusals(), *map(str, decision.device_sections()))
    return result, request_text(decision.pod), reasons, decision.event


def _alike(pods: Sequence[str], screen: Screen) -> Iterator[RenderableType]:
    """A line that names the pods with the same decision as the one just printed."""
    if pods:
        screen.folded = True
        yield ""
        before = f"the same for {count(len(pods), 'more pod')}: "
        yield ShortNames(screen).first(pods, LISTED, before=before, style="bold")


def _outcome(decision: Decision) -> str:
    if decision.node is not None:
        return PLACED
    return PREEMPTING if decision.nominated_node is not None else PENDING
