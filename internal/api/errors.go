package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/ogen-go/ogen/ogenerrors"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// errNotModified makes the renderer answer 304.
var errNotModified = errors.New("not modified")

// statuses of the kinds of errors.
var statuses = map[domain.Kind]int{
	domain.Invalid:         http.StatusBadRequest,
	domain.Unauthenticated: http.StatusUnauthorized,
	domain.Forbidden:       http.StatusForbidden,
	domain.NotFound:        http.StatusNotFound,
	domain.Conflict:        http.StatusConflict,
	domain.Unprocessable:   http.StatusUnprocessableEntity,
	domain.Timeout:         http.StatusRequestTimeout,
	domain.TooLarge:        http.StatusRequestEntityTooLarge,
	domain.Unsupported:     http.StatusUnsupportedMediaType,
	domain.Unavailable:     http.StatusServiceUnavailable,
}

// renderError is the only door through which errors leave: those of the gate, of
// the generated decoders and of the use cases.
func renderError(ctx context.Context, w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errNotModified) {
		middleware.WriteNotModified(w, r)
		return
	}
	known := classify(ctx, r, err)
	if known.Kind == domain.TooMany {
		middleware.RefuseFurther(w, r, known.Message, known.Limit, known.Window, known.Wait)
		return
	}
	status, ok := statuses[known.Kind]
	if !ok {
		middleware.From(ctx).Error = err
		Render(w, r, http.StatusInternalServerError, "")
		return
	}
	if status == http.StatusUnauthorized {
		challenge(w, r)
	}
	if known.Kind == domain.Unavailable {
		middleware.From(ctx).Error = err
		w.Header().Set("Retry-After", known.RetryAfter())
	}
	write(w, status, known.Message, known.Fields)
}

// Fail answers with an error as every operation does, for addresses that are no
// operations.
func Fail(ctx context.Context, w http.ResponseWriter, r *http.Request, err error) {
	renderError(ctx, w, r, err)
}

// MethodNotAllowed answers a method that an address does not take; allow lists those
// that it does.
func MethodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) {
	methodNotAllowed(w, r, allow)
}

// classify gives the error that a client may see.
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
	_, params := errors.AsType[*ogenerrors.DecodeParamsError](err)
	_, request := errors.AsType[*ogenerrors.DecodeRequestError](err)
	op := operation(ctx)
	if (params || request) && op != nil {
		found, noSuchID := op.CheckParams(r.URL)
		if noSuchID && len(found) == 0 {
			return domain.NewNotFound()
		}
		if len(found) > 0 {
			return violations(found).(*domain.Error)
		}
		middleware.From(ctx).Error = err // the description let it through: a defect of ours
		return domain.NewInvalid("request: does not fit the description")
	}
	return domain.Wrap(domain.Internal, "", err)
}

// challenge says how to authenticate (RFC 6750 section 3): with the error code only
// when there was a token.
func challenge(w http.ResponseWriter, r *http.Request) {
	value := "Bearer"
	if _, present, _ := bearer(r); present {
		value = `Bearer error="invalid_token"`
	}
	w.Header().Set("WWW-Authenticate", value)
}

// Render answers with an error of the contract's shape (behaviour.md section 1). An empty
// message becomes one with the request's id.
func Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	if message == "" {
		message = "Something went wrong on the server. Request id: " + middleware.From(r.Context()).RequestID
	}
	write(w, status, message, nil)
}

// NotFound answers an address that is none.
func NotFound(w http.ResponseWriter, r *http.Request) {
	Render(w, r, http.StatusNotFound, "There is nothing at this address")
}

// methodNotAllowed answers a method that a path does not have, and plain OPTIONS.
func methodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) {
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
	Render(w, r, http.StatusMethodNotAllowed, "This address does not take "+r.Method)
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

func write(w http.ResponseWriter, status int, message string, fields []string) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(errorBody{http.StatusText(status), status, errorDetails{message, fields}}) // strings always encode
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Del("ETag")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}
