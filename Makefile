# The one list of commands. On a fresh machine with Rust, Python >= 3.11 and make, `make demo` and
# `make test` are all it takes: they build the package and install missing tools into .venv.

PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers
PACKAGING := .venv-packaging
FRAMEWORKS ?=
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find src -name '*.rs')
MINUTES ?= 2
FUZZ_SECONDS ?= 60

export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Windows of the human render mode open in memory, so tests need no screen.
TEST_ENV := SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy MPLBACKEND=Agg

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed-test: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[test]'
	touch $@

.venv/installed-train: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[train,tensorboard]'
	touch $@

.venv/installed-notebooks: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[notebooks]'
	touch $@

.venv/installed-docs: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[docs]'
	touch $@

.venv/installed-browser: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[test-browser]'
	touch $@

.PHONY: demo
demo: .venv/installed-train ## Train an agent by self-play (MINUTES=2) and measure it
	$(BIN)/mijnlieff train --minutes $(MINUTES) --out runs/demo --overwrite

.PHONY: test
test: test-rust test-python ## Run the tests, except test-train, test-notebooks and test-browser

.PHONY: test-rust
test-rust: ## Test the core, without Python
	cargo test --quiet --no-default-features

.PHONY: miri
miri: ## Check the threads, file headers and portable vectors for undefined behaviour by Miri
	@cargo +nightly miri --version > /dev/null 2>&1 || { echo "Miri is not installed:" \
		"rustup toolchain install nightly --component miri"; exit 1; }
	cargo +nightly miri test --quiet --no-default-features --lib -- \
		threads:: file_header:: simd::exp:: all_processors_calculate_alike

.PHONY: test-python
test-python: .venv/installed-test ## Test the package
	$(TEST_ENV) $(BIN)/python -m pytest

.PHONY: test-train
test-train: .venv/installed-train .venv/installed-test ## Install PyTorch and run the tests that need it
	$(TEST_ENV) $(BIN)/python -m pytest -m torch

.PHONY: test-frameworks
test-frameworks: .venv/installed-test ## Test the adapters, each in its framework's own environment: FRAMEWORKS="sb3 jax", or all
	$(BIN)/python -m tools.release.test_frameworks $(FRAMEWORKS)

.PHONY: test-notebooks
test-notebooks: .venv/installed-notebooks .venv/installed-test ## Install Jupyter and execute the notebooks at small size
	$(TEST_ENV) $(BIN)/python -m pytest tests/python/repo/test_notebooks*.py

.PHONY: chromium
chromium:
	@for name in "$$CHROMIUM" chromium chromium-browser google-chrome; do \
		command -v "$$name" > /dev/null && exit 0; done; \
		echo "Chromium is missing (Debian: apt-get install chromium; elsewhere set CHROMIUM to its path)"; exit 1

.PHONY: test-browser
test-browser: chromium .venv/installed-browser .venv/installed-test ## Install JupyterLab and play games by clicks in headless Chromium
	$(TEST_ENV) $(BIN)/python -m pytest tests/python/widget

.PHONY: widget-picture
widget-picture: chromium .venv/installed-browser ## Draw docs/widget.png again, in headless Chromium
	$(BIN)/python -m tools.pages.widget_picture

.PHONY: notebooks
notebooks: .venv/installed-notebooks ## Execute the notebooks at full size and keep their outputs (about 15 minutes)
	$(BIN)/python notebooks/execute.py

.PHONY: compare
compare: .venv/installed-test ## Compare the core with the plain reference on 10,000 random games
	$(BIN)/python -m pytest tests/python/rules/test_rules.py --games=10000

.PHONY: fmt
fmt: .venv/installed-test ## Format everything
	cargo fmt
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet

.PHONY: lint
lint: .venv/installed-test ## Check formats, lints, types and stubs
	cargo fmt --check
	cargo clippy --quiet --all-targets -- -D warnings
	cargo clippy --quiet --all-targets --no-default-features -- -D warnings
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest mijnlieff._mijnlieff
	$(BIN)/python tools/stub.py --check

