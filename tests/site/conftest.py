from tests.site.built import site  # noqa: F401 - a fixture
