// Package backfills is how much jobs have yet to fill in for rows from before an upgrade.
package backfills

import (
	"context"
	"strings"

	"vitrine/internal/store/sqlx"
)

// Backfill is what a job fills in, row by row in the order of a key.
type Backfill struct {
	Kind  string // of the job
	Index string // partial, of the remaining rows by their key, so that counting them costs nothing if there are none; "" for the primary key

	table, left, key string
}

// All are the backfills. One stays here for as long as an upgrade may leave rows to it.
var All = []Backfill{
	{Kind: "index_words", Index: "search_documents_pending", table: "search_documents", left: "digest IS NULL", key: "seq"},
	{Kind: "examine_files", Index: "blobs_unexamined", table: "blobs", left: "clean_size IS NULL AND stored_at IS NOT NULL", key: "id"},
	{Kind: "refresh_documents", table: "search_documents", left: "seq > (SELECT done FROM backfill_progress WHERE kind = 'refresh_documents')", key: "seq"},
	{Kind: "find_animations", Index: "files_unexamined", table: "files", left: "animated IS NULL AND content_type IN ('image/gif', 'image/png', 'image/webp', 'image/avif')", key: "id"},
	{Kind: "count_texts", Index: "byte_usage_uncounted", table: "byte_usage", left: "texts_counted = FALSE", key: "user_id"},
}

// Left is how much a backfill has yet to do.
type Left struct {
	Kind   string
	Rows   int64
	AtMost bool // Rows is a bound, not a count: it falls as the job goes on
}

// counted is up to how many rows are counted.
const counted = 10_000

// Queries are the statements that look at what is left: how many rows, up to one more than are
// counted, and how far the keys of the first and the last are apart.
func (b Backfill) Queries() (count, span string) {
	rows := " FROM " + b.table + " WHERE " + b.left
	return "SELECT count(*) FROM (SELECT " + b.key + rows + " ORDER BY " + b.key + " LIMIT 10001) AS few",
		"SELECT COALESCE((SELECT max(" + b.key + ")" + rows + ") - (SELECT min(" + b.key + ")" + rows + ") + 1, 0)"
}

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Backfills returns how much each has yet to do: a count up to 10,000 rows, and a bound above that. It is
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
