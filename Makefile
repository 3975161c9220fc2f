# ctxfold. `make help` lists the targets.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:

# Fixtures have their own lock files, so that the lock file of the package stays small.
FIXTURES    := runtimes sdks agents pi adk genkit langchain cline react stores cloudflare chats
# Not npm ci, which would require the packages of every platform in the lock file.
INSTALL     := $(CURDIR)/.ci/npm install --no-save
NPM_CI      := $(CURDIR)/.ci/npm ci

WINDOW      ?= 32000
SAMPLE      := testdata/sample.anthropic.json

# A Node that .ci/install has fetched takes precedence.
export PATH := $(CURDIR)/build/node/node_modules/.bin:$(PATH)

# Without the path of the tree in them, compiled packages are found again by each clone that shares Go's cache.
export GOFLAGS ?= -trimpath

# Go's compiler, its analyzers and the tests collect their garbage four times less often, which saves a fifth of the time to compile.
export GOGC ?= 400

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

# For daily work: builds only Go programs, and installs nothing but Node packages.
.PHONY: check
check: ## Check format, vet and staticcheck; run the unit tests of core, of the Go package and of js, and the vectors, in about three minutes
	@.ci/stages check check-format vet lint check-go check-js

# Everything that CI runs. Each module is built once, in a stage of its own. A stage begins as soon as its needs are met. The needs of the longest
# stages come first, then the longest stages, and last the short stages that no other stage needs; they run during the end of a long one.
.PHONY: test
test: ## Run every check and test; install what they need
	@BUILT=1 .ci/stages test tools check-format \
		check-module:tools packages:tools module-full:check-module module-slim:check-module component:check-module \
		test-js:packages,module-full,module-slim,component reactor:check-module c-library:tools test-go:tools,module-full,module-slim,reactor,c-library \
		test-build:check-module test-hosts:c-library test-python:test-hosts test-runtimes:module-full,packages \
		vet:check-module lint:check-module check-generated:module-slim lint-prose:tools check-figures:tools

# Installs a target's requirements, or reports that they are missing.
needs-%:
	@.ci/install $*

.PHONY: tools
tools: needs-languages needs-python needs-servers needs-node needs-libatomic needs-browser

# The translated module, compiled once into build/c for all hosts and examples that use it.
.PHONY: c-library
c-library: needs-languages
	@if command -v wasm2c > /dev/null; then .ci/c-library; fi

# A target run by itself builds the modules that it needs; in a full run (BUILT=1) they already exist.
FULL        := $(if $(BUILT),,module-full)
SLIM        := $(if $(BUILT),,module-slim)

# wasm-opt takes half of the build time. A full run skips it for modules that are tested but not compared with the committed ones.
PLAIN       := $(if $(BUILT),NO_COALESCE=1)

# The folder in which tests keep the modules that wazero has compiled, so that a run compiles each module once. All stages of a full run share the
# one that .ci/stages names. The name is the same in each run and outside of the tree, so that go test still finds results in its cache.
WAZERO      := $${TMPDIR:-/tmp}/ctxfold-wazero-$$(cksum <<< '$(CURDIR)' | cut -d ' ' -f 1)

# With another runtime all of core is compiled again, just for a few tests: without optimizations and debug information, which saves a third.
HASTY       := -gcflags='github.com/ctxfold/ctxfold/...=-N -l -dwarf=false'

# Prints the output of go test -json as go test would, and records the times for the summary of a run.
TESTLOG     := build/bin/testlog
.PHONY: $(TESTLOG)
$(TESTLOG):
	@go build -o $(TESTLOG) ./internal/testlog

.PHONY: check-go
check-go: $(TESTLOG)
	$(say) 'go test -short: core, the Go package, and the vectors natively and under wazero'
	@go test -vet=off -short -json -skip '^TestRealSessionsFit$$|^TestProgramSize$$' -timeout 120m . ./records ./internal/checks ./core/... | $(TESTLOG)
	@go test -vet=off -json -run '^TestVectors$$' -timeout 120m ./host | $(TESTLOG)

