# Checks that need more than Rust and Python, or hours: other processors, sanitizers, fuzzing, mutants.

.PHONY: aarch64 test-aarch64 test-aarch64-rust test-aarch64-python test-windows check-platforms miri sanitize sanitize-rust \
	sanitize-python sanitize-threads coverage fuzz mutants mutants-python

# A rustup without the target can leave it to Debian's compiler: AARCH64_RUSTC=/usr/bin/rustc. The C library
# is that of libc6:arm64, since under qemu 7.2 that of libc6-arm64-cross hangs where a thread begins.
AARCH64 := aarch64-unknown-linux-gnu
AARCH64_RUSTC ?= rustc
AARCH64_LINKER := CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
AARCH64_TESTS ?=
test-aarch64: test-aarch64-rust test-aarch64-python ## Test core and package for ARM under emulation (Debian)

aarch64:
	@command -v qemu-aarch64 > /dev/null && command -v aarch64-linux-gnu-gcc > /dev/null \
		&& test -e /lib/ld-linux-aarch64.so.1 \
		&& ls "$$($(AARCH64_RUSTC) --print target-libdir --target $(AARCH64))"/libstd-* > /dev/null 2>&1 \
		|| { echo "qemu, a linker, the C library or Rust's standard library for ARM is missing. Debian: dpkg" \
		"--add-architecture arm64; apt-get update; apt-get install qemu-user gcc-aarch64-linux-gnu libc6:arm64" \
		"libgcc-s1:arm64; and rustup target add $(AARCH64), or, without rustup, apt-get install rustc-web" \
		"libstd-rust-web-dev:arm64, and AARCH64_RUSTC=/usr/bin/rustc"; exit 1; }

test-aarch64-rust: aarch64 ## Test the core for ARM, its stored bits among the tests (AARCH64_TESTS="stored_bits" chooses)
	RUSTC=$(AARCH64_RUSTC) $(AARCH64_LINKER) CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=qemu-aarch64 \
		cargo test --quiet --no-default-features --lib --test core --target $(AARCH64) --target-dir target/aarch64 \
		-- $(AARCH64_TESTS)

