package fetch

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL is how many bytes a URL may have; many servers take no more.
const maxURL = 8_192

// parse reads the URL that somebody gave, and checks it.
func parse(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, &Error{Reason: "The address is too long"}
	}
	target, err := url.Parse(raw)
	if err != nil {
		return nil, &Error{Reason: "The address is not valid", cause: err}
	}
	return target, check(target)
}

// check reports whether a URL may be fetched as far as one can see without resolving
// it, and writes its host and port in the plainest way. Which addresses may be
// connected to is for the guard to say.
func check(target *url.URL) error {
	switch {
	case len(target.String()) > maxURL:
		return &Error{Reason: "The address is too long"}
	case target.Scheme != "http" && target.Scheme != "https":
		return &Error{Reason: "Only http and https addresses are fetched"}
	case target.User != nil:
		return &Error{Reason: "The address holds a user name or a password"}
	case target.Opaque != "" || target.Hostname() == "":
		return &Error{Reason: "The address has no host"}
	}
	host, ok := hostname(target.Hostname())
	if !ok {
		return &Error{Reason: "The host of the address is not valid"}
	}
	port, ok := portOf(target)
	if !ok {
		return &Error{Reason: "The port of the address is not valid"}
	}
	target.Host = host + port
	return nil
}

// Check reports whether an address may be fetched, as far as that can be said without asking
// anybody: of a name it is not known yet where it leads.
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
		port, _ = strconv.ParseUint(text, 10, 16) // it was checked
	} else if target.Scheme == "http" {
		port = 80
	}
	network := "tcp4"
	if addr = addr.Unmap(); addr.Is6() {
		network = "tcp6"
	}
	return c.guard.check(network, netip.AddrPortFrom(addr, uint16(port)), nil)
}

// hostname returns a host as it goes into a URL: an address, or a name in lower case
// ASCII. What is neither is refused, above all the other ways to write an IPv4
// address, "0x7f.1" or "2130706433", that some resolvers know. They all end in a
// number, as no name does (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func hostname(host string) (string, bool) {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Is6() {
			return "[" + addr.String() + "]", addr.Zone() == ""
		}
		return addr.String(), true
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil {
		name = strings.ToLower(host) // strict IDNA knows no "_", DNS does
	}
	name = strings.TrimSuffix(name, ".")
	if len(name) > 253 { // RFC 1035 section 2.3.4
		return "", false
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, isForeign) {
			return "", false
		}
	}
	if isNumber(labels[len(labels)-1]) {
		addr, err := netip.ParseAddr(name) // as of "127.0.0.1.", or of wide digits
		return name, err == nil && addr.Is4()
	}
	return name, true
}

// isForeign reports whether a character cannot be in a host name.
func isForeign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

func isNumber(label string) bool {
	if digits, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// portOf returns the port with its colon, and nothing if it is the scheme's own.
func portOf(target *url.URL) (string, bool) {
	if target.Port() == "" {
		return "", true
	}
	port, err := strconv.ParseUint(target.Port(), 10, 16)
	if err != nil || port == 0 {
		return "", false
	}
	if target.Scheme == "http" && port == 80 || target.Scheme == "https" && port == 443 {
		return "", true
	}
	return ":" + strconv.FormatUint(port, 10), true
}
