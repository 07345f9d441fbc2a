"""Where lesson 07's cluster comes from: the bundled one, or files."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import GENERATIONS, LATEST
from kschedlab.manifests.loading import ManifestError, Objects, load, loads
from kschedlab.manifests.sources import KUBECTL_KINDS, MAX_BYTES
from kschedlab.messages import later, say
from kschedlab.objects.api import Api
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.problems import Problem, expected
from kschedlab.text.words import count

BUNDLED = later("the bundled cluster")
COMMAND = f"kubectl get {KUBECTL_KINDS} -A -o json | gzip > cluster.json.gz"
"""What writes a cluster into a file."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """A loaded cluster and the name of its source. ManifestError if it has no nodes or no pods."""

    objects: Objects
    name: str
    _clusters: dict[Api, Cluster] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.objects.nodes or not self.pods:
            what = later(
                "there are no pods in it; try: {command}"
                if self.objects.nodes
                else "there are no nodes in it; try: {command}"
            )
            raise ManifestError([Problem(0, 0, self.name, say(what, command=COMMAND))])

    def cluster(self, generation: str) -> Cluster:
        """The cluster as that generation's API server would store it."""
        api = GENERATIONS[generation].api
        if api not in self._clusters:
            self._clusters[api] = Cluster(self.objects, api)
        return self._clusters[api]

    @cached_property
    def pods(self) -> tuple[str, ...]:
        """All pods ``namespace/name``: pending ones first, then running ones."""
        cluster = self.cluster(LATEST)
        return (*cluster.pending, *sorted(cluster.pods.row_of), *sorted(cluster.without_node))

    @property
    def missing(self) -> list[str]:
        """The kinds that a decision reads and that were not read, as ``kubectl get`` takes them."""
        read = {RESOURCES[kind].name for kind in RESOURCES if self.objects.report.counts.get(kind.__name__)}
        return [name for name in KUBECTL_KINDS.split(",") if name not in read]

    @property
    def sentence(self) -> str:
        """What was read."""
        cluster = self.cluster(LATEST)
        running = len(cluster.pods.row_of) + len(cluster.without_node)
        nodes, waiting = count(len(cluster.nodes), "node"), len(cluster.pending)
        return say(
            "{name}: {nodes}, {pods}, {waiting:,} pending.",
            name=say(self.name),
            nodes=nodes,
            pods=count(running, "running pod"),
            waiting=waiting,
        )


@cache
def bundled() -> Loaded:
    """The default cluster (tools/make_cluster.py)."""
    content = files("kschedlab_lab.panels").joinpath("bundled.json.gz").read_bytes()
    return Loaded(loads(gzip.decompress(content).decode(), "bundled.json"), BUNDLED)


def from_paths(paths: Iterable[str]) -> Loaded:
    """Files or folders. ManifestError with all problems."""
    given = tuple(paths)
    if wrong := [each for each in given if not isinstance(each, str | os.PathLike)]:
        raise expected(later("the path of a file or a folder"), wrong[0])
    return Loaded(load(*map(Path, given)), ", ".join(map(str, given)))


def from_path(text: str) -> Loaded:
    """The file or folder that somebody types. ManifestError with all problems, also for a whole file system."""
    path = Path(text).expanduser()
    if path.resolve().parent == path.resolve():
        raise ManifestError([Problem(0, 0, text, later("is the whole file system: name a file or a folder in it"))])
    return from_paths([str(path)])


def from_files(given: Iterable[tuple[str, bytes]]) -> Loaded:
    """Files by name and content; gzip is unpacked. ManifestError with all problems."""
    opened = list(given)
    return Loaded(load(*(_file(*each) for each in opened)), ", ".join(name for name, _ in opened))


def _file(name: str, content: bytes) -> io.BytesIO:
    """An open file; gzip is unpacked, up to the size limit."""
    if content.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(content)) as packed:
                content, name = packed.read(MAX_BYTES + 1), name.removesuffix(".gz")
        except (OSError, EOFError, zlib.error) as error:
            raise ManifestError([Problem(0, 0, name, say("can't be unpacked: {error}", error=error))]) from None
    file = io.BytesIO(content)
    file.name = name
    return file