.PHONY: check-js
check-js: needs-node
	$(say) 'npm: the package is built, and what needs neither a browser nor an example is tested'
	@cd js && $(NPM_CI) && npm run -s build && npm run -s test:unit

.PHONY: check-format
check-format:
	$(say) 'gofmt: every Go file is formatted'
	@files=$$(find . -name node_modules -prune -o -path ./build -prune -o -name '*.go' -exec gofmt -l {} +); \
	if [ -n "$$files" ]; then printf 'Not formatted (run gofmt -w on them):\n%s\n' "$$files"; exit 1; fi

# The packages with files that are only built for the module. The others are the same natively, as TestFilesOfTheModule checks.
INSIDE      := ./wasm ./core/internal/handles ./core/internal/words

# A full run checks them with the settings of wasm/build.sh, so that the compiled packages are those of the stage check-module.
AS_BUILT    := $(if $(BUILT),. build/module/default/env,export GOOS=wasip1 GOARCH=wasm)

.PHONY: vet
vet:
	$(say) 'go vet: natively, and as the module is built'
	@go vet work
	@$(AS_BUILT); go vet $(INSIDE) && go vet -tags ctxfold_component ./wasm
	@cd wasm/easyjson && GOWORK=off go vet ./...

.PHONY: lint
lint: needs-staticcheck needs-actionlint
	$(say) 'staticcheck: natively, and as the module is built'
	@build/bin/staticcheck work
	@$(AS_BUILT); build/bin/staticcheck $(INSIDE) && build/bin/staticcheck -tags ctxfold_component ./wasm
	@cd wasm/easyjson && GOWORK=off ../../build/bin/staticcheck ./...
	$(say) 'actionlint: the workflows'
	@build/bin/actionlint -shellcheck= -pyflakes=

# Vale's comment parsers are written in C. LINT_PROSE is a grep -E pattern that selects files: make lint-prose LINT_PROSE='^docs/'.
.PHONY: lint-prose
lint-prose: needs-languages needs-vale ## Check the prose of pages, comments and messages by the rules of internal/prose
	$(say) 'vale: pages, comments and messages in plain technical English'
	@rm -rf build/prose && mkdir -p build/prose
	@git ls-files | grep -E "$${LINT_PROSE:-.}" | xargs go run ./internal/prose -out build/prose > build/prose.list
	@(cat build/prose.list && find build/prose -type f | sort) | xargs build/bin/vale --config=internal/prose/vale.ini --minAlertLevel=error

.PHONY: test-go
test-go: needs-languages needs-python needs-servers needs-node $(FULL) $(SLIM) $(TESTLOG) ## Run the Go tests: core, host, command line, examples, conformance vectors
	$(say) 'go test: core, host, command line, Go example, and the vectors natively and under wazero'
	@mkdir -p build && rm -f build/sessions.txt build/presets.txt
	@[ -n "$(BUILT)" ] || wasm/build.sh --reactor build/reactor.wasm
	@go run ./internal/testing/steps/counter build/bin/counter
	@[ -n "$${CTXFOLD_CACHE:-}" ] || { place=$(WAZERO); rm -rf "$$place"; trap 'rm -rf "$$place"' EXIT; export CTXFOLD_CACHE=$$place/ctxfold; }; \
	CTXFOLD_REACTOR=$(CURDIR)/build/reactor.wasm CTXFOLD_TABLE=$(CURDIR)/build/sessions.txt CTXFOLD_PRESETS=$(CURDIR)/build/presets.txt \
		CTXFOLD_COUNTER=$(CURDIR)/build/bin/counter go test -vet=off -json -timeout 120m work | $(TESTLOG)
	$(say) 'go test: what is typed JSON, over the easyjson runtime of the module'
	@GOWORK=off go test -vet=off -timeout 120m -modfile=build/module/wasm.mod $(HASTY) ./core/internal/policy ./core/internal/loop ./core/internal/published/exact
	@if [ -f build/sessions.txt ]; then printf '\nReal sessions, violations before and after compaction:\n'; cat build/sessions.txt; fi
	@if [ -f build/presets.txt ]; then printf '\nReal sessions through every preset, without wire_safe and with it:\n'; cat build/presets.txt; fi

