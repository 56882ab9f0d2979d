package changes

import (
	"context"
	"time"

	"vitrine/internal/domain"
)

// uncheckedTime is how long a request waits although it cannot be checked whether its token or session is still valid.
const uncheckedTime = 10 * time.Second

// Client is who waits: a name for the limits, and the hash of the token or of the secret of the session, which guests do
// not have.
type Client struct {
	Name           string
	Token, Session []byte
}

// held is a request that waits. It ends when its token or session does.
type held struct {
	Client
	limits string
	valid  time.Time     // when it was checked last
	ended  chan struct{} // closed when it must end
	why    error         // set before
}

// The reasons why a request no longer waits.
var (
	errNotValid  = domain.NewUnauthenticated("The token or session is not valid any more")
	errUnchecked = domain.NewUnavailableFor(time.Second, "It could not be checked whether the token is still valid: try again")
)

func newHeld(client Client, limits *domain.TokenLimits) *held {
	return &held{Client: client, limits: limits.String(), valid: time.Now(), ended: make(chan struct{})}
}

// guest reports whether there is nothing to check.
func (h *held) guest() bool { return len(h.Token)+len(h.Session) == 0 }

// over returns why the request must end now, nil if it may go on.
func (h *held) over() error {
	select {
	case <-h.ended:
		return h.why
	default:
		return nil
	}
}

// check ends the requests whose token or session is no longer valid, or has other limits. It runs at most two statements.
func (w *waiting) check(ctx context.Context) {
	w.mu.Lock()
	all := make([]*held, 0, len(w.held))
	var tokens, sessions []string
	for h := range w.held {
		all = append(all, h)
		if len(h.Token) > 0 {
			tokens = append(tokens, string(h.Token))
		}
		if len(h.Session) > 0 {
			sessions = append(sessions, string(h.Session))
		}
	}
	w.mu.Unlock()
	at := time.Now()
	verdict, err := w.verdicts(ctx, tokens, sessions)
	w.judge(all, at, verdict, err)
}

// judge ends those of some requests that were found to be over, or that could not be checked for too long.
func (w *waiting) judge(all []*held, at time.Time, verdict func(*held) error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range all {
		if _, waits := w.held[h]; !waits {
			continue
		}
		if err == nil {
			h.valid, h.why = at, verdict(h)
		} else if at.Sub(h.valid) > uncheckedTime {
			h.why = errUnchecked
		}
		if h.why != nil {
			close(h.ended)
			delete(w.held, h)
		}
	}
}

// verdicts returns a function that returns the reason why a request must end, or nil.
func (w *waiting) verdicts(ctx context.Context, tokens, sessions []string) (func(*held) error, error) {
	var live map[string]*domain.TokenLimits
	var signedIn map[string]bool
	var err error
	if tokens = unique(tokens); len(tokens) > 0 {
		if live, err = w.shared.store.Account().LiveTokens(ctx, tokens, w.now()); err != nil {
			return nil, err
		}
	}
	if sessions = unique(sessions); len(sessions) > 0 {
		if signedIn, err = w.shared.store.Account().LiveSessions(ctx, sessions, w.now()); err != nil {
			return nil, err
		}
	}
	return func(h *held) error {
		limits, ok := live[string(h.Token)]
		switch {
		case len(h.Token) > 0 && !ok, len(h.Session) > 0 && !signedIn[string(h.Session)]:
			return errNotValid
		case len(h.Token) > 0 && limits.String() != h.limits:
			return errUnchecked // the next request has the new limits
		}
		return nil
	}, nil
}
