"""Many pending pods on a terminal: those that fail alike together, and how many got a node."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from kschedlab.decision import Decision
from kschedlab.program.terminal.screen import Screen, ShortNames, text
from kschedlab.program.terminal.writer import LISTED
from kschedlab.text.decision import device_sections
from kschedlab.text.words import count, outcome, refusals, request_text

PLACED, PREEMPTING, PENDING = "placed", "preempting", "left pending"


def failure(decision: Decision) -> Hashable:
    """Key of equal failures: all that is printed about a pod without a node except its name. None if it gets a node."""
    if decision.node is not None or decision.nominated_node is not None:
        return None
    result = outcome(decision).replace(decision.pod.key, "")
    return result, request_text(decision), (*refusals(decision), *map(str, device_sections(decision))), decision.event


def alike(pods: Sequence[str], screen: Screen) -> Iterator[RenderableType]:
    """A line that names the pods with the same decision as the one just printed."""
    if pods:
        screen.folded = True
        yield ""
        yield ShortNames(screen).first(
            pods, LISTED, before=f"the same for {count(len(pods), 'more pod')}: ", style="bold"
        )


def outcome_of(decision: Decision) -> str:
    """The outcome for the pod, in the words of :func:`summary`."""
    if decision.node is not None:
        return PLACED
    return PREEMPTING if decision.nominated_node is not None else PENDING


def summary(outcomes: Mapping[str, int]) -> Text:
    """The numbers of pods that find a node, preempt, or stay pending."""
    if not outcomes:
        return text("no pending pods")
    numbers = [f"{outcomes[outcome]:,} {outcome}" for outcome in (PLACED, PREEMPTING, PENDING) if outcome in outcomes]
    return text(f"{count(sum(outcomes.values()), 'pending pod')}: {', '.join(numbers)}", "bold")
