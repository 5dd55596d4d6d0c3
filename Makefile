# From a bare checkout with only python3 and make. Each target makes .venv when it is missing.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test test-adapters programs check lock audit drill bench bench-quick docs clean

# What the demo and the web page need, without test tools. pip learnt --group in 25.1
.venv/demo: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[server]"
	touch $@

.venv/made: .venv/demo requirements-dev.lock
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

# The packages of development and CI with their hashes. It names no registry, so it works with any.
lock:
	$(PYTHON) -m venv .venv-lock && .venv-lock/bin/python -m pip install --quiet uv
	.venv-lock/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
		--extra client --extra multilingual --extra server --extra postgres --group test --group check \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate --output-file requirements-dev.lock

# Needs the vulnerability data of PyPI
audit:
	$(PYTHON) -m venv .venv-lock && .venv-lock/bin/python -m pip install --quiet pip-audit
	.venv-lock/bin/pip-audit --require-hashes --disable-pip --requirement requirements-dev.lock

demo: .venv/demo
	$(BIN)/recollect demo

# In two processes: one often waits for servers and browsers
FIRST := tests/cli tests/serve tests/store tests/tend tests/text tests/write

test: .venv/made programs
	$(BIN)/python -m pytest $(FIRST) & first=$$!; \
	$(BIN)/python -m pytest $(FIRST:%=--ignore=%); second=$$?; \
	wait $$first && exit $$second

# The adapters' packages bring many others along, so they have an environment of their own
.venv-adapters/made: pyproject.toml
	$(PYTHON) -m venv .venv-adapters
	.venv-adapters/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-adapters/bin/python -m pip install --quiet --editable . --group adapters
	touch $@

# CrewAI needs older versions of openai, mcp and pydantic than the others, so it can't share their environment
.venv-crewai/made: pyproject.toml
	$(PYTHON) -m venv .venv-crewai
	.venv-crewai/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-crewai/bin/python -m pip install --quiet --editable . --group crewai
	touch $@

test-adapters: .venv-adapters/made .venv-crewai/made
	.venv-adapters/bin/python -m pytest tests/adapters
	.venv-crewai/bin/python -m pytest tests/adapters/test_crewai_adapter.py tests/adapters/test_guides.py

# Debian's packages that the tests drive; elsewhere, or without root, the tests say what is missing
PACKAGES := chromium fonts-droid-fallback fonts-liberation $(shell command -v npm >/dev/null || echo nodejs npm)

programs:
	-@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! dpkg -s $(PACKAGES) >/dev/null 2>&1; then \
		echo "installing $(PACKAGES)"; apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $(PACKAGES) >/dev/null; \
	fi

check: .venv/made
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/vulture
	$(BIN)/python -m pytest tests/test_surface.py

drill: .venv/made
	@echo "This takes about 20 minutes. It writes the table of docs/durability.md."
	$(BIN)/python scripts/drill --write

# DATA may name official benchmark files: make bench DATA="locomo10.json longmemeval_s.json"
DATA ?=
SETS := $(foreach file,$(DATA),--data $(file))
CHINESE := $(foreach file,$(wildcard src/recollect/bench/scenarios/*_zh.json),--data $(file))

bench: .venv/made
	@echo "Without DATA this takes about 20 minutes; LongMemEval adds an hour the first time (vectors are kept)."
	mkdir -p bench/out
	$(BIN)/python bench/foundation.py | tee bench/out/foundation.txt
	$(BIN)/python bench/embedders.py | tee bench/out/embedders.txt
	$(BIN)/python bench/postgres.py | tee bench/out/postgres.txt
	$(BIN)/python bench/serve.py | tee bench/out/serve.txt
	$(BIN)/recollect bench quality $(SETS) --recipes all --out bench/out/quality
	$(BIN)/recollect bench quality $(CHINESE) --embedder multilingual --recipes all --out bench/out/quality-zh
	$(BIN)/recollect bench ablation $(SETS) --recipe default --how leave-one-out --out bench/out/ablation
	$(BIN)/recollect bench slices --out bench/out/slices
	$(BIN)/recollect bench lives --recipes default,memx,vector,bm25 --out bench/out/lives
	$(BIN)/recollect bench memx $(SETS) --out bench/out/memx
	for system in openmem siestai bm25 "memsense --mode all"; do \
		$(BIN)/recollect bench $$system --out bench/out/documents || exit 1; \
	done

bench-quick: .venv/made
	@echo "This takes under five minutes."
	mkdir -p bench/out
	$(BIN)/python bench/foundation.py | tee bench/out/foundation.txt
	$(BIN)/recollect bench quality --recipes default,memx,bm25,vector --no-abstention --out bench/out/quick

docs: .venv/made
	$(BIN)/python scripts/generate_cli_docs.py
	$(BIN)/python scripts/generate_recipe_docs.py

clean:
	rm -rf .venv .venv-adapters .venv-crewai .venv-lock bench/out build dist
