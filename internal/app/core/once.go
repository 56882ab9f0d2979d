package core

import (
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// OnceKept is how long keys are kept.
const OnceKept = Day

// OnceKey is a client's key for one request to create something, which it sends again when it repeats the request; ""
// for none. Each user has their own keys.
type OnceKey string

// Check checks the form of a key.
func (k OnceKey) Check(f *domain.Faults) { f.Text("once", string(k), domain.MaxOnceKey) }

// Once creates a thing of a kind in a transaction, unless the user already did so with the same key: then it returns the
// existing thing, and again is true. The key and the thing are committed together, so neither can be lost. Concurrent
// requests with the key wait. Call it before taking any lock. A key of another kind of thing is a Conflict.
func Once(ctx context.Context, tx *store.Tx, user domain.UserID, key OnceKey, kind string, now time.Time, create func() (int64, error)) (id int64, again bool, err error) {
	if key == "" {
		id, err = create()
		return id, false, err
	}
	sum := sha256.Sum256([]byte(strconv.FormatInt(int64(user), 10) + "\n" + string(key)))
	ours, was, id, err := tx.Redo().ClaimOnce(ctx, sum[:], nil, user, now, now.Add(OnceKept))
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
	return id, false, tx.Redo().KeepOnce(ctx, sum[:], kind, id)
}