.PHONY: stub
stub: .venv/installed-test ## Write the doc comments of the Rust code into the stub of the native module
	$(BIN)/python tools/stub.py

.PHONY: docs
docs: ## Build the documentation of the crate; warnings are errors
	RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps --no-default-features

.PHONY: site
site: .venv/installed-docs ## Build the documentation as a website in docs/_build/html; warnings are errors
	$(BIN)/python -m sphinx -E -b html -n -W --keep-going -q docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

.PHONY: site-links
site-links: .venv/installed-docs ## Check the links of the website to other hosts (needs the network)
	$(BIN)/python -m sphinx -b linkcheck -q docs docs/_build/links

.PHONY: golden
golden: .venv/installed-test ## Regenerate the golden game
	$(BIN)/python tests/python/support/make_golden.py > tests/data/example_game.txt

.PHONY: pages
pages: .venv/installed-test ## Make the tables, plots and pictures of the website from docs/results (seconds)
	$(BIN)/python -m tools.pages

.PHONY: book
book: ## Make the book of exact margins again (about 20 minutes on one core, 4 GB of memory)
	cargo run --quiet --release --no-default-features --example make_book -- python/mijnlieff/data/book.bin

.PHONY: solution
solution: .venv/installed-test ## Measure docs/results/solution again (about 10 minutes)
	$(BIN)/python -m tools.measure.solution

.PHONY: atlas
atlas: .venv/installed-test ## Solve the values that docs/atlas.csv lacks (all of them: 40 minutes)
	$(BIN)/python -m tools.data.atlas

.PHONY: check-atlas
check-atlas: .venv/installed-test ## Check the values of docs/atlas.csv by plain alpha-beta (about an hour)
	$(BIN)/python -m tools.data.check_atlas

.PHONY: benchmarks
benchmarks: .venv/installed-test ## Make the benchmark positions of the package again (about 5 minutes)
	$(BIN)/python -m tools.data.benchmark

.PHONY: train-report
train-report: .venv/installed-train ## Make and measure the runs that docs/results/training lacks (all of them: 8 hours)
	$(BIN)/python -m tools.measure.training

.PHONY: generalist
generalist: .venv/installed-train ## Train one network on many boards (45 minutes), and keep its report in docs/results/generalist
	$(BIN)/python -m tools.measure.generalist

.PHONY: champion
champion: .venv/installed-train ## Train the champion of the package again, until no opponent can beat it (an hour)
	$(BIN)/python -m tools.data.champion

.PHONY: baselines
baselines: .venv/installed-train ## Train and measure what docs/results/baselines lacks (all of it: 13 hours)
	$(BIN)/python -m tools.measure.baselines

.PHONY: check-solver
check-solver: ## Check the solver against itself on a million positions
	cargo run --quiet --release --no-default-features --example check_solver

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZ_SECONDS=60, or for FUZZ_RUNS inputs (needs cargo-fuzz and nightly Rust)
	@cargo fuzz --version >/dev/null 2>&1 || { echo "cargo-fuzz is missing: cargo install cargo-fuzz"; exit 1; }
	@cargo +nightly --version >/dev/null 2>&1 \
		|| { echo "nightly Rust is missing: rustup toolchain install nightly"; exit 1; }
	for target in $$(cargo fuzz list); do \
		cargo +nightly fuzz run $$target -- -max_len=256 -print_final_stats=1 \
			$(if $(FUZZ_RUNS),-runs=$(FUZZ_RUNS),-max_total_time=$(FUZZ_SECONDS)) || exit 1; \
	done

.PHONY: bench
bench: .venv/installed-test ## Print how fast everything is, each figure beside a reference in the same run (2 minutes)
	$(BIN)/python -m benches.speed
	@if [ -e $(PEERS)/installed ]; then $(BIN)/python -m benches.peers $(PEERS)/bin/python; \
		else echo "make bench-peers measures other libraries beside this one"; fi

