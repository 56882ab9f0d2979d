// Package auth is a stub until the real one is merged.
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
)

func HashPassword(p string) (string, error) { return "x" + p, nil }
func NewToken() (string, []byte, string) {
	t := "vitrine_pat_" + rand.Text()
	return t, HashToken(t), t[len(t)-4:]
}
func HashToken(t string) []byte    { h := sha256.Sum256([]byte(t)); return h[:] }
func LooksLikeToken(t string) bool { return strings.HasPrefix(t, "vitrine_pat_") }
func BearerToken(h string) (string, bool, bool) {
	if h == "" {
		return "", false, false
	}
	t, ok := strings.CutPrefix(h, "Bearer ")
	return t, true, ok
}
