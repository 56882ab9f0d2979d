// Package archtest tests the rules for imports between this module's packages. It only reads source
// files.
package archtest

// allowedImports lists which packages of this module each package may import, by path below internal/ (or
// below the module for cmd and bench). The test fails for a package that is not listed: add it
// after considering its place.
//
// "oas/..." means oas and all packages below it; "..." means every package. The table must not
// contain cycles. Test files may import anything, such as test rigs and generated clients.
var allowedImports = map[string][]string{
	// Leaves.
	"description":    {}, // the folder api at the root
	"domain":         {},
	"present":        {"domain", "weburl"},
	"weburl":         {},
	"words":          {"weburl"},
	"describe":       {"weburl"},
	"archtest":       {},
	"durable":        {},
	"auth":           {"domain"},
	"blob":           {"domain"},
	"budget":         {"domain"},
	"slots":          {"domain"},
	"fragments":      {},
	"certs":          {"domain"},
	"config":         {"domain"},
	"database":       {"domain", "durable", "database/lite", "database/lockfile", "database/outage", "database/pipeline", "database/pooler", "database/queue", "database/replica", "database/schema", "database/traced", "reads"},
	"backup/staging": {"database", "database/lockfile", "durable"},
	"fetch":          {"domain", "weburl"},
	"licenses":       {},
	"licenses/works": {},
	"mail":           {"domain", "durable"},
	"markup":         {"domain", "weburl"},
	"obs":            {"obs/trace"},
	"obs/trace":      {},
	"oidc":           {"domain"},
	"page":           {"domain", "weburl"},
	"reads":          {},
	"redis":          {},
	"oas":            {},
	"oas/wire":       {},
	"oas/v3":         {"oas/wire"},
	"oas/ext":        {"oas/wire"},
	"scope":          {"domain", "budget", "obs", "reads"},
	"jobs":           {"database", "jobs/adapter", "obs", "obs/trace", "scope"},
	"jobs/adapter":   {"database"},

	// Untrusted files, and images generated from them.
	"media":          {"domain", "media/source", "media/filetype", "media/bitmap", "media/codec", "media/pdf", "media/profile", "media/wasm"},
	"media/codec":    {"media/source", "media/filetype", "media/bitmap", "media/profile", "media/wasm"},
	"media/profile":  {},
	"media/pdf":      {"media/source", "media/wasm"},
	"media/svg":      {"media/source"},
	"media/filetype": {"media/source"},
	"media/wasm":     {"media/source"},
	"media/bitmap":   {},
	"media/source":   {},
	"media/strip":    {"media/source"},

	// Data, rules and words.
	"store": {"domain", "reads", "scope", "words", "database", "jobs", "store/access", "store/account", "store/activity", "store/audit", "store/backfills", "store/backups", "store/blobs", "store/bulk", "store/check", "store/comments", "store/contents", "store/counters", "store/derived", "store/documents", "store/exports", "store/hiding", "store/identity", "store/imports",
		"store/membership", "store/migrations", "store/moderation", "store/nearby", "store/origins", "store/ranked", "store/redo", "store/rowmap", "store/search", "store/sqlx"},
	"store/access":     {"domain", "store/sqlx"},
	"store/account":    {"domain", "database", "store/sqlx"},
	"store/audit":      {"domain", "store/sqlx"},
	"store/backfills":  {"store/sqlx"},
	"store/backups":    {"store/sqlx"},
	"store/blobs":      {"domain", "database", "store/backups", "store/counters", "store/rowmap", "store/sqlx"},
	"store/activity":   {"domain", "database", "jobs", "store/access", "store/sqlx"},
	"store/membership": {"domain", "store/sqlx"},
	"store/moderation": {"domain", "store/sqlx"},
	"store/nearby":     {"domain", "store/access", "store/rowmap", "store/sqlx"},
	"store/bulk":       {"domain", "database", "store/counters", "store/documents", "store/ranked", "store/rowmap", "store/sqlx"},
	"store/check":      {"domain", "database", "store/access", "store/activity", "store/counters", "store/documents", "store/sqlx"},
	"store/comments":   {"domain", "store/rowmap", "store/sqlx"},
	"store/contents":   {"domain", "database", "store/access", "store/counters", "store/ranked", "store/rowmap", "store/sqlx"},
	"store/counters":   {"domain", "store/rowmap", "store/sqlx"},
	"store/rowmap":     {"domain", "store/access", "store/sqlx", "weburl"},
	"store/search":     {"domain", "words", "database", "store/access", "store/sqlx"},
	"store/derived":    {"domain", "database", "store/account", "store/counters", "store/documents", "store/sqlx"},
	"store/documents":  {"domain", "words", "weburl", "database", "store/access", "store/counters", "store/rowmap", "store/search", "store/sqlx"},
	"store/exports":    {"domain", "store/sqlx"},
	"store/hiding":     {"domain", "store/rowmap", "store/sqlx"},
	"store/identity":   {"domain", "database", "store/sqlx"},
	"store/imports":    {"domain", "store/sqlx"},
	"store/redo":       {"domain", "scope", "store/sqlx"},
	"store/origins":    {"domain", "store/sqlx"},
	"store/sqlx":       {"domain", "scope", "database", "database/pipeline"},
	"store/ranked":     {"domain", "database", "store/sqlx"},
	"store/migrations": {},
	"app":              {"app/core", "app/content", "app/collections", "app/people", "app/search", "app/signin", "app/accounts", "app/sso", "app/operating", "app/moderation", "app/transfer", "domain", "mail", "store"},
	"app/core":         {"domain", "store", "store/moderation", "auth", "mail", "markup", "weburl"},
	"app/content":      {"app/core", "domain", "slots", "store", "store/blobs", "jobs", "auth", "blob", "fetch", "media", "media/filetype", "media/source", "media/strip", "media/svg", "page", "weburl", "words"},
	"app/collections":  {"app/core", "app/content", "domain", "store", "store/bulk", "store/check", "store/contents", "store/redo", "jobs", "auth", "markup"},
	"app/people":       {"app/core", "app/content", "domain", "store", "store/activity", "store/membership", "jobs", "auth", "mail"},
	"app/search":       {"app/core", "app/collections", "domain", "store", "words"},
	"app/signin":       {"app/core", "domain", "store", "store/account", "jobs", "auth", "mail"},
	"app/accounts":     {"app/core", "app/signin", "app/collections", "app/people", "domain", "scope", "store", "store/account", "store/hiding", "jobs", "auth", "mail"},
	"app/sso":          {"app/accounts", "app/core", "app/people", "app/signin", "auth", "domain", "oidc", "store", "store/identity"},
	"app/operating":    {"app/core", "app/content", "app/accounts", "domain", "store", "store/account", "store/backfills", "store/backups", "store/identity", "jobs", "auth", "mail"},
	"app/moderation":   {"app/core", "app/collections", "app/accounts", "app/operating", "domain", "mail", "store", "store/contents", "store/hiding", "store/moderation", "jobs", "auth", "weburl"},
	"app/transfer":     {"app/core", "app/content", "app/collections", "domain", "store", "store/origins", "jobs", "blob", "weburl"},
	"middleware":       {"domain", "budget", "describe", "obs", "obs/trace", "scope"},
	"httpedge":         {"app/...", "domain", "budget", "reads", "scope", "slots", "auth", "middleware", "describe", "obs/trace"},
	"api":              {"fragments", "api/v2", "api/v3", "api/ext", "app/...", "exporting", "present", "httpedge", "middleware", "describe", "description"},
	"api/v2":           {"app/...", "domain", "present", "httpedge", "describe", "oas/wire", "weburl"},
	"api/v3":           {"app/...", "domain", "scope", "fragments", "present", "httpedge", "describe", "oas/v3", "oas/wire"},
	"exporting":        {"app/...", "domain", "present", "weburl"},
	"api/ext":          {"app/...", "domain", "exporting", "present", "site/catalog", "httpedge", "describe", "oas/ext", "oas/wire"},
	"feeds":            {"app/...", "domain", "exporting", "present", "slots", "httpedge", "middleware", "feeds/card", "weburl"},
	"feeds/card":       {},
	"files":            {"app/...", "domain", "httpedge", "middleware"},
	"oauth":            {"app/...", "domain", "auth", "middleware"},
	"backup":           {"backup/dump", "backup/staging", "blob", "database", "database/lockfile", "domain", "durable", "store", "store/backups"},
	"backup/dump":      {"database", "database/schema", "domain", "jobs", "store", "store/blobs", "store/sqlx"},
	"worker":           {"app/...", "domain", "exporting", "auth", "moving", "middleware", "jobs"},

	// Imports.
	"importing":           {"app", "app/content", "app/core", "app/people", "app/transfer", "domain", "importing/source", "markup"},
	"moving":              {"app", "app/transfer", "domain", "fetch", "importing", "importing/arena", "importing/bundle", "importing/files", "importing/source"},
	"importing/source":    {"domain"},
	"importing/plain":     {"domain", "importing/source", "markup", "weburl"},
	"importing/bookmarks": {"importing/plain", "importing/source"},
	"importing/sheet":     {"importing/plain", "importing/source"},
	"importing/outline":   {"importing/plain", "importing/source"},
	"importing/files":     {"domain", "importing/bookmarks", "importing/bundle", "importing/outline", "importing/plain", "importing/sheet", "importing/source"},
	"importing/folder":    {"domain", "importing/plain", "importing/source", "markup"},
	"importing/bundle":    {"domain", "importing/source", "weburl"},
	"importing/arena":     {"domain", "fetch", "importing/plain", "importing/source", "weburl"},
	"importing/invitees":  {"domain", "importing/plain"},

	// The website.
	"site":                  {"site/web", "site/pages/account", "site/pages/collect", "site/pages/look", "site/pages/moderation", "site/pages/operator", "site/pages/people", "site/pages/signon", "site/pages/transfer"},
	"site/catalog":          {"domain"},
	"site/web":              {"app/...", "domain", "scope", "exporting", "present", "auth", "httpedge", "middleware", "site/catalog", "weburl"},
	"site/pages/account":    {"app/...", "domain", "present", "auth", "site/web"},
	"site/pages/collect":    {"app/...", "domain", "markup", "present", "site/web"},
	"site/pages/look":       {"app/...", "domain", "present", "site/web"},
	"site/pages/moderation": {"app/...", "domain", "present", "site/web"},
	"site/pages/operator":   {"app/...", "domain", "importing/invitees", "present", "site/web"},
	"site/pages/people":     {"app/...", "domain", "present", "site/web"},
	"site/pages/signon":     {"app/...", "domain", "site/web"},
	"site/pages/transfer":   {"app/...", "domain", "present", "site/catalog", "site/web", "weburl"},

	// Assembly of the program.
	"server":         {"..."},
	"cli":            {"..."},
	"cli/manual":     {"config"},
	"cli/console":    {"app", "backup", "config", "domain", "obs", "redis", "scope", "server", "store"},
	"cli/moderation": {"app/...", "cli/console", "config", "domain"},
	"cli/accounts":   {"auth", "app/...", "cli/console", "config", "domain", "importing/invitees"},
	"cmd/vitrine":    {"cli"},

	// Tools and test rigs.
	"apptest":              {"..."},
	"redis/redistest":      {},
	"bench/content":        {},
	"bench/costs":          {"..."},
	"bench/dataset":        {"..."},
	"bench/drive":          {},
	"bench/files":          {},
	"bench/gen":            {"..."},
	"bench/growth":         {"..."},
	"bench/hot":            {"..."},
	"bench/importing":      {},
	"bench/load":           {"..."},
	"bench/nodes":          {"bench/dataset", "bench/drive"},
	"bench/peers":          {"..."},
	"bench/search":         {"..."},
	"deploy":               {},
	"e2e":                  {"..."},
	"database/dbtest":      {"database"},
	"heavy":                {},
	"database/queue":       {"database/lite"},
	"database/lite":        {},
	"database/lockfile":    {"database/lite", "durable"},
	"database/outage":      {"database/lite"},
	"database/pipeline":    {"database/outage"},
	"database/pooler":      {},
	"database/replica":     {"reads"},
	"database/schema":      {},
	"database/traced":      {},
	"importing/sourcetest": {"domain", "importing/source"},
	"settingsdoc":          {"config"},
	"licenses/collect":     {"licenses/works"},
	"media/mediatest":      {"media/source"},
	"oas/generate":         {"describe"},
	"release":              {"licenses/works"},
	"oidc/oidctest":        {},
	"store/storetest":      {"store", "domain", "database", "database/dbtest", "jobs"},
}

