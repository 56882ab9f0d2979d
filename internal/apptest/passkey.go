package apptest

import "github.com/descope/virtualwebauthn"

// wholeKey is how many bytes a key is written in whose coordinates both begin with another byte
// than zero.
const wholeKey = 77

// Credential makes one for a passkey. The library writes a coordinate that begins with zeros in
// fewer than the 32 bytes of RFC 9053 section 7.1.1, as no authenticator does: such a key, one of
// 128, is made anew.
func Credential() virtualwebauthn.Credential {
	for {
		c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(c.Key.AttestationData()) == wholeKey {
			return c
		}
	}
}
