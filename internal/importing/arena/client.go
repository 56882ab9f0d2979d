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

// How often something is asked for that may yet come, and how long is waited in between.
const (
	tries     = 8
	fileTries = 4
	minWait   = time.Second
	maxWait   = time.Minute
	maxRefuse = 30 // times in a row that too much was asked
)

// Limits for a response, since the other server may be hostile.
const (
	maxBody  = 32 << 20     // bytes
	maxItem  = 8 << 20      // bytes of one item of a list, or of a response that is not a list
	maxItems = 10 * perPage // on one page
)

// Error is why something could not be read. Why is for people, and has no token in it.
type Error struct {
	Where  string // the address that was asked
	Why    string
	Status int  // of the answer, if that is why
	Down   bool // the server cannot be reached, whatever it is asked
	cause  error
}

func (e *Error) Error() string { return e.Why + " (" + e.Where + ")" }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// client asks a server of version 3, as often as it allows.
type client struct {
	base  string // without a slash at its end
	token string
	http  *fetch.Client
	sleep func(ctx context.Context, d time.Duration) error
	now   func() time.Time

	mu     sync.Mutex
	limit  int // requests in a window; 0: not known
	window time.Duration
	began  time.Time // of the window
	sent   int       // in it
	not    time.Time // before which nothing is sent
}

// get reads an answer of JSON.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	where := c.base + path
	if len(query) > 0 {
		where += "?" + query.Encode()
	}
	refused := 0
	for try := 1; ; try++ {
		if err := c.turn(ctx); err != nil {
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
				try-- // it is no failure to be told to wait
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

// explained says what a failure means.
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
	defer func() { _ = answer.Body.Close() }() // of what was only read
	c.learn(answer.Header)
	if err := decode(answer.Body, into); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) { // it may come whole the next time
			return errors.Join(&fetch.Error{Reason: "The answer was cut off", Temporary: true}, err)
		}
		return err
	}
	return nil
}

// turn waits until a request may be sent.
func (c *client) turn(ctx context.Context) error {
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

// learn takes from an answer how many requests there may be.
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
		c.wait(min(time.Unix(reset, 0).Sub(c.now()), time.Duration(window)*time.Second)) // its clock may be wrong
	}
}

// pause sends nothing for a while.
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

// backoff is how long to wait after so many failures, not all at the same moment.
func (c *client) backoff(failures int) time.Duration {
	wait := min(minWait<<min(failures-1, 10), maxWait)
	return wait/2 + rand.N(wait/2+1)
}

// open gets a file. Its server may be another, which gets no token.
func (c *client) open(ctx context.Context, address string, most int64) (io.ReadCloser, error) {
	for try := 1; ; try++ {
		answer, err := c.http.Get(ctx, fetch.Request{URL: address, MaxBytes: most})
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

// slept waits.
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
