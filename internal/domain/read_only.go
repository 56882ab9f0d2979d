package domain

import (
	"errors"
	"time"
)

// ReadOnly is the mode in which a site can be read but not changed.
type ReadOnly struct {
	Reason string // shown to everybody, in the operator's words; "" for none
	Since  time.Time
	Until  *time.Time // when it is expected to end, nil if unknown; it does not end by itself
}

// The wait before a client should try again: as announced, within these limits.
const (
	readOnlyWait    = time.Minute // also if nothing is announced
	maxReadOnlyWait = time.Hour
)

var errReadOnly = errors.New("the site is read-only")

// Refusal returns the error for a change.
func (m ReadOnly) Refusal(now time.Time) *Error {
	wait := readOnlyWait
	if m.Until != nil {
		wait = min(max(m.Until.Sub(now), readOnlyWait), maxReadOnlyWait)
	}
	return &Error{Kind: Unavailable, Message: "This site is read-only at the moment, so nothing can be changed: try again later",
		Wait: wait, cause: errReadOnly}
}

// IsReadOnly reports whether a change was refused because the site is read-only.
func IsReadOnly(err error) bool { return errors.Is(err, errReadOnly) }
