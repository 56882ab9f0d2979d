package httpedge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/scope"
)

// Part is an operation that is part of a request of the same caller. Allowed lists the operations that may be one.
type Part struct {
	Method, Path string
	Body         []byte // nil for none
	IfMatch      string
	Within       any // the transaction that it takes part in; nil for its own
	Allowed      map[string]bool
}

// Result is the response to a Part.
type Result struct {
	Status int
	Body   []byte
	Err    error // the reason of a refusal, nil if there is none
}

// Failed reports whether the operation was refused.
func (r Result) Failed() bool { return r.Status >= http.StatusBadRequest }

// Temporary reports whether the operation failed for a reason that may not exist when it is repeated.
func (r Result) Temporary() bool {
	return r.Status >= http.StatusInternalServerError || r.Status == http.StatusRequestTimeout || r.Status == http.StatusTooManyRequests
}

// Part carries out a part of a request: it is authorised, validated and answered like a request by itself. The caller has
// counted it against the rate limit.
func (h *APIHandler) Part(ctx context.Context, p Part) Result {
	outer := middleware.From(ctx)
	ctx, x := middleware.Nested(ctx, p.Within)
	w := &partWriter{header: http.Header{}}
	header := http.Header{}
	if p.Body != nil {
		header.Set("Content-Type", "application/json")
	}
	if p.IfMatch != "" {
		header.Set("If-Match", p.IfMatch)
	}
	r := (&http.Request{Method: p.Method, Header: header, ContentLength: int64(len(p.Body)), Body: io.NopCloser(bytes.NewReader(p.Body)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if err := h.servePart(w, r, x, p); err != nil {
		h.Errors.Fail(ctx, w, r, err)
	}
	_ = scope.Charge(ctx, int64(w.body.Len())) // never refused, since the operation was carried out
	if x.Error != nil {
		outer.Error = x.Error // for the log
	}
	return Result{max(w.status, http.StatusOK), w.body.Bytes(), x.Error}
}

func (h *APIHandler) servePart(w http.ResponseWriter, r *http.Request, x *middleware.Exchange, p Part) error {
	u, err := url.ParseRequestURI(p.Path)
	if err != nil || u.Host != "" || u.Scheme != "" {
		r.URL = &url.URL{Path: "/"}
		return domain.InvalidField("path", domain.FieldMalformed, "must be a path such as /v3/blocks")
	}
	r.URL = u
	id, found := h.Route(p.Method, u)
	if !found {
		return domain.NewNotFound()
	}
	if !p.Allowed[id] {
		return domain.NewUnprocessable("path: " + p.Method + " " + u.Path + " cannot be part of a bulk request")
	}
	op := h.Doc.Operation(id)
	x.Operation, x.Description = id, op
	if err := h.allowed(op, x.Actor); err != nil {
		return err
	}
	if h.Address != nil {
		r.URL = h.Address(id, r.URL)
	}
	if err := h.checkRequest(op, r); err != nil {
		return err
	}
	h.require(x, op, r)
	h.Next.ServeHTTP(w, r)
	return nil
}

// partWriter keeps a response in memory.
type partWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter, like the next methods.
func (w *partWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *partWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *partWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Count counts n more requests of the caller of a request, which was counted itself. If the rate limit does not allow all
// of them, it counts none and returns TooMany.
func (c *Callers) Count(ctx context.Context, n int) error {
	x := middleware.From(ctx)
	key := keyOf(ctx, x.Actor)
	now := c.now()
	d := c.limiter.Peek(now, key, x.Tier)
	for ; n > 0 && d.Allowed && (d.Limit == middleware.Unlimited || d.Remaining >= n); n-- {
		d = c.limiter.Take(ctx, now, key, x.Tier)
	}
	if n == 0 && d.Allowed {
		return nil
	}
	wait := max(time.Second, time.Unix(d.Reset, 0).Sub(now))
	return domain.NewTooMany("The rate limit does not allow all operations of this request now", int64(d.Limit), time.Minute, wait)
}
