package search

import (
	"context"
	"math"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// oldNodesFor is how long nodes of the previous version are expected to run during an upgrade. jobs has the
// same limit for jobs of newer versions.
const oldNodesFor = 24 * time.Hour

// RefreshDocuments compares the next n documents with their items, and rewrites those that an
// earlier version wrote differently. It returns the number of compared documents, which is less
// than n at the end. A day after the first pass, all documents are compared again, because old
// nodes may have written some in between.
func (w DocumentWrites) RefreshDocuments(ctx context.Context, n int, now time.Time) (int, error) {
	db := w.ix.db
	var above, repeat int64
	err := db.QueryRow(ctx, `SELECT done, repeat_at FROM backfill_progress WHERE kind = 'refresh_documents'`+db.ForUpdate("backfill_progress")).Scan(&above, &repeat)
	if err != nil || above == math.MaxInt64 && sqlx.Micros(now) < repeat {
		return 0, err
	}
	if above == math.MaxInt64 {
		above = 0
	}
	// The lock keeps the documents as they are until they are written again.
	rows, err := db.Query(ctx, `SELECT seq, kind, item_id, COALESCE(digest, 0), digest IS NULL, forms_digest, source_key, value_key, name_key, extension
		FROM search_documents WHERE seq > $1 ORDER BY seq`+sqlx.Limit("$2")+db.ForUpdate("search_documents"), above, n)
	type written struct {
		kept
		forms int64
	}
	ids, stored, last := map[domain.SubjectType][]int64{}, map[domain.Subject]written{}, above
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (s domain.Subject, err error) {
		var k written
		var pending bool // index_words writes it
		err = row.Scan(&last, &s.Type, &s.ID, &k.digest, &pending, &k.forms, &k.source, &k.value, &k.name, &k.extension)
		if !pending {
			ids[s.Type] = append(ids[s.Type], s.ID)
			stored[s] = k
		}
		return s, err
	})
	if err != nil {
		return 0, err
	}
	for _, kind := range []domain.SubjectType{domain.SubjectBlock, domain.SubjectChannel, domain.SubjectUser, domain.SubjectGroup} {
		if len(ids[kind]) == 0 {
			continue
		}
		items, err := read(ctx, db, kind, db.In("id", "$1"), sqlx.IDs(db.Dialect, ids[kind]))
		if err != nil {
			return 0, err
		}
		for _, d := range items {
			if is := d.digests(); stored[domain.Subject{Type: kind, ID: d.id}] != (written{d.kept(is), is.forms}) {
				w.ix.Refresh(kind, d.id)
			}
		}
	}
	if len(all) < n {
		last = math.MaxInt64
		if repeat == 0 {
			repeat = sqlx.Micros(now.Add(oldNodesFor))
		} else {
			repeat = math.MaxInt64
		}
	}
	return len(all), db.ExecOne(ctx, `UPDATE backfill_progress SET done = $1, repeat_at = $2 WHERE kind = 'refresh_documents'`, last, repeat)
}
