package domain

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// OutOfBand is the redirect URI of clients that cannot receive redirects: the code is shown on a
// page for the user to copy.
const OutOfBand = "urn:ietf:wg:oauth:2.0:oob"

// loopbacks are the URL prefixes of programs that listen on the user's machine (RFC 8252 sections
// 7.3 and 8.3).
var loopbacks = []string{"http://127.0.0.1", "http://[::1]", "http://localhost"}

// noRedirect are schemes without a dot that have a meaning to browsers or desktops, so they cannot
// be a client's private scheme.
var noRedirect = []string{
	"about", "blob", "brave", "cid", "data", "edge", "feed", "file", "filesystem", "ftp", "help", "imap", "intent", "jar",
	"javascript", "ldap", "livescript", "mailto", "mhtml", "mid", "mocha", "nntp", "opera", "resource", "res", "sftp",
	"shell", "sip", "sips", "sms", "smb", "ssh", "tel", "telnet", "urn", "vbscript", "view-source", "wss", "ws", "wyciwyg",
}

// MatchRedirectURI reports whether a request may use an address if registered is registered: they
// must be equal, or differ only in the port of a loopback address (RFC 9700 section 2.1, RFC 8252
// section 7.3). It does not parse them, so differences between parsers do not matter.
func MatchRedirectURI(registered, given string) bool {
	if registered == given {
		return true
	}
	wantHost, wantRest, ok := splitLoopback(registered)
	gotHost, gotRest, same := splitLoopback(given)
	return ok && same && wantHost == gotHost && wantRest == gotRest
}

// splitLoopback removes the port from a loopback address.
func splitLoopback(uri string) (host, rest string, ok bool) {
	for _, host := range loopbacks {
		rest, ok := strings.CutPrefix(uri, host)
		if !ok {
			continue
		}
		if port, after, ok := cutPort(rest); ok {
			rest = after
			if !validPort(port) {
				return "", "", false
			}
		}
		if rest == "" || rest[0] == '/' || rest[0] == '?' {
			return host, rest, true
		}
	}
	return "", "", false
}

// cutPort cuts ":" and the following digits off the beginning.
func cutPort(s string) (port, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, ":")
	rest = strings.TrimLeft(s, "0123456789")
	return s[:len(s)-len(rest)], rest, ok
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && port[0] != '0'
}

// BadRedirectURI returns why a redirect URI cannot be registered, or "".
func BadRedirectURI(uri string) string {
	switch {
	case uri == "":
		return "must not be empty"
	case len(uri) > MaxRedirectURI:
		return "must have at most " + strconv.Itoa(MaxRedirectURI) + " bytes"
	case uri == OutOfBand:
		return ""
	case strings.ContainsFunc(uri, unsafeInURI):
		return "must be an absolute address of plain ASCII, without spaces"
	case strings.Contains(uri, "#"):
		return "must not have a fragment"
	case strings.Contains(uri, "*"):
		return "must not have a wildcard"
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" {
		return "must be an absolute address"
	}
	authority, hierarchical := strings.CutPrefix(uri[len(u.Scheme):], "://")
	authority = authority[:strings.IndexAny(authority+"/", "/?")]
	switch {
	case !strings.HasPrefix(uri, u.Scheme+":"):
		return "must have its scheme in lower case"
	case strings.Contains(authority, "@"):
		return "must not have a user or password"
	case u.Scheme == "https":
		if !hierarchical || !validAuthority(authority) {
			return "must have a host name"
		}
		return ""
	case u.Scheme == "http":
		if _, _, ok := splitLoopback(uri); !ok {
			return "must be https, unless it is at 127.0.0.1, [::1] or localhost"
		}
		return ""
	}
	return badScheme(u)
}

// unsafeInURI reports whether a character must be escaped in a URI (RFC 3986 section 2), or some
// programs interpret it differently.
func unsafeInURI(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r) }

// badScheme returns why a private-use scheme cannot be registered, or "". Schemes with a dot belong
// to a domain (RFC 8252 section 7.1); others must not be used by a browser or system.
func badScheme(u *url.URL) string {
	if strings.Contains(u.Scheme, ".") {
		return ""
	}
	theirs := slices.Contains(noRedirect, u.Scheme) || strings.HasPrefix(u.Scheme, "ms-") || strings.HasPrefix(u.Scheme, "chrome") ||
		strings.HasPrefix(u.Scheme, "search-ms") || len(u.Scheme) < 3
	if theirs || u.Opaque != "" {
		return "must be https, http at a loopback address, or a scheme of your own"
	}
	return ""
}

// validAuthority reports whether the text between "//" and the path is an ASCII host name or an IP
// address, with or without a port.
func validAuthority(authority string) bool {
	host := strings.TrimRight(authority, "0123456789")
	if before, ok := strings.CutSuffix(host, ":"); ok {
		if !validPort(authority[len(host):]) {
			return false
		}
		authority = before
	}
	if literal, ok := strings.CutPrefix(authority, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		addr, err := netip.ParseAddr(literal)
		return ok && err == nil && addr.Is6() && addr.Zone() == ""
	}
	for label := range strings.SplitSeq(authority, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notInHostName) {
			return false
		}
	}
	return true
}

func notInHostName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}
