"""Loads a configuration file of kube-scheduler: detects its format and locates its faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kschedlab.generations import GENERATIONS, Generation
from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.source_text import SourceText
from kschedlab.manifests.sources import Source, read_one
from kschedlab.messages import later
from kschedlab.objects.problems import Fault, Faults, ManifestError, one_of
from kschedlab.plugins.framework import name_of
from kschedlab_configuration.policy.reading import PolicyReader
from kschedlab_configuration.profiles import ProfileReader, may_batch
from kschedlab_configuration.versions import KIND, VERSIONS

POLICY = "Policy"
POLICY_READERS = ("v1.13", "v1.16")


class Reader(Protocol):
    """Reads one document. ``faults``: what the real scheduler refuses. ``warnings``: what is not modelled."""

    faults: Faults
    warnings: list[Fault]

    def read(self, data: dict[str, Any]) -> dict[str, Generation]:
        """The generation for each schedulerName; empty if there are faults."""
        ...


class Profiles(dict[str, Generation]):
    """The generation for each schedulerName.

    ``warnings``: settings of the file that this package does not model, one line each, with their place.
    """

    def __init__(self, generations: dict[str, Generation], warnings: Iterable[str]) -> None:
        super().__init__(generations)
        self.warnings = tuple(warnings)


def load_configuration(
    source: Source, base: str | Generation | None = None, plugins: Iterable[object] = ()
) -> Profiles:
    """Read a KubeSchedulerConfiguration (v1 from v1.28 on, its betas before) or a Policy (v1.13, v1.16), YAML or JSON.

    ``source``: a file, ``-`` for standard input, an open file, or the text itself if it has several lines or starts
    with ``{``. ``base``: the generation to configure, or its name; by default the one that reads this format (v1.13
    for a Policy). The new generations are named ``schedulerName (base)``. ``plugins``: your own (see
    :mod:`kschedlab.plugins`), in addition to those of ``base``. The file may name them; those that it does not name
    are in every profile. It may also name plugins that installed packages declare.
    ManifestError with the place of everything that the real scheduler would refuse.
    """
    text = _text(source)
    data, origin = _document(text)
    available = {name_of(plugin): plugin for plugin in plugins}
    if base is not None:
        base = Generation.named(base)
        available = dict(base.plugins) | available
        base = base.without(*dict(base.plugins))
    reader = _reader(data, base, available, origin)
    generations = reader.read(data)
    if reader.faults:
        raise ManifestError(origin.problem(fault) for fault in reader.faults)
    named = reader.out_of_tree.names if isinstance(reader, ProfileReader) else frozenset()
    unnamed = [plugin for name, plugin in available.items() if name not in named]
    profiles = {name: generation.plus(*unnamed) for name, generation in generations.items()}
    if any(map(may_batch, profiles.values())):
        why = later(
            "kube-scheduler may send a pod where the scores of an equal pod just before it point "
            "(OpportunisticBatching); kschedlab scores each pod"
        )
        reader.warnings.append(Fault(("profiles",), why))
    warnings = sorted({origin.problem(warning) for warning in reader.warnings})
    return Profiles(profiles, map(str, warnings))


def _text(source: Source) -> SourceText:
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        return SourceText(0, "<text>", source)
    return read_one(source)


def _document(text: SourceText) -> tuple[dict[str, Any], Origin]:
    """The only document of the text, and its origin."""
    composer = text.compose()
    problems = [text.problem(line, message) for line, message in composer.faults]
    documents = [(root, data, line) for root, (data, line) in enumerate(composer.roots) if data is not None]
    if len(documents) != 1:
        line = documents[1][2] if documents else 1
        problems.append(
            text.problem(
                line,
                later("expected one configuration in the file, not {number}", number=len(documents) or later("none")),
            )
        )
    elif not isinstance(documents[0][1], dict):
        problems.append(text.problem(documents[0][2], later("expected a map with apiVersion and kind")))
    if problems:
        raise ManifestError(problems)
    root, data, _ = documents[0]
    return data, Origin(text, root, ())


def _reader(data: dict[str, Any], base: Generation | None, plugins: Mapping[str, object], origin: Origin) -> Reader:
    """The reader for this document. ManifestError if the format is unknown or the base cannot read it."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if kind == POLICY and version == "v1":
        base = _checked_base(base, POLICY_READERS, POLICY, origin)
        policy: Reader = PolicyReader(base)
        return policy
    if supported := [each for each in VERSIONS if kind == KIND and version == each.name]:
        checked = _checked_base(base, tuple(each.base for each in supported), supported[0].name, origin)
        of_base = next(each for each in supported if checked.version == each.base)
        return ProfileReader(of_base, checked, plugins)
    field = "apiVersion" if kind in (KIND, POLICY) else "kind"
    formats = [
        later('{kind} of "{version}"', kind=KIND, version=name)
        for name in dict.fromkeys(each.name for each in VERSIONS)
    ]
    formats.append(later('{kind} of "{version}"', kind=POLICY, version="v1"))
    error = later("is missing") if data.get(field) is None else later("is not a supported value")
    raise ManifestError(
        [origin.problem(Fault((field,), later("{error}: expected {choices}", error=error, choices=one_of(formats))))]
    )


def _checked_base(base: Generation | None, readers: tuple[str, ...], file_format: str, origin: Origin) -> Generation:
    if base is None:
        return GENERATIONS[readers[0]]
    if base.version not in readers:
        why = later(
            "{file_format} is read by {choices}, not by {name}: choose another generation",
            file_format=file_format,
            choices=one_of(readers),
            name=base.name,
        )
        raise ManifestError([origin.problem(Fault(("apiVersion",), why))])
    return base
