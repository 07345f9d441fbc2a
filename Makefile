# Two commands: `make lab` opens the lab, `make test` checks everything. `make help` lists the others.

PYTHON ?= python3
BIN := .venv/bin
PACKAGES := $(patsubst %/pyproject.toml,%,$(wildcard packages/*/pyproject.toml))
PARALLEL ?= -n 2
# Browsers and kernels wait for frames and messages: three keep two cores busy.
WAITING ?= -n 3
UPGRADE ?=
MEASURE ?=
LESSON ?=
SECONDS ?= 600
COUNT ?= 300
SEED ?= 0
PACKAGE ?=
ALL ?=
BETWEEN := $(shell sed 's/^v1\.\([0-9]*\)\..*/k1_\1/' tests/oracle/kube/versions)
CHOSEN := -m "$(if $(ALL),,not nightly and )not release"
REAL := --ignore=packages/live/tests/real
IN_A_BROWSER := tests/browser tests/site
APART := $(foreach each,tests/conformance tests/notebooks $(IN_A_BROWSER),--ignore=$(each)) $(REAL)

# Without bytecode every start of Python compiles all that it imports, and pytest all tests, in each process.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help lab check test test-all report release-check lint types unit conformance without-browser notebooks nbval browser site catalogue refresh mutations mutants fuzz validation measured versions audit live hybrid docs bench format lock system

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

lab: .venv/installed ## set up the environment and open JupyterLab on the contents notebook
	JUPYTER_CONFIG_PATH=$(CURDIR)/.jupyter $(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root)

check: lint types unit ## seconds to minutes: style, types, imports, unit tests

ifeq ($(PACKAGE),)
test: system lint ## everything that CI checks; PACKAGE=simulation runs the tests of one package
	$(MAKE) -j 2 types without-browser
	$(MAKE) nbval browser
else
test: .venv/installed
	$(BIN)/pytest $(PARALLEL) $(CHOSEN) $(or $(wildcard packages/$(PACKAGE)/tests),tests) $(APART)
endif

test-all: system lint types ## what `make test` runs, in all states, windows and languages, with the site (an hour or more)
	$(MAKE) unit conformance notebooks browser ALL=1
	$(MAKE) site
	KSCHEDLAB_SITE=build/site $(BIN)/pytest $(PARALLEL) tests/site tests/browser/test_site.py

lint: .venv/installed ## ruff, and import-linter: who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: .venv/installed ## mypy --strict
	$(BIN)/mypy

unit: .venv/installed ## unit tests of all packages
	$(BIN)/pytest $(PARALLEL) $(CHOSEN) $(APART)

conformance: .venv/installed ## every vector of the real scheduler
	$(BIN)/pytest $(PARALLEL) $(CHOSEN) tests/conformance

without-browser: .venv/installed
	$(BIN)/pytest $(PARALLEL) $(CHOSEN) --dist worksteal $(foreach each,$(IN_A_BROWSER),--ignore=$(each)) $(REAL)

notebooks: nbval ## run the notebooks and compare them with their saved outputs
	$(BIN)/pytest $(PARALLEL) $(CHOSEN) tests/notebooks

nbval: .venv/installed
	PYTHONHASHSEED=0 KSCHEDLAB_PROGRESS=off $(BIN)/pytest $(WAITING) --dist loadfile --nbval --nbval-current-env --nbval-cell-timeout 60 \
		--nbval-sanitize-with tests/notebooks/sanitize.cfg notebooks

browser: .venv/installed ## the panels in JupyterLab and a real browser, and pages of the course
	$(BIN)/pytest $(WAITING) $(CHOSEN) --dist worksteal $(if $(ALL),tests/browser,$(IN_A_BROWSER))

report: .venv/installed ## how large each package is, and what a decision loads
	$(BIN)/python -m tools.report

release-check: .venv/installed ## every message has its translation, both languages are in step, wheels build, the lock is clean
	$(BIN)/python -m tools.catalogue complete
	$(BIN)/pytest $(PARALLEL) -m release packages/lab/tests/language tests/notebooks
	$(MAKE) lock && git diff --exit-code requirements.txt
	$(BIN)/uv build --quiet --all-packages --wheel --out-dir build/wheels

site: .venv/installed ## the course as pages that need no server, in build/site (some minutes)
	$(BIN)/python -m tools.site.build build/site
	$(BIN)/python -m tools.site.build build/site --language zh

catalogue: .venv/installed ## take new texts into the catalogue of translations (docs/translating.md)
	$(BIN)/python -m tools.catalogue

refresh: .venv/installed ## run the notebooks and save their outputs; write anew what tests compare with what was shown or printed
	$(BIN)/python tools/refresh.py
	$(BIN)/python -m packages.simulation.tests.test_runs
	$(BIN)/python -m tests.program.test_transcripts
	$(BIN)/python -m packages.live.tests.serve.test_conversation
	$(BIN)/python -m packages.live.tests.why.test_transcript
	$(BIN)/python -m packages.lab.tests.panels.test_pictures
	$(BIN)/python -m packages.lab.tests.exercises.test_drawn

mutations: .venv/installed ## does a lesson notice a wrong engine? (some minutes)
	$(BIN)/python -m tools.mutations $(LESSON)

bench: .venv/installed ## pods/s on a cluster of moderate size
	for kind in basic mixed affinity; do \
		$(BIN)/python benchmarks/workload.py $$kind 1000 2000 500 > .venv/workload.json && \
		$(BIN)/kschedlab bench .venv/workload.json || exit 1; done

measured: .venv/installed ## measure what the documents say, and write it there (MEASURE=cel SEED=7; most need Go)
	$(BIN)/python -m tools.measured $(MEASURE) --seed $(SEED) $(if $(filter-out file,$(origin COUNT)),--count $(COUNT))

mutants: .venv/installed ## do the tests notice COUNT small changes of what decides, with ALL=1 of every package? (hours)
	$(BIN)/python -m tools.mutants $(if $(ALL),--all) --count $(COUNT) --seed $(SEED)

fuzz: .venv/installed ## SECONDS of hostile files, then of random scenarios beside the real schedulers (needs Go)
	$(BIN)/python -m tools.fuzz_input --seconds $(SECONDS) --seed $(SEED)
	@command -v go >/dev/null || { echo "no go: the real schedulers' programs can't be built" >&2; exit 1; }
	sh tests/oracle/build.sh .venv/oracle k1_37 $(BETWEEN) k1_20 k1_16 k1_13
	$(BIN)/python -m tools.fuzz .venv/oracle --seconds $(SECONDS) --seed $(SEED)

validation: .venv/installed ## random objects beside the real API server's validation (needs Go)
	sh tests/oracle/build.sh .venv/oracle validate_1_37
	$(BIN)/python -m tests.oracle.validation .venv/oracle/validate_1_37 --count 20000 --seed $(SEED)

live: .venv/installed ## beside the real control plane, built from its Go modules (needs Go; the first time takes long)
	KSCHEDLAB_REAL=1 $(BIN)/pytest packages/live/tests/real --ignore=packages/live/tests/real/hybrid

hybrid: .venv/installed ## the real kube-scheduler against kschedlab serve, beside ours (needs Go; minutes)
	KSCHEDLAB_REAL=1 KSCHEDLAB_SEED=$(SEED) $(BIN)/pytest packages/live/tests/real/hybrid

versions: .venv/installed ## unit tests with the oldest and the newest versions that pyproject.toml allows
	for each in lowest-direct highest; do \
		$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/$$each && \
		$(BIN)/uv pip install --quiet --python .venv/$$each/bin/python --resolution $$each ".[program,dev]" $(addprefix ./,$(PACKAGES)) && \
		.venv/$$each/bin/python -m pytest $(PARALLEL) $(CHOSEN) $(APART) || exit 1; done

audit: .venv/installed ## known faults of what we depend on (asks pypi.org), and a bill of materials in .venv/sbom.json
	$(BIN)/uv tool run pip-audit --requirement requirements.txt --disable-pip --no-deps --strict
	$(BIN)/uv tool run --from cyclonedx-bom cyclonedx-py requirements requirements.txt --output-file .venv/sbom.json

docs: .venv/installed ## the API's pages in docs/api, from the docstrings
	$(BIN)/pdoc --output-directory docs/api --docformat restructuredtext kschedlab

lock: ## compile requirements.txt from pyproject.toml (UPGRADE=--upgrade for newer versions)
	test -x $(BIN)/uv || { $(PYTHON) -m venv .venv && $(BIN)/python -m pip install --quiet uv; }
	$(BIN)/uv pip compile pyproject.toml $(PACKAGES:%=%/pyproject.toml) --extra program --extra dev --output-file requirements.txt \
		$(patsubst %,--no-emit-package %,kschedlab kube-cel $(addprefix kschedlab-,$(filter-out cel,$(notdir $(PACKAGES))))) \
		--universal --python-version 3.11 --fork-strategy fewest --custom-compile-command "make lock" --quiet $(UPGRADE)

format: .venv/installed ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

system: ## what pip cannot install: Chromium and kubectl
	sh tools/system-packages.sh

.venv/installed: requirements.txt pyproject.toml $(PACKAGES:%=%/pyproject.toml) packages/lab/hatch_build.py $(wildcard packages/lab/kschedlab_lab/*/*.js)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kschedlab needs Python 3.11 or later: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet "$$(grep -o '^uv==[0-9.]*' requirements.txt)"
	$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --requirement requirements.txt || \
		$(BIN)/python -m pip install --disable-pip-version-check --quiet --requirement requirements.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable . $(PACKAGES:%=--editable %)
	@touch $@
