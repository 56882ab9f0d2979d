package domain

import (
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/secure/precis"
	"golang.org/x/text/unicode/norm"
)

// CanonicalEmail returns the form in which an address is stored and compared: in lower case, with
// an international domain in Unicode. Some browsers send such a domain in Punycode, others do not.
func CanonicalEmail(address string) (string, error) {
	local, host, err := splitEmail(address)
	if err != nil {
		return "", err
	}
	if local, err = canonicalLocal(local); err != nil {
		return "", fmt.Errorf("%q: %w", address, err)
	}
	canonical := local + "@" + readableDomain(host)
	if len(canonical) > MaxEmail {
		return "", fmt.Errorf("%q is too long", address)
	}
	return canonical, nil
}

// NeedsSMTPUTF8 reports whether the local part of an address has letters outside ASCII, so that
// only servers with SMTPUTF8 (RFC 6531) can take mail for it.
func NeedsSMTPUTF8(address string) bool {
	local, _, _ := strings.Cut(address, "@")
	return strings.ContainsFunc(local, notASCII)
}

// EmailInASCII returns an address with its domain in ASCII, as mail servers require it. The local
// part keeps its letters. A text that is not an address is returned unchanged.
func EmailInASCII(email string) string {
	local, host, err := splitEmail(email)
	if err != nil {
		return email
	}
	return local + "@" + host
}

// splitEmail checks a bare address, and returns its local part and its domain in ASCII.
func splitEmail(address string) (local, host string, err error) {
	parsed, err := netmail.ParseAddress("<" + address + ">")
	if err != nil || parsed.Address != address {
		return "", "", fmt.Errorf("%q is not an address", address)
	}
	at := strings.LastIndexByte(address, '@')
	local, host = address[:at], address[at+1:]
	if strings.ContainsFunc(host, notASCII) {
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", "", fmt.Errorf("%q has an invalid domain: %w", address, err)
		}
	}
	if len(local) > 64 || len(host) > 253 { // RFC 5321 section 4.5.3.1
		return "", "", fmt.Errorf("%q is too long", address)
	}
	return local, host, nil
}

var errLocalPart = errors.New("the part before the @ has characters that are not supported")

// canonicalLocal returns a local part in lower case. Outside ASCII it only accepts user names as
// defined by RFC 8265. It refuses names that PRECIS would map to others, such as those in
// full-width letters, because they could belong to someone else.
func canonicalLocal(local string) (string, error) {
	lower := strings.ToLower(local)
	if !strings.ContainsFunc(lower, notASCII) {
		return lower, nil
	}
	lower = norm.NFC.String(lower)
	if name, err := precis.UsernameCaseMapped.String(lower); err != nil || name != lower || len(lower) > 64 {
		return "", errLocalPart
	}
	return lower, nil
}

// readableDomain returns a domain in ASCII in Unicode and lower case. A domain that only looks
// like Punycode stays in ASCII.
func readableDomain(host string) string {
	host = strings.ToLower(host)
	readable, err := idna.Lookup.ToUnicode(host)
	if err != nil {
		return host
	}
	if again, err := idna.Lookup.ToASCII(readable); err != nil || again != host {
		return host
	}
	return readable
}

func notASCII(r rune) bool { return r > unicode.MaxASCII }
