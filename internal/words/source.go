package words

import (
	"crypto/sha256"
	"encoding/binary"
	"net"
	"slices"
	"strings"

	"vitrine/internal/weburl"
)

// Source returns a number for the page at a URL. URLs of the same page may differ in the scheme, `www.`, a
// slash at the end, the order of parameters, parameters that only say where the reader came from, and the
// fragment, unless it is a route. It returns 0 if the text is not a single absolute http(s) URL.
func Source(address string) int64 {
	key := sourceKey(address)
	if key == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(key))
	return max(int64(binary.BigEndian.Uint64(sum[:8])>>1), 1)
}

func sourceKey(address string) string {
	address = strings.TrimSpace(address)
	if strings.ContainsAny(address, " \t\r\n") { // a search query may start with a URL
		return ""
	}
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.TrimPrefix(strings.TrimSuffix(u.Hostname(), "."), "www.")
	if port := u.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	key := host + strings.TrimRight(u.EscapedPath(), "/")
	if params := Parameters(u.RawQuery); len(params) > 0 {
		key += "?" + strings.Join(params, "&")
	}
	if IsRoute(u.Fragment) {
		key += "#" + u.EscapedFragment()
	}
	return key
}

// IsRoute reports whether a fragment names a page of an application that runs in the browser, as in
// `#/board/17` and `#!/inbox`. Other fragments are places on the page.
func IsRoute(fragment string) bool {
	return len(fragment) > 1 && (fragment[0] == '/' || fragment[0] == '!')
}

// Parameters returns the parameters of a query that distinguish pages, sorted.
func Parameters(query string) (kept []string) {
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if pair != "" && !tracking(strings.ToLower(name)) {
			kept = append(kept, pair)
		}
	}
	slices.Sort(kept)
	return kept
}

// tracking reports whether a parameter is used for tracking.
func tracking(name string) bool {
	return strings.HasPrefix(name, "utm_") || slices.Contains([]string{"fbclid", "gclid", "dclid", "gbraid", "wbraid",
		"msclkid", "yclid", "twclid", "ttclid", "igshid", "igsh", "mc_cid", "mc_eid", "_ga", "_gl", "ref_src"}, name)
}

// Place returns the host and path of a URL as searchable text, in readable form.
func Place(address string) string {
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(weburl.ReadableHost(u.Hostname()), "www.") + " " + u.Path
}
