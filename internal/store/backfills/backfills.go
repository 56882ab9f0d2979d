// Package backfills reports how much jobs have yet to fill in for rows from before an upgrade.
package backfills

import (
	"context"
	"strings"

	"vitrine/internal/store/sqlx"
)

// Backfill describes the work of a job, row by row in the order of a key.
type Backfill struct {
	Kind  string // of the job
	Index string // partial index of the remaining rows by key, so that counting is free if no rows remain; "" for the primary key

	table, left, key string
}

// All are the backfills. One stays here as long as an upgrade may leave rows to it.
var All = []Backfill{
	{Kind: "index_words", Index: "search_documents_pending", table: "search_documents", left: "digest IS NULL", key: "seq"},
	{Kind: "examine_files", Index: "blobs_unexamined", table: "blobs", left: "clean_size IS NULL AND stored_at IS NOT NULL", key: "id"},
	{Kind: "refresh_documents", table: "search_documents", left: "seq > (SELECT done FROM backfill_progress WHERE kind = 'refresh_documents')", key: "seq"},
	{Kind: "find_animations", Index: "files_unexamined", table: "files", left: "animated IS NULL AND content_type IN ('image/gif', 'image/png', 'image/webp', 'image/avif')", key: "id"},
	{Kind: "count_texts", Index: "byte_usage_uncounted", table: "byte_usage", left: "texts_counted = FALSE", key: "user_id"},
}

// Left is the remaining work of a backfill.
type Left struct {
	Kind   string
	Rows   int64
	AtMost bool // Rows is an upper bound that falls as the job continues
}

// counted is the maximum number of rows that are counted.
const counted = 10_000

// Queries returns the statements for the remaining work: the number of rows, up to one more than counted, and the
// distance between the first and the last key.
func (b Backfill) Queries() (count, span string) {
	rows := " FROM " + b.table + " WHERE " + b.left
	return "SELECT count(*) FROM (SELECT " + b.key + rows + " ORDER BY " + b.key + " LIMIT 10001) AS few",
		"SELECT COALESCE((SELECT max(" + b.key + ")" + rows + ") - (SELECT min(" + b.key + ")" + rows + ") + 1, 0)"
}

// Reads contains the reading statements.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Backfills returns the remaining work of each backfill: a count up to 10,000 rows, and an upper bound above that. It is
// cheap enough for every scrape of the metrics: one statement, and another for each backfill above the count.
func (r Reads) Backfills(ctx context.Context) ([]Left, error) {
	all := make([]Left, len(All))
	var counts []string
	var rows []any
	for i, b := range All {
		count, _ := b.Queries()
		counts, rows = append(counts, "("+count+")"), append(rows, &all[i].Rows)
		all[i].Kind = b.Kind
	}
	if err := r.db.QueryRow(ctx, "SELECT "+strings.Join(counts, ", ")).Scan(rows...); err != nil {
		return nil, err
	}
	for i, b := range All {
		if all[i].Rows <= counted {
			continue
		}
		_, span := b.Queries()
		n, err := sqlx.ScanInt64(r.db.QueryRow(ctx, span))
		if err != nil {
			return nil, err
		}
		all[i].Rows, all[i].AtMost = n, true
	}
	return all, nil
}
