"""Which generation decides as the server's kube-scheduler does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from kschedlab.generations import GENERATIONS, LATEST
from kschedlab.generations.between import minor, neighbours
from kschedlab_live.kubectl import Kubectl, KubectlError, decoded


class Server(NamedTuple):
    """``version``: the server's, "" if unknown. ``generation``: the nearest; ``exact``: whether it is of that minor."""

    version: str
    generation: str
    exact: bool

    @property
    def sentence(self) -> str:
        """Which generation decides, and why; "" if it is the server's own."""
        if self.exact:
            return ""
        if not self.version:
            return f"The server's version is unknown: decided as {self.generation} does."
        return f"The server is {self.version}: decided as {self.generation}, the nearest known."


def server_of(text: str) -> Server:
    """The server, by what ``kubectl version --output=json`` printed."""
    data: Any = decoded(text)
    server = data.get("serverVersion") if isinstance(data, dict) else None
    version = str(server.get("gitVersion", "")) if isinstance(server, dict) else ""
    match = re.match(r"v1\.(\d{1,3})\b", version)
    if match is None:
        return UNKNOWN
    named = f"v1.{int(match[1])}"
    return Server(named, nearest(named), named in GENERATIONS)


def nearest(version: str) -> str:
    """The generation of that version; else the one from which the fewest changes separate it, by the history."""
    if version in GENERATIONS:
        return version
    between = neighbours(version)
    if between is not None:
        return between.nearest
    return LATEST if minor(version) > minor(LATEST) else next(iter(GENERATIONS))


UNKNOWN = Server("", LATEST, False)
OF_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
"""The file in a pod with the namespace of its service account."""


class KubectlContext(NamedTuple):
    """kubectl's context: its name ("" without one) and its namespace."""

    name: str
    namespace: str


def context_of(kubectl: Kubectl) -> KubectlContext:
    """The context that kubectl uses. Without a kubeconfig, in a pod, it is the namespace of its service account."""
    try:
        data: Any = decoded(kubectl.start("config", "view", "--minify", "--output=json")())
        (context,) = data["contexts"]
        return KubectlContext(str(context["name"]), str(context["context"].get("namespace") or "default"))
    except (KubectlError, KeyError, TypeError, ValueError):
        return KubectlContext("", _of_service_account())


def _of_service_account() -> str:
    try:
        return OF_ACCOUNT.read_text(encoding="utf-8").strip() or "default"
    except (OSError, ValueError):
        return "default"
