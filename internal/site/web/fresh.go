package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
)

// Fresh receives everything that a page depends on: the tags of its rows (present.Tags) and other
// values that may change it. If the browser has the same version of the page, it answers 304 and
// returns true, and the page need not be rendered. Pages that do not call it are not cached.
func (v *Visit) Fresh(from ...string) bool {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q", v.s.o.Version, v.s.assets().sum, v.Lang.Code, v.R.URL.RequestURI(), from)
	fmt.Fprintf(sum, " %d %v", v.Site().Version, v.announced())
	if m := v.App().Operating.Mode(); m != nil {
		fmt.Fprintf(sum, " %q %v", m.Reason, m.Until)
	}
	if v.Account != nil {
		v.countUnread()
		fmt.Fprintf(sum, " %d %d %v %d %d", v.Account.ID, v.Account.Version, v.Account.Office, v.Account.Unread, v.Account.Notices)
	}
	v.tag = `W/"` + hex.EncodeToString(sum.Sum(nil)[:12]) + `"`
	h := v.W.Header()
	h.Set("ETag", v.tag)
	h.Set("X-Reader", v.reader())
	h.Set("Vary", "Cookie, Accept-Language, Accept-Encoding")
	h.Set("Cache-Control", "private, no-cache")
	if v.Account == nil && !v.chose { // a proxy must not hand out the cookie
		h.Set("Cache-Control", "public, no-cache")
	}
	if _, err := v.R.Cookie(v.s.noteCookie()); err == nil { // the page has a note to show once
		return false
	}
	if !matches(v.R.Header["If-None-Match"], v.tag) {
		return false
	}
	v.s.writeHeaders(h, v) // they replace those of the cached page
	v.W.WriteHeader(http.StatusNotModified)
	return true
}

// Conditional reports whether the browser has some version of the page, so that Fresh may answer.
func (v *Visit) Conditional() bool { return v.R.Header.Get("If-None-Match") != "" }

// matches reports whether If-None-Match names a tag, by weak comparison (RFC 9110 section 13.1.2).
func matches(header []string, tag string) bool {
	for candidate := range strings.SplitSeq(strings.Join(header, ","), ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
