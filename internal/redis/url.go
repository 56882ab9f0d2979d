package redis

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// Check checks the address of a server. Errors do not contain the address, which may include a password.
func Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("the address is malformed")
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return errors.New("want redis://host:6379, or rediss:// for TLS")
	case u.Hostname() == "" || u.Opaque != "":
		return errors.New("the host is missing after " + u.Scheme + "://")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("? and # are not supported: put a database number into the path, as in redis://host/1")
	}
	if path := strings.TrimPrefix(u.Path, "/"); path != "" {
		if n, err := strconv.Atoi(path); err != nil || n < 0 {
			return errors.New("the path must be a database number, as in redis://host/1")
		}
	}
	return nil
}
