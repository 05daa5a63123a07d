# Everything a developer runs by hand; `.ci/run` runs it all from a clean copy.
BIN ?= $(if $(wildcard .venv/bin),.venv/bin/)

.PHONY: check test slow bench docs

check:
	$(BIN)ruff check .
	$(BIN)mypy
	$(BIN)lint-imports

test:
	$(BIN)python -m pytest

slow:
	$(BIN)python -m pytest -m slow

bench:
	$(BIN)python -m benchmarks.run

docs:
	$(BIN)python docs/picture.py
