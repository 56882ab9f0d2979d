package config

import (
	"crypto/x509"
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// TLS configures a server that obtains certificates itself. Without Domains, a proxy terminates
// TLS.
type TLS struct {
	Domains      []string // lower case ASCII, each once
	Email        string
	HTTPAddr     string // host:port for challenges and redirects; empty for none
	DirectoryURL string // empty for Let's Encrypt
	DirectoryCA  string // PEM file, empty for the system's
}

// defaultHTTPAddr is the port that authorities send HTTP-01 challenges to.
const defaultHTTPAddr = ":80"

// noListener is the value of --tls-http-addr that turns the listener off.
const noListener = "none"

// On reports whether the server serves TLS itself.
func (t TLS) On() bool { return len(t.Domains) > 0 }

// Roots returns the certificates for verifying the directory's TLS certificate; nil means the
// system's.
func (t TLS) Roots() (*x509.CertPool, error) {
	if t.DirectoryCA == "" {
		return nil, nil
	}
	text, err := readFile(t.DirectoryCA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("the file " + t.DirectoryCA + " does not contain a PEM certificate")
	}
	return pool, nil
}

// printHTTPAddr returns the value of --tls-http-addr.
func (t TLS) printHTTPAddr() string {
	if t.On() && t.HTTPAddr == "" {
		return noListener
	}
	return t.HTTPAddr
}

func parseHTTPAddr(c *Config, text string) error {
	if text == noListener {
		return nil
	}
	c.TLS.HTTPAddr = text
	return checkAddr(text)
}

func checkTLSEmail(text string) error {
	if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
		return quotedError(text, "want an address such as me@example.org")
	}
	return nil
}

func checkDirectoryURL(text string) error {
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return errors.New("want an address such as https://ca.example.org/directory")
	}
	return nil
}

// complete fills in defaults and loads the certificates. Without --tls-domain, it reports settings
// that have no effect.
func (t *TLS) complete(given Texts, found *problems) {
	if given["tls-domain"] == "" {
		for _, flag := range []string{"tls-email", "tls-http-addr", "tls-directory-url", "tls-directory-ca"} {
			if given[flag] != "" && !found.on(flag) {
				found.add(flag, "requires --tls-domain")
			}
		}
		*t = TLS{}
		return
	}
	if given["tls-http-addr"] == "" {
		t.HTTPAddr = defaultHTTPAddr
	}
	_, err := t.Roots()
	found.addErr("tls-directory-ca", err)
}

// parseDomains parses a comma-separated list of domains, and omits duplicates.
func parseDomains(text string) ([]string, error) {
	domains, err := each(text, parseDomain)
	if err == nil && len(domains) == 0 {
		err = quotedError(text, "does not contain a domain")
	}
	var unique []string
	for _, name := range domains {
		if !slices.Contains(unique, name) {
			unique = append(unique, name)
		}
	}
	return unique, err
}

// parseDomain returns a domain in the form used in certificates.
func parseDomain(item string) (string, error) {
	if strings.HasPrefix(item, "*.") {
		return "", quotedError(item, "list every name: wildcard certificates are not supported")
	}
	name, err := idna.New(idna.MapForLookup(), idna.StrictDomainName(true), idna.VerifyDNSLength(true)).ToASCII(item)
	if _, ip := netip.ParseAddr(name); err != nil || ip == nil || !strings.Contains(name, ".") || strings.HasSuffix(name, ".") {
		return "", quotedError(item, "want a name such as example.org, without https:// and port")
	}
	return name, nil
}

// defaultAddr returns the default address to listen on.
func defaultAddr(t TLS) string {
	if t.On() {
		return ":443"
	}
	return "127.0.0.1:8080"
}
