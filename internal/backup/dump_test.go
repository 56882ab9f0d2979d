package backup_test

import (
	"errors"
	"slices"
	"testing"

	"vitrine/internal/backup"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// kept holds a dump in memory.
type kept struct {
	schema int64
	last   map[string]int64
	tables []database.Table
	rows   map[string][][]any
}

func (k *kept) Begin(schema int64, last map[string]int64) error {
	*k = kept{schema: schema, last: last, rows: map[string][][]any{}}
	return nil
}

func (k *kept) Row(t database.Table, row []any) error {
	if k.rows[t.Name] == nil {
		k.tables = append(k.tables, t)
	}
	k.rows[t.Name] = append(k.rows[t.Name], slices.Clone(row))
	return nil
}

// A dump of an older program version is loaded with its schema version and then migrated.
func TestOlderDump(t *testing.T) {
	t.Parallel()
	const older = 17
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		k := kept{schema: older, last: map[string]int64{"legal_pages": 7}, rows: map[string][][]any{
			"settings": {{"signup", "open"}}}}
		k.tables = []database.Table{{Name: "settings", Columns: []database.Column{{Name: "name", Type: database.Text}, {Name: "value", Type: database.Text}}}}
		_, into := storetest.OpenDB(t, o)
		s := k.load(t, into)
		setting := ""
		err := into.Reader().QueryRow(t.Context(), "SELECT value FROM settings WHERE name = 'signup'").Scan(&setting)
		if err != nil || setting != "open" {
			t.Errorf("%q, error %v", setting, err)
		}
		if err := into.CheckSchema(t.Context(), store.Migrations(into.Dialect())); err != nil {
			t.Error(err)
		}
		storetest.Check(t, s)
		var dumped kept
		if err := backup.DumpDatabase(t.Context(), into, &dumped); err != nil || dumped.last["legal_pages"] != 7 || dumped.schema <= older {
			t.Errorf("dumped again: %+v, error %v", dumped, err)
		}
		storetest.Exec(t, into, "INSERT INTO legal_pages (slug, title, body_markdown, body_html, body_plain, created_at, updated_at) VALUES ('a', 'A', '', '', '', 5, 5)")
		id := 0
		if err := into.Reader().QueryRow(t.Context(), "SELECT id FROM legal_pages").Scan(&id); err != nil || id != 8 {
			t.Errorf("the next number is %d, want 8; error %v", id, err)
		}
	})
}

func (k *kept) load(t *testing.T, db *database.DB) *store.Store {
	t.Helper()
	l, err := backup.NewLoading(t.Context(), db, k.schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range k.tables {
		err := l.Load(t.Context(), table.Name, table.Columns, func(yield func([]any, error) bool) {
			for _, row := range k.rows[table.Name] {
				if !yield(row, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Loaded(t.Context(), k.last); err != nil {
		t.Fatal(err)
	}
	s, err := l.Finish(t.Context(), func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Rows with dangling references are found, at the latest when everything is loaded.
func TestLoadHoldsForeignKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		_, db := storetest.OpenDB(t, o)
		l, err := backup.NewLoading(t.Context(), db, 20)
		if err != nil {
			t.Fatal(err)
		}
		columns := []database.Column{{Name: "user_id", Type: database.Int}, {Name: "version", Type: database.Int}}
		err = l.Load(t.Context(), "feed_versions", columns, func(yield func([]any, error) bool) { yield([]any{int64(7), int64(1)}, nil) })
		if err == nil {
			err = l.Loaded(t.Context(), nil)
		} else {
			err = errors.Join(err, l.Close())
		}
		if err == nil {
			t.Error("a row of nobody was loaded")
		}
	})
}
