package core

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/mail"
	"vitrine/internal/weburl"
)

// CheckURL returns the canonical form of the URL in a field, and adds a fault if it is invalid.
func CheckURL(f *domain.Faults, field, address string, limit int) string {
	if !f.Text(field, address, limit) {
		return ""
	}
	link, err := weburl.Canonical(address)
	if err != nil && !errors.Is(err, weburl.ErrTooLong) {
		f.Add(field, domain.FieldMalformed, "must be an absolute http or https URL")
	} else if err != nil || len(link) > limit {
		f.Add(field, domain.FieldTooLong, "must be at most "+strconv.Itoa(limit)+" characters long")
	} else {
		CheckCredentials(f, field, link)
	}
	return link
}

// CheckCredentials refuses a URL that contains a user name or password: everyone who sees the
// URL would see them.
func CheckCredentials(f *domain.Faults, field, address string) {
	if u, err := weburl.Parse(address); err == nil && u.User != nil {
		f.Add(field, domain.FieldForbidden, "a URL must not contain a user name or password")
	}
}

// OptionalURL returns the canonical form of a URL that CheckURL has accepted, or nil for nil or "".
func OptionalURL(address *string) *string {
	if address == nil || *address == "" {
		return nil
	}
	link, err := weburl.Canonical(*address)
	if err != nil {
		return nil
	}
	return &link
}

var absoluteURL = regexp.MustCompile(`^(?i:https?)://[^/\\\s]`)

// AbsoluteURL reports whether a value, which may also be a text, is a single absolute http or https
// URL, and returns its canonical form. Browsers also accept spaces in a URL, but most texts that
// begin with a URL continue with words. So a URL with spaces must end in a file name:
// "http://example.org/a b.png". A URL that is too long to be parsed is returned unchanged.
func AbsoluteURL(value string) (string, bool) {
	value = strings.TrimSpace(value)
	if !absoluteURL.MatchString(value) {
		return "", false
	}
	if strings.ContainsFunc(value, unicode.IsSpace) && !namesFile(value) {
		return "", false
	}
	link, err := weburl.Canonical(value)
	if errors.Is(err, weburl.ErrTooLong) {
		return value, true
	}
	return link, err == nil
}

// namesFile reports whether a URL with spaces ends in the name of a file.
func namesFile(value string) bool {
	if len(value) > domain.MaxURL || strings.Count(value, "://") > 1 || strings.ContainsAny(value, "?#") {
		return false
	}
	other := func(r rune) bool { return unicode.IsSpace(r) && r != ' ' }
	extension := strings.TrimPrefix(strings.ToLower(path.Ext(value)), ".")
	return !strings.ContainsFunc(value, other) && slices.Contains(domain.FileExtensions, extension)
}

// AddressOf returns the mail address of a user.
func AddressOf(u domain.User) mail.Address {
	return mail.Address{Name: mail.Harmless(u.Name), Email: u.Email}
}

// CheckEmail checks that a text is a bare address, and returns its canonical form. A text that is
// not an address is returned in lower case.
func CheckEmail(f *domain.Faults, text string) string {
	const why = "must be an address such as ada@example.org"
	if len(text) > domain.MaxEmail {
		f.Add("email", domain.FieldTooLong, why)
		return strings.ToLower(text)
	}
	email, err := domain.CanonicalEmail(text)
	if err != nil {
		f.Add("email", domain.FieldMalformed, why)
		return strings.ToLower(text)
	}
	return email
}

// EmailAddress is CheckEmail for a single field. The error is Invalid and names `email`.
func EmailAddress(text string) (string, error) {
	var f domain.Faults
	email := CheckEmail(&f, text)
	return email, f.Err()
}

// CanonicalEmail is CheckEmail for a text that was or will be checked elsewhere.
func CanonicalEmail(text string) string {
	return CheckEmail(new(domain.Faults), text)
}
