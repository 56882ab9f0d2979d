package redo

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/domain"
)

// Claim is the key of a request that must have its effect once, however often it is sent. It
// travels in the context, since it concerns no use case: the first transaction that a request
// commits claims the key, so that the effect and the key are there together or not at all.
// It belongs to the goroutine of its request.
type Claim struct {
	Hash    []byte // of the key and of whose it is
	Request []byte // sum of the request
	User    domain.UserID
	Now     func() time.Time
	Kept    time.Duration

	Committed bool // a transaction with the claim has been committed
	Repeated  bool // the key was claimed before
}

// errRepeated ends the transaction of a request that was carried out before.
var errRepeated = errors.New("redo: the key of the request is claimed")

type claimKey struct{}

// WithClaim has the first transaction of a context claim a key; nil for none.
func WithClaim(ctx context.Context, c *Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// ClaimOf gives what WithClaim has put into a context, or nil.
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

// Commit notes that the transaction was committed.
func (c *Claim) Commit() {
	if c != nil {
		c.Committed = true
	}
}
