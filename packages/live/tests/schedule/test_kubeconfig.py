"""Where a cluster is and how to log in: every form of kubeconfig, and no secret in any message."""

import json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
import yaml

from kschedlab_live.schedule import credentials
from kschedlab_live.schedule.credentials import Authentication, run_plugin
from kschedlab_live.schedule.kubeconfig import Access, AccessError, Exec, find_access, from_kubeconfig
from packages.live.tests.schedule.fakes import run

SECRET = "s3cr3t-t0k3n"


def kubeconfig(folder: Path, user: dict[str, Any], **cluster: Any) -> str:
    path = folder / "config"
    cluster = {"server": "https://10.0.0.1:6443/"} | cluster
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "team"}}],
        "current-context": "here",
    }
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return str(path)


def base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def test_data_in_the_file(tmp_path: Path) -> None:
    user = {"client-certificate-data": base64("CERT"), "client-key-data": base64("KEY"), "token": SECRET}
    authority = {"certificate-authority-data": base64("CA"), "tls-server-name": "kind", "proxy-url": "http://p:1"}
    access = from_kubeconfig(kubeconfig(tmp_path, user, **authority))
    assert (access.server, access.authority, access.server_name) == ("https://10.0.0.1:6443", "CA", "kind")
    assert (access.certificate, access.key, access.token, access.proxy) == (b"CERT", b"KEY", SECRET, "http://p:1")
    assert access.namespace == "team" and SECRET not in repr(access)
    assert run(Authentication(access).credentials()).header == f"Bearer {SECRET}"
    assert SECRET not in repr(run(Authentication(access).credentials()))


def test_files_are_found_beside_the_kubeconfig(tmp_path: Path) -> None:
    for name in ("ca", "cert", "key", "token"):
        (tmp_path / name).write_text(name.upper(), encoding="utf-8")
    user = {"client-certificate": "cert", "client-key": "key", "tokenFile": "token"}
    access = from_kubeconfig(kubeconfig(tmp_path, user, **{"certificate-authority": "ca"}))
    assert (access.authority, access.certificate, access.key) == ("CA", b"CERT", b"KEY")
    assert run(Authentication(access).credentials()).header == "Bearer TOKEN"


def test_a_token_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = tmp_path / "token"
    token.write_text("one\n", encoding="utf-8")
    ask = Authentication(Access("https://h", token_file=str(token)))

    async def headers() -> list[str]:
        first = await ask.credentials()
        token.write_text("two", encoding="utf-8")
        kept, renewed = await ask.credentials(), await ask.credentials(refused=first)
        monkeypatch.setattr(credentials, "FILE_LIFE", -1.0)
        token.write_text("three", encoding="utf-8")
        ask._current = None
        expired = await ask.credentials()
        token.write_text("four", encoding="utf-8")
        return [each.header[7:] for each in (first, kept, renewed, expired, await ask.credentials())]

    assert run(headers()) == ["one", "one", "two", "three", "four"]


