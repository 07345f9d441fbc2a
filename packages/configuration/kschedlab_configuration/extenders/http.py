"""An extender over HTTP or HTTPS, as a configuration names it. Only a configuration with extenders imports this module.

v1.37: pkg/scheduler/extender.go (NewHTTPExtender, makeTransport, send). Field names are those of extender/v1/types.go,
which has no JSON names of its own: ``Pod``, ``NodeNames``, ``FailedNodes``. Pods and nodes are sent with the fields
that this package keeps, those that the scheduler reads. The environment's proxies are not used, redirects not followed.
"""

from __future__ import annotations

import base64
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import msgspec

from kschedlab.objects.model import Node, Pod
from kschedlab.objects.problems import InputValueError, shortened
from kschedlab.objects.quantity import INT64_MAX
from kschedlab_configuration.extenders.extender import (
    BadStatusError,
    Extender,
    ExtenderError,
    Filtered,
    Returned,
    Victims,
    identity,
)
from kschedlab_configuration.fields import ExtenderTLSConfig


def value(answer: Any, name: str) -> Any:
    """The field of that name, None if it is absent."""
    if answer is None:
        return None
    if not isinstance(answer, Mapping):
        raise ExtenderError(f"the extender answered {shortened(repr(answer))} where an object with {name} is expected")
    if name in answer:
        return answer[name]
    return next((entry for key, entry in answer.items() if key.lower() == name.lower()), None)


def text(answer: Any, name: str) -> str:
    """The text in the field, "" if it is absent."""
    return str(_checked(value(answer, name), str, name, "a text") or "")


def number(answer: Any, name: str) -> int:
    """The whole number in the field, 0 if it is absent."""
    whole = int(_checked(value(answer, name), int, name, "a whole number") or 0)
    if not -INT64_MAX - 1 <= whole <= INT64_MAX:
        raise ExtenderError(f"the extender answered {name} {whole}: that number is too large")
    return whole


def items(answer: Any, name: str) -> list[Any]:
    """The list in the field, empty if it is absent."""
    return list(_checked(value(answer, name), list, name, "a list") or ())


def mapping(answer: Any, name: str) -> dict[str, Any]:
    """The object in the field, empty if it is absent."""
    return dict(_checked(value(answer, name), dict, name, "an object") or {})


def _checked(part: Any, expected: type, name: str, words: str) -> Any:
    if part is None or (isinstance(part, expected) and not isinstance(part, bool)):
        return part
    raise ExtenderError(f"the extender answered {name} {shortened(repr(part))} where {words} is expected")


DEFAULT_TIMEOUT = 5.0
"""Seconds for one call. v1.37: extender.go, DefaultExtenderTimeout."""
LONGEST = 64 << 20
"""Bytes of the longest answer that is read."""
CHUNK = 1 << 16


@dataclass(frozen=True)
class HttpConfig:
    """An entry of ``extenders``. ``timeout``: seconds; an empty verb: the extender does not do this."""

    url: str
    filter_verb: str
    prioritize_verb: str
    preempt_verb: str
    bind_verb: str
    weight: int
    ignorable: bool
    node_cache_capable: bool
    enable_https: bool
    timeout: float
    managed_resources: tuple[str, ...]
    tls: ExtenderTLSConfig


