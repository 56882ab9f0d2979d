package core

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

const Day = 24 * time.Hour

// Limit is how often something may be tried in a window that begins with the first time.
type Limit struct {
	Most   int64
	Window time.Duration
}

// Attempt is what may be tried only so often. Strangers are counted three ways; a browser
// that signed in to the account before is counted by itself, so that no number of
// strangers keeps the holder out.
type Attempt struct {
	What    string
	Pair    []Limit // of an account from an address, so that nobody locks another out from elsewhere
	Account []Limit // of an account from anywhere
	Address []Limit // of an address with any account, also against one password tried on many
	Known   []Limit // of a browser that signed in to the account before; none: it is a stranger too
}

// The attempts that are limited. Addresses are many people's in a school. What one
// address may try at an account in a day is a tenth of what all may.
var (
	TryPassword = Attempt{"password",
		[]Limit{{10, 15 * time.Minute}, {30, Day}}, []Limit{{100, 15 * time.Minute}, {300, Day}},
		[]Limit{{200, 15 * time.Minute}, {500, Day}}, []Limit{{10, 15 * time.Minute}, {50, Day}}}
	// The password was right before. Who has only that may not keep the holder out for long.
	TryFactor = Attempt{"second factor",
		[]Limit{{10, 15 * time.Minute}, {30, Day}}, []Limit{{30, 15 * time.Minute}, {100, Day}},
		[]Limit{{200, 15 * time.Minute}, {500, Day}}, []Limit{{10, 15 * time.Minute}, {50, Day}}}
	TryPasskey = Attempt{"passkey", nil, nil, []Limit{{200, 15 * time.Minute}, {500, Day}}, nil} // whose, only it tells
	TrySignUp  = Attempt{"sign up",
		[]Limit{{5, time.Hour}}, []Limit{{10, time.Hour}, {20, Day}}, []Limit{{60, time.Hour}, {300, Day}}, nil}
	TryMail = Attempt{"mail",
		[]Limit{{3, time.Hour}, {6, Day}}, []Limit{{6, time.Hour}, {20, Day}}, []Limit{{30, time.Hour}, {100, Day}},
		[]Limit{{3, time.Hour}, {6, Day}}}
	TrySetup  = Attempt{"setup code", nil, []Limit{{100, 15 * time.Minute}}, []Limit{{10, 15 * time.Minute}, {50, Day}}, nil}
	TrySecret = Attempt{"client secret",
		[]Limit{{30, 15 * time.Minute}}, []Limit{{300, 15 * time.Minute}}, []Limit{{300, 15 * time.Minute}}, nil}
)

// counter counts what a limit is about.
type counter struct {
	Limit
	Key    []byte
	shared bool   // by others than who succeeds: a success takes back its own count alone
	Why    string // what is over, "" for attempts
}

// Counters makes one for each limit of something, which the parts name.
func Counters(limits []Limit, shared bool, parts ...string) (all []counter) {
	for _, l := range limits {
		all = append(all, counter{Limit: l, Key: attemptKey(append(parts, l.Window.String())...), shared: shared})
	}
	return all
}

// Tried is what an attempt was counted by.
type Tried []counter

// Try counts an attempt at something with an account, by any name of it, and is TooMany
// over a limit. It counts before the attempt is made, so that parallel ones do not slip
// through.
func (a *Core) Try(ctx context.Context, t Attempt, account string, from domain.Visitor) (Tried, error) {
	if len(t.Known) > 0 {
		hash, known, err := a.knownBrowser(ctx, account, from)
		if err != nil {
			return nil, err
		}
		if known {
			return a.TryAs(ctx, t, "browser", string(hash))
		}
	}
	address := network(from.Address)
	by := Tried(Counters(t.Address, true, t.What, "address", address))
	by = append(by, Counters(t.Pair, false, t.What, "pair", account, address)...)
	by = append(by, Counters(t.Account, true, t.What, "account", account)...)
	return by, a.count(ctx, by)
}

// TryAs counts an attempt of somebody who has shown to be no stranger: by a cookie of the
// account, a session, a mailed link. What they try is limited, and is nobody else's.
func (a *Core) TryAs(ctx context.Context, t Attempt, proof, id string) (Tried, error) {
	by := Tried(Counters(t.Known, false, t.What, proof, id))
	return by, a.count(ctx, by)
}

// count counts once by each counter, in its own transaction, since what was counted
// stays so where a limit refuses.
func (a *Core) count(ctx context.Context, by Tried) error {
	var over error
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		over, err = CountIn(ctx, tx, by, a.Now())
		return err
	})
	if err != nil {
		return err
	}
	return over
}

// CountIn counts once by each counter; over is TooMany at the first whose limit is passed.
// What is over one limit counts for no further one: who tries too often from one address
// uses up nothing of what others have for the account, and fills no table.
func CountIn(ctx context.Context, tx *store.Tx, by Tried, now time.Time) (over, err error) {
	for _, c := range by {
		n, end, err := tx.Attempt(ctx, c.Key, now, c.Window)
		if err != nil {
			return nil, err
		}
		if n > c.Most {
			return domain.NewTooMany(c.Why, c.Most, c.Window, end.Sub(now)), nil
		}
	}
	return nil, nil
}

// Succeeded forgets the failures of who has succeeded. Of what is counted for others too
// it takes back this attempt alone.
func (a *Core) Succeeded(ctx context.Context, by Tried) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		for _, c := range by {
			forget := tx.ForgetAttempts
			if c.shared {
				forget = tx.TakeBackAttempt
			}
			if err := forget(ctx, c.Key); err != nil {
				return err
			}
		}
		return nil
	})
}

// knownBrowser reports whether a visitor's browser has signed in to the account of an
// address before. Who has no such cookie costs no look-up, so nothing tells strangers
// whether there is an account.
func (a *Core) knownBrowser(ctx context.Context, email string, from domain.Visitor) (hash []byte, known bool, err error) {
	if from.Browser == "" {
		return nil, false, nil
	}
	if _, err := EmailAddress(email); err != nil {
		return nil, false, nil
	}
	hash = auth.HashToken(from.Browser)
	known, err = a.Store.KnowsBrowser(ctx, hash, email, a.Now())
	return hash, known, err
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