@pytest.mark.parametrize(
    ("user", "cluster", "why"),
    [
        ({"token": SECRET}, {"insecure-skip-tls-verify": True}, "put the cluster's certificate-authority-data"),
        ({"token": SECRET}, {"server": "http://10.0.0.1"}, "a token is not sent over plain http"),
        ({"token": SECRET}, {"server": "10.0.0.1:6443"}, "is no URL such as https://HOST:6443"),
        ({"auth-provider": {"name": "gcp"}}, {}, "use an exec plugin"),
        ({"client-certificate-data": base64("CERT")}, {}, "a client certificate needs its key"),
        ({"client-certificate-data": "%%"}, {}, "is not base64"),
        ({"tokenFile": ["x"]}, {}, "Expected `str`, got `array`"),
        ({"client-certificate": "missing"}, {}, "No such file"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_remedy(tmp_path: Path, user: Any, cluster: Any, why: str) -> None:
    with pytest.raises(AccessError, match=why.replace("`", ".")) as error:
        from_kubeconfig(kubeconfig(tmp_path, user, **cluster))
    assert SECRET not in str(error.value)


def test_plain_http_is_fine_on_this_machine(tmp_path: Path) -> None:
    access = from_kubeconfig(kubeconfig(tmp_path, {"token": SECRET}, server="http://127.0.0.1:1"))
    assert access.is_local
    path = from_kubeconfig(kubeconfig(tmp_path, {}, server=f"https://me:{SECRET}@10.0.0.1:6443/{SECRET}"))
    assert path.place == "https://10.0.0.1:6443" and SECRET not in repr(path)


def test_unknown_names_list_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(AccessError, match='no context "there"; there are: "here"'):
        from_kubeconfig(kubeconfig(tmp_path, {}), "there")


def test_the_service_account_comes_first_and_a_named_file_before_it(tmp_path: Path) -> None:
    for name, text in (("token", SECRET), ("ca.crt", "CA"), ("namespace", "lab\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    inside = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    access = find_access(None, environ=inside, account=tmp_path)
    assert (access.server, access.authority, access.namespace) == ("https://[fd00::1]:443", "CA", "lab")
    path = kubeconfig(tmp_path, {})
    assert find_access(path, environ=inside, account=tmp_path).origin == path
    assert find_access(None, environ={"KUBECONFIG": path}, account=tmp_path).origin == path
    with pytest.raises(AccessError, match="choose one with --kubeconfig FILE"):
        find_access(None, environ={"KUBECONFIG": f"{path}:{path}"}, account=tmp_path)


# -- exec plugins


def plugin(folder: Path, program: str, **more: Any) -> Exec:
    (folder / "plugin.py").write_text(program, encoding="utf-8")
    return Exec(command=sys.executable, args=(str(folder / "plugin.py"),), **more)


PRINTS = """
import json, os
asked = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
assert asked["spec"]["interactive"] is False and os.environ["MINE"] == "1"
print(json.dumps({"apiVersion": asked["apiVersion"], "kind": "ExecCredential", "status": STATUS}))
"""


def test_a_plugin_prints_the_credentials(tmp_path: Path) -> None:
    status = {"token": SECRET, "expirationTimestamp": "2100-01-01T00:00:00Z"}
    program = plugin(tmp_path, PRINTS.replace("STATUS", repr(status)), env=({"name": "MINE", "value": "1"},))
    found = run_plugin(program, Access("https://h"))
    assert found.header == f"Bearer {SECRET}" and found.until == 4102444800 - credentials.EARLY


def test_a_plugin_is_asked_again_when_its_credentials_expire(tmp_path: Path) -> None:
    counter = tmp_path / "count"
    counter.write_text("0", encoding="utf-8")
    program = f"""
import json, pathlib
path = pathlib.Path({str(counter)!r})
number = int(path.read_text()) + 1
path.write_text(str(number))
status = {{"token": f"t{{number}}", "expirationTimestamp": "2020-01-01T00:00:00Z"}}
print(json.dumps({{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}}))
"""
    ask = Authentication(Access("https://h", exec=plugin(tmp_path, program)))

    async def twice() -> list[str]:
        return [(await ask.credentials()).header, (await ask.credentials()).header]

    assert run(twice()) == ["Bearer t1", "Bearer t2"]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (f"print({SECRET!r})", "printed no ExecCredential"),
        (f"import sys; print({SECRET!r}); sys.exit({SECRET!r})", "failed with status 1: run it by hand"),
        ('print(\'{"apiVersion": "client.authentication.k8s.io/v1", "status": {}}\')', "printed neither a token"),
        ('print(\'{"apiVersion": "other/v1", "status": {"token": "x"}}\')', "printed another apiVersion"),
    ],
)
def test_a_plugin_that_fails_says_so_without_its_output(tmp_path: Path, program: str, why: str) -> None:
    with pytest.raises(AccessError, match=why) as error:
        run_plugin(plugin(tmp_path, program), Access("https://h"))
    assert SECRET not in str(error.value)


def test_a_missing_plugin_shows_its_hint(tmp_path: Path) -> None:
    missing = Exec(command="no-such-program-at-all", install_hint="Install it from example.com.\n")
    with pytest.raises(AccessError, match=r"cannot be run: No such file or directory. Install it from example.com."):
        run_plugin(missing, Access("https://h"))


def test_a_kubeconfig_with_an_exec_plugin(tmp_path: Path) -> None:
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "./login", "args": None, "env": None}}
    access = from_kubeconfig(kubeconfig(tmp_path, user))
    assert access.exec is not None and access.exec.command == str(tmp_path / "login")
    assert json.dumps(access.exec.args) == "null"
