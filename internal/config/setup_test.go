package config_test

import (
	"strings"
	"testing"
)

func TestExposed(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"":                              false,
		"--addr=localhost:1":            false,
		"--addr=[::1]:1":                false,
		"--base-url=http://localhost:1": false,
		"--addr=:8080":                  true,
		"--addr=0.0.0.0:8080":           true,
		"--addr=192.0.2.1:80":           true,
		"--base-url=https://site.test":  true,
		"--site-url=https://site.test":  true,
		"--trusted-proxies=127.0.0.1":   true,
		"--tls-domain=site.test":        true,
	} {
		if cfg := resolve(t, parse(t, strings.Fields(args)...)); cfg.Exposed() != want {
			t.Errorf("%q: exposed is %v, want %v", args, !want, want)
		}
	}
}