class HttpExtender(Extender):
    """Calls the extender at that URL. ValueError if the URL or the TLS configuration is wrong.

    An empty URL is accepted, as kube-scheduler accepts it: each call fails.
    """

    def __init__(self, config: HttpConfig) -> None:
        verbs = (config.filter_verb, config.prioritize_verb, config.preempt_verb, config.bind_verb)
        sends = bool(config.url) and any(verbs)
        parts = urlsplit(config.url if sends else "http://never.called")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputValueError('"{url}" is not the URL of an extender: write http://HOST:PORT/PATH', url=config.url)
        self._config, self._host, self._port = config, parts.hostname, parts.port
        self._path = parts.path.rstrip("/")
        self._tls = _context(config) if parts.scheme == "https" else None
        self._timeout = config.timeout or DEFAULT_TIMEOUT
        self.name = config.url
        self.address = config.url if sends else ""
        self.weight = config.weight
        self.ignorable = config.ignorable
        self.managed_resources = frozenset(config.managed_resources)
        self.node_cache_capable = config.node_cache_capable
        self.filters = bool(config.filter_verb)
        self.prioritizes = bool(config.prioritize_verb)
        self.preempts = bool(config.preempt_verb)
        self.binds = bool(config.bind_verb)

    def __repr__(self) -> str:
        return f"<Extender {self.name}>"

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> Filtered:
        """POST ExtenderArgs, read ExtenderFilterResult."""
        answer = self._send(self._config.filter_verb, self._arguments(pod, nodes))
        if error := text(answer, "Error"):
            raise ExtenderError(error)
        left: list[str] = []
        if self.node_cache_capable and value(answer, "NodeNames") is not None:
            left = [_name(name) for name in items(answer, "NodeNames")]
        elif (node_list := value(answer, "Nodes")) is not None:
            left = [text(value(node, "metadata"), "name") for node in items(node_list, "items")]
        failed, unresolvable = (
            {name: _name(reason) for name, reason in mapping(answer, key).items()}
            for key in ("FailedNodes", "FailedAndUnresolvableNodes")
        )
        return Filtered(left, failed, unresolvable)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Sequence[tuple[str, int]]:
        """POST ExtenderArgs, read HostPriorityList."""
        if not self.prioritizes:
            return super().prioritize(pod, nodes)
        answer = self._send(self._config.prioritize_verb, self._arguments(pod, nodes))
        return [(text(each, "Host"), number(each, "Score")) for each in items({"list": answer}, "list")]

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Returned]:
        """POST ExtenderPreemptionArgs, read ExtenderPreemptionResult."""
        whole = not self.node_cache_capable
        by_node = {
            node: {
                "Pods": [_plain(each) if whole else {"UID": identity(each)} for each in victims_there.pods],
                "NumPDBViolations": victims_there.violations,
            }
            for node, victims_there in victims.items()
        }
        arguments = {"Pod": _plain(pod), "NodeNameToVictims": None, "NodeNameToMetaVictims": None}
        arguments["NodeNameToVictims" if whole else "NodeNameToMetaVictims"] = by_node
        answer = self._send(self._config.preempt_verb, arguments)
        return {
            node: Returned([text(each, "UID") for each in items(left, "Pods")], number(left, "NumPDBViolations"))
            for node, left in mapping(answer, "NodeNameToMetaVictims").items()
        }

    def bind(self, pod: Pod, node: str) -> None:
        """POST ExtenderBindingArgs, read ExtenderBindingResult."""
        metadata = pod.metadata
        arguments = {"PodName": metadata.name, "PodNamespace": metadata.namespace, "PodUID": metadata.uid, "Node": node}
        if error := text(self._send(self._config.bind_verb, arguments), "Error"):
            raise ExtenderError(error)

    def _arguments(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, Any]:
        if self.node_cache_capable:
            return {"Pod": _plain(pod), "Nodes": None, "NodeNames": [node.metadata.name for node in nodes]}
        return {"Pod": _plain(pod), "Nodes": {"metadata": {}, "items": list(map(_plain, nodes))}, "NodeNames": None}

    def _send(self, verb: str, arguments: Mapping[str, Any]) -> Any:
        """The decoded answer to a POST. ExtenderError in Go's words, as far as they are the same everywhere."""
        url = f"{self.name.rstrip('/')}/{verb}"
        if not self.name:
            raise ExtenderError(f'Post "{url}": unsupported protocol scheme ""')
        deadline = time.monotonic() + self._timeout
        with self._connection() as connection:
            try:
                status, body = self._exchange(connection, verb, msgspec.json.encode(arguments), deadline)
            except TimeoutError:
                late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
                raise ExtenderError(f'Post "{url}": {late}') from None
            except ConnectionRefusedError:
                address = f"{self._host}:{connection.port}"
                raise ExtenderError(f'Post "{url}": dial tcp {address}: connect: connection refused') from None
            except (OSError, HTTPException) as error:
                raise ExtenderError(f'Post "{url}": {str(error) or type(error).__name__}') from error
        if status != 200:
            raise BadStatusError(verb, url, status)
        if len(body) > LONGEST:
            raise ExtenderError(f"the answer of {url} is longer than {LONGEST >> 20} MiB")
        try:
            return msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ExtenderError(f"the answer of {url} is not JSON: {error}") from None

    def _exchange(self, connection: HTTPConnection, verb: str, body: bytes, deadline: float) -> tuple[int, bytes]:
        """(status, body up to one byte more than LONGEST). TimeoutError at the deadline."""
        connection.connect()
        socket = connection.sock  # to an answer of HTTP/1.0 the connection gives it away
        headers = {"Content-Type": "application/json"}
        connection.request("POST", f"{self._path}/{verb}", body, headers)
        response, read = connection.getresponse(), bytearray()
        while len(read) <= LONGEST:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            socket.settimeout(left)
            if not (chunk := response.read1(CHUNK)):
                break
            read += chunk
        return response.status, bytes(read)

    @contextmanager
    def _connection(self) -> Iterator[HTTPConnection]:
        connection = (
            HTTPConnection(self._host, self._port, timeout=self._timeout)
            if self._tls is None
            else HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)
        )
        try:
            yield connection
        finally:
            with suppress(OSError):
                connection.close()


def _plain(document: Pod | Node) -> dict[str, Any]:
    """The object as the API writes it."""
    data: dict[str, Any] = msgspec.to_builtins(document, enc_hook=str)
    return {"apiVersion": "v1", **data}


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise ExtenderError(f"the extender answered {name!r} where a text is expected")
    return name


def _context(config: HttpConfig) -> ssl.SSLContext:
    """As client-go makes it: without a CA, ``enableHttps`` trusts any server. ValueError if a file is wrong."""
    tls = config.tls
    try:
        if tls.caData:
            context = ssl.create_default_context(cadata=base64.b64decode(tls.caData, validate=True).decode())
        else:
            context = ssl.create_default_context(cafile=tls.caFile or None)
        if tls.insecure or (config.enable_https and not (tls.caFile or tls.caData)):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if tls.certFile or tls.certData:
            _load_certificate(context, tls)
    except (OSError, ValueError) as error:
        raise InputValueError("the TLS configuration of {url} is wrong: {error}", url=config.url, error=error) from None
    return context


def _load_certificate(context: ssl.SSLContext, tls: ExtenderTLSConfig) -> None:
    if not tls.certData:
        context.load_cert_chain(tls.certFile, tls.keyFile or None)
        return
    with TemporaryDirectory() as folder:
        files = Path(folder, "certificate"), Path(folder, "key")
        for file, data in zip(files, (tls.certData, tls.keyData), strict=True):
            file.touch(mode=0o600)
            file.write_bytes(base64.b64decode(data, validate=True))
        context.load_cert_chain(files[0], files[1] if tls.keyData else None)
