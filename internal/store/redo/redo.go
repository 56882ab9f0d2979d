// Package redo stores what makes requests repeatable and reversible: the idempotency keys of
// requests, and recent removals from channels.
package redo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/scope"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes contains the statements of a transaction.
type Writes struct{ Reads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewReads(db)} }

// ClaimOnce claims a key for the rest of the transaction, which stores its result with KeepOnce.
// If the key was claimed before, ours is false and kind and made describe the earlier result.
// Concurrent claims wait for the other transaction to end. A repeated request must have the same
// hash `request`, which may be nil.
func (w Writes) ClaimOnce(ctx context.Context, hash, request []byte, user domain.UserID, now, until time.Time) (ours bool, kind string, made int64, err error) {
	for {
		n, err := w.db.ExecCount(ctx, `INSERT INTO once_keys (hash, request, user_id, kind, made_id, created_at, expires_at)
			VALUES ($1, $2, $3, '', 0, $4, $5) ON CONFLICT (hash) DO NOTHING`, hash, request, user, sqlx.Micros(now), sqlx.Micros(until))
		if err != nil || n > 0 {
			return n > 0, "", 0, err
		}
		var expires int64
		err = w.db.QueryRow(ctx, `SELECT kind, made_id, expires_at FROM once_keys WHERE hash = $1`, hash).Scan(&kind, &made, &expires)
		if err != nil {
			return false, "", 0, sqlx.Found(err)
		}
		if sqlx.Time(expires).After(now) {
			return false, kind, made, nil
		}
		if err := w.db.Exec(ctx, `DELETE FROM once_keys WHERE hash = $1`, hash); err != nil {
			return false, "", 0, err
		}
	}
}

// KeepOnce stores the result of a claimed key.
func (w Writes) KeepOnce(ctx context.Context, hash []byte, kind string, made int64) error {
	return w.db.ExecOne(ctx, `UPDATE once_keys SET kind = $2, made_id = $3 WHERE hash = $1`, hash, kind, made)
}

// KeepAnswer stores the response to the request that claimed a key, unless it has one.
func (w Writes) KeepAnswer(ctx context.Context, hash, request, answer []byte) error {
	return w.db.Exec(ctx, `UPDATE once_keys SET answer = $3 WHERE hash = $1 AND request = $2 AND answer IS NULL`, hash, request, answer)
}

// Answered is the record of a request that claimed a key.
type Answered struct {
	Request   []byte // its hash
	Answer    []byte // nil until the request is answered
	ClaimedAt time.Time
}

// Answered reads the record of the request that claimed a key, unless it has expired.
func (r Reads) Answered(ctx context.Context, hash []byte, now time.Time) (a Answered, err error) {
	var claimed int64
	err = r.db.QueryRow(ctx, `SELECT request, answer, created_at FROM once_keys WHERE hash = $1 AND expires_at > $2`,
		hash, sqlx.Micros(now)).Scan(&a.Request, &a.Answer, &claimed)
	a.ClaimedAt = sqlx.Time(claimed)
	return a, sqlx.Found(err)
}

