package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/site/catalog"
)

// Form contains the values of a page's fields and their errors. The zero form is empty.
type Form struct {
	values url.Values
	errs   map[string]string // by field
	first  string            // first field of the page with an error, "" for none
	Whole  string            // error that belongs to no field
	status int               // of the response, 0 for 200
	header http.Header       // of the response
	lang   *catalog.Language // of the user who posted it
	fields Fields            // of the route
	given  bool              // the values come from the request
}

// Filled returns a form with values, given as pairs of name and value.
func Filled(pairs ...string) *Form {
	f := &Form{values: url.Values{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.values.Set(pairs[i], pairs[i+1])
	}
	return f
}

// Given is Filled with values from the request, such as its query parameters.
func Given(pairs ...string) *Form {
	f := Filled(pairs...)
	f.given = true
	return f
}

// Form returns the posted form.
func (v *Visit) Form() *Form {
	return &Form{values: v.R.PostForm, lang: v.Lang, fields: v.fields, given: true}
}

// Get returns a posted value with normalized line breaks.
func (f *Form) Get(name string) string {
	return strings.ReplaceAll(f.values.Get(name), "\r\n", "\n")
}

// Default sets the value of a field that was not posted.
func (f *Form) Default(name, value string) {
	if _, posted := f.values[name]; !posted {
		f.values.Set(name, value)
	}
}

// Add adds a value of a field that has several.
func (f *Form) Add(name, value string) { f.values.Add(name, value) }

// Secret returns a value exactly as posted.
func (f *Form) Secret(name string) string { return f.values.Get(name) }

// Values returns all values of a field.
func (f *Form) Values(name string) []string { return f.values[name] }

// Posted reports whether the form was posted.
func (f *Form) Posted() bool { return f != nil && f.values != nil }

// Failed reports whether the form has an error.
func (f *Form) Failed() bool { return f != nil && f.status != 0 }

// Trimmed is Get without surrounding white space.
func (f *Form) Trimmed(name string) string { return strings.TrimSpace(f.Get(name)) }

// Has reports whether a field was posted with this value, such as a check box.
func (f *Form) Has(name, value string) bool {
	return f != nil && slices.Contains(f.values[name], value)
}

// Refused adds an error about posted values to the form, so that the page can show it. It returns
// false for other errors. fields are the page's fields in their order; errors of any other field
// are shown at the top.
func (f *Form) Refused(err error, fields ...string) bool {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || errors.Is(err, accounts.ErrUnproved) || errors.Is(err, accounts.ErrRenewed) {
		return false // redirected
	}
	switch known.Kind {
	case domain.Invalid, domain.Unprocessable, domain.Conflict, domain.Unauthenticated, domain.Forbidden:
		f.status = http.StatusUnprocessableEntity
	case domain.TooMany:
		f.status, f.Whole = http.StatusTooManyRequests, tooMany(f.lang, known.Wait)
		f.header = http.Header{"Retry-After": {known.RetryAfter()}}
		return true
	case domain.Unavailable:
		f.status, f.Whole = http.StatusServiceUnavailable, Sentence(f.fault(known.Message))
		f.header = http.Header{"Retry-After": {known.RetryAfter()}}
		return true
	default:
		return false
	}
	if len(known.Fields) == 0 {
		f.Whole = Sentence(f.fault(known.Message))
	}
	for _, fault := range known.Fields {
		f.blame(fault, fields)
	}
	if i := slices.IndexFunc(fields, func(name string) bool { return f.errs[name] != "" }); i >= 0 {
		f.first = fields[i]
	}
	return true
}

// blame adds a fault to its field.
func (f *Form) blame(fault domain.FieldError, fields []string) {
	name, n := fault.Item()
	if !slices.Contains(fields, name) {
		f.Whole = strings.TrimSpace(f.Whole + " " + Sentence(faultIn(f.lang, fault)))
		return
	}
	why := fault.Text
	if n >= 0 && f.lang != nil { // each item of the list is a line of the field
		why = f.lang.Text("web.field.line", n+1, f.fault(why))
	}
	f.Wrong(name, why)
}

// Wrong adds an error to a field.
func (f *Form) Wrong(name, why string) {
	if f.errs == nil {
		f.errs = map[string]string{}
	}
	f.errs[name] = strings.TrimSpace(f.errs[name] + " " + Sentence(f.fault(why)))
	if f.first == "" {
		f.first = name
	}
	f.status = http.StatusUnprocessableEntity
}

// fault translates an error message for the user who posted the form.
func (f *Form) fault(text string) string {
	if f.lang == nil {
		return text
	}
	return f.lang.Fault(text)
}

// faultIn returns "field: reason" in a language.
func faultIn(lang *catalog.Language, fault domain.FieldError) string {
	if lang != nil {
		fault.Text = lang.Fault(fault.Text)
	}
	return fault.String()
}

// Error returns the error of a field, "" for none.
func (f *Form) Error(name string) string {
	if f == nil {
		return ""
	}
	return f.errs[name]
}

// Sentence turns an error message into a sentence.
func Sentence(s string) string {
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
