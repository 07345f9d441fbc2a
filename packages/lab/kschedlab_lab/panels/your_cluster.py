"""Your own cluster: load it, choose a pod, and ask why it goes there, why it is pending, and what would change that.

A bundled cluster of 200 nodes is the default. What you load stays in this kernel; nothing is sent anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, make_dataclass, replace
from functools import lru_cache
from typing import Any, Self

from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.explanation import NoProfileError, again, explain
from kschedlab.generations import GENERATIONS, LATEST
from kschedlab.manifests.loading import ManifestError, Objects
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html, visible
from kschedlab.text.plain import LIMITS, plain
from kschedlab.text.preemption import evicted
from kschedlab.text.sections import Lines, Row, Section, Table
from kschedlab.text.tables import html
from kschedlab.text.words import count, cpus, listing, request_text, requested
from kschedlab.whatif import Case, WhatIf, what_if
from kschedlab.whatif.answers import WhatIfAnswer, notes, whatif_answers, whatif_lines, whatif_sentence
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.cluster_source import Loaded, bundled, from_paths
from kschedlab_lab.panels.settings import Restorable, choice, slider, typed
from kschedlab_lab.panels.your_plugin import several
from kschedlab_lab.views.cluster_detail import LEAVE, ONLY, Choice, victims
from kschedlab_lab.views.cluster_picture import (
    QUESTIONS,
    WHAT_IF,
    WHY,
    Asked,
    cluster_picture,
    in_sight,
    undecided,
)
from kschedlab_lab.views.node_kinds import ONE, counted, kinds, starred
from kschedlab_lab.views.node_map import ALL
from kschedlab_lab.views.picture import colours, decided_and_why
from kschedlab_lab.views.svg import Room
from kschedlab_why.why_not import margin, why_not, why_not_table

NODE_AFFINITY = "NodeAffinity"
NONE = "none"
NEW = "-new"
FEW = LIMITS._replace(nodes=2, totals=0, candidates=2, rungs=2)
"""The most candidates of the tables below the picture, so that they fit beside a text."""
CPUS = (*range(200, 1301, 100), 1700, 2200, 3200, 4700, 6200, 7700)
"""What a pod may be made to ask for, in milli: in small steps where nodes have that much free."""
SUGGESTED, LONGEST = 3000, 200
"""The most names that a field suggests, and the longest text that it takes."""


# -- settings


def settings_of(loaded: Loaded, sized: bool = False) -> type[Any]:
    """The panel's settings for this cluster; ``sized``: with one for the pod's CPU."""
    cluster = loaded.cluster(LATEST)
    names = sorted(cluster.names)
    fields: list[tuple[str, type[Any], Any]] = [
        ("pod", str, typed("pod", loaded.pods[0], loaded.pods[:SUGGESTED], _finder(later("pod"), loaded.pods))),
        ("question", str, choice("question", QUESTIONS, WHY, folded=True)),
        ("node", str, typed("why not this node?", NONE, [NONE, *names[:SUGGESTED]], _node(names))),
        ("show", str, typed("show nodes", ALL, [ALL], lambda text: _short(text) or ALL)),
        ("generation", str, choice("generation", GENERATIONS, LATEST, folded=True)),
        ("change", str, typed("change", NONE, [NONE], lambda text: _short(text) or NONE)),
    ]
    if sized:
        fields.insert(0, ("cpu", int, slider("it asks for", CPUS, CPUS[-1], cpus)))
    return make_dataclass("Settings", fields, bases=(Restorable,), frozen=True)


def _finder(kind: str, names: Sequence[str]) -> Callable[[str], str]:
    """The first name that contains all the words of a text. ValueError if there is none."""
    known = frozenset(names)

    def find(text: str) -> str:
        if text in known:
            return text
        words = text.split()
        found = next((name for name in names if all(word in name for word in words)), None) if words else None
        if found is None:
            raise InputValueError(
                'no {kind} "{text}" among {all}; the first is {name}',
                kind=say(kind),
                text=_short(text),
                all=count(len(names), kind),
                name=names[0],
            )
        return found

    return find


def _node(names: Sequence[str]) -> Callable[[str], str]:
    """A node's name, also of one that a change adds; "none" without a text."""
    find = _finder("node", names)
    return lambda text: NONE if text in ("", NONE) else text if text.endswith(NEW) else find(text)


def _short(text: str) -> str:
    return text.strip()[:LONGEST]


# -- from settings to what there is to see


