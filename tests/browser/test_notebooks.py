"""Every notebook runs from top to bottom in JupyterLab; the fixture sees to the console and to requests."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, Open

NAMES = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_runs_without_an_error_or_a_request_to_elsewhere(notebook: Open, name: str) -> None:
    page = notebook(name)
    page.run_all()
    expect(page.page.get_by_text("Error displaying widget")).to_have_count(0)
