package config

import (
	"net"
	"net/url"
	"path/filepath"
)

// How long a setup code may be that somebody chooses.
const (
	minSetupCode = 12
	maxSetupCode = 200
)

// SetupCodePath is the file with the code that the first account needs.
func (c Config) SetupCodePath() string { return filepath.Join(c.DataDir, "setup-code") }

// Exposed reports whether other machines can reach the server, as far as its settings show: it listens
// beyond loopback, or has a public address or trusted proxies, because a proxy is in front of it.
func (c Config) Exposed() bool {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil || !isLoopback(host) || len(c.TrustedProxies) > 0 || c.TLS.On() {
		return true
	}
	for _, address := range []string{c.BaseURL, c.SiteURL} {
		if u, err := url.Parse(address); err != nil || !isLoopback(u.Hostname()) {
			return true
		}
	}
	return false
}
