"""Finds the cluster and logs in: as the service account of our pod, or as kubectl does.

With a kubeconfig, ``kubectl proxy`` logs in, with whatever the file says: certificates, tokens, programs that print
credentials, several files. It passes our requests on. Its socket is in a folder that only this user can open.

In a pod there is no kubectl. v1.37: k8s.io/client-go rest/config.go (InClusterConfig).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from kschedlab.objects.problems import safe_text
from kschedlab_live.kubectl import Kubectl, KubectlError, decoded, words

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""The folder in a pod with its service account."""
PATIENCE = 10.0
"""Seconds in which ``kubectl proxy`` may end."""


class AccessError(Exception):
    """The cluster cannot be reached this way; the message says why and what to do. It never holds a secret."""


@dataclass(frozen=True)
class Access:
    """Access to a cluster.

    ``server``: the URL that requests go to; ``place``: what messages call the cluster. ``authority``: the file with the
    certificates that the server's must be signed by ("": the system's); ``token``: the file with the token.
    ``namespace``: that of the pod that we run in. ``socket``, ``proxy``: of ``kubectl proxy``.
    """

    server: str
    place: str = ""
    authority: str = ""
    token: str = ""
    namespace: str = ""
    socket: str = ""
    proxy: Popen[bytes] | None = None

    @property
    def fault(self) -> str:
        """Why the cluster cannot be reached any more, or ""."""
        if self.proxy is None or self.proxy.poll() is None:
            return ""
        return f"kubectl proxy has ended with status {self.proxy.returncode}"


@contextmanager
def reached(
    kubeconfig: str | None,
    context: str | None = None,
    environ: Mapping[str, str] = os.environ,
    account: Path = SERVICE_ACCOUNT,
) -> Iterator[Access]:
    """The access of the pod that we run in; otherwise kubectl's, by this kubeconfig and context. AccessError."""
    if (
        kubeconfig is None
        and context is None
        and environ.get("KUBERNETES_SERVICE_HOST")
        and (account / "token").exists()
    ):
        yield in_cluster(environ, account)
        return
    if kubeconfig is not None and not os.path.exists(kubeconfig):
        raise AccessError(f"{kubeconfig}: there is no such file")
    flags = [f"--kubeconfig={kubeconfig}"] if kubeconfig is not None else []
    flags += [f"--context={context}"] if context is not None else []
    try:
        with TemporaryDirectory(prefix="kschedlab-") as folder, _proxy(tuple(flags), folder) as access:
            yield access
    except KubectlError as error:
        raise AccessError(f"kubectl: {error}") from None


def in_cluster(environ: Mapping[str, str], account: Path = SERVICE_ACCOUNT) -> Access:
    """The access of the pod that we run in. AccessError."""
    host, port = environ["KUBERNETES_SERVICE_HOST"], environ.get("KUBERNETES_SERVICE_PORT", "443")
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    try:
        namespace = (account / "namespace").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        namespace = ""
    return Access(server, server, str(account / "ca.crt"), str(account / "token"), namespace)


@contextmanager
def _proxy(flags: tuple[str, ...], folder: str) -> Iterator[Access]:
    """``kubectl proxy``, until the end of the block. KubectlError, with kubectl's own words."""
    kubectl = Kubectl(flags)
    try:
        place = _place(decoded(kubectl.start("config", "view", "--minify", "--output=json")()))
    except KubectlError as error:
        raise KubectlError(f"{error}: name a file with --kubeconfig, or a context in it with --context") from None
    socket = os.path.join(folder, "kubectl")
    with TemporaryFile() as errors:
        proxy = kubectl.popen(
            "proxy",
            f"--unix-socket={socket}",
            "--append-server-path",
            "--reject-paths=^$",  # by default it would refuse a pod "exec" in a namespace "pods"
            stderr=errors,
            apart=True,  # Ctrl-C stops us first: we still have to give the lease up
        )
        try:
            assert proxy.stdout is not None
            if not proxy.stdout.readline():  # it says where it serves, or nothing
                proxy.wait()
                errors.seek(0)
                raise KubectlError(words(errors.read().decode("utf-8", "replace")))
            yield Access("http://localhost", place, socket=socket, proxy=proxy)
        finally:
            proxy.terminate()
            proxy.communicate(timeout=PATIENCE)


def _place(config: Any) -> str:
    """The cluster in the output of ``kubectl config view``, without the path of its URL, which may hold a secret."""
    try:
        (cluster,) = config["clusters"]
        url = urlsplit(cluster["cluster"]["server"])
        return safe_text(f"{url.scheme}://{url.netloc.rpartition('@')[2]}")
    except (KeyError, TypeError, ValueError):
        raise KubectlError("the kubeconfig's context names no cluster with a server") from None
