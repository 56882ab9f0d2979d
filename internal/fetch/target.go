package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/weburl"
)

// parse parses and checks the URL that a user entered.
func parse(raw string) (*url.URL, error) {
	target, err := weburl.Parse(raw)
	if err != nil {
		return nil, refused(err, "The address is not valid")
	}
	return target, check(target)
}

// refused returns the error for a text that is not the URL of a page.
func refused(err error, reason string) error {
	switch {
	case errors.Is(err, weburl.ErrTooLong):
		reason = "The address is too long"
	case errors.Is(err, weburl.ErrScheme):
		reason = "Only http and https addresses are fetched"
	}
	return &Error{Reason: reason, cause: err}
}

// check refuses canonical URLs that must not be fetched, without resolving the host, and removes the
// dot at the end of the host. The guard decides later which IP addresses may be connected to.
func check(target *url.URL) error {
	host := strings.TrimSuffix(target.Hostname(), ".")
	switch {
	case target.User != nil:
		return &Error{Reason: "The address holds a user name or a password"}
	case !resolvable(host):
		return &Error{Reason: "The host of the address is not valid"}
	case target.Port() == "0":
		return &Error{Reason: "The port of the address is not valid"}
	}
	target.Host = strings.Replace(target.Host, host+".", host, 1)
	return nil
}

// Check reports whether an address may be fetched, as far as this is known without resolving its
// name.
func (c *Client) Check(address string) error {
	target, err := parse(address)
	if err != nil {
		return err
	}
	addr, err := netip.ParseAddr(literal(target))
	if err != nil {
		return nil // a name
	}
	return c.checkTarget(target, addr)
}

// CheckResolved is Check, but also resolves the name. At least one of its addresses must be allowed.
func (c *Client) CheckResolved(ctx context.Context, address string) error {
	target, err := parse(address)
	if err != nil {
		return err
	}
	host := literal(target)
	if c.route != nil {
		if host, _, err = net.SplitHostPort(c.route(net.JoinHostPort(host, portOf(target)))); err != nil {
			return err
		}
	}
	found, err := c.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return explainNetwork(err)
	}
	for _, addr := range found {
		if err = c.checkTarget(target, addr); err == nil {
			return nil
		}
	}
	return err
}

// literal returns the host of a target, as an address if it is one of the names of this computer (RFC 6761 section 6.3).
func literal(target *url.URL) string {
	host := target.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "127.0.0.1"
	}
	return host
}

// portOf returns the port of a canonical URL.
func portOf(target *url.URL) string {
	if port := target.Port(); port != "" {
		return port
	}
	if target.Scheme == "http" {
		return "80"
	}
	return "443"
}

// checkTarget checks an address of the host of a target.
func (c *Client) checkTarget(target *url.URL, addr netip.Addr) error {
	if c.guard.allowsHost(net.JoinHostPort(target.Hostname(), portOf(target))) {
		return nil
	}
	port, _ := strconv.ParseUint(portOf(target), 10, 16) // already validated
	network := "tcp4"
	if addr = addr.Unmap(); addr.Is6() {
		network = "tcp6"
	}
	return c.guard.check(network, netip.AddrPortFrom(addr, uint16(port)), nil)
}

// resolvable reports whether a canonical host is an IP address or a valid DNS name (RFC 1035
// section 2.3.4).
func resolvable(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Zone() == ""
	}
	return len(host) <= 253 && !slices.ContainsFunc(strings.Split(host, "."), func(label string) bool { return label == "" || len(label) > 63 })
}
