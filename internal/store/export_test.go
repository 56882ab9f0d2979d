package store

import (
	"context"
	"database/sql"
	"slices"

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
