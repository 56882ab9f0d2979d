package middleware

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"vitrine/internal/budget"
)

// BodyLimit limits request bodies: reading more than limit bytes fails with *http.MaxBytesError,
// which the handler turns into 413. If Content-Length is too large, the first read fails before any
// data is received. BodyLimit does not respond itself, so that a 413 counts against the rate limit
// like any other response.
func BodyLimit(limit int64) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.ContentLength > limit:
				r.Body = refusedBody{r.Body, limit}
			case r.Body != nil && r.Body != http.NoBody:
				r.Body = http.MaxBytesReader(w, r.Body, limit)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// refusedBody is the body of a request whose Content-Length is too large.
type refusedBody struct {
	io.Closer
	limit int64
}

// Read always fails.
func (b refusedBody) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: b.limit} }

// HeaderLimit responds 431 to requests whose header is larger than limit bytes and closes the
// connection. The limit of net/http must be larger, because it writes its own error response.
func HeaderLimit(limit int, render Renderer) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if headerSize(r) > limit {
				w.Header().Set("Connection", "close")
				render(w, r, http.StatusRequestHeaderFieldsTooLarge, "The header of the request is too large")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// headerSize returns the approximate size of a request's header on the wire.
func headerSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + len(": \r\n")
		}
	}
	return n
}

// Memory charges the memory of each request and its response to a budget, per user or per guest's
// address, until the response is written.
func Memory(b *budget.Budget) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			client := func() any {
				if x.UserID != 0 {
					return UserKey(x.UserID)
				}
				return GuestKey(x.ClientIP)
			}
			account := b.Open(client)
			defer account.Close()
			x.Scope.Memory = account
			next.ServeHTTP(w, r)
		})
	}
}

// Deadline limits the time of each request to d (behaviour.md section 1). After that the context is
// cancelled and reading the body fails. If the handler then responds with an error (status 400 and
// up) or not at all, the response is a 408 from render. A late success is still sent, because it
// took effect. Deadline starts no goroutine, so it does not interrupt a handler that ignores both
// its context and its body.
func Deadline(d time.Duration, render Renderer) Middleware {
	message := "The request took longer than " + d.String()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			deadline := time.Now().Add(d)
			ctx := &deadlineContext{Context: r.Context(), deadline: deadline}
			defer ctx.end()
			r = r.WithContext(ctx)
			limitReading(w, r, deadline)
			dw := &deadlineWriter{ResponseWriter: w, deadline: deadline}
			next.ServeHTTP(dw, r)
			if !dw.missed() {
				return
			}
			dropRepresentation(w.Header())
			render(w, r, http.StatusRequestTimeout, message)
		})
	}
}

// deadlineContext is a context with a deadline. It starts a timer and registers with its parent only
// when something waits for its end. Most reads of a few rows only call Err.
type deadlineContext struct {
	context.Context
	deadline time.Time
	timed    atomic.Pointer[timedContext] // nil until the first call of Done
	ended    atomic.Bool
}

// timedContext is a context of package context with the function that cancels it.
type timedContext struct {
	context.Context
	cancel context.CancelFunc
}

// Deadline implements context.Context.
func (c *deadlineContext) Deadline() (time.Time, bool) { return c.deadline, true }

// Done implements context.Context.
func (c *deadlineContext) Done() <-chan struct{} {
	t := c.timed.Load()
	if t == nil {
		ctx, cancel := context.WithDeadline(c.Context, c.deadline)
		t = &timedContext{ctx, cancel}
		if !c.timed.CompareAndSwap(nil, t) {
			cancel()
			t = c.timed.Load()
		}
		if c.ended.Load() {
			t.cancel()
		}
	}
	return t.Done()
}

// Err implements context.Context.
func (c *deadlineContext) Err() error {
	if t := c.timed.Load(); t != nil {
		return t.Err()
	}
	switch err := c.Context.Err(); {
	case err != nil:
		return err
	case !time.Now().Before(c.deadline):
		return context.DeadlineExceeded
	case c.ended.Load():
		return context.Canceled
	}
	return nil
}

// Value implements context.Context. After Done it finds the context of package context, so that
// child contexts need no goroutine.
func (c *deadlineContext) Value(key any) any {
	if t := c.timed.Load(); t != nil {
		return t.Value(key)
	}
	return c.Context.Value(key)
}

// end cancels the context.
func (c *deadlineContext) end() {
	c.ended.Store(true)
	if t := c.timed.Load(); t != nil {
		t.cancel()
	}
}

// limitReading sets the connection's read deadline if the request has a body. Without a body,
// net/http is already reading ahead for the next request and would treat the deadline as a lost
// client. net/http clears the deadline after the body has been read. If the body is not read to the
// end, net/http fails to drain it and closes the connection instead of waiting.
func limitReading(w http.ResponseWriter, r *http.Request, deadline time.Time) {
	if r.Body != nil && r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(deadline) // not every writer has a connection
	}
}

