package fetch

import (
	"errors"
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
	host := target.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761 section 6.3
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return nil // a name
	}
	port := uint64(443)
	if text := target.Port(); text != "" {
		port, _ = strconv.ParseUint(text, 10, 16) // already validated
	} else if target.Scheme == "http" {
		port = 80
	}
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
