package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// DueLink is a Link whose page is to be requested.
type DueLink struct {
	Block     domain.BlockID
	URL       string
	CreatedAt time.Time
	domain.LinkFailure
}

// ScheduleLinks decides when the pages of the next n Links without a date are requested for the first time: after `every`,
// and those of older Links spread over this span from now. It returns the number of Links.
func (w BlockWrites) ScheduleLinks(ctx context.Context, every time.Duration, now time.Time, n int) (int, error) {
	db := w.tx.db
	rows, err := db.Query(ctx, `SELECT id FROM blocks b WHERE type = 'Link' AND check_at IS NULL ORDER BY id`+sqlx.Limit("$1")+db.ForUpdate("b"), n)
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	span, at := every.Microseconds(), sqlx.Micros(now)
	// Links with consecutive ids are seconds apart.
	return len(ids), db.Exec(ctx, `UPDATE blocks SET check_at = CASE WHEN created_at > CAST($2 AS BIGINT) - CAST($3 AS BIGINT) THEN created_at + CAST($3 AS BIGINT)
			ELSE CAST($2 AS BIGINT) + (id % 1000003) * (CAST($3 AS BIGINT) / 1000003) END
		WHERE `+db.In("id", "$1"), sqlx.IDs(db.Dialect, ids), at, span)
}

// ClaimLinks returns up to n Links that are due, and postpones them, so that no other job requests them and a crash does
// not lose them.
func (w BlockWrites) ClaimLinks(ctx context.Context, now, until time.Time, n int) ([]DueLink, error) {
	db := w.tx.db
	rows, err := db.Query(ctx, `UPDATE blocks SET check_at = $2 WHERE id IN (SELECT b.id FROM blocks b WHERE b.check_at <= $1 ORDER BY b.check_at`+
		sqlx.Limit("$3")+db.ForUpdate("b")+`) RETURNING id, value_url, created_at`, sqlx.Micros(now), sqlx.Micros(until), n)
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (l DueLink, err error) {
		var address *string
		var created int64
		err = row.Scan(&l.Block, &address, &created)
		if address = rowmap.Canonical(address); address != nil {
			l.URL = *address
		}
		l.CreatedAt = sqlx.Time(created)
		return l, err
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	ids := make([]domain.BlockID, len(all))
	for i, l := range all {
		ids[i] = l.Block
	}
	failing, err := w.LinkFailures(ctx, ids...)
	for i := range all {
		all[i].LinkFailure = failing[all[i].Block]
	}
	slices.SortFunc(all, func(a, b DueLink) int { return cmp.Compare(a.Block, b.Block) })
	return all, err
}

// NoteLink stores the result of requesting the page of a Link, and when to do it again. With a failure of no times, the
// page is there. A block whose address has changed in the meantime stays as it is.
func (w BlockWrites) NoteLink(ctx context.Context, l DueLink, f domain.LinkFailure, again, now time.Time) error {
	db := w.tx.db
	b, found, err := w.lockedLink(ctx, l.Block)
	if err != nil || !found || b.url != l.URL {
		return err
	}
	if f.Times == 0 {
		err = db.Exec(ctx, `DELETE FROM link_failures WHERE block_id = $1`, l.Block)
	} else {
		err = db.Exec(ctx, `INSERT INTO link_failures (block_id, since, times, reason) VALUES ($1, $2, $3, $4)
			ON CONFLICT (block_id) DO UPDATE SET since = excluded.since, times = excluded.times, reason = excluded.reason`,
			l.Block, sqlx.Micros(f.Since), f.Times, f.Reason)
	}
	if err != nil {
		return err
	}
	if f.Dead == b.dead {
		return db.Exec(ctx, `UPDATE blocks SET check_at = $2 WHERE id = $1`, l.Block, sqlx.Micros(again))
	}
	var dead *int64
	if f.Dead {
		at := sqlx.Micros(now)
		dead = &at
	}
	w.tx.documents().Refresh(domain.SubjectBlock, int64(l.Block))
	return db.Exec(ctx, `UPDATE blocks SET check_at = $2, dead_at = $3, version = version + 1 WHERE id = $1`, l.Block, sqlx.Micros(again), dead)
}

// CheckSoon makes a Link of a user due. It returns NotFound if the user has no such Link.
func (w BlockWrites) CheckSoon(ctx context.Context, user domain.UserID, id domain.BlockID, now time.Time) error {
	n, err := w.tx.db.ExecCount(ctx, `UPDATE blocks SET check_at = $3 WHERE id = $1 AND user_id = $2 AND type = 'Link'`, id, user, sqlx.Micros(now))
	if err == nil && n == 0 {
		err = domain.NewNotFound()
	}
	return err
}

// linkState is what NoteLink reads of a block.
type linkState struct {
	url  string
	dead bool
}

// lockedLink locks a Link and reads its state. found is false if the block is gone, or no Link.
func (w BlockWrites) lockedLink(ctx context.Context, id domain.BlockID) (s linkState, found bool, err error) {
	var address *string
	err = w.tx.db.QueryRow(ctx, `SELECT value_url, dead_at IS NOT NULL FROM blocks b WHERE id = $1 AND type = 'Link'`+w.tx.db.ForUpdate("b"), id).Scan(&address, &s.dead)
	if errors.Is(err, database.ErrNoRows) {
		return s, false, nil
	}
	if address = rowmap.Canonical(address); address != nil {
		s.url = *address
	}
	return s, err == nil, err
}

// LinkFailures reads the failed requests of the pages of Links.
func (r BlockReads) LinkFailures(ctx context.Context, ids ...domain.BlockID) (map[domain.BlockID]domain.LinkFailure, error) {
	rows, err := r.q.db.Query(ctx, `SELECT f.block_id, f.since, f.times, f.reason, b.dead_at IS NOT NULL FROM link_failures f JOIN blocks b ON b.id = f.block_id
		WHERE `+r.q.db.In("f.block_id", "$1"), sqlx.IDs(r.q.db.Dialect, ids))
	all := map[domain.BlockID]domain.LinkFailure{}
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.BlockID, err error) {
		var f domain.LinkFailure
		var since int64
		err = row.Scan(&id, &since, &f.Times, &f.Reason, &f.Dead)
		f.Since = sqlx.Time(since)
		all[id] = f
		return id, err
	})
	return all, err
}

// DeadLinks lists a page of a user's Links whose pages are gone, the last found first, and their number.
func (r BlockReads) DeadLinks(ctx context.Context, user domain.UserID, p domain.Page) (l domain.List[domain.Block], err error) {
	const dead = " FROM blocks WHERE user_id = $1 AND dead_at IS NOT NULL"
	if err := r.q.db.QueryRow(ctx, "SELECT count(*)"+dead, user).Scan(&l.Total); err != nil {
		return l, err
	}
	rows, err := r.q.db.Query(ctx, "SELECT id"+dead+" ORDER BY dead_at DESC, id DESC"+sqlx.Limit("$2")+" OFFSET $3", user, p.Per, p.Offset())
	ids, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.BlockID])
	if err != nil {
		return l, err
	}
	blocks, err := r.BlocksByID(ctx, ids)
	for _, id := range ids {
		if b, ok := blocks[id]; ok {
			l.Items = append(l.Items, *b)
		}
	}
	return l, err
}
