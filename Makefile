# Every target makes .venv itself where it is missing; only Python >= 3.11 and make are needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CACHE  := .cache
# What is compiled for tests, docs and races stays here. The command line, as a user has it, has a cache of its own.
test test-slow docs bench: export JAX_COMPILATION_CACHE_DIR ?= $(abspath $(CACHE)/jax)
test test-slow docs bench: export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS ?= 0
test test-slow docs bench: export JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES ?= -1

# Nearly all of a test is compiling, and code that runs once need not be fast: this halves it. The slow suite compiles as
# a user does. The flags belong to the jaxlib that constraints.txt pins.
FAST_COMPILE := XLA_FLAGS="$$XLA_FLAGS --xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true \
  --xla_cpu_parallel_codegen_split_count=1 --xla_cpu_use_fusion_emitters=false"

.PHONY: run test test-slow lint format bench docs clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "credo needs Python 3.11 or later; try make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# One stamp an extra (.venv/.app, .venv/.dev, .venv/.docs, .venv/.peers): installed again when what it depends on changes.
$(VENV)/.%: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$*]'
	@touch $@

run: $(VENV)/.app  ## the main job: learn an embedded table, end to end, with a report
	$(BIN)/credo learn

test: $(VENV)/.dev  ## every fast test, on all cores
	$(FAST_COMPILE) $(BIN)/python -m pytest -n auto --dist loadfile --jaxtyping-packages=credo,typechecking.check

test-slow: $(VENV)/.dev  ## the long statistical, crash and browser suites
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

lint: $(VENV)/.dev  ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## what lint asks for, as far as a machine can do it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.peers  ## races against named peers; tables go to docs/benchmarks.md
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs  ## docs/_build/html; warnings are errors
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html

clean:  ## back to a fresh clone
	rm -rf $(VENV) $(CACHE) docs/_build docs/auto_gallery docs/api
