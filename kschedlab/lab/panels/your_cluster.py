"""Your own cluster: load it, choose a pod, and ask why it goes there, why it is pending, and what would change that.

A bundled cluster of 200 nodes is the default. What you load stays in this kernel; nothing is sent anywhere.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, make_dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import ipywidgets

from kschedlab.cluster.cluster import Cluster
from kschedlab.explanation import explain
from kschedlab.generations import GENERATIONS, LATEST
from kschedlab.lab.panels.base import CARD, Panel, View
from kschedlab.lab.panels.classroom import Enlargeable
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice
from kschedlab.manifests.loading import ManifestError, Objects, load, loads
from kschedlab.manifests.sources import KUBECTL_KINDS, MAX_BYTES
from kschedlab.objects.api import Api
from kschedlab.objects.problems import Problem
from kschedlab.views.html import Html, element, join, visible
from kschedlab.views.ladder import ladder_html
from kschedlab.views.picture import caption, picture
from kschedlab.views.tables import candidates_table, folded
from kschedlab.views.whatif import whatif_sentence, whatif_table, whatif_text
from kschedlab.views.words import count, outcome, request_text
from kschedlab.views.your_cluster import Overview, again, margin, node_bars, whom_text, why_table, why_text
from kschedlab.whatif import what_if

WHY, WHAT_IF, WHOM = "why", "what would change it", "whom it would evict"
BUNDLED = "the bundled cluster"
LISTED, PROBLEMS = 100, 20
"""The most pods in the list, and the most problems shown."""
COMMAND = f"kubectl get {KUBECTL_KINDS} -A -o yaml"
PASTE = "or paste here what kubectl get nodes,pods,... -A -o yaml prints"


@dataclass(frozen=True, eq=False)
class Loaded:
    """A loaded cluster and the name of its source. ManifestError if it has no nodes or no pods."""

    objects: Objects
    name: str
    _clusters: dict[Api, Cluster] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.objects.nodes or not self.pods:
            what = "pods" if self.objects.nodes else "nodes"
            raise ManifestError([Problem(0, 0, self.name, f"there are no {what} in it; try: {COMMAND}")])

    def cluster(self, generation: str) -> Cluster:
        """The cluster as that generation's API server would store it."""
        api = GENERATIONS[generation].api
        if api not in self._clusters:
            self._clusters[api] = Cluster(self.objects, api)
        return self._clusters[api]

    @property
    def pods(self) -> list[str]:
        """All pods ``namespace/name``: pending ones first, then running ones."""
        cluster = self.cluster(LATEST)
        return [*cluster.pending, *sorted(cluster.pods.row_of), *sorted(cluster.without_node)]

    @property
    def sentence(self) -> str:
        """What was read."""
        cluster = self.cluster(LATEST)
        running = len(cluster.pods.row_of) + len(cluster.without_node)
        nodes, waiting = count(len(cluster.nodes), "node"), len(cluster.pending)
        return f"{self.name}: {nodes}, {count(running, 'running pod')}, {waiting:,} pending."


@cache
def bundled() -> Loaded:
    """The default cluster (tools/make_cluster.py)."""
    content = files("kschedlab.lab.panels").joinpath("bundled.json.gz").read_bytes()
    return Loaded(loads(gzip.decompress(content).decode(), "bundled.json"), BUNDLED)


def settings_of(pods: Sequence[str]) -> type[Any]:
    """Settings whose pod is one of these; the first one is the default."""
    fields = [
        ("pod", str, choice("pod", pods, pods[0])),
        ("generation", str, choice("generation", GENERATIONS, LATEST)),
        ("question", str, choice("question", (WHY, WHAT_IF, WHOM), WHY)),
    ]
    return make_dataclass("Settings", fields, bases=(Restorable,), frozen=True)


def matching(pods: Sequence[str], words: str, first: str = "") -> list[str]:
    """The pods whose names contain all of these words, up to the list's limit; ``first`` is among them."""
    wanted = words.split()
    found = [pod for pod in pods if all(word in pod for word in wanted)][:LISTED]
    return found if not first or first in found else [first, *found[: LISTED - 1]]


