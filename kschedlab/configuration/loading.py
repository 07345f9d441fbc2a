"""A configuration file of kube-scheduler to generations: which format it is, and where its faults are."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from kschedlab.configuration.policy.reading import PolicyReading
from kschedlab.configuration.profiles import Reading
from kschedlab.configuration.versions import KIND, VERSIONS
from kschedlab.generations import GENERATIONS, Generation
from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.sources import Source, Text, read_all
from kschedlab.objects.problems import Fault, ManifestError, Problem, one_of, quoted

POLICY = "Policy"
POLICY_READERS = ("v1.13", "v1.16")


class Profiles(dict[str, Generation]):
    """Generations by the schedulerName of the pods that they decide for.

    ``warnings``: what the file says and this package does not model, with its place; a line each.
    """

    def __init__(self, generations: dict[str, Generation], warnings: Iterable[str] = ()) -> None:
        super().__init__(generations)
        self.warnings = tuple(warnings)


def load_configuration(source: Source, base: Generation | None = None) -> Profiles:
    """Read a KubeSchedulerConfiguration (v1, or v1beta1 of v1.20) or a Policy (of v1.13 and v1.16), YAML or JSON.

    ``source``: a file, ``-`` for standard input, an open file, or the text itself, which has several lines or begins
    with ``{``. ``base``: the generation that it changes; by default the one that reads such a file (v1.13 for a
    Policy). The generations are named ``schedulerName (base)``.
    ManifestError for everything that the real scheduler would refuse, with the lines.
    """
    text = _text(source)
    data, origin = _document(text)
    reading = _reading(data, base, origin)
    generations = reading.read(data)
    if reading.faults:
        raise ManifestError(origin.problem(fault) for fault in reading.faults)
    notes = sorted({origin.problem(note) for note in reading.notes})
    return Profiles(generations, map(str, notes))


def _text(source: Source) -> Text:
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        return Text(0, "<text>", source)
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        raise ManifestError([Problem(0, 0, str(source), "is a folder: name one file")])
    (text,) = read_all([source])
    return text


def _document(text: Text) -> tuple[dict[str, Any], Origin]:
    """The one document in it."""
    composed = text.compose()
    faults = [text.problem(line, message) for line, message in composed.faults]
    found = [(root, data, line) for root, (data, line) in enumerate(composed.roots) if data is not None]
    if len(found) != 1:
        line = found[1][2] if found else 1
        faults.append(text.problem(line, f"one configuration is expected in the file, not {len(found) or 'none'}"))
    elif not isinstance(found[0][1], dict):
        faults.append(text.problem(found[0][2], "a map with apiVersion and kind is expected here"))
    if faults:
        raise ManifestError(faults)
    root, data, _ = found[0]
    return data, Origin(text, root, ())


def _reading(data: dict[str, Any], base: Generation | None, origin: Origin) -> Reading | PolicyReading:
    """What reads such a document. ManifestError if nothing does, or the base does not."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if kind == POLICY and version == "v1":
        return PolicyReading(_fitting(base, POLICY_READERS, POLICY, origin))
    for known in VERSIONS:
        if kind == KIND and version == known.name:
            return Reading(known, _fitting(base, (known.base,), known.name, origin))
    field = "apiVersion" if kind in (KIND, POLICY) else "kind"
    wanted = [*(f"{KIND} of {quoted(known.name)}" for known in VERSIONS), f'{POLICY} of "v1"']
    missing = f"{field} is missing" if data.get(field) is None else "is not known here"
    raise ManifestError([origin.problem(Fault((field,), f"{missing}: expected {one_of(wanted)}"))])


def _fitting(base: Generation | None, readers: tuple[str, ...], what: str, origin: Origin) -> Generation:
    if base is None:
        return GENERATIONS[readers[0]]
    if base.api not in (GENERATIONS[reader].api for reader in readers):
        why = f"{what} is read by {one_of(readers)}, not by {base.name}: choose another generation"
        raise ManifestError([origin.problem(Fault(("apiVersion",), why))])
    return base
