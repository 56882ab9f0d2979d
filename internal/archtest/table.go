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
	"frontmatter":    {},
	"present":        {"domain", "weburl"},
	"warc":           {"weburl"},
	"weburl":         {},
	"colour":         {},
	"words":          {"colour", "domain", "weburl"},
	"describe":       {"weburl"},
	"difference":     {},
	"archtest":       {},
	"durable":        {},
	"auth":           {"domain"},
	"blob":           {"domain"},
	"budget":         {"domain"},
	"embeddings":     {},
	"vectors":        {},
	"fragments":      {},
	"browser":        {"fetch", "weburl"},
	"capture":        {"fetch", "page", "weburl"},
	"certs":          {"domain"},
	"config":         {"domain", "weburl"},
	"database":       {"database/lite", "database/postgres", "database/replica", "domain", "durable", "reads"},
	"fetch":          {"domain", "weburl"},
	"licenses":       {},
	"licenses/works": {},
	"mail":           {"domain", "durable"},
	"mailin":         {"markup", "page"},
	"markup":         {"domain", "weburl"},
	"obs":            {},
	"oidc":           {"domain"},
	"opml":           {},
	"page":           {"domain", "weburl"},
	"reads":          {},
	"redis":          {},
	"oas":            {},
	"oas/failure":    {},
	"oas/wire":       {},
	"oas/v3":         {"oas/failure", "oas/wire"},
	"oas/ext":        {"oas/failure", "oas/wire"},
	"scope":          {"domain", "budget", "obs", "reads"},
	"jobs":           {"database", "jobs/adapter", "obs", "scope"},
	"jobs/adapter":   {"database"},

	// Untrusted files, and images generated from them.
	"media":          {"colour", "domain", "media/source", "media/filetype", "media/codec", "media/pdf", "media/wasm"},
	"media/codec":    {"media/filetype", "media/source", "media/wasm"},
	"media/pdf":      {"media/source", "media/wasm"},
	"media/filetype": {"media/source"},
	"media/wasm":     {"media/source"},
	"media/film":     {},
	"media/sound":    {"media/source"},
	"media/source":   {},
	"media/strip":    {"media/source"},

	// Data, rules and words.
	"store":            {"domain", "reads", "scope", "words", "database", "jobs", "store/access", "store/account", "store/activity", "store/derived", "store/blobs", "store/bulk", "store/changes", "store/contents", "store/counters", "store/search", "store/transfer", "store/vectors", "store/webhooks", "store/moderation", "store/membership", "store/migrations", "store/ranked", "store/reading", "store/redo", "store/rowmap", "store/saved", "store/sqlx"},
	"store/access":     {"domain", "store/sqlx"},
	"store/account":    {"database", "domain", "store/sqlx"},
	"store/changes":    {"domain", "store/access", "store/sqlx"},
	"store/blobs":      {"database", "domain", "store/counters", "store/rowmap", "store/sqlx"},
	"store/activity":   {"database", "domain", "jobs", "store/access", "store/contents", "store/sqlx"},
	"store/membership": {"domain", "store/contents", "store/sqlx"},
	"store/moderation": {"domain", "store/rowmap", "store/sqlx"},
	"store/bulk":       {"domain", "database", "store/counters", "store/search", "store/ranked", "store/rowmap", "store/sqlx"},
	"store/contents":   {"database", "domain", "store/access", "store/counters", "store/ranked", "store/rowmap", "store/sqlx"},
	"store/counters":   {"domain", "store/rowmap", "store/sqlx"},
	"store/rowmap":     {"domain", "store/access", "store/sqlx", "weburl"},
	"store/search":     {"database", "domain", "store/access", "store/counters", "store/rowmap", "store/sqlx", "weburl", "words"},
	"store/derived":    {"database", "domain", "store/access", "store/account", "store/activity", "store/counters", "store/search", "store/sqlx"},
	"store/transfer":   {"domain", "store/sqlx"},
	"store/reading":    {"domain", "database", "store/access", "store/sqlx"},
	"store/saved":      {"domain", "store/sqlx"},
	"store/vectors":    {"domain", "store/access", "store/search", "store/sqlx"},
	"store/webhooks":   {"domain", "store/sqlx"},
	"store/redo":       {"domain", "scope", "store/sqlx"},
	"store/sqlx":       {"domain", "scope", "database", "database/postgres"},
	"store/ranked":     {"domain", "database", "store/sqlx"},
	"store/migrations": {},
	"app":              {"app/core", "app/changes", "app/content", "app/collections", "app/people", "app/accounts", "app/operating", "app/moderation", "app/reading", "app/searches", "app/transfer", "app/webhooks", "domain", "mail", "store"},
	"app/core":         {"domain", "store", "store/changes", "store/moderation", "auth", "mail", "markup", "weburl"},
	"app/content":      {"app/core", "browser", "capture", "domain", "budget", "store", "store/blobs", "jobs", "auth", "blob", "fetch", "media", "media/film", "media/filetype", "media/sound", "media/source", "media/strip", "page", "weburl", "words"},
	"app/collections":  {"app/content", "app/core", "auth", "colour", "domain", "fetch", "jobs", "markup", "page", "present", "store", "store/bulk", "store/contents", "store/derived", "store/redo", "store/vectors", "embeddings", "vectors", "weburl", "words"},
	"app/people":       {"app/core", "app/content", "domain", "store", "store/activity", "store/membership", "jobs", "auth", "mail"},
	"app/accounts":     {"app/collections", "app/core", "app/people", "auth", "domain", "fetch", "jobs", "mail", "oidc", "scope", "store", "store/account", "store/moderation"},
	"app/operating":    {"app/core", "app/content", "app/accounts", "domain", "store", "store/account", "store/derived", "store/blobs", "jobs", "auth", "mail"},
	"app/moderation":   {"app/core", "app/collections", "app/accounts", "app/operating", "domain", "mail", "store", "store/contents", "store/moderation", "jobs", "auth", "weburl"},
	"app/changes":      {"app/core", "domain", "store", "store/changes"},
	"app/reading":      {"app/core", "domain", "markup", "store"},
	"app/searches":     {"app/core", "app/collections", "domain", "jobs", "mail", "present", "store", "store/saved"},
	"app/webhooks":     {"app/changes", "app/core", "domain", "fetch", "jobs", "mail", "store", "store/changes", "store/webhooks"},
	"app/transfer":     {"app/core", "app/content", "app/collections", "app/reading", "domain", "store", "store/transfer", "jobs", "blob", "weburl"},
	"middleware":       {"domain", "budget", "describe", "obs", "scope"},
	"httpedge":         {"app/...", "domain", "budget", "reads", "scope", "auth", "middleware", "describe", "oas/failure", "obs"},
	"api":              {"fragments", "api/v2", "api/v3", "api/ext", "app/...", "exporting", "domain", "oas/wire", "present", "httpedge", "middleware", "describe", "description"},
	"api/v2":           {"app/...", "domain", "present", "httpedge", "describe", "oas/wire", "weburl"},
	"api/v3":           {"app/...", "domain", "scope", "fragments", "present", "httpedge", "describe", "oas/v3", "oas/wire"},
	"exporting":        {"app/...", "domain", "present", "warc", "weburl", "words"},
	"api/ext":          {"app/...", "domain", "exporting", "present", "site/catalog", "httpedge", "describe", "oas/ext", "oas/wire"},
	"feeds":            {"app/...", "budget", "domain", "exporting", "httpedge", "middleware", "present", "weburl"},
	"files":            {"app/...", "domain", "httpedge", "middleware"},
	"oauth":            {"app/...", "domain", "auth", "middleware"},
	"mcp":              {"app/...", "domain", "httpedge", "middleware", "present"},
	"doctor":           {"blob", "config", "database", "domain", "mail", "middleware", "store", "store/blobs"},
	"backup":           {"blob", "database", "domain", "durable", "jobs", "store", "store/blobs", "store/sqlx"},

	// Imports.
	"importing":        {"app", "app/content", "app/core", "app/people", "app/transfer", "domain", "fetch", "importing/arena", "importing/files", "importing/source", "markup"},
	"importing/source": {"domain", "markup", "weburl"},
	"importing/files":  {"capture", "domain", "fetch", "frontmatter", "importing/source", "markup", "page", "warc", "weburl"},
	"importing/arena":  {"domain", "fetch", "importing/source", "weburl"},

	// The website.
	"site":                  {"site/web", "site/pages/account", "site/pages/collect", "site/pages/look", "site/pages/moderation", "site/pages/operator", "site/pages/people", "site/pages/read", "site/pages/signon", "site/pages/transfer"},
	"site/catalog":          {"domain"},
	"site/web":              {"app/...", "doctor", "domain", "fragments", "scope", "exporting", "present", "auth", "httpedge", "markup", "middleware", "site/catalog", "weburl"},
	"site/pages/account":    {"app/...", "domain", "present", "auth", "site/web"},
	"site/pages/collect":    {"app/...", "difference", "domain", "markup", "opml", "present", "site/web"},
	"site/pages/look":       {"app/...", "colour", "difference", "domain", "present", "site/web"},
	"site/pages/moderation": {"app/...", "domain", "present", "site/web"},
	"site/pages/operator":   {"app/...", "doctor", "domain", "importing/files", "present", "site/web"},
	"site/pages/people":     {"app/...", "domain", "present", "site/web"},
	"site/pages/read":       {"app/...", "domain", "markup", "present", "site/web", "words"},
	"site/pages/signon":     {"app/...", "domain", "site/web"},
	"site/pages/transfer":   {"app/...", "domain", "present", "site/catalog", "site/web", "weburl"},

	// A client of the API, with the module in client/.
	"client":  {},
	"syncing": {"client", "database", "frontmatter"},

	// Assembly of the program.
	"sandbox":     {"app/...", "domain"},
	"server":      {"..."},
	"cli":         {"..."},
	"cmd/vitrine": {"cli"},

	// Tools and test rigs.
	"apptest":                   {"..."},
	"redis/redistest":           {},
	"bench/build":               {},
	"bench/changes":             {"bench/drive"},
	"bench/content":             {"bench/drive"},
	"bench/copies":              {"bench/dataset", "bench/drive", "capture/capturetest"},
	"bench/costs":               {"..."},
	"bench/dataset":             {"..."},
	"bench/drive":               {},
	"bench/files":               {},
	"bench/gen":                 {"..."},
	"bench/growth":              {"..."},
	"bench/hot":                 {"..."},
	"bench/importing":           {},
	"bench/load":                {"..."},
	"bench/nodes":               {"bench/dataset", "bench/drive"},
	"bench/peers":               {"..."},
	"bench/search":              {"..."},
	"bench/small":               {"bench/dataset", "bench/drive"},
	"deploy":                    {},
	"e2e":                       {"..."},
	"browser/browsertest":       {},
	"capture/capturetest":       {},
	"database/dbtest":           {"database"},
	"heavy":                     {},
	"database/lite":             {},
	"database/postgres":         {"database/lite"},
	"database/replica":          {"reads"},
	"embeddings/embeddingstest": {},
	"importing/sourcetest":      {"domain", "importing/source"},
	"settingsdoc":               {"config"},
	"licenses/collect":          {"licenses/works"},
	"media/mediatest":           {"media/source", "media/wasm"},
	"oas/generate":              {"describe"},
	"oas/clients":               {},
	"release":                   {"licenses/works", "domain"},
	"oidc/oidctest":             {},
	"store/storetest":           {"store", "domain", "database", "database/dbtest", "jobs"},

	"store/storetest/relevance": {},
}

