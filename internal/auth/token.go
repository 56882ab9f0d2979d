package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"hash/crc32"
	"slices"
	"strings"
)

// Kind is the purpose of a token. It is part of the token, so that anyone who finds one in a log or a
// repository recognizes it.
type Kind string

// The kinds of tokens.
const (
	Personal Kind = "pat" // created by a user for their own programs
	OAuth    Kind = "oat" // issued by the token endpoint (RFC 6749 section 5.1)
	Invited  Kind = "inv" // mailed with an invitation to a group; gives no other access
	Session  Kind = "ses" // cookie of a signed-in browser
	Half     Kind = "hlf" // cookie of a browser that has not provided the second factor yet
	Mailed   Kind = "lnk" // mailed to verify an address or to set a password
	Admitted Kind = "sup" // created by an operator for one person to sign up
	Client   Kind = "sec" // secret of a confidential OAuth client
	Code     Kind = "cod" // authorization code (RFC 6749 section 4.1.2)
	Refresh  Kind = "rft" // refresh token (RFC 6749 section 1.5)
)

var kinds = []Kind{Personal, OAuth, Invited, Session, Half, Mailed, Admitted, Client, Code, Refresh}

const (
	tokenBrand     = "vitrine_"
	secretLength   = 40 // base-62 characters: 238 bits
	checksumLength = 6  // base-62 characters, enough for 32 bits
	hintLength     = 4  // characters of the secret that may be displayed
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewToken creates a token. The token is for its owner and displayed once, the hash is for the database, and
// the hint, the start of the token, is for lists. 214 bits of the secret stay unknown.
//
// A token is "vitrine_", the kind, "_", 40 random base-62 characters, and 6 base-62 characters with the
// CRC-32 (IEEE) of everything before, most significant first, padded with "0". The pattern
//
//	\bvitrine_(pat|oat|inv|ses|hlf|lnk|sup|sec|cod|rft)_[0-9A-Za-z]{46}\b
//
// finds them in source code, and the checksum lets a scanner rule out similar strings offline.
func NewToken(kind Kind) (token string, hash []byte, hint string) {
	body := tokenBrand + string(kind) + "_" + randomBase62(secretLength)
	token = body + checksum(body)
	return token, HashToken(token), body[:len(body)-secretLength+hintLength]
}

// KnownToken returns the personal token of a name of letters and digits, which everyone can compute. It is for servers
// whose data is public, such as sandboxes.
func KnownToken(name string) (token string, hash []byte, hint string) {
	body := tokenBrand + string(Personal) + "_" + name + strings.Repeat("0", secretLength-len(name))
	token = body + checksum(body)
	return token, HashToken(token), body[:len(body)-secretLength+hintLength]
}

// NewKey returns 22 random base-62 characters (131 bits) for a URL that cannot be guessed.
func NewKey() string { return randomBase62(22) }

// HashToken returns the SHA-256 of a token, under which it is stored. A slow, salted hash would add nothing,
// because it protects weak secrets, and 238 random bits cannot be guessed.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// BrowserSecret derives a secret from the token of a session. It identifies the browser after the session
// has ended, and reveals nothing about the session.
func BrowserSecret(session string) string {
	sum := sha256.Sum256([]byte("browser " + session))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// LooksLikeToken reports whether s has the form and checksum of a token. Other strings were never issued,
// so they need no lookup.
func LooksLikeToken(s string) bool {
	_, ok := TokenKind(s)
	return ok
}

// TokenKind returns the kind of a token. ok is false if s does not look like one.
func TokenKind(s string) (kind Kind, ok bool) {
	rest, branded := strings.CutPrefix(s, tokenBrand)
	name, secret, _ := strings.Cut(rest, "_")
	if !branded || !slices.Contains(kinds, Kind(name)) {
		return "", false
	}
	if len(secret) != secretLength+checksumLength || strings.Trim(secret, base62) != "" {
		return "", false
	}
	end := len(s) - checksumLength
	if s[end:] != checksum(s[:end]) {
		return "", false
	}
	return Kind(name), true
}

// NewCode returns the code of a reusable invitation: 24 random base-62 characters (142 bits).
func NewCode() string { return randomBase62(24) }

// checksum returns the CRC-32 of s in base 62.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	var out [checksumLength]byte
	for i := range slices.Backward(out[:]) {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out[:])
}

// randomBase62 returns n random characters. It discards bytes above the last multiple of 62, because a
// remainder would favour the first characters.
func randomBase62(n int) string {
	const fair = 256 - 256%len(base62)
	out := make([]byte, 0, n)
	pool := make([]byte, 2*n)
	for len(out) < n {
		_, _ = rand.Read(pool) // never fails: it crashes the program instead
		for _, b := range pool {
			if int(b) < fair && len(out) < n {
				out = append(out, base62[int(b)%len(base62)])
			}
		}
	}
	return string(out)
}

// BearerToken parses an Authorization header (RFC 6750 section 2.1, RFC 9110 section 11.6.2): the scheme
// "Bearer" in any case, one or more spaces, and exactly one token68. present is false only for an empty
// header. ok is false for anything else, including another scheme.
func BearerToken(header string) (token string, present, ok bool) {
	if header == "" {
		return "", false, false
	}
	scheme, rest, _ := strings.Cut(header, " ")
	token = strings.TrimLeft(rest, " ")
	if !strings.EqualFold(scheme, "Bearer") || !isToken68(token) {
		return "", true, false
	}
	return token, true, true
}

// isToken68 reports whether s is a token68 of RFC 9110 section 11.2: letters,
// digits and -._~+/ with padding only at the end.
func isToken68(s string) bool {
	body := strings.TrimRight(s, "=")
	return body != "" && !strings.ContainsFunc(body, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("-._~+/", r)
	})
}

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
