"""What options mean, and what is said of wrong ones."""

import pytest

from kschedlab.build import node, pod
from kschedlab.manifests.loading import decode_objects
from kschedlab.program.main import main
from kschedlab.program.options import UsageError, pod_named, print_json
from tests.saying import says


def test_a_pod_is_named_by_its_name_alone_if_that_is_clear():
    def objects(*namespaces: str):
        return decode_objects([node("n"), *(pod("x", namespace=namespace) for namespace in namespaces)])

    assert pod_named("x", objects("a")) == pod_named("pod/x", objects("a")) == pod_named("po/x", objects("a")) == "a/x"
    assert pod_named("x", objects("a", "default")) == "default/x"
    assert pod_named("b/x", objects("a")) == "b/x"
    with pytest.raises(UsageError) as error:
        pod_named("x", objects(*"abcdef"))
    assert str(error.value) == '6 pods have the name "x": a/x, b/x, c/x, d/x, e/x'
    with pytest.raises(UsageError, match="a/x"):
        pod_named("y", objects("a"))


@pytest.mark.parametrize("value", ["101", "-1", "1.5", "many", "²"])
def test_a_percentage_is_a_whole_number_from_0_to_100(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "absent.json", "--percentage", value])
    assert says(capsys.readouterr().err, "--percentage", "from 0 to 100")
    for right in ("0", "100"):
        assert main(["bench", "absent.json", "--percentage", right]) == 2
        assert says(capsys.readouterr().err, "absent.json")


def test_json_hides_nothing_from_a_reader(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"é": "a\u202eb\x1b", "n": 1})
    assert capsys.readouterr().out == '{"é":"a\\u202eb\\u001b","n":1}\n'
