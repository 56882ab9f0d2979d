package core

import (
	"net/url"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/mail"
)

// CheckCredentials refuses an address with a user name or a password in it: whoever sees
// the address would see them.
func CheckCredentials(f *domain.Faults, path, address string) {
	if u, err := url.Parse(strings.TrimSpace(address)); err == nil && u.User != nil {
		f.Add(path, domain.FieldForbidden, "a URL must not hold a user name or password")
	}
}

// AbsoluteURL reports whether a value is one absolute http(s) URL, and gives it trimmed.
func AbsoluteURL(value string) (string, bool) {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, unicode.IsSpace) {
		return "", false
	}
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	return value, true
}

// AddressOf is where mail to a user goes.
func AddressOf(u domain.User) mail.Address {
	return mail.Address{Name: mail.Harmless(u.Name), Email: u.Email}
}

// CheckEmail wants a bare address that mail can be sent to. Addresses are kept in lower case.
func CheckEmail(f *domain.Faults, email string) {
	const why = "must be an address such as ada@example.org"
	if len(email) > domain.MaxEmail {
		f.Add("email", domain.FieldTooLong, why)
	} else if !mail.Valid(email) {
		f.Add("email", domain.FieldMalformed, why)
	}
}

// EmailAddress gives an address as it is kept, or the Invalid error that names `email`.
func EmailAddress(s string) (string, error) {
	var f domain.Faults
	CheckEmail(&f, s)
	return strings.ToLower(s), f.Err()
}
