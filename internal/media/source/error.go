package source

import (
	"context"
	"errors"
	"fmt"
)

// Error is the reason why a file cannot be used as an image or a document. Such a file may still
// be stored. All other failures, such as a context that has ended or a source that cannot be read,
// are returned unchanged.
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

// Broken returns the Error for a file that a decoder could not read: an image, a document or a
// drawing.
func Broken(what string, cause error) error {
	return &Error{Reason: "The " + what + " is broken", cause: cause}
}

// Refused returns an Error without a cause.
func Refused(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...)}
}

// RefusedFor returns an Error with a cause for the logs.
func RefusedFor(cause error, reason string) error {
	return &Error{Reason: reason, cause: cause}
}

// Judge converts the error of a decoder to an Error, unless it already is one, or the source or
// its context failed.
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
