"""The kubeconfig of a server: where it is, and its token."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from kschedlab.manifests.sources import read_one
from kschedlab.objects.problems import ManifestError

NAME = "kschedlab"
DEFAULT = "kschedlab.kubeconfig"
"""The file that is written by default, in the current folder."""

_TEXT = """\
apiVersion: v1
kind: Config
clusters:
- name: {name}
  cluster:
    server: {server}
    proxy-url: {proxy}
contexts:
- name: {name}
  context: {{cluster: {name}, user: {name}, namespace: default}}
current-context: {name}
users:
- name: {name}
  user: {{}}
"""


class KubeconfigError(Exception):
    """The kubeconfig cannot be written or read; the message says why and what to do."""


def server_url(port: int, token: str) -> str:
    """The address of the server, with the token in its path."""
    return f"http://127.0.0.1:{port}/{token}"


def check_free(path: Path) -> None:
    """KubeconfigError if the file exists and is not the kubeconfig of such a server: it would be lost."""
    if path.exists() and _server_in(path) is None:
        raise KubeconfigError(
            f"{path}: is not a kubeconfig of kschedlab serve, and stays: name another file (--kubeconfig)"
        )


def write(path: Path, port: int, token: str) -> None:
    """Write the file at once and whole, readable for its owner alone. KubeconfigError."""
    check_free(path)
    proxy = f"http://{NAME}:{token}@127.0.0.1:{port}"
    text = _TEXT.format(name=NAME, server=server_url(port, token), proxy=proxy)
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        raise KubeconfigError(f"{path}: cannot be written: {error.strerror or error}") from None


def remove(path: Path, port: int, token: str) -> None:
    """Remove the file, if it is still this server's."""
    if names(path, port, token):
        path.unlink(missing_ok=True)


def names(path: Path, port: int, token: str) -> bool:
    """Whether the file is this server's."""
    return _server_in(path) == server_url(port, token)


def read(path: Path) -> str:
    """The server's address. KubeconfigError if there is none."""
    if not path.exists():
        raise KubeconfigError(f"{path}: does not exist: start kschedlab serve, or name its kubeconfig (--kubeconfig)")
    server = _server_in(path)
    if server is None:
        raise KubeconfigError(f"{path}: is not a kubeconfig of kschedlab serve: name another file (--kubeconfig)")
    return server


def _server_in(path: Path) -> str | None:
    """The address of the server that a kubeconfig of ours names."""
    try:
        roots = read_one(path).compose().roots
    except (ManifestError, OSError):
        return None
    config: Any = roots[0][0] if len(roots) == 1 else None
    clusters = config.get("clusters") if isinstance(config, dict) else None
    first = clusters[0] if isinstance(clusters, list) and len(clusters) == 1 else None
    if not isinstance(first, dict) or first.get("name") != NAME or not isinstance(first.get("cluster"), dict):
        return None
    server = first["cluster"].get("server")
    return server if isinstance(server, str) and server.startswith("http://127.0.0.1:") else None
