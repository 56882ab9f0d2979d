package database_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// leftBoth matches the list of two old programs, with the address where the server was reached by TCP.
var leftBoth = regexp.MustCompile(`^vitrine( at \S+)? \(connections: \d+\); vitrine/1 old( at \S+)? \(connections: \d+\)$`)

// Only running programs that a migration would no longer support are listed.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		at := func(program string) *database.DB {
			t.Helper()
			o := o
			o.Program = program
			db, err := database.Open(t.Context(), o)
			check(t, err)
			return db
		}
		expand := fstest.MapFS{
			"00001_a.sql": {Data: []byte("-- +goose Up\n-- serves: 1\nCREATE TABLE a (n BIGINT);\n")},
			"00002_b.sql": {Data: []byte("-- +goose Up\nCREATE TABLE b (n BIGINT);\n")},
		}
		contract := fstest.MapFS{"00003_c.sql": {Data: []byte("-- +goose Up\n-- serves: 2\nDROP TABLE a;\n")}}
		for name, file := range expand {
			contract[name] = file
		}
		mine := at("vitrine/3 new")
		defer func() { check(t, mine.Close()) }()
		left := func(migrations fstest.MapFS) string {
			t.Helper()
			names, _, err := mine.LeftBehind(t.Context(), migrations)
			check(t, err)
			return strings.Join(names, "; ")
		}
		if got := left(contract); got != "" {
			t.Errorf("on an empty database, %s", got)
		}
		_, err := mine.Migrate(t.Context(), fstest.MapFS{"00001_a.sql": expand["00001_a.sql"]})
		check(t, err)
		older := []*database.DB{at("vitrine/1 old"), at("vitrine")}
		others := []*database.DB{at("vitrine/2 next"), at("vitrine pooled")}
		if got := left(expand); got != "" {
			t.Errorf("nothing is taken away, and left behind are %s", got)
		}
		got := left(contract)
		if mine.Dialect() == database.SQLite {
			if got != "" {
				t.Errorf("left behind are %s", got)
			}
		} else if !leftBoth.MatchString(got) {
			t.Errorf("left behind are %q", got)
		}
		for _, db := range older {
			check(t, db.Close())
		}
		for left(contract) != "" { // PostgreSQL notices closed connections with a delay
		}
		for _, db := range others {
			check(t, db.Close())
		}
		_, err = mine.Migrate(t.Context(), contract)
		check(t, err)
		if got := left(contract); got != "" {
			t.Errorf("afterwards, %s", got)
		}
	})
}
