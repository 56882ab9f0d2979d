# Targets for developers; .ci/run uses them too.
.PHONY: extension pictures tasks vitals run test fallback check format vet lint prose deadcode generated outdated build release image e2e program alone bench costs entered drill abuse fuzz nightly vendor-assets

BIN := bin/vitrine
TOOL := go tool -modfile=tools/go.mod

run:
	go run ./cmd/vitrine serve

test:
	go test ./...

# Tests of the store and the job queue on SQLite through the module's driver for database/sql, which replaces
# our own calls if a new version of the module breaks them.
fallback:
	VITRINE_TEST_ONLY=sqlite go test -tags databasesql ./internal/store ./internal/jobs \
		-run '^(TestBlocksAsMade|TestChangesOfBlocks|TestUsers|TestRunsOnce|TestRetry|TestUnique)$$'

# Everything except the tests of the built program. If VITRINE_TEST_POSTGRES is the URL of a
# server, the tests also run on PostgreSQL.
check: format vet lint prose deadcode generated
	go test -race -shuffle=on ./...

format:
	@unformatted="$$(gofmt -l .)"; test -z "$$unformatted" || { echo "gofmt these:"; echo "$$unformatted"; exit 1; }

vet:
	go vet ./...
	go -C client vet ./...

lint:
	$(TOOL) staticcheck ./...
	$(TOOL) errcheck -ignoretests -ignoregenerated -exclude tools/errcheck.txt ./...

# Counts phrases that read as translated English; the limits are in tools/prose.txt. To see the
# lines: go -C tools run ./prose -lines
prose:
	go -C tools vet ./...
	go -C tools test ./...
	go -C tools run ./prose

# Finds functions that are unreachable, or only reachable from tests: see tools/deadcode.txt.
deadcode:
	tools/deadcode.sh

# Checks that generated code and module files are up to date.
generated:
	@before="$$(git status --porcelain; git diff)"; \
	go generate ./... && \
	test "$$before" = "$$(git status --porcelain; git diff)" || { git --no-pager diff --stat; echo "go generate makes other code"; exit 1; }
	go mod tidy -diff
	go -C tools mod tidy -diff

# Lists the modules of go.mod that have newer versions. libc stays at the version that SQLite pins, and
# River and its drivers at one version.
outdated:
	@go list -m -u -f '{{with .Update}}{{$$.Path}} {{$$.Version}} → {{.Version}}{{end}}' \
		$$(go list -m -f '{{if not (or .Indirect .Main)}}{{.Path}}{{end}}' all) | grep . || echo "all modules are current"

# Go embeds version and commit from git. Debugger tables, a quarter of the size, are omitted: stack
# traces and profiles do not need them. Without these tables, and with more memory for the compiler (1 GB
# at most), SQLite compiles in 0.7 of the processor time.
build:
	GOGC=400 CGO_ENABLED=0 go build -trimpath -buildvcs=auto -gcflags=all=-dwarf=false -ldflags='-s -w' -o $(BIN) ./cmd/vitrine

# Archives, checksums and an inventory for every platform, in dist/: the same bytes for the same
# commit and version of Go. Commit first: the version reveals uncommitted changes.
PLATFORMS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64
release:
	go run ./internal/release -platforms $(PLATFORMS)

# The browser extension, dist/vitrine-extension-*.zip for Chromium (Chrome, Edge) and for Firefox: see
# docs/extension.md.
extension:
	rm -f dist/vitrine-extension-*.zip
	go run ./internal/release -extension

# A container image in OCI layout, dist/image, without a daemon:
# skopeo copy oci:dist/image docker://registry.example.org/vitrine
image:
	go run ./internal/release -platforms linux/amd64,linux/arm64 -image

# Third-party clients against the built program, on SQLite and, as in check, PostgreSQL.
e2e: build extension e2e/node_modules/.package-lock.json
	VITRINE_BIN="$(CURDIR)/$(BIN)" npm --prefix e2e test

e2e/node_modules/.package-lock.json: e2e/package-lock.json
	npm --prefix e2e ci --ignore-scripts --no-audit --no-fund

# Renders the screens in docs/images, with Chromium.
pictures: build e2e/node_modules/.package-lock.json
	VITRINE_BIN="$(CURDIR)/$(BIN)" VITRINE_TEST_POSTGRES= node e2e/rig/pictures.js

