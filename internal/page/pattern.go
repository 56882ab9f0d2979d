package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// pattern is a parsed scheme of the list of providers, such as "https://*.youtube.com/watch*"
// (oembed.com section 2.1). It matches both http and https, and hosts with or without "www.".
type pattern struct {
	host     string   // without "*." and "www.", with a port that is not the default
	below    bool     // subdomains match too
	literals []string // parts of path and query between the wildcards
	query    bool     // the pattern includes the query
	fragment bool     // the pattern includes the fragment
}

// target is the address of a page for matching.
type target struct {
	host, path, query, fragment string // query and fragment with their "?" and "#"
}

// newPattern parses a scheme. It refuses schemes other than HTTP(S), and wildcards in the host
// except before a registrable domain.
func newPattern(scheme string) (pattern, bool) {
	before, rest, ok := strings.Cut(scheme, "://")
	if !ok || before != "http" && before != "https" {
		return pattern{}, false
	}
	host, path, _ := strings.Cut(rest, "/")
	p := pattern{host: strings.ToLower(host)}
	for strings.HasPrefix(p.host, "*.") {
		p.host, p.below = p.host[2:], true
	}
	p.host = strings.TrimPrefix(p.host, "www.")
	if p.host == "" || strings.ContainsAny(p.host, "*@?#") {
		return pattern{}, false
	}
	if suffix, icann := publicsuffix.PublicSuffix(p.host); p.below && suffix == p.host && (icann || !strings.Contains(suffix, ".")) {
		return pattern{}, false
	}
	p.fragment = strings.Contains(path, "#")
	p.query = strings.Contains(path, "?")
	p.literals = strings.Split("/"+path, "*")
	return p, true
}

func newTarget(u *url.URL) target {
	t := target{host: hostOf(u), path: u.EscapedPath()}
	t.host = strings.TrimPrefix(t.host, "www.")
	if port := u.Port(); port != "" && !(port == "80" && u.Scheme == "http") && !(port == "443" && u.Scheme == "https") {
		t.host += ":" + port
	}
	if t.path == "" {
		t.path = "/"
	}
	if u.RawQuery != "" {
		t.query = "?" + u.RawQuery
	}
	if u.Fragment != "" {
		t.fragment = "#" + u.EscapedFragment()
	}
	return t
}

func (p pattern) matches(t target) bool {
	if t.host != p.host && !(p.below && strings.HasSuffix(t.host, "."+p.host)) {
		return false
	}
	text := t.path
	if p.query {
		text += t.query
	}
	if p.fragment {
		text += t.fragment
	}
	return fits(p.literals, text)
}

// fits reports whether text consists of the literals with anything between them.
func fits(literals []string, text string) bool {
	first, last := literals[0], literals[len(literals)-1]
	if len(literals) == 1 {
		return text == first
	}
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for _, literal := range literals[1 : len(literals)-1] {
		_, after, ok := strings.Cut(text, literal)
		if !ok {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, last)
}
