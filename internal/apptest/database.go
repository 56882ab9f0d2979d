package apptest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/database"
)

// DB returns another connection to the server's database, like that of the command line.
func (r *Rig) DB() *database.DB {
	r.T.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.db != nil {
		return r.db
	}
	db, err := database.Open(r.T.Context(), r.options)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() { _ = db.Close() })
	r.db = db
	return db
}

// Exec changes the database directly, for changes that no use case supports, such as renaming a
// user.
func (r *Rig) Exec(query string, args ...any) {
	r.T.Helper()
	err := r.DB().Transact(r.T.Context(), func(tx *database.Tx) error {
		_, err := tx.Exec(r.T.Context(), query, args...)
		return err
	})
	if err != nil {
		r.T.Fatal(err)
	}
}

// Dump contains every row of every table as text.
type Dump map[string][]string

// Dump reads the whole database.
func (r *Rig) Dump() Dump {
	r.T.Helper()
	ctx, d := r.T.Context(), Dump{}
	err := r.DB().View(ctx, func(q database.Querier) error {
		tables, err := texts(ctx, q, tableNames(r.DB().Dialect()))
		if err != nil {
			return err
		}
		for _, table := range tables {
			if d[table], err = texts(ctx, q, "SELECT * FROM "+table); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
			slices.Sort(d[table])
		}
		return nil
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return d
}

func tableNames(d database.Dialect) string {
	if d == database.Postgres {
		return "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	}
	return "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
}

// texts reads rows, each as one line.
func texts(ctx context.Context, q database.Querier, query string) ([]string, error) {
	rows, err := q.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	all := []string{}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		parts := make([]string, len(values))
		for i, v := range values {
			parts[i] = fmt.Sprint(v)
		}
		all = append(all, strings.Join(parts, " | "))
	}
	return all, rows.Err()
}

// Diff lists the rows that only one of two dumps contains; none if they are equal.
func (d Dump) Diff(later Dump) []string {
	var lines []string
	names := maps.Clone(d)
	maps.Copy(names, later)
	for _, table := range slices.Sorted(maps.Keys(names)) {
		for _, row := range minus(d[table], later[table]) {
			lines = append(lines, "- "+table+": "+row)
		}
		for _, row := range minus(later[table], d[table]) {
			lines = append(lines, "+ "+table+": "+row)
		}
	}
	return lines
}

// minus returns the rows of a that b contains less often.
func minus(a, b []string) (left []string) {
	n := map[string]int{}
	for _, row := range b {
		n[row]++
	}
	for _, row := range a {
		if n[row]--; n[row] < 0 {
			left = append(left, row)
		}
	}
	return left
}

// Options returns the options of the server's database.
func (r *Rig) Options() database.Options { return r.options }