def show(loaded: Loaded, settings: Any, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings. ``plugins``: those that join the generation."""
    cluster, generation = loaded.cluster(settings.generation), GENERATIONS[settings.generation].plus(*plugins)
    explained = explain(settings.pod, cluster, generation)
    decision, runs_on = explained.decision, explained.runs_on
    ran = f"{settings.pod} runs on {runs_on}. Decided again: " if runs_on is not None else ""
    preemption = decision.preemption
    if settings.question == WHAT_IF:
        found = what_if(settings.pod, cluster, generation)
        said, table, lines = whatif_sentence(found), whatif_table(found), whatif_text(found).splitlines()[1:]
    elif settings.question == WHY:
        said = " ".join(filter(None, [outcome(decision), margin(decision), again(decision, runs_on)]))
        table, lines = why_table(decision, runs_on), why_text(decision, runs_on)
    elif preemption is None or not len(preemption.positions):
        said, table, lines = f"{outcome(decision)} Nobody is evicted.", Html(), []
    else:
        said = caption(decision)
        all_tries = folded("every try on the candidates that came furthest", candidates_table(preemption))
        table = join([ladder_html(preemption), all_tries])
        lines = whom_text(preemption)
    sentence = ran + said
    text = "\n".join(map(visible, [f"{settings.pod} {request_text(decision)}.", sentence, *lines]))
    evicts = settings.question == WHOM and preemption is not None and len(preemption.positions) > 0
    drawing = picture(decision) if evicts else node_bars(decision, sentence)
    return View(drawing, sentence, table, text)


class YourCluster(Enlargeable):
    """A cluster, and questions about its pods.

    ====================  ==========================================================================================
    reading               ``loaded``, ``answers`` (a :class:`~kschedlab.lab.panels.base.Panel`), ``view``, ``problems``
    loading               :meth:`load`, :meth:`paste`, :meth:`upload`
    asking                :meth:`find`, :meth:`ask`, :meth:`restore`
    ====================  ==========================================================================================

    Unusable input changes nothing, and ``problems`` says what is wrong with it. ``plugins``: your own, which take part
    in every decision.
    """

    def __init__(self, loaded: Loaded, plugins: Sequence[object] = ()) -> None:
        self._plugins = tuple(plugins)
        self.problems: tuple[str, ...] = ()
        self._said, self._wrong, self._box = ipywidgets.HTML(), ipywidgets.HTML(), ipywidgets.VBox()
        self._find = ipywidgets.Text(
            description="find pods",
            placeholder="part of a name, then Enter",
            continuous_update=False,
            style={"description_width": "initial"},
        )
        self._find.observe(lambda change: self.find(change["new"]), "value")
        super().__init__([self._said, self._loader(), self._wrong, self._find, self._box])
        self._take(loaded)

    # -- loading

    def load(self, *paths: str) -> Self:
        """Load files or folders."""
        return self._try(lambda: Loaded(load(*map(Path, paths)), ", ".join(paths)))

    def paste(self, text: str) -> Self:
        """Load what ``kubectl get ... -o yaml`` (or json) printed."""
        return self._try(lambda: Loaded(loads(text, "pasted"), "pasted"))

    def upload(self, given: Iterable[tuple[str, bytes]]) -> Self:
        """Load files by name and content; gzip is unpacked."""
        opened = list(given)
        return self._try(lambda: Loaded(load(*map(_file, *zip(*opened, strict=True))), ", ".join(n for n, _ in opened)))

    def _try(self, read: Callable[[], Loaded]) -> Self:
        try:
            self._take(read())
        except ManifestError as error:
            self._refuse(f"Not loaded; {self.loaded.name} stays.", [str(problem) for problem in error.problems])
        except Exception as error:  # noqa: BLE001  # a callback has no cell to print to, so the panel shows the error
            self._refuse(f"Not loaded; {self.loaded.name} stays.", [f"{type(error).__name__}: {error}"])
        return self

    def _refuse(self, what: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        lines = [element("li", problem) for problem in problems[:PROBLEMS]]
        if (more := len(problems) - PROBLEMS) > 0:
            lines.append(element("li", f"and {more:,} more"))
        self._wrong.value = str(element("div", element("b", what), element("ul", *lines), role="alert"))

    def _accept(self) -> None:
        self.problems, self._wrong.value = (), ""

    def _take(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self._accept()
        notes = (element("div", line) for line in loaded.objects.report.lines())
        self._said.value = str(join([element("p", element("b", loaded.sentence), role="status"), *notes]))
        self._list(matching(loaded.pods, ""))

    # -- asking

    @property
    def settings(self) -> Any:
        """The pod, the generation and the question."""
        return self.answers.settings

    @property
    def view(self) -> View | None:
        """The current view."""
        return self.answers.view

    def find(self, words: str) -> Self:
        """List the pods whose names contain these words, and select the first."""
        if found := matching(self.loaded.pods, words):
            self._accept()
            return self._list(found, generation=self.settings.generation, question=self.settings.question)
        self._refuse("Nothing found.", [f'no pod has "{words}" in its name'])
        return self

    def ask(self, pod: str, question: str = WHY, generation: str = LATEST) -> Self:
        """Choose a pod ``namespace/name`` and a question. ValueError if there is no such pod or question."""
        if pod not in self.loaded.pods:
            there = count(len(self.loaded.pods), "pod")
            raise ValueError(f'no pod "{pod}" among {there}; the first is {self.loaded.pods[0]}')
        return self._list(matching(self.loaded.pods, "", pod), pod=pod, question=question, generation=generation)

    def restore(self, text: str) -> Self:
        """Apply the settings in this text. ValueError says what is wrong with the text."""
        named = dict(part.strip().split(": ", 1) for part in text.split(",") if ": " in part)
        pod = named.get("pod", self.settings.pod)
        if pod not in self.loaded.pods:
            return self.ask(pod)
        listed = settings_of(matching(self.loaded.pods, "", pod))
        return self._list([*listed.controls()["pod"].values], **vars(listed.parse(text)))

    def _list(self, pods: list[str], **values: str) -> Self:
        settings = settings_of(pods)()
        self.answers: Panel[Any] = Panel(
            settings.changed(**values), lambda settings: show(self.loaded, settings, self._plugins)
        )
        self._box.children = [self.answers.stage()]
        return self

    # -- looking

    def __repr__(self) -> str:
        return "\n".join([*map(visible, [self.loaded.sentence, *self.problems]), repr(self.answers)])

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The live widget, and the output that a saved notebook shows without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": repr(self), "text/html": str(self.still())}

    def still(self) -> Html:
        """The panel's current state without controls."""
        wrong = (element("li", problem) for problem in self.problems)
        read = element("div", element("p", self.loaded.sentence), element("ul", *wrong), style=CARD)
        return join([read, self.answers.still()])

    def _loader(self) -> ipywidgets.Widget:
        """The inputs for another cluster: a file, a path, or text."""
        upload = ipywidgets.FileUpload(accept=".yaml,.yml,.json,.gz", multiple=True, description="Upload files")
        path = ipywidgets.Text(placeholder="/path/to/cluster.yaml", description="path", layout={"width": "30em"})
        text = ipywidgets.Textarea(placeholder=PASTE, rows=6, layout={"width": "100%"})
        by_path, by_text, back = (
            ipywidgets.Button(description=words, layout={"width": "auto", "align_self": "flex-start"})
            for words in ("Load path", "Load text", "Back to the bundled cluster")
        )
        upload.layout.width = "auto"
        upload.observe(lambda _: self._uploaded(upload), "value")
        by_path.on_click(lambda _: self.load(path.value))
        by_text.on_click(lambda _: self.paste(text.value))
        back.on_click(lambda _: self._take(bundled()))
        inside = ipywidgets.VBox(
            [ipywidgets.HBox([upload, path, by_path, back], layout={"flex_flow": "row wrap"}), text, by_text],
            layout={"display": "none"},
        )
        opened = ipywidgets.ToggleButton(
            description="Another cluster",
            tooltip="upload, paste or a path; it stays here",
            layout={"width": "auto", "align_self": "flex-start"},
        )
        opened.observe(lambda change: setattr(inside.layout, "display", "" if change["new"] else "none"), "value")
        return ipywidgets.VBox([opened, inside])

    def _uploaded(self, upload: ipywidgets.FileUpload) -> None:
        if upload.value:
            self.upload([(each["name"], bytes(each["content"])) for each in upload.value])
            upload.value = ()


def _file(name: str, content: bytes) -> io.BytesIO:
    """An open file; gzip is unpacked, up to the size limit."""
    if content.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(content)) as packed:
                content, name = packed.read(MAX_BYTES + 1), name.removesuffix(".gz")
        except (OSError, EOFError, zlib.error) as error:
            raise ManifestError([Problem(0, 0, name, f"can't be unpacked: {error}")]) from None
    file = io.BytesIO(content)
    file.name = name
    return file


