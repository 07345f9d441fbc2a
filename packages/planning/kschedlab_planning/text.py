"""Plans as sections: the answer first, the runner-up and the check below it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kschedlab.cluster.pools import usual_label
from kschedlab.text.plain import LIMITS
from kschedlab.text.sections import BAD, GOOD, WARNING, WEAK, Names, Part, Row, Section, Table
from kschedlab.text.words import count, listing
from kschedlab_planning.add import COMMANDS, Add, Option
from kschedlab_planning.check import Check
from kschedlab_planning.drain import Drain
from kschedlab_planning.fit import Fit
from kschedlab_planning.fitting import Fits
from kschedlab_planning.maps import DecisionMap, Outcome
from kschedlab_planning.weights import Range, WeightRegion

PODS = 3
"""Maximum number of pods named in a list."""


def fit_sections(fit: Fit) -> Iterator[Section]:
    """How many fit and where, what stops the next, what one node more would add."""
    number = fit.replicas
    title = f"{count(number, 'replica')} of {fit.template.key} fit{'s' * (number == 1)}."
    if fit.stop is None and not fit.refused:
        title = f"At least {count(number, 'replica')} of {fit.template.key} fit: counting ended there."
    rows = [Row([node, number]) for node, number in fit.by_node.items()]
    yield Section(title, [*_first(len(fit.first.nodes)), Table(["node", "replicas"], rows)], mark=GOOD if rows else BAD)
    stops = f"What stops the next one ({fit.template.metadata.name}-{fit.replicas + 1}):"
    if fit.refused:
        yield Section(stops, [f"the API server: {fit.refused}"])
    if fit.stop is not None:
        yield Section(stops, [fit.stop.event, *_tables(list(fit.stop.sections(LIMITS)))])
    if fit.runner_up:
        rows = [Row([more.kind, more.replicas]) for more in fit.runner_up]
        yield Section("With one node more:", [Table(["of", "replicas more"], rows)])
    yield from _checked(fit.check)


def fits_sections(fits: Fits) -> Iterator[Section]:
    """The number of pods that fit, the nodes with their new pods, and why others do not fit."""
    number, most = len(fits.placed), len(fits.placed) + len(fits.unplaced)
    title = f"{number:,} of {most:,} pods fit." if fits.unplaced else f"All {most:,} pods fit."
    if most < 2:
        title = ("The pod fits." if fits else "The pod does not fit.") if most else "There are no pods to place."
    rows = [Row([node, len(pods), listing(pods, PODS)]) for node, pods in _by_value(fits.placed).items()]
    yield Section(title, [Table(["node", "pods", "which"], rows), *_grouped(fits.unplaced)])


def _tables(sections: Sequence[Section]) -> list[Part]:
    tables: list[Part] = [part for section in sections for part in section.parts if isinstance(part, Table)]
    return tables[:1]


def _first(pods: int) -> list[Part]:
    return [f"{count(pods, 'pending pod')} got a node before."] if pods else []


def add_sections(add: Add) -> Iterator[Section]:
    """The new nodes, the pods that they let fit, the pods that they do not help."""
    best = add.best
    if best is None:
        yield Section(
            "No new node helps any pod." if add.stuck else "All pending pods fit: no new node is needed.",
            _first(len(add.first.nodes)),
            mark=BAD if add.stuck else GOOD,
        )
    else:
        rows = [
            Row([kind.name, number, pods, *([_price(kind.price * number)] if add.priced else [])])
            for (kind, number), pods in zip(best.numbers.items(), _pods_by_kind(add), strict=True)
        ]
        what = "cheapest" if add.priced else "fewest"
        sure = (
            f"No {'cheaper' if add.priced else 'smaller'} number does." if add.proven else f"The {what} that was found."
        )
        price = f" for {_price(best.price)}" if add.priced else ""
        title = f"With {count(best.nodes, 'new node')}{price}, {count(len(add.pods), 'more pod')} fit."
        table = Table(["of", "nodes", "pods", *(["price"] if add.priced else [])], rows)
        yield Section(title, [sure, *_first(len(add.first.nodes)), table], mark=GOOD if not add.stuck else WARNING)
    if add.runner_up is not None:
        yield Section(f"Next best: {option_text(add.runner_up, add.priced)}.")
    if add.stuck:
        yield Section(f"No new node helps {count(len(add.stuck), 'pod')}:", _grouped(add.stuck), mark=BAD)
    yield from _checked(add.check)


def _pods_by_kind(add: Add) -> list[int]:
    """How many of the pods are on new nodes of each kind."""
    assert add.best is not None
    on = Counter(add.pods.values())
    names = [
        [kind.node.metadata.name + ending for ending in (["-new"] + [f"-new-{i}" for i in range(2, number + 1)])]
        if kind.there
        else [f"{kind.node.metadata.name}-{i}" for i in range(1, number + 1)]
        for kind, number in add.best.numbers.items()
    ]
    return [sum(on[name] for name in own) for own in names]


def option_text(option: Option, priced: bool) -> str:
    """ "2 nodes of small and 1 node of large (0.58)"."""
    parts = [f"{count(number, 'node')} of {kind.name}" for kind, number in option.numbers.items()]
    return f"{' and '.join(parts)}{f' ({_price(option.price)})' if priced else ''}"


def _price(price: object) -> str:
    return f"{float(price):,.4g}"  # type: ignore[arg-type]  # a Fraction


def pool_commands(add: Add) -> list[str]:
    """A line for each pool that grows."""
    lines = []
    label = usual_label(add.cluster)
    for pool, number in _by_pool(add.best).items():
        now = sum(node.metadata.labels.get(label) == pool for node in add.cluster.nodes)
        lines.append(f"# {pool}: {count(number, 'node')} more, {now:,} now")
        if now and (command := COMMANDS.get(label)) is not None:
            lines.append(command.format(pool=shlex.quote(pool), nodes=now + number))
    return lines


def _by_pool(option: Option | None) -> Mapping[str, int]:
    pools: Counter[str] = Counter()
    for kind, number in option.numbers.items() if option is not None else ():
        pools[kind.pool] += number
    return pools


def drain_sections(drain: Drain) -> Iterator[Section]:
    """The nodes that can go in order, what keeps the others, the next best plan."""
    number = len(drain.steps)
    title = f"{count(number, 'node')} can go." if number else "No node can go."
    rows = [
        Row([step.node, len(step.moves), listing(sorted(set(step.moves.values())), PODS), listing(step.lost, PODS)])
        for step in drain.steps
    ]
    head = ["node", "pods move", "to", "lost"]
    sure = ["No larger number can."] if drain.proven else ["A larger number may be possible."]
    yield Section(title, [*sure, Table(head, rows)], mark=GOOD if number else BAD)
    if drain.runner_up:
        yield Section("Next best:", [Names(drain.runner_up)])
    if drain.obstacles:
        rows = [Row([each.node, each.pod, each.why], WEAK) for each in drain.obstacles]
        yield Section("In the way after that:", [Table(["node", "pod", "why"], rows)])
    yield from _checked(drain.check)


def _grouped(messages: Mapping[str, str]) -> list[Part]:
    return [f"{listing(pods, PODS)}: {why}" for why, pods in _by_value(messages).items()]


def _by_value(values: Mapping[str, str]) -> dict[str, list[str]]:
    pods: dict[str, list[str]] = {}
    for pod, value in values.items():
        pods.setdefault(value, []).append(pod)
    return pods


def _checked(check: Check | None) -> Iterator[Section]:
    if check is not None:
        verdict = "confirms" if check.holds else "does not confirm"
        yield Section(f"A simulation (seed {check.seed}) {verdict} it: {check.what}.", mark="" if check.holds else BAD)


# -- maps and regions

COLUMNS, ROWS = 60, 30
"""The most places that a map shows in a row, and rows; of more, each second, third, ... is shown."""
SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def map_sections(drawn: DecisionMap) -> Iterator[Section]:
    """The map as letters, the greatest y at the top; then what each letter means."""
    (x, xs), (y, ys) = drawn.x, drawn.y
    right, up = -(-len(xs) // COLUMNS), -(-len(ys) // ROWS)
    signs = _signs(drawn.outcomes)
    labels = [str(value) for value in ys]
    width = max(map(len, labels))
    lines = [
        f"{labels[row]:>{width}} {''.join(signs[place] for place in drawn.places[row, ::right].tolist())}"
        for row in reversed(range(0, len(ys), up))
    ]
    title = f"{drawn.pod}: {count(drawn.places.size, 'place')}, {count(len(drawn.outcomes), 'outcome')}"
    skipped = [f"Shown: 1 of {right} columns, 1 of {up} rows."] if right * up > 1 else []
    below = f"{x} from {xs[0]} to {xs[-1]}, {y} upwards from {ys[0]} to {ys[-1]}"
    yield Section(title, [*lines, below, *skipped])
    rows = [
        Row([signs[drawn.outcomes.index(each.outcome)], str(each.outcome), each.places, _span(each.x), _span(each.y)])
        for each in drawn.regions()[:REGIONS]
    ]
    yield Section("Regions", [Table(["", "outcome", "places", x, y], rows)])


REGIONS = 20
"""The most regions that are listed."""


def _signs(outcomes: Sequence[Outcome]) -> list[str]:
    """A capital letter for a node, the same small letter for eviction there, a dot for a pending pod."""
    nodes = sorted({each.node or each.nominated for each in outcomes} - {""})
    letters = {node: SIGNS[place % len(SIGNS)] for place, node in enumerate(nodes)}
    return [letters.get(each.node, "") or letters.get(each.nominated, "").lower() or "." for each in outcomes]


def _span(ends: tuple[object, object]) -> str:
    return f"{ends[0]} to {ends[1]}" if ends[0] != ends[1] else str(ends[0])


def region_sections(region: WeightRegion) -> Iterator[Section]:
    """Until which weight the answer stays, then the half-spaces."""
    sentences = region.sentences()
    title = f"{region.node} is chosen."
    yield Section(title, sentences or ["No weight of one score alone changes that."])
    rows = [
        Row(
            [
                each.node,
                " ".join(f"{c:+d}*{name}" for name, c in each.coefficients.items()),
                "> 0" if each.strict else ">= 0",
            ]
        )
        for each in region.half_spaces
    ]
    if rows:
        yield Section("It is as long as", [Table(["against", "sum of weights", ""], rows)])


def range_sentence(node: str, found: Range) -> str:
    """ "node-a stays chosen until NodeResourcesFit weighs more than 3 (it is 1), then node-b." "" without an end."""
    parts = []
    if found.high is not None:
        weighs = f"{found.high.weight} or more" if found.high.open else f"more than {found.high.weight}"
        parts.append(f"until {found.plugin} weighs {weighs}, then {found.high.node}")
    if found.low is not None:
        weighs = f"{found.low.weight} or less" if found.low.open else f"less than {found.low.weight}"
        parts.append(f"until {found.plugin} weighs {weighs}, then {found.low.node}")
    return f"{node} stays chosen {'; and '.join(parts)} (it weighs {found.now})." if parts else ""
