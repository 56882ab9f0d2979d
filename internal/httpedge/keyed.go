package httpedge

import (
	"bytes"
	"cmp"
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

// Limits of requests with an Idempotency-Key.
const (
	maxIdempotencyKey = 255      // visible ASCII characters
	maxKeptAnswer     = 64 << 10 // bytes of a stored response body, unless APIHandler.Kept allows more
	// keyedMaxWait is the maximum wait for another request with the same key. The request's own
	// deadline can shorten it.
	keyedMaxWait = 30 * time.Second
	keepingTime  = 5 * time.Second // for storing a response, even if the client is gone
	firstLook    = 10 * time.Millisecond
	lastLook     = 500 * time.Millisecond
)

// replayed is the header of a stored response that is sent again.
const replayed = "Idempotent-Replayed"

// keptFields are the response headers that are stored. The others depend on the individual request.
var keptFields = []string{"Content-Type", "ETag", "Location"}

// keyed is a request with an Idempotency-Key. Reading its body updates the hash.
type keyed struct {
	key string
	sum hash.Hash
	io.Reader
	io.Closer
}

// keyedRequest returns the keyed form of a user's POST with an Idempotency-Key, and nil for other
// requests. Keys belong to users, so guests cannot have any, and applications that act as
// themselves do not write.
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

// finish reads the rest of the body. Operations without a body do not read it, but a different body
// makes a different request.
func (k *keyed) finish() error {
	if _, err := io.Copy(io.Discard, k); err != nil {
		return unreadable(err)
	}
	return nil
}

// answerOnce responds with the stored response for the key, or calls next and stores its response.
func (h *APIHandler) answerOnce(w http.ResponseWriter, r *http.Request, who domain.Actor, k *keyed) {
	ctx, x := r.Context(), middleware.From(r.Context())
	token, _, _ := bearer(r)
	request := h.Callers.app.Accounts.NewKeyedRequest(who.UserID, token, k.key, [sha256.Size]byte(k.sum.Sum(nil)))
	kept, err := h.keptAnswer(ctx, request)
	if err != nil {
		h.Errors.Fail(ctx, w, r, err)
		return
	}
	if kept == nil {
		held := &heldAnswer{ResponseWriter: w, header: w.Header().Clone(), limit: cmp.Or(h.Kept[x.Operation], maxKeptAnswer)}
		x.Scope.Claim = request.Claim()
		h.Next.ServeHTTP(held, r)
		if a := held.answer(x); !held.passing && !request.Repeated() && worthKeeping(a.Status, request.TookEffect()) {
			keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepingTime)
			err := h.Callers.app.Accounts.KeepAnswer(keep, request, a)
			cancel()
			if err != nil && !request.Repeated() && x.Error == nil {
				x.Error = err // the request was carried out and has a response
			}
		}
		if held.passing || !request.Repeated() {
			held.send()
			return
		}
		x.Error, x.Location = nil, ""
		if kept, err = h.keptAnswer(ctx, request); err == nil && kept == nil {
			err = underway()
		}
		if err != nil {
			h.Errors.Fail(ctx, w, r, err)
			return
		}
	}
	for name, value := range kept.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set(replayed, "true")
	w.WriteHeader(kept.Status)
	_, _ = w.Write(kept.Body) // fails only if the client is gone
}

// keptAnswer returns the stored response of a request, or nil. If the first request is still
// running, it waits.
func (h *APIHandler) keptAnswer(ctx context.Context, request *accounts.KeyedRequest) (*accounts.Answer, error) {
	patience := keyedMaxWait
	if end, ok := ctx.Deadline(); ok { // leaves time to respond
		patience = min(patience, time.Until(end)*3/4)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		kept, err := h.Callers.app.Accounts.KeptAnswer(ctx, request)
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

// worthKeeping reports whether a response is stored. Internal and temporary failures are not, so
// that a retry with the same key can succeed, unless the request took effect anyway.
func worthKeeping(status int, tookEffect bool) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return tookEffect
	}
	return status < http.StatusInternalServerError
}

// heldAnswer buffers a response until it is stored. A response that is too large to store is passed
// on.
type heldAnswer struct {
	http.ResponseWriter
	header  http.Header
	status  int
	body    bytes.Buffer
	limit   int
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
	if !h.passing && h.body.Len()+len(p) <= h.limit {
		return h.body.Write(p)
	}
	if !h.passing {
		h.send()
		h.passing = true
	}
	return h.ResponseWriter.Write(p)
}

// Unwrap supports http.ResponseController.
func (h *heldAnswer) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// answer returns the buffered response.
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

// send sends the buffered response.
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
		_, _ = h.ResponseWriter.Write(h.body.Bytes()) // fails only if the client is gone
	}
}
