package auth

import "strings"

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
