package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

// longestNext limits the address that is kept while signing in. An application's authorization
// request must fit.
const longestNext = 8000

// localPath returns the path on this site that a value contains, or "". It begins with a single
// slash, and contains nothing that a browser would parse as another host.
func localPath(s string) string {
	if len(s) > longestNext || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") ||
		strings.Contains(s, `\`) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !clean(u.Path) {
		return ""
	}
	return s
}

// encodeNext encodes a path for a cookie.
func encodeNext(path string) string { return base64.RawURLEncoding.EncodeToString([]byte(path)) }

func decodeNext(value string) string { return localPath(decodeText(value)) }

func decodeText(value string) string {
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || !clean(string(text)) {
		return ""
	}
	return string(text)
}

// Next returns the path to continue with after this page, "" for none.
func (v *Visit) Next() string {
	if v.R.Method == http.MethodPost {
		return localPath(v.R.PostForm.Get("next"))
	}
	return localPath(v.Query("next"))
}

// Redirect redirects to a path of this site with GET.
func (v *Visit) Redirect(path string) error {
	if localPath(path) == "" {
		path = "/"
	}
	if v.R.Header.Get("HX-Request") == "true" && strings.HasPrefix(path, "/sign-in") {
		// The request is for a part of a page. Redirect the whole page to the sign-in page instead.
		v.W.Header().Set("HX-Redirect", v.s.root+path)
		v.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	return v.Leave(v.s.root + path)
}

// Moved redirects permanently to another path of this site.
func (v *Visit) Moved(path string) error {
	v.W.Header().Set("Location", v.s.root+path)
	v.W.WriteHeader(http.StatusMovedPermanently)
	return nil
}

// Leave redirects to any address with GET. The caller must have checked it. A script that posts a
// form receives the address in a header instead: if it followed the redirect, it would consume the
// note of the next page.
func (v *Visit) Leave(address string) error {
	if v.R.Header.Get("X-Follow") == "none" {
		v.W.Header().Set("X-Location", address)
		v.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	v.W.Header().Set("Location", address)
	v.W.WriteHeader(http.StatusSeeOther)
	return nil
}

// Done redirects to a path, whose page shows the note.
func (v *Visit) Done(path, note string) error {
	v.s.setCookie(v.W, v.s.noteCookie(), note, noteTTL)
	return v.Redirect(path)
}

// AskToSignIn redirects to the sign-in page, which leads back afterwards.
func (v *Visit) AskToSignIn() error {
	return v.Redirect("/sign-in?next=" + url.QueryEscape(v.Here()))
}

// AskToConfirm redirects to the confirmation page, which leads back afterwards.
func (v *Visit) AskToConfirm() error {
	return v.Redirect("/settings/confirm?next=" + url.QueryEscape(v.Here()))
}

// Here returns the address of the current page on this site.
func (v *Visit) Here() string {
	here := v.R.URL.EscapedPath()
	if v.R.URL.RawQuery != "" {
		here += "?" + v.R.URL.RawQuery
	}
	return here
}
