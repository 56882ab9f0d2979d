package describe

import (
	"errors"
	"net/mail"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Formats of what clients send. Each error is the end of a sentence that begins
// with the field.
var requestFormats = []*jsonschema.Format{
	{Name: "uri", Validate: onStrings(checkURI)},
	{Name: "email", Validate: onStrings(checkEmail)},
	{Name: "date-time", Validate: onStrings(checkTime)},
	{Name: "uuid", Validate: onStrings(checkUUID)},
}

// Formats of what the server sends: times are stricter (behaviour.md section 1).
var responseFormats = append([]*jsonschema.Format{
	{Name: "date-time", Validate: onStrings(checkServedTime)},
}, requestFormats[0], requestFormats[1], requestFormats[3])

var (
	errURI        = errors.New("must be an absolute http or https URL")
	errEmail      = errors.New("must be an e-mail address")
	errTime       = errors.New("must be a date and time such as 2024-05-01T12:30:00Z")
	errServedTime = errors.New("must be a UTC time with milliseconds such as 2024-05-01T12:30:00.000Z")
	errUUID       = errors.New("must be a UUID")
)

// onStrings applies a check to strings; formats say nothing of other values.
func onStrings(check func(string) error) func(any) error {
	return func(v any) error {
		if s, ok := v.(string); ok {
			return check(s)
		}
		return nil
	}
}

func checkURI(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || strings.ContainsFunc(s, unicode.IsSpace) {
		return errURI
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return errURI
	}
	return nil
}

// checkEmail takes a bare address; 254 bytes is the most that RFC 5321 can carry.
func checkEmail(s string) error {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 {
		return errEmail
	}
	return nil
}

// checkTime takes RFC 3339. time.Parse alone would also take a comma for the dot.
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

// checkUUID takes the 8-4-4-4-12 form of RFC 9562, in either case.
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