# The translated module is compiled once, into build/c, for all hosts and examples that use it.
.PHONY: test-hosts
test-hosts: needs-languages ## Build the C library, and run the tests and vectors of the hosts in C, C++, Rust and Ruby, with hostile input
	@if command -v wasm2c > /dev/null; then $(MAKE) --no-print-directory hosts-tested; fi

.PHONY: hosts-tested
hosts-tested:
	$(say) 'The C library: the module, translated and compiled'
	@mkdir -p build/hosts
	@.ci/c-library
	@CTXFOLD_HOSTILE=$(CURDIR)/build/hosts/hostile.json go test -vet=off -count=1 -timeout 120m -run '^TestHostileVectors$$' ./host
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

# WebAssembly runtimes. Those not written in Go are linked by cgo; without a C compiler they are skipped.
.PHONY: test-runtimes
test-runtimes: needs-node needs-languages $(FULL) $(TESTLOG)
	$(say) 'go test: the vectors in Wasmtime, Wasmer and Extism'
	@go vet -tags runtimes ./internal/runtimes && go test -vet=off -json -tags runtimes -count=1 -timeout 120m ./internal/runtimes | $(TESTLOG)

.PHONY: test-build
test-build: needs-node $(TESTLOG) ## Run the vectors and 1,000 random requests on the module as it ships, and some of them under stress
	$(say) 'The build: as it ships, and with a collection wherever one may begin: the same answers as natively'
	@STRESSED=NO_COALESCE=1 wasm/check/build.sh build/check all stress-collect
	@CTXFOLD_STEPS=$(CURDIR)/build/check go test -vet=off -json -count=1 -run '^TestSteps$$|^TestFaults$$' -timeout 120m ./wasm/check -requests 1000 | $(TESTLOG)

# This target mostly waits for the disk and the registry, so it handles two folders at a time and runs together with CPU-bound stages.
.PHONY: packages
packages: needs-node
	$(say) 'npm: what the package is built and tested with is installed'
	@{ echo js ci; printf 'js/fixtures/%s install --no-save\n' $(FIXTURES); } | xargs -P2 -L1 bash -c 'cd "$$0" && exec "$(CURDIR)/.ci/npm" "$$@"'

.PHONY: test-js
test-js: needs-node needs-libatomic needs-browser needs-servers $(FULL) $(SLIM) $(if $(BUILT),,component packages) ## Run the tests of the npm package and of the JavaScript examples
	$(say) 'go test: the calls of the tests of the published systems are recorded, to be made again in Node'
	@mkdir -p build && rm -f build/calls.jsonl
	@CTXFOLD_CALLS=$(CURDIR)/build/calls.jsonl go test -vet=off -count=1 -timeout 120m -run '^TestSeed' ./core
	$(say) 'npm: the package is built, linted and tested, in Node and in a browser'
	@export CHROMIUM="$${CHROMIUM:-$$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"; \
	if [ -s build/calls.jsonl ]; then export CTXFOLD_CALLS="$(CURDIR)/build/calls.jsonl"; fi; \
	cd js && npm run build && npm run lint && npm test

# The C library is compiled once, in build/c, for all packages that use it.
.PHONY: test-python
test-python: needs-languages needs-python ## Build the Python package's sdist and wheel, install the wheel into an empty environment, and run its tests there
	$(say) 'The C library, unless it is there'
	@.ci/c-library
	$(say) 'Python: an sdist, a wheel of it, the examples of the README in an empty environment, pytest, mypy'
	@CTXFOLD_HOSTILE=$(CURDIR)/build/hosts/hostile.json host/python/test.sh build/python

