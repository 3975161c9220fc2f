# Tests that take longer than make test: run them before a release, or after a change to the code that they test.

MUTANTS     ?= 300
FUZZTIME    ?= 30s
CASES       ?= 1000000
COMPACTIONS ?= 10000
SOAK        ?= 100000
SOAK_SEED   ?= 0
TALKS       ?= 1000
SEED        := $(shell date +%s)
HEAVY       := browsers
# An arm64 machine needs no emulator.
QEMU        := $(if $(filter arm64 aarch64,$(shell uname -m)),,qemu-aarch64-static)

# The steps of the build that can be skipped, as wasm/check/build.sh names the modules without them.
STEPS       := no-lean no-small no-clear no-quiet no-collect no-resume no-lines no-jumps no-start no-dead no-coalesce no-segments
STRESS      := stress-move stress-preempt stress-collect
REQUESTS    ?= 10000

.PHONY: test-runtimes-long
test-runtimes-long: needs-node needs-languages needs-engines module-full ## Run the vectors in all runtimes that can be had; write the table of docs/reference/runtimes.md
	$(say) 'go test: the vectors in all runtimes'
	@(cd js/fixtures/runtimes && $(INSTALL))
	@go test -tags runtimes -count=1 -timeout 60m -v ./internal/runtimes -long -update

.PHONY: test-build-long
test-build-long: needs-node ## Run the vectors and REQUESTS (10,000) random requests on the module with each step of the build on and off, and under stress
	$(say) 'The build: each step on and off, and under stress: the same answers as natively, $(REQUESTS) random requests each'
	@wasm/check/build.sh build/check all none $(STEPS) $(STRESS)
	@CTXFOLD_STEPS=$(CURDIR)/build/check CTXFOLD_REACTOR=$(CURDIR)/build/module/default/reactor.wasm go test -count=1 -timeout 300m -v ./wasm/check -requests $(REQUESTS)

.PHONY: try-go
try-go: needs-node ## Build the module with the newest Go that the proxy serves, run the vectors and random requests, and say what failed
	@wasm/try-go.sh

