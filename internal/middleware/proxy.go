package middleware

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// ClientAddr sets Exchange.ClientIP. It is the TCP peer unless the peer is a proxy
// (Exchange.fromProxy): then it is the rightmost hop of X-Forwarded-For that is not in
// trusted, or the leftmost if all are. The walk stops at an unreadable hop, because the hops to
// its left are unverified. On a Unix socket the address is unknown if the proxy does not
// send it. The Forwarded header is ignored, because every proxy fills it differently.
func ClientAddr(trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			x.ClientIP = clientAddr(x.peer, x.fromProxy(trusted), r.Header.Values("X-Forwarded-For"), trusted)
			next.ServeHTTP(w, r)
		})
	}
}

func clientAddr(peer netip.Addr, trustedPeer bool, lines []string, trusted []netip.Prefix) netip.Addr {
	client := peer
	for i := len(lines) - 1; i >= 0; i-- {
		rest := lines[i]
		for more := true; more; {
			if !trustedPeer {
				return client
			}
			var hop string
			rest, hop, more = cutLast(rest)
			if hop == "" { // RFC 9110 §5.6.1: empty list elements are ignored
				continue
			}
			addr, ok := parseHop(hop)
			if !ok {
				return client
			}
			client, trustedPeer = addr, contains(trusted, addr)
		}
	}
	return client
}

// cutLast splits off the last element of a comma-separated list. It reports in more whether
// elements remain.
func cutLast(list string) (before, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", strings.TrimSpace(list), false
	}
	return list[:i], strings.TrimSpace(list[i+1:]), true
}

// parseHop parses an address with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1,
// [2001:db8::1], [2001:db8::1]:80.
func parseHop(s string) (netip.Addr, bool) {
	host, port := s, "0"
	if inner, ok := strings.CutPrefix(s, "["); ok {
		var after string
		if host, after, ok = strings.Cut(inner, "]"); !ok {
			return netip.Addr{}, false
		}
		if after != "" {
			if port, ok = strings.CutPrefix(after, ":"); !ok {
				return netip.Addr{}, false
			}
		}
	} else if strings.Count(s, ":") == 1 {
		host, port, _ = strings.Cut(s, ":")
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}, false
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return netip.Addr{}, false
	}
	return plain(addr), true
}

// overSocket reports whether a request arrived on a Unix socket.
func overSocket(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && local.Network() == "unix"
}

// peerAddr parses http.Request.RemoteAddr. It returns the zero Addr if that is not an IP
// address (on a Unix socket).
func peerAddr(remote string) netip.Addr {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return plain(ap.Addr())
}

// plain normalizes an address: IPv4 unmapped, no zone.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// StripPrefix removes the prefixes from the paths of requests. Requests whose prefix a reverse proxy
// has already removed match no prefix and pass unchanged. If the remaining path begins with the
// prefix again, only the proxy knows that it was there twice. So if a peer in trusted (or on a
// Unix socket) sends X-Forwarded-Prefix, nothing is removed.
//
// A prefix begins with a slash, does not end in one, and needs no percent-encoding. The URL is
// changed in place, without an allocation, because it belongs to this request only.
func StripPrefix(prefixes []string, trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		if len(prefixes) == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, prefix := range prefixes {
				if !hasPrefix(r.URL.Path, prefix) || r.URL.RawPath != "" && !hasPrefix(r.URL.RawPath, prefix) {
					continue
				}
				if !removedBefore(r, prefixes, trusted) {
					r.URL.Path = r.URL.Path[len(prefix):]
					if r.URL.RawPath != "" {
						r.URL.RawPath = r.URL.RawPath[len(prefix):]
					}
				}
				break
			}
			next.ServeHTTP(w, r)
		})
	}
}

// hasPrefix reports whether a path is the prefix, or continues after it with a new segment.
func hasPrefix(path, prefix string) bool {
	return strings.HasPrefix(path, prefix) && (len(path) == len(prefix) || path[len(prefix)] == '/')
}

// removedBefore reports whether a trusted proxy has removed one of the prefixes, according to its header.
func removedBefore(r *http.Request, prefixes []string, trusted []netip.Prefix) bool {
	named := func(said string) bool { return slices.Contains(prefixes, strings.TrimSuffix(said, "/")) }
	if !slices.ContainsFunc(r.Header["X-Forwarded-Prefix"], named) {
		return false
	}
	return contains(trusted, peerAddr(r.RemoteAddr)) || overSocket(r)
}