# Counts the actions of frequent tasks by mouse, keyboard and phone: see docs/tasks.md.
tasks: build e2e/node_modules/.package-lock.json
	VITRINE_BIN="$(CURDIR)/$(BIN)" VITRINE_TEST_POSTGRES= node e2e/rig/tasks.js

# Measures pages in a slowed browser: see bench/README.md.
vitals: build e2e/node_modules/.package-lock.json
	VITRINE_BIN="$(CURDIR)/$(BIN)" VITRINE_TEST_POSTGRES= node e2e/rig/vitals.js

# Kills, upgrades and attacks the built program; on PostgreSQL too, as in check.
program:
	VITRINE_TEST_PROGRAM=1 go test ./e2e -timeout 30m

# Tests that measure the memory of the built program, and a short run of abuse, one at a time.
alone:
	VITRINE_TEST_ALONE=1 go test ./e2e -run '^(TestAbuse|TestMemoryOfHostileBodies|TestMemoryOfHostilePictures|TestUnreadResponses)$$' -count=1 -timeout 30m

# Three nodes on PostgreSQL with replicas, Valkey and S3 behind HAProxy lose one part after another
# under readers and writers, and are upgraded: see docs/operations.md. It takes eight minutes, and
# lists the programs that are missing on this machine.
drill:
	VITRINE_TEST_ALONE=1 go test ./e2e -run '^TestDrill$$' -count=1 -timeout 20m -v

# All kinds of abuse at once, next to eight ordinary clients, for five minutes on each database, and
# the memory that hostile bodies need. As root, the disk fills up too. See e2e/README.md.
ABUSE ?= 5m
abuse:
	VITRINE_TEST_ALONE=1 VITRINE_ABUSE=$(ABUSE) go test ./e2e -run '^(TestAbuse|TestMemoryOfHostileBodies)$$' -count=1 -timeout 60m -v

# Generates a hundred thousand requests from the descriptions, on each database, and checks the
# responses. FUZZ_SEED repeats a failed run.
FUZZ_REQUESTS ?= 100000
FUZZ_SEED ?=
fuzz:
	VITRINE_FUZZ_REQUESTS=$(FUZZ_REQUESTS) VITRINE_FUZZ_SEED=$(FUZZ_SEED) \
		go test ./internal/api -run 'TestContractHolds$$' -count=1 -timeout 2h -v

# Everything that is too slow for each change, on servers of its own: see .ci/run. It takes hours.
nightly:
	bash .ci/run nightly

# Fills a database, which takes a minute or two, and measures: see bench/README.md.
BENCH_DATA ?= /tmp/bench-data
bench:
	mkdir -p $(BENCH_DATA)
	test -s $(BENCH_DATA)/made.json || go run ./bench/gen --data-dir $(BENCH_DATA) --json >$(BENCH_DATA)/made.json
	go run ./bench/load --data-dir $(BENCH_DATA) --made $(BENCH_DATA)/made.json
	go run ./bench/hot

# Counts the source files that a request enters: see bench/README.md.
entered:
	go -C tools run ./entered

# Updates the limits on statements and allocations of the most frequent requests.
costs:
	go test ./bench/costs -count=1 -update
	git --no-pager diff --stat bench/costs/bounds.json

# Third-party scripts of the pages, as published: see internal/site/web/assets/vendor.
VENDOR := internal/site/web/assets/vendor
vendor-assets:
	@from="$$(mktemp -d)" && cd "$$from" && \
	npm pack --silent htmx.org@2.0.11 @fontsource-variable/figtree@5.3.0 @fontsource/source-serif-4@5.3.1 && \
	for name in htmx figtree source-serif-4; do mkdir $$name && tar xzf *$$name*.tgz -C $$name; done && \
	install -m 644 htmx/package/dist/htmx.min.js htmx/package/LICENSE "$(CURDIR)/$(VENDOR)/htmx/" && \
	install -m 644 figtree/package/files/figtree-latin-wght-normal.woff2 figtree/package/files/figtree-latin-ext-wght-normal.woff2 \
		figtree/package/LICENSE "$(CURDIR)/$(VENDOR)/figtree/" && \
	install -m 644 source-serif-4/package/files/source-serif-4-latin-400-normal.woff2 \
		source-serif-4/package/files/source-serif-4-latin-400-italic.woff2 \
		source-serif-4/package/files/source-serif-4-latin-ext-400-normal.woff2 \
		source-serif-4/package/LICENSE "$(CURDIR)/$(VENDOR)/source-serif-4/" && \
	rm -r "$$from"
