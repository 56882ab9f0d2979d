package domain

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FieldCode says what is wrong with a field, for programs; Text of a FieldError says it to
// people.
type FieldCode string

// The codes. There are no others.
const (
	FieldShape      FieldCode = "shape"        // does not have the form that the description of an operation gives it
	FieldRequired   FieldCode = "required"     // is missing
	FieldBlank      FieldCode = "blank"        // is white space alone
	FieldTooShort   FieldCode = "too_short"    // has too few characters or bytes
	FieldTooLong    FieldCode = "too_long"     // has too many of them
	FieldTooFew     FieldCode = "too_few"      // has too few items
	FieldTooMany    FieldCode = "too_many"     // has too many of them
	FieldOutOfRange FieldCode = "out_of_range" // is a number that is too low or too high
	FieldMalformed  FieldCode = "malformed"    // is not of the form that such a value has
	FieldUnknown    FieldCode = "unknown"      // is none of the values that there are, or names nothing
	FieldRepeated   FieldCode = "repeated"     // is there twice
	FieldExclusive  FieldCode = "exclusive"    // cannot be given together with another field
	FieldTaken      FieldCode = "taken"        // belongs to somebody already
	FieldIncorrect  FieldCode = "incorrect"    // is not the one that was set, chosen or invited
	FieldForbidden  FieldCode = "forbidden"    // is well formed, and not allowed nevertheless
)

// FieldError is what is wrong with one field of an input.
type FieldError struct {
	Path string    // such as "title", "channels[0].metadata"; "" for the input as a whole
	Code FieldCode // for programs
	Text string    // the end of a sentence that begins with the field: "must not be blank"
}

// String gives "field: why", which is how clients of the API are told.
func (e FieldError) String() string {
	if e.Path == "" {
		return e.Text
	}
	return e.Path + ": " + e.Text
}

// Item splits the path of an item of a list: "redirect_uris[2]" into the list's name and
// 2. For other paths it gives the path, and -1.
func (e FieldError) Item() (list string, index int) {
	if list, rest, ok := strings.Cut(e.Path, "["); ok {
		if i, err := strconv.Atoi(strings.TrimSuffix(rest, "]")); err == nil {
			return list, i
		}
	}
	return e.Path, -1
}

// Faults gathers what is wrong with an input, so that one error can name it all. The zero
// value has none, and costs nothing.
type Faults []FieldError

// Add notes a fault.
func (f *Faults) Add(path string, code FieldCode, text string) {
	*f = append(*f, FieldError{path, code, text})
}

// Include takes over the faults of an Invalid error, with a prefix such as "blocks[3]."
// before their paths. Any other error it gives back.
func (f *Faults) Include(prefix string, err error) error {
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*Error](err)
	if !ok || invalid.Kind != Invalid {
		return err
	}
	for _, e := range invalid.Fields {
		e.Path = prefix + e.Path
		*f = append(*f, e)
	}
	return nil
}

// IncludeItem is Include for an item of a list. The prefix is only made for an error.
func (f *Faults) IncludeItem(list string, index int, err error) error {
	if err == nil {
		return nil
	}
	return f.Include(list+"["+strconv.Itoa(index)+"].", err)
}

// Err is the error that names them all, nil if there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return NewInvalid(f...)
}

// JoinFaults makes one Invalid error of several. Any other error among them it gives alone.
func JoinFaults(errs ...error) error {
	var all Faults
	for _, err := range errs {
		if err := all.Include("", err); err != nil {
			return err
		}
	}
	return all.Err()
}

// Text checks that a text can be kept, and has at most so many characters. It reports
// whether it is so.
func (f *Faults) Text(path, s string, limit int) bool {
	switch {
	case !utf8.ValidString(s):
		f.Add(path, FieldMalformed, "must be valid UTF-8")
	case strings.IndexByte(s, 0) >= 0:
		f.Add(path, FieldMalformed, "must not contain NUL")
	case len(s) > limit && utf8.RuneCountInString(s) > limit:
		f.Add(path, FieldTooLong, "must be at most "+strconv.Itoa(limit)+" characters long")
	default:
		return true
	}
	return false
}

// AnyText is Text for one that may be missing, and may be of spaces alone.
func (f *Faults) AnyText(path string, s *string, limit int) {
	if s != nil {
		f.Text(path, *s, limit)
	}
}

// OptionalText is Text for one that may be missing or "", and not of spaces alone.
func (f *Faults) OptionalText(path string, s *string, limit int) {
	if s != nil && f.Text(path, *s, limit) && *s != "" && strings.TrimSpace(*s) == "" {
		f.Add(path, FieldBlank, mustNotBeBlank)
	}
}

// RequiredText is Text for one that must say something.
func (f *Faults) RequiredText(path, s string, limit int) bool {
	if !f.Text(path, s, limit) {
		return false
	}
	if strings.TrimSpace(s) == "" {
		f.Add(path, FieldBlank, mustNotBeBlank)
		return false
	}
	return true
}

const mustNotBeBlank = "must not be blank"

// Positive checks an id or a position, which counts from 1.
func (f *Faults) Positive(path string, n int64) {
	if n < 1 {
		f.Add(path, FieldOutOfRange, "must be at least 1")
	}
}

// OptionalID checks an id, where 0 says that none is given.
func (f *Faults) OptionalID(path string, id int64) {
	if id != 0 {
		f.Positive(path, id)
	}
}

// Between checks a number that has bounds on both sides.
func (f *Faults) Between(path string, n, low, high int64) {
	switch {
	case n < low:
		f.Add(path, FieldOutOfRange, "must be at least "+strconv.FormatInt(low, 10))
	case n > high:
		f.Add(path, FieldOutOfRange, "must be at most "+strconv.FormatInt(high, 10))
	}
}

// Sort checks what a list is sorted by: one of the keys up to the last.
func (f *Faults) Sort(key, last int) {
	if key < 0 || key > last {
		f.Add("sort", FieldUnknown, "is no order of this list")
	}
}

// Count checks that a list has 1 to so many items, and reports whether it has.
func (f *Faults) Count(path string, n, limit int) bool {
	switch {
	case n == 0:
		f.Add(path, FieldTooFew, "must have at least 1 item")
	case n > limit:
		f.Add(path, FieldTooMany, "must have at most "+strconv.Itoa(limit)+" items")
	default:
		return true
	}
	return false
}

// Among checks that a value is one of those that there are.
func Among[T ~string](f *Faults, path string, value T, all ...T) {
	for _, one := range all {
		if value == one {
			return
		}
	}
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = string(one)
	}
	f.Add(path, FieldUnknown, "must be one of "+strings.Join(names, ", "))
}
