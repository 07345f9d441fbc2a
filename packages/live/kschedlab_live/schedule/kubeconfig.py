"""Where a cluster is and how to log in: a kubeconfig, or the service account of the pod that we run in.

v1.37: k8s.io/client-go tools/clientcmd (client_config.go, loader.go), rest/config.go (InClusterConfig).
"""

from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from kschedlab.manifests.sources import read_one
from kschedlab.objects.problems import quoted

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod finds its service account."""


class AccessError(Exception):
    """The cluster cannot be reached this way; the message says why and what to do. It never holds a secret."""


class Exec(msgspec.Struct, frozen=True, rename="camel"):
    """A program that prints credentials."""

    command: str = ""
    args: tuple[str, ...] | None = None
    env: tuple[dict[str, str], ...] | None = None
    api_version: str = "client.authentication.k8s.io/v1"
    install_hint: str = ""
    provide_cluster_info: bool = False


class _User(msgspec.Struct, frozen=True, rename="kebab"):
    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    token: str = ""
    token_file: str = msgspec.field(default="", name="tokenFile")
    username: str = ""
    password: str = ""
    exec: Exec | None = None
    auth_provider: Any = None


class _Cluster(msgspec.Struct, frozen=True, rename="kebab"):
    server: str = ""
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""
    proxy_url: str = ""


class _Context(msgspec.Struct, frozen=True):
    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _NamedCluster(msgspec.Struct, frozen=True):
    name: str
    cluster: _Cluster


class _NamedUser(msgspec.Struct, frozen=True):
    name: str
    user: _User | None = None


class _NamedContext(msgspec.Struct, frozen=True):
    name: str
    context: _Context


class _Config(msgspec.Struct, frozen=True, rename="kebab"):
    clusters: tuple[_NamedCluster, ...] | None = None
    users: tuple[_NamedUser, ...] | None = None
    contexts: tuple[_NamedContext, ...] | None = None
    current_context: str = ""


@dataclass(frozen=True)
class Access:
    """How to reach a cluster.

    ``server``: its URL; ``authority``: the certificate that it must have been signed by, PEM (empty: the system's);
    ``certificate``, ``key``: the client's, PEM; ``token_file``: is read again, because such tokens expire.
    ``origin``: what messages call it.
    """

    server: str
    authority: str = ""
    server_name: str = ""
    proxy: str = ""
    certificate: bytes = b""
    key: bytes = b""
    token: str = ""
    token_file: str = ""
    basic: tuple[str, str] | None = None
    exec: Exec | None = None
    namespace: str = ""
    origin: str = "kubeconfig"

    def __repr__(self) -> str:
        """Without the secrets."""
        return f"Access({self.place!r}, origin={self.origin!r})"

    @property
    def place(self) -> str:
        """The server without the path of its URL, which may hold a secret."""
        url = urlsplit(self.server)
        return f"{url.scheme}://{url.netloc.rpartition('@')[2]}"

    @property
    def is_local(self) -> bool:
        """Whether the server is this machine."""
        host = urlsplit(self.server).hostname or ""
        return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def find_access(
    path: str | None,
    context: str | None = None,
    environ: Mapping[str, str] = os.environ,
    account: Path = SERVICE_ACCOUNT,
) -> Access:
    """The access by this kubeconfig; by default the pod's service account, ``$KUBECONFIG`` or ``~/.kube/config``.

    AccessError, and ManifestError if the file is no YAML.
    """
    if path is None and environ.get("KUBERNETES_SERVICE_HOST") and (account / "token").exists():
        return in_cluster(environ, account)
    if path is None:
        listed = [each for each in environ.get("KUBECONFIG", "").split(os.pathsep) if each]
        if len(listed) > 1:
            raise AccessError("KUBECONFIG names several files: choose one with --kubeconfig FILE")
        path = listed[0] if listed else str(Path.home() / ".kube" / "config")
    return from_kubeconfig(path, context)


def in_cluster(environ: Mapping[str, str] = os.environ, account: Path = SERVICE_ACCOUNT) -> Access:
    """The access of the pod that we run in."""
    host, port = environ["KUBERNETES_SERVICE_HOST"], environ.get("KUBERNETES_SERVICE_PORT", "443")
    host = f"[{host}]" if ":" in host else host
    namespace = account / "namespace"
    return Access(
        server=f"https://{host}:{port}",
        authority=_text(account / "ca.crt", "the service account"),
        token_file=str(account / "token"),
        namespace=_text(namespace, "the service account").strip() if namespace.exists() else "",
        origin="the service account",
    )


def from_kubeconfig(path: str, context: str | None = None) -> Access:
    """The access by a context of the file, its current one by default. AccessError, ManifestError."""
    config = _read(path)
    chosen = context or config.current_context
    if not chosen:
        raise AccessError(f"{path}: has no current-context: choose one with --context NAME")
    where = _named(config.contexts, chosen, "context", path).context
    cluster = _named(config.clusters, where.cluster, "cluster", path).cluster
    user = (_named(config.users, where.user, "user", path).user if where.user else None) or _User()
    folder = Path(path).parent
    access = Access(
        server=cluster.server.rstrip("/"),
        authority=_given(cluster.certificate_authority_data, cluster.certificate_authority, folder, path).decode(
            "ascii", "replace"
        ),
        server_name=cluster.tls_server_name,
        proxy=cluster.proxy_url,
        certificate=_given(user.client_certificate_data, user.client_certificate, folder, path),
        key=_given(user.client_key_data, user.client_key, folder, path),
        token=user.token,
        token_file=str(folder / user.token_file) if user.token_file else "",
        basic=(user.username, user.password) if user.username else None,
        exec=_located(user.exec, folder),
        namespace=where.namespace,
        origin=path,
    )
    _check(access, cluster, user)
    return access


def _check(access: Access, cluster: _Cluster, user: _User) -> None:
    url = urlsplit(access.server)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise AccessError(f"{access.origin}: the server {quoted(cluster.server)} is no URL such as https://HOST:6443")
    if cluster.insecure_skip_tls_verify and url.scheme == "https":
        raise AccessError(
            f"{access.origin}: insecure-skip-tls-verify is not supported, because whoever is between would get the "
            "token: put the cluster's certificate-authority-data into the file"
        )
    if user.auth_provider is not None:
        raise AccessError(f"{access.origin}: auth-provider was removed from Kubernetes: use an exec plugin")
    if bool(access.certificate) != bool(access.key):
        raise AccessError(f"{access.origin}: a client certificate needs its key, and a key its certificate")
    secret = access.token or access.token_file or access.basic or access.exec
    if secret and url.scheme == "http" and not access.is_local:
        raise AccessError(f"{access.origin}: a token is not sent over plain http: use https")


def _read(path: str) -> _Config:
    text = read_one(path)
    documents = [data for data, _ in text.compose().roots if data is not None]
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise AccessError(f"{path}: is not a kubeconfig: expected one document with clusters, users and contexts")
    try:
        return msgspec.convert(documents[0], _Config)
    except msgspec.ValidationError as error:  # its message has the place, and no value
        raise AccessError(f"{path}: is not a kubeconfig: {error}") from None


N = TypeVar("N", _NamedCluster, _NamedUser, _NamedContext)


def _named(entries: tuple[N, ...] | None, name: str, kind: str, path: str) -> N:
    for each in entries or ():
        if each.name == name:
            return each
    there = ", ".join(quoted(each.name) for each in entries or ()) or "none"
    raise AccessError(f"{path}: no {kind} {quoted(name)}; there are: {there}")


def _given(data: str, name: str, folder: Path, path: str) -> bytes:
    """What the file holds in base64, or what the file that it names holds."""
    if data:
        try:
            return b64decode(data, validate=True)
        except ValueError:
            raise AccessError(f"{path}: a field that ends in -data is not base64") from None
    return _text(folder / name, path).encode() if name else b""


def _located(program: Exec | None, folder: Path) -> Exec | None:
    """The program; a path that is relative starts in the kubeconfig's folder, as for kubectl."""
    if program is None or os.sep not in program.command or os.path.isabs(program.command):
        return program
    return msgspec.structs.replace(program, command=str((folder / program.command).absolute()))


def _text(path: Path, origin: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "is not text"
        raise AccessError(f"{origin}: {path} cannot be read: {why}") from None


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
