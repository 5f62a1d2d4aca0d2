# The front door. On a fresh Debian 12, `make demo` or `make test` alone does everything; both are safe to
# repeat. With your own LibTorch: make test CMAKE_PREFIX_PATH=/path/to/libtorch
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
CMAKE_PREFIX_PATH ?=
CONFIGURE = cmake $(if $(CMAKE_PREFIX_PATH),-DCMAKE_PREFIX_PATH="$(CMAKE_PREFIX_PATH)") --preset
EQM = build/eqm
FUZZ_SECONDS ?= 20
BENCH ?= steps
PORTABLE ?=

.PHONY: help setup configure build demo test test-experiments test-portable bench format lint lint-changed sanitize fuzz docs clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

setup:  ## install the packages that are missing (Debian 12, root or sudo)
	@scripts/setup.sh

configure: setup
	@echo "== configuring build/"
	@$(CONFIGURE) release --log-level=WARNING

build: configure  ## build the program: build/eqm
	@echo "== building build/eqm"
	@cmake --build build -j $(JOBS) --target eqm_cli

demo: build  ## sample the shipped model: ten classes of Fashion-MNIST
	@echo "== eqm sample: 80 samples of models/fashion-xs4.safetensors, some seconds"
	@$(EQM) sample --model models/fashion-xs4.safetensors --per-class 8 --out out/demo
	@echo "== the picture: out/demo/grid.png"

test: configure  ## build everything and run all tests
	@echo "== building the program and the tests"
	@cmake --build build -j $(JOBS)
	@echo "== testing"
	@ctest --test-dir build -j $(JOBS) --output-on-failure --no-tests=error

test-experiments: build  ## run the machinery of all experiments of the paper in a minute
	@echo "== eqm reproduce all --scale tiny"
	@rm -rf build/tiny-lab
	@$(EQM) --quiet reproduce all --scale tiny --out build/tiny-lab > build/tiny-lab.txt
	@grep -c '^## ' build/tiny-lab.txt | sed 's/$$/ experiments ran/'

test-portable: configure  ## run the numeric tests with the kernels of other processors; PORTABLE=--short for less
	@echo "== building the tests"
	@cmake --build build -j $(JOBS) --target eqm_tests eqm_cli_tests
	@scripts/test_portable.sh $(PORTABLE)

bench: build  ## measure against plain LibTorch; BENCH='operators --threads 1' for other works
	@echo "== eqm bench $(BENCH): leave the machine idle; whole steps take a minute or two"
	@$(EQM) bench $(BENCH)

format:  ## format the sources in place
	@git ls-files -co --exclude-standard '*.h' '*.cpp' | xargs clang-format -i

lint:  ## formatting, include directions, clang-tidy
	@scripts/setup.sh --lint
	@scripts/lint.sh $(JOBS)

lint-changed:  ## clang-tidy over the sources that changed
	@scripts/setup.sh --lint
	@JOBS=$(JOBS) scripts/lint_changed.sh

sanitize: setup  ## run the tests under the address, undefined-behaviour and thread sanitizers
	@JOBS=$(JOBS) scripts/sanitize.sh

fuzz:  ## run the fuzz targets, each for FUZZ_SECONDS (20)
	@scripts/setup.sh --fuzz
	@scripts/fuzz.sh $(FUZZ_SECONDS)

docs:  ## write the API reference of the library: build/docs/index.html
	@scripts/setup.sh --docs
	@scripts/docs.sh

clean:  ## remove everything that was built
	@rm -rf build build-*
