"""Where a cluster is and how to log in: as the pod's service account, or as kubectl does; no secret in any message."""

import json
import os
import stat
import sys
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any

import pytest
import yaml

from kschedlab_live.schedule.access import Access, AccessError, in_cluster, reached
from kschedlab_live.schedule.client import Token
from packages.live.tests.schedule.test_client import ask, certificate, server

__all__ = ["certificate"]

SECRET = "s3cr3t-t0k3n"
PLUGIN = """
import json, os
info = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
status = {"token": os.environ["GIVEN"]}
print(json.dumps({"apiVersion": info["apiVersion"], "kind": "ExecCredential", "status": status}))
"""


def kubeconfig(folder: Path, user: dict[str, Any], **cluster: Any) -> str:
    path = folder / "config"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://10.0.0.1:6443/"} | cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "team"}}],
        "current-context": "here",
    }
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return str(path)


def test_kubectl_logs_in_with_what_the_kubeconfig_says(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    """A program that prints a token, which only kubectl sees; the path of the server's URL; a pod called exec."""
    (tmp_path / "plugin.py").write_text(PLUGIN, encoding="utf-8")
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": [str(tmp_path / "plugin.py")],
        "env": [{"name": "GIVEN", "value": SECRET}],
        "interactiveMode": "Never",
    }
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    requests: list[tuple[str, str]] = []

    def answer(request: Any) -> tuple[int, dict[str, str], bytes]:
        requests.append((request.path, request.headers["Authorization"]))
        return 200, {}, b"1"

    with server(answer, context) as url:
        authority = {"certificate-authority": str(certificate[0])}
        path = kubeconfig(tmp_path, {"exec": plugin}, server=f"{url}/{SECRET}", **authority)
        with reached(path) as access:
            assert access.place == url and SECRET not in repr(access)
            assert stat.S_IMODE(os.stat(Path(access.socket).parent).st_mode) == 0o700
            assert ask(access, 2, "/api/v1/namespaces/pods/pods/exec") == [1, 1]
            assert access.fault == ""
        assert not Path(access.socket).exists() and access.proxy is not None and access.proxy.poll() is not None
        assert "kubectl proxy has ended" in access.fault
    assert requests[-2:] == [(f"/{SECRET}/api/v1/namespaces/pods/pods/exec", f"Bearer {SECRET}")] * 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["missing"], "missing: there is no such file"),
        (["nothing"], "kubectl: current-context must exist.*name a file with --kubeconfig"),
        (["config", "there"], "kubectl: cannot locate context there"),
        (["broken"], "kubectl: "),
    ],
)
def test_what_cannot_be_used_is_refused_in_kubectls_words(
    arguments: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kubeconfig(tmp_path, {"token": SECRET})
    (tmp_path / "nothing").write_text("apiVersion: v1\nkind: Config\n", encoding="utf-8")
    (tmp_path / "broken").write_text(f"users: [{{name: u, user: {{token: [{SECRET}]}}}}]\n", encoding="utf-8")
    with pytest.raises(AccessError, match=why) as error, reached(*arguments):
        pass
    assert SECRET not in str(error.value)


def test_a_proxy_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = json.dumps({"clusters": [{"cluster": {"server": "https://10.0.0.1:6443"}}]})
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(
        f"#!/bin/sh\nif [ $1 = config ]; then echo '{config}'; else echo 'error: unknown flag: --x' >&2; exit 1; fi\n"
    )
    kubectl.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(AccessError, match="kubectl: unknown flag: --x"), reached(None, environ={}):
        pass
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(AccessError, match="kubectl is not on the PATH: install it"), reached(None, environ={}):
        pass


def test_the_service_account_comes_first_and_a_named_file_before_it(tmp_path: Path) -> None:
    for name, text in (("token", SECRET), ("ca.crt", "CA"), ("namespace", "lab\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    inside = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    with reached(None, environ=inside, account=tmp_path) as access:
        assert (access.server, access.namespace, access.socket) == ("https://[fd00::1]:443", "lab", "")
        assert (access.authority, access.token) == (str(tmp_path / "ca.crt"), str(tmp_path / "token"))
        assert access.fault == "" and SECRET not in repr(access)
    with reached(kubeconfig(tmp_path, {}), environ=inside, account=tmp_path) as access:
        assert access.place == "https://10.0.0.1:6443" and access.socket
    assert in_cluster({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path).server == "https://10.0.0.1:443"


def test_a_token_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    token = Token(str(file))

    def header(text: str) -> str:
        file.write_text(text, encoding="utf-8")
        return token.header["Authorization"]

    assert [header("one\n"), header("two")] == ["Bearer one", "Bearer one"]
    assert token.refused() and header("two") == "Bearer two"
    monkeypatch.setattr("kschedlab_live.schedule.client.TOKEN_LIFE", -1.0)
    assert token.refused() and [header("three"), header("four")] == ["Bearer three", "Bearer four"]
    assert Token("").header == {} and not Token("").refused()


@pytest.mark.parametrize("text", ["two words", "line\nbreak", "é", "\x00"])
def test_what_is_not_a_token_is_not_sent(text: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(AccessError) as error:
        Token(str(file)).header  # noqa: B018  # reading it is the test
    assert str(file) in str(error.value) and text not in str(error.value)
    assert Access("https://h").fault == ""
