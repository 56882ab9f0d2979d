package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// policy is the Content-Security-Policy of pages, but for what single pages add to it: our
// own styles and scripts, files of our own and where scripts put uploads, "" for the site
// itself.
func policy(filesURL, uploadURL string) string {
	files := "'self'" + host(filesURL)
	to := files
	if more := host(uploadURL); !strings.Contains(files+" ", more+" ") {
		to += more
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; manifest-src 'self'; worker-src 'self'; img-src " + files +
		" blob:; media-src " + files + "; connect-src " + to + "; base-uri 'none'"
}

// host names the host of an address in a policy, after a space; "" for none.
func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return " " + source(u)
	}
	return ""
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
// with forms, which cannot be distinguished from a form of another site where they do not send
// Sec-Fetch-Site either (over plain http).
func (s *Site) writeHeaders(h http.Header, v *Visit) {
	csp := s.policy
	if v.Frames != "" {
		csp += "; frame-src" + beyond(v.Frames)
	}
	if v.Framed {
		h.Del("X-Frame-Options")
	} else {
		csp += "; frame-ancestors 'none'"
		h.Set("X-Frame-Options", "DENY")
	}
	h.Set("Content-Security-Policy", csp+"; form-action 'self'"+beyond(v.FormsTo))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
}

// beyond names an address beyond the site in a policy, after a space; "" for none.
func beyond(address string) string {
	if u, err := url.Parse(address); err == nil && address != "" {
		if to := source(u); to != "" {
			return " " + to
		}
	}
	return ""
}
