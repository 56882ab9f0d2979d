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

// Limit is a maximum number of attempts in a window that begins with the first attempt.
type Limit struct {
	Max    int64
	Window time.Duration
}

// Attempt is a kind of attempt with its limits. Strangers are counted in three ways. A browser that signed in to the
// account before is counted separately, so that strangers cannot lock the account's owner out.
type Attempt struct {
	What    string
	Pair    []Limit // of an account from one address, so that nobody locks another out from elsewhere
	Account []Limit // of an account from anywhere
	Address []Limit // of an address with any account, which also limits one password tried on many
	Known   []Limit // of a browser that signed in to the account before; if empty, it counts as a stranger
}

// The limited attempts. Many people of a school share one address. One address may make a tenth of all attempts on an
// account per day.
var (
	TryPassword = Attempt{"password",
		[]Limit{{10, 15 * time.Minute}, {30, Day}}, []Limit{{100, 15 * time.Minute}, {300, Day}},
		[]Limit{{200, 15 * time.Minute}, {500, Day}}, []Limit{{10, 15 * time.Minute}, {50, Day}}}
	// These follow the correct password. Somebody who has only that must not lock the account's owner out for long.
	TryFactor = Attempt{"second factor",
		[]Limit{{10, 15 * time.Minute}, {30, Day}}, []Limit{{30, 15 * time.Minute}, {100, Day}},
		[]Limit{{200, 15 * time.Minute}, {500, Day}}, []Limit{{10, 15 * time.Minute}, {50, Day}}}
	TryPasskey = Attempt{"passkey", nil, nil, []Limit{{200, 15 * time.Minute}, {500, Day}}, nil} // only the passkey itself identifies the account
	TrySignUp  = Attempt{"sign up",
		[]Limit{{5, time.Hour}}, []Limit{{10, time.Hour}, {20, Day}}, []Limit{{60, time.Hour}, {300, Day}}, nil}
	TryMail = Attempt{"mail",
		[]Limit{{3, time.Hour}, {6, Day}}, []Limit{{6, time.Hour}, {20, Day}}, []Limit{{30, time.Hour}, {100, Day}},
		[]Limit{{3, time.Hour}, {6, Day}}}
	TrySetup  = Attempt{"setup code", nil, []Limit{{100, 15 * time.Minute}}, []Limit{{10, 15 * time.Minute}, {50, Day}}, nil}
	TrySecret = Attempt{"client secret",
		[]Limit{{30, 15 * time.Minute}}, []Limit{{300, 15 * time.Minute}}, []Limit{{300, 15 * time.Minute}}, nil}
)

// counter counts attempts towards one limit.
type counter struct {
	Limit
	Key    []byte
	shared bool   // also counts attempts of others: a success only subtracts itself
	Why    string // what is limited; "" for attempts
}

// Counters returns a counter for each limit, identified by the parts.
func Counters(limits []Limit, shared bool, parts ...string) (all []counter) {
	for _, l := range limits {
		all = append(all, counter{Limit: l, Key: attemptKey(append(parts, l.Window.String())...), shared: shared})
	}
	return all
}

// Tried contains the counters of an attempt.
type Tried []counter

// Try counts an attempt on an account, which any identifier may stand for, and returns TooMany over a limit. It counts
// before the attempt, so that parallel attempts do not slip through.
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

// TryAs counts an attempt of somebody who has proved not to be a stranger: by a cookie of the account, a session or a
// mailed link. Their attempts have a limit of their own.
func (a *Core) TryAs(ctx context.Context, t Attempt, proof, id string) (Tried, error) {
	by := Tried(Counters(t.Known, false, t.What, proof, id))
	return by, a.count(ctx, by)
}

// count increments each counter in its own transaction, because the counts must remain if a limit refuses the attempt.
func (a *Core) count(ctx context.Context, by Tried) error {
	var over error
	err := a.Store.InTxAlways(ctx, func(tx *store.Tx) (err error) {
		over, err = CountIn(ctx, tx, by, a.Now())
		return err
	})
	if err != nil {
		return err
	}
	return over
}

// CountIn increments each counter; over is TooMany at the first exceeded limit. Later counters are then not incremented:
// somebody who tries too often from one address does not use up the attempts of others on the account, nor fill a table.
func CountIn(ctx context.Context, tx *store.Tx, by Tried, now time.Time) (over, err error) {
	for _, c := range by {
		n, end, err := tx.Account().Attempt(ctx, c.Key, now, c.Window)
		if err != nil {
			return nil, err
		}
		if n > c.Max {
			return domain.NewTooMany(c.Why, c.Max, c.Window, end.Sub(now)), nil
		}
	}
	return nil, nil
}

// Succeeded resets the counters after a success. From shared counters it only subtracts this attempt.
func (a *Core) Succeeded(ctx context.Context, by Tried) error {
	return a.Store.InTxAlways(ctx, func(tx *store.Tx) error {
		for _, c := range by {
			forget := tx.Account().ForgetAttempts
			if c.shared {
				forget = tx.Account().TakeBackAttempt
			}
			if err := forget(ctx, c.Key); err != nil {
				return err
			}
		}
		return nil
	})
}

// knownBrowser reports whether a visitor's browser has signed in to the account of an address before. Without such a
// cookie there is no look-up, so that strangers do not learn whether the account exists.
func (a *Core) knownBrowser(ctx context.Context, email string, from domain.Visitor) (hash []byte, known bool, err error) {
	if from.Browser == "" {
		return nil, false, nil
	}
	if _, err := EmailAddress(email); err != nil {
		return nil, false, nil
	}
	hash = auth.HashToken(from.Browser)
	known, err = a.Store.Account().KnowsBrowser(ctx, hash, email, a.Now())
	return hash, known, err
}

// attemptKey hashes its parts, because addresses are confidential.
func attemptKey(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p)) // hash each part, so that ("ab", "c") and ("a", "bc") differ
		h.Write(sum[:])
	}
	return h.Sum(nil)
}

// network returns the network of one household: an IPv4 address, or the /64 of an IPv6 address.
func network(from netip.Addr) string {
	from = from.Unmap()
	if from.Is6() {
		if p, err := from.Prefix(64); err == nil {
			return p.String()
		}
	}
	return from.String()
}
