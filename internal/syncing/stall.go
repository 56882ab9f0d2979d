package syncing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// maxStall is how long a request may wait for the next bytes.
const maxStall = 2 * time.Minute

// stalling cancels requests that transfer nothing for some time.
type stalling struct {
	http.RoundTripper
	limit time.Duration
}

// withStall returns an HTTP client whose requests are cancelled if they transfer nothing for so long.
func withStall(c *http.Client, limit time.Duration) *http.Client {
	copied := *c
	copied.Transport = stalling{cmp.Or(c.Transport, http.DefaultTransport), limit}
	return &copied
}

// RoundTrip implements http.RoundTripper.
func (s stalling) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	late := fmt.Errorf("no data for %s: %w", s.limit, os.ErrDeadlineExceeded)
	t := &transfer{limit: s.limit, timer: time.AfterFunc(s.limit, func() { cancel(late) }), ctx: ctx, cancel: cancel}
	r = r.Clone(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &watched{ReadCloser: r.Body, transfer: t}
	}
	res, err := s.RoundTripper.RoundTrip(r)
	if err != nil {
		t.end()
		return nil, t.reason(err)
	}
	res.Body = &watched{ReadCloser: res.Body, transfer: t, last: true}
	return res, nil
}

// transfer is one request with its response.
type transfer struct {
	limit  time.Duration
	timer  *time.Timer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (t *transfer) end() {
	t.timer.Stop()
	t.cancel(nil)
}

// reason replaces the error of a cancelled request by one of the network.
func (t *transfer) reason(err error) error {
	if cause := context.Cause(t.ctx); errors.Is(cause, os.ErrDeadlineExceeded) {
		return cause
	}
	return err
}

// watched is a body whose reads restart the timer.
type watched struct {
	io.ReadCloser
	*transfer
	last bool // closing it ends the transfer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if n > 0 && w.ctx.Err() == nil {
		w.timer.Reset(w.limit)
	}
	if err != nil && err != io.EOF {
		err = w.reason(err)
	}
	return n, err
}

func (w *watched) Close() error {
	if w.last {
		defer w.end()
	}
	return w.ReadCloser.Close()
}
