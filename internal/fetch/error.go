package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter is the longest that a server may ask us to stay away.
const maxRetryAfter = time.Hour

// ErrTooLarge is in the chain of the error of a body that is larger than asked for.
// What was read before it is good.
var ErrTooLarge = errors.New("too large")

// ErrCutOff is in the chain of the error of a body whose end is missing: its length was not reached, the
// connection broke, or the compressed stream stops early. What was read before the error is good. It is not in
// the chain if the fetch ran out of time, since a later one may get the rest.
var ErrCutOff = errors.New("cut off")

// ErrBusy is in the chain of the error of a fetch that found no room among the others
// from its site: nothing was asked of the site.
var ErrBusy = errors.New("busy")

var (
	errSlow    = errors.New("the fetch has taken its time")
	errStalled = errors.New("the server has fallen silent")
	errDrips   = errors.New("the server has fallen behind the least rate")
)

// notPublic is the reason where an address leads nowhere that we may go: there is no such
// host, or it is in a private network. The two read alike, since the names of our own
// network are nobody's business.
const notPublic = "The host of the address does not exist or is not public"

// Error says why a fetch failed.
type Error struct {
	// Reason is a sentence without its full stop that may be shown to people: it
	// reveals nothing about the network that this server is in.
	Reason     string
	Status     int           // of the answer, if that is why; 0 otherwise
	Temporary  bool          // it may succeed later
	RetryAfter time.Duration // not before that; 0 if nobody said
	cause      error
}

// Error returns the reason followed by the cause: the text for logs. Use Reason for
// what people see.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.cause.Error()
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// explain finds the reason in an error. What is not known to last is temporary.
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

// refusesTLS reports whether a server does not speak TLS, or not with us: it sends an
// alert, which crypto/tls calls a "remote error".
func refusesTLS(err error) bool {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	e, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, http.ErrSchemeMismatch) || ok && e.Op == "remote error"
}

// refusal is the error for an answer that is neither of 2xx nor a redirect.
func refusal(answer *http.Response) *Error {
	status := answer.StatusCode
	reason := fmt.Sprintf("The server answered %d", status)
	if text := http.StatusText(status); text != "" {
		reason += " " + text
	}
	e := &Error{Reason: reason, Status: status}
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		e.Temporary = true
	default:
		e.Temporary = status/100 == 5
	}
	if e.Temporary {
		e.RetryAfter = retryAfter(answer.Header.Get("Retry-After"), time.Now())
	}
	return e
}

// retryAfter reads the header (RFC 9110 section 10.2.3): seconds, or a date.
func retryAfter(header string, now time.Time) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // seconds is then the most there is
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(0, min(at.Sub(now), maxRetryAfter))
}

// tooLarge names the limit in the largest unit that it is a multiple of.
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
