package httpedge

import (
	"context"
	"net/http"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/app"
	"vitrine/internal/auth"
	"vitrine/internal/budget"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// Callers authenticates requests and applies rate limits (behaviour.md sections 8 and 9).
type Callers struct {
	app     *app.App
	limiter *middleware.Limiter
	now     func() time.Time
	// spent caches tokens whose user is over the limit, so that further requests are refused
	// without a database query.
	spent recent[overdrawn]
	// valid caches tokens that were recently valid. They are still looked up each time, even if too
	// many invalid tokens came from their address.
	valid recent[time.Time] // last use by token
	// reading keeps one client from using all database connections. writing keeps one client from
	// filling the queue of the single SQLite writer.
	reading, writing budget.Slots[middleware.Key]
}

// writable refuses an operation that changes something while the site is read-only. The store refuses it too, but only
// after the body was read.
func (c *Callers) writable(op *describe.Operation) error {
	if m := c.app.Operating.Mode(); m != nil && op.Scope == string(domain.ScopeWrite) {
		return m.Refusal(c.now())
	}
	return nil
}

// recent is an *lru.Cache. The interface keeps the methods of the cache out of every package that uses Callers:
// the compiler would compile them again there.
type recent[V any] interface {
	Get(token string) (V, bool)
	Add(token string, value V) (evicted bool)
	Remove(token string) (present bool)
}

// AtOnce limits the concurrent requests of one client; 0 means no limit.
type AtOnce struct {
	Requests int
	// Writes limits write requests separately, which is useful if they hold no database connection
	// while they wait for the writer. If it is 0, they count among Requests.
	Writes int
}

// Limits of requests that wait for other requests of the same client.
const (
	waitingRequests = 100
	requestMaxWait  = 10 * time.Second
)

// overdrawn is the rate limit key of a token that was over its limit, and the time.
type overdrawn struct {
	key middleware.Key
	at  time.Time
}

// Limits of the caches of tokens. A valid token stays for validFor after its last use, one over the
// limit for spentFor.
const (
	validFor         = time.Hour
	spentFor         = time.Minute
	rememberedTokens = 100_000
)

// NewCallers creates Callers.
func NewCallers(a *app.App, limiter *middleware.Limiter, now func() time.Time, atOnce AtOnce) *Callers {
	c := &Callers{reading: newSlots(atOnce.Requests), writing: newSlots(atOnce.Writes), app: a, limiter: limiter, now: now}
	c.spent, _ = lru.New[string, overdrawn](rememberedTokens) // fails only for a size below 1
	c.valid, _ = lru.New[string, time.Time](rememberedTokens)
	return c
}

func newSlots(atOnce int) budget.Slots[middleware.Key] {
	return budget.Slots[middleware.Key]{AtOnce: atOnce, Waiting: waitingRequests, MaxWait: requestMaxWait,
		Refusal: "Too many of your requests are in progress. Wait for some of them to finish"}
}

// Enter waits until one more request of a client may be answered. The caller must call leave when it is
// done. The error is Unavailable if too many requests already wait, or this one waited too long.
func (c *Callers) Enter(r *http.Request, who domain.Actor) (leave func(), err error) {
	return c.EnterFor(r, who, r.Method != http.MethodGet && r.Method != http.MethodHead)
}

// EnterFor is Enter for a request whose method does not show whether it writes.
func (c *Callers) EnterFor(r *http.Request, who domain.Actor, writes bool) (leave func(), err error) {
	key, limit := keyOf(r.Context(), who), c.slotsFor(writes)
	if err := limit.Enter(r.Context(), key); err != nil {
		if domain.KindOf(err) == domain.Unavailable {
			middleware.From(r.Context()).Refused = middleware.TooManyAtOnce
		}
		return nil, err
	}
	return func() { limit.Leave(key) }, nil
}

// slotsFor returns the slots that a request uses.
func (c *Callers) slotsFor(writes bool) *budget.Slots[middleware.Key] {
	if c.writing.AtOnce == 0 || !writes {
		return &c.reading
	}
	return &c.writing
}

// overLimit returns the rate limit key of a token that was recently over its limit.
func (c *Callers) overLimit(token string) (middleware.Key, bool) {
	known, ok := c.spent.Get(token)
	return known.key, ok && c.now().Sub(known.at) < spentFor
}

// wasValid reports whether a token was recently valid.
func (c *Callers) wasValid(token string) bool {
	last, ok := c.valid.Get(token)
	return ok && c.now().Sub(last) < validFor
}

// Admit returns the actor of a request that has no APIHandler, or responds and returns false, like admit. The
// actor of a request without a token is a guest.
func (c *Callers) Admit(w http.ResponseWriter, r *http.Request, errs Errors, at domain.TokenAudience) (domain.Actor, bool) {
	return c.admit(w, r, errs, at)
}

// admit returns the actor, or responds and returns false: 401 for an invalid token, 429 over the
// limit. Invalid tokens count against the address they come from. After too many of them, unknown
// tokens from that address are refused without a database query; recently valid ones keep working.
func (c *Callers) admit(w http.ResponseWriter, r *http.Request, errs Errors, at domain.TokenAudience) (domain.Actor, bool) {
	token, present, ok := bearer(r)
	if !present {
		return domain.Actor{}, c.guest(w, r, errs)
	}
	if key, known := c.overLimit(token); known {
		if d, over := c.limiter.Exhausted(c.now(), key); over {
			errs.limited(c.limiter, w, r, d)
			return domain.Actor{}, false
		}
	}
	who, err := domain.Actor{}, error(domain.NewUnauthenticated("The Authorization header is not `Bearer <token>`"))
	seen := c.wasValid(token)
	bad := middleware.BadTokenKey(middleware.From(r.Context()).ClientIP)
	if !seen {
		if d, over := c.limiter.Exhausted(c.now(), bad); over {
			errs.limited(c.limiter, w, r, d)
			return domain.Actor{}, false
		}
	}
	if ok {
		who, err = c.app.Accounts.AuthenticateFor(r.Context(), token, at)
	}
	if domain.KindOf(err) == domain.Unauthenticated {
		c.limiter.Take(r.Context(), c.now(), bad, string(domain.TierGuest))
		c.valid.Remove(token)
	} else if err == nil {
		c.valid.Add(token, c.now())
	}
	if err != nil {
		if c.guest(w, r, errs) {
			errs.Fail(r.Context(), w, r, err)
		}
		return domain.Actor{}, false
	}
	key := keyOf(r.Context(), who)
	if !c.take(w, r, errs, key, string(who.Tier)) {
		c.spent.Add(token, overdrawn{key, c.now()})
		return domain.Actor{}, false
	}
	middleware.From(r.Context()).UserID = int64(who.UserID)
	return who, true
}

// keyOf returns the rate limit key of a request: the user, the application that acts as itself, or
// the guest's address.
func keyOf(ctx context.Context, who domain.Actor) middleware.Key {
	switch {
	case who.SignedIn():
		return middleware.UserKey(int64(who.UserID))
	case who.ApplicationID != 0:
		return middleware.ApplicationKey(int64(who.ApplicationID))
	}
	return middleware.GuestKey(middleware.From(ctx).ClientIP)
}

// bearer reads the token of a request. It rejects several Authorization lines because a proxy might
// have used a different one (RFC 9110 section 5.3).
func bearer(r *http.Request) (token string, present, ok bool) {
	if lines := r.Header.Values("Authorization"); len(lines) > 1 {
		return "", true, false
	}
	return auth.BearerToken(r.Header.Get("Authorization"))
}

// guest counts a request without a valid token. It returns false if it refused the request.
func (c *Callers) guest(w http.ResponseWriter, r *http.Request, errs Errors) bool {
	return c.take(w, r, errs, keyOf(r.Context(), domain.Actor{}), string(domain.TierGuest))
}

func (c *Callers) take(w http.ResponseWriter, r *http.Request, errs Errors, key middleware.Key, tier string) bool {
	d := c.limiter.Take(r.Context(), c.now(), key, tier)
	middleware.From(r.Context()).Tier = d.Tier
	if !d.Allowed {
		errs.limited(c.limiter, w, r, d)
		return false
	}
	d.WriteHeaders(w.Header())
	return true
}