.PHONY: python
python: needs-languages needs-python ## Build the sdist and the wheel of the Python package into build/python
	@$(MAKE) --no-print-directory -s -C host/c -j2
	@host/python/test.sh --build build/python

# Dependencies of the site are installed from lock files; the playground uses the committed module.
.PHONY: site
site: needs-node ## Build the playground, the demo chat and the docs as a static site, which any host serves from any path, into build/site
	$(say) 'The site: the playground, the demo chat, and the pages of docs'
	@for folder in js site examples/playground examples/chat; do (cd $$folder && $(NPM_CI) --prefer-offline); done
	@cd site && npm run --silent build

.PHONY: release
release: needs-languages needs-python check-generated module-full module-slim component ## Build what a release consists of into build/release; make release TAG=--tag also tags every Go module
	$(say) 'The release: command, modules, component, C library, packages of npm, Python, Rust and Ruby, SBOMs, checksums'
	@.ci/release $(TAG)

.PHONY: release-check
release-check: release ## Build what a release consists of, and check each archive: files, exports, versions, checksums; wheel, crate and gem are built of theirs and run
	$(say) 'The release: each archive is checked, and used as its users do'
	@.ci/release-check

# Checks the figures that are the same on every machine.
.PHONY: check-figures
check-figures: needs-node ## Check that the module has not grown, and that docs/guides/cost.md is what its sample gives
	$(say) 'The module is not much larger than the one that was measured'
	@cd bench && node run.js --size
	$(say) 'docs/guides/cost.md is what its sample and its shapes give'
	@cd bench/scale && $(NPM_CI) && node run.js --check

.PHONY: generate
generate: ## Write all generated files: the easyjson code, docs/reference/published.md, the schemas of docs/, js/src/types.gen.ts and the entries in js/src, the types of Python, then the module in its two places, and the sum of the component
	$(say) 'go generate: the easyjson code, docs/reference/published.md, the tables of docs/reference, the exports of the module, docs/policy.schema.json and docs/api.schema.json'
	@go generate work
	@$(MAKE) --no-print-directory types
	@[ -n "$${NO_MODULE:-}" ] || $(MAKE) --no-print-directory module component-sum

# A module of the workspace may require a version of another one that is not published yet; meanwhile a replace directive points to its
# folder.
.PHONY: tidy
tidy: ## Run go mod tidy in every module of the workspace
	@modules=$$(go list -m -f '{{.Path}}={{.Dir}}'); export GOWORK=off; \
	for m in $$modules; do ( \
		cd "$${m#*=}"; \
		for other in $$modules; do go mod edit -replace="$$other"; done; \
		go mod tidy; \
		for other in $$modules; do go mod edit -dropreplace="$${other%%=*}"; done \
	); done

# The tools that generate types are installed into build/tools, or into the folder CTXFOLD_TOOLS.
TYPES       := internal/apigen/typescript

.PHONY: types
types: needs-node
	$(say) 'js/src/types.gen.ts, from docs/api.schema.json'
	@tools=$${CTXFOLD_TOOLS:-$(CURDIR)/build/tools}/types; \
	mkdir -p "$$tools"; \
	cmp -s $(TYPES)/package-lock.json "$$tools/package-lock.json" || cp $(TYPES)/package.json $(TYPES)/package-lock.json "$$tools/"; \
	(cd "$$tools" && $(NPM_CI)); \
	schema=$(CURDIR)/docs/api.schema.json types=$(CURDIR)/js/src/types.gen.ts script=$(CURDIR)/$(TYPES)/types.mjs; \
	cd "$$tools" && node "$$script" "$$schema" "$$types"