// onlyCmd may be imported only by cmd, and rigs by nothing that is shipped, even if the table says
// "...".
var (
	onlyCmd      = "cli"
	testPackages = []string{"apptest", "archtest", "bench/content", "bench/dataset", "bench/drive", "bench/files", "bench/gen", "bench/growth", "bench/hot", "bench/importing", "bench/load", "bench/nodes", "bench/peers", "bench/search", "database/dbtest", "e2e", "heavy", "importing/sourcetest", "media/mediatest", "oidc/oidctest", "store/storetest"}
)

// sqlPackages may import database/sql and its drivers; other packages use them. Their tests may too.
var sqlPackages = []string{"database", "database/lite", "database/outage", "database/pipeline", "database/replica", "jobs", "jobs/adapter", "bench/peers"}

// contextFiles may store values in a context or read them. Everything else passes arguments.
var contextFiles = []string{
	"internal/scope/scope.go",         // the scope of transactions
	"internal/middleware/exchange.go", // the generated handlers accept only a context
	"internal/obs/trace/trace.go",     // the current span, as in OpenTelemetry
	"internal/media/pdf/pdfium.go",    // WebAssembly passes its host functions only a context
	"internal/server/refusals.go",     // net/http passes a connection to its handlers only in a context
	"internal/middleware/proxy.go",    // net/http stores the local address in a context
}

