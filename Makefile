# Every target is one line of plain Python; CONTRIBUTING.md lists them for a machine
# without make. `make PYTHON=/path/to/python3.12 book` chooses the interpreter.

PYTHON ?=
RUN := .venv/bin/python

.PHONY: help setup setup-dev book read live browser-python pdf test lint references lock bench clean
.DEFAULT_GOAL := help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The first interpreter that is new enough and can make virtual environments.
define SET_UP
	@for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python); do \
	  if $$python -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; \
	  then exec $$python -m tools.install $(1); fi; \
	done; \
	echo "Python 3.11, 3.12 or 3.13 with its venv module is needed and none was found." >&2; \
	echo "On Debian or Ubuntu: apt install python3 python3-venv" >&2; exit 1
endef

setup: ## make .venv and install what the book and its tests need
	$(call SET_UP,)

setup-dev:
	$(call SET_UP,--dev)

book: setup ## run every notebook and build _build/html
	@$(RUN) -m tools.book

read: book ## build, then serve the book on this machine and print its address
	@$(RUN) -m tools.read

live: book ## build, then open the book with Python behind every cell
	@$(RUN) -m tools.live

browser-python: setup ## fetch the Python that runs in a reader's browser; then: make book
	@$(RUN) -m tools.browser_python

pdf: book ## build, then print the chapter into one PDF (with its code: make pdf CODE=1)
	@$(RUN) -m tools.pdf $(if $(CODE),--code)

test: setup ## run every test, on two cores
	@$(RUN) -m pytest -n 2 --dist loadscope

lint: setup-dev ## check format, style and types
	@$(RUN) -m tools.lint

references: setup ## renew the notebooks with stored outputs under tests/
	@$(RUN) -m tools.references

lock: setup-dev ## renew requirements.txt from the ranges in pyproject.toml
	@$(RUN) -m tools.lock

bench: setup ## time what was made fast, as ratios
	@$(RUN) -m benchmarks

clean: ## remove what was built; keep .venv
	@rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
