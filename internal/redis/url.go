package redis

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// Check checks the address of a server. Its errors do not repeat the address, which may hold a
// password.
func Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("the address is malformed")
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return errors.New("want redis://host:6379, or rediss:// for TLS")
	case u.Hostname() == "" || u.Opaque != "":
		return errors.New("there is no host after " + u.Scheme + "://")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("what follows ? or # is not known: a number of a database stands in the path, as in redis://host/1")
	}
	if path := strings.TrimPrefix(u.Path, "/"); path != "" {
		if n, err := strconv.Atoi(path); err != nil || n < 0 {
			return errors.New("the path is to be the number of a database, as in redis://host/1")
		}
	}
	return nil
}
