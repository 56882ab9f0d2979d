package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"math/big"
	"strings"
)

// familyLength is the number of characters (119 bits) at the start of a refresh token's secret that all tokens of its
// family share.
const familyLength = 20

// RefreshFamily returns the hash of the part of a refresh token that identifies its family. Only somebody who has had
// one of the family's tokens knows that part, so a token that has it but is not the current one was used before or
// stolen.
func RefreshFamily(token string) []byte { return HashToken(familyOf(token)) }

// NextRefreshToken returns the successor of a refresh token. It follows from the token and a key of the installation,
// so that it can be returned again without having been stored.
func NextRefreshToken(key []byte, token string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("refresh token " + token))
	rest, digit := new(big.Int).SetBytes(mac.Sum(nil)), new(big.Int)
	next := []byte(familyOf(token) + strings.Repeat("0", secretLength-familyLength))
	for i := len(next) - 1; i >= len(next)-(secretLength-familyLength); i-- {
		rest.DivMod(rest, big.NewInt(int64(len(base62))), digit)
		next[i] = base62[digit.Int64()]
	}
	return string(next) + checksum(string(next))
}

// familyOf returns the part of a refresh token up to the end of its family's secret.
func familyOf(token string) string {
	return token[:min(len(token), len(tokenBrand)+len(Refresh)+1+familyLength)]
}
