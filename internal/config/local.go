package config

import "strings"

// LocalURL is where a server on the address to listen on is reached from the same
// machine.
func (c Config) LocalURL() string {
	url := listenURL(c.Addr)
	if c.TLS.On() {
		return "https" + strings.TrimPrefix(url, "http")
	}
	return url
}
