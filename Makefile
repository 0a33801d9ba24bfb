# Commands for contributors. CI runs `make check`.

# The path of the Go module. To import the client from elsewhere without `replace`, rename the
# module to the address of your copy: make module MODULE=example.com/you/earshot
MODULE := earshot

GO   ?= go
TOOL := $(GO) tool -modfile=tools/go.mod
PKG  ?= ./...

# Lint, tests and the programs that they build are compiled with the flags of a release, so that
# what they share is compiled once. The race detector needs cgo, and gets it in scripts/test.sh.
export CGO_ENABLED := 0
export GOFLAGS := $(shell $(GO) env GOFLAGS) -trimpath

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Start the service with default settings
	bin/earshot serve

.PHONY: build
build: ## Build the static binary bin/earshot
	$(GO) build -o bin/earshot ./cmd/earshot

.PHONY: test
test: ## Run all tests on SQLite, PostgreSQL and Chromium, many with the race detector (PKG=./internal/store for fewer)
	@scripts/test.sh $(PKG)

.PHONY: module
module: ## Rename the Go module (MODULE=example.com/you/earshot)
	@scripts/rename-module.sh $(MODULE)

.PHONY: generate
generate: ## Write the files that are generated from the API's types and the providers' definitions
	$(GO) run ./cmd/generate

# The generated files of the clients, which git ignores.
.PHONY: clients
clients:
	@$(GO) run ./cmd/generate clients

# Building the Python client needs the packages build, setuptools and wheel, and no network.
PACKAGES ?= dist
.PHONY: sdk
sdk: clients ## Build the packages of the Python and TypeScript clients and of the nodes for n8n, in dist
	/usr/bin/python3 -m build --no-isolation --outdir $(PACKAGES) sdk/python
	@scripts/with-node-modules.sh sdk/typescript scripts/pack-typescript.sh $(PACKAGES)
	@scripts/with-node-modules.sh integrations/n8n npm pack ./integrations/n8n --pack-destination $(PACKAGES) --loglevel=error

.PHONY: lint
lint: clients ## Check format, code, module files, and format, code and types of the dashboard and the TypeScript client
	@files=$$($(TOOL) gofumpt -l .) && test -z "$$files" || { echo "make fmt would change: $$files"; exit 1; }
	$(GO) -C tools build -o ../bin/lint ./lint
	bin/lint ./...
	$(GO) mod tidy -diff
	$(GO) mod verify
	@scripts/with-node-modules.sh $(WEB) sh -c 'cd integrations/n8n && ../../$(WEB)/$(BIOME) check --error-on-warnings'
	@scripts/with-node-modules.sh $(WEB) sh -c '(cd $(WEB) && $(BIOME) check --error-on-warnings && \
		! LC_ALL=C.UTF-8 grep -rnE --include="*.ts" --include="*.tsx" ".{121}" src test) && $(WEB)/node_modules/.bin/tsc --project $(WEB) && dir=$$(mktemp -d) && $(MAKE) -s web DIST=$$dir && \
		{ diff -rq $$dir $(DIST) || { echo "make web would change the bundle"; exit 1; }; }'
	@$(MAKE) -s web-test
	@scripts/with-node-modules.sh $(WEB) scripts/with-node-modules.sh sdk/typescript sh -c 'cd sdk/typescript && \
		../../$(WEB)/$(BIOME) check --error-on-warnings && node_modules/.bin/tsc --noEmit && \
		! LC_ALL=C.UTF-8 grep -rnE --include="*.ts" --exclude="*.gen.ts" ".{121}" src test'

.PHONY: fmt
fmt: ## Format the code
	$(TOOL) gofumpt -w .
	@scripts/with-node-modules.sh $(WEB) sh -c 'for dir in $(WEB) sdk/typescript integrations/n8n; do (cd $$dir && $(CURDIR)/$(WEB)/$(BIOME) format --write) || exit 1; done'

# -benchtime 1x: one run of a queue benchmark processes a whole backlog.
.PHONY: bench
bench: ## Measure the service on both databases and, if installed, on Citus, and compare it with other queues
	EARSHOT_BENCH_SLOW_SYNC=1 scripts/with-postgres.sh scripts/with-citus.sh scripts/with-redis.sh sh -c '\
		$(GO) test -run "^$$" -bench "Call|Waiting$$|Rate|Begin|Hostile|Mention" -benchtime 3s ./test/bench/ && \
		$(GO) test -run "^$$" -bench Parse -benchtime 1x -v ./test/bench/ && \
		$(GO) test -run "^$$" -bench "Overload|Memory|WaitingOwn|OwnCost|Restart|Stop" -benchtime 1x -timeout 30m ./test/bench/ && \
		$(GO) test -run "^$$" -bench "Nodes|SlowDisk|Snapshot" -benchtime 1x -timeout 30m ./test/bench/ && \
		$(GO) test -run "^$$" -bench Claim -benchtime 200x -timeout 20m ./test/bench/ && \
		$(GO) test -run "^$$" -bench "Sweep|Answers" -benchtime 1x -timeout 30m ./test/bench/ && \
		$(GO) test -run "^$$" -bench "Metrics|Overview|Reanalysis" -benchtime 10x -timeout 30m ./test/tracking/ && \
		$(GO) test -run "^$$" -bench Large -benchtime 1x -timeout 60m ./test/tracking/ && \
		scripts/bench-queues.sh'

