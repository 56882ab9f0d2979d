package site

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

func decodeNext(value string) string {
	path, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return ""
	}
	return localPath(string(path))
}

// next is where the visitor wants to go after this page, "" if they did not say.
func (v *visit) next() string {
	if v.r.Method == http.MethodPost {
		return localPath(v.r.PostForm.Get("next"))
	}
	return localPath(v.query("next"))
}

// redirect leads to a path of this site, by GET.
func (v *visit) redirect(path string) error {
	if localPath(path) == "" {
		path = "/"
	}
	return v.leave(v.s.root + path)
}

// leave leads to any address, by GET. It is for addresses that were checked.
func (v *visit) leave(address string) error {
	v.w.Header().Set("Location", address)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// done leads to a path and has the page there say a note.
func (v *visit) done(path, note string) error {
	v.s.setCookie(v.w, v.s.noteCookie(), note, noteLife)
	return v.redirect(path)
}

// askToSignIn leads to signing in, and from there back.
func (v *visit) askToSignIn() error {
	return v.redirect("/sign-in?next=" + url.QueryEscape(v.here()))
}

// here is the address of the visit on this site.
func (v *visit) here() string {
	here := v.r.URL.EscapedPath()
	if v.r.URL.RawQuery != "" {
		here += "?" + v.r.URL.RawQuery
	}
	return here
}
