package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
)

// Table describes a table in a form that is the same for both databases.
type Table struct {
	Name    string
	Columns []Column // sorted by name
	Key     []string // columns of the primary key
	Last    int64    // the highest row number ever assigned, or 0

	numbered string // the auto-increment column, if there is one
	parents  []string
}

// Catalog lists the tables of the database, each after the tables that it references. It omits
// the migration tables and those for which skip returns true. The result is the same for both databases.
func (db *DB) Catalog(ctx context.Context, q Querier, skip func(table string) bool) ([]Table, error) {
	columns, parents := SQLiteColumns, SQLiteParents
	if db.dialect == Postgres {
		columns, parents = PostgresColumns, PostgresParents
	}
	byName := map[string]*Table{}
	err := each(ctx, q, columns, 5, func(row []string) error {
		name, column, kind, key := row[0], row[1], row[2], row[3]
		if name == versionTable || name == goose.DefaultTablename || skip(name) {
			return nil
		}
		if byName[name] == nil {
			byName[name] = &Table{Name: name}
		}
		t := byName[name]
		typ, known := columnTypeOf(kind)
		if !known {
			return fmt.Errorf("database: column %s.%s has type %s, which the other database does not support", name, column, kind)
		}
		t.Columns = append(t.Columns, Column{Name: column, Type: typ})
		if key != "0" {
			t.Key = append(t.Key, column)
		}
		if row[4] == "1" {
			t.numbered = column
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = each(ctx, q, parents, 2, func(row []string) error {
		if t := byName[row[0]]; t != nil && row[1] != row[0] {
			t.parents = append(t.parents, row[1])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	tables, err := ordered(byName)
	for i := range tables {
		if err == nil {
			err = db.readLast(ctx, q, &tables[i])
		}
	}
	return tables, err
}

// each calls visit with each row of a query, scanned into strings.
func each(ctx context.Context, q Querier, query string, columns int, visit func(row []string) error) error {
	rows, err := q.Query(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	row, into := make([]string, columns), make([]any, columns)
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return Classify(ctx, err)
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return Classify(ctx, rows.Err())
}

// ordered sorts tables by name, but each one after the tables that it references.
func ordered(byName map[string]*Table) (tables []Table, err error) {
	for len(byName) > 0 {
		var next []string
		for name, t := range byName {
			if !slices.ContainsFunc(t.parents, func(p string) bool { return byName[p] != nil }) {
				next = append(next, name)
			}
		}
		if next == nil {
			return nil, errors.New("database: tables reference each other in a cycle")
		}
		slices.Sort(next)
		for _, name := range next {
			tables = append(tables, *byName[name])
			delete(byName, name)
		}
	}
	return tables, nil
}

// readLast reads the highest row number that was assigned. PostgreSQL sequences are not part of a
// snapshot, so the number can be ahead of the rows. That only leaves a gap.
func (db *DB) readLast(ctx context.Context, q Querier, t *Table) error {
	if t.numbered == "" {
		return nil
	}
	if db.dialect == SQLite {
		err := q.QueryRow(ctx, "SELECT seq FROM sqlite_sequence WHERE name = $1", t.Name).Scan(&t.Last)
		if errors.Is(err, ErrNoRows) {
			err = nil
		}
		return err
	}
	var sequence string
	if err := q.QueryRow(ctx, "SELECT pg_get_serial_sequence(quote_ident($1), $2)", t.Name, t.numbered).Scan(&sequence); err != nil {
		return err
	}
	return q.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM "+sequence).Scan(&t.Last)
}

// quoted returns a comma-separated list of quoted column names.
func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = quote(name)
	}
	return strings.Join(all, ", ")
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (t Table) columnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// ReadTable calls visit with each row of a table, ordered by primary key. Values are nil or have the
// Go type of their column (int64, bool, string or []byte). They are valid until visit returns.
func ReadTable(ctx context.Context, q Querier, t Table, visit func(row []any) error) error {
	query := "SELECT " + quoted(t.columnNames()) + " FROM " + quote(t.Name)
	if len(t.Key) > 0 {
		query += " ORDER BY " + quoted(t.Key)
	}
	rows, err := q.Query(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	row, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return Classify(ctx, err)
		}
		for i, c := range t.Columns {
			if row[i], err = c.Type.Value(row[i]); err != nil {
				return fmt.Errorf("database: %s of %s: %w", c.Name, t.Name, err)
			}
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return Classify(ctx, rows.Err())
}
