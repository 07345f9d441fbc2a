"""Lets programs of this machine in that know the token, and no browsers.

The server listens on 127.0.0.1 only. A web page that somebody opens could still send requests to it, so requests from
pages (Origin), and for another name than this machine's (Host; DNS rebinding), are refused. kubectl sends no token over
plain HTTP (k8s.io/client-go tools/clientcmd/client_config.go), so the token is the first part of the server's path.
``kubectl get --raw`` replaces the path; therefore the kubeconfig names the server as its own proxy, to which Go's
client sends whole addresses and ``Proxy-Authorization``. ``Authorization: Bearer`` works as well.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Iterable

from kschedlab_live.wire.statuses import failure

HEALTH = ("/healthz", "/livez", "/readyz")
"""Anybody on this machine may ask whether the server lives."""

_HERE = ("127.0.0.1", "localhost")
Headers = Iterable[tuple[bytes, bytes]]


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def checked_path(path: str, headers: Headers, token: str, port: int) -> str:
    """The path without the token. ApiError (401, 403) if the request may not be answered."""
    known: dict[bytes, list[str]] = {}
    for name, value in headers:
        known.setdefault(name.lower(), []).append(value.decode("latin-1"))
    hosts = known.get(b"host", [])
    if len(hosts) != 1 or hosts[0].lower() not in {f"{name}:{port}" for name in _HERE}:
        raise failure(403, "Forbidden", f"this server answers requests to 127.0.0.1:{port} only")
    if b"origin" in known or known.get(b"sec-fetch-site", ["none"])[0] not in ("none", "same-origin"):
        raise failure(403, "Forbidden", "this server answers no web pages: use kubectl")
    for here in _HERE:
        path = path.removeprefix(f"http://{here}:{port}")
    if path in HEALTH:
        return path
    first, slash, rest = path.removeprefix("/").partition("/")
    if slash and _same(first, token):
        return f"/{rest}"
    bearer = known.get(b"authorization", [""])[0]
    if bearer.startswith("Bearer ") and _same(bearer.removeprefix("Bearer "), token):
        return path
    proxied = known.get(b"proxy-authorization", [""])[0]
    if proxied.startswith("Basic ") and _same(_password(proxied.removeprefix("Basic ")), token):
        return path
    raise failure(401, "Unauthorized", "Unauthorized: use the kubeconfig that kschedlab serve has written")


def _password(credentials: str) -> str:
    """The password of ``user:password`` in base64; "" if it is none."""
    try:
        return base64.b64decode(credentials, validate=True).decode("utf-8").partition(":")[2]
    except ValueError:
        return ""


def _same(header: str, token: str) -> bool:
    """Whether the two are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(header.encode(), token.encode())
