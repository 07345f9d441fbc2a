"""The course as a map: each lesson with its question, its document, and the lessons that it builds on."""

from __future__ import annotations

from dataclasses import dataclass

from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.settings import Restorable, choice
from kschedlab.views.graph import Edge, Graph, Place, Vertex, draw_graph, graph_lines, graph_list
from kschedlab.views.html import Html, element, join
from kschedlab.views.style import CELL, HEAD, NOWRAP, NUMBER, TABLE
from kschedlab.views.words import aligned, listing


@dataclass(frozen=True)
class Lesson:
    """One notebook. ``after``: the lessons that it builds on; ``terms``: the names of the source that it explains.

    ``minutes``: how long a student needs without the exercises.
    """

    number: str
    name: str
    question: str
    minutes: int
    terms: tuple[str, ...]
    after: tuple[str, ...]
    place: Place
    document: str = ""
    version: str = ""

    @property
    def title(self) -> str:
        """Its label on the map."""
        return f"{self.number} {self.name}"

    @property
    def file(self) -> str:
        """The notebook's file name."""
        return f"{self.number}-{self.name.replace(' ', '-')}.ipynb"

    @property
    def follows(self) -> str:
        """The document, or what the lesson follows instead."""
        return f"{self.document} ({self.version})" if self.document else "no document: it goes beyond them"


LESSONS = (
    Lesson(
        "01",
        "overview",
        "How does a pod get from the scheduler's start-up to a node?",
        60,
        ("scheduleOne", "findNodesThatFit", "PrioritizeNodes", "FitError", "nominatedNodeName"),
        (),
        (0, 0.5),
        "003_b8392d3839065981.txt",
        "v1.16",
    ),
    Lesson(
        "02",
        "queue",
        "Which pod is next, and what brings a failed one back?",
        45,
        ("Heap", "activeQComp", "podTimestamp", "UnschedulablePodsMap", "nominatedPodMap"),
        ("01",),
        (1, 0.5),
        "001_b7595277f81a04d5.txt",
        "v1.13",
    ),
    Lesson(
        "03",
        "score",
        "Which of the feasible nodes is best?",
        40,
        ("prioritizeNodes", "RunScorePlugins", "PluginToNodeScores", "selectHost"),
        ("02",),
        (2, 0),
        "002_776ff348f85475f0.txt",
        "v1.20",
    ),
    Lesson(
        "04",
        "map-reduce",
        "How do many workers score many nodes without a lock?",
        40,
        ("PrioritizeNodes", "Map", "Reduce", "ParallelizeUntil", "results"),
        ("03",),
        (3, 0),
        "004_f2827ea400fbb423.txt",
        "v1.13 to v1.16",
    ),
    Lesson(
        "05",
        "preemption",
        "Nothing fits: on which node are pods evicted, and which?",
        40,
        ("SelectCandidate", "candidatesToVictimsMap", "pickOneNodeForPreemption", "GetEarliestPodStartTime"),
        ("02",),
        (2, 1),
        "000_f7aacdcedff70c64.txt",
        "v1.20",
    ),
    Lesson(
        "06",
        "generations",
        "One cluster, four schedulers: where do they differ, and by which rule?",
        20,
        ("Policy", "KubeSchedulerConfiguration"),
        ("03", "05"),
        (3, 1),
    ),
    Lesson(
        "07",
        "your cluster",
        "Your own cluster: why there, why pending, what would change it?",
        30,
        ("kubectl get",),
        ("04", "06"),
        (4, 0.5),
    ),
    Lesson(
        "09",
        "your plugin",
        "What if the scheduler knew one thing more?",
        30,
        ("FilterPlugin", "ScorePlugin", "EnqueueExtensions"),
        ("07",),
        (5, 0.5),
    ),
)
BY_NUMBER = {lesson.number: lesson for lesson in LESSONS}
BY_TITLE = {lesson.title: lesson for lesson in LESSONS}


@dataclass(frozen=True)
class Settings(Restorable):
    """The position on the map."""

    lesson: str = choice("lesson", BY_TITLE, LESSONS[0].title)


def course(at: str = "") -> Graph:
    """The map. ``at``: the number of the current lesson, whose paths are highlighted."""
    graph = Graph(
        tuple(
            Vertex(
                lesson.number,
                lesson.title,
                _detail(lesson),
                "current" if lesson.number == at else "ahead",
                lesson.place,
            )
            for lesson in LESSONS
        ),
        tuple(Edge(before, lesson.number) for lesson in LESSONS for before in lesson.after),
    )
    if not at:
        return graph
    before = _before(at)
    edges = (Edge(e.source, e.target, lit=e.source in before and e.target in {*before, at}) for e in graph.edges)
    return Graph(graph.vertices, tuple(edges))


def _before(number: str) -> set[str]:
    """All lessons that this one builds on, directly or not."""
    direct = BY_NUMBER[number].after
    return {*direct, *(each for before in direct for each in _before(before))}


def _detail(lesson: Lesson) -> str:
    return f"document {lesson.document[:3]}, {lesson.version}" if lesson.document else "beyond the documents"


def show(settings: Settings) -> View:
    """The map's view."""
    lesson = BY_TITLE[settings.lesson]
    graph = course(lesson.number)
    sentence = f"{lesson.title} asks: {lesson.question}"
    facts = _facts(lesson)
    rows = [element("tr", element("th", name, scope="row", style=CELL), element("td", what)) for name, what in facts]
    rows.append(element("tr", element("th", "open", scope="row", style=CELL), element("td", _link(lesson))))
    table = join([element("table", element("tbody", *rows), style=TABLE), graph_list(graph)])
    text = "\n".join([sentence, *aligned([[name, what] for name, what in facts]), *graph_lines(graph)])
    return View(draw_graph(graph, sentence), sentence, table, text)


def _facts(lesson: Lesson) -> list[tuple[str, str]]:
    after = [BY_NUMBER[number].title for number in lesson.after]
    then = [each.title for each in LESSONS if lesson.number in each.after]
    return [
        ("follows", lesson.follows),
        ("explains", listing(lesson.terms)),
        ("takes", f"about {lesson.minutes} minutes, and the exercises"),
        ("builds on", listing(after) or "nothing: begin here"),
        ("leads to", listing(then) or "your own questions"),
    ]


def _link(lesson: Lesson, words: str = "") -> Html:
    return element("a", words or lesson.file, href=lesson.file)


class Contents:
    """All lessons as a table with links."""

    def __repr__(self) -> str:
        rows = [
            [each.title, str(each.minutes), each.document[:3] or "-", each.version or "-", each.question]
            for each in LESSONS
        ]
        return "\n".join(aligned([["lesson", "minutes", "document", "reads", "question"], *rows], indent=""))

    def _repr_html_(self) -> str:
        head = ("lesson", "question", "minutes", "document", "reads")
        heads = (element("th", text, scope="col", style=HEAD) for text in head)
        rows = (_row(lesson) for lesson in LESSONS)
        return str(element("table", element("thead", element("tr", *heads)), element("tbody", *rows), style=TABLE))


def _row(lesson: Lesson) -> Html:
    document = element("code", lesson.document) if lesson.document else ""
    cells = [element("td", lesson.question, style=CELL), element("td", lesson.minutes, style=NUMBER)]
    cells += [element("td", each, style=CELL + NOWRAP) for each in (document, lesson.version)]
    return element("tr", element("th", _link(lesson, lesson.title), scope="row", style=CELL), *cells)


def panel(**settings: str) -> Panel[Settings]:
    """The map as a panel."""
    return Panel(Settings().changed(**settings), show, wide=True)
