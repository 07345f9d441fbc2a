"""Names that lose their middle."""

from kschedlab.program.terminal.names import Cutter, shortened


def test_short_names_stay_as_they_are():
    assert shortened(["n1", "general-01"], 10) == {"n1": "n1", "general-01": "general-01"}


def test_a_long_name_loses_its_middle():
    assert shortened(["gke-prod-pool-highmem-16-3f9c1a7e-x7k2"], 19) == {
        "gke-prod-pool-highmem-16-3f9c1a7e-x7k2": "gke-prod-…1a7e-x7k2"
    }


def test_a_name_keeps_at_least_eight_characters():
    for width in (0, 3, 8):
        assert shortened(["abcdefgh", "abcdefghij"], width) == {"abcdefgh": "abcdefgh", "abcdefghij": "abc…ghij"}
    assert shortened(["abcdefghij"], 9) == {"abcdefghij": "abcd…ghij"}
    assert Cutter(0)("abcdefghij") == Cutter(8)("abcdefghij") == "abc…ghij"


def test_a_common_end_of_more_than_eight_characters_goes_first():
    for end, cut in (("-internal", "1yyyyyyyyy1…"), ("internal", "1yyyy…ternal")):
        names = [f"{number}{'y' * 9}{number}{end}" for number in (1, 2)]
        assert shortened(names, 12)[names[0]] == cut


def test_different_names_stay_different():
    """Wherever they differ: at the end, at the beginning, in the middle."""
    names = [f"pool-{'a' * 50}-{i:03}" for i in range(300)]
    names += [f"{i:03}-pool-{'a' * 50}" for i in range(300)]
    names += [f"{'b' * 25}-{i:03}-{'c' * 25}" for i in range(30)]
    short = shortened(names, 20)
    assert len(set(short.values())) == len(names)
    assert all(len(short[name]) <= 20 or short[name] == name for name in names)


def test_all_names_are_cut_in_the_same_place_if_that_tells_them_apart():
    """Also where they differ in the middle alone."""
    ends = [f"pool-{'a' * 50}-{i:03}" for i in range(30)]
    assert shortened(ends, 12)[ends[7]] == "pool-a…a-007"[:5] + "…aa-007"
    inside = [f"{'b' * 25}-{i:03}-{'c' * 25}" for i in range(30)]
    assert shortened(inside, 12)[inside[17]] == "bbbbb…b-017…"


def test_a_long_common_end_goes_first():
    names = [f"ip-10-0-{i}-{j}.eu-west-1.compute.internal" for i in range(20) for j in range(20)]
    assert shortened(names, 16)["ip-10-0-3-17.eu-west-1.compute.internal"] == "ip-10-0-3-17…"


def test_a_name_that_no_cut_tells_apart_is_given_in_full():
    names = [f"{'b' * 9}{i}{'c' * 9}{j}{'d' * 25}{k}" for i in range(9) for j in range(9) for k in range(9)]
    short = shortened(names, 12)
    assert sum(short[name] == name for name in names) > 0
    assert len(set(short.values())) == len(names)


def test_a_cut_name_is_never_another_name():
    assert set(shortened(["aaaa…aaaa", "aaaa" + "x" * 20 + "aaaa"], 9).values()) > {"aaaa…aaaa"}
    assert len(set(shortened(["aaaa…aaaa", "aaaa" + "x" * 20 + "aaaa"], 9).values())) == 2
