package redo

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/domain"
)

// Claim is the idempotency key of a request, which must have its effect once, even if it is sent
// several times. It is in the context because it concerns no use case. The first transaction that
// a request commits claims the key, so that the effect and the key are stored together or not at
// all. It belongs to the goroutine of its request.
type Claim struct {
	Hash    []byte // of the key and its user
	Request []byte // hash of the request
	User    domain.UserID
	Now     func() time.Time
	Kept    time.Duration

	Committed bool // a transaction with the claim was committed
	Repeated  bool // the key was claimed before
}

// errRepeated ends the transaction of a request that was executed before.
var errRepeated = errors.New("redo: the key of the request is claimed")

type claimKey struct{}

// WithClaim makes the first transaction of a context claim a key; nil claims none.
func WithClaim(ctx context.Context, c *Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// ClaimOf returns the claim of a context, or nil.
func ClaimOf(ctx context.Context) *Claim {
	c, _ := ctx.Value(claimKey{}).(*Claim)
	return c
}

// Take claims the key for the rest of a transaction, before all locks.
func (c *Claim) Take(ctx context.Context, w Writes) error {
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

// Commit records that the transaction was committed.
func (c *Claim) Commit() {
	if c != nil {
		c.Committed = true
	}
}
