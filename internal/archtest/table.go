// Package archtest holds the rules of how the packages of this module may use
// each other, as a test. It reads sources only and runs nothing.
package archtest

// rooms says which packages of ours each package may import, by path below
// internal/ (or below the module for cmd and bench). A package that is not here
// fails the test: add it to the table, with thought.
//
// "oas/..." stands for oas and all below it; "..." for every package. Test files
// are free, so that they can use test rigs and generated clients.
var rooms = map[string][]string{
	// Leaves.
	"description": {}, // the folder api at the root
	"domain":      {},
	"words":       {},
	"describe":    {},
	"archtest":    {},
	"auth":        {"domain"},
	"blob":        {"domain"},
	"budget":      {"domain"},
	"slots":       {"domain"},
	"certs":       {"domain"},
	"config":      {"domain"},
	"database":    {"domain"},
	"fetch":       {"domain"},
	"mail":        {"domain"},
	"markup":      {"domain"},
	"media":       {"domain"},
	"obs":         {"domain"},
	"page":        {"domain"},
	"oas":         {},
	"oas/wire":    {},
	"oas/v3":      {"oas/wire"},
	"oas/ext":     {"oas/wire"},
	"jobs":        {"database", "obs"},

	// Facts, rules, words.
	"store":            {"domain", "budget", "words", "database", "jobs", "store/migrations"},
	"store/migrations": {},
	"app":              {"domain", "slots", "words", "store", "jobs", "auth", "blob", "mail", "fetch", "media", "markup", "page"},
	"middleware":       {"domain", "budget", "auth", "obs"},
	"api":              {"app", "domain", "slots", "auth", "middleware", "describe", "description", "oas/..."},
	"files":            {"app", "domain", "middleware"},
	"oauth":            {"app", "domain", "auth", "middleware"},
	"site":             {"app", "domain", "auth", "middleware"},
	"worker":           {"app", "domain", "auth", "middleware", "jobs"},

	// What puts it together.
	"server":      {"..."},
	"cli":         {"..."},
	"cmd/vitrine": {"cli"},

	// Tools and test rigs.
	"apptest":         {"..."},
	"bench/content":   {},
	"bench/dataset":   {"..."},
	"bench/gen":       {"..."},
	"bench/load":      {"..."},
	"bench/search":    {"..."},
	"e2e":             {"..."},
	"database/dbtest": {"database"},
	"oas/generate":    {},
	"store/storetest": {"store", "domain", "database", "database/dbtest", "jobs"},
}

// onlyCmd is imported by cmd alone, and rigs by nothing that is shipped, even
// where the table says "...".
var (
	onlyCmd = "cli"
	rigs    = []string{"apptest", "archtest", "bench/content", "bench/dataset", "bench/gen", "bench/load", "bench/search", "database/dbtest", "e2e", "store/storetest"}
)

// sqlRooms may import database/sql and what belongs to it; others speak of data
// through them. Tests of these rooms may, too.
var sqlRooms = []string{"database", "database/dbtest", "store", "store/storetest", "jobs"}

// exitRooms may end the program.
var exitRooms = []string{"cmd/vitrine", "cli", "oas/generate", "bench/content", "bench/gen", "bench/load", "bench/search"}

// vague are names under which anything could be filed.
var vague = []string{"util", "utils", "common", "models", "types", "helper", "helpers", "misc"}

// dialectWords are those that only one of the two databases understands. Within
// the store they are written in dialectFile only.
var dialectWords = []string{"json_each", "any(", "for update", "for no key update", "for share", "tsvector", "fts5", "jsonb"}

const (
	storeRoom   = "store"
	dialectFile = "internal/store/dialect.go"
)