@dataclass(unsafe_hash=True)
class Answers:
    """What the panel shows of one cluster. ``plugins``: those that join the generation."""

    loaded: Loaded
    plugins: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        self._what_if = lru_cache(maxsize=16)(self._find_changes)

    def _find_changes(self, pod: str, generation: str) -> WhatIf:
        return what_if(pod, self.loaded.cluster(generation), GENERATIONS[generation].plus(*self.plugins))

    def __call__(self, settings: Any) -> View:
        cluster = self.loaded.cluster(settings.generation)
        generation = GENERATIONS[settings.generation].plus(*self.plugins)
        try:
            explained = explain(settings.pod, cluster, generation)
        except NoProfileError as error:
            said = say("kube-scheduler does not decide about this pod: {error}. Its own scheduler does.", error=error)
            other = undecided(explain(settings.pod, cluster, {error.pod.pod.spec.schedulerName: generation}).decision)
            asked = Asked(settings.question, settings.show)
            return View(lambda room: cluster_picture(other, room, asked, said), said, Html(), said)
        if settings.question == WHAT_IF:
            return self._changes(settings)
        if hasattr(settings, "cpu"):
            return self._sized(settings, Case(settings.pod, cluster, generation), explained.decision)
        decision, runs_on = explained.decision, explained.runs_on
        framed = left(decision, runs_on)
        again_there = again(decision, runs_on) if framed else ""
        lead = margin(decision) if not framed else ""
        said = sentences((*headline(decision, runs_on), lead, nobody(decision), again_there))
        asked = Asked(WHY, settings.show, framed=framed)
        return _view(decision, settings, asked, said, [*decision.sections(FEW)][1:])  # after the outcome

    def before(
        self, settings: Any, framed: str = "", note: str = "", picks: tuple[str, ...] = ()
    ) -> Callable[[Room], Html]:
        """The cluster with the pod while a question is open: what its event counts, or if it runs on ``framed``, where
        it would go now, but no points. ``note``: what else there is to know; ``picks``: the nodes that are answers."""
        cluster = self.loaded.cluster(settings.generation)
        decision = explain(settings.pod, cluster, GENERATIONS[settings.generation].plus(*self.plugins)).decision
        asks = say("It asks for {asked}.", asked=requested(decision.pod))
        only = ONLY if framed else "{plugin}"
        shown = Asked(show=settings.show, framed=framed, note=sentences((asks, note)), only=only, picks=picks)
        said = say("{pod} and the nodes", pod=settings.pod)
        known = replace(decision, scores=None) if framed else counted(decision)
        return lambda room: cluster_picture(known, room, shown, said)

    def _sized(self, settings: Any, case: Case, before: Decision) -> View:
        """The pod with another request of CPU: how many nodes have room for that, without evicting anybody."""
        decision = replace(case.decide(case.asking("cpu", settings.cpu)), preemption=None)
        fits = count(len(decision.feasible), "node") if len(decision.feasible) else say("no node")
        name = decision.pod.pod.metadata.name
        said = say("Asking for {cpu}, {pod} fits on {nodes}.", cpu=cpus(settings.cpu), pod=name, nodes=fits)
        view = _view(decision, settings, Asked("", settings.show, before=before), said, [])
        return replace(view, idle={"change": "", "pod": "", "question": ""})

    def _changes(self, settings: Any) -> View:
        """What would change the decision, and the change that is applied."""
        found = self._what_if(settings.pod, settings.generation)
        answers = {_word(answer): answer for answer in whatif_answers(found)}
        applied = answers.get(settings.change)
        choices = tuple(_choice(word, each, found, settings.show) for word, each in answers.items())
        decision, before = (applied.decision, found.decision) if applied is not None else (found.decision, None)
        word = settings.change if applied is not None else NONE
        asked = Asked(WHAT_IF, settings.show, None, choices, word, before, left(found.decision, found.was_on))
        if applied is not None:
            change = next(each.change for each in choices if each.word == word)
            said = sentences((headline(decision)[0], therefore(change, decision), margin(decision)))
        else:
            said = changing(decision, found.was_on, len(choices)) if choices else whatif_sentence(found)
        sections = [Section("", [_changes_table(found), *notes(found)])]
        return _view(decision, settings, asked, said, sections)


# -- in words


def headline(decision: Decision, runs_on: str | None = None) -> list[str]:
    """Where the pod goes, or how near it is to a node; ``runs_on``: where it runs, if it is decided again."""
    name = decision.pod.pod.metadata.name
    if decision.node is not None:
        if runs_on is None:
            return [say("{pod} goes to {node}.", pod=name, node=decision.node)]
        if runs_on == decision.node:
            return [say("{pod} goes to {node}, where it runs.", pod=name, node=runs_on)]
        return [say("Now it would go to {node}; it runs on {other}.", node=decision.node, other=runs_on)]
    if runs_on is not None:
        return [say("{pod} runs on {node}, but would not go there now.", pod=name, node=runs_on), *headline(decision)]
    if decision.nominated_node is not None:
        return [*leaving(decision)]
    if decision.error or decision.gates or decision.verdicts is None or decision.verdicts.rejected is not None:
        return [decision.outcome]
    asks = say("It asks for {asked}.", asked=requested(decision.pod))
    return [_near(decision), asks]


