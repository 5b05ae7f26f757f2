# The one list of commands. On a fresh Linux or macOS machine with Rust, Python >= 3.11 and make, `make demo`
# and `make test` are all it takes: they build the package and install missing tools into .venv.

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
# Two installations at once would change the same environment.
.NOTPARALLEL:
.PHONY: help demo test test-rust test-python test-assertions test-versions test-train test-frameworks \
	test-notebooks chromium node test-browser test-rules test-boards format lint stub wasm docs docs-links docs-rust \
	pages bench bench-peers bench-network bench-instructions bench-portable champion wheel sdist smoke all clean

help: ## Show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 20

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	@# Without ensurepip (python3-venv on Debian) half of it would stay.
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

# Each is an installation of the package with the extra of its name, or with these.
EXTRAS_train := train,tensorboard
EXTRAS_browser := test-browser
.venv/installed-%: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[$(or $(EXTRAS_$*),$*)]'
	touch $@

demo: .venv/installed-train ## Train an agent by self-play (MINUTES=2) and measure it
	$(BIN)/mijnlieff train --width 64 --blocks 2 --minutes $(MINUTES) --out runs/demo --overwrite

test: test-rust test-python ## Run the tests of the core and the package that need no extra tools

test-rust: ## Test the core, without Python
	cargo test --quiet --no-default-features

test-python: .venv/installed-test ## Test the package
	$(TEST_ENV) $(BIN)/python -m pytest

# The profile of the tests checks arithmetic and the assumptions of unsafe code. Only for Linux.
CHECKED := target/checked/python
test-assertions: .venv/installed-test ## Test environments, search and self-play by a module with debug assertions (Linux)
	cargo build --quiet --lib
	rm -rf $(CHECKED) && mkdir -p $(CHECKED) && cp -rL python/mijnlieff $(CHECKED)
	cp target/debug/libmijnlieff.so $(CHECKED)/mijnlieff/_mijnlieff.abi3.so
	PYTHONPATH=$(CHECKED) $(TEST_ENV) $(BIN)/python -c "import mijnlieff; print(mijnlieff.__file__)"
	PYTHONPATH=$(CHECKED) $(TEST_ENV) $(BIN)/python -m pytest tests/python/envs tests/python/search -m "not slow"

test-versions: .venv/installed-test ## Test the package with the oldest and the newest dependencies on every Python that is here
	$(BIN)/python -m tools.release.test_versions

test-train: .venv/installed-train .venv/installed-test ## Install PyTorch and run the tests that need it
	$(TEST_ENV) $(BIN)/python -m pytest -m torch

test-frameworks: .venv/installed-test ## Test the adapters, each in its framework's own environment: FRAMEWORKS="sb3 jax", or all
	$(BIN)/python -m tools.release.test_frameworks $(FRAMEWORKS)

test-notebooks: .venv/installed-notebooks .venv/installed-test ## Install Jupyter and execute the notebooks at small size
	$(TEST_ENV) $(BIN)/python -m pytest tests/python/repo/test_notebooks*.py

chromium:
	@for name in "$$CHROMIUM" chromium chromium-browser google-chrome; do \
		command -v "$$name" > /dev/null && exit 0; done; \
		echo "Chromium is missing (Debian: apt-get install chromium; elsewhere set CHROMIUM to its path)"; exit 1

node:
	@command -v node > /dev/null || { echo "Node.js is missing (Debian: apt-get install nodejs)"; exit 1; }

test-browser: chromium node .venv/installed-browser .venv/installed-test ## Install JupyterLab and play games by clicks in headless Chromium
	$(TEST_ENV) $(BIN)/python -m pytest tests/python/widget tests/python/web

test-rules: .venv/installed-test ## Compare the core with the plain reference on 10,000 random games
	$(BIN)/python -m pytest tests/python/rules/test_rules.py --games=10000

test-boards: ## Compare a million steps on random boards with games that are played plainly
	MIJNLIEFF_COMPARED_STEPS=1000000 cargo test --quiet --no-default-features --test core games_on_random_boards

include tools/release/checks.mk

format: .venv/installed-test ## Format everything
	cargo fmt
	cargo fmt --manifest-path web/Cargo.toml
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet

lint: .venv/installed-test ## Check formats, lints, types and stubs
	cargo fmt --check
	cargo clippy --quiet --all-targets -- -D warnings
	cargo clippy --quiet --all-targets --no-default-features -- -D warnings
	cargo fmt --check --manifest-path web/Cargo.toml
	cargo clippy --quiet --locked --manifest-path web/Cargo.toml --target-dir target -- -D warnings
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/python -m tools.lint_javascript
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest mijnlieff._mijnlieff
	$(BIN)/python -m tools.stub --check

stub: .venv/installed-test ## Write the stub of the native module from the Rust code
	$(BIN)/python -m tools.stub

# Debian's compiler makes the standard library too. Locations of panics would be paths of this machine.
WASM_TARGET := wasm32-unknown-unknown
WASM_RUSTC ?= /usr/bin/rustc
WASM_FEATURES := simd bulk-memory sign-ext nontrapping-float-to-int mutable-globals reference-types multivalue
wasm: ## Compile the core for the website (Debian: apt-get install cargo-web rustc-web rust-web-src lld-19 binaryen)
	cd web && RUSTC=$(WASM_RUSTC) RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19 \
		RUSTFLAGS="-C target-feature=+simd128 -Zlocation-detail=none" \
		cargo build --quiet --locked --release --target $(WASM_TARGET) -Zbuild-std=std,panic_abort
	wasm-opt -O3 $(addprefix --enable-,$(WASM_FEATURES)) -o web/core.wasm web/target/$(WASM_TARGET)/release/mijnlieff_web.wasm

