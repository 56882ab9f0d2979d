package middleware

import (
	"net/netip"
	"testing"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	guest := func(s string) Key { return GuestKey(netip.MustParseAddr(s)) }
	same := map[string][2]Key{
		"IPv6 of one /64": {guest("2001:db8:0:1::1"), guest("2001:db8:0:1:ffff::")},
		"mapped IPv4":     {guest("192.0.2.1"), guest("::ffff:192.0.2.1")},
		"zone":            {guest("fe80::1"), guest("fe80::1%eth0")},
	}
	for name, keys := range same {
		if keys[0] != keys[1] {
			t.Errorf("%s: %v and %v differ", name, keys[0], keys[1])
		}
	}
	distinct := map[string]Key{
		"u:1": UserKey(1), "u:2": UserKey(2), "a:1": ApplicationKey(1),
		"g:0.0.0.1": guest("0.0.0.1"), "g:0.0.0.2": guest("0.0.0.2"), "g:::/64": guest("::1"),
		"g:2001:db8::/64": guest("2001:db8::1"), "g:2001:db8:0:1::/64": guest("2001:db8:0:1::1"),
		"g:unknown": GuestKey(netip.Addr{}), "g:0.0.0.0": guest("0.0.0.0"),
	}
	seen := map[Key]string{}
	for want, key := range distinct {
		if key.String() != want {
			t.Errorf("String() = %s, want %s", key, want)
		}
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s are one key", want, other)
		}
		seen[key] = want
	}
}
