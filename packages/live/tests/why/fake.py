"""A kubectl that prints files: as kubectl v1.37 prints lists, refuses kinds and watches."""

import json
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """#!{python} -IS
import json, signal, sys
from pathlib import Path
folder = Path({folder!r})
settings = json.loads((folder / "settings.json").read_text())
words = sys.argv[1:]
with (folder / "calls").open("a") as calls:
    calls.write(json.dumps(words) + "\\n")
space = next((word.partition("=")[2] for word in words if word.startswith("--namespace=")), "")
if words[0] == "config":
    print(json.dumps(settings["config"]))
elif words[0] == "version":
    print(json.dumps({{"clientVersion": {{}}, "serverVersion": {{"gitVersion": settings["version"]}}}}))
elif settings["fails"]:
    sys.exit(settings["fails"])
elif "--watch" in words:
    script = folder / f"watch-{{words[1]}}.jsonl"
    if script.exists():
        sys.stdout.write(script.read_text())
        sys.stdout.flush()
    if words[1] == "nodes":
        signal.pause()  # until the other watch has ended
else:
    kinds = words[1].split(",")
    for kind in kinds:
        if kind.partition(".")[0] in settings["missing"]:
            sys.exit(f'error: the server doesn\\'t have a resource type "{{kind.partition(".")[0]}}"')
    objects = json.loads((folder / "objects.json").read_text())
    refused = [kind for kind in kinds if kind in settings["refused"] or (not space and kind in settings["narrow"])]
    def listed(each):
        plural = (each["kind"].lower() + "s").replace("ys", "ies").replace("classs", "classes")
        named = next((kind for kind in kinds if kind.partition(".")[0] == plural), None)
        here = not space or each["metadata"].get("namespace") == space
        return named is not None and named not in refused and here
    if words[1] == "configmaps":
        maps = [each for each in objects if each["kind"] == "ConfigMap"]
        found = [e for e in maps if [e["metadata"]["namespace"], e["metadata"]["name"]] == [space, words[2]]]
        if not found:
            sys.exit(f'Error from server (NotFound): configmaps "{{words[2]}}" not found')
        print(json.dumps(found[0], indent=4))
        sys.exit(0)
    found = [each for each in objects if listed(each)]
    whole = {{"apiVersion": "v1", "items": found, "kind": "List", "metadata": {{"resourceVersion": ""}}}}
    print(json.dumps(whole, indent=4))
    for kind in refused:
        print(f'Error from server (Forbidden): {{kind}} is forbidden: User "jane" cannot list resource '
              f'"{{kind.partition(".")[0]}}" in API group "" at the cluster scope', file=sys.stderr)
    sys.exit(1 if refused else 0)
"""


class FakeKubectl:
    """``calls``: the arguments of every call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]

    @property
    def gets(self) -> list[list[str]]:
        return [call for call in self.calls if call[0] == "get" and "--watch" not in call]

    def watches(self, **events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """What the watches of these kinds print before they end."""
        for kind, each in events.items():
            lines = (json.dumps({"type": type_, "object": found}) for type_, found in each)
            (self.folder / f"watch-{kind}.jsonl").write_text("".join(f"{line}\n" for line in lines))


def fake_kubectl(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    *objects: Mapping[str, Any],
    version: str = "v1.37.0",
    namespace: str = "",
    refused: Iterable[str] = (),
    narrow: Iterable[str] = (),
    missing: Iterable[str] = (),
    fails: str = "",
) -> FakeKubectl:
    """Kubectl on the PATH. ``narrow``: kinds that may be read in one namespace only."""
    context: dict[str, str] = {"cluster": "c", "user": "u"} | ({"namespace": namespace} if namespace else {})
    config = {"contexts": [{"name": "prod", "context": context}], "current-context": "prod"}
    settings = {"version": version, "config": config, "fails": fails}
    settings |= {"refused": list(refused), "narrow": list(narrow), "missing": list(missing)}
    (folder / "settings.json").write_text(json.dumps(settings))
    (folder / "objects.json").write_text(json.dumps(objects))
    (folder / "calls").write_text("")
    program = folder / "bin" / "kubectl"
    program.parent.mkdir(exist_ok=True)
    program.write_text(SCRIPT.format(python=sys.executable, folder=str(folder)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent))
    return FakeKubectl(folder)
