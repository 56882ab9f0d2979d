package httpedge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/oas/failure"
)

// statuses maps the kinds of errors to HTTP statuses.
var statuses = map[domain.Kind]int{
	domain.Invalid:         http.StatusBadRequest,
	domain.Unauthenticated: http.StatusUnauthorized,
	domain.Forbidden:       http.StatusForbidden,
	domain.NotFound:        http.StatusNotFound,
	domain.Gone:            http.StatusGone,
	domain.Conflict:        http.StatusConflict,
	domain.Mismatch:        http.StatusPreconditionFailed,
	domain.Unprocessable:   http.StatusUnprocessableEntity,
	domain.Timeout:         http.StatusRequestTimeout,
	domain.TooLarge:        http.StatusRequestEntityTooLarge,
	domain.Unsupported:     http.StatusUnsupportedMediaType,
	domain.TooMany:         http.StatusTooManyRequests,
	domain.Unavailable:     http.StatusServiceUnavailable,
}

// Errors writes error responses. The statuses and messages are the same in every API; the shape of
// the response differs.
type Errors struct {
	// Write writes an error. Its message may be shown: unexpected errors are passed as Internal
	// ones without details.
	Write func(w http.ResponseWriter, r *http.Request, status int, e *domain.Error)

	// Limited writes that the client is over its rate limit. If it is nil, Write is used.
	Limited func(l *middleware.Limiter, w http.ResponseWriter, r *http.Request, d middleware.Decision)
}

// JSON is the error shape of /v3, and of everything without its own.
var JSON = Errors{Write: writeJSON, Limited: (*middleware.Limiter).Refuse}

// Fail responds with an error of the APIHandler, a generated decoder, or a use case.
func (e Errors) Fail(ctx context.Context, w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errNotModified) {
		middleware.WriteNotModified(w, r)
		return
	}
	known := classify(ctx, r, err)
	status, ok := statuses[known.Kind]
	switch {
	case !ok:
		middleware.From(ctx).Error = err
		e.Render(w, r, http.StatusInternalServerError, "")
		return
	case known.Kind == domain.TooMany:
		w.Header().Set("Retry-After", known.RetryAfter())
	case known.Kind == domain.Unavailable:
		middleware.From(ctx).Error = err
		w.Header().Set("Retry-After", known.RetryAfter())
	}
	e.Write(w, r, status, known)
}

// Render is a middleware.Renderer. If the message is empty, it writes one with the request ID.
func (e Errors) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	if message == "" {
		message = "Something went wrong on the server. Request id: " + middleware.From(r.Context()).RequestID
	}
	e.Write(w, r, status, &domain.Error{Message: message})
}

// NotFound responds to an unknown address.
func (e Errors) NotFound(w http.ResponseWriter, r *http.Request) {
	e.Render(w, r, http.StatusNotFound, "There is nothing at this address")
}

// MethodNotAllowed responds to OPTIONS and to methods that an address does not support. allow lists
// the supported ones.
func (e Errors) MethodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) {
	methods := strings.Split(allow, ",")
	for i, m := range methods {
		if methods[i] = strings.TrimSpace(m); methods[i] == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	w.Header().Set("Allow", strings.Join(append(methods, http.MethodOptions), ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	e.Render(w, r, http.StatusMethodNotAllowed, "This address does not take "+MethodOf(r))
}

// MethodOf returns the method of a request, shortened for error messages. No real method is longer.
func MethodOf(r *http.Request) string {
	return r.Method[:min(len(r.Method), 20)]
}

// limited responds that the client is over its rate limit.
func (e Errors) limited(l *middleware.Limiter, w http.ResponseWriter, r *http.Request, d middleware.Decision) {
	middleware.From(r.Context()).Refused = middleware.TooFast
	if e.Limited != nil {
		e.Limited(l, w, r, d)
		return
	}
	d.WriteHeaders(w.Header())
	e.Fail(r.Context(), w, r, domain.NewTooMany("Too many requests: wait until the limit is reset", int64(d.Limit),
		time.Minute, time.Duration(d.RetryAfter)*time.Second))
}

// classify converts an error to one that may be shown to the client.
func classify(ctx context.Context, r *http.Request, err error) *domain.Error {
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return known
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return domain.Wrap(domain.TooLarge, fmt.Sprintf("The body may have at most %d bytes", tooLarge.Limit), tooLarge)
	}
	if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return domain.Wrap(domain.Timeout, "The request took too long", err)
	}
	_, params := errors.AsType[*failure.DecodeParamsError](err)
	_, request := errors.AsType[*failure.DecodeRequestError](err)
	op := Operation(ctx)
	if (params || request) && op != nil {
		found, noSuchID := op.CheckParams(r.URL)
		if noSuchID && len(found) == 0 {
			return domain.NewNotFound()
		}
		if len(found) > 0 {
			return Violations(found).(*domain.Error)
		}
		middleware.From(ctx).Error = err // the schema accepted it but the decoder did not: a bug
		return domain.InvalidField("request", domain.FieldShape, "does not fit the description")
	}
	return domain.Wrap(domain.Internal, "", err)
}

// Challenge sets WWW-Authenticate (RFC 6750 section 3), with an error code only if the request had
// a token.
func Challenge(w http.ResponseWriter, r *http.Request) {
	value := "Bearer"
	if _, present, _ := bearer(r); present {
		value = `Bearer error="invalid_token"`
	}
	w.Header().Set("WWW-Authenticate", value)
}

type errorBody struct {
	Error   string       `json:"error"`
	Code    int          `json:"code"`
	Details errorDetails `json:"details"`
}

type errorDetails struct {
	Message string   `json:"message"`
	Errors  []string `json:"errors,omitempty"`
}

// writeJSON writes an error as described in behaviour.md section 1.
func writeJSON(w http.ResponseWriter, r *http.Request, status int, e *domain.Error) {
	switch status {
	case http.StatusTooManyRequests:
		middleware.WriteLimitError(w, r, e.Message, e.Limit, e.Window, e.Wait)
		return
	case http.StatusUnauthorized:
		Challenge(w, r)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Del("ETag")
	w.WriteHeader(status)
	_, _ = w.Write(ErrorBody(status, e.Message, e.Lines()))
}

// ErrorBody returns the JSON of an error. Fields lists the problems with each field.
func ErrorBody(status int, message string, fields []string) []byte {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(errorBody{http.StatusText(status), status, errorDetails{message, fields}}) // strings always encode
	return body.Bytes()
}

// errNotModified makes Errors.Fail respond 304.
var errNotModified = errors.New("not modified")

// Fresh records the ETag of the response. If the client already has that version, it returns an
// error that makes Errors.Fail respond 304.
func Fresh(ctx context.Context, etag string) error {
	if middleware.From(ctx).NotModified(etag) {
		return errNotModified
	}
	return nil
}

// SetLocation sets the Location header, at which the client can follow what the request started.
func SetLocation(ctx context.Context, address string) { middleware.From(ctx).Location = address }
