"""``kubectl why --watch``: two watches of kubectl, pods and nodes, and the shadow that judges what they bring.

The watches start before the cluster is read. What they repeat of it is older, and is passed over; so nothing that
happens in between is lost. When the server ends a watch, all begins again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from queue import Empty, Queue
from tempfile import TemporaryFile
from textwrap import wrap
from threading import Thread
from typing import IO, Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Generation
from kschedlab.manifests.loading import ManifestError, Objects, decode_objects
from kschedlab.objects.model import Pod, ReplicaSet, ReplicationController, Service, StatefulSet, controller_of
from kschedlab.objects.problems import safe_text
from kschedlab.program.terminal.screen import Screen
from kschedlab.program.terminal.writer import written
from kschedlab.text.sections import Section
from kschedlab.text.words import count
from kschedlab_live.kubectl import Kubectl, KubectlError, decoded, words
from kschedlab_live.why.asking import asks_pending, gather
from kschedlab_live.why.reading import EVERYWHERE, OWNERS, lean
from kschedlab_live.why.shadow import ALIKE, APART, OTHERWISE, SAMPLED, TIE, Shadow, Verdict
from kschedlab_why.answer import Setting
from kschedlab_why.text import setting_sections

INTERRUPTED = 130
BRIEF, TRIES = 2.0, 3
"""A watch that ends within so many seconds so many times cannot be followed."""
OUTAGE = 15
"""The number of attempts to read a cluster that has become unreadable."""
TICK = 0.25
SAYS = {
    ALIKE: "as we decide",
    TIE: "as we decide",
    OTHERWISE: "OTHERWISE",
    SAMPLED: "not the best of all",
    APART: "not compared",
}
OWNER_KINDS = ("ReplicaSet", "StatefulSet", "ReplicationController")

Print = Callable[[str], None]


def watch(
    kubectl: Kubectl,
    namespace: str,
    given: Mapping[str, Generation] | None,
    generation: str | None,
    screen: Screen,
) -> int:
    """Follow the cluster until Ctrl-C. KubectlError if it cannot be read any more; the agreement is printed first."""

    def out(text: str) -> None:
        screen.write(f"{text}\n")
        screen.out.flush()

    shadow: Shadow | None = None
    brief = 0
    try:
        while brief < TRIES:
            began = time.monotonic()
            with Streams(kubectl) as streams:
                setting = _read(kubectl, given, generation, patient=shadow is not None, out=out)
                if shadow is None:
                    shadow = Shadow(cluster_of(setting), setting.profiles, namespace)
                    screen.print(*written(_begin(setting), screen), "")
                else:
                    shadow.cluster = cluster_of(setting)
                _follow(streams, kubectl, shadow, setting.reading.objects, screen.width, out)
            brief = brief + 1 if time.monotonic() - began < BRIEF else 0
        raise KubectlError(f"the watch ends again and again{streams.why()}")
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if shadow is not None:
            out(f"\n{shadow.summary()}")


def _read(
    kubectl: Kubectl, given: Mapping[str, Generation] | None, generation: str | None, patient: bool, out: Print
) -> Setting:
    """The cluster. ``patient``: try again for a while if it cannot be read, as while an API server restarts."""
    for _ in range(OUTAGE if patient else 0):
        try:
            return gather(kubectl, "", asks_pending(""), given, generation)
        except KubectlError as error:
            out(f"{datetime.now():%H:%M:%S}  the cluster cannot be read: {safe_text(str(error))}")
            time.sleep(BRIEF)
    return gather(kubectl, "", asks_pending(""), given, generation)


def cluster_of(setting: Setting) -> Cluster:
    """The cluster, if all of it is readable. KubectlError."""
    if setting.cluster is None or setting.reading.readable != {"nodes", "pods"}:
        raise KubectlError("nodes and pods of all namespaces must be readable to follow the cluster")
    return setting.cluster


def _begin(setting: Setting) -> Iterator[Section]:
    cluster = cluster_of(setting)
    yield Section(
        f"Following {count(len(cluster.nodes), 'node')} and {count(len(cluster.pod_keys()), 'pod')}, "
        f"{len(cluster.pending):,} of them pending; decided as {setting.generation}. Ctrl-C ends it."
    )
    yield from setting_sections(setting)


def _follow(streams: Streams, kubectl: Kubectl, shadow: Shadow, listed: Objects, width: int, out: Print) -> None:
    """Judge what the watches bring, until one of them ends."""
    versions = {_name(obj): _version(obj) for obj in (*listed.nodes, *listed.pods)}
    owners = {_name(obj)[1:] for obj in _owners(listed)}
    for event in streams:
        if event is None:
            verdicts: Iterator[Verdict] = shadow.tick(time.monotonic())
        else:
            kind, data = event
            if kind == "ERROR":
                return
            changed = _object(data)
            if changed is None or (kind != "DELETED" and _version(changed) <= versions.get(_name(changed), -1)):
                continue
            versions[_name(changed)] = _version(changed)
            gone = kind == "DELETED"
            if isinstance(changed, Pod):
                if not gone and not changed.spec.nodeName:
                    _learn_owner(kubectl, shadow, changed, owners)
                verdicts = shadow.pod(changed.key, None if gone else changed, time.monotonic())
            else:
                shadow.node(changed.metadata.name, None if gone else changed)
                verdicts = shadow.tick(time.monotonic())
        for verdict in verdicts:
            out(line(verdict, width))


def line(verdict: Verdict, width: int) -> str:
    """A decision as a line or a few."""
    begin = f"{datetime.now():%H:%M:%S}  "
    text = f"{verdict.pod} {verdict.did} - {SAYS[verdict.kind]}: {verdict.why}"
    wrapped = wrap(safe_text(text), width, initial_indent=begin, subsequent_indent=" " * 10, break_on_hyphens=False)
    return "\n".join(wrapped)


# -- objects


def _object(data: Any) -> Any:
    """The node or pod; None if it cannot be understood."""
    try:
        objects = decode_objects([lean(data)])
    except ManifestError:
        return None
    return next(iter((*objects.pods, *objects.nodes)), None)


def _name(obj: Any) -> tuple[str, str, str]:
    return type(obj).__name__, obj.metadata.namespace, obj.metadata.name


def _version(obj: Any) -> int:
    """The resource version, which grows (an API server's are numbers: v1.35, KEP-5504); 0 if it is none."""
    text = obj.metadata.resourceVersion
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _owners(objects: Objects) -> list[ReplicaSet | StatefulSet | ReplicationController]:
    return [*objects.of(ReplicaSet), *objects.of(StatefulSet), *objects.of(ReplicationController)]


def _learn_owner(kubectl: Kubectl, shadow: Shadow, pod: Pod, known: set[tuple[str, str]]) -> None:
    """Read what the default spreading needs of a pod whose owner is new."""
    owner = controller_of(pod.metadata)
    if owner is None or owner.kind not in OWNER_KINDS or (pod.metadata.namespace, owner.name) in known:
        return
    known.add((pod.metadata.namespace, owner.name))
    try:
        raws = [decoded(item) for item in kubectl.items(",".join(OWNERS), f"--namespace={pod.metadata.namespace}")]
        objects = decode_objects(raws)
    except (KubectlError, ManifestError):
        return
    known.update(_name(obj)[1:] for obj in _owners(objects))
    shadow.cluster.change_objects([*objects.of(Service), *_owners(objects)])


# -- kubectl's watches


class Streams:
    """Two ``kubectl get --watch``. Iterating yields (type, object) of each event, and None when nothing comes."""

    def __init__(self, kubectl: Kubectl) -> None:
        self._queue: Queue[bytes | None] = Queue(10_000)
        self._errors = TemporaryFile()  # noqa: SIM115  # it lives as long as the watches
        options = ("--watch", "--output-watch-events", "--output=json", EVERYWHERE)
        self._processes = [kubectl.popen("get", kind, *options, stderr=self._errors) for kind in ("nodes", "pods")]
        outputs = [process.stdout for process in self._processes if process.stdout is not None]
        self._threads = [Thread(target=self._read, args=(obj,), daemon=True) for obj in outputs]
        for thread in self._threads:
            thread.start()

    def _read(self, out: IO[bytes]) -> None:
        for obj in out:
            self._queue.put(obj)
        self._queue.put(None)

    def __enter__(self) -> Streams:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
        while any(thread.is_alive() for thread in self._threads):
            with suppress(Empty):
                self._queue.get(timeout=TICK)
        for process in self._processes:
            process.wait()

    def __iter__(self) -> Iterator[tuple[str, Any] | None]:
        ended = False
        while True:
            try:
                text = self._queue.get(block=not ended, timeout=TICK)
            except Empty:
                if ended:
                    return
                yield None
                continue
            if text is None:
                ended = True
                continue
            event = decoded(text)
            if isinstance(event, dict) and isinstance(event.get("object"), dict):
                yield str(event.get("type")), event["object"]

    def why(self) -> str:
        """The error that kubectl printed when a watch ended, after a colon, or ""."""
        self._errors.seek(0)
        errors = self._errors.read().decode("utf-8", "replace")
        return f": {words(errors)}" if errors.strip() else ""