# The libraries do not depend on each other: if one cannot be installed, the table says so.
$(PEERS)/installed:
	$(PYTHON) -m venv $(PEERS)
	@for peer in pgx open_spiel 'pettingzoo[classic]'; do \
		$(PEERS)/bin/pip install --quiet "$$peer" || echo "$$peer cannot be installed on this machine"; \
	done
	touch $@

.PHONY: bench-peers
bench-peers: $(PEERS)/installed .venv/installed-test ## Measure Pgx, OpenSpiel and PettingZoo beside this package (installs 0.8 GB)
	$(BIN)/python -m benches.peers $(PEERS)/bin/python

.PHONY: bench-network
bench-network: .venv/installed-train ## Compare how fast networks are evaluated and learn with PyTorch
	$(BIN)/python -m benches.speed network evaluate

.PHONY: bench-instructions
bench-instructions: ## Count instructions of steps, searches and self-play by valgrind; other load does not matter
	cargo build --quiet --release --manifest-path benches/Cargo.toml
	benches/target/release/instructions

.PHONY: test-boards
test-boards: ## Compare a million steps on random boards with games that are played plainly
	MIJNLIEFF_COMPARED_STEPS=1000000 cargo test --quiet --no-default-features --test core games_on_random_boards

PORTABLE := target/portable/python
.PHONY: bench-portable
bench-portable: .venv/installed-test ## Compare the speed of the portable code with that of the code for AVX2 (on x86-64)
	RUSTFLAGS='--cfg portable_only' cargo build --quiet --release --lib --target-dir target/portable
	rm -rf $(PORTABLE) && mkdir -p $(PORTABLE) && cp -r python/mijnlieff $(PORTABLE)
	cp target/portable/release/libmijnlieff.so $(PORTABLE)/mijnlieff/_mijnlieff.abi3.so
	$(BIN)/python -m benches.speed steps search --beside $(PORTABLE) --at-least 0.5
	$(BIN)/python -m benches.speed evaluate --beside $(PORTABLE)

# The tools that build and check packages; zig links for an old glibc on any Linux.
$(PACKAGING)/installed:
	$(PYTHON) -m venv $(PACKAGING)
	$(PACKAGING)/bin/pip install --quiet 'maturin[zig]>=1.14,<2' auditwheel abi3audit
	touch $@

# Wheels for Linux run where glibc is 2.17 or newer. On other systems the option changes nothing.
.PHONY: wheel
wheel: $(PACKAGING)/installed ## Build the wheel into dist/ and check it; TARGET=aarch64-unknown-linux-gnu for another processor
	rm -f dist/*.whl
	$(if $(TARGET),rustup target add $(TARGET))
	PATH="$(CURDIR)/$(PACKAGING)/bin:$$PATH" maturin build --quiet --release --locked --out dist \
		--compatibility manylinux2014 $(if $(filter Linux,$(shell uname -s)),--zig) \
		$(if $(TARGET),--target $(TARGET))
	$(PACKAGING)/bin/python tools/release/check_wheels.py dist/*.whl

.PHONY: sdist
sdist: $(PACKAGING)/installed ## Build the source distribution into dist/
	rm -f dist/*.tar.gz
	$(PACKAGING)/bin/maturin sdist --out dist
	@ls -l dist/*.tar.gz

.PHONY: smoke
smoke: wheel sdist ## Install the wheel and the source distribution into new environments and try them
	$(PYTHON) tools/release/smoke_test.py dist/*.whl dist/*.tar.gz

.PHONY: all
all: lint docs site test ## Run the quick checks; .ci/run has all that must pass before a change is merged

.PHONY: clean
clean: ## Remove everything built, and the virtual environment
	rm -rf .venv .venv-frameworks $(PEERS) $(PACKAGING) target benches/target fuzz/target dist python/mijnlieff/_mijnlieff*.so \
		docs/_build docs/api docs/notebooks/*.ipynb
