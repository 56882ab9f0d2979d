# What a developer runs. .ci/run uses the same targets.
.PHONY: run test check format vet lint prose deadcode generated build release image e2e program alone bench costs drill abuse fuzz vendor-assets

BIN := bin/vitrine
TOOL := go tool -modfile=tools/go.mod

run:
	go run ./cmd/vitrine serve

test:
	go test ./...

# Everything but the tests of the built program. With VITRINE_TEST_POSTGRES set to the
# URL of a server, the tests run on PostgreSQL too.
check: format vet lint prose deadcode generated
	go test -race -shuffle=on ./...

format:
	@unformatted="$$(gofmt -l .)"; test -z "$$unformatted" || { echo "gofmt these:"; echo "$$unformatted"; exit 1; }

vet:
	go vet ./...

lint:
	$(TOOL) staticcheck ./...
	$(TOOL) errcheck -ignoretests -ignoregenerated -exclude tools/errcheck.txt ./...

# Counts phrases that read as translated English; the limits are in tools/prose.txt. To see the
# lines: go -C tools run ./prose -lines
prose:
	go -C tools vet ./prose
	go -C tools test ./prose
	go -C tools run ./prose

# Functions that nothing reaches, or only tests: see tools/deadcode.txt.
deadcode:
	tools/deadcode.sh

# Generated code and module files are as their sources make them.
generated:
	@before="$$(git status --porcelain; git diff)"; \
	go generate ./... && \
	test "$$before" = "$$(git status --porcelain; git diff)" || { git --no-pager diff --stat; echo "go generate makes other code"; exit 1; }
	go mod tidy -diff
	go -C tools mod tidy -diff

# The program knows its version and commit from git. It has no tables for debuggers, a quarter of
# its size; stack traces and profiles need none.
build:
	CGO_ENABLED=0 go build -trimpath -buildvcs=auto -ldflags='-s -w' -o $(BIN) ./cmd/vitrine

# Archives, sums and an inventory for every platform, in dist/: the same bytes for the same
# commit and version of Go. Commit first: uncommitted changes are told by the version.
PLATFORMS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64
release:
	go run ./internal/release -platforms $(PLATFORMS)

# A container image in OCI's layout, dist/image, without a daemon:
# skopeo copy oci:dist/image docker://registry.example.org/vitrine
image:
	go run ./internal/release -platforms linux/amd64,linux/arm64 -image

# Clients of others against the built program, on SQLite and, as in check, PostgreSQL.
e2e: build e2e/node_modules/.package-lock.json
	VITRINE_BIN="$(CURDIR)/$(BIN)" npm --prefix e2e test

e2e/node_modules/.package-lock.json: e2e/package-lock.json
	npm --prefix e2e ci --ignore-scripts --no-audit --no-fund

# Kills, upgrades and attacks the built program; on PostgreSQL too, as in check.
program:
	VITRINE_TEST_PROGRAM=1 go test ./e2e -timeout 30m

# What measures the memory of the built program, and a brief wave of abuse: each by itself.
alone:
	VITRINE_TEST_ALONE=1 go test ./e2e -run '^(TestAbuse|TestMemoryOfHostileBodies|TestMemoryOfHostilePictures|TestUnreadResponses)$$' -count=1 -timeout 30m

# Three nodes on PostgreSQL with replicas, Valkey and S3 behind HAProxy, of which one thing after
# another is lost while people read and write, and an upgrade: see docs/operations.md. Eight minutes;
# it names what is missing on this machine.
drill:
	VITRINE_TEST_ALONE=1 go test ./e2e -run '^TestDrill$$' -count=1 -timeout 20m -v

# Everything that abusers try at once, next to eight ordinary clients, for five minutes on
# each database, and what hostile bodies cost in memory. As root, the disk fills up too. See e2e/README.md.
ABUSE ?= 5m
abuse:
	VITRINE_TEST_ALONE=1 VITRINE_ABUSE=$(ABUSE) go test ./e2e -run '^(TestAbuse|TestMemoryOfHostileBodies)$$' -count=1 -timeout 60m -v

# A hundred thousand requests made from the descriptions, on each database, held against
# them. FUZZ_SEED repeats a run that failed.
FUZZ_REQUESTS ?= 100000
FUZZ_SEED ?=
fuzz:
	VITRINE_FUZZ_REQUESTS=$(FUZZ_REQUESTS) VITRINE_FUZZ_SEED=$(FUZZ_SEED) \
		go test ./internal/api -run 'TestContractHolds$$' -count=1 -timeout 2h -v

# Fills a database, which takes a minute or two, and measures: see bench/README.md.
BENCH_DATA ?= /tmp/bench-data
bench:
	mkdir -p $(BENCH_DATA)
	test -s $(BENCH_DATA)/made.json || go run ./bench/gen --data-dir $(BENCH_DATA) --json >$(BENCH_DATA)/made.json
	go run ./bench/load --data-dir $(BENCH_DATA) --made $(BENCH_DATA)/made.json

# Counts anew what the requests that are made most cost, for the test that holds them to it.
costs:
	go test ./bench/costs -count=1 -update
	git --no-pager diff --stat bench/costs/bounds.json

# The libraries of others that pages use, as published: see internal/site/web/assets/vendor.
VENDOR := internal/site/web/assets/vendor
vendor-assets:
	@from="$$(mktemp -d)" && cd "$$from" && npm pack --silent htmx.org@2.0.11 sortablejs@1.15.7 && \
	mkdir htmx sortablejs && tar xzf htmx.org-2.0.11.tgz -C htmx && tar xzf sortablejs-1.15.7.tgz -C sortablejs && \
	install -m 644 htmx/package/dist/htmx.min.js htmx/package/LICENSE "$(CURDIR)/$(VENDOR)/htmx/" && \
	install -m 644 sortablejs/package/Sortable.min.js sortablejs/package/LICENSE "$(CURDIR)/$(VENDOR)/sortablejs/" && \
	rm -r "$$from"