def _near(decision: Decision) -> str:
    """On how many nodes one filter alone is in the way: if the pod names a pool, or all are in one, of this pool."""
    name, near = decision.pod.pod.metadata.name, [kind == ONE for kind in kinds(decision)]
    named, pool = _named(decision), pools(decision.cluster)
    alone = {place for place, is_near in enumerate(near) if is_near}
    mine = next((each for each, places in pool.items() if {*places} == named or alone <= {*places}), "")
    places = pool.get(mine, ())
    inside = sum(near[place] for place in places)
    if not inside or len(pool) == 1:
        waits = later("{pod} waits: on {near} of {nodes}, only one filter is in its way.")
        return say(waits, pod=name, near=f"{sum(near):,}", nodes=count(len(near), "node"))
    waits = later("{pod} waits: on {near} of {nodes} of {pool}, only one filter is in its way.")
    return say(waits, pod=name, near=f"{inside:,}", nodes=count(len(places), "node"), pool=mine)


def _named(decision: Decision) -> set[int]:
    """The nodes that the pod's selector and node affinity name."""
    verdicts = decision.verdicts
    assert verdicts is not None
    each = zip(verdicts.plugins, verdicts.refusals, strict=True)
    refused = next((found.mask for plugin, found in each if plugin == NODE_AFFINITY and found is not None), None)
    return {*range(len(decision.cluster.nodes))} - {*(refused.nonzero()[0].tolist() if refused is not None else ())}


def left(decision: Decision, runs_on: str | None) -> str:
    """The node where a pod runs that would go elsewhere now; "" for any other pod."""
    return "" if runs_on in (None, *decision.best) else str(runs_on)


def leaving(decision: Decision) -> tuple[str, str]:
    """Where the pod goes if others leave, and by which rule; several others are counted, the picture names them."""
    (said, why), preemption = decided_and_why(decision), decision.preemption
    victims = preemption.victims if preemption is not None else ()
    if len(victims) < 2:
        return said, why
    names, pods = evicted(victims), count(len(victims), "pod")
    return said.replace(names, pods), why.replace(names, pods)


def nobody(decision: Decision) -> str:
    """Why nobody is evicted, if it is the priorities or the pod itself that keep it from evicting."""
    preemption = decision.preemption
    if decision.node is not None or preemption is None or preemption.failure or len(preemption.positions):
        return ""
    if not preemption.eligible:
        return say("Nobody is evicted: {reason}.", reason=preemption.reason)
    if not len(preemption.potential):
        return ""
    if preemption.run is None or not len(preemption.run.node):
        return say("Nobody is evicted: no pod that is in the way is less important.")
    return say("Nobody is evicted: it fits nowhere, even without all less important pods.")


def changing(decision: Decision, runs_on: str | None, helping: int) -> str:
    """Where the pod goes, and how many changes would change that."""
    changes = count(helping, "change")
    waits = decision.node is None and decision.nominated_node is None
    helps = later("{changes} would change the decision.")
    if waits:
        helps = later("{changes} would help." if helping == 1 else "{changes} would help, each of them alone.")
    return sentences((headline(decision, runs_on)[0], say(helps, changes=changes)))


def therefore(change: str, after: Decision) -> str:
    """What a change has done: on how many nodes the pod fits now, or may evict pods."""
    places = after.feasible if after.preemption is None else after.preemption.positions
    then = later("{change}: it fits on {nodes}.") if after.node else later("{change}: evicting helps on {nodes}.")
    return say(then, change=change[:1].upper() + change[1:], nodes=count(len(places), "node"))


def _changes_table(found: WhatIf) -> Table:
    """The changes; below what follows from one, what follows from a little less of it."""
    rows = ((line.change, Lines((line.then, line.but)) if line.but else line.then) for line in whatif_lines(found))
    return Table(terms(later("change"), later("then")), [Row(cells) for cells in rows])