// scopeFiles may put a scope into a context: the transports. Only scopeReader reads it, and passes its
// parts on as arguments.
var (
	scopeFiles  = []string{"internal/middleware/exchange.go", "internal/jobs/run.go", "internal/cli/console/console.go"}
	scopeReader = "internal/store/store.go"
)

// exitPackages may end the program.
var exitPackages = []string{"cmd/vitrine", "cli", "settingsdoc", "licenses/collect", "oas/generate", "release", "bench/content", "bench/files", "bench/gen", "bench/growth", "bench/hot", "bench/importing", "bench/load", "bench/nodes", "bench/peers", "bench/search"}

// vague are package names without a specific meaning.
const maxFileLines = 500

// vague are package names without a specific meaning.
var vague = []string{"util", "utils", "common", "models", "types", "helper", "helpers", "misc"}

// dialectWords are words that only one of the two databases supports. In the store, only
// dialectFiles may contain them.
var dialectWords = []string{"json_each", "any(", "for update", "for no key update", "for share", "tsvector", "fts5", "jsonb"}

const storePackage = "store"

// dialectFiles contain the SQL dialects and the two search engines.
var dialectFiles = []string{"internal/store/sqlx/dialect.go", "internal/store/search/fts5.go", "internal/store/search/tsvector.go"}