// deadlineWriter drops error responses that start after the deadline.
type deadlineWriter struct {
	http.ResponseWriter
	deadline time.Time
	wrote    bool
	dropped  bool
}

func (w *deadlineWriter) late() bool { return !time.Now().Before(w.deadline) }

// missed reports whether the response must be 408.
func (w *deadlineWriter) missed() bool { return w.dropped || !w.wrote && w.late() }

func (w *deadlineWriter) WriteHeader(status int) {
	if !w.wrote && !w.dropped && status >= http.StatusOK {
		w.dropped = status >= http.StatusBadRequest && w.late()
		w.wrote = !w.dropped
	}
	if !w.dropped {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *deadlineWriter) Write(p []byte) (int, error) {
	if w.dropped {
		return len(p), nil
	}
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

func (w *deadlineWriter) Flush() {
	if !w.dropped {
		w.wrote = true
		flush(w.ResponseWriter)
	}
}

// Unwrap supports http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

const (
	// stall is how long a client may accept no data.
	stall = 30 * time.Second
	// paceStep is the number of bytes written per deadline and call. It is up to twice as large if
	// a client at the minimum rate needs less than half of stall for it, so that a usual page is
	// sent at once.
	paceStep = 32 << 10
)

func stepAt(rate int64) int {
	return int(max(paceStep, min(2*paceStep, rate*int64(stall/2/time.Second))))
}

// Pace closes the connection if the client accepts nothing for half a minute, or fewer than rate
// bytes per second on average. It counts only the time that writes block, not the handler's own
// time. It must be outermost because the deadlines belong to the connection, or to the stream in
// HTTP/2.
func Pace(rate int64) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p := &pacer{ResponseWriter: w, control: http.NewResponseController(w), rate: rate}
			p.extend(time.Now(), 0) // a reused connection has the deadline of its last response
			next.ServeHTTP(p, r)
			p.extend(time.Now(), 0) // net/http has yet to send its buffer
		})
	}
}

type pacer struct {
	http.ResponseWriter
	control *http.ResponseController
	rate    int64
	sent    int64
	waited  time.Duration
	until   time.Time // the deadline of the connection
	failed  error     // of a write; further writes would continue the body after a gap
}

// paceSlack is how much earlier than necessary a deadline may be. So most responses set only one.
const paceSlack = 100 * time.Millisecond

// extend sets the deadline for the next n bytes.
func (p *pacer) extend(now time.Time, n int64) {
	left := stall + time.Duration(float64(p.sent+n)/float64(p.rate)*float64(time.Second)) - p.waited
	deadline := now.Add(min(stall, left))
	if later := deadline.Sub(p.until); 0 <= later && later < paceSlack {
		return
	}
	p.until = deadline
	_ = p.control.SetWriteDeadline(deadline) // not every writer has a connection
}

func (p *pacer) Write(b []byte) (done int, err error) {
	for first := true; first || done < len(b); first = false {
		if p.failed != nil {
			return done, p.failed
		}
		part := b[done:min(len(b), done+stepAt(p.rate))]
		begin := time.Now()
		p.extend(begin, int64(len(part)))
		n, err := p.ResponseWriter.Write(part)
		p.waited += time.Since(begin)
		p.sent += int64(n)
		done += n
		p.failed = err
	}
	return done, p.failed
}

// Flush implements http.Flusher.
func (p *pacer) Flush() {
	if p.failed == nil {
		p.extend(time.Now(), 0)
		flush(p.ResponseWriter)
	}
}

// SetWriteDeadline supports http.ResponseController. A handler that waits removes the deadline, as HTTP/2 ends a stream
// whose deadline passes between two writes. The next write sets one again.
func (p *pacer) SetWriteDeadline(deadline time.Time) error {
	p.until = deadline
	return p.control.SetWriteDeadline(deadline)
}

// Unwrap supports http.ResponseController.
func (p *pacer) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// minProgress is the number of bytes that must arrive within the patience. With 30 s that is 2 KiB
// a second, which even a slow phone manages.
const minProgress = 64 << 10

// SlowBody returns the body of a request that may take long as long as data keeps arriving. Use it
// for requests without Deadline.
func SlowBody(w http.ResponseWriter, r *http.Request, patience time.Duration) io.Reader {
	return &slowBody{body: r.Body, controller: http.NewResponseController(w), timeout: patience}
}

type slowBody struct {
	body       io.Reader
	controller *http.ResponseController
	timeout    time.Duration
	left       int64 // bytes to read before the deadline is extended
}

// Read implements io.Reader.
func (p *slowBody) Read(b []byte) (int, error) {
	if p.left <= 0 {
		err := p.controller.SetReadDeadline(time.Now().Add(p.timeout))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
		p.left = minProgress
	}
	n, err := p.body.Read(b)
	p.left -= int64(n)
	return n, err
}
