"""Runs kubectl: whose cluster is read, and as whom, is kubectl's kubeconfig, context and authentication.

It gets a list of arguments, never a line for a shell, and its verbs only read.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any

import msgspec

from kschedlab.objects.problems import safe_text

MISSING = "kubectl is not on the PATH: install it (https://kubernetes.io/docs/tasks/tools/)"
TIMEOUT = "--request-timeout=60s"
"""For requests that hang; a user's own value comes later and counts."""
FORBIDDEN = re.compile(r"^Error from server \(Forbidden\): ([a-z0-9.]+)(?: \"[^\"]*\")? is forbidden: (.*)$")
NO_SUCH_KIND = re.compile(r"^error: the server doesn't have a resource type \"([^\"]*)\"")
KLOG = re.compile(r"^[EWI]\d{4} ")
"""A line of kubectl's own log."""
BETWEEN = b"\n        },\n        {\n"
"""Between two items of a list as kubectl prints it; no text of JSON holds a line break."""
FIRST, END, LAST = b'"items": [\n        {\n', b"\n        }\n    ]", b'"items": []'
CHUNK = 1 << 20
ENOUGH = 4096
"""Bytes in which a list's first item has begun, or the output has another form."""


class KubectlError(Exception):
    """kubectl could not read the cluster; the message is what it said."""


class NoSuchKindError(KubectlError):
    """The server has no resource of that name."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"the server has no {kind}")
        self.kind = kind


@dataclass(frozen=True)
class RefusedKind:
    """A kind that the user may not read. ``kind``: as ``persistentvolumes``; ``why``: in the server's words."""

    kind: str
    why: str


@dataclass
class Kubectl:
    """kubectl with the user's ``flags``, each as ``--name=value``, passed on as they are."""

    flags: tuple[str, ...] = ()
    refused: list[RefusedKind] = field(default_factory=list)

    def popen(self, *arguments: str, stderr: IO[bytes] | int, apart: bool = False) -> subprocess.Popen[bytes]:
        """Start kubectl with these arguments; ``apart``: Ctrl-C does not reach it. KubectlError if it is missing."""
        program = shutil.which("kubectl")
        if program is None:
            raise KubectlError(MISSING)
        command = [program, *arguments, *self.flags]
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=apart,
            )
        except OSError as error:
            raise KubectlError(f"cannot be started: {error.strerror}") from None

    def start(self, *arguments: str) -> Callable[[], str]:
        """Start kubectl; the function waits and returns what it printed. KubectlError if it fails."""
        process = self.popen(*arguments, stderr=subprocess.PIPE)

        def printed() -> str:
            out, err = process.communicate()
            if process.returncode:
                raise KubectlError(words(err.decode("utf-8", "replace")))
            return out.decode("utf-8", "replace")

        return printed

    def items(self, kinds: str, *where: str) -> Iterator[bytes]:
        """The objects that ``kubectl get`` lists, each as JSON, without holding the whole list.

        What may not be read is added to ``refused``. NoSuchKindError; KubectlError for all else.
        """
        with TemporaryFile() as errors:
            process = self.popen("get", kinds, *where, "--output=json", TIMEOUT, stderr=errors)
            assert process.stdout is not None
            ended, broken = False, None
            try:
                yield from items(process.stdout)
                ended = True
            except KubectlError as error:
                broken = error
            finally:
                process.stdout.close()
                if not ended and broken is None:
                    process.terminate()
                status = process.wait()
            if status:
                errors.seek(0)
                self._judge(errors.read().decode("utf-8", "replace"))
            if broken is not None:
                raise broken

    def _judge(self, errors: str) -> None:
        """Remember what may not be read; raise what is worse."""
        rest = []
        for line in errors.splitlines():
            if match := FORBIDDEN.match(line):
                self.refused.append(RefusedKind(match[1].partition(".")[0], safe_text(match[2])))
            elif missing := NO_SUCH_KIND.match(line):
                raise NoSuchKindError(missing[1].partition(".")[0])
            elif line.strip() and not line.startswith("Warning:"):
                rest.append(line)
        if rest or not self.refused:
            raise KubectlError(words("\n".join(rest)))


def words(errors: str) -> str:
    """The text that kubectl printed, without its log if there is anything else."""
    lines = [safe_text(line.strip()).removeprefix("error: ") for line in errors.splitlines() if line.strip()]
    plain = [line for line in lines if not KLOG.match(line)] or lines[-1:]
    return " ".join(dict.fromkeys(plain)) or "kubectl failed and printed no error"


def items(out: IO[bytes]) -> Iterator[bytes]:
    """The items of a list as kubectl prints it, read piece by piece; a single object is its own item. KubectlError."""
    buffer = bytearray()
    while FIRST not in buffer and len(buffer) < ENOUGH and (chunk := out.read(ENOUGH)):
        buffer += chunk
    start = buffer.find(FIRST)
    if start < 0:
        buffer += out.read()
        yield from _whole(bytes(buffer))
        return
    del buffer[: start + len(FIRST)]
    searched = 0
    while chunk := out.read(CHUNK):
        buffer += chunk
        begin = 0
        while (end := buffer.find(BETWEEN, searched)) >= 0:
            yield b"{" + bytes(buffer[begin:end]) + b"}"
            begin = searched = end + len(BETWEEN)
        searched = max(len(buffer) - len(BETWEEN), begin) - begin
        del buffer[:begin]
    yield from _rest(bytes(buffer))


def _rest(buffer: bytes) -> Iterator[bytes]:
    end = buffer.rfind(END)
    if end < 0:
        raise KubectlError("kubectl's output ended in the middle")
    for item in buffer[:end].split(BETWEEN):
        yield b"{" + item + b"}"


class _List(msgspec.Struct):
    kind: str = ""
    items: list[msgspec.Raw] | None = None


def _whole(content: bytes) -> Iterator[bytes]:
    """The items of output in another layout."""
    if not content.strip():
        return
    try:
        listed = msgspec.json.decode(content, type=_List)
    except (msgspec.DecodeError, RecursionError) as error:
        raise KubectlError(f"kubectl's output is not JSON: {safe_text(str(error))}") from None
    yield from [content] if listed.items is None else map(bytes, listed.items)


def decoded(text: str | bytes) -> Any:
    """JSON that kubectl printed. KubectlError."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise KubectlError(f"kubectl's output is not JSON: {safe_text(str(error))}") from None
