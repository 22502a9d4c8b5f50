# `make` or `make help` lists what there is.
PYTHON ?= python3
PIP_ARGS ?=
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
EXTRAS := book,dask,lab,test,faiss

.DEFAULT_GOAL := help
.PHONY: help book test browser lab serve data bench claims clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

# One environment for everything, made once and refreshed when pyproject.toml changes.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(PIP_ARGS) --editable '.[$(EXTRAS)]'
	@touch $@

book: $(INSTALLED) ## render every page from the records, print where the book is
	$(BIN)/study book

test: $(INSTALLED) ## run the tests and the linters
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m 'not browser' --ignore tests/browser -n 2 --dist loadfile
	$(BIN)/python -m ruff check
	$(BIN)/oxlint --deny-warnings book/_static
	$(BIN)/oxfmt --check 'book/_static/*.js'

browser: $(INSTALLED) ## test the built book in headless Chromium
	$(BIN)/python -m pytest -m browser -n 2 --dist loadfile tests/browser

lab: $(INSTALLED) ## open Jupyter Lab on the notebooks
	$(BIN)/python -m jupyterlab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks

serve: book ## build the book and serve it at http://127.0.0.1:8000 (PORT=...)
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

data: $(INSTALLED) ## fetch and verify the corpora that may be fetched; say what to do about the others
	$(BIN)/study data

bench: $(INSTALLED) ## run the benchmarks
	@failed=; for file in benchmarks/*.py; do echo "$$file"; $(BIN)/python "$$file" || failed="$$failed $$file"; done; \
	$(BIN)/python -m benchmarks.timings || failed="$$failed benchmarks/timings"; \
	test -z "$$failed" || { echo "not run to the end:$$failed"; exit 1; }

claims: $(INSTALLED) ## answer every claim; writes _build/claims.csv
	$(BIN)/study claims --csv _build/claims.csv

clean: ## delete what was built; the environment and the data stay
	rm -rf _build .pytest_cache .ruff_cache .hypothesis
	find benchlib study tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
