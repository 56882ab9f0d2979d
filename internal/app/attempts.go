package app

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// attempt is what may be tried only so often. Three counters hold it: one of an account
// from an address, so that nobody locks another out from elsewhere; one of the account
// from anywhere; one of the address, whatever the account.
type attempt struct {
	what                   string
	window                 time.Duration
	pair, account, address int64
}

// The attempts that are limited. Addresses are many people's in a school.
var (
	tryPassword = attempt{"password", 15 * time.Minute, 10, 100, 200}
	trySignUp   = attempt{"sign up", time.Hour, 5, 10, 60}
	tryMail     = attempt{"mail", time.Hour, 3, 6, 30}
	trySecret   = attempt{"client secret", 15 * time.Minute, 30, 300, 300}
)

// try counts an attempt at something with an account, by any name of it, and is TooMany
// over a limit. It counts before the attempt is made, so that parallel ones do not slip
// through. One that is over a limit counts no further: who tries too often from one
// address uses up nothing of what others have for the account, and fills no table.
func (a *App) try(ctx context.Context, t attempt, account string, from netip.Addr) error {
	now, address := a.now(), network(from)
	counters := []struct {
		key   []byte
		limit int64
	}{
		{attemptKey(t.what, "address", address), t.address},
		{attemptKey(t.what, "pair", account, address), t.pair},
		{attemptKey(t.what, "account", account), t.account},
	}
	var wait time.Duration
	err := a.store.InTx(ctx, func(tx *store.Tx) error {
		wait = 0
		for _, c := range counters {
			count, end, err := tx.Attempt(ctx, c.key, now, t.window)
			if err != nil {
				return err
			}
			if count > c.limit {
				wait = end.Sub(now)
				return nil
			}
		}
		return nil
	})
	if err == nil && wait > 0 {
		err = domain.NewTooMany(wait)
	}
	return err
}

// succeeded forgets the failures of an account from an address.
func (a *App) succeeded(ctx context.Context, t attempt, account string, from netip.Addr) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		return tx.ForgetAttempts(ctx, attemptKey(t.what, "pair", account, network(from)))
	})
}

// attemptKey hides what it is made of: addresses are nobody's business.
func attemptKey(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p)) // so that parts do not run into each other
		h.Write(sum[:])
	}
	return h.Sum(nil)
}

// network is what one household has: an IPv4 address, or the /64 of an IPv6 address.
func network(from netip.Addr) string {
	from = from.Unmap()
	if from.Is6() {
		if p, err := from.Prefix(64); err == nil {
			return p.String()
		}
	}
	return from.String()
}
