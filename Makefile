# Everything a contributor needs. `make check` is what CI runs.

GO   ?= go
TOOL := $(GO) tool -modfile=tools/go.mod
PKG  ?= ./...

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the service with its defaults
	$(GO) run ./cmd/earshot serve

.PHONY: build
build: ## Build the static binary bin/earshot
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/earshot ./cmd/earshot

# The race detector needs cgo, and so a C compiler.
.PHONY: test
test: ## Run all tests with -race, on SQLite and on PostgreSQL (PKG=./internal/store for fewer)
	@command -v $$($(GO) env CC) >/dev/null || scripts/apt-install.sh gcc libc6-dev
	CGO_ENABLED=1 scripts/with-postgres.sh $(GO) test -race -timeout 10m $(PKG)

.PHONY: lint
lint: ## Check format, code and module files
	@files=$$($(TOOL) gofumpt -l .) && test -z "$$files" || { echo "make fmt would change: $$files"; exit 1; }
	$(GO) vet ./...
	$(TOOL) golangci-lint run
	$(GO) mod tidy -diff
	$(GO) mod verify

.PHONY: fmt
fmt: ## Format the code
	$(TOOL) golangci-lint fmt

.PHONY: bench
bench: ## Measure the service on both databases
	scripts/with-postgres.sh $(GO) test -run '^$$' -bench . -benchtime 3s ./internal/bench/

.PHONY: check
check: lint test ## Run what CI runs
