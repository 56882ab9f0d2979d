package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Loader fills a database that has a schema but no rows with the rows of another database. Indexes,
// foreign keys and, on PostgreSQL, unique constraints are created or checked after the rows are loaded.
type Loader struct {
	db       *DB
	tables   []Table
	recreate []string // statements that create indexes, constraints and triggers after the rows are loaded
	target   *sql.DB  // SQLite: a connection that does not enforce foreign keys
}

// NewLoader deletes the rows that the migrations inserted and drops indexes. No one else may use the
// database until Finish returns.
func (db *DB) NewLoader(ctx context.Context, skip func(table string) bool) (*Loader, error) {
	l := &Loader{db: db, target: db.handle}
	err := db.View(ctx, func(q Querier) (err error) {
		l.tables, err = db.Catalog(ctx, q, skip)
		return err
	})
	if err == nil && db.dialect == SQLite {
		l.target = db.openForMigration()
	}
	if err == nil {
		if err = l.empty(ctx); err != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return l, err
}

// MakeIndexesFaster allows a PostgreSQL transaction more memory for sorting.
const MakeIndexesFaster = "SET LOCAL maintenance_work_mem = '256MB'"

// Cache sets the size of SQLite's page cache in bytes. Each inserted row is looked up in the unique
// indexes, which should fit into it.
func (l *Loader) Cache(ctx context.Context, bytes int64) error {
	if l.db.dialect == Postgres {
		return nil
	}
	_, err := l.target.ExecContext(ctx, fmt.Sprintf("PRAGMA cache_size = -%d", bytes>>10))
	return Classify(ctx, err)
}

// Close releases the connection of the loader.
func (l *Loader) Close() error {
	if l.target == l.db.handle {
		return nil
	}
	return l.target.Close()
}

func (l *Loader) empty(ctx context.Context) error {
	indexes := "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
	if l.db.dialect == Postgres {
		indexes = `SELECT CAST(n.relname AS TEXT), CAST(t.relname AS TEXT), pg_get_indexdef(i.indexrelid) FROM pg_index i
			JOIN pg_class n ON n.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
			WHERE t.relnamespace = CAST(current_schema() AS REGNAMESPACE)
				AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)`
	}
	var statements []string
	err := each(ctx, querier{sqlHandle{l.target}}, indexes, 3, func(row []string) error {
		if slices.ContainsFunc(l.tables, func(t Table) bool { return t.Name == row[1] }) {
			statements = append(statements, "DROP INDEX "+quote(row[0]))
			l.recreate = append(l.recreate, row[2])
		}
		return nil
	})
	if err != nil {
		return err
	}
	if l.db.dialect == Postgres {
		dropped, err := l.constraints(ctx)
		if err != nil {
			return err
		}
		statements = append(dropped, statements...)
	}
	triggers, err := l.triggers(ctx)
	if err != nil {
		return err
	}
	statements = append(statements, triggers...)
	for _, t := range slices.Backward(l.tables) {
		statements = append(statements, "DELETE FROM "+quote(t.Name))
	}
	return l.run(ctx, statements)
}

// constraints returns the statements that drop unique constraints (except primary keys) and foreign
// keys, and records the statements that create them again. Checking them for each row takes several
// times as long as checking them at the end.
func (l *Loader) constraints(ctx context.Context) (drop []string, err error) {
	err = each(ctx, querier{sqlHandle{l.target}}, `SELECT CAST(c.conname AS TEXT), CAST(t.relname AS TEXT), pg_get_constraintdef(c.oid)
		FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
		WHERE c.contype IN ('u', 'f') AND c.connamespace = CAST(current_schema() AS REGNAMESPACE)
		ORDER BY c.contype DESC, c.conname`, 3, func(row []string) error {
		if slices.ContainsFunc(l.tables, func(t Table) bool { return t.Name == row[1] }) {
			drop = append(drop, "ALTER TABLE "+quote(row[1])+" DROP CONSTRAINT "+quote(row[0]))
			l.recreate = append(l.recreate, "ALTER TABLE "+quote(row[1])+" ADD CONSTRAINT "+quote(row[0])+" "+row[2])
		}
		return nil
	})
	return drop, err
}

// triggers returns the statements that drop the triggers which maintain byte_usage, and records those
// that create them again. A dump contains the counts, and counting row by row is slow. The triggers of
// search_closed stay, because dumps do not contain that table.
func (l *Loader) triggers(ctx context.Context) (drop []string, err error) {
	counting := "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '% byte_usage %' ORDER BY name"
	if l.db.dialect == Postgres {
		counting = `SELECT CAST(g.tgname AS TEXT), CAST(t.relname AS TEXT), pg_get_triggerdef(g.oid) FROM pg_trigger g
			JOIN pg_class t ON t.oid = g.tgrelid JOIN pg_proc p ON p.oid = g.tgfoid
			WHERE t.relnamespace = CAST(current_schema() AS REGNAMESPACE) AND p.proname = 'note_texts' ORDER BY g.tgname`
	}
	err = each(ctx, querier{sqlHandle{l.target}}, counting, 3, func(row []string) error {
		l.recreate = append(l.recreate, row[2])
		statement := "DROP TRIGGER " + quote(row[0])
		if l.db.dialect == Postgres {
			statement += " ON " + quote(row[1])
		}
		drop = append(drop, statement)
		return nil
	})
	return drop, err
}

// run executes statements in one transaction.
func (l *Loader) run(ctx context.Context, statements []string) error {
	return inTx(ctx, l.target, func(tx *sql.Tx) error {
		for _, s := range statements {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// Table returns the table with this name and these columns.
func (l *Loader) Table(name string, columns []Column) (Table, error) {
	for _, t := range l.tables {
		if t.Name == name && slices.Equal(t.Columns, columns) {
			return t, nil
		}
	}
	return Table{}, fmt.Errorf("database: this version of the schema has no table %.100q with these columns", name)
}

// Load inserts rows into a table.
func (l *Loader) Load(ctx context.Context, t Table, rows iter.Seq2[[]any, error]) error {
	load := l.insert
	if l.db.dialect == Postgres {
		load = l.copy
	}
	if err := load(ctx, t, rows); err != nil {
		return fmt.Errorf("database: load %s: %w", t.Name, Classify(ctx, err))
	}
	return nil
}

func (l *Loader) insert(ctx context.Context, t Table, rows iter.Seq2[[]any, error]) error {
	places := strings.TrimSuffix(strings.Repeat("?, ", len(t.Columns)), ", ")
	query := "INSERT INTO " + quote(t.Name) + " (" + quoted(t.columnNames()) + ") VALUES (" + places + ")"
	return inTx(ctx, l.target, func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		defer func() { _ = put.Close() }()
		for row, err := range rows {
			if err == nil {
				_, err = put.ExecContext(Uninterruptible(ctx), row...)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *Loader) copy(ctx context.Context, t Table, rows iter.Seq2[[]any, error]) error {
	next, stop := iter.Pull2(rows)
	defer stop()
	_, err := l.db.pool.CopyFrom(ctx, pgx.Identifier{t.Name}, t.columnNames(), pgx.CopyFromFunc(func() ([]any, error) {
		row, err, ok := next()
		if !ok {
			return nil, nil
		}
		return row, err
	}))
	return err
}

// Finish creates the indexes and constraints, continues the numbering of each table after last, checks
// foreign keys, and closes the loader.
func (l *Loader) Finish(ctx context.Context, last map[string]int64) error {
	err := l.finish(ctx, last)
	return errors.Join(err, l.Close())
}

func (l *Loader) finish(ctx context.Context, last map[string]int64) error {
	var faster []string
	if l.db.dialect == Postgres {
		faster = []string{MakeIndexesFaster}
	}
	for _, statement := range l.recreate {
		if err := l.run(ctx, append(faster, statement)); err != nil {
			return fmt.Errorf("database: create an index: %w", err)
		}
	}
	var statements []string
	for _, t := range l.tables {
		if n := last[t.Name]; t.numbered != "" && n > 0 {
			statements = append(statements, l.continueAfter(t, n)...)
		}
	}
	if err := l.run(ctx, statements); err != nil || l.db.dialect == Postgres {
		return err
	}
	return inTx(ctx, l.target, func(tx *sql.Tx) error { return checkForeignKeys(ctx, tx, "the loaded data") })
}

// continueAfter returns statements that make the next row number greater than n and all existing numbers.
func (l *Loader) continueAfter(t Table, n int64) []string {
	if l.db.dialect == SQLite {
		return []string{
			fmt.Sprintf("INSERT INTO sqlite_sequence (name, seq) SELECT '%[1]s', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '%[1]s')", t.Name),
			fmt.Sprintf("UPDATE sqlite_sequence SET seq = max(seq, %d) WHERE name = '%s'", n, t.Name)}
	}
	return []string{fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%s', '%s'), (SELECT greatest(%d, max(%s)) FROM %s))",
		t.Name, t.numbered, n, quote(t.numbered), quote(t.Name))}
}
