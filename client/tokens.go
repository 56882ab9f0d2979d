package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Tokens are what OAuth issued: an access token that expires, and the refresh token that renews it.
type Tokens struct {
	Access, Refresh string
	Expires         time.Time // of the access token; zero: unknown
}

// Application is an OAuth application.
type Application struct {
	ID     string
	Secret string // empty if the application is public
}

// ErrSignedOut is the error of a client whose refresh token is not valid any more: the person must sign in again.
var ErrSignedOut = errors.New("client: the refresh token is not valid any more")

// Limits of renewing tokens.
const (
	early      = time.Minute      // before its end an access token is renewed
	renewalEnd = 25 * time.Second // of all attempts; a lost response can be requested again for 30 seconds
	renewals   = 2                // attempts whose response may have been lost
)

// WithTokens sends an access token that expires, and renews it shortly before that, and after a response with 401. Several
// calls at a time renew it once. Each renewal replaces the refresh token, so save stores the new tokens before they are
// used; if it fails, the call fails, and the next one calls save again. Only one process may renew the tokens of a sign-in.
func WithTokens(t Tokens, app Application, save func(context.Context, Tokens) error) Option {
	return func(c *Client) { c.tokens = &tokens{now: t, app: app, save: save} }
}

// tokens holds the tokens of a client.
type tokens struct {
	app  Application
	save func(context.Context, Tokens) error // nil if the token cannot be renewed

	mu      sync.Mutex
	now     Tokens
	unsaved bool
	running chan struct{} // closed when the renewal ends; nil if there is none
	failed  error         // of the last renewal
}

func (t *tokens) renewable() bool { return t.save != nil }

// current returns the access token to send.
func (t *tokens) current(ctx context.Context, c *Client) (string, error) {
	t.mu.Lock()
	now, unsaved := t.now, t.unsaved
	t.mu.Unlock()
	if t.renewable() && (unsaved || !now.Expires.IsZero() && time.Until(now.Expires) < early) {
		if err := t.renew(ctx, c, now.Access); err != nil {
			return "", err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.now.Access, nil
	}
	return now.Access, nil
}

// renew replaces an access token, unless another call has done so. The renewal goes on if the context ends, since its
// result would be lost.
func (t *tokens) renew(ctx context.Context, c *Client, used string) error {
	t.mu.Lock()
	if t.now.Access != used && !t.unsaved {
		t.mu.Unlock()
		return nil
	}
	if t.running == nil {
		t.running = make(chan struct{})
		go t.run(context.WithoutCancel(ctx), c)
	}
	running := t.running
	t.mu.Unlock()
	select {
	case <-running:
	case <-ctx.Done():
		return ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// run renews the tokens and saves them.
func (t *tokens) run(ctx context.Context, c *Client) {
	t.mu.Lock()
	now, fresh := t.now, !t.unsaved
	t.mu.Unlock()
	var err error
	if fresh {
		now, err = t.request(ctx, c, now.Refresh)
	}
	unsaved := false
	if err == nil {
		if err = t.save(ctx, now); err != nil {
			unsaved, err = true, fmt.Errorf("client: save the tokens: %w", err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil || unsaved {
		t.now, t.unsaved = now, unsaved
	}
	t.failed = err
	close(t.running)
	t.running = nil
}

// request requests new tokens. A refused request has no effect and can be repeated; one without a response only once, since
// a third use of a refresh token looks like a theft.
func (t *tokens) request(ctx context.Context, c *Client, refresh string) (Tokens, error) {
	ctx, cancel := context.WithTimeout(ctx, renewalEnd)
	defer cancel()
	values := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}}
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {c.agent}, "Content-Type": {formType}}
	if t.app.Secret == "" {
		values.Set("client_id", t.app.ID)
	} else {
		basic := http.Request{Header: header}
		basic.SetBasicAuth(url.QueryEscape(t.app.ID), url.QueryEscape(t.app.Secret))
	}
	var out struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Seconds int64  `json:"expires_in"`
	}
	for attempt, lost := 0, 0; ; attempt++ {
		err := c.send(ctx, Request{Method: http.MethodPost, Path: "/v3/oauth/token", Out: &out}, header, []byte(values.Encode()))
		if err == nil && (out.Access == "" || out.Refresh == "") {
			err = errors.New("client: the server returned no new tokens")
		}
		if err == nil {
			break
		}
		var e *Error
		refused := errors.As(err, &e)
		if refused && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnauthorized) {
			return Tokens{}, fmt.Errorf("%w: %w", ErrSignedOut, err)
		}
		if !refused || e.Status == http.StatusBadGateway || e.Status == http.StatusGatewayTimeout {
			lost++
		}
		pause, again := c.pause(err, http.MethodPut, header, attempt) // like a PUT, it can be repeated
		if !refused {
			again = true // also if the response ended early: the server may have renewed the token
		}
		if !again || lost >= renewals || c.wait(ctx, pause) != nil {
			return Tokens{}, err
		}
	}
	made := Tokens{Access: out.Access, Refresh: out.Refresh}
	if out.Seconds > 0 {
		made.Expires = time.Now().Add(time.Duration(out.Seconds) * time.Second)
	}
	return made, nil
}
