package v2

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Where a token may be, besides the header Authorization, the first that has one counting.
var (
	tokenHeaders = []string{"X-Auth-Token", "X-Access-Token"}
	tokenParams  = []string{"access_token", "auth_token"}
)

// authorize has a token that a request carries elsewhere stand in the header Authorization,
// which counts before all of them where it has one, and takes it out of the address.
func authorize(h http.Header, r *http.Request) {
	h.Set("Vary", strings.Join(tokenHeaders, ", "))
	token := ""
	for _, name := range tokenHeaders {
		if unset(token) {
			token = r.Header.Get(name)
		}
		r.Header.Del(name)
	}
	for _, name := range tokenParams {
		if value, found := takeParam(r.URL, name); found && unset(token) {
			token = value
		}
	}
	lines := r.Header.Values("Authorization")
	if len(lines) == 1 && unset(strings.TrimPrefix(lines[0], "Bearer")) {
		r.Header.Del("Authorization")
	}
	if !unset(token) && strings.Join(r.Header.Values("Authorization"), "") == "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
}

// unset tells whether a token is what programs send that have none: nothing, or the name
// that JavaScript has for it.
func unset(token string) bool {
	token = strings.TrimSpace(token)
	return token == "" || token == "undefined" || token == "null"
}

// takeParam takes a parameter out of the query of an address, and gives its first value
// that is not empty.
func takeParam(u *url.URL, name string) (value string, found bool) {
	if !strings.Contains(u.RawQuery, name) {
		return "", false
	}
	pairs := strings.Split(u.RawQuery, "&")
	u.RawQuery = strings.Join(slices.DeleteFunc(pairs, func(pair string) bool {
		key, v, _ := strings.Cut(pair, "=")
		if key != name {
			return false
		}
		if v, err := url.QueryUnescape(v); err == nil && value == "" {
			value = v
		}
		found = true
		return true
	}), "&")
	return value, found
}
