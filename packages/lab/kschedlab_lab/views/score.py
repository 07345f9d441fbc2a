"""The numbers of the score stage: plugin x node by stage, sums, and who has the highest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab_lab.views.lettering import with_minus
from kschedlab_lab.views.picture import caption, colours

STAGES = (later("raw"), later("normalised"), later("weighted"), later("summed"))
SUM = later("sum")


def bare(decision: Decision) -> Decision:
    """The decision without the million points, or fewer, that NodePreferAvoidPods gives to several nodes or to all."""
    scores = decision.scores
    if scores is None:
        return decision
    named = enumerate(zip(scores.plugins, scores.results, strict=True))
    given = {at: row for at, (plugin, row) in named if plugin.startswith("NodePreferAvoidPods")}
    same = {at: int(row.max()) for at, row in given.items() if (row == row.max()).sum() > 1}
    results = scores.results.copy()
    for at, points in same.items():
        results[at] -= points
    return replace(decision, scores=replace(scores, results=results, total=scores.total - sum(same.values())))


def number(decision: Decision, stage: str, plugin: str, node: str) -> int | None:
    """The plugin's score of the node at that stage; None if there is none."""
    scores, position = decision.scores, decision.cluster.index[node]
    if scores is None or plugin not in scores.plugins or position not in scores.nodes:
        return None
    which, place = scores.plugins.index(plugin), scores.nodes.tolist().index(position)
    scored = scores.rows[which]
    values = {"raw": scored.raw, "normalised": scored.normalized}.get(stage, scores.results[which])
    return int(values[place])


def signed(difference: int) -> str:
    """With + or a minus sign."""
    return with_minus(f"{difference:+}")


def total(decision: Decision, node: str) -> int | None:
    """The node's total score; None if it was not scored."""
    scores, position = decision.scores, decision.cluster.index[node]
    if scores is None or position not in scores.nodes:
        return None
    return int(scores.total[scores.nodes.tolist().index(position)])


def result_list(decision: Decision) -> list[tuple[str, int]]:
    """The nodes and their total scores, in order of names: the source's NodeScoreList."""
    return [(node, found) for node in decision.names if (found := total(decision, node)) is not None]


def together(names: Sequence[str]) -> str:
    """ "a, b and c"."""
    *others, last = names
    return say("{others} and {last}", others=listed(others), last=last) if others else last


def decided(decision: Decision) -> str:
    """Where the pod goes and why; a tie is said first."""
    if decision.scores is None:
        return caption(decision)
    most, more, others = _ahead(decision)
    if len(decision.best) > 1:
        tie = say("A tie: {nodes} share {sum}.", nodes=together(decision.best), sum=most)
        draw = later("Each of them is equally likely to be drawn; this picture shows {node}.")
        return sentences((tie, say(draw, node=decision.node)))
    goes = say("{pod} goes to {node}.", pod=decision.pod.pod.metadata.name, node=decision.node)
    why = say("It has the highest sum, {highest}, {more} more than {second}.", highest=most, more=more, second=others)
    return sentences((goes, why))


def winners(decision: Decision) -> dict[str, str]:
    """The names that a headline shows in colour: the best node, or all that share the highest sum."""
    return colours(decision) | dict.fromkeys(decision.best, "chosen")


def lead(decision: Decision) -> str:
    """A sentence that says which node has the highest sum, and by how much. Requires scores of at least two nodes."""
    highest, more, others = _ahead(decision)
    if len(decision.best) > 1:
        return say(
            "{best} share the highest sum, {highest}: selectHost draws one of them; this picture shows {node}.",
            best=together(decision.best),
            highest=highest,
            node=decision.node,
        )
    return say(
        "{first} has the highest sum, {highest}, {more} more than {second}.",
        first=decision.best[0],
        highest=highest,
        more=more,
        second=others,
    )


def _ahead(decision: Decision) -> tuple[int, int, str]:
    """The highest sum, how much more it is than the next, and who has that."""
    sums = dict(result_list(decision))
    highest, *lower = sorted(set(sums.values()), reverse=True)
    after = lower[0] if lower else highest
    return highest, highest - after, together([node for node, found in sums.items() if found == after])
