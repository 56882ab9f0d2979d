package redo

import (
	"context"
	"errors"

	"vitrine/internal/scope"
)

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
