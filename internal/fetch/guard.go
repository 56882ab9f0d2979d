package fetch

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// guard decides which addresses the client may connect to. It checks the resolved address right
// before each connection, so it also covers redirects and names whose addresses change.
type guard struct {
	public *ssrf.Guardian
	allow  []netip.Prefix
	hosts  []string // whose addresses are not checked
}

func newGuard(allow []netip.Prefix) *guard {
	g := &guard{public: ssrf.New(ssrf.WithAnyPort())}
	for _, prefix := range allow {
		if addr := prefix.Addr(); addr.Is4In6() && prefix.Bits() >= 96 {
			prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-96)
		}
		g.allow = append(g.allow, prefix)
	}
	return g
}

// allowsHost reports whether the addresses of the host in "host:port" are not checked.
func (g *guard) allowsHost(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && slices.Contains(g.hosts, host)
}

// control implements net.Dialer.Control.
func (g *guard) control(network, address string, conn syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("parse the address to connect to: %w", err)
	}
	return g.check(network, netip.AddrPortFrom(to.Addr().Unmap(), to.Port()), conn)
}

func (g *guard) check(network string, to netip.AddrPort, conn syscall.RawConn) error {
	if slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(to.Addr()) }) {
		return nil
	}
	if err := g.public.Safe(network, to.String(), conn); err != nil {
		return &Error{Reason: notPublic, cause: err}
	}
	if !portAllowed(to.Port()) {
		return &Error{Reason: "The port of the address is not one of the web's", cause: fmt.Errorf("port %d", to.Port())}
	}
	return nil
}

// portAllowed reports whether a web server may use a port: 80, 443 and unprivileged ports, except
// those that browsers block because other services use them
// (https://fetch.spec.whatwg.org/#port-blocking).
func portAllowed(port uint16) bool {
	switch port {
	case 80, 443:
		return true
	case 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
		6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080:
		return false
	}
	return port >= 1024
}
