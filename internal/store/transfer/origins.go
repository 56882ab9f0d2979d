package transfer

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// OriginKind is the kind of item in a row.
type OriginKind string

// The kinds.
const (
	OriginChannel    OriginKind = "Channel"
	OriginBlock      OriginKind = "Block"
	OriginConnection OriginKind = "Connection"
	OriginComment    OriginKind = "Comment"
)

// OriginPlace is a source of imports and the user who imported from it.
type OriginPlace struct {
	User   domain.UserID
	Origin string
}

// Origin is the origin of one item.
type Origin struct {
	Foreign string
	Local   int64 // 0 until the transaction that claimed the row creates the item
	Digest  string
	Place   int64
}

// OriginReads contains the statements that change nothing.
type OriginReads struct{ db sqlx.Conn }

// NewOriginReads returns the statements on a connection.
func NewOriginReads(db sqlx.Conn) OriginReads { return OriginReads{db} }

// OriginWrites contains the statements of a transaction.
type OriginWrites struct{ OriginReads }

// NewOriginWrites returns the statements on the connection of a transaction.
func NewOriginWrites(db sqlx.Conn) OriginWrites { return OriginWrites{NewOriginReads(db)} }

// Origins returns the rows of those items of a place that were imported before.
func (r OriginReads) Origins(ctx context.Context, p OriginPlace, kind OriginKind, foreign ...string) (map[string]Origin, error) {
	found := make(map[string]Origin, len(foreign))
	if len(foreign) == 0 {
		return found, nil
	}
	rows, err := r.db.Query(ctx, `SELECT foreign_id, local_id, digest, place FROM origins
		WHERE user_id = $1 AND origin = $2 AND kind = $3 AND `+r.db.InTexts("foreign_id", "$4"),
		p.User, p.Origin, kind, sqlx.Texts(r.db.Dialect, foreign))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (o Origin, err error) {
		err = row.Scan(&o.Foreign, &o.Local, &o.Digest, &o.Place)
		found[o.Foreign] = o
		return o, err
	})
	return found, err
}

// HasOrigins reports whether any channel was imported from a place.
func (r OriginReads) HasOrigins(ctx context.Context, p OriginPlace) (has bool, err error) {
	err = r.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM origins WHERE user_id = $1 AND origin = $2 AND kind = 'Channel')`,
		p.User, p.Origin).Scan(&has)
	return has, err
}

// VisibleChannels returns the titles of the first channels from a place that everyone can see.
func (r OriginReads) VisibleChannels(ctx context.Context, p OriginPlace, limit int) ([]string, error) {
	rows, err := r.db.Query(ctx, `SELECT ch.title FROM origins o JOIN channels ch ON ch.id = o.local_id
		WHERE o.user_id = $1 AND o.origin = $2 AND o.kind = 'Channel' AND ch.state = 'available' AND ch.visibility <> 'private'
		ORDER BY ch.id`+sqlx.Limit("$3"), p.User, p.Origin, limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (title string, err error) {
		err = row.Scan(&title)
		return title, err
	})
}

// ClaimOrigins claims the unclaimed items for the rest of the transaction, which must create them
// and call KeepOrigins. It returns the rows of all given items; claimed ones have Local 0. It
// waits for items that another transaction has just claimed, in the order of their ids.
func (w OriginWrites) ClaimOrigins(ctx context.Context, p OriginPlace, kind OriginKind, foreign ...string) (map[string]Origin, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(foreign)))
	for some := range slices.Chunk(sorted, sqlx.BatchRows) {
		args := make([]any, 0, 6*len(some))
		for _, id := range some {
			args = append(args, p.User, p.Origin, kind, id, 0, "")
		}
		err := w.db.Exec(ctx, `INSERT INTO origins (user_id, origin, kind, foreign_id, local_id, digest) VALUES `+
			sqlx.Tuples(len(some), 6)+` ON CONFLICT (user_id, origin, kind, foreign_id) DO NOTHING`, args...)
		if err != nil {
			return nil, err
		}
	}
	return NewOriginReads(w.db).Origins(ctx, p, kind, sorted...)
}

// KeepOrigins stores the rows of items, whether they were claimed or not.
func (w OriginWrites) KeepOrigins(ctx context.Context, p OriginPlace, kind OriginKind, rows ...Origin) error {
	for some := range slices.Chunk(rows, sqlx.BatchRows) {
		args := make([]any, 0, 7*len(some))
		for _, o := range some {
			args = append(args, p.User, p.Origin, kind, o.Foreign, o.Local, o.Digest, o.Place)
		}
		err := w.db.Exec(ctx, `INSERT INTO origins (user_id, origin, kind, foreign_id, local_id, digest, place) VALUES `+
			sqlx.Tuples(len(some), 7)+` ON CONFLICT (user_id, origin, kind, foreign_id)
			DO UPDATE SET local_id = EXCLUDED.local_id, digest = EXCLUDED.digest, place = EXCLUDED.place`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// ChangeOrigin stores the new digest of an item if it still has the one that was read, and reports
// whether it had.
func (w OriginWrites) ChangeOrigin(ctx context.Context, p OriginPlace, kind OriginKind, was Origin, digest string) (bool, error) {
	n, err := w.db.ExecCount(ctx, `UPDATE origins SET digest = $6
		WHERE user_id = $1 AND origin = $2 AND kind = $3 AND foreign_id = $4 AND digest = $5`,
		p.User, p.Origin, kind, was.Foreign, was.Digest, digest)
	return n > 0, err
}

// placesAtOnce is how many connections one statement updates.
const placesAtOnce = 1_000

// Placement is a connection and its place at the origin.
type Placement = sqlx.Pair

// PlaceOrigins stores the places of connections at their origin.
func (w OriginWrites) PlaceOrigins(ctx context.Context, p OriginPlace, places []Placement) error {
	for some := range slices.Chunk(places, placesAtOnce) {
		err := w.db.Exec(ctx, `UPDATE origins SET place = l.value FROM `+w.db.Pairs("$3")+`
			WHERE origins.kind = 'Connection' AND origins.local_id = l.id AND origins.user_id = $1 AND origins.origin = $2`,
			p.User, p.Origin, sqlx.Pairs(some))
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetOrigins deletes at most `limit` origins of a user and returns their number.
func (w OriginWrites) ForgetOrigins(ctx context.Context, user domain.UserID, limit int) (int, error) {
	n, err := w.db.ExecCount(ctx, `DELETE FROM origins WHERE user_id = $1 AND (user_id, origin, kind, foreign_id) IN (
		SELECT user_id, origin, kind, foreign_id FROM origins WHERE user_id = $1`+sqlx.Limit("$2")+`)`, user, limit)
	return int(n), err
}
