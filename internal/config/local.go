package config

// LocalURL is where a server on the address to listen on is reached from the same
// machine.
func (c Config) LocalURL() string { return listenURL(c.Addr) }
