package describe

import (
	"errors"
	"net/mail"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vitrine/internal/weburl"
)

// The formats in requests. Each error is the end of a sentence that begins with the field.
var requestFormats = []*jsonschema.Format{
	{Name: "uri", Validate: onStrings(checkURI)},
	{Name: "email", Validate: onStrings(checkEmail)},
	{Name: "date-time", Validate: onStrings(checkTime)},
	{Name: "uuid", Validate: onStrings(checkUUID)},
}

// The formats in responses, where times and URLs are stricter (behaviour.md section 1).
var responseFormats = []*jsonschema.Format{
	{Name: "uri", Validate: onStrings(checkServedURI)},
	requestFormats[1],
	{Name: "date-time", Validate: onStrings(checkServedTime)},
	requestFormats[3],
}

var (
	errURI        = errors.New("must be an absolute http or https URL")
	errServedURI  = errors.New("must be a canonical http or https URI")
	errEmail      = errors.New("must be an e-mail address")
	errTime       = errors.New("must be a date and time such as 2024-05-01T12:30:00Z")
	errServedTime = errors.New("must be a UTC time with milliseconds such as 2024-05-01T12:30:00.000Z")
	errUUID       = errors.New("must be a UUID")
)

// onStrings applies a check to strings. Formats do not apply to other values.
func onStrings(check func(string) error) func(any) error {
	return func(v any) error {
		if s, ok := v.(string); ok {
			return check(s)
		}
		return nil
	}
}

// checkURI accepts URLs that browsers accept, and "" for no URL.
func checkURI(s string) error {
	if s == "" {
		return nil
	}
	if _, err := weburl.Canonical(s); err != nil && !errors.Is(err, weburl.ErrTooLong) { // maxLength reports that
		return errURI
	}
	return nil
}

// checkServedURI accepts only URIs in the canonical form in which they are served.
func checkServedURI(s string) error {
	if link, err := weburl.Canonical(s); err != nil || link != s {
		return errServedURI
	}
	return nil
}

// checkEmail accepts a bare address of at most 254 bytes, the limit of RFC 5321.
func checkEmail(s string) error {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 {
		return errEmail
	}
	return nil
}

// checkTime accepts RFC 3339. time.Parse would also accept a comma instead of the dot.
func checkTime(s string) error {
	if _, err := time.Parse(time.RFC3339, s); err != nil || strings.Contains(s, ",") {
		return errTime
	}
	return nil
}

func checkServedTime(s string) error {
	const layout = "2006-01-02T15:04:05.000Z"
	if t, err := time.Parse(layout, s); err != nil || t.Format(layout) != s {
		return errServedTime
	}
	return nil
}

// checkUUID accepts the 8-4-4-4-12 form of RFC 9562, in upper or lower case.
func checkUUID(s string) error {
	groups := strings.Split(s, "-")
	if len(groups) != 5 {
		return errUUID
	}
	for i, want := range []int{8, 4, 4, 4, 12} {
		if len(groups[i]) != want || strings.Trim(groups[i], "0123456789abcdefABCDEF") != "" {
			return errUUID
		}
	}
	return nil
}
