# From a bare checkout with only python3 and make. Each target makes .venv when it is missing.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test check bench bench-quick docs clean

# pip learnt --group in 25.1
.venv/made: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[multilingual]" --group test --group check
	touch $@

demo: .venv/made
	$(BIN)/recollect demo

test: .venv/made
	$(BIN)/python -m pytest

check: .venv/made
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_surface.py

bench: .venv/made
	@echo "This takes about 15 minutes; make bench-quick takes under 5."
	mkdir -p bench/out
	$(BIN)/python bench/foundation.py | tee bench/out/foundation.txt
	$(BIN)/python bench/embedders.py | tee bench/out/embedders.txt

bench-quick: .venv/made
	mkdir -p bench/out
	$(BIN)/python bench/foundation.py | tee bench/out/foundation.txt

docs: .venv/made
	$(BIN)/python scripts/generate_cli_docs.py
	$(BIN)/python scripts/generate_recipe_docs.py

clean:
	rm -rf .venv bench/out build dist
