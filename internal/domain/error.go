package domain

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of an Error. The transports map it to a status code.
type Kind int

// The kinds, with their HTTP statuses.
const (
	Internal        Kind = iota // 500: a bug or an unexpected failure; Message contains no details
	Invalid                     // 400: the request violates the description
	Unauthenticated             // 401: missing or invalid credentials
	Forbidden                   // 403: visible, but not allowed
	NotFound                    // 404: missing, or hidden from the viewer
	Conflict                    // 409: conflicts with the current state
	Unprocessable               // 422: well-formed, but cannot be carried out
	Timeout                     // 408: exceeded its deadline
	TooLarge                    // 413: the body is too large
	Unsupported                 // 415: the media type of the body is not supported
	TooMany                     // 429: over a limit
	Unavailable                 // 503: a dependency is temporarily unreachable or full
)

// Error is the only error whose text is shown to clients. Message is safe to show; the wrapped
// cause is only for the log.
type Error struct {
	Kind    Kind
	Message string
	Fields  []FieldError  // of Invalid: all of them
	Limit   int64         // of TooMany: attempts per Window
	Window  time.Duration // of TooMany
	Wait    time.Duration // of TooMany and Unavailable: time until a retry
	cause   error
}

// Error returns the message and the cause, for logs. Use Message for clients.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// NewInvalid returns an error for all faults of an input. The message joins them.
func NewInvalid(fields ...FieldError) *Error {
	e := &Error{Kind: Invalid, Fields: fields}
	e.Message = strings.Join(e.Lines(), "; ")
	return e
}

// InvalidField is NewInvalid for one field.
func InvalidField(path string, code FieldCode, text string) *Error {
	return NewInvalid(FieldError{path, code, text})
}

// Lines returns Fields as "field: why".
func (e *Error) Lines() []string {
	if e.Fields == nil {
		return nil
	}
	lines := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		lines[i] = f.String()
	}
	return lines
}

// NewUnprocessable returns an error for a well-formed request that cannot be carried out.
func NewUnprocessable(message string) *Error {
	return &Error{Kind: Unprocessable, Message: message}
}

// NewTooMany returns an error for exceeding limit per window, which may be retried after wait. An
// empty message is replaced by one about attempts.
func NewTooMany(message string, limit int64, window, wait time.Duration) *Error {
	if message == "" {
		message = "Too many attempts: try again later"
	}
	return &Error{Kind: TooMany, Message: message, Limit: limit, Window: window, Wait: wait}
}

// outageWait is the time after which clients may retry after an outage.
const outageWait = 5 * time.Second

// NewUnavailable returns an error for a dependency, such as the database, that is unreachable or
// full. The cause is only logged.
func NewUnavailable(cause error) *Error {
	return &Error{Kind: Unavailable, Message: "The server cannot do this just now: try again in a few seconds",
		Wait: outageWait, cause: cause}
}

// RetryAfter returns Wait for the Retry-After header: in whole seconds, at least one.
func (e *Error) RetryAfter() string {
	return strconv.FormatInt(max(1, int64((e.Wait+time.Second-1)/time.Second)), 10)
}

// NewUnavailableFor returns an error for something that may be retried after wait.
func NewUnavailableFor(wait time.Duration, message string) *Error {
	return &Error{Kind: Unavailable, Message: message, Wait: wait}
}

// NewNotFound returns an error for something missing or hidden. The message is the same for both,
// so that clients cannot distinguish them.
func NewNotFound() *Error {
	return &Error{Kind: NotFound, Message: "Not found"}
}

// NewForbidden returns an error for something that the viewer can see but may not do.
func NewForbidden(message string) *Error {
	return &Error{Kind: Forbidden, Message: message}
}

// NewUnauthenticated returns an error for missing or invalid credentials.
func NewUnauthenticated(message string) *Error {
	return &Error{Kind: Unauthenticated, Message: message}
}

// Wrap returns an error with a kind, a message that is safe to show, and a cause.
func Wrap(kind Kind, message string, cause error) *Error {
	return &Error{Kind: kind, Message: message, cause: cause}
}

// KindOf returns the kind of the first Error in err's chain, or Internal if the chain has no Error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}