// onlyCmd may be imported only by cmd, and rigs by nothing that is shipped, even if the table says
// "...".
var (
	onlyCmd      = "cli"
	testPackages = []string{"apptest", "archtest", "bench/build", "bench/changes", "bench/content", "bench/copies", "bench/dataset", "bench/drive", "bench/files", "bench/gen", "bench/growth", "bench/hot", "bench/importing", "bench/load", "bench/nodes", "bench/peers", "bench/search", "bench/small", "browser/browsertest", "capture/capturetest", "database/dbtest", "e2e", "embeddings/embeddingstest", "heavy", "importing/sourcetest", "media/mediatest", "oidc/oidctest", "store/storetest", "store/storetest/relevance"}
)

// sqlPackages may import database/sql and its drivers; other packages use them. Their tests may too.
var sqlPackages = []string{"database", "database/lite", "database/postgres", "database/replica", "jobs", "jobs/adapter", "bench/peers"}

// contextFiles may store values in a context or read them. Everything else passes arguments.
var contextFiles = []string{"internal/scope/scope.go", "internal/middleware/exchange.go", "internal/obs/trace.go", "internal/media/pdf/pdfium.go", "internal/server/refusals.go"}

// scopeFiles may put a scope into a context: the transports. Only scopeReader reads it, and passes its
// parts on as arguments.
var (
	scopeFiles  = []string{"internal/middleware/exchange.go", "internal/jobs/run.go", "internal/cli/console.go"}
	scopeReader = "internal/store/store.go"
)

// exitPackages may end the program.
var exitPackages = []string{"cmd/vitrine", "cli", "settingsdoc", "licenses/collect", "oas/generate", "oas/clients", "release", "bench/build", "bench/changes", "bench/content", "bench/copies", "bench/files", "bench/gen", "bench/growth", "bench/hot", "bench/importing", "bench/load", "bench/nodes", "bench/peers", "bench/search", "bench/small"}

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
