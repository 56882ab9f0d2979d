package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

// longestNext is how many bytes of an address are kept through signing in. The request
// of an application must fit.
const longestNext = 8000

// localPath gives the path on this site that a value names, "" if it names none: it
// begins with a single slash, and holds nothing that a browser would read as the start
// of another host.
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

// encodeNext makes a path fit for a cookie.
func encodeNext(path string) string { return base64.RawURLEncoding.EncodeToString([]byte(path)) }

func decodeNext(value string) string { return localPath(decodeText(value)) }

func decodeText(value string) string {
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || !clean(string(text)) {
		return ""
	}
	return string(text)
}

// Next is where the visitor wants to go after this page, "" if they did not say.
func (v *Visit) Next() string {
	if v.R.Method == http.MethodPost {
		return localPath(v.R.PostForm.Get("next"))
	}
	return localPath(v.Query("next"))
}

// Redirect leads to a path of this site, by GET.
func (v *Visit) Redirect(path string) error {
	if localPath(path) == "" {
		path = "/"
	}
	if v.R.Header.Get("HX-Request") == "true" && strings.HasPrefix(path, "/sign-in") {
		// What asks is a part of a page, which signing in is no part of: the whole page goes there.
		v.W.Header().Set("HX-Redirect", v.s.root+path)
		v.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	return v.Leave(v.s.root + path)
}

// Moved says that the page is at another path of this site for good.
func (v *Visit) Moved(path string) error {
	v.W.Header().Set("Location", v.s.root+path)
	v.W.WriteHeader(http.StatusMovedPermanently)
	return nil
}

// Leave leads to any address, by GET. It is for addresses that were checked. A script that
// sends a form for a page is told of the address instead: had it followed, it would have read
// the note that is for the page.
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

// Done leads to a path and has the page there say a note.
func (v *Visit) Done(path, note string) error {
	v.s.setCookie(v.W, v.s.noteCookie(), note, noteLife)
	return v.Redirect(path)
}

// AskToSignIn leads to signing in, and from there back.
func (v *Visit) AskToSignIn() error {
	return v.Redirect("/sign-in?next=" + url.QueryEscape(v.Here()))
}

// AskToConfirm redirects to the page for a confirmation, which leads back afterwards.
func (v *Visit) AskToConfirm() error {
	return v.Redirect("/settings/confirm?next=" + url.QueryEscape(v.Here()))
}

// Here is the address of the visit on this site.
func (v *Visit) Here() string {
	here := v.R.URL.EscapedPath()
	if v.R.URL.RawQuery != "" {
		here += "?" + v.R.URL.RawQuery
	}
	return here
}
