package httpedge

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// The types that the generated code uses for optional parameters and fields. The named types of
// each API have these as their underlying types.
type (
	optInt64 = struct {
		Value int64
		Set   bool
	}
	optString = struct {
		Value string
		Set   bool
	}
	optNilString = struct {
		Value string
		Set   bool
		Null  bool
	}
)

// Page returns the requested page, with the description's defaults.
func Page(number, per optInt64) domain.Page {
	p := domain.Page{Number: 1, Per: 24}
	if number.Set {
		p.Number = number.Value
	}
	if per.Set {
		p.Per = per.Value
	}
	return p
}

// Given returns a pointer to an optional text, or nil if it is not set.
func Given(o optString) *string {
	if !o.Set {
		return nil
	}
	return &o.Value
}

// Patch returns the change of a text that can be removed.
func Patch(o optNilString) core.Patch {
	if !o.Set || o.Null {
		return core.Patch{Set: o.Set}
	}
	return core.Patch{Set: true, Value: &o.Value}
}

// Types converts type names of the API to types; nil means all.
func Types[T ~string](names []T) (all []string) {
	for _, name := range names {
		switch name {
		case "All":
			return nil
		case "Block":
			all = append(all, domain.BlockTypes...)
		default:
			all = append(all, string(name))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// PlainLists rewrites repeated list parameters of a search as one comma-separated parameter each,
// and `q` as `query` (behaviour.md section 1), which the generated decoder requires.
func PlainLists(u *url.URL) *url.URL {
	if u.RawQuery == "" {
		return u
	}
	var pairs []string
	at := map[string]int{}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if first, ok := at[name]; ok && (name == "type" || name == "ext") {
			pairs[first] += "," + value
			continue
		}
		at[name] = len(pairs)
		pairs = append(pairs, pair)
	}
	if i, ok := at["q"]; ok {
		if _, given := at["query"]; !given {
			pairs[i] = "query" + strings.TrimPrefix(pairs[i], "q")
		}
	}
	plain := *u
	plain.RawQuery = strings.Join(pairs, "&")
	return &plain
}

// WithoutSlash returns the path of a GET or HEAD request without a superfluous slash at the end. The
// empty path becomes the slash itself. It rejects paths that begin with two slashes, or contain a
// backslash or an empty segment, because browsers may treat a redirect to them as a redirect to
// another host.
func WithoutSlash(r *http.Request) (path string, ok bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return "", false
	}
	path = r.URL.Path
	switch {
	case path == "":
		return "/", true
	case path == "/", path[0] != '/', path[len(path)-1] != '/', strings.Contains(path, "//"), strings.Contains(path, `\`):
		return "", false
	case r.URL.RawPath != "" && !strings.HasSuffix(r.URL.RawPath, "/"): // the slash is a %2F of the last segment
		return "", false
	}
	return path[:len(path)-1], true
}

// EscapedWithoutSlash returns the URL, below the site's root, to redirect a request to if WithoutSlash
// accepted it. It keeps the query.
func EscapedWithoutSlash(r *http.Request) string {
	address := strings.TrimSuffix(r.URL.EscapedPath(), "/")
	if address == "" {
		address = "/"
	}
	if r.URL.RawQuery != "" {
		address += "?" + r.URL.RawQuery
	}
	return address
}

// forwarding lists the headers that proxies add.
var forwarding = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// Local reports whether a request seems to come from a browser on this machine: over loopback, to a
// loopback host, and not through a proxy. A proxy that adds no headers looks like a browser.
func Local(r *http.Request) bool {
	for _, field := range forwarding {
		if r.Header.Get(field) != "" {
			return false
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "null" {
		u, err := url.Parse(origin)
		if err != nil || !Loopback(u.Hostname()) {
			return false
		}
	}
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !Loopback(peer) {
		return false
	}
	return Loopback(Hostname(r.Host))
}

// Hostname returns a host, such as that of a Host header, without its port, in lower case.
func Hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// Loopback reports whether a host name or address means this machine.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
