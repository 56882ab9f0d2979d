package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/store/storetest"
)

// tableRows contains the rows of a table.
type tableRows struct {
	name    string
	columns []string
	rows    [][]any
}

// tableNames lists our tables with facts or derived values, in the order of their creation. It
// omits the words of search: each engine stores them in its own way, and a job writes them from
// the documents. It also omits tables to which triggers add rows when others are copied.
func tableNames(t *testing.T, db *database.DB) (names []string) {
	t.Helper()
	query := `SELECT l.name FROM pragma_table_list l JOIN sqlite_schema s ON s.name = l.name
		WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite%' ORDER BY s.rowid`
	if db.Dialect() == database.Postgres {
		query = "SELECT CAST(relname AS TEXT) FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p' AND relnamespace = CAST('public' AS REGNAMESPACE) ORDER BY oid"
	}
	for _, row := range readRows(t, db, query).rows {
		if name := row[0].(string); name != "goose_db_version" && name != "schema_versions" && name != "search_words" && name != "search_spellings" && name != "search_removals" && name != "text_additions" && name != "block_vectors" && !strings.HasPrefix(name, "river_") {
			names = append(names, name)
		}
	}
	return names
}

// readRows returns all rows of a query.
func readRows(t *testing.T, db *database.DB, query string) (all tableRows) {
	t.Helper()
	rows, err := db.Reader().Query(t.Context(), query)
	if err != nil {
		t.Fatalf("%v in %s", err, query)
	}
	defer rows.Close()
	if all.columns, err = rows.Columns(); err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row, into := make([]any, len(all.columns)), make([]any, len(all.columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all.rows = append(all.rows, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// readTables returns the rows of every table.
func readTables(t *testing.T, db *database.DB) (all []tableRows) {
	t.Helper()
	for _, name := range tableNames(t, db) {
		table := readRows(t, db, "SELECT * FROM "+name)
		table.name = name
		all = append(all, table)
	}
	return all
}

// only returns the rows with some of the columns.
func (r tableRows) only(columns []string) tableRows {
	some := tableRows{name: r.name, columns: columns}
	for _, row := range r.rows {
		cut := make([]any, len(columns))
		for i, c := range columns {
			cut[i] = row[slices.Index(r.columns, c)]
		}
		some.rows = append(some.rows, cut)
	}
	return some
}

// lines returns each row as a line, sorted.
func (r tableRows) lines() (all []string) {
	for _, row := range r.rows {
		var b strings.Builder
		for i, c := range r.columns {
			fmt.Fprintf(&b, "%s=%v ", c, row[i])
		}
		all = append(all, b.String())
	}
	slices.Sort(all)
	return all
}

// write replaces the rows of a table.
func (r tableRows) write(t *testing.T, db *database.DB) error {
	return db.Transact(t.Context(), func(tx *database.Tx) error {
		if _, err := tx.Exec(t.Context(), "DELETE FROM "+r.name); err != nil {
			return err
		}
		places := make([]string, len(r.columns))
		for i := range places {
			places[i] = fmt.Sprint("$", i+1)
		}
		into := "INSERT INTO " + r.name + " (" + strings.Join(r.columns, ", ") + ") VALUES (" + strings.Join(places, ", ") + ")"
		for _, row := range r.rows {
			if _, err := tx.Exec(t.Context(), into, row...); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeTables writes rows into the tables that an older database has, with the columns that it
// has, and returns what it wrote. A table whose rows refer to those of a later table is retried
// after it. Rows that triggers have written into a later table are replaced.
func writeTables(t *testing.T, db *database.DB, all []tableRows) (written []tableRows) {
	t.Helper()
	there := tableNames(t, db)
	for _, table := range all {
		if slices.Contains(there, table.name) {
			has := readRows(t, db, "SELECT * FROM "+table.name+" LIMIT 0").columns
			written = append(written, table.only(slices.DeleteFunc(slices.Clone(table.columns), func(c string) bool {
				return !slices.Contains(has, c)
			})))
		}
	}
	for waiting := written; len(waiting) > 0; {
		var refused []tableRows
		var last error
		for _, table := range waiting {
			if err := table.write(t, db); err != nil {
				refused, last = append(refused, table), fmt.Errorf("%s: %w", table.name, err)
			}
		}
		if len(refused) == len(waiting) {
			t.Fatalf("%d tables cannot be copied: %v", len(refused), last)
		}
		waiting = refused
	}
	for _, table := range written {
		if table.name == "byte_usage" { // triggers have counted the texts a second time
			if err := table.write(t, db); err != nil {
				t.Fatal(err)
			}
			sumTexts(t, db)
			if err := table.write(t, db); err != nil {
				t.Fatal(err)
			}
		}
	}
	countOn(t, db)
	return written
}

// sumTexts moves all changes of texts to the users' counts.
func sumTexts(t *testing.T, db *database.DB) {
	t.Helper()
	storetest.Exec(t, db, "UPDATE byte_usage SET unused = unused")
}

// countOn makes PostgreSQL's sequences continue after the existing ids.
func countOn(t *testing.T, db *database.DB) {
	t.Helper()
	if db.Dialect() != database.Postgres {
		return
	}
	counters := readRows(t, db, `SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns
		WHERE table_schema = 'public' AND is_identity = 'YES'`)
	for _, row := range counters.rows {
		storetest.Exec(t, db, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%[1]s', '%[2]s'), max(%[2]s)) FROM %[1]s", row...))
	}
}
