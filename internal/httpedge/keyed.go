package httpedge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// Bounds of requests with an Idempotency-Key.
const (
	maxIdempotencyKey = 255      // visible characters of ASCII
	maxKeptAnswer     = 64 << 10 // bytes of a body that is kept
	// keyedPatience is how long a request waits for another with its key, at most; less where
	// its own time ends before.
	keyedPatience = 30 * time.Second
	keepingTime   = 5 * time.Second // for writing an answer down, when the client may be gone
	firstLook     = 10 * time.Millisecond
	lastLook      = 500 * time.Millisecond
)

// replayed is the field of an answer that was given before.
const replayed = "Idempotent-Replayed"

// keptFields are the fields of an answer that belong to it, and not to how it was asked for.
var keptFields = []string{"Content-Type", "ETag", "Location"}

// keyed is a request with an Idempotency-Key, whose sum grows as its body is read.
type keyed struct {
	key string
	sum hash.Hash
	io.Reader
	io.Closer
}

// keyedRequest gives a POST of a user with an Idempotency-Key; nil for all others. Guests have
// nobody for whom a key could be kept, and applications that act as themselves write nothing.
func keyedRequest(r *http.Request, who domain.Actor) (*keyed, error) {
	lines := r.Header.Values(accounts.IdempotencyHeader)
	if r.Method != http.MethodPost || !who.SignedIn() || len(lines) == 0 {
		return nil, nil
	}
	key := lines[0]
	switch {
	case len(lines) > 1:
		return nil, domain.InvalidField(accounts.IdempotencyHeader, domain.FieldMalformed, "must be given once")
	case key == "" || bytes.ContainsFunc([]byte(key), func(c rune) bool { return c < '!' || c > '~' }):
		return nil, domain.InvalidField(accounts.IdempotencyHeader, domain.FieldMalformed, "must be visible characters of ASCII, without spaces")
	case len(key) > maxIdempotencyKey:
		return nil, domain.InvalidField(accounts.IdempotencyHeader, domain.FieldTooLong, fmt.Sprintf("must have at most %d characters", maxIdempotencyKey))
	}
	k := &keyed{key: key, sum: sha256.New(), Closer: r.Body}
	_, _ = io.WriteString(k.sum, r.Method+"\n"+r.URL.EscapedPath()+"\n"+r.URL.RawQuery+"\n"+r.Header.Get("Content-Type")+"\n") // never fails
	k.Reader = io.TeeReader(r.Body, k.sum)
	r.Body = k
	return k, nil
}

// finish reads what is left of the body: all of it where an operation has none, which another
// body makes another request all the same.
func (k *keyed) finish() error {
	if _, err := io.Copy(io.Discard, k); err != nil {
		return unreadable(err)
	}
	return nil
}

// answerOnce answers a request by next, or by what it was answered before.
func (g *Gate) answerOnce(w http.ResponseWriter, r *http.Request, who domain.Actor, k *keyed) {
	ctx, x := r.Context(), middleware.From(r.Context())
	token, _, _ := bearer(r)
	request := g.Callers.app.NewKeyedRequest(who.UserID, token, k.key, [sha256.Size]byte(k.sum.Sum(nil)))
	kept, err := g.keptAnswer(ctx, request)
	if err != nil {
		g.Errors.Fail(ctx, w, r, err)
		return
	}
	if kept == nil {
		held := &heldAnswer{ResponseWriter: w, header: w.Header().Clone()}
		g.Next.ServeHTTP(held, r.WithContext(request.Claiming(ctx)))
		if a := held.answer(x); !held.passing && !request.Repeated() && worthKeeping(a.Status, request.TookEffect()) {
			keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepingTime)
			err := g.Callers.app.KeepAnswer(keep, request, a)
			cancel()
			if err != nil && !request.Repeated() && x.Error == nil {
				x.Error = err // the request was carried out, and is answered
			}
		}
		if held.passing || !request.Repeated() {
			held.send()
			return
		}
		x.Error, x.Location = nil, ""
		if kept, err = g.keptAnswer(ctx, request); err == nil && kept == nil {
			err = underway()
		}
		if err != nil {
			g.Errors.Fail(ctx, w, r, err)
			return
		}
	}
	for name, value := range kept.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set(replayed, "true")
	w.WriteHeader(kept.Status)
	_, _ = w.Write(kept.Body) // the client is gone
}

// keptAnswer gives what a request was answered before, and waits for it where it is under way.
func (g *Gate) keptAnswer(ctx context.Context, request *accounts.KeyedRequest) (*accounts.Answer, error) {
	patience := keyedPatience
	if end, ok := ctx.Deadline(); ok { // what comes later could not be said any more
		patience = min(patience, time.Until(end)*3/4)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		kept, err := g.Callers.app.KeptAnswer(ctx, request)
		if !errors.Is(err, accounts.ErrUnderway) {
			return kept, err
		}
		select {
		case <-waiting.Done():
			return nil, underway()
		case <-time.After(pause):
		}
	}
}

func underway() error {
	return domain.NewUnavailableFor(time.Second, "A request with this "+accounts.IdempotencyHeader+" is being carried out: send it again in a moment")
}

// worthKeeping reports whether an answer is given again. What failed on our side, or for now,
// may be tried again with the same key, unless it has taken effect all the same.
func worthKeeping(status int, tookEffect bool) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return tookEffect
	}
	return status < http.StatusInternalServerError
}

// heldAnswer holds an answer back until it is kept. One that is too large for that is passed on.
type heldAnswer struct {
	http.ResponseWriter
	header  http.Header
	status  int
	body    bytes.Buffer
	passing bool
}

// Header implements http.ResponseWriter.
func (h *heldAnswer) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *heldAnswer) WriteHeader(status int) {
	if h.status == 0 && status >= http.StatusOK {
		h.status = status
	}
}

// Write implements io.Writer.
func (h *heldAnswer) Write(p []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	if !h.passing && h.body.Len()+len(p) <= maxKeptAnswer {
		return h.body.Write(p)
	}
	if !h.passing {
		h.send()
		h.passing = true
	}
	return h.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (h *heldAnswer) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// answer is what was held back.
func (h *heldAnswer) answer(x *middleware.Exchange) accounts.Answer {
	a := accounts.Answer{Status: max(h.status, http.StatusOK), Header: map[string]string{}, Body: h.body.Bytes()}
	for _, name := range keptFields {
		if value := h.header.Get(name); value != "" {
			a.Header[name] = value
		}
	}
	if x.Location != "" {
		a.Header["Location"] = x.Location
	}
	return a
}

// send passes on what was held back.
func (h *heldAnswer) send() {
	if h.passing {
		return
	}
	to := h.ResponseWriter.Header()
	clear(to)
	for name, values := range h.header {
		to[name] = values
	}
	h.ResponseWriter.WriteHeader(max(h.status, http.StatusOK))
	if h.body.Len() > 0 {
		_, _ = h.ResponseWriter.Write(h.body.Bytes()) // the client is gone
	}
}
