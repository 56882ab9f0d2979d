package words

import (
	"crypto/sha256"
	"encoding/binary"
	"net"
	"slices"
	"strings"

	"vitrine/internal/weburl"
)

// Source returns a number that identifies the page at a URL. It is the same for URLs that differ only in
// the scheme, "www.", a trailing slash, the order of parameters, the fragment, and tracking parameters. It
// is 0 if the text is not an absolute http or https URL.
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
	if params := parameters(u.RawQuery); params != "" {
		key += "?" + params
	}
	return key
}

// parameters returns the sorted query parameters that distinguish pages.
func parameters(query string) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if pair != "" && !tracking(strings.ToLower(name)) {
			kept = append(kept, pair)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "&")
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
