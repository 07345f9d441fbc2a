"""The sources of manifests: files, folders, standard input, open files, text and kubectl."""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, TypeAlias

from kschedlab.manifests.composer import Composer, UnreadableError
from kschedlab.objects.problems import ManifestError, Path as FieldPath, Problem, one_of

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]

SUFFIXES = (".yaml", ".yml", ".json")
MAX_BYTES = 256 * 1024 * 1024
KUBECTL_KINDS = (
    "nodes,pods,poddisruptionbudgets,priorityclasses,namespaces,services,replicationcontrollers,replicasets,statefulsets,"
    "persistentvolumes,persistentvolumeclaims,storageclasses,csinodes,volumeattachments,csidrivers,csistoragecapacities"
)


class SourceText:
    """The text of one input. ``number``: its index among the inputs. ``name``: as messages give it."""

    def __init__(self, number: int, name: str, content: str) -> None:
        self.number = number
        self.name = name
        self.content = content

    @cached_property
    def is_json(self) -> bool:
        """Whether to read it as JSON: its name ends in ``.json`` or it starts like JSON, as for kubectl."""
        return self.name.endswith(".json") or self.content.lstrip()[:1] in ("{", "[")

    def compose(self, positions: bool = False) -> Composer:
        """The documents in it. ManifestError if it is not valid YAML or JSON."""
        from kschedlab.manifests.json_text import compose_json
        from kschedlab.manifests.yaml_text import compose_yaml

        try:
            if not self.is_json:
                return compose_yaml(self.content, positions)
            try:
                return compose_json(self.content, positions)
            except UnreadableError:
                if self.name.endswith(".json") or _is_invalid_yaml(self.content):
                    raise
                return compose_yaml(self.content, positions)
        except UnreadableError as error:
            raise ManifestError([self.problem(error.line, error.message)]) from None

    @cached_property
    def positions(self) -> Composer:
        """The documents with the line of every field. Parsed only when the first fault needs it."""
        return self.compose(positions=True)

    def problem(self, line: int, message: str) -> Problem:
        """A problem on a line of this input."""
        return Problem(self.number, line, self.name, message)

    def locate(self, root: int, path: FieldPath) -> tuple[int, str | None]:
        """(line, the scalar's spelling) of a field of the document."""
        return self.positions.locate(root, path)


def _is_invalid_yaml(content: str) -> bool:
    """Whether text that starts like JSON is not valid flow-style YAML either."""
    from kschedlab.manifests.yaml_text import compose_yaml

    try:
        compose_yaml(content)
    except UnreadableError:
        return True
    return False


def read_all(sources: Iterable[Source]) -> list[SourceText]:
    """The inputs in order, with folders expanded to their files. ManifestError names each that cannot be read."""
    texts: list[SourceText] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for source in sources:
        try:
            texts.extend(_read(source, len(texts) + len(problems), seen))
        except ManifestError as error:
            problems.extend(error.problems)
    if problems:
        raise ManifestError(problems)
    return texts


def read_one(source: Source) -> SourceText:
    """The text of one input. ManifestError if it is a folder or cannot be read."""
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        raise _source_error(0, str(source), "is a folder: name one file")
    (text,) = read_all([source])
    return text


def _read(source: Source, number: int, seen: set[str]) -> Iterator[SourceText]:
    if source == "-":
        yield SourceText(number, "<stdin>", decoded(sys.stdin.buffer.read(MAX_BYTES + 1), number, "<stdin>"))
    elif isinstance(source, str | os.PathLike):
        for path in _files(os.fspath(source), number):
            if (real := os.path.realpath(path)) not in seen:
                seen.add(real)
                yield SourceText(number, str(path), _content(path, number))
                number += 1
    elif not hasattr(source, "read"):
        raise TypeError(f"expected a path, an open file or -, got {type(source).__name__}")
    else:
        name = str(getattr(source, "name", "<text>"))
        content = source.read()
        yield SourceText(number, name, content if isinstance(content, str) else decoded(content, number, name))


def _files(name: str, number: int) -> list[Path]:
    """The file itself, or the manifests in the folder and its subfolders, sorted by name."""
    path = Path(name)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: the name contains NUL
        url = name.startswith(("http:", "https:"))
        remedy = "URLs are not supported: download the file first" if url else "there is no such file or folder"
        raise _source_error(number, name, remedy) from None
    except OSError as error:
        raise _unreadable(number, name, error) from None
    if not is_folder:
        return [path]
    manifests, visited = [], set()

    def stop(error: OSError) -> None:
        raise _unreadable(number, error.filename, error) from None

    for folder, folders, names in os.walk(path, onerror=stop, followlinks=True):
        real = os.path.realpath(folder)
        folders[:] = [] if real in visited else sorted(folders)
        if real not in visited:
            manifests += [Path(folder, name) for name in names if name.endswith(SUFFIXES)]
        visited.add(real)
    if not manifests:
        raise _source_error(number, name, f"has no files that end in {one_of(SUFFIXES)}")
    return sorted(manifests)


def _content(path: Path, number: int) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _source_error(number, str(path), "is not a regular file: pipe what it holds into - (standard input)")
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(number, str(path), error) from None
    return decoded(content, number, str(path))


def _unreadable(number: int, name: str, error: Exception) -> ManifestError:
    return _source_error(number, name, f"cannot be read: {getattr(error, 'strerror', None) or error}")


def decoded(content: bytes, number: int, name: str) -> str:
    """The text, decoded from UTF-8, or from UTF-16 with a byte order mark, as PowerShell writes."""
    if len(content) > MAX_BYTES:
        raise _source_error(number, name, f"is larger than {MAX_BYTES // 2**20} MiB")
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        byte = content[error.start]
        raise ManifestError([Problem(number, line, name, f"is not UTF-8 text (byte 0x{byte:02x})")]) from None
    if not text.strip():
        raise _source_error(number, name, "is empty")
    return text


def _source_error(number: int, name: str, message: str) -> ManifestError:
    return ManifestError([Problem(number, 0, name, message)])


def kubectl_output(arguments: Iterable[str]) -> SourceText:
    """The output of ``kubectl get`` for every kind that the scheduler reads."""
    import shutil
    import subprocess

    program = shutil.which("kubectl")
    if program is None:
        raise _source_error(0, "kubectl", "is not on the PATH: install it, or load files with its output")
    command = [program, "get", KUBECTL_KINDS, "--all-namespaces", "--output=json", "--request-timeout=60s", *arguments]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if result.returncode != 0:
        stderr = " ".join(result.stderr.decode("utf-8", "replace").split())
        raise _source_error(
            0, "kubectl", f"failed with exit status {result.returncode}: {stderr or 'it printed no error'}"
        )
    return SourceText(0, "<kubectl>", decoded(result.stdout, 0, "<kubectl>"))
