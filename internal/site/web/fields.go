package web

import (
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/scope"
)

// Fields lists the fields of a form whose values may be longer than usual or repeated, by name. The limit
// of the form's body follows from them.
type Fields map[string]Field

// Field limits the length of a field's values, and how often the field may occur.
type Field struct {
	MaxLength int // characters
	Times     int // 0: once
}

// usualField is the maximum number of characters of a field without a limit of its own. URLs are the
// longest such values.
const usualField = domain.MaxURL

// sharedFields are the limits of fields that occur in many forms.
var sharedFields = map[string]int{
	"email": domain.MaxEmail, "name": domain.MaxTitle, "slug": domain.MaxSlugLength, "title": domain.MaxTitle,
	"username": domain.MaxEmail, "invite": domain.MaxInvitationToken, "code": domain.MaxInvitationToken, "next": longestNext,
	"once": domain.MaxOnceKey, "q": domain.MaxSearchQuery, "passkey": domain.MaxPasskeyAnswer,
}

// limit returns the maximum number of characters of a field's value.
func (f Fields) limit(name string) int {
	if field, listed := f[name]; listed {
		return field.MaxLength
	}
	if limit, shared := sharedFields[name]; shared {
		return limit
	}
	return usualField
}

const (
	// smallForm is the maximum body, in bytes, of a form without listed fields, and of every
	// form of a guest.
	smallForm = 16 << 10
	// longestEncoded is the maximum size of a character in a form: four bytes of UTF-8, each
	// encoded as %XX.
	longestEncoded = 12
)

// bodyLimit returns the maximum body of the route's form, in bytes.
func (r Route) bodyLimit(guest bool) int64 {
	limit := int64(smallForm)
	if guest {
		return limit
	}
	for _, field := range r.Fields {
		limit += int64(field.MaxLength) * int64(max(field.Times, 1)) * longestEncoded
	}
	return limit
}

// Fitting returns a posted value to show again, or "" if it is longer than its field
// allows. A line break is one character, as in Get, although browsers send two.
func (f *Form) Fitting(name, value string) string {
	if utf8.RuneCountInString(value)-strings.Count(value, "\r\n") > f.fields.limit(name) {
		return ""
	}
	return value
}

// dropLong removes values that are longer than their fields allow before the form is shown again,
// because escaping can make them several times as long.
func (f *Form) dropLong() {
	for name, values := range f.values {
		for i, value := range values {
			values[i] = f.Fitting(name, value)
		}
	}
}

// acquireSlot waits until it is the visitor's turn, as for API clients. The turn ends when the response begins:
// the response is complete by then, so slow readers do not make others wait. Requests with files, which
// may take long to send or receive, and streams need no turn.
func (v *Visit) acquireSlot(at Route) (leave func(), err error) {
	if (at.Download || at.Waits) && v.R.Method != http.MethodPost || at.Files && v.HasParts() {
		return func() {}, nil
	}
	leave, err = v.s.o.Callers.Enter(v.R, v.Actor())
	if err != nil {
		return nil, err
	}
	leave = sync.OnceFunc(leave)
	v.W = &slotWriter{ResponseWriter: v.W, leave: leave}
	return leave, nil
}

// slotWriter ends a turn when the response begins.
type slotWriter struct {
	http.ResponseWriter
	leave func()
}

// WriteHeader implements http.ResponseWriter.
func (w *slotWriter) WriteHeader(status int) {
	w.leave()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (w *slotWriter) Write(p []byte) (int, error) {
	w.leave()
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *slotWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// readBody reads the body of a form up to its limit.
func (v *Visit) readBody(limit int64) (string, error) {
	if v.R.ContentLength > limit {
		return "", &http.MaxBytesError{Limit: limit}
	}
	v.R.Body = http.MaxBytesReader(v.W, v.R.Body, limit)
	body, err := httpedge.ReadBody(v.R)
	return string(body), err
}

// charge charges n bytes of a page or a form to the budget of the request.
func (v *Visit) charge(n int) error { return scope.Charge(v.R.Context(), int64(n)) }