.PHONY: module
module: needs-node ## Build the module into host/ and js/
	$(say) 'The module: built by Go, WASI linked in, initialised'
	@wasm/build.sh host/module/ctxfold.wasm
	@cp host/module/ctxfold.wasm js/ctxfold.wasm
	@sha256sum host/module/ctxfold.wasm js/ctxfold.wasm

.PHONY: module-full
module-full: needs-node ## Build the module with the published systems in it (the operation function, wire_safe false) into build/
	$(say) 'The full module: with the published systems'
	@$(PLAIN) wasm/build.sh --full build/ctxfold-full.wasm
	@sha256sum build/ctxfold-full.wasm

.PHONY: module-slim
module-slim: needs-node ## Build the slim module, without agents' formats, session files and convert, into js/
	$(say) 'The slim module: what a chat in a browser uses'
	@wasm/build.sh --slim js/ctxfold-slim.wasm
	@sha256sum js/ctxfold-slim.wasm

.PHONY: component
component: needs-node ## Build the component (wit/ctxfold.wit), for runtimes of the component model, into build/
	$(say) 'The component: the module with the functions of wit/ctxfold.wit'
	@$(PLAIN) wasm/build.sh --component build/ctxfold.component.wasm
	@sha256sum build/ctxfold.component.wasm
	@[ -z "$(BUILT)" ] || grep -qxF "$(call inputs,component-no-coalesce)" $(SUM) || { echo "$(SUM) is stale: run 'make generate' and commit it." >&2; exit 1; }

# The component is as large as the module, so only its checksum is committed, with a checksum of its sources, which shows without wasm-opt
# whether the component is up to date. make release compares the component's checksum.
SUM         := wit/ctxfold.component.wasm.sha256
inputs       = \# inputs $$(cut -d ' ' -f 1 build/module/$(1)/key)

.PHONY: component-sum
component-sum: component
	@cd build && sha256sum ctxfold.component.wasm > ../$(SUM)
	@echo "$(call inputs,component)" >> $(SUM)

.PHONY: extism
extism: module-full ## Build the module as a plug-in of Extism into build/
	@wasm/extism/build.sh host/module/ctxfold.wasm build/ctxfold.extism.wasm
	@sha256sum build/ctxfold.extism.wasm

.PHONY: reactor
reactor: ## Build the plain WASI reactor, which needs its host for a clock and random bytes, into build/
	@wasm/build.sh --reactor build/reactor.wasm
	@sha256sum build/reactor.wasm

# The committed generated files, except the modules. The component's checksum is checked where the component is built.
GENERATED := \( -name '*_easyjson.go' -o -path './docs/reference/published.md' -o -path './docs/reference/abi.md' -o -path './docs/reference/report.md' \
	-o -path './docs/reference/errors.md' -o -path './wasm/exports*.go' -o -name '*.schema.json' -o -path './js/src/*.ts' -o -name '*_gen.go' \
	-o -path './host/python/src/ctxfold/types.py' -o -path './host/python/src/ctxfold/aio.py' \)

.PHONY: check-module
check-module: needs-node ## Build the module into build/ and compare it with the committed one
	$(say) 'check-module: host/module/ctxfold.wasm and js/ctxfold.wasm are what the sources build'
	@wasm/build.sh build/ctxfold.wasm
	@for f in host/module/ctxfold.wasm js/ctxfold.wasm; do \
		cmp -s build/ctxfold.wasm "$$f" || { echo "$$f is stale: run 'make generate' and commit it." >&2; exit 1; }; \
	done

# Works on a copy of the tree, so that the tree itself never changes.
.PHONY: check-generated
check-generated: $(if $(BUILT),,check-module) ## Generate everything in a copy of the tree and compare it, and the module, with what is committed
	$(say) 'check-generated: the easyjson code, docs/reference/published.md, the tables of docs/reference, the exports, the schemas, js/src/types.gen.ts and the entries in js/src are what the sources generate'
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

include .ci/long.mk bench/targets.mk
