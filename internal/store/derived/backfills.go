package derived

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

// Backfills are the backfills. One stays here as long as an upgrade may leave rows to it.
var Backfills = []Backfill{
	{Kind: "index_words", Index: "search_documents_pending", table: "search_documents", left: "digest IS NULL", key: "seq"},
	{Kind: "examine_files", Index: "blobs_unexamined", table: "blobs", left: "clean_size IS NULL AND stored_at IS NOT NULL", key: "id"},
	{Kind: "refresh_documents", table: "search_documents", left: "seq > (SELECT done FROM backfill_progress WHERE kind = 'refresh_documents')", key: "seq"},
	{Kind: "find_animations", Index: "files_unexamined", table: "files", left: "animated IS NULL AND content_type IN ('image/gif', 'image/png', 'image/webp', 'image/avif')", key: "id"},
	{Kind: "find_looks", Index: "files_unseen", table: "files", left: "palette IS NULL AND blurhash IS NOT NULL", key: "id"},
	{Kind: "count_texts", Index: "byte_usage_uncounted", table: "byte_usage", left: "texts_counted = FALSE", key: "user_id"},
}

// BackfillLeft is the remaining work of a backfill.
type BackfillLeft struct {
	Kind   string
	Rows   int64
	AtMost bool // Rows is an upper bound that falls as the job continues
}

// backfillCounted is the maximum number of rows that are counted.
const backfillCounted = 10_000

// Queries returns the statements for the remaining work: the number of rows, up to one more than counted, and the
// distance between the first and the last key.
func (b Backfill) Queries() (count, span string) {
	rows := " FROM " + b.table + " WHERE " + b.left
	return "SELECT count(*) FROM (SELECT " + b.key + rows + " ORDER BY " + b.key + " LIMIT 10001) AS few",
		"SELECT COALESCE((SELECT max(" + b.key + ")" + rows + ") - (SELECT min(" + b.key + ")" + rows + ") + 1, 0)"
}

// BackfillReads contains the reading statements.
type BackfillReads struct{ db sqlx.Conn }

// NewBackfillReads returns the statements on a connection.
func NewBackfillReads(db sqlx.Conn) BackfillReads { return BackfillReads{db} }

// Backfills returns the remaining work of each backfill: a count up to 10,000 rows, and an upper bound above that. It is
// cheap enough for every scrape of the metrics: one statement, and another for each backfill above the count.
func (r BackfillReads) Backfills(ctx context.Context) ([]BackfillLeft, error) {
	all := make([]BackfillLeft, len(Backfills))
	var counts []string
	var rows []any
	for i, b := range Backfills {
		count, _ := b.Queries()
		counts, rows = append(counts, "("+count+")"), append(rows, &all[i].Rows)
		all[i].Kind = b.Kind
	}
	if err := r.db.QueryRow(ctx, "SELECT "+strings.Join(counts, ", ")).Scan(rows...); err != nil {
		return nil, err
	}
	for i, b := range Backfills {
		if all[i].Rows <= backfillCounted {
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
