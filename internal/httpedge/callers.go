package httpedge

import (
	"net/http"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/app"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/slots"
)

// Callers finds out who makes requests, and how many they may make
// (behaviour.md sections 8 and 9).
type Callers struct {
	app     *app.App
	limiter *middleware.Limiter
	now     func() time.Time
	// spent remembers tokens whose user is over the limit, so that refusing more
	// requests needs no look at the database.
	spent *lru.Cache[string, overdrawn]
	// valid remembers tokens that were valid a while ago. They are looked up like others,
	// but also when too many bad ones have come from their address.
	valid *lru.Cache[string, time.Time] // by token, its last use
	// turns keep one client from having all connections to the database, and writing those from
	// filling the line for its one writer.
	turns, writing slots.Slots[middleware.Key]
}

// AtOnce is how many requests of one client are answered at once; 0 for no bound.
type AtOnce struct {
	Requests int
	// Writes is how many of those that write, where they are counted by themselves, since those that
	// wait for their turn to write hold no connection; 0 where they are among Requests.
	Writes int
}

// How many requests of a client may wait for others of the same, and how long.
const (
	waitingRequests = 100
	requestPatience = 10 * time.Second
)

// overdrawn is whose limit a token was over, and when.
type overdrawn struct {
	key middleware.Key
	at  time.Time
}

// validFor is for how long a valid token is remembered after its last use, and spentFor
// one that was over the limit. Of either, rememberedTokens are at most.
const (
	validFor         = time.Hour
	spentFor         = time.Minute
	rememberedTokens = 100_000
)

// NewCallers makes it.
func NewCallers(a *app.App, limiter *middleware.Limiter, now func() time.Time, atOnce AtOnce) *Callers {
	c := &Callers{turns: newTurns(atOnce.Requests), writing: newTurns(atOnce.Writes), app: a, limiter: limiter, now: now}
	c.spent, _ = lru.New[string, overdrawn](rememberedTokens) // it fails for none
	c.valid, _ = lru.New[string, time.Time](rememberedTokens)
	return c
}

func newTurns(atOnce int) slots.Slots[middleware.Key] {
	return slots.Slots[middleware.Key]{AtOnce: atOnce, Waiting: waitingRequests, Patience: requestPatience,
		Refusal: "Too many of your requests are under way: wait for some of them"}
}

// Turn waits until one more request of a client may be answered. The caller must call leave when it is
// done. The error is Unavailable if too many requests already wait, or this one waited too long.
func (c *Callers) Turn(r *http.Request, who domain.Actor) (leave func(), err error) {
	key, turns := keyOf(who, r), c.turnsOf(r)
	if err := turns.Enter(r.Context(), key); err != nil {
		if domain.KindOf(err) == domain.Unavailable {
			middleware.From(r.Context()).Refused = middleware.TooManyAt
		}
		return nil, err
	}
	return func() { turns.Leave(key) }, nil
}

// turnsOf gives the turns that a request takes.
func (c *Callers) turnsOf(r *http.Request) *slots.Slots[middleware.Key] {
	if c.writing.AtOnce == 0 || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return &c.turns
	}
	return &c.writing
}

// overLimit gives whose limit a token was over a moment ago.
func (c *Callers) overLimit(token string) (middleware.Key, bool) {
	known, ok := c.spent.Get(token)
	return known.key, ok && c.now().Sub(known.at) < spentFor
}

// wasValid reports whether a token was valid lately.
func (c *Callers) wasValid(token string) bool {
	last, ok := c.valid.Get(token)
	return ok && c.now().Sub(last) < validFor
}

// admit gives the actor, or answers the request and is false: 401 for a token that
// is not valid, 429 over the limit. Bad tokens count against the address they come from;
// once there are too many, unknown tokens from there are refused without a look at the
// database, and those that were valid lately go on working.
func (c *Callers) admit(w http.ResponseWriter, r *http.Request, errs Errors) (domain.Actor, bool) {
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
		who, err = c.app.Authenticate(r.Context(), token)
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
	key := keyOf(who, r)
	if !c.take(w, r, errs, key, string(who.Tier)) {
		c.spent.Add(token, overdrawn{key, c.now()})
		return domain.Actor{}, false
	}
	middleware.From(r.Context()).UserID = int64(who.UserID)
	return who, true
}

// keyOf is what the requests of a client are counted by: the user, the application that
// acts as itself, or the address of a guest.
func keyOf(who domain.Actor, r *http.Request) middleware.Key {
	switch {
	case who.SignedIn():
		return middleware.UserKey(int64(who.UserID))
	case who.ApplicationID != 0:
		return middleware.ApplicationKey(int64(who.ApplicationID))
	}
	return middleware.GuestKey(middleware.From(r.Context()).ClientIP)
}

// bearer reads the token of a request. Of several Authorization lines a proxy might
// have believed another than we would, so together they are none (RFC 9110 section 5.3).
func bearer(r *http.Request) (token string, present, ok bool) {
	if lines := r.Header.Values("Authorization"); len(lines) > 1 {
		return "", true, false
	}
	return auth.BearerToken(r.Header.Get("Authorization"))
}

// guest counts a request without a valid token.
func (c *Callers) guest(w http.ResponseWriter, r *http.Request, errs Errors) bool {
	return c.take(w, r, errs, keyOf(domain.Actor{}, r), string(domain.TierGuest))
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
