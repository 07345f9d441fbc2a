"""A file that a run writes when it has ended: a run that is killed leaves the file as it was."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kschedlab.program.options import UsageError


@contextmanager
def output_file(path: Path | None, inputs: Sequence[str]) -> Iterator[Callable[[Iterable[str]], None]]:
    """The writer of lines; nothing is written without a path. UsageError if it cannot be written.

    ``inputs``: files that the run reads, which it must not replace. The lines are written beside the file, which they
    replace at the end.
    """
    if path is None:
        yield lambda lines: None
        return
    try:
        if path.exists() and any(path.samefile(each) for each in inputs if os.path.exists(each)):
            raise UsageError(f"{path}: is read by this run: write to another file")
        replaces = not path.is_symlink() and (path.is_file() or not path.exists())  # else a link, a folder, a device
        beside = path.with_name(f"{path.name}.part") if replaces else path
        file = beside.open("w", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None

    def write(lines: Iterable[str]) -> None:
        try:
            with file:
                file.writelines(f"{line}\n" for line in lines)
            if beside != path:
                os.replace(beside, path)
        except OSError as error:
            raise _unwritable(path, error) from None

    try:
        with file:
            yield write
    finally:
        if beside != path:
            beside.unlink(missing_ok=True)


def _unwritable(path: Path, error: Exception) -> UsageError:
    return UsageError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}")
