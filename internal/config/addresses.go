package config

import (
	"cmp"
	"errors"
	"io/fs"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// socketScheme is the prefix of the address of a Unix socket, as in unix:/run/vitrine/vitrine.sock.
const socketScheme = "unix:"

// longestSocketPath is the maximum length of a Unix socket path on Linux. Other systems allow a few
// bytes less; there, listening fails.
const longestSocketPath = 107

// SocketPath returns the path of the Unix socket in an address to listen on.
func SocketPath(addr string) (path string, ok bool) { return strings.CutPrefix(addr, socketScheme) }

// LocalURL returns the URL at which a server that listens on Addr is reached from the same
// machine. For a Unix socket the host is a placeholder.
func (c Config) LocalURL() string {
	url := listenURL(c.Addr)
	if c.TLS.On() {
		return "https" + strings.TrimPrefix(url, "http")
	}
	return url
}

// completeAddresses derives the addresses to listen on and the public addresses that are not given.
func (c *Config) completeAddresses(given Texts, found *problems) {
	c.TLS.complete(given, found)
	c.Addr = cmp.Or(c.Addr, defaultAddr(c.TLS))
	_, socket := SocketPath(c.Addr)
	if c.TLS.On() && c.TLS.HTTPAddr == c.Addr {
		found.add("tls-http-addr", "must differ from --addr")
	}
	if c.TLS.On() && socket {
		found.add("addr", "a Unix socket is for a proxy, which terminates TLS itself: remove --tls-domain, or use host:port")
	}
	if socket && c.BaseURL == "" && c.SiteURL == "" {
		found.add("base-url", "is required with a Unix socket: set the address that the proxy serves, such as https://example.org")
	}
	base, site := c.BaseURL, c.SiteURL
	c.BaseURL = c.publicURL("base-url", base, site, found)
	c.SiteURL = c.publicURL("site-url", site, base, found)
	c.FilesURL = cmp.Or(c.FilesURL, c.BaseURL)
	for flag, other := range map[string]string{"--addr": c.Addr, "--tls-http-addr": c.TLS.HTTPAddr} {
		if c.MetricsAddr != "" && c.MetricsAddr == other && !strings.HasSuffix(other, ":0") {
			found.addErr("metrics-addr", quotedError(other, "must differ from "+flag))
		}
	}
}

// publicURL returns a public address. If it is not given, publicURL uses the first TLS domain, or
// else the other public address, or else the address to listen on.
func (c *Config) publicURL(flag, given, other string, found *problems) string {
	switch {
	case given == "" && c.TLS.On():
		return "https://" + c.TLS.Domains[0]
	case given == "" && other != "":
		return other
	case given == "":
		return listenURL(c.Addr)
	case c.TLS.On() && strings.HasPrefix(given, "http:"):
		found.addErr(flag, quotedError(given, "want https:// because --tls-domain is set"))
	}
	return given
}

// listenURL returns the URL at which a server on addr is reached from the same machine. A host that
// means all interfaces is replaced by the loopback address.
func listenURL(addr string) string {
	if _, socket := SocketPath(addr); socket {
		return "http://localhost"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return ""
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// checkListener checks the address of a listener that may be behind a proxy.
func checkListener(addr string) error {
	path, socket := SocketPath(addr)
	switch {
	case !socket:
		return checkAddr(addr)
	case !filepath.IsAbs(path) || strings.HasSuffix(path, "/"):
		return quotedError(addr, "want the absolute path of a socket, such as unix:/run/vitrine/vitrine.sock")
	case len(path) > longestSocketPath:
		return quotedError(addr, "the path is too long for a socket: want at most "+strconv.Itoa(longestSocketPath)+" bytes")
	}
	return nil
}

func checkAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return quotedError(addr, "want host:port with a numeric port, such as 127.0.0.1:8080")
	}
	return nil
}

// publicPath matches the path of a public address. Proxies, cookies and Vitrine compare it literally,
// so it must not contain characters that can be encoded in two ways.
var publicPath = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

func checkPublicURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return quotedError(raw, "want an absolute address such as https://example.org")
	case u.User != nil:
		return errors.New("must not contain a user name or password")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "#"):
		return quotedError(raw, "must not have a query or fragment")
	case strings.HasSuffix(u.Path, "/"):
		return quotedError(raw, "must not end in a slash")
	case !publicPath.MatchString(u.EscapedPath()):
		return quotedError(raw, "write the path with letters, digits, dots, hyphens, underscores and tildes, such as https://example.org/vitrine")
	}
	return nil
}

// parseFileMode parses the permissions of a file in octal, as chmod does.
func parseFileMode(text string) (fs.FileMode, error) {
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil || mode > 0o777 || mode&0o200 == 0 {
		return 0, quotedError(text, "want permissions in octal that let the owner write, such as 0660")
	}
	return fs.FileMode(mode), nil
}

func formatFileMode(mode fs.FileMode) string { return "0" + strconv.FormatUint(uint64(mode), 8) }

// parseContacts parses the contacts for security.txt (RFC 9116 section 2.5.3), separated by commas. A
// bare e-mail address becomes a mailto: URI.
func parseContacts(text string) ([]string, error) { return each(text, parseContact) }

func parseContact(item string) (string, error) {
	if a, err := mail.ParseAddress(item); err == nil && a.Address == item {
		item = (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(item)}).String()
	}
	u, err := url.Parse(item)
	if err == nil && (u.Scheme == "https" && u.Hostname() != "" || (u.Scheme == "mailto" || u.Scheme == "tel") && u.Opaque != "") {
		return u.String(), nil
	}
	return "", quotedError(item, "want an e-mail address, or an address such as https://example.org/security")
}

// noArchive is the value of the setting for no web archive.
const noArchive = "off"

// parseArchive parses the address of copies in a web archive.
func parseArchive(address string) (string, error) {
	if address == noArchive {
		return "", nil
	}
	u, err := url.Parse(strings.NewReplacer("{time}", "0", "{url}", "0").Replace(address))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || !strings.Contains(address, "{url}") {
		return "", quotedError(address, "want an http or https URL with {url}, or off")
	}
	return address, nil
}

func formatArchive(address string) string { return cmp.Or(address, noArchive) }

// checkProgram accepts the path of a program, or its name in the search path.
func checkProgram(name string) error {
	if _, err := exec.LookPath(name); err != nil {
		return quotedError(name, "want the path of a program that this account may run")
	}
	return nil
}

// checkBrowser accepts the address of a browser.
func checkBrowser(address string) error {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, at.Scheme) {
		return quotedError(address, "want the address of a browser, such as http://chromium:9222 or ws://chromium:3000")
	}
	return nil
}
