"""How many candidates end the search: calculateNumCandidates of v1.20, written out."""

from kschedlab_lab.panels.preemption_search import SIZES, Settings, enough, how_many, panel, show


def plainly(nodes: int, percentage: int, absolute: int) -> int:
    number = max(nodes * percentage // 100, absolute)
    return min(number, nodes)


def test_every_setting() -> None:
    for settings in Settings.grid():
        number = plainly(settings.nodes, settings.percentage, settings.absolute)
        assert enough(settings, settings.nodes) == number
        sentence = show(settings).sentence
        if number == settings.nodes:
            assert sentence.startswith(f"All {number:,} are examined: ")
        else:
            assert sentence.startswith(f"The search stops soon after candidate {number:,}, if one of them")
        assert f"▶ {settings.nodes:,}" in show(settings).text


def test_the_question() -> None:
    asked = panel().ask(how_many())
    assert how_many().right(Settings()) == "200"
    assert asked.answer("100").view.sentence.endswith("10 % of 2,000 is 200, and the minimum is 100.")
    assert len(SIZES) == len(Settings.controls()["nodes"].values)


def test_small_clusters_are_examined_completely() -> None:
    for settings, sentence in (
        (Settings(nodes=50), "All 50 are examined: fewer than the minimum of 100."),
        (Settings(nodes=100), "All 100 are examined: no more than the minimum of 100."),
        (Settings(nodes=20, percentage=0, absolute=500), "All 20 are examined: fewer than the minimum of 500."),
        (Settings(percentage=100), "All 2,000 are examined: 100 % are enough."),
    ):
        assert show(settings).sentence == sentence
