package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"vitrine/internal/database"
)

// Trace passes every statement of q to note before it runs.
func Trace(q *Queries, note func(query string, args []any)) { q.q = tracer{q.q, note} }

type tracer struct {
	database.Querier
	note func(query string, args []any)
}

func (t tracer) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	t.note(query, args)
	return t.Querier.Query(ctx, query, args...)
}

func (t tracer) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	t.note(query, args)
	return t.Querier.QueryRow(ctx, query, args...)
}

func (t tracer) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	t.note(query, args)
	return t.Querier.Exec(ctx, query, args...)
}

// CountWrites counts the statements that a transaction sends, and the rows that those
// change that give none back.
func CountWrites(tx *Tx, statements *int, rows *int64) {
	tx.q = countingWrites{tx.q, statements, rows}
}

type countingWrites struct {
	database.Querier
	statements *int
	rows       *int64
}

func (c countingWrites) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	*c.statements++
	return c.Querier.Query(ctx, query, args...)
}

func (c countingWrites) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	*c.statements++
	return c.Querier.QueryRow(ctx, query, args...)
}

func (c countingWrites) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	*c.statements++
	res, err := c.Querier.Exec(ctx, query, args...)
	if err == nil {
		n, _ := res.RowsAffected() // both databases know it
		*c.rows += n
	}
	return res, err
}

// Changes is how many rows the transaction has written, the tables of the queue included.
func Changes(ctx context.Context, tx *Tx) (int64, error) {
	query := "SELECT total_changes()"
	if tx.d.locks() {
		query = "SELECT CAST(COALESCE(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) AS BIGINT) FROM pg_stat_xact_user_tables"
	}
	return scanInt64(tx.q.QueryRow(ctx, query))
}

// ContentCheckNames are what Check can find wrong with files and the content of blocks.
func ContentCheckNames() (names []string) {
	for _, c := range contentChecks() {
		names = append(names, c.what)
	}
	return names
}

// CheckNames are what Check can find wrong.
func CheckNames() (names []string) {
	for _, c := range slices.Concat(checks, transitionChecks, connectionCountChecks, orderChecks(positionOrder), orderChecks(createdOrder)) {
		names = append(names, c.what)
	}
	return names
}

// OwnerCheckNames are what Check can find wrong with what is kept for lists of contents.
func OwnerCheckNames() (names []string) {
	for _, c := range append(countChecks[:len(countChecks):len(countChecks)], groupItemChecks...) {
		names = append(names, c.what)
	}
	return names
}

// CheckQueries are the statements of all checks by what they find.
func CheckQueries() map[string]string {
	queries := map[string]string{}
	for _, c := range allChecks() {
		queries[c.what] = c.query
	}
	return queries
}

// Repairable reports whether what a check finds can be put right.
func Repairable(what string) bool { return repairOf(check{what: what}) != nil }

// RepairsWithoutCheck are the repairs that no check has.
func RepairsWithoutCheck() (prefixes []string) {
	for _, r := range repairs {
		if !slices.ContainsFunc(allChecks(), func(c check) bool { return strings.HasPrefix(c.what, r.prefix) }) {
			prefixes = append(prefixes, r.prefix)
		}
	}
	return prefixes
}
