package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter is the default of Request.MaxRetryAfter.
const maxRetryAfter = time.Hour

// ErrTooLarge is in the chain of the error for a body that is larger than the limit. The bytes read
// before it are valid.
var ErrTooLarge = errors.New("too large")

// ErrCutOff is in the chain of the error for a truncated body: its length was not reached, the
// connection broke, or the compressed stream ended early. The bytes read before it are valid. It is
// not in the chain if the fetch timed out, since a later one may get the rest.
var ErrCutOff = errors.New("cut off")

// ErrBusy is in the chain of the error for a fetch that was not started, because too many others
// from its site are in progress.
var ErrBusy = errors.New("busy")

var (
	errSlow    = errors.New("the fetch has taken its time")
	errStalled = errors.New("the server has fallen silent")
	errDrips   = errors.New("the server has fallen behind the least rate")
)

// notPublic is the reason for an unknown host and for one in a private network. They are the same,
// so that users cannot probe the names of our own network.
const notPublic = "The host of the address does not exist or is not public"

// Error is why a fetch failed.
type Error struct {
	// Reason is a sentence without its full stop for users. It reveals nothing about this server's
	// network.
	Reason     string
	Status     int           // of the response, if that is the reason; 0 otherwise
	Temporary  bool          // a later attempt may succeed
	RetryAfter time.Duration // minimum wait; 0 if unknown
	cause      error
}

// Error returns the reason followed by the cause, for logs. Show users only Reason.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.cause.Error()
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// explain converts an error to an *Error. Unknown errors are temporary.
func (f *fetch) explain(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch cause := context.Cause(f.ctx); {
	case f.caller.Err() != nil:
		return &Error{Reason: "The fetch was stopped", Temporary: true, cause: f.caller.Err()}
	case cause == errDrips:
		return &Error{Reason: "The server sends too slowly", Temporary: true, cause: cause}
	case cause == errSlow:
		return &Error{Reason: "The server took too long", Temporary: true, cause: cause}
	case cause == errStalled:
		return &Error{Reason: "The server stopped answering", Temporary: true, cause: cause}
	}
	return explainNetwork(err)
}

func explainNetwork(err error) *Error {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		if e.IsNotFound {
			return &Error{Reason: notPublic, cause: err}
		}
		return &Error{Reason: "The host of the address could not be looked up", Temporary: true, cause: err}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &Error{Reason: "The server's certificate is not valid", cause: err}
	}
	if refusesTLS(err) {
		return &Error{Reason: "No secure connection to the server is possible", cause: err}
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return &Error{Reason: "The server took too long", Temporary: true, cause: err}
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return &Error{Reason: "The server could not be reached", Temporary: true, cause: err}
	}
	return &Error{Reason: "The server's answer could not be read", Temporary: true, cause: err}
}

// refusesTLS reports whether a server does not speak TLS, or refused our handshake with an alert,
// which crypto/tls calls a "remote error".
func refusesTLS(err error) bool {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	e, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, http.ErrSchemeMismatch) || ok && e.Op == "remote error"
}

// refusal returns the error for a response that is neither 2xx nor a redirect.
func refusal(answer *http.Response, maxWait time.Duration) *Error {
	status := answer.StatusCode
	e := &Error{Reason: "The server answered " + strings.TrimSpace(strconv.Itoa(status)+" "+http.StatusText(status)), Status: status}
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		e.Temporary = true
	default:
		e.Temporary = status/100 == 5
	}
	if e.Temporary {
		e.RetryAfter = min(retryAfter(answer.Header.Get("Retry-After"), time.Now()), maxWait)
	}
	return e
}

// retryAfter parses the header (RFC 9110 section 10.2.3): seconds, or a date.
func retryAfter(header string, now time.Time) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // seconds is the maximum after ErrRange
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}

// tooLarge returns an error with the limit in the largest unit that divides it.
func tooLarge(limit int64) *Error {
	text := fmt.Sprintf("%d bytes", limit)
	switch {
	case limit > 0 && limit%(1<<20) == 0:
		text = fmt.Sprintf("%d MiB", limit>>20)
	case limit > 0 && limit%(1<<10) == 0:
		text = fmt.Sprintf("%d KiB", limit>>10)
	}
	return &Error{Reason: "The answer is larger than " + text, cause: ErrTooLarge}
}
