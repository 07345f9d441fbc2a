"""From a question to what is needed for its answer: the cluster, the server's generation, the configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kschedlab.generations import Generation
from kschedlab_live.kubectl import Kubectl, KubectlError
from kschedlab_live.why.configuration import configured
from kschedlab_live.why.reading import Reader, key_of
from kschedlab_live.why.version import UNKNOWN, Server, server_of
from kschedlab_why.answer import Setting

Asks = Callable[[dict[str, Any]], bool]
"""Whether a pod, as plain data, is asked about."""


def asks_for(namespace: str, name: str) -> Asks:
    """This pod alone."""
    return lambda pod: key_of(pod) == (namespace, name)


def asks_pending(namespace: str) -> Asks:
    """Every pod without a node, in that namespace or, for "", in all."""

    def asks(pod: dict[str, Any]) -> bool:
        spec, status = ({**part} if isinstance(part := pod.get(name), dict) else {} for name in ("spec", "status"))
        here = not namespace or key_of(pod)[0] == namespace
        return here and not spec.get("nodeName") and status.get("phase") not in ("Succeeded", "Failed")

    return asks


def gather(
    kubectl: Kubectl, namespace: str, asks: Asks, given: Mapping[str, Generation] | None, generation: str | None
) -> Setting:
    """Read what the answer needs. ``given``: profiles of a file; ``generation``: the user's choice. KubectlError."""
    version = kubectl.start("version", "--output=json", "--request-timeout=30s")
    reader = Reader(kubectl, namespace)
    reading = reader.read(asks)
    if not reading.objects.pods and "pods" not in reading.readable:
        why = next(gap.why for gap in reading.gaps if gap.what == "pods")
        raise KubectlError(f"pods are not readable: {why}")
    if given and generation is None:
        generation = next(iter(given.values())).name
    server = server_with(version, generation)
    notes = [server.sentence] if server.sentence else []
    if given is None:
        configuration = configured(kubectl, reader.programs, "pods" in reading.readable, server.generation)
        given, notes = configuration.profiles, [*notes, *configuration.notes]
    return Setting.of(reading, given, server.version, notes)


def server_with(version: Callable[[], str], generation: str | None) -> Server:
    """The server's version, and the generation that decides: the user's choice, or the nearest."""
    try:
        server = server_of(version())
    except KubectlError:
        server = UNKNOWN
    return Server(server.version, generation, True) if generation is not None else server
