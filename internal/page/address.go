package page

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// web reports whether an address is absolute, http or https, and holds no password.
func web(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Opaque == "" &&
		u.Hostname() != "" && !strings.ContainsFunc(u.Hostname(), foreignToHosts)
}

// foreignToHosts reports whether net/url, but nobody else, accepts a character in a host.
func foreignToHosts(r rune) bool {
	return r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._:", r) ||
		unicode.IsSpace(r) || hidden(r)
}

// absolute resolves a reference against base, and refuses what is not on the web.
func absolute(base *url.URL, reference string) (*url.URL, bool) {
	reference = strings.TrimSpace(reference)
	if reference == "" || len(reference) > maxAddress {
		return nil, false
	}
	u, err := base.Parse(reference)
	if err != nil || !web(u) || len(u.String()) > maxAddress {
		return nil, false
	}
	return u, true
}

// hostOf returns the host of an address in lower-case ASCII without its port, or ""
// if it is none that a name server or a browser would understand without guessing.
func hostOf(u *url.URL) string {
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		if _, err := netip.ParseAddr(u.Hostname()); err != nil {
			return ""
		}
		host = u.Hostname()
	}
	host = strings.ToLower(host)
	if strings.HasSuffix(host, ".") {
		return ""
	}
	return host
}

// related reports whether two hosts belong to the same registrable domain, such as
// player.vimeo.com and vimeo.com. Hosts without one, such as IP addresses, are
// related to themselves alone.
func related(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return a == b || registrable(a) != "" && registrable(a) == registrable(b)
}

// registrable returns the domain above which somebody else may be the owner, or "".
func registrable(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || numeric(domain) {
		return ""
	}
	return domain
}

// numeric reports whether a domain ends in a number: browsers take it for an IPv4
// address in one of its odd notations.
func numeric(domain string) bool {
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	return last == "" || last[0] >= '0' && last[0] <= '9'
}
