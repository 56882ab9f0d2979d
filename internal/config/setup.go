package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
)

// Limits of a setup code that the operator chooses.
const (
	minSetupCode = 12
	maxSetupCode = 200
)

func checkSetupCode(code string) error {
	if n := len(code); n < minSetupCode || n > maxSetupCode {
		return fmt.Errorf("must have %d to %d characters", minSetupCode, maxSetupCode)
	}
	return nil
}

// SetupCodePath returns the path of the file with the setup code.
func (c Config) SetupCodePath() string { return filepath.Join(c.DataDir, "setup-code") }

// Exposed reports whether the settings suggest that other machines can reach the server: it listens
// beyond loopback, or is behind a proxy, since it has a public address or trusted proxies.
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