docs: .venv/installed-docs ## Build the documentation as a website in docs/_build/html; warnings are errors
	$(BIN)/python -m sphinx -E -b html -n -W --keep-going -q docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

docs-links: .venv/installed-docs ## Check the links of the website to other hosts (needs the network)
	$(BIN)/python -m sphinx -b linkcheck -q docs docs/_build/links

docs-rust: ## Build the documentation of the crate; warnings are errors
	RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps --no-default-features

pages: .venv/installed-test ## Make the tables, plots and pictures of the website from docs/results (seconds)
	$(BIN)/python -m tools.pages

bench: .venv/installed-test ## Print how fast everything is, each figure beside a reference in the same run (2 minutes)
	$(BIN)/python -m benches.speed
	@if [ -e $(PEERS)/installed ]; then $(BIN)/python -m benches.peers $(PEERS)/bin/python; \
		else echo "make bench-peers measures other libraries beside this one"; fi

# The libraries do not depend on each other: if one cannot be installed, the table says so.
$(PEERS)/installed:
	$(PYTHON) -m venv $(PEERS)
	@whole=yes; for peer in pgx open_spiel 'pettingzoo[classic]'; do \
		$(PEERS)/bin/pip install --quiet "$$peer" || { whole=; echo "$$peer cannot be installed on this machine"; }; \
	done; test -z "$$whole" || touch $@

bench-peers: $(PEERS)/installed .venv/installed-test ## Measure Pgx, OpenSpiel and PettingZoo beside this package (installs 0.8 GB)
	$(BIN)/python -m benches.peers $(PEERS)/bin/python

bench-network: .venv/installed-train ## Compare how fast networks are evaluated and learn with PyTorch
	cargo build --quiet --release --manifest-path benches/Cargo.toml --bin peak
	$(BIN)/python -m benches.speed network memory waiting evaluate

TABLEBASE := runs/standard.tablebase
# A new build of the package needs no new table.
$(TABLEBASE): | .venv/installed-train
	mkdir -p $(@D)
	$(BIN)/mijnlieff tablebase build --out $@

champion: .venv/installed-train $(TABLEBASE) ## Train the champion from random weights (an hour; 2.3 GB in runs)
	$(BIN)/python -m tools.data.champion --tablebase $(TABLEBASE)

bench-instructions: ## Count instructions of steps, searches and self-play by valgrind; other load does not matter
	cargo build --quiet --release --manifest-path benches/Cargo.toml
	benches/target/release/instructions

PORTABLE := target/portable/python
bench-portable: .venv/installed-test ## Compare the speed of the portable code with that of the code for AVX2 (Linux on x86-64)
	RUSTFLAGS='--cfg portable_only' cargo build --quiet --release --lib --target-dir target/portable
	rm -rf $(PORTABLE) && mkdir -p $(PORTABLE) && cp -rL python/mijnlieff $(PORTABLE)
	cp target/portable/release/libmijnlieff.so $(PORTABLE)/mijnlieff/_mijnlieff.abi3.so
	$(BIN)/python -m benches.speed steps search --beside $(PORTABLE) --at-least 0.5
	$(BIN)/python -m benches.speed evaluate --beside $(PORTABLE)

# The tools that build and check packages; zig links for an old glibc on any Linux.
$(PACKAGING)/installed:
	$(PYTHON) -m venv $(PACKAGING)
	$(PACKAGING)/bin/pip install --quiet 'maturin[zig]>=1.14,<2' auditwheel abi3audit
	touch $@

# Wheels for Linux run where glibc is 2.17 or newer. On other systems the option changes nothing.
wheel: $(PACKAGING)/installed ## Build the wheel into dist/ and check it; TARGET=aarch64-unknown-linux-gnu for another processor
	rm -f dist/*.whl
	$(if $(TARGET),! command -v rustup > /dev/null || rustup target add $(TARGET))
	PATH="$(CURDIR)/$(PACKAGING)/bin:$$PATH" maturin build --quiet --release --locked --out dist \
		--compression-level 9 \
		--compatibility manylinux2014 $(if $(filter Linux,$(shell uname -s)),--zig) \
		$(if $(TARGET),--target $(TARGET))
	$(PACKAGING)/bin/python tools/release/check_wheels.py dist/*.whl

sdist: $(PACKAGING)/installed ## Build the source distribution into dist/
	rm -f dist/*.tar.gz
	$(PACKAGING)/bin/maturin sdist --out dist
	@ls -l dist/*.tar.gz

smoke: wheel sdist ## Install the wheel and the source distribution into new environments and try them
	$(PYTHON) tools/release/smoke_test.py dist/*.whl dist/*.tar.gz

all: lint docs docs-rust test test-train test-assertions test-notebooks test-frameworks smoke test-browser ## Run every check that a change must pass (an hour)

clean: ## Remove everything built, and the virtual environment
	rm -rf .venv .venv-frameworks $(PEERS) $(PACKAGING) target benches/target fuzz/target web/target dist python/mijnlieff/_mijnlieff*.so \
		docs/_build docs/api docs/notebooks/*.ipynb