# Debian's Python for ARM cannot be installed beside the other one, so its packages are unpacked.
AARCH64_PYTHON := target/aarch64/python
AARCH64_VERSION = $(shell /usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null)
$(AARCH64_PYTHON)/installed: .venv/installed-test
	rm -rf $(@D) && mkdir -p $(@D)/packages
	cd $(@D)/packages && apt-get -q download $(addsuffix :arm64,python$(AARCH64_VERSION)-minimal \
		libpython$(AARCH64_VERSION)-minimal libpython$(AARCH64_VERSION)-stdlib libexpat1 libffi8 libssl3 \
		libbz2-1.0 liblzma5 zlib1g libstdc++6)
	for package in $(@D)/packages/*.deb; do dpkg -x $$package $(@D)/unpacked || exit 1; done
	$(BIN)/pip install --quiet --target $(@D)/site --python-version $(AARCH64_VERSION) --only-binary :all: \
		$(addprefix --platform manylinux,2014_aarch64 _2_27_aarch64 _2_28_aarch64) \
		numpy gymnasium pytest pytest-timeout
	touch $@

AARCH64_PYTHON_TESTS ?= $(addprefix tests/python/,envs/test_vector_arrays.py envs/test_vector_starts.py \
	search/test_tree_search.py rules/test_functional.py)
test-aarch64-python: aarch64 $(AARCH64_PYTHON)/installed ## Test some of the package for ARM (AARCH64_PYTHON_TESTS chooses)
	RUSTC=$(AARCH64_RUSTC) $(AARCH64_LINKER) PYO3_BUILD_EXTENSION_MODULE=1 PYO3_NO_PYTHON=1 PYO3_PYTHON= \
		cargo build --quiet --lib --target $(AARCH64) --target-dir target/aarch64
	rm -rf $(AARCH64_PYTHON)/package && mkdir $(AARCH64_PYTHON)/package
	cp -rL python/mijnlieff $(AARCH64_PYTHON)/package
	cp target/aarch64/$(AARCH64)/debug/libmijnlieff.so $(AARCH64_PYTHON)/package/mijnlieff/_mijnlieff.abi3.so
	PYTHONPATH=$(CURDIR)/$(AARCH64_PYTHON)/package:$(CURDIR)/$(AARCH64_PYTHON)/site PYTHONDONTWRITEBYTECODE=1 \
		qemu-aarch64 -L $(AARCH64_PYTHON)/unpacked $(AARCH64_PYTHON)/unpacked/usr/bin/python$(AARCH64_VERSION) \
		-m pytest -p no:cacheprovider --timeout 3000 $(AARCH64_PYTHON_TESTS)

# The parts of a program that the standard library's sources do not make themselves are compiled beside it.
WINDOWS := x86_64-pc-windows-gnu
WINDOWS_PARTS := target/windows/parts
WINDOWS_DEPS := target/windows/$(WINDOWS)/debug/deps
test-windows: ## Test the core for Windows by Wine (nightly Rust with rust-src; Debian: wine64 gcc-mingw-w64-x86-64)
	$(RUST_SOURCE)
	@command -v x86_64-w64-mingw32-gcc > /dev/null && command -v wine > /dev/null || { echo "Wine or a compiler" \
		"for Windows is missing. Debian: apt-get install wine wine64 gcc-mingw-w64-x86-64"; exit 1; }
	mkdir -p $(WINDOWS_PARTS) $(WINDOWS_DEPS)
	for part in rsbegin rsend; do rustc +nightly --target $(WINDOWS) --emit=obj -o $(WINDOWS_PARTS)/$$part.o \
		"$$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library/rtstartup/$$part.rs" || exit 1; done
	x86_64-w64-mingw32-gcc -shared -o $(WINDOWS_DEPS)/bcryptprimitives.dll tools/release/process_prng.c -ladvapi32
	RUSTFLAGS="-L native=$(CURDIR)/$(WINDOWS_PARTS)" CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
		CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine WINEDEBUG=-all cargo +nightly test --quiet -Zbuild-std \
		--no-default-features --lib --test core --target $(WINDOWS) --target-dir target/windows

# Types and borrows, also of the tests. To link there takes the tools of these systems.
PLATFORMS ?= aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-msvc x86_64-unknown-linux-musl
check-platforms: ## Check that the crate compiles for macOS, Windows and musl (nightly Rust with rust-src)
	$(RUST_SOURCE)
	for target in $(PLATFORMS); do \
		PYO3_CROSS=1 PYO3_CROSS_PYTHON_VERSION=3.11 cargo +nightly check --quiet -Zbuild-std --lib --tests \
			--target $$target --target-dir target/check || exit 1; done

miri: ## Check the threads, file headers and portable vectors for undefined behavior by Miri
	@cargo +nightly miri --version > /dev/null 2>&1 || { echo "Miri is not installed:" \
		"rustup toolchain install nightly --component miri"; exit 1; }
	cargo +nightly miri test --quiet --no-default-features --lib -- \
		threads:: file_header:: simd::exp:: all_processors_calculate_alike

NIGHTLY := @cargo +nightly --version > /dev/null 2>&1 \
	|| { echo "nightly Rust is missing: rustup toolchain install nightly"; exit 1; }
RUST_SOURCE = @test -d "$$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" || { echo \
	"nightly Rust with rust-src is missing: rustup toolchain install nightly --component rust-src"; exit 1; }
HOST = $$(rustc --print host-tuple)
SANITIZED_TESTS ?=
# Tests ask for more memory than there is, which has to fail as it does without a sanitizer.
ASAN_RULES := allocator_may_return_null=1
sanitize: sanitize-rust sanitize-python ## Test core and package by AddressSanitizer (needs nightly Rust, gcc and binutils; Linux)

sanitize-rust: ## Test the core by AddressSanitizer (needs nightly Rust; SANITIZED_TESTS="network" chooses)
	$(NIGHTLY)
	ASAN_OPTIONS=$(ASAN_RULES) RUSTFLAGS=-Zsanitizer=address \
		cargo +nightly test --quiet --no-default-features --lib --test core \
		--target $(HOST) --target-dir target/sanitize -- $(SANITIZED_TESTS)

# Python itself is not instrumented, so the sanitizer has to be loaded before it: as a library, made from the
# archive that Rust links into programs, with the C++ library, whose exceptions it watches. Its reports go to
# the terminal past pytest. Left out is what needs PyTorch, and what limits or measures the memory of a process,
# of which the sanitizer reserves terabytes.
ASAN_PYTHON := target/sanitize/python
ASAN_ARCHIVE = $$(rustc +nightly --print target-libdir)/librustc-nightly_rt.asan.a
NATIVE_TESTS := $(addprefix tests/python/,envs search rules policies $(addprefix hostile/test_,bad_input.py \
	integers.py json_text.py lent_memory.py long_lists.py fork.py))
sanitize-python: .venv/installed-test ## Test the native parts of the package by AddressSanitizer (nightly Rust, gcc, binutils)
	$(NIGHTLY)
	RUSTFLAGS=-Zsanitizer=address cargo +nightly build --quiet --lib --target $(HOST) --target-dir target/sanitize
	rm -rf $(ASAN_PYTHON) && mkdir -p $(ASAN_PYTHON) && cp -rL python/mijnlieff $(ASAN_PYTHON)
	cp target/sanitize/$(HOST)/debug/libmijnlieff.so $(ASAN_PYTHON)/mijnlieff/_mijnlieff.abi3.so
	cp $(ASAN_ARCHIVE) $(ASAN_PYTHON)/asan.a && ar d $(ASAN_PYTHON)/asan.a asan_preinit.cpp.o
	gcc -shared -o $(ASAN_PYTHON)/asan.so -Wl,--whole-archive $(ASAN_PYTHON)/asan.a -Wl,--no-whole-archive \
		-Wl,--no-as-needed -lstdc++ -lm
	LD_PRELOAD=$(CURDIR)/$(ASAN_PYTHON)/asan.so PYTHONMALLOC=malloc ASAN_OPTIONS=$(ASAN_RULES):detect_leaks=0 \
		PYTHONPATH=$(CURDIR)/$(ASAN_PYTHON) $(TEST_ENV) $(BIN)/python -m pytest -m "not torch" --timeout 3000 \
		--capture=sys -k "not (short_memory or threads_would_do or memory_of_a_large_batch)" $(NATIVE_TESTS)

# The standard library has to be instrumented too, so that its locks count.
sanitize-threads: ## Test threads, batches, searches and self-play by ThreadSanitizer (nightly Rust with rust-src)
	$(RUST_SOURCE)
	RUSTFLAGS=-Zsanitizer=thread cargo +nightly test --quiet -Zbuild-std --no-default-features --lib --test core \
		--target $(HOST) --target-dir target/sanitize -- threads:: vector tree_search self_play

# Rust is counted in the tests of the core and of the package's native parts, as counters in the loops of networks
# make the others take hours; Python in all tests, with the module as users have it. Programs that run side by side
# add their counts to one of four files.
COVERAGE := target/coverage
COUNTED := LLVM_PROFILE_FILE=$(CURDIR)/$(COVERAGE)/counts/%4m.profraw
COVERED := $(COUNTED) RUSTFLAGS="-Cinstrument-coverage -Zcoverage-options=branch" cargo +nightly
COVERAGE_PYTHON = PYTHONPATH=$(CURDIR)/$(COVERAGE)/site COVERAGE_FILE=$(COVERAGE)/python $(BIN)/python -m coverage
LLVM = $$(rustc +nightly --print target-libdir)/../bin
coverage: .venv/installed-test ## Measure which lines and branches tests run (needs nightly Rust with llvm-tools)
	$(NIGHTLY)
	@test -x "$(LLVM)/llvm-cov" || { echo "llvm-cov is missing: rustup component add llvm-tools --toolchain nightly"; \
		exit 1; }
	rm -rf $(COVERAGE)/counts $(COVERAGE)/package && mkdir -p $(COVERAGE)/package
	$(COVERED) test --quiet --no-default-features --lib --test core --target-dir $(COVERAGE)
	$(COVERED) build --quiet --lib --target-dir $(COVERAGE)
	cp -rL python/mijnlieff $(COVERAGE)/package
	cp $(COVERAGE)/debug/libmijnlieff.so $(COVERAGE)/package/mijnlieff/_mijnlieff.abi3.so
	$(COUNTED) PYTHONPATH=$(CURDIR)/$(COVERAGE)/package $(TEST_ENV) $(BIN)/python -m pytest -m "not torch" \
		-k "not from_the_champion" --timeout 3000 $(NATIVE_TESTS) $(addprefix tests/python/,cli datasets widget)
	$(LLVM)/llvm-profdata merge --sparse $(COVERAGE)/counts/*.profraw -o $(COVERAGE)/rust
	$(LLVM)/llvm-cov report --instr-profile $(COVERAGE)/rust --ignore-filename-regex '(\.cargo|rustlib|tests)/' \
		$(COVERAGE)/package/mijnlieff/_mijnlieff.abi3.so $$(find $(COVERAGE)/debug/deps -executable -type f \
			\( -name 'core-*' -o -name 'mijnlieff-*' \) -printf '-object %p ')
	$(BIN)/pip install --quiet --upgrade --target $(COVERAGE)/site coverage
	$(TEST_ENV) $(COVERAGE_PYTHON) run --branch --source mijnlieff -m pytest
	$(COVERAGE_PYTHON) report --skip-covered --show-missing

FUZZ_FLAGS ?=
fuzz: ## Run every fuzz target for FUZZ_SECONDS=60, or for FUZZ_RUNS inputs (needs cargo-fuzz and nightly Rust)
	@cargo fuzz --version >/dev/null 2>&1 || { echo "cargo-fuzz is missing: cargo install cargo-fuzz"; exit 1; }
	$(NIGHTLY)
	$(PYTHON) -m tools.release.fuzz_seeds unpack
	targets=$$(cargo fuzz list) && test -n "$$targets" || exit 1; for target in $$targets; do \
		cargo +nightly fuzz run $(FUZZ_FLAGS) $$target -- -max_len=1024 -print_final_stats=1 \
			$(if $(FUZZ_RUNS),-runs=$(FUZZ_RUNS),-max_total_time=$(FUZZ_SECONDS)) || exit 1; \
	done

# Every 400th change, counted from the first; 1/400 begins with the second. What is excluded: .cargo/mutants.toml.
MUTANTS_SHARD ?= 0/400
mutants: ## Change the core in small ways, MUTANTS_SHARD=0/400 of all, and list those that the Rust tests miss (needs cargo-mutants)
	@cargo mutants --version > /dev/null 2>&1 || { echo "cargo-mutants is missing: cargo install cargo-mutants"; exit 1; }
	cargo mutants --shard $(MUTANTS_SHARD) --sharding round-robin

# To mutmut the path of a file is the name of its module, so it works on a copy with the package at the top.
MUTANTS_PYTHON ?= mijnlieff.evaluation.lock_step.*
MUTATED := target/mutants-python
mutants-python: .venv/installed-test ## Change the evaluation in small ways (MUTANTS_PYTHON chooses), and list those that its tests miss
	$(BIN)/pip install --quiet 'mutmut>=3.8,<4'
	rm -rf $(MUTATED) && mkdir -p $(MUTATED)/docs
	cp -rL python/mijnlieff tests tools pyproject.toml $(MUTATED)
	cp docs/benchmark.md $(MUTATED)/docs
	cd $(MUTATED) && $(TEST_ENV) $(CURDIR)/$(BIN)/python -m mutmut run "$(MUTANTS_PYTHON)"