.PHONY: fidelity
fidelity: ## Print what parsers find in real captures, in a folder next to the repository (EARSHOT_CORPORA)
	$(GO) test ./internal/provider/... -run Fidelity -v -count=1
	$(GO) test ./test/upstreams/ -run Fidelity -count=1 -write

# Beside overload, races and fuzzing: 1,000 kill cycles on SQLite, 500 on PostgreSQL and 200 on each
# with a vendor's orders, within an hour; 100 kills of the browser; and a day of work, which takes
# an hour with its checks.
.PHONY: soak
soak: ## Overload a node, race, fuzz, fill a disk, kill nodes and the browser, upgrade nodes, run through outages and a failover, and use Citus if it is installed (3 hours)
	EARSHOT_SOAK_ABUSE=10s scripts/with-postgres.sh $(GO) test -count=1 -v -timeout 30m -run TestAbuse ./test/service/
	EARSHOT_SOAK_ABUSE=60s scripts/with-postgres.sh $(GO) test -count=1 -v -timeout 30m -run TestAbuse/.*/slow_clients ./test/service/
	EARSHOT_SOAK_CYCLES=1000 scripts/with-postgres.sh $(GO) test -count=1 -v -timeout 30m -run "OneTaskForAKey|FaultyReceivers|ABacklog|FailedSync|AYear" ./internal/store/ ./internal/track/ ./test/service/
	scripts/with-small-disk.sh scripts/with-postgres.sh $(GO) test -count=1 -v -exec "env -u GOTMPDIR" -run FullDisk ./test/service/
	$(GO) test -run "^$$" -fuzz CheckURL -fuzztime 100000x ./internal/upstream/guard/
	$(GO) test -run "^$$" -fuzz Bodies -fuzztime 100000x ./test/contract/
	CGO_ENABLED=1 EARSHOT_SOAK_CYCLES=1000 EARSHOT_SOAK_TIME=60m \
		scripts/with-chromium.sh scripts/with-postgres.sh $(GO) test -race -count=1 -v -timeout 100m -skip TestADay ./test/chaos/ ./internal/upstream/browser/
	CGO_ENABLED=1 scripts/with-chromium.sh scripts/with-postgres.sh $(GO) test -race -count=1 -timeout 60m ./test/contract/ ./test/mcp/ ./test/tracking/ ./test/upstreams/
	EARSHOT_SOAK_DAY=45m scripts/with-postgres.sh $(GO) test -count=1 -v -timeout 90m -run TestADay ./test/chaos/
	scripts/with-citus.sh $(GO) test -count=1 -timeout 60m -p 1 -run "/citus|Moved|Worker" ./internal/store/... ./test/service/ ./test/tracking/ ./test/contract/ ./test/chaos/

.PHONY: check
check: lint test ## Run lint and test, as CI does

# The dashboard's bundle is committed, so that building the service needs only Go. esbuild
# is a Go program; the libraries come from the npm registry.
WEB  := internal/api/dashboard/web
BIOME := node_modules/.bin/biome
DIST ?= internal/api/dashboard/dist
# The classic JSX transform, h(name, attributes, …children), makes the bundle 5 % smaller than the automatic one that editors use.
JSX  := {"compilerOptions":{"jsx":"react","jsxFactory":"h","jsxFragmentFactory":"Fragment"}}
BUNDLE := $(TOOL) esbuild --bundle --minify --format=esm --target=es2022 --log-level=warning --legal-comments=none --outdir=$(DIST)
.PHONY: web
web: clients ## Bundle the dashboard's pages into internal/api/dashboard/dist
	@scripts/with-node-modules.sh $(WEB) $(BUNDLE) app=$(WEB)/src/main.tsx --tsconfig-raw='$(JSX)' --inject:$(WEB)/src/jsx.ts
	@scripts/with-node-modules.sh $(WEB) $(BUNDLE) live=$(WEB)/src/live.worker.ts

.PHONY: web-test
web-test: ## Test the dashboard's modules that need no browser, in Node
	@scripts/with-node-modules.sh $(WEB) sh -c 'dir=$$(mktemp -d) && $(TOOL) esbuild $(WEB)/test/all.ts --bundle --platform=node --format=esm \
		--log-level=warning --outfile=$$dir/all.mjs && node --test --test-reporter=dot $$dir/all.mjs; status=$$?; rm -rf $$dir; exit $$status'
