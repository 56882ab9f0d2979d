package web

import (
	"html/template"
	"regexp"
	"strconv"
)

// announced is the announcement that the page has, 0 for none: a reader who has put it away
// is not told again.
func (v *Visit) announced() int64 {
	site := v.Site()
	if c, err := v.R.Cookie(v.s.putAwayCookie()); err == nil && c.Value == strconv.FormatInt(site.Announced, 10) || site.Announcement == nil {
		return 0
	}
	return site.Announced
}

// announcement is what the operator says on every page, "" for nothing. It stands before the
// heading of the page, and so has none of its own.
func (v *Visit) announcement() template.HTML {
	if v.announced() == 0 {
		return ""
	}
	return template.HTML(headingTag.ReplaceAllString(v.Site().Announcement.HTML, "<${1}p>"))
}

var headingTag = regexp.MustCompile(`<(/?)h[1-6]>`)

// PutAwayAnnouncement remembers in the reader's browser which announcement they have read, and
// leads back.
func PutAwayAnnouncement(v *Visit) error {
	id, err := strconv.ParseInt(v.Form().Get("announced"), 10, 64)
	if err != nil || id < 1 {
		return UnknownButton()
	}
	v.s.setCookie(v.W, v.s.putAwayCookie(), strconv.FormatInt(id, 10), putAwayLife)
	return v.Redirect(v.Next())
}
