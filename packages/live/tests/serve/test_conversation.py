"""Conversations with a served cluster: each request of ``conversation`` again, beside what the server answered.

``python -m packages.live.tests.serve.test_conversation`` writes the answers: read the difference, as that of a
notebook. Time passes only where a line moves it on.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import httpx

from kschedlab_live.serve.app import Application
from kschedlab_live.serve.server import Server, Serving
from kschedlab_live.serve.verbs import Verbs
from kschedlab_simulation.timeline.scenario import load_scenario

FOLDER = Path(__file__).parent / "conversation"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_DRAWN = re.compile(r"\b(?!00000000)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
"""The uid of an object that the simulation does not read."""
PATCHES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "json": "application/json-patch+json",
    "apply": "application/apply-patch+yaml",
}


def asked(transcript: Path) -> list[str]:
    """``> METHOD [table|merge|strategic|json|apply] PATH [BODY]``, or ``> step 5s``."""
    return [line for line in transcript.read_text(encoding="utf-8").splitlines() if line.startswith("> ")]


def answered(transcript: Path) -> str:
    """On a busy machine, too, each request meets a cluster that has done all it could do until then."""
    with TemporaryDirectory() as folder, patch("kschedlab_live.serve.plane.SLICE", 600.0):
        serving = Serving(Path(folder) / "kubeconfig", paused=True)
        server = Server(load_scenario(FOLDER / "cluster.yaml"), serving, seed=1)
        app = Application(server.plane, Verbs(server.objects), server.token, 6443, server.generation)
        text = asyncio.run(_talk(app, server.token, asked(transcript)))
    return text.replace(server.token, "TOKEN")


async def _talk(app: Application, token: str, lines: list[str]) -> str:
    transport = httpx.ASGITransport(app)
    parts = []
    async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:6443/{token}") as http:
        for line in lines:
            parts += [line, *[text async for text in _answers(http, line)], ""]
    return "\n".join(parts)


async def _answers(http: httpx.AsyncClient, line: str) -> Any:
    method, rest = line.removeprefix("> ").split(" ", 1)
    headers = {"user-agent": "kubectl/v1.37.0", "content-type": "application/json"}
    if method == "step":
        method, rest = "POST", "/kschedlab/clock " + json.dumps({"step": rest})
    if method == "TABLE":
        method, headers["accept"] = "GET", TABLE
    if method in PATCHES:
        method, headers["content-type"] = "PATCH", PATCHES[method]
    path, _, body = rest.partition(" ")
    answer = await http.request(method, path, headers=headers, content=body)
    yield " ".join([str(answer.status_code), *answer.headers.get_list("warning")])
    for text in answer.text.splitlines():
        for shown in _shown(json.loads(text) if text.startswith("{") else text):
            yield shown


def _shown(data: Any) -> Iterator[str]:
    if isinstance(data, dict) and data.get("kind") == "Table":
        yield " | ".join(each["name"] + "." * each["priority"] for each in data["columnDefinitions"])
        for row in data["rows"]:
            yield " | ".join(str(cell) for cell in row["cells"])
    elif isinstance(data, dict) and isinstance(data.get("items"), list):
        yield _line({key: value for key, value in data.items() if key != "items"})
        yield from map(_line, data["items"])
    else:
        yield _line(data)


def _line(data: Any) -> str:
    if isinstance(data, dict) and data.get("kind") == "Event":  # written when the server looks up
        data["metadata"]["creationTimestamp"] = "then"
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    text = re.sub(r'("resourceVersion": )"[0-9]+"', r"\1N", text)  # how often the server looks up counts
    return _DRAWN.sub("UID", re.sub(r'"(\w+)":', r"\1:", text))


def test_the_server_answers_as_it_did():
    for transcript in sorted(FOLDER.glob("*.txt")):
        assert answered(transcript).splitlines() == transcript.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    for transcript in sorted(FOLDER.glob("*.txt")):
        transcript.write_text(answered(transcript), encoding="utf-8")
