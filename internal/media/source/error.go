package source

import (
	"context"
	"errors"
	"fmt"
)

// Error says why a file cannot be used as an image or a document. Such a file
// may still be kept as it is. Everything else that goes wrong (a context that
// has ended, a source that cannot be read) is returned as it came.
type Error struct {
	Reason string // safe to show, such as "The image is broken"
	cause  error
}

// Error returns the reason followed by the cause: the text for logs.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.cause.Error()
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// Broken returns the Error of a file that a decoder could not read: an image, a
// document or a drawing.
func Broken(what string, cause error) error {
	return &Error{Reason: "The " + what + " is broken", cause: cause}
}

// Refused returns an Error without a cause.
func Refused(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...)}
}

// RefusedFor returns an Error whose cause is logged.
func RefusedFor(cause error, reason string) error {
	return &Error{Reason: reason, cause: cause}
}

// Judge makes an Error of what a decoder returned, unless it is an Error
// already or the source or its context is to blame.
func (in *Input) Judge(what string, err error) error {
	if err == nil {
		return nil
	}
	if in.err != nil {
		return in.err
	}
	if ended := context.Cause(in.ctx); ended != nil {
		return ended
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return Broken(what, err)
}
