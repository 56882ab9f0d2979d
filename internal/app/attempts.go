package app

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

const day = 24 * time.Hour

// limit is how often something may be tried in a window that begins with the first time.
type limit struct {
	most   int64
	window time.Duration
}

// attempt is what may be tried only so often. Strangers are counted three ways; a browser
// that signed in to the account before is counted by itself, so that no number of
// strangers keeps the holder out.
type attempt struct {
	what    string
	pair    []limit // of an account from an address, so that nobody locks another out from elsewhere
	account []limit // of an account from anywhere
	address []limit // of an address with any account, also against one password tried on many
	known   []limit // of a browser that signed in to the account before; none: it is a stranger too
}

// The attempts that are limited. Addresses are many people's in a school. What one
// address may try at an account in a day is a tenth of what all may.
var (
	tryPassword = attempt{"password",
		[]limit{{10, 15 * time.Minute}, {30, day}}, []limit{{100, 15 * time.Minute}, {300, day}},
		[]limit{{200, 15 * time.Minute}, {500, day}}, []limit{{10, 15 * time.Minute}, {50, day}}}
	trySignUp = attempt{"sign up",
		[]limit{{5, time.Hour}}, []limit{{10, time.Hour}, {20, day}}, []limit{{60, time.Hour}, {300, day}}, nil}
	tryMail = attempt{"mail",
		[]limit{{3, time.Hour}, {6, day}}, []limit{{6, time.Hour}, {20, day}}, []limit{{30, time.Hour}, {100, day}},
		[]limit{{3, time.Hour}, {6, day}}}
	trySecret = attempt{"client secret",
		[]limit{{30, 15 * time.Minute}}, []limit{{300, 15 * time.Minute}}, []limit{{300, 15 * time.Minute}}, nil}
)

// counter counts what a limit is about.
type counter struct {
	limit
	key    []byte
	shared bool   // by others than who succeeds: a success takes back its own count alone
	why    string // what is over, "" for attempts
}

// counters makes one for each limit of something, which the parts name.
func counters(limits []limit, shared bool, parts ...string) (all []counter) {
	for _, l := range limits {
		all = append(all, counter{limit: l, key: attemptKey(append(parts, l.window.String())...), shared: shared})
	}
	return all
}

// tried is what an attempt was counted by.
type tried []counter

// try counts an attempt at something with an account, by any name of it, and is TooMany
// over a limit. It counts before the attempt is made, so that parallel ones do not slip
// through.
func (a *App) try(ctx context.Context, t attempt, account string, from domain.Visitor) (tried, error) {
	if len(t.known) > 0 {
		hash, known, err := a.knownBrowser(ctx, account, from)
		if err != nil {
			return nil, err
		}
		if known {
			return a.tryAs(ctx, t, "browser", string(hash))
		}
	}
	address := network(from.Address)
	by := tried(counters(t.address, true, t.what, "address", address))
	by = append(by, counters(t.pair, false, t.what, "pair", account, address)...)
	by = append(by, counters(t.account, true, t.what, "account", account)...)
	return by, a.count(ctx, by)
}

// tryAs counts an attempt of somebody who has shown to be no stranger: by a cookie of the
// account, a session, a mailed link. What they try is limited, and is nobody else's.
func (a *App) tryAs(ctx context.Context, t attempt, proof, id string) (tried, error) {
	by := tried(counters(t.known, false, t.what, proof, id))
	return by, a.count(ctx, by)
}

// count counts once by each counter, in its own transaction, since what was counted
// stays so where a limit refuses.
func (a *App) count(ctx context.Context, by tried) error {
	var over error
	err := a.store.InTx(ctx, func(tx *store.Tx) (err error) {
		over, err = countIn(ctx, tx, by, a.now())
		return err
	})
	if err != nil {
		return err
	}
	return over
}

// countIn counts once by each counter; over is TooMany at the first whose limit is passed.
// What is over one limit counts for no further one: who tries too often from one address
// uses up nothing of what others have for the account, and fills no table.
func countIn(ctx context.Context, tx *store.Tx, by tried, now time.Time) (over, err error) {
	for _, c := range by {
		n, end, err := tx.Attempt(ctx, c.key, now, c.window)
		if err != nil {
			return nil, err
		}
		if n > c.most {
			return domain.NewTooMany(c.why, c.most, c.window, end.Sub(now)), nil
		}
	}
	return nil, nil
}

// succeeded forgets the failures of who has succeeded. Of what is counted for others too
// it takes back this attempt alone.
func (a *App) succeeded(ctx context.Context, by tried) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		for _, c := range by {
			forget := tx.ForgetAttempts
			if c.shared {
				forget = tx.TakeBackAttempt
			}
			if err := forget(ctx, c.key); err != nil {
				return err
			}
		}
		return nil
	})
}

// knownBrowser reports whether a visitor's browser has signed in to the account of an
// address before. Who has no such cookie costs no look-up, so nothing tells strangers
// whether there is an account.
func (a *App) knownBrowser(ctx context.Context, email string, from domain.Visitor) (hash []byte, known bool, err error) {
	if from.Browser == "" {
		return nil, false, nil
	}
	if _, ok := emailAddress(email); !ok {
		return nil, false, nil
	}
	hash = auth.HashToken(from.Browser)
	known, err = a.store.KnowsBrowser(ctx, hash, email, a.now())
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
