package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

const (
	letters    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	base64url  = letters + "0123456789-_"
	unreserved = base64url + ".~"
)

// ValidChallenge reports whether s is a possible code challenge of the method S256: a base64url-encoded
// SHA-256, 43 characters (RFC 7636 section 4.2).
func ValidChallenge(s string) bool { return len(s) == 43 && strings.Trim(s, base64url) == "" }

// ValidVerifier reports whether s is a valid code verifier (RFC 7636 section 4.1).
func ValidVerifier(s string) bool {
	return len(s) >= 43 && len(s) <= 128 && strings.Trim(s, unreserved) == ""
}

// VerifierMatches reports whether a challenge is the S256 challenge of a verifier, in constant time.
func VerifierMatches(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return ValidVerifier(verifier) &&
		subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// SameSecret reports whether a secret matches a hash, in constant time. No secret matches an empty hash.
func SameSecret(secret string, hash []byte) bool {
	return len(hash) > 0 && subtle.ConstantTimeCompare(HashToken(secret), hash) == 1
}

// NewClientID returns a public OAuth client ID: 43 random base-62 characters, which cannot be mistaken for
// a command line flag.
func NewClientID() string { return randomBase62(43) }
