package web

import (
	"html/template"
	"regexp"
	"strconv"
)

// announced returns the number of the announcement to show, or 0 if the site has no announcement or
// the reader dismissed it.
func (v *Visit) announced() int64 {
	site := v.Site()
	if c, err := v.R.Cookie(v.s.putAwayCookie()); err == nil && c.Value == strconv.FormatInt(site.Announced, 10) || site.Announcing(v.Now()) == nil {
		return 0
	}
	return site.Announced
}

// announcement returns the operator's announcement, "" for none. It precedes the page's heading, so
// it contains no headings.
func (v *Visit) announcement() template.HTML {
	if v.announced() == 0 {
		return ""
	}
	return template.HTML(headingTag.ReplaceAllString(v.Site().Announcement.HTML, "<${1}p>"))
}

var headingTag = regexp.MustCompile(`<(/?)h[1-6]>`)

// PutAwayAnnouncement remembers in the browser that the reader dismissed an announcement, and
// redirects back.
func PutAwayAnnouncement(v *Visit) error {
	id, err := strconv.ParseInt(v.Form().Get("announced"), 10, 64)
	if err != nil || id < 1 {
		return UnknownButton()
	}
	v.s.setCookie(v.W, v.s.putAwayCookie(), strconv.FormatInt(id, 10), putAwayTTL)
	return v.Redirect(v.Next())
}
