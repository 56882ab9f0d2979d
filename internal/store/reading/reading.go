// Package reading stores what users do while they read: highlights, and how far they have read.
package reading

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// Writes also contains those that change something.
type Writes struct{ Reads }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// NewWrites returns the statements of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{Reads{db}} }

const highlightColumns = `h.id, h.user_id, h.block_id, h.exact, h.prefix, h.suffix, h.start_at, h.end_at, h.note, h.created_at, h.updated_at`

func scanHighlight(row sqlx.Row) (h domain.Highlight, err error) {
	var created, updated int64
	q := &h.Quote
	err = row.Scan(&h.ID, &h.User, &h.Block, &q.Exact, &q.Prefix, &q.Suffix, &q.Start, &q.End, &h.Note, &created, &updated)
	h.CreatedAt, h.UpdatedAt = sqlx.Time(created), sqlx.Time(updated)
	return h, err
}

// HighlightsOn lists the highlights of a user on a block in the order of the text.
func (r Reads) HighlightsOn(ctx context.Context, user domain.UserID, block domain.BlockID) ([]domain.Highlight, error) {
	rows, err := r.db.Query(ctx, "SELECT "+highlightColumns+" FROM highlights h WHERE h.user_id = $1 AND h.block_id = $2 ORDER BY h.start_at, h.id"+sqlx.Limit("$3"),
		user, block, domain.MaxBlockHighlights)
	return sqlx.Collect(ctx, rows, err, scanHighlight)
}

// Highlight returns a highlight of a user.
func (r Reads) Highlight(ctx context.Context, user domain.UserID, id domain.HighlightID) (domain.Highlight, error) {
	h, err := scanHighlight(r.db.QueryRow(ctx, "SELECT "+highlightColumns+" FROM highlights h WHERE h.id = $1 AND h.user_id = $2 AND h.block_id IS NOT NULL", id, user))
	return h, sqlx.Found(err)
}

// Highlights lists a page of a user's highlights on blocks that they may see, the newest first, and their number.
func (r Reads) Highlights(ctx context.Context, user domain.UserID, p domain.Page) (l domain.List[domain.Highlight], err error) {
	const visible = " FROM highlights h JOIN blocks b ON b.id = h.block_id WHERE h.user_id = $1 AND " + access.VisibleBlock
	if err := r.db.QueryRow(ctx, "SELECT count(*)"+visible, user).Scan(&l.Total); err != nil {
		return l, err
	}
	rows, err := r.db.Query(ctx, "SELECT "+highlightColumns+visible+" ORDER BY h.created_at DESC, h.id DESC"+sqlx.Limit("$2")+" OFFSET $3", user, p.Per, p.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, scanHighlight)
	return l, err
}

// CountHighlights counts the highlights of a user.
func (r Reads) CountHighlights(ctx context.Context, user domain.UserID) (int64, error) {
	return sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT count(*) FROM highlights WHERE user_id = $1", user))
}

// Place returns how far a user has read a block, 0 if this is not known.
func (r Reads) Place(ctx context.Context, user domain.UserID, block domain.BlockID) (int64, error) {
	place, err := sqlx.ScanInt64(r.db.QueryRow(ctx, "SELECT place FROM reading_places WHERE user_id = $1 AND block_id = $2", user, block))
	if errors.Is(err, database.ErrNoRows) {
		return 0, nil
	}
	return place, err
}

// AddHighlight adds a highlight of a user whose row is locked, on a locked block.
func (w Writes) AddHighlight(ctx context.Context, h domain.Highlight) (domain.HighlightID, error) {
	q := h.Quote
	return sqlx.ScanID[domain.HighlightID](w.db.QueryRow(ctx, `INSERT INTO highlights (user_id, block_id, exact, prefix, suffix, start_at, end_at, note, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`, h.User, h.Block, q.Exact, q.Prefix, q.Suffix, q.Start, q.End, h.Note, sqlx.Micros(h.CreatedAt), sqlx.Micros(h.UpdatedAt)))
}

// LockHighlight locks and returns a highlight of a user.
func (w Writes) LockHighlight(ctx context.Context, user domain.UserID, id domain.HighlightID) (domain.Highlight, error) {
	h, err := scanHighlight(w.db.QueryRow(ctx, "SELECT "+highlightColumns+" FROM highlights h WHERE h.id = $1 AND h.user_id = $2 AND h.block_id IS NOT NULL"+w.db.ForUpdate("h"), id, user))
	return h, sqlx.Found(err)
}

// UpdateHighlight changes the note of a locked highlight.
func (w Writes) UpdateHighlight(ctx context.Context, h domain.Highlight) error {
	return w.db.ExecOne(ctx, `UPDATE highlights SET note = $2, updated_at = $3 WHERE id = $1`, h.ID, h.Note, sqlx.Micros(h.UpdatedAt))
}

// DeleteHighlight deletes a highlight of a user.
func (w Writes) DeleteHighlight(ctx context.Context, user domain.UserID, id domain.HighlightID) error {
	n, err := w.db.ExecCount(ctx, `DELETE FROM highlights WHERE id = $1 AND user_id = $2 AND block_id IS NOT NULL`, id, user)
	if err == nil && n == 0 {
		err = domain.NewNotFound()
	}
	return err
}

// KeepPlace records how far a user, whose row is locked, has read a locked block. It forgets the oldest places beyond
// domain.MaxPositions.
func (w Writes) KeepPlace(ctx context.Context, user domain.UserID, block domain.BlockID, place int64, now time.Time) error {
	err := w.db.Exec(ctx, `INSERT INTO reading_places (user_id, block_id, place, read_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, block_id) DO UPDATE SET place = excluded.place, read_at = excluded.read_at`, user, block, place, sqlx.Micros(now))
	if err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM reading_places WHERE user_id = $1 AND block_id IN (
		SELECT p.block_id FROM reading_places p WHERE p.user_id = $1 ORDER BY p.read_at DESC, p.block_id`+sqlx.Limit("$3")+` OFFSET $2)`, user, domain.MaxPositions, domain.MaxPositions)
}

// ForgetReading deletes the highlights of a user, and how far they have read.
func (w Writes) ForgetReading(ctx context.Context, user domain.UserID) error {
	if err := w.db.Exec(ctx, `DELETE FROM highlights WHERE user_id = $1`, user); err != nil {
		return err
	}
	if err := w.db.Exec(ctx, `DELETE FROM trash_places WHERE user_id = $1`, user); err != nil {
		return err
	}
	return w.db.Exec(ctx, `DELETE FROM reading_places WHERE user_id = $1`, user)
}
