"""Who we are to the API server: a token, a client certificate, or what an exec plugin prints.

v1.37: k8s.io/client-go plugin/pkg/client/auth/exec/exec.go, transport/token_source.go.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kschedlab.objects.meta import Time
from kschedlab_live.schedule.kubeconfig import Access, AccessError, Exec

FILE_LIFE = 60.0
"""Seconds for which a token file is believed: the kubelet renews the token of a pod."""
EARLY = 10.0
"""Seconds before the end of a plugin's credentials at which it is asked again."""
PATIENCE = 60.0
"""Seconds that a plugin may take."""


@dataclass(frozen=True)
class Credentials:
    """What a request carries. ``header``: of Authorization; ``until``: when to ask again, by ``time.time()``."""

    header: str = ""
    certificate: bytes = b""
    key: bytes = b""
    until: float = float("inf")

    def __repr__(self) -> str:
        """Without the secrets."""
        return f"Credentials(until={self.until})"


class _Status(msgspec.Struct, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: str = ""


class _ExecCredential(msgspec.Struct, rename="camel"):
    api_version: str = ""
    status: _Status | None = None


class Authentication:
    """Gets the credentials, and gets them again when they expire or the server refuses them."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._current: Credentials | None = None
        self._asking = asyncio.Lock()

    @property
    def can_renew(self) -> bool:
        """Whether asking again may yield others."""
        return bool(self._access.token_file or self._access.exec)

    async def credentials(self, refused: Credentials | None = None) -> Credentials:
        """The credentials to use; ``refused``: those that the server answered with 401. AccessError."""
        async with self._asking:  # a plugin may open a browser: once is enough
            current = self._current
            if current is None or current is refused or time.time() >= current.until:
                current = self._current = await self._new()
            return current

    async def _new(self) -> Credentials:
        access = self._access
        if access.exec is not None:
            printed = await asyncio.to_thread(run_plugin, access.exec, access)
            return Credentials(
                printed.header, printed.certificate or access.certificate, printed.key or access.key, printed.until
            )
        if access.token_file:
            header, until = _bearer(_token_in(access.token_file, access.origin)), time.time() + FILE_LIFE
        elif access.basic is not None:
            header, until = "Basic " + b64encode(":".join(access.basic).encode()).decode(), float("inf")
        else:
            header, until = _bearer(access.token) if access.token else "", float("inf")
        return Credentials(header, access.certificate, access.key, until)


def run_plugin(program: Exec, access: Access) -> Credentials:
    """What the plugin prints. AccessError; what it prints is never shown, because it is a secret."""
    environment = os.environ | {each["name"]: each.get("value", "") for each in program.env or () if "name" in each}
    environment["KUBERNETES_EXEC_INFO"] = json.dumps(_request(program, access))
    name = f"{access.origin}: the exec plugin {program.command}"
    try:
        done = subprocess.run(
            [program.command, *(program.args or ())],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except OSError as error:
        hint = f". {program.install_hint.strip()}" if program.install_hint else ""
        raise AccessError(f"{name} cannot be run: {error.strerror or error}{hint}") from None
    except subprocess.TimeoutExpired:
        raise AccessError(f"{name} did not end in {PATIENCE:.0f} s: it cannot ask questions here") from None
    if done.returncode:
        raise AccessError(f"{name} failed with status {done.returncode}: run it by hand to see why")
    try:
        answer = msgspec.json.decode(done.stdout, type=_ExecCredential)
        status = answer.status or _Status()
        until = Time.parse(status.expiration_timestamp) / 1e6 - EARLY if status.expiration_timestamp else float("inf")
    except ValueError:
        raise AccessError(f"{name} printed no ExecCredential") from None
    if answer.api_version != program.api_version:
        raise AccessError(f"{name} printed another apiVersion than the {program.api_version} of the kubeconfig")
    if not status.token and not (status.client_certificate_data and status.client_key_data):
        raise AccessError(f"{name} printed neither a token nor a client certificate with its key")
    return Credentials(
        _bearer(status.token) if status.token else "",
        status.client_certificate_data.encode(),
        status.client_key_data.encode(),
        until,
    )


def _request(program: Exec, access: Access) -> dict[str, object]:
    spec: dict[str, object] = {"interactive": False}
    if program.provide_cluster_info:
        authority = b64encode(access.authority.encode()).decode()
        spec["cluster"] = {"server": access.server, "certificate-authority-data": authority}
    return {"apiVersion": program.api_version, "kind": "ExecCredential", "spec": spec}


def _bearer(token: str) -> str:
    if not token.isascii() or not token.isprintable() or " " in token:
        raise AccessError("the token has characters that no token has")
    return f"Bearer {token}"


def _token_in(path: str, origin: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise AccessError(f"{origin}: {path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
