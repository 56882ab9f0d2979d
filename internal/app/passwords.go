package app

import (
	"strings"

	"vitrine/internal/auth"
)

// Bounds of a password, in bytes.
const (
	shortestPassword = 8
	longestPassword  = 200
)

// badPassword tells why an account cannot have a password, "" if it can. Address and
// slug are those of the account, as far as they are known.
func badPassword(password, email, slug string) string {
	local, _, _ := strings.Cut(email, "@")
	lower := strings.ToLower(password)
	switch {
	case len(password) < shortestPassword || len(password) > longestPassword:
		return "must be 8 to 200 bytes long"
	case auth.Common(password):
		return "is one of the commonest and would be guessed"
	case lower == email || lower == local || lower == slug:
		return "must not be your address or short name"
	}
	return ""
}
