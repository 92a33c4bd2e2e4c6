ifneq (4,$(firstword $(sort 4 $(MAKE_VERSION))))
$(error GNU make 4 or newer is needed, this is $(MAKE_VERSION))
endif

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

# The root module has to stand without the workspace; nested modules are built
# within it where there is one.
ROOT_GO := GOWORK=off go
NESTED  := $(patsubst ./%/go.mod,%,$(shell find . -mindepth 2 -name node_modules -prune -o -name go.mod -print))

TEST_FLAGS := -race -shuffle=on -count=1

# Tests run verbosely so that what they write is searched for secrets; what is
# shown is as if they did not.
NO_SECRETS := -v 2>&1 | awk -f $(CURDIR)/.ci/no-secrets.awk

# The public packages and what is below them. Each has to reach the floor, in
# percent, by their tests together.
COVERED     := ./adapters/...,./auth/...,./callbacks/...,./config/...,./gateway/...,./interceptors/...,./multiclient/...
COVER_FLOOR := 85
comma       := ,

# npm writes this file last, so that a broken installation is done again.
NPM_STAMP := node_modules/.package-lock.json

FUZZTIME := 10s
CALLS    := 8000

# Runs a go command, $(1) from its verb on, in all modules one after the other.
each_module = $(ROOT_GO) $(1); for m in $(NESTED); do (cd "$$m" && go $(1)); done

.PHONY: help
help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "%-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: npm-servers conformance-suites fmt vet ## The one test command: format, vet, all tests of all modules, coverage floor.
	@.ci/no-secrets-test
	@for m in $(NESTED); do (cd "$$m" && go test $(TEST_FLAGS) ./... $(NO_SECRETS)); done
	@$(ROOT_GO) test $(TEST_FLAGS) ./internal/... $(NO_SECRETS)
	@$(ROOT_GO) test $(TEST_FLAGS) -coverprofile=cover.out -coverpkg=$(COVERED) $(subst $(comma), ,$(COVERED)) $(NO_SECRETS) \
		| awk '{ sub(/\tcoverage: .*/, ""); print; fflush() }'
	@awk -v floor=$(COVER_FLOOR) -v quiet=1 -f .ci/coverage.awk cover.out

.PHONY: cover
cover: test ## The coverage of each public package.
	@awk -v floor=$(COVER_FLOOR) -f .ci/coverage.awk cover.out

.PHONY: fmt
fmt:
	@out=$$(find . -name node_modules -prune -o -name '*.go' -print0 | xargs -0 gofmt -l); \
	if [ -n "$$out" ]; then echo "not formatted, run gofmt -w on:"; echo "$$out"; exit 1; fi

.PHONY: vet
vet:
	@$(call each_module,vet ./...)
	@$(ROOT_GO) vet -tags peers ./internal/peers

.PHONY: lint
lint: ## staticcheck, tidiness of each go.mod, known vulnerabilities.
	@STATICCHECK=$(STATICCHECK) .ci/staticcheck . $(NESTED)
	@$(call each_module,mod tidy -diff)
	@GOVULNCHECK=$(GOVULNCHECK) .ci/vulnerabilities . $(NESTED)

.PHONY: bench
bench: npm-servers ## All benchmarks.
	@$(call each_module,test -run '^$$' -bench . -benchmem ./...)

.PHONY: bench-peers
bench-peers: npm-servers internal/peers/$(NPM_STAMP) ## Other clients on the same server, side by side, with two settings of the garbage collector.
	@for gogc in 100 800; do echo "GOGC=$$gogc"; \
		GOGC=$$gogc $(ROOT_GO) test -tags peers -run '^$$' -bench Peers -benchtime 1x -timeout 30m ./internal/peers; done

# Of each server the directory holds a file NAME.tools.json: the array of tools
# that tools/list returns.
.PHONY: tool-lists
tool-lists: ## The schema and search tests, also on the servers in the directory TOOL_LISTS.
	@[ -n "$(TOOL_LISTS)" ] || { echo "TOOL_LISTS=directory is needed"; exit 1; }
	TOOL_LISTS='$(abspath $(TOOL_LISTS))' $(ROOT_GO) test -count=1 -v -run '^(TestNormalizeToolLists|TestToolIndexFindsTasks)$$' ./adapters

.PHONY: race100
race100: npm-servers ## 100 runs of the tests with Concurrent or Race in their names.
	@$(call each_module,test -race -shuffle=on -count=100 -timeout=60m -run 'Concurrent|Race' ./...)

.PHONY: chaos
chaos: ## CALLS (8000) calls for each of three seeds while servers are killed, stopped and cut off.
	MCPADAPTERS_CHAOS=$(CALLS) $(ROOT_GO) test -race -count=1 -timeout=60m -v -run '^TestChaos$$' ./multiclient

.PHONY: fuzz
fuzz: ## Every fuzz target for FUZZTIME (10s).
	@$(ROOT_GO) list -f '{{.Dir}}' ./... | while read -r dir; do \
		targets=$$($(ROOT_GO) test -list '^Fuzz' "$$dir" | grep '^Fuzz' || true); \
		for target in $$targets; do \
			$(ROOT_GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$dir"; \
		done; \
	done

.PHONY: npm-servers
npm-servers: internal/npmservers/$(NPM_STAMP) ## Install the MCP servers that the tests run against.

.PHONY: conformance-suites
conformance-suites: internal/conformance/$(NPM_STAMP) ## Install the conformance suites of the protocol.

%/$(NPM_STAMP): %/package.json %/package-lock.json %/.npmrc
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || \
		{ echo "Node 20 or newer is needed (node: $$(node --version 2>&1 || true))"; exit 1; }
	cd $* && npm ci --no-progress
