package store

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// Trace passes every statement of a Snapshot or a Tx to note before it runs.
func Trace(on interface {
	use(on database.Querier)
	querier() database.Querier
}, note func(query string, args []any)) {
	on.use(tracer{on.querier(), note})
}

func (q *Queries) querier() database.Querier { return q.db.Querier }

type tracer struct {
	database.Querier
	note func(query string, args []any)
}

func (t tracer) Query(ctx context.Context, query string, args ...any) (database.Rows, error) {
	t.note(query, args)
	return t.Querier.Query(ctx, query, args...)
}

func (t tracer) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	t.note(query, args)
	return t.Querier.QueryRow(ctx, query, args...)
}

func (t tracer) Exec(ctx context.Context, query string, args ...any) (database.Result, error) {
	t.note(query, args)
	return t.Querier.Exec(ctx, query, args...)
}

// CountWrites counts the statements that a transaction sends, and the rows changed by statements
// that return none.
func CountWrites(tx *Tx, statements *int, rows *int64) {
	tx.use(countingWrites{tx.db.Querier, statements, rows})
}

type countingWrites struct {
	database.Querier
	statements *int
	rows       *int64
}

func (c countingWrites) Query(ctx context.Context, query string, args ...any) (database.Rows, error) {
	*c.statements++
	return c.Querier.Query(ctx, query, args...)
}

func (c countingWrites) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	*c.statements++
	return c.Querier.QueryRow(ctx, query, args...)
}

func (c countingWrites) Exec(ctx context.Context, query string, args ...any) (database.Result, error) {
	*c.statements++
	res, err := c.Querier.Exec(ctx, query, args...)
	if err == nil {
		n, _ := res.RowsAffected() // both databases support it
		*c.rows += n
	}
	return res, err
}

// Changes returns the number of rows that the transaction has written, including the tables of the
// queue.
func Changes(ctx context.Context, tx *Tx) (int64, error) {
	query := "SELECT total_changes()"
	if tx.db.LocksRows() {
		query = "SELECT CAST(COALESCE(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) AS BIGINT) FROM pg_stat_xact_user_tables"
	}
	return sqlx.ScanInt64(tx.db.QueryRow(ctx, query))
}

// ContentCheckNames returns the names of the checks of files and the content of blocks.
func ContentCheckNames() (names []string) {
	for _, c := range derived.ContentChecks() {
		names = append(names, c.What)
	}
	return names
}

// CheckNames returns the names of most checks.
func CheckNames() (names []string) {
	for _, c := range slices.Concat(derived.Checks, transitionChecks, counters.ConnectionChecks, ranked.Checks(ranked.ByPosition), ranked.Checks(ranked.ByTime)) {
		names = append(names, c.What)
	}
	return names
}

// OwnerCheckNames returns the names of the checks of the tables for lists of contents.
func OwnerCheckNames() (names []string) {
	for _, c := range append(counters.ContentChecks[:len(counters.ContentChecks):len(counters.ContentChecks)], search.GroupItemChecks...) {
		names = append(names, c.What)
	}
	return names
}

// CheckQueries returns the queries of all checks by name.
func CheckQueries() map[string]string {
	queries := map[string]string{}
	for _, c := range allChecks() {
		queries[c.What] = c.Query
	}
	return queries
}

// Repairable reports whether there is a repair for a check.
func Repairable(what string) bool { return derived.RepairOf(sqlx.Check{What: what}) != nil }

// RepairsWithoutCheck returns the prefixes of repairs that match no check.
func RepairsWithoutCheck() (prefixes []string) {
	for _, r := range derived.Repairs {
		if !slices.ContainsFunc(allChecks(), func(c sqlx.Check) bool { return strings.HasPrefix(c.What, r.Prefix) }) {
			prefixes = append(prefixes, r.Prefix)
		}
	}
	return prefixes
}

// SnapshotOf returns a snapshot that reads what a transaction sees.
func SnapshotOf(tx *Tx) *Snapshot {
	return &Snapshot{Queries: tx.Queries}
}
