# From a bare checkout with only python3 and make. Each target makes .venv when it is missing.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test test-adapters programs check lock audit drill fuzz coverage bench bench-quick docs site packages clean

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

# Environments beside the first one are made by uv, which needs seconds where pip needs a minute
UV := .venv-uv/bin/uv

$(UV):
	$(PYTHON) -m venv .venv-uv
	.venv-uv/bin/python -m pip install --quiet uv

# The packages of development and CI with their hashes. It names no registry, so it works with any.
lock: $(UV)
	$(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
		--extra client --extra multilingual --extra server --extra postgres --group test --group check \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate --output-file requirements-dev.lock

.venv-audit/made: $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-audit
	$(UV) pip install --quiet --python .venv-audit pip-audit
	touch $@

# Fails if a package of the lock file has a known vulnerability. Says so if the data is out of reach
audit: .venv-audit/made
	.venv-audit/bin/python scripts/audit.py

demo: .venv/demo
	$(BIN)/recollect demo

# In two processes: one often waits for servers and browsers
FIRST := tests/cli tests/serve tests/store tests/tend tests/text tests/write

test: .venv/made programs
	$(BIN)/python -m pytest $(FIRST) & first=$$!; \
	$(BIN)/python -m pytest $(FIRST:%=--ignore=%); second=$$?; \
	wait $$first && exit $$second

# Source packages with the tests of LangGraph's own stores, which ours has to pass
PUBLISHED := $(shell sed -n 's/.*"\(langgraph-checkpoint[^"]*\)".*/\1/p' pyproject.toml)

# The adapters' packages bring many others along, so they have an environment of their own
.venv-adapters/made: pyproject.toml $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-adapters
	$(UV) pip install --quiet --python .venv-adapters --editable . --group adapters
	$(PYTHON) -m pip download --quiet --no-deps --no-binary :all: --dest .venv-adapters/published $(PUBLISHED)
	touch $@

# CrewAI needs older versions of openai, mcp and pydantic than the others, so it can't share their environment
.venv-crewai/made: pyproject.toml $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-crewai
	$(UV) pip install --quiet --python .venv-crewai --editable . --group crewai
	touch $@

.venv-docs/made: pyproject.toml $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-docs
	$(UV) pip install --quiet --python .venv-docs --group docs
	touch $@

test-adapters: .venv-adapters/made .venv-crewai/made
	.venv-adapters/bin/python -m pytest tests/adapters
	.venv-crewai/bin/python -m pytest tests/adapters/test_crewai_adapter.py tests/adapters/test_guides.py -k crewai

# Debian's packages that the tests drive; elsewhere, or without root, the tests say what is missing
PACKAGES := chromium fonts-droid-fallback fonts-liberation pgbouncer $(shell command -v npm >/dev/null || echo nodejs npm)

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
	@$(MAKE) --silent .venv-audit/made || echo "not audited: pip-audit can't be installed"
	@test ! -e .venv-audit/made || .venv-audit/bin/python scripts/audit.py --daily

drill: .venv/made
	@echo "This takes about 30 minutes. It writes the table of docs/durability.md."
	$(BIN)/python scripts/drill --write

# Not part of CI, which only runs the corpus (tests/test_fuzz.py)
SECONDS_PER_TARGET ?= 60
fuzz: .venv/made
	$(BIN)/python -m pip install --quiet --group fuzz
	$(BIN)/python scripts/fuzz.py $(SECONDS_PER_TARGET)

# Branches of what changes stores that the tests reach. About 15 minutes on an idle machine; not part of CI
coverage: .venv/made
	$(BIN)/python -m pip install --quiet --group coverage
	$(BIN)/python -m coverage erase
	-$(BIN)/python -m coverage run -m pytest --ignore=tests/adapters --ignore=tests/test_drill.py
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered

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
	$(BIN)/python bench/fleet.py | tee bench/out/fleet.txt
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

# The pages that are generated, and the site with all of them
docs: .venv/made
	$(BIN)/python scripts/generate_cli_docs.py
	$(BIN)/python scripts/generate_recipe_docs.py
	$(BIN)/python scripts/make_charts.py
	$(MAKE) site

# Strict: a link that leads nowhere fails, and so does a page that loads something from elsewhere
site: .venv-docs/made
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --strict --quiet
	.venv-docs/bin/python scripts/check_site.py site

# The wheel and the source package, built twice, byte for byte the same; and the rules of the container file
packages: .venv-docs/made
	.venv-docs/bin/python scripts/check_packages.py dist
	.venv-docs/bin/hadolint Containerfile

clean:
	rm -rf .venv .venv-adapters .venv-audit .venv-crewai .venv-docs .venv-uv bench/out build dist site