.PHONY: test-js-long
test-js-long: needs-node needs-libatomic needs-browser needs-browsers module-full ## Test in Firefox, WebKit, heavy bundlers; 1,000 conversations in workerd; long conversations through the SDKs, 200 random apps, and all ways before each judge
	$(say) 'npm: Firefox and WebKit, heavy bundlers, 1,000 conversations that are evicted between plan and step, long ones through the SDKs'
	@export CHROMIUM="$${CHROMIUM:-$$(command -v chromium || command -v chromium-browser || command -v google-chrome || command -v chromium-headless-shell || true)}"; \
	cd js && $(NPM_CI); \
	for fixture in $(FIXTURES) $(HEAVY); do (cd fixtures/$$fixture && $(INSTALL)); done; \
	npm run build && CTXFOLD_LONG=1 CONVERSATIONS=1000 node --test test/heavy/*.test.js test/edge.test.js test/sdks.test.js test/apps.test.js test/background.test.js test/fit.test.js test/compactors.test.js test/playground.test.js test/site.test.js test/judges/*.test.js

.PHONY: test-long
test-long: test-build-long test-load test-soak test-arm64 test-agents test-replicas test-hostile test-valgrind test-runtimes-long fuzz ## Compact CASES (1,000,000) random conversations, run all random cases of core, and the Go tests with the race detector, after the targets that precede it
	$(say) 'Random conversations: $(CASES) of seed $(SEED)'
	@go test -count=1 -timeout 300m -run TestProperties ./core -v -cases $(CASES) -seed $(SEED)
	$(say) 'Core and the Go package, with all of their random cases'
	@CTXFOLD_LONG=1 go test -count=1 -timeout 300m -skip '^TestLinear$$' . ./core/...
	$(say) 'All changes of plans and states, natively and in the module, 200 turns through the proxy, and 40 turns of a thinking model'
	@CTXFOLD_LONG=1 go test -count=1 -timeout 300m -run '^(TestTampered|TestConversations|TestThinking)$$' ./host ./host/proxy
	$(say) 'go test -race'
	@go test -race -short -count=1 -timeout 300m work

.PHONY: test-valgrind
test-valgrind: needs-languages needs-valgrind ## Run the tests and the vectors of the C library under Valgrind
	$(say) 'Valgrind: the C library'
	@$(MAKE) --no-print-directory -s -C host/c -j2
	@$(MAKE) --no-print-directory -s -C host/c check-valgrind

# Tests are compiled for arm64 and emulated. Vectors and random requests are answered on this machine first, for comparison.
.PHONY: test-arm64
test-arm64: $(if $(QEMU),needs-emulator) ## Compile core for arm64, and answer the vectors and random requests in an emulator: the same bytes, and no fused operations
	$(say) 'arm64: the vectors, and random requests, in qemu'
	@rm -rf build/arm64 && mkdir -p build/arm64
	@CTXFOLD_ANSWERS=$(CURDIR)/build/arm64/answers.txt go test -count=1 -run '^TestSameOnEachMachine$$' ./core
	@CTXFOLD_LONG=1 go test -count=1 -run '^TestNothingFused$$' ./core
	@GOARCH=arm64 CGO_ENABLED=0 go test -c -o build/arm64/core.test ./core
	@cd core && CTXFOLD_ANSWERS=$(CURDIR)/build/arm64/answers.txt $(QEMU) ../build/arm64/core.test -test.run '^(TestVectors|TestSameOnEachMachine)$$' -test.v | grep -v '^ '

# make test runs a short form. The test counts memory, not time.
.PHONY: test-soak
test-soak: ## Make SOAK (100,000) calls of mixed sizes and operations in all formats in one instance, and natively: the same bytes, and memory is bounded. SOAK_SEED=n makes others
	$(say) 'One instance: $(SOAK) calls'
	@go test -count=1 -timeout 300m -run '^TestSoak$$' -v ./wasm/check -soak $(SOAK) -soak-seed $(SOAK_SEED)

# The programs get a gigabyte of memory, a home directory of their own, and an API on 127.0.0.1. js/fixtures/programs sets their versions.
.PHONY: test-agents
test-agents: needs-node ## Let coding agents, as programs, resume what save has written, and continue
	$(say) 'Coding agents resume saved sessions: Claude Code in three versions, Codex, pi, Gemini CLI; two versions of Claude Code compact with the hook, one with the function hook; opencode with its plugin'
	@cd js && $(NPM_CI) && for fixture in programs agents runtimes; do (cd fixtures/$$fixture && $(INSTALL)) || exit; done && npm run -s build && \
		CTXFOLD_AGENTS=1 node --test test/programs/agents.test.js test/programs/hook.test.js && \
		CTXFOLD_AGENTS=1 node --test --test-name-pattern opencode test/plugins.test.js

.PHONY: test-mutants
test-mutants: ## Change one operator of core at a time, MUTANTS (300) times by SEED or for MINUTES, and count how many changes tests find; TO=all tries survivors with all tests
	$(say) 'Mutants: $(MUTANTS), seed $(SEED)'
	@go run ./internal/mutants -n $(MUTANTS) -seed $(SEED) $(if $(MINUTES),-until $(MINUTES)m) $(if $(TO),-to $(TO))

.PHONY: test-load
test-load: ## Make COMPACTIONS (10,000) in each of 64 goroutines, while instances are lost and calls are cancelled
	$(say) 'go test -race: 64 goroutines, $(COMPACTIONS) compactions in each'
	@go test -race -count=1 -timeout 300m -run '^TestLoad$$' -v ./host -compactions $(COMPACTIONS)

.PHONY: test-replicas
test-replicas: needs-servers needs-node ## Send TALKS (1,000) conversations of 20 turns through 3 replicas of the proxy, and 3 processes of Node that are killed at random; write build/replicas.md
	$(say) 'Replicas: $(TALKS) conversations, over each store of shared records, with and without kills'
	@mkdir -p build
	@go test -count=1 -timeout 120m -run '^TestReplicas$$' -v ./host/cmd/ctxfold -talks $(TALKS) -replicas $(CURDIR)/build/replicas.md
	@cat build/replicas.md
	$(say) 'Processes of Node: $(TALKS) conversations, over Redis and PostgreSQL, with kills'
	@cd js && $(NPM_CI) && (cd fixtures/stores && $(INSTALL)) && npm run build && TALKS=$(TALKS) node --test --test-name-pattern killed test/shared.test.js

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
