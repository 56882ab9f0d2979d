package page

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"vitrine/internal/weburl"
)

// web reports whether a URL is absolute, http or https, and without user name and password.
func web(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Hostname() != ""
}

// absolute resolves a reference against base. It refuses URLs that are not web pages. Without a base, the
// reference must contain a host; a missing scheme, as in "//example.org/", means https.
func absolute(base *url.URL, reference string) (u *url.URL, ok bool) {
	reference = strings.TrimSpace(reference)
	if reference == "" || len(reference) > maxAddress {
		return nil, false
	}
	var err error
	switch {
	case base != nil:
		u, err = weburl.Resolve(base, reference)
	case strings.HasPrefix(reference, "//"):
		u, err = weburl.Parse("https:" + reference)
	default:
		u, err = weburl.Parse(reference)
	}
	return u, err == nil && u.User == nil && len(u.String()) <= maxAddress
}

// hostOf returns the host of an address in lower-case ASCII without its port, or "" if DNS and
// browsers do not understand it unambiguously.
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

// SameSite reports whether two URLs belong to the same registrable domain.
func SameSite(a, b *url.URL) bool { return related(hostOf(a), hostOf(b)) }

// related reports whether two hosts belong to the same registrable domain, such as player.vimeo.com
// and vimeo.com. Hosts without one, such as IP addresses, are related only to themselves.
func related(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return a == b || registrable(a) != "" && registrable(a) == registrable(b)
}

// registrable returns the registrable domain, above which another owner begins, or "".
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

// numeric reports whether a domain ends in a number, so that browsers parse it as an unusual form
// of an IPv4 address.
func numeric(domain string) bool {
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	return last == "" || last[0] >= '0' && last[0] <= '9'
}
