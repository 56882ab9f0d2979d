package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"vitrine/internal/fetch"
)

// How often a temporary failure is retried, and the wait between attempts.
const (
	tries     = 8
	fileTries = 4
	minWait   = time.Second
	maxWait   = time.Minute
	maxRefuse = 30 // consecutive 429 responses
)

// Limits for a response, since the other server may be hostile.
const (
	maxBody  = 32 << 20     // bytes
	maxItem  = 8 << 20      // bytes of one item of a list, or of a response that is not a list
	maxItems = 10 * perPage // on one page
)

// Error is a failed request. Why is for users, and contains no token.
type Error struct {
	Where  string // the requested address
	Why    string
	Status int  // of the response, if that is the reason
	Down   bool // the server is down, so other requests would fail too
	cause  error
}

func (e *Error) Error() string { return e.Why + " (" + e.Where + ")" }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// client sends requests to a server of version 3 within its rate limit.
type client struct {
	base  string // without a trailing slash
	token string
	http  *fetch.Client
	sleep func(ctx context.Context, d time.Duration) error
	now   func() time.Time

	mu     sync.Mutex
	limit  int // requests per window; 0: unknown
	window time.Duration
	began  time.Time // start of the window
	sent   int       // requests sent in the window
	not    time.Time // no request is sent before this time
}

// get reads a JSON response, and retries temporary failures.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	where := c.base + path
	if len(query) > 0 {
		where += "?" + query.Encode()
	}
	refused := 0
	for try := 1; ; try++ {
		if err := c.waitForLimit(ctx); err != nil {
			return err
		}
		err := c.ask(ctx, where, into)
		failed, ok := errors.AsType[*fetch.Error](err)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !ok {
			why := "The answer cannot be read"
			if tooMuch, is := errors.AsType[tooMuchError](err); is {
				why = string(tooMuch)
			}
			return &Error{Where: where, Why: why, cause: err}
		}
		wait := c.backoff(try)
		if failed.RetryAfter > 0 {
			wait = failed.RetryAfter
		}
		if failed.Status == http.StatusTooManyRequests {
			if refused++; refused <= maxRefuse {
				try-- // being rate limited is not a failure
			}
			c.pause(wait)
		}
		if !failed.Temporary || try >= tries {
			return explained(where, failed, errors.Is(err, io.ErrUnexpectedEOF))
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// explained converts a failure to an Error.
func explained(where string, failed *fetch.Error, answered bool) *Error {
	e := &Error{Where: where, Why: failed.Reason, Status: failed.Status, cause: failed}
	switch failed.Status {
	case 0:
		e.Down = failed.Temporary && !answered
	case http.StatusUnauthorized:
		e.Why = "The token is not valid there"
	case http.StatusForbidden:
		e.Why = "The token may not read it"
	case http.StatusNotFound:
		e.Why = "It does not exist there, or only its owner sees it"
	}
	return e
}

// ask sends one request.
func (c *client) ask(ctx context.Context, where string, into any) error {
	answer, err := c.http.Get(ctx, fetch.Request{URL: where, Accept: "application/json", MaxBytes: maxBody, Bearer: c.token})
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // errors of closing a reader do not matter
	c.learn(answer.Header)
	if err := decode(answer.Body, into); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) { // the next attempt may succeed
			return errors.Join(&fetch.Error{Reason: "The answer was cut off", Temporary: true}, err)
		}
		return err
	}
	return nil
}

// waitForLimit waits until the rate limit allows a request.
func (c *client) waitForLimit(ctx context.Context) error {
	for {
		c.mu.Lock()
		now := c.now()
		if c.began.IsZero() || c.window > 0 && now.Sub(c.began) >= c.window {
			c.began, c.sent = now, 0
		}
		until := c.not
		if c.limit > 0 && c.sent >= c.limit {
			if end := c.began.Add(c.window); end.After(until) {
				until = end
			}
		}
		if !until.After(now) {
			c.sent++
			c.mu.Unlock()
			return nil
		}
		c.mu.Unlock()
		if err := c.sleep(ctx, until.Sub(now)); err != nil {
			return err
		}
	}
}

// learn reads the rate limit from a response.
func (c *client) learn(h http.Header) {
	number := func(name string) (int64, bool) {
		n, err := strconv.ParseInt(h.Get(name), 10, 64)
		return n, err == nil && n >= 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	limit, _ := number("X-RateLimit-Limit")
	window, ok := number("X-RateLimit-Window")
	if !ok || window > 3_600 {
		window = 60
	}
	if limit > 0 && limit < 1_000_000 && window > 0 {
		c.limit, c.window = int(limit), time.Duration(window)*time.Second
	}
	left, told := number("X-RateLimit-Remaining")
	if reset, ok := number("X-RateLimit-Reset"); told && left == 0 && ok && limit > 0 {
		c.wait(min(time.Unix(reset, 0).Sub(c.now()), time.Duration(window)*time.Second)) // the server's clock may be wrong
	}
}

// pause delays all requests.
func (c *client) pause(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wait(d)
}

func (c *client) wait(d time.Duration) {
	if until := c.now().Add(d); until.After(c.not) {
		c.not = until
	}
}

// backoff returns a random wait that grows with the number of failures.
func (c *client) backoff(failures int) time.Duration {
	wait := min(minWait<<min(failures-1, 10), maxWait)
	return wait/2 + rand.N(wait/2+1)
}

// open requests a file. It may be on another server, so the token is not sent.
func (c *client) open(ctx context.Context, address string, limit int64) (io.ReadCloser, error) {
	for try := 1; ; try++ {
		answer, err := c.http.Get(ctx, fetch.Request{URL: address, MaxBytes: limit})
		if err == nil {
			return answer.Body, nil
		}
		failed, ok := errors.AsType[*fetch.Error](err)
		if !ok || !failed.Temporary || try >= fileTries || ctx.Err() != nil {
			return nil, err
		}
		if err := c.sleep(ctx, max(failed.RetryAfter, c.backoff(try))); err != nil {
			return nil, err
		}
	}
}

// slept waits for a duration or until the context ends.
func slept(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the server: %w", ctx.Err())
	}
}
