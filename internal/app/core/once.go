package core

import (
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// OnceKept is for how long it is remembered what a key made.
const OnceKept = Day

// OnceKey is a text that a client makes up for one request that makes something, and sends
// again with it; "" for none. Users have keys of their own.
type OnceKey string

// Check checks that a key is one.
func (k OnceKey) Check(f *domain.Faults) { f.Text("once", string(k), domain.MaxOnceKey) }

// Once makes something of a kind in a transaction, unless this user did so by the same key:
// then it gives what was made, and again is true. The key and what it made are committed
// together, so that nothing in between can lose either; who sends the key meanwhile waits.
// It comes before all locks. A key that made something of another kind is a Conflict.
func Once(ctx context.Context, tx *store.Tx, user domain.UserID, key OnceKey, kind string, now time.Time, create func() (int64, error)) (id int64, again bool, err error) {
	if key == "" {
		id, err = create()
		return id, false, err
	}
	sum := sha256.Sum256([]byte(strconv.FormatInt(int64(user), 10) + "\n" + string(key)))
	ours, was, id, err := tx.ClaimOnce(ctx, sum[:], nil, user, now, now.Add(OnceKept))
	switch {
	case err != nil:
		return 0, false, err
	case !ours && was != kind:
		return 0, false, domain.Wrap(domain.Conflict, "This was sent before, and made something else", nil)
	case !ours:
		return id, true, nil
	}
	if id, err = create(); err != nil {
		return 0, false, err
	}
	return id, false, tx.KeepOnce(ctx, sum[:], kind, id)
}
