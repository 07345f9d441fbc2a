"""Creates objects from template files, each with its index filled in.

v1.37: test/integration/scheduler_perf/operations.go (getSpecFromTextTemplateFile, resolveTemplateParams). As there,
unknown fields are errors, and case does not matter: templates/pod-with-node-inclusion-policy.yaml has NodeTaintsPolicy.
"""

from __future__ import annotations

import os.path
from typing import Any

from benchmarks.perf.go_templates import Template, TemplateError
from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.source_text import SourceText
from kschedlab.manifests.sources import read_all
from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import Fault, ManifestError, Path, quoted
from kschedlab_simulation.timeline.manifest_objects import ManifestObject, ObjectReader, relative_path

_CACHE_SIZE = 1000
"""The number of rendered texts that a template caches with their objects."""
_TOO_HIGH = os.path.join(os.pardir, os.pardir)


class ObjectTemplate:
    """A template file with its parameters. ``kind``: the required kind of its object, or None."""

    def __init__(self, text: SourceText, kind: type[ApiObject] | None, params: dict[str, Any]) -> None:
        self._name = text.name
        self._kind = kind
        self._params = params
        self._cache: dict[str, ManifestObject] = {}
        try:
            self._template = Template(text.content)
        except TemplateError as error:
            raise ManifestError([text.problem(_line(error), _without_line(error))]) from None

    def make(self, index: int, count: int) -> ManifestObject:
        """The object with this index, of ``count``. ManifestError."""
        try:
            content = self._template.render({**self._params, "Index": index, "Count": count})
        except TemplateError as error:
            text = SourceText(0, self._name, "")
            raise ManifestError([text.problem(_line(error), _without_line(error))]) from None
        cached = self._cache.get(content)
        if cached is None:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            cached = self._cache[content] = self._read(content)
        return cached

    def _read(self, content: str) -> ManifestObject:
        text = SourceText(0, self._name, content)
        reader = ObjectReader(named=False, strict=True, any_case=True)
        objects = list(reader.objects_of_text(text))
        reader.problems += [text.problem(1, f"{kind} is not supported") for kind in reader.report.unknown]
        reader.finish()
        if len(objects) != 1:
            raise ManifestError([text.problem(1, f"expected one object in the template, found {len(objects)}")])
        if self._kind is not None and type(objects[0].obj) is not self._kind:
            kind = type(objects[0].obj).__name__
            raise ManifestError([text.problem(1, f"expected a {self._kind.__name__} in the template, found a {kind}")])
        return objects[0]


def _line(error: TemplateError) -> int:
    word, _, rest = str(error).partition(" ")
    number = rest.partition(":")[0]
    return int(number) if word == "line" and number.isdecimal() else 0


def _without_line(error: TemplateError) -> str:
    return str(error).partition(": ")[2] if _line(error) else str(error)


def read_template(
    path: str, kind: type[ApiObject] | None, params: dict[str, Any], origin: Origin, field: str, reader: ObjectReader
) -> ObjectTemplate | None:
    """Read a template file, relative to the file that names it. None, with problems reported, if it is invalid.

    It lies in that file's folder or in a folder beside it, where scheduler_perf keeps its templates.
    """
    if os.path.isabs(path) or os.path.normpath(path).startswith(_TOO_HIGH):
        what = f"{quoted(path)} is outside of the scenario: write a path that begins with one ../ at most"
        reader.problems.append(origin.problem(Fault((field,), what)))
        return None
    try:
        (text,) = read_all([relative_path(origin, path)])
        template = ObjectTemplate(text, kind, params)
        template.make(0, 1)
    except ManifestError as error:
        reader.problems.append(origin.problem(Fault((field,), f"{quoted(path)} cannot be used")))
        reader.problems += error.problems
        return None
    except ValueError:
        reader.problems.append(origin.problem(Fault((field,), f"{quoted(path)} is not a single file")))
        return None
    return template


def resolve_params(
    params_map: Any, params: dict[str, Any], used: set[str], path: Path, faults: list[Fault]
) -> dict[str, Any]:
    """Template values: ``$name`` is a parameter of the workload, ``$name|default`` has a default in YAML."""
    if not isinstance(params_map, dict):
        faults.append(Fault(path, "expected a map of values"))
        return {}
    resolved = {}
    for key, value in params_map.items():
        resolved[key] = value
        if isinstance(value, str) and value.startswith("$"):
            name, bar, default = value[1:].partition("|")
            if name in params:
                used.add(name)
                resolved[key] = params[name]
            elif bar:
                resolved[key] = _yaml(default)
            else:
                faults.append(Fault((*path, key), f"there is no parameter {quoted(name)}"))
    return resolved


def _yaml(text: str) -> Any:
    try:
        roots = SourceText(0, "<default>", text).compose().roots
    except ManifestError:
        return text
    return roots[0][0] if roots else None
