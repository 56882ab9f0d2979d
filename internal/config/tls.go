package config

import (
	"crypto/x509"
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
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
	text, err := os.ReadFile(t.DirectoryCA)
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

// resolveTLS parses the TLS settings.
func (s Server) resolveTLS(cfg *Config, found *problems) {
	if s.TLSDomain == "" {
		s.needTLSDomain(found)
		return
	}
	t := TLS{Email: s.TLSEmail, DirectoryURL: s.TLSDirectoryURL, DirectoryCA: s.TLSDirectoryCA}
	t.Domains = parseDomains(s.TLSDomain, found)
	switch s.TLSHTTPAddr {
	case noListener:
	case "":
		t.HTTPAddr = defaultHTTPAddr
	default:
		t.HTTPAddr = s.TLSHTTPAddr
		found.addErr("tls-http-addr", checkAddr(t.HTTPAddr))
	}
	if a, err := mail.ParseAddress(t.Email); t.Email != "" && (err != nil || a.Address != t.Email) {
		found.addErr("tls-email", quotedError(t.Email, "want an address such as me@example.org"))
	}
	if u, err := url.Parse(t.DirectoryURL); t.DirectoryURL != "" && (err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil) {
		found.add("tls-directory-url", "want an address such as https://ca.example.org/directory")
	}
	_, err := t.Roots()
	found.addErr("tls-directory-ca", err)
	cfg.TLS = t
}

// needTLSDomain reports TLS settings that have no effect without --tls-domain.
func (s Server) needTLSDomain(found *problems) {
	for _, set := range []struct{ flag, value string }{
		{"tls-email", s.TLSEmail}, {"tls-http-addr", s.TLSHTTPAddr},
		{"tls-directory-url", s.TLSDirectoryURL}, {"tls-directory-ca", s.TLSDirectoryCA},
	} {
		if set.value != "" {
			found.add(set.flag, "requires --tls-domain")
		}
	}
}

// parseDomains parses a comma-separated list of domains.
func parseDomains(text string, found *problems) (domains []string) {
	before := len(*found)
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, err := parseDomain(item)
		found.addErr("tls-domain", err)
		if err == nil && !slices.Contains(domains, name) {
			domains = append(domains, name)
		}
	}
	if len(domains) == 0 && len(*found) == before {
		found.addErr("tls-domain", quotedError(text, "does not contain a domain"))
	}
	return domains
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
