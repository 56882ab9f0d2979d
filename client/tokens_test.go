package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"vitrine/client"
)

// issuer is a server whose tokens expire. A refresh token works once.
type issuer struct {
	mu       sync.Mutex
	n        int
	requests int            // for tokens
	refused  map[string]int // by access token
	lose     int            // how many responses with tokens are lost
}

func (s *issuer) access() string  { return fmt.Sprint("access", s.n) }
func (s *issuer) refresh() string { return fmt.Sprint("refresh", s.n) }

func (s *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/v3/oauth/token" {
		s.requests++
		again := s.lose < 0 && r.FormValue("refresh_token") == fmt.Sprint("refresh", s.n-1)
		if id, secret, _ := r.BasicAuth(); r.FormValue("refresh_token") != s.refresh() && !again || id != "app" || secret != "s+x" {
			http.Error(w, `{"error": "invalid_grant", "error_description": "No"}`, http.StatusBadRequest)
			return
		}
		if !again {
			s.n++
		}
		if s.lose > 0 {
			s.lose = -1
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, `{"access_token": %q, "refresh_token": %q, "expires_in": 3600}`, s.access(), s.refresh())
		return
	}
	if token := r.Header.Get("Authorization"); token != "Bearer "+s.access() {
		s.refused[token]++
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_, _ = io.WriteString(w, `{"status": "ok"}`)
}

func expiring(t *testing.T, s *issuer, tokens client.Tokens, save func(context.Context, client.Tokens) error) *client.Client {
	t.Helper()
	s.refused = map[string]int{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, client.WithTokens(tokens, client.Application{ID: "app", Secret: "s x"}, save))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Calls at the same time renew a token once, after 401 and before it expires, and the new tokens are saved first.
func TestRenewOnce(t *testing.T) {
	t.Parallel()
	for _, expires := range []time.Time{{}, time.Now().Add(30 * time.Second)} {
		s := &issuer{n: 1}
		var saved []client.Tokens
		c := expiring(t, s, client.Tokens{Access: "old", Refresh: "refresh1", Expires: expires}, func(_ context.Context, t client.Tokens) error {
			saved = append(saved, t)
			return nil
		})
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				if _, err := c.GetPing(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if len(saved) != 1 || saved[0].Access != "access2" || saved[0].Refresh != "refresh2" || time.Until(saved[0].Expires) < 59*time.Minute || s.requests != 1 {
			t.Errorf("%d requests, saved %v", s.requests, saved)
		}
		if !expires.IsZero() && len(s.refused) != 0 {
			t.Errorf("the expired token was used: %v", s.refused)
		}
	}
}

// A lost response is requested again. Tokens that could not be saved are not used, and are saved later.
func TestRenewAgain(t *testing.T) {
	t.Parallel()
	s := &issuer{n: 1, lose: 1}
	fails := true
	c := expiring(t, s, client.Tokens{Access: "old", Refresh: "refresh1"}, func(context.Context, client.Tokens) error {
		if fails {
			return errors.New("disk full")
		}
		return nil
	})
	if _, err := c.GetPing(t.Context()); err == nil || err.Error() != "client: save the tokens: disk full" || s.refused["Bearer access2"] != 0 {
		t.Errorf("%v", err)
	}
	fails = false
	if _, err := c.GetPing(t.Context()); err != nil || s.n != 2 || s.requests != 2 {
		t.Errorf("%v after %d requests", err, s.requests)
	}
}

// A refresh token that is not valid ends the calls; a canceled call does not end the renewal.
func TestRenewRefused(t *testing.T) {
	t.Parallel()
	c := expiring(t, &issuer{n: 1}, client.Tokens{Access: "old", Refresh: "stolen"}, func(context.Context, client.Tokens) error { return nil })
	if _, err := c.GetPing(t.Context()); !errors.Is(err, client.ErrSignedOut) {
		t.Error(err)
	}
	s, saving := &issuer{n: 1}, make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	c = expiring(t, s, client.Tokens{Access: "old", Refresh: "refresh1"}, func(context.Context, client.Tokens) error {
		cancel()
		<-saving
		return nil
	})
	if _, err := c.GetPing(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(saving)
	if _, err := c.GetPing(t.Context()); err != nil || s.requests != 1 {
		t.Errorf("%v after %d requests", err, s.requests)
	}
}
