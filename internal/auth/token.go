package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash/crc32"
	"slices"
	"strings"
)

// Kind says where a token comes from. It stands in the token itself, so that
// whoever finds one in a log or a repository knows what it is.
type Kind string

// The kinds of token.
const (
	Personal Kind = "pat" // made by a user for their own programs
	OAuth    Kind = "oat" // given out by the token endpoint (RFC 6749 section 5.1)
	Invited  Kind = "inv" // mailed with an invitation to a group; opens nothing else
	Session  Kind = "ses" // in the cookie of a browser that is signed in
	Half     Kind = "hlf" // in the cookie of a browser that has yet to prove a second factor
	Mailed   Kind = "lnk" // mailed to prove an address, or to choose a password
	Admitted Kind = "sup" // handed out by an operator, for one person to sign up with
	Client   Kind = "sec" // the secret of a confidential OAuth client
	Code     Kind = "cod" // an authorization code (RFC 6749 section 4.1.2)
)

var kinds = []Kind{Personal, OAuth, Invited, Session, Half, Mailed, Admitted, Client, Code}

const (
	tokenBrand     = "vitrine_"
	secretLength   = 40 // base-62 characters: 238 bits
	checksumLength = 6  // base-62 characters: room for 32 bits
	hintLength     = 4  // characters of the secret that may be shown
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewToken mints a token. The token is for its owner and shown once, the hash is
// for the database, and the hint, its beginning, is for lists: 214 bits of the
// secret stay unknown.
//
// A token is "vitrine_", the kind, "_", 40 random base-62 characters, and 6 more
// that hold the CRC-32 (IEEE) of all before, most significant first, padded with
// "0". The pattern
//
//	\bvitrine_(pat|oat|inv|ses|hlf|lnk|sup|sec|cod)_[0-9A-Za-z]{46}\b
//
// finds them in source code, and the checksum tells a scanner without asking
// anybody that what it found is not just similar.
func NewToken(kind Kind) (token string, hash []byte, hint string) {
	body := tokenBrand + string(kind) + "_" + randomBase62(secretLength)
	token = body + checksum(body)
	return token, HashToken(token), body[:len(body)-secretLength+hintLength]
}

// NewKey gives 22 random base-62 characters, 131 bits: part of an address that
// nobody guesses.
func NewKey() string { return randomBase62(22) }

// HashToken returns the SHA-256 of a token, the key under which it is stored and
// looked up. A slow, salted hash would add nothing: it is there to make guessing
// of weak secrets dear, and nobody guesses 238 random bits.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// BrowserSecret derives from the token of a session the secret by which the browser is
// known once the session is over. It reveals nothing about the session.
func BrowserSecret(session string) string {
	sum := sha256.Sum256([]byte("browser " + session))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// LooksLikeToken reports whether s has the form and the checksum of a token of
// any kind. What has not was never given out, and needs no look-up.
func LooksLikeToken(s string) bool {
	_, ok := TokenKind(s)
	return ok
}

// TokenKind returns the kind of what LooksLikeToken.
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

// NewCode mints the code of a reusable invite: 24 random base-62 characters, 142 bits.
func NewCode() string { return randomBase62(24) }

// checksum writes the CRC-32 of s in base 62.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	var out [checksumLength]byte
	for i := range slices.Backward(out[:]) {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out[:])
}

// randomBase62 draws n characters. Bytes past the last multiple of 62 are
// thrown away, because a remainder would favour the first characters.
func randomBase62(n int) string {
	const fair = 256 - 256%len(base62)
	out := make([]byte, 0, n)
	pool := make([]byte, 2*n)
	for len(out) < n {
		_, _ = rand.Read(pool) // never fails: it ends the program instead
		for _, b := range pool {
			if int(b) < fair && len(out) < n {
				out = append(out, base62[int(b)%len(base62)])
			}
		}
	}
	return string(out)
}
