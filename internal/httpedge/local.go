package httpedge

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

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
		if err != nil || !loopback(u.Hostname()) {
			return false
		}
	}
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !loopback(peer) {
		return false
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return loopback(strings.Trim(host, "[]"))
}

// loopback reports whether a host name or address means this machine.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