// OnceKeys counts the keys of a user, up to `limit`.
func (r Reads) OnceKeys(ctx context.Context, user domain.UserID, limit int) (n int, err error) {
	err = r.db.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM once_keys WHERE user_id = $1 LIMIT $2) k`, user, limit).Scan(&n)
	return n, err
}

// SweepOnceKeys deletes at most `limit` expired keys and returns their number.
func (w Writes) SweepOnceKeys(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "once_keys", "hash", now, limit)
}

// Removal is a set of connections that a user removed from a channel, the order of those that they sorted, or the
// positions of those that they moved.
type Removal struct {
	ID        string
	User      domain.UserID
	Channel   domain.ChannelID
	Items     []Removed
	Undone    bool
	ExpiresAt time.Time
}

// order is the type of the only item of a Removal that has an order. Versions that do not know it count a deleted item.
const order domain.ItemType = "order"

// FormerOrder returns the items of a Removal for connections that were sorted, in their former order.
func FormerOrder(ids []domain.ConnectionID) []Removed { return []Removed{{Type: order, Order: ids}} }

// Order returns the former order of sorted connections, lowest first, or nil for a removal.
func (r Removal) Order() []domain.ConnectionID {
	if len(r.Items) == 1 && r.Items[0].Type == order {
		return r.Items[0].Order
	}
	return nil
}

// moved is the type of the items of a Removal that have positions. Versions that do not know it count deleted items.
const moved domain.ItemType = "moved"

// FormerPosition returns an item of a Removal for a connection that was moved.
func FormerPosition(id domain.ConnectionID, position int64) Removed {
	return Removed{Type: moved, ID: int64(id), Position: position}
}

// HasPositions reports whether the items are moved connections. Their ids are those of connections.
func (r Removal) HasPositions() bool { return len(r.Items) > 0 && r.Items[0].Type == moved }

// Removed is a removed connection. The database contains its JSON names, so they must not change.
type Removed struct {
	Type     domain.ItemType `json:"type"`
	ID       int64           `json:"id"`
	Maker    domain.UserID   `json:"maker"`
	Position int64           `json:"position"`
	Metadata domain.Metadata `json:"metadata,omitempty"`

	Connection domain.ConnectionID `json:"connection,omitempty"` // that may be in Trash

	Order []domain.ConnectionID `json:"order,omitempty"`
}

// AddRemoval stores a removal until it expires.
func (w Writes) AddRemoval(ctx context.Context, r Removal, now time.Time) error {
	items, err := json.Marshal(r.Items)
	if err != nil {
		return fmt.Errorf("store: keep what was removed: %w", err)
	}
	return w.db.Exec(ctx, `INSERT INTO removals (id, user_id, channel_id, items, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		r.ID, r.User, r.Channel, string(items), sqlx.Micros(now), sqlx.Micros(r.ExpiresAt))
}

// Removal reads a removal of a user, unless it has expired.
func (r Reads) Removal(ctx context.Context, user domain.UserID, id string, now time.Time) (x Removal, err error) {
	var items string
	var expires int64
	err = r.db.QueryRow(ctx, `SELECT id, user_id, channel_id, items, undone, expires_at FROM removals
		WHERE id = $1 AND user_id = $2 AND expires_at > $3`, id, user, sqlx.Micros(now)).
		Scan(&x.ID, &x.User, &x.Channel, &items, &x.Undone, &expires)
	if err != nil {
		return x, sqlx.Found(err)
	}
	x.ExpiresAt = sqlx.Time(expires)
	if err := json.Unmarshal([]byte(items), &x.Items); err != nil {
		return x, fmt.Errorf("store: read what was removed: %w", err)
	}
	return x, nil
}

// TakeRemoval marks a removal as undone and reports whether it was not before.
func (w Writes) TakeRemoval(ctx context.Context, id string) (bool, error) {
	n, err := w.db.ExecCount(ctx, `UPDATE removals SET undone = TRUE WHERE id = $1 AND undone = FALSE`, id)
	return n > 0, err
}

// SweepRemovals deletes at most `limit` expired removals and returns their number.
func (w Writes) SweepRemovals(ctx context.Context, now time.Time, limit int) (int, error) {
	return w.db.SweepExpired(ctx, "removals", "id", now, limit)
}

// errRepeated ends the transaction of a request that was executed before.
var errRepeated = errors.New("redo: the key of the request is claimed")

// Take claims the key of a request for the rest of a transaction, before all locks. It does nothing if
// the claim is committed.
func Take(ctx context.Context, c *scope.Claim, w Writes) error {
	if c == nil || c.Committed {
		return nil
	}
	now := c.Now()
	ours, _, _, err := w.ClaimOnce(ctx, c.Hash, c.Request, c.User, now, now.Add(c.Kept))
	if err == nil && !ours {
		c.Repeated = true
		err = errRepeated
	}
	return err
}
