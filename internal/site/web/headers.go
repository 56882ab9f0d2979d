package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// policy returns the common Content-Security-Policy of pages: our styles and scripts, our files,
// and the address for uploads by scripts, "" for the site itself.
func policy(filesURL, uploadURL string) string {
	files := "'self'" + host(filesURL)
	to := files
	if more := host(uploadURL); !strings.Contains(files+" ", more+" ") {
		to += more
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; img-src " + files +
		" blob:; media-src " + files + " blob:; connect-src " + to + "; base-uri 'none'"
}

// host returns the host of an address for a policy, after a space; "" for none.
func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return " " + source(u)
	}
	return ""
}

// plainHost matches hosts that may be used in a policy. Others, such as IPv6 addresses, are
// replaced by their scheme, so that their characters cannot add a rule.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)

// plainScheme matches schemes that may be used in a policy.
var plainScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// source returns the policy's name for an address, "" if it has no scheme.
func source(u *url.URL) string {
	switch {
	case !plainScheme.MatchString(u.Scheme):
		return ""
	case (u.Scheme == "https" || u.Scheme == "http") && plainHost.MatchString(u.Host):
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

// writeHeaders sets the common headers of pages. The policy includes the address beyond the site
// that a form leads to, since some browsers apply it to redirects that follow a form.
//
// The referrer policy is not no-referrer: with that one, browsers send "Origin: null" with forms.
// If they do not send Sec-Fetch-Site either (over plain HTTP), this cannot be distinguished from a
// form of another site.
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

// beyond returns the policy's name for an address beyond the site, after a space; "" for none.
func beyond(address string) string {
	if u, err := url.Parse(address); err == nil && address != "" {
		if to := source(u); to != "" {
			return " " + to
		}
	}
	return ""
}