def _choice(word: str, answer: WhatIfAnswer, found: WhatIf, show: str) -> Choice:
    """The change as a button, with pods counted instead of named. ``show``: what chooses the nodes that are shown."""
    line, eviction = answer.line, found.eviction
    change = answer.short or line.change
    whole = say("{change}: {then}", change=_why_so_much(line.change, answer, found), then=line.then)
    if eviction is not None and answer.decision is eviction.decision:
        victims, where = eviction.victims, listing(eviction.where, 1)
        pods = evicted(victims) if len(victims) == 1 else count(len(victims), "pod")
        change = say("e.g. without {names} on {node}", names=pods, node=where)
    star, seen = starred(answer.decision), in_sight(answer.decision, show).values()
    return Choice(word, change, whole, leaves=star >= 0 and not any(star in places for places in seen))


def _why_so_much(change: str, answer: WhatIfAnswer, found: WhatIf) -> str:
    """The change; of a priority also why it is that one."""
    least, preemption = found.priority, answer.decision.preemption
    if least is None or answer.decision is not least.after or preemption is None:
        return change
    names = (each.pod.metadata.name for each in preemption.victims if each.priority == least.near)
    pod = next(names, "")
    more = later("{change} ({pod} has {near})")
    return say(more, change=change, near=least.near, pod=pod) if pod else change


def _word(answer: WhatIfAnswer) -> str:
    """The change as a setting: commas separate settings."""
    return _short(answer.word.replace(",", ";"))


def _view(decision: Decision, settings: Any, asked: Asked, said: str, sections: Sequence[Section]) -> View:
    """The view, with the node in question if it is shown: the picture says why not there, and the headline stays."""
    whole, pools = said, in_sight(decision, settings.show).values()
    if any(decision.cluster.index.get(settings.node) in places for places in pools):
        found, leave = why_not(decision, settings.node), listed(victims(decision, settings.node))
        asked = replace(asked, why_not=found)
        whole = sentences((said, found.sentence, f"{say(LEAVE)} {leave}." if leave else ""))
        answer = Section(say("Why not {node}?", node=settings.node), [why_not_table(found)])
        sections = [answer, *([] if found.points else sections)]  # which hold the same scores
    first = "\n".join(map(visible, [say("{pod} {wants}.", pod=settings.pod, wants=request_text(decision.pod)), whole]))
    text, table = "\n".join([first, *([plain(sections)] if sections else [])]), html(sections)
    idle = {} if settings.question == WHAT_IF else {"change": ""}  # there it does nothing
    return View(
        lambda room: cluster_picture(decision, room, asked, whole), said, table, text, idle, names=colours(decision)
    )


# -- the panel


class YourCluster(Panel[Any]):
    """A cluster, and questions about its pods.

    ====================  ==========================================================================================
    reading               ``loaded``, ``problems``; ``settings`` and ``view`` as any panel
    copies                :meth:`reading` another cluster; ``move(pod=...)`` and the others as any panel: a part of a
                          pod's or a node's name is enough
    ====================  ==========================================================================================

    Unusable input changes nothing, and ``problems`` says what is wrong with it. ``plugins``: your own, which take part
    in every decision. ``sized``: a control sets the pod's CPU.
    """

    def __init__(self, loaded: Loaded, plugins: Sequence[object] = (), sized: bool = False) -> None:
        self.loaded, self.plugins = loaded, tuple(plugins)
        self.problems: tuple[str, ...] = ()
        self.answers = Answers(loaded, self.plugins)
        super().__init__(settings_of(loaded, sized)(), self.answers)

    def reading(self, read: Callable[[], Loaded]) -> Self:
        """A copy with the cluster that this reads; if it cannot be read, one with ``problems``."""
        try:
            return type(self)(read(), self.plugins)
        except ManifestError as error:
            problems = [str(problem) for problem in error.problems]
        except Exception as error:  # noqa: BLE001  # a button has no cell to print to, so the panel shows the error
            problems = [f"{type(error).__name__}: {error}"]
        other = self.move()
        other.problems = tuple(problems)
        return other

    def __repr__(self) -> str:
        return "\n".join([*map(visible, [self.loaded.sentence, *self.problems]), super().__repr__()])


def panel(source: str | Objects | None = None, plugins: object = (), **values: str) -> YourCluster:
    """The panel: on the bundled cluster, on objects that were loaded, or on a file or folder. ManifestError.

    ``plugins``: one or several, see :class:`YourCluster`; ``values``: the settings to begin with.
    """
    if source is None:
        loaded = bundled()
    elif isinstance(source, Objects):
        loaded = Loaded(source, say("your cluster"))
    else:
        loaded = from_paths([source])
    made = YourCluster(loaded, several(plugins))
    return made.move(**values) if values else made


def loader() -> Any:
    """The panel, and above it what loads another cluster into it: files or a path."""
    from kschedlab_lab.panels.cluster_loader import Loader

    return Loader(panel(pod="edge/ingress-canary-0"))
