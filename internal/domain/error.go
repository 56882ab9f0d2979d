package domain

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	Gone                        // 410: it existed, and is no longer kept
	Conflict                    // 409: conflicts with the current state
	Mismatch                    // 412: the thing is not in the state that the request requires
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

// NewConflict returns an error for fields that do not fit the current state.
func NewConflict(fields ...FieldError) *Error {
	e := NewInvalid(fields...)
	e.Kind = Conflict
	return e
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

// FieldCode is the machine-readable kind of a FieldError.
type FieldCode string

const (
	FieldShape      FieldCode = "shape"        // does not match the operation's description
	FieldRequired   FieldCode = "required"     // is missing
	FieldBlank      FieldCode = "blank"        // contains only white space
	FieldTooShort   FieldCode = "too_short"    // has too few characters or bytes
	FieldTooLong    FieldCode = "too_long"     // has too many characters or bytes
	FieldTooFew     FieldCode = "too_few"      // has too few items
	FieldTooMany    FieldCode = "too_many"     // has too many items
	FieldOutOfRange FieldCode = "out_of_range" // is a number that is too small or too large
	FieldMalformed  FieldCode = "malformed"    // has the wrong format
	FieldUnknown    FieldCode = "unknown"      // is not one of the possible values, or refers to nothing
	FieldRepeated   FieldCode = "repeated"     // occurs twice
	FieldExclusive  FieldCode = "exclusive"    // cannot be combined with another field
	FieldTaken      FieldCode = "taken"        // already belongs to someone
	FieldIncorrect  FieldCode = "incorrect"    // does not match the value that was set, chosen or invited
	FieldForbidden  FieldCode = "forbidden"    // is well-formed but not allowed
)

// FieldError describes a fault of one field of an input.
type FieldError struct {
	Path string    // such as "title", "channels[0].metadata"; "" for the input as a whole
	Code FieldCode // for programs
	Text string    // continues a sentence that starts with the field: "must not be blank"
}

// String returns "field: why", the form in API errors.
func (e FieldError) String() string {
	if e.Path == "" {
		return e.Text
	}
	return e.Path + ": " + e.Text
}

// Item splits the path of a list item: "redirect_uris[2]" into the list's name and 2. For other
// paths it returns the path and -1.
func (e FieldError) Item() (list string, index int) {
	if list, rest, ok := strings.Cut(e.Path, "["); ok {
		if i, err := strconv.Atoi(strings.TrimSuffix(rest, "]")); err == nil {
			return list, i
		}
	}
	return e.Path, -1
}

// Faults collects the faults of an input for a single error. The zero value is empty and allocates
// nothing.
type Faults []FieldError

// Add adds a fault.
func (f *Faults) Add(path string, code FieldCode, text string) {
	*f = append(*f, FieldError{path, code, text})
}

// Include adds the faults of an Invalid error, prefixing their paths, for example with
// "blocks[3].". It returns any other error.
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

// Err returns an error with all faults, or nil.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return NewInvalid(f...)
}

// JoinFaults joins Invalid errors into one. If there is any other error, it returns that instead.
func JoinFaults(errs ...error) error {
	var all Faults
	for _, err := range errs {
		if err := all.Include("", err); err != nil {
			return err
		}
	}
	return all.Err()
}

// Text checks that a text can be stored and has at most limit characters. It returns false if it
// added a fault.
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

// AnyText is Text for an optional text that may be blank.
func (f *Faults) AnyText(path string, s *string, limit int) {
	if s != nil {
		f.Text(path, *s, limit)
	}
}

// OptionalText is Text for an optional text that may be "" but not white space.
func (f *Faults) OptionalText(path string, s *string, limit int) {
	if s != nil && f.Text(path, *s, limit) && *s != "" && strings.TrimSpace(*s) == "" {
		f.Add(path, FieldBlank, mustNotBeBlank)
	}
}

// RequiredText is Text for a text that must not be blank.
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

// Positive checks an ID or a position, which start at 1.
func (f *Faults) Positive(path string, n int64) {
	if n < 1 {
		f.Add(path, FieldOutOfRange, "must be at least 1")
	}
}

// OptionalID checks an ID, where 0 means none.
func (f *Faults) OptionalID(path string, id int64) {
	if id != 0 {
		f.Positive(path, id)
	}
}

// Between checks a number with both a minimum and a maximum.
func (f *Faults) Between(path string, n, low, high int64) {
	switch {
	case n < low:
		f.Add(path, FieldOutOfRange, "must be at least "+strconv.FormatInt(low, 10))
	case n > high:
		f.Add(path, FieldOutOfRange, "must be at most "+strconv.FormatInt(high, 10))
	}
}

// Sort checks the sort key of a list, from 0 to last.
func (f *Faults) Sort(key, last int) {
	if key < 0 || key > last {
		f.Add("sort", FieldUnknown, "is no order of this list")
	}
}

// Count checks that a list has 1 to limit items. It returns false if it added a fault.
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

// Among checks that a value is one of all.
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
