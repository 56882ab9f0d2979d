package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// failure is an error with its HTTP status.
type failure struct {
	status      int
	code        string
	description string
}

func (f *failure) Error() string { return f.code + ": " + f.description }

// refuse returns an error about the request itself.
func refuse(description string) error {
	return &failure{http.StatusBadRequest, "invalid_request", description}
}

// fail writes an error response. All errors of the endpoints are written here.
func (e *Endpoints) fail(w http.ResponseWriter, r *http.Request, err error) {
	if f, ok := errors.AsType[*failure](err); ok {
		answerError(w, f.status, f.code, f.description)
		return
	}
	if known, ok := errors.AsType[*accounts.OAuthError](err); ok {
		status := http.StatusBadRequest
		if known.Code == "invalid_client" {
			status = http.StatusUnauthorized
		}
		answerError(w, status, known.Code, known.Description)
		return
	}
	if known, ok := errors.AsType[*domain.Error](err); ok && known.Kind == domain.TooMany {
		e.tooMany(w, r, int(math.Ceil(known.Wait.Seconds())))
		return
	}
	middleware.From(r.Context()).Error = err
	if known, ok := errors.AsType[*domain.Error](err); ok && known.Kind == domain.Unavailable {
		w.Header().Set("Retry-After", known.RetryAfter())
		e.Render(w, r, http.StatusServiceUnavailable, known.Message)
		return
	}
	if r.Context().Err() != nil {
		e.Render(w, r, http.StatusRequestTimeout, "The request took too long")
		return
	}
	e.Render(w, r, http.StatusInternalServerError, "")
}

// tooMany rejects a request that exceeds the rate limit, with the seconds to wait.
func (e *Endpoints) tooMany(w http.ResponseWriter, r *http.Request, wait int) {
	w.Header().Set("Retry-After", strconv.Itoa(max(wait, 1)))
	e.Render(w, r, http.StatusTooManyRequests, "Too many requests: try again later")
}

// Render writes an error in the format of RFC 6749 section 5.2. It implements middleware.Renderer. An empty
// message is replaced by one with the request's id.
func (e *Endpoints) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	code := "invalid_request"
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == http.StatusRequestTimeout:
		code = "temporarily_unavailable"
	case status >= http.StatusInternalServerError:
		code = "server_error"
	}
	if message == "" {
		message = "Something went wrong on the server. Request id: " + middleware.From(r.Context()).RequestID
	}
	answerError(w, status, code, message)
}

// answerError writes an error response. If client authentication failed, it requests Basic authentication
// (RFC 6749 section 5.2).
func answerError(w http.ResponseWriter, status int, code, description string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="OAuth clients", charset="UTF-8"`)
	}
	answer(w, status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
}

// answer writes a JSON response, which must not be cached (RFC 6749 section 5.1).
func answer(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // structs of strings and numbers can always be encoded
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}
