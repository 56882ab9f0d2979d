package site

import (
	"net/http"
	"net/url"
	"regexp"
)

// policy is the Content-Security-Policy of pages, but for where their forms may lead:
// no script at all, one stylesheet, pictures of our own.
func policy(filesURL string) string {
	pictures := "'self'"
	if u, err := url.Parse(filesURL); err == nil && u.Host != "" {
		pictures += " " + source(u)
	}
	return "default-src 'none'; style-src 'self'; img-src " + pictures +
		"; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
}

// plainHost is a host that a policy can name. Others, such as IPv6 addresses, stand for
// their scheme: what they hold must not become another rule.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)

// plainScheme is what a scheme is, and a policy can name.
var plainScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// source names an address in a policy, "" if it has no scheme.
func source(u *url.URL) string {
	switch {
	case !plainScheme.MatchString(u.Scheme):
		return ""
	case (u.Scheme == "https" || u.Scheme == "http") && plainHost.MatchString(u.Host):
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

// writeHeaders sets what every page has. Its forms may lead to an address beyond the
// site, too, since some browsers hold redirects that follow a form to the policy.
//
// The referrer policy is not no-referrer: with that one, browsers send "Origin: null"
// with forms, which cannot be told from a form of another site where they do not send
// Sec-Fetch-Site either (over plain http).
func (s *Site) writeHeaders(h http.Header, formsTo string) {
	csp := s.policy
	if u, err := url.Parse(formsTo); err == nil && formsTo != "" {
		if to := source(u); to != "" {
			csp += " " + to
		}
	}
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
