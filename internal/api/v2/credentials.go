package v2

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Further places of a token besides the Authorization header, in order of precedence.
var (
	tokenHeaders = []string{"X-Auth-Token", "X-Access-Token"}
	tokenParams  = []string{"access_token", "auth_token"}
)

// authorize moves a token from elsewhere in the request into the Authorization header, unless that is set, and removes
// it from the URL.
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

// unset reports whether a token is one that programs without a token send: empty, or JavaScript's name for a missing
// value.
func unset(token string) bool {
	token = strings.TrimSpace(token)
	return token == "" || token == "undefined" || token == "null"
}

// takeParam removes a parameter from the query of a URL and returns its first non-empty value.
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
