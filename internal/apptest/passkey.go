package apptest

import "github.com/descope/virtualwebauthn"

// wholeKey is the encoded size of a key whose coordinates both have no leading zero byte.
const wholeKey = 77

// Credential returns a new credential for a passkey. The library encodes a coordinate with leading
// zeros in fewer than the 32 bytes of RFC 9053 section 7.1.1, unlike authenticators. One key in 128
// is affected, and replaced with another.
func Credential() virtualwebauthn.Credential {
	for {
		c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(c.Key.AttestationData()) == wholeKey {
			return c
		}
	}
}
