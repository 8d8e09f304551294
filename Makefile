# What a person does with leno's sources. `make setup` first, on a fresh machine.

CARGO ?= cargo
PREFIX ?= /usr/local
DESTDIR ?=
BIN = target/release
# The runtime and the stub are no_std: they must not share an invocation of cargo, and
# with it the features of common crates, with the rest.
HOST = --workspace --exclude leno-rt --exclude leno-stub
BARE = --package leno-rt --package leno-stub

.PHONY: all setup build demo test lint bench soak fuzz real install clean

all: build

setup:
	@scripts/setup

build: setup
	$(CARGO) build --release --locked $(BARE)
	$(CARGO) build --release --locked $(HOST)
	@ln -sf leno-cc $(BIN)/leno-c++

demo: build
	@scripts/demo

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked $(HOST) --all-targets -- -D warnings
	$(CARGO) clippy --locked $(BARE) -- -D warnings

# In release mode, because the oracle runs tens of thousands of small searches.
test: lint build
	$(CARGO) test --release --locked $(HOST)

bench: build
	@$(BIN)/leno-bench

# Ten million executions: memory must not grow. Takes some minutes.
soak: build
	@$(BIN)/leno-bench --soak

fuzz: build
	LENO_FUZZ=$${LENO_FUZZ:-200000} $(CARGO) test --release --locked --package leno-checker -- --nocapture
	LENO_FUZZ_C=$${LENO_FUZZ_C:-500} $(CARGO) test --release --locked --package leno-tests --test generated -- --nocapture
	LENO_FUZZ_SYMMETRY=$${LENO_FUZZ_SYMMETRY:-50000} $(CARGO) test --release --locked --package leno-tests --test symmetry -- --nocapture
	LENO_FUZZ_MODES=$${LENO_FUZZ_C:-300} $(CARGO) test --release --locked --package leno-tests --test modes generated

# Projects that none of us wrote: fetched, built with leno-cc, checked (docs/real.md).
real: build
	@real/run

install: build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/leno $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BIN)/leno $(BIN)/leno-cc $(DESTDIR)$(PREFIX)/bin
	ln -sf leno-cc $(DESTDIR)$(PREFIX)/bin/leno-c++
	install -m 755 $(BIN)/libleno_rt.so $(BIN)/libleno_stub.so $(DESTDIR)$(PREFIX)/lib/leno
	install -m 644 include/leno.h share/leno.mk $(DESTDIR)$(PREFIX)/include
	install -d $(DESTDIR)$(PREFIX)/lib/cmake/leno
	install -m 644 share/cmake/lenoConfig.cmake $(DESTDIR)$(PREFIX)/lib/cmake/leno
	cd include && find leno-c++ -type f -exec install -m 644 -D {} $(abspath $(DESTDIR)$(PREFIX)/include)/{} ';'

clean:
	$(CARGO) clean
