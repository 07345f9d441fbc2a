"""The sources of manifests: files, folders, standard input, open files and text."""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TypeAlias

from kschedlab.manifests.source_text import SourceText
from kschedlab.messages import later, say
from kschedlab.objects.kinds import OF_CONTROLLERS, RESOURCES
from kschedlab.objects.problems import InputTypeError, ManifestError, Problem, one_of

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]

SUFFIXES = (".yaml", ".yml", ".json")
MAX_BYTES = 256 * 1024 * 1024
_READ = [resource.name for kind, resource in RESOURCES.items() if kind not in OF_CONTROLLERS]
KUBECTL_KINDS = ",".join(sorted(_READ, key=lambda name: name not in ("nodes", "pods")))
"""Every kind that a decision reads, as ``kubectl get`` takes them; nodes and pods first."""


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
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
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
        raise InputTypeError("expected a path, an open file or -, got {given}", given=type(source).__name__)
    else:
        name = str(getattr(source, "name", "<text>"))
        content = source.read()
        yield SourceText(number, name, content if isinstance(content, str) else decoded(content, number, name))


def _files(name: str, number: int) -> list[Path]:
    """The file itself, or the manifests in the folder and its subfolders, sorted by name, without hidden ones."""
    path = Path(name)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: the name contains NUL
        if name.startswith(("http:", "https:")):
            raise _source_error(number, name, "URLs are not supported: download the file first") from None
        raise _source_error(number, name, "there is no such file or folder") from None
    except OSError as error:
        raise _unreadable(number, name, error) from None
    if not is_folder:
        return [path]
    manifests, visited = [], set()

    def stop(error: OSError) -> None:
        raise _unreadable(number, error.filename, error) from None

    for folder, folders, names in os.walk(path, onerror=stop, followlinks=True):
        real = os.path.realpath(folder)
        folders[:] = [] if real in visited else sorted(each for each in folders if each[0] != ".")
        if real not in visited:
            manifests += [Path(folder, name) for name in names if name[0] != "." and name.endswith(SUFFIXES)]
        visited.add(real)
    if not manifests:
        raise _source_error(number, name, later("has no files that end in {choices}", choices=one_of(SUFFIXES)))
    return sorted(manifests)


def _content(path: Path, number: int) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _source_error(number, str(path), "is not a regular file: pipe what it holds into - (standard input)")
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(number, str(path), error) from None
    return decoded(content, number, str(path))


def _unreadable(number: int, name: str, error: Exception) -> ManifestError:
    return _source_error(number, name, later("cannot be read: {why}", why=getattr(error, "strerror", None) or error))


def decoded(content: bytes, number: int, name: str) -> bytes:
    """The text in UTF-8 without a byte order mark; it may be in UTF-16 with one, as PowerShell writes."""
    if len(content) > MAX_BYTES:
        raise _source_error(number, name, later("is larger than {most} MiB", most=MAX_BYTES // 2**20))
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = content.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError as error:
        message = say("is not UTF-8 text (byte 0x{byte:02x})", byte=content[error.start])
        line = content[: error.start].count(b"\n") + 1
        raise ManifestError([Problem(number, line, name, message)]) from None
    rest = text.removeprefix("\ufeff")
    if not rest or rest.isspace():
        raise _source_error(number, name, "is empty")
    return text.encode() if wide else content.removeprefix(BOM_UTF8)


def _source_error(number: int, name: str, message: str) -> ManifestError:
    return ManifestError([Problem(number, 0, name, say(message))])
