package site

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/domain"
)

// form is what a page's fields hold and what is wrong with it. The zero form is empty.
type form struct {
	values url.Values
	errs   map[string]string // by field
	first  string            // field of the page that is wrong, "" for none
	Whole  string            // what is wrong that no field can be blamed for
	status int               // to answer with, 0 for 200
	header http.Header       // to answer with besides
}

// filled is a form with values in it, in turns a name and its value.
func filled(pairs ...string) *form {
	f := &form{values: url.Values{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.values.Set(pairs[i], pairs[i+1])
	}
	return f
}

// form is what was posted.
func (v *visit) form() *form { return &form{values: v.r.PostForm} }

// get is a value as it was posted; line breaks are single.
func (f *form) get(name string) string {
	return strings.ReplaceAll(f.values.Get(name), "\r\n", "\n")
}

// trimmed is get without the blanks around it.
func (f *form) trimmed(name string) string { return strings.TrimSpace(f.get(name)) }

// Has reports whether a value was posted that is as told: of a choice or a tick.
func (f *form) Has(name, value string) bool {
	return f != nil && slices.Contains(f.values[name], value)
}

// refused takes up an error that is about what was posted, for the page to show it, and
// is false for others. fields are those of the page that can be blamed, in their order;
// what is wrong with any other is told on top.
func (f *form) refused(err error, fields ...string) bool {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return false
	}
	switch known.Kind {
	case domain.Invalid, domain.Unprocessable, domain.Conflict, domain.Unauthenticated, domain.Forbidden:
		f.status = http.StatusUnprocessableEntity
	case domain.TooMany:
		f.status, f.Whole = http.StatusTooManyRequests, tooMany(known.Wait)
		f.header = http.Header{"Retry-After": {known.RetryAfter()}}
		return true
	default:
		return false
	}
	if len(known.Fields) == 0 {
		f.Whole = sentence(known.Message)
	}
	for _, line := range known.Fields {
		f.blame(line, fields)
	}
	if i := slices.IndexFunc(fields, func(name string) bool { return f.errs[name] != "" }); i >= 0 {
		f.first = fields[i]
	}
	return true
}

// blame notes one "field: why".
func (f *form) blame(line string, fields []string) {
	name, why, found := strings.Cut(line, ": ")
	if before, index, ok := strings.Cut(name, "["); ok { // one of a list is a line of its field
		if n, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
			name, why = before, "line "+strconv.Itoa(n+1)+" "+why
		}
	}
	if !found || !slices.Contains(fields, name) {
		f.Whole = strings.TrimSpace(f.Whole + " " + sentence(line))
		return
	}
	f.wrong(name, why)
}

// wrong notes what is wrong with a field.
func (f *form) wrong(name, why string) {
	if f.errs == nil {
		f.errs = map[string]string{}
	}
	f.errs[name] = strings.TrimSpace(f.errs[name] + " " + sentence(why))
	if f.first == "" {
		f.first = name
	}
	f.status = http.StatusUnprocessableEntity
}

// Error is what is wrong with a field, "" for nothing.
func (f *form) Error(name string) string {
	if f == nil {
		return ""
	}
	return f.errs[name]
}

// sentence makes one of a piece of a message.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
