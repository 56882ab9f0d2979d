package domain

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Kind says what sort of failure an Error is. The edges map it to a status
// code; nothing below them knows about HTTP.
type Kind int

// The kinds, with the status each stands for at the HTTP edge.
const (
	Internal        Kind = iota // 500: a defect or an outage; Message stays vague
	Invalid                     // 400: the request breaks the description
	Unauthenticated             // 401: no valid credentials where they are needed
	Forbidden                   // 403: visible, but not allowed
	NotFound                    // 404: missing, or hidden from this viewer
	Conflict                    // 409: collides with the present state
	Unprocessable               // 422: well-formed, but makes no sense here
	Timeout                     // 408: ran past its deadline
	TooLarge                    // 413: the body is larger than allowed
	Unsupported                 // 415: the body's media type is not accepted
	TooMany                     // 429: tried too often
	Unavailable                 // 503: something that is needed is away or full, and may come back
)

// Error is the only error whose text a client may see. Message is safe to
// show; the wrapped cause is for the log alone.
type Error struct {
	Kind    Kind
	Message string
	Fields  []FieldError  // of Invalid: every one
	Limit   int64         // of TooMany: how often it may be tried in the Window
	Window  time.Duration // of TooMany
	Wait    time.Duration // of TooMany and Unavailable: until it may be tried again
	cause   error
}

// Error returns the message followed by the cause: the text for logs. Use
// Message for what goes to a client.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// NewInvalid reports everything that is wrong with an input. The message joins it.
func NewInvalid(fields ...FieldError) *Error {
	e := &Error{Kind: Invalid, Fields: fields}
	e.Message = strings.Join(e.Lines(), "; ")
	return e
}

// InvalidField is NewInvalid of one field.
func InvalidField(path string, code FieldCode, text string) *Error {
	return NewInvalid(FieldError{path, code, text})
}

// Lines gives Fields as "field: why".
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

// NewUnprocessable reports a well-formed request that cannot be carried out.
func NewUnprocessable(message string) *Error {
	return &Error{Kind: Unprocessable, Message: message}
}

// NewTooMany reports something that was done more often than a limit allows in a window,
// and how long until it may be again. An empty message says so of attempts.
func NewTooMany(message string, limit int64, window, wait time.Duration) *Error {
	if message == "" {
		message = "Too many attempts: try again later"
	}
	return &Error{Kind: TooMany, Message: message, Limit: limit, Window: window, Wait: wait}
}

// outageWait is after how long a client may try again what an outage has kept from it.
const outageWait = 5 * time.Second

// NewUnavailable reports that something which is needed, such as the database, cannot
// be reached or has no room. Cause is for the log.
func NewUnavailable(cause error) *Error {
	return &Error{Kind: Unavailable, Message: "The server cannot do this just now: try again in a few seconds",
		Wait: outageWait, cause: cause}
}

// RetryAfter is Wait in whole seconds, at least one, as the header of that name has it.
func (e *Error) RetryAfter() string {
	return strconv.FormatInt(max(1, int64((e.Wait+time.Second-1)/time.Second)), 10)
}

// NewUnavailableFor reports what cannot be done for now, why, and how long until it may be
// tried again.
func NewUnavailableFor(wait time.Duration, message string) *Error {
	return &Error{Kind: Unavailable, Message: message, Wait: wait}
}

// NewNotFound reports something missing or hidden. It takes no message, so
// that the two cannot be told apart.
func NewNotFound() *Error {
	return &Error{Kind: NotFound, Message: "Not found"}
}

// NewForbidden reports something the viewer sees but may not do.
func NewForbidden(message string) *Error {
	return &Error{Kind: Forbidden, Message: message}
}

// NewUnauthenticated reports missing or bad credentials.
func NewUnauthenticated(message string) *Error {
	return &Error{Kind: Unauthenticated, Message: message}
}

// Wrap gives cause a kind and a message that is safe to show.
func Wrap(kind Kind, message string, cause error) *Error {
	return &Error{Kind: kind, Message: message, cause: cause}
}

// KindOf returns the kind of the first Error in err's chain, and Internal when
// there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}