def panel(source: str | Objects | None = None, plugins: Sequence[object] = (), **values: str) -> YourCluster:
    """The panel: on the bundled cluster, on objects that were loaded, or on a file or folder. ManifestError.

    ``plugins``: see :class:`YourCluster`.
    """
    if source is None:
        loaded = bundled()
    elif isinstance(source, Objects):
        loaded = Loaded(source, "your cluster")
    else:
        loaded = Loaded(load(Path(source)), source)
    made = YourCluster(loaded, plugins)
    return made.ask(**values) if values else made


def overview() -> Overview:
    """The pools of the bundled cluster."""
    return Overview(bundled().cluster(LATEST))


def what_helps() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "What keeps ml/train-small-0 off the nodes with GPUs?",
        {
            "the nodeSelector: 95 nodes don't match it": "Those 95 are the nodes of general. Where does it want to go?",
            "a taint that it does not tolerate": "Yes. Yet the event doesn't say which of the 103 nodes matter.",
            "there is no free GPU": "Then the event would say Insufficient nvidia.com/gpu. Does it?",
        },
    )


def how_much() -> Prediction:
    """The prediction before the search over requests."""
    return Prediction(
        "report-builder asks for 7.7 CPU. Which request would fit?",
        {
            "7.6 CPU": "A node of general has 7.91 CPU, but daemons run on every node, and so do other pods.",
            "about 3 CPU": "So much is free on nodes of spot and data. Do they let it in?",
            "about 1.3 CPU": "Yes: no node that lets it in has more left.",
        },
    )


def there_again() -> Prediction:
    """The prediction before a running pod is decided again."""
    return Prediction(
        "A pod runs on a node. Taken off and decided again, does it come back there?",
        {
            "always": "The scheduler chose that node once. What has happened on the other nodes since?",
            "not always": "Right: only the nodes as they are now count; nothing remembers the first choice.",
        },
    )
