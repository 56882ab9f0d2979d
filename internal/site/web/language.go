package web

import (
	"net/http"
	"time"

	"vitrine/internal/site/catalog"
)

// languageTTL is how long a browser remembers the language that its reader chose.
const languageTTL = 400 * 24 * time.Hour

// language returns the language that the reader chose, or else one that their browser prefers, or
// else the site's.
func (s *Site) language(r *http.Request) *catalog.Language {
	chosen := ""
	if c, err := r.Cookie(s.languageCookie()); err == nil && len(c.Value) <= 35 {
		chosen = c.Value
	}
	return s.texts().Find(chosen, r.Header.Get("Accept-Language"), s.o.Language)
}

// ChooseLanguage stores the language of a form in a cookie, and redirects back.
func ChooseLanguage(v *Visit) error {
	for _, l := range v.s.texts().Languages {
		if l.Code == v.Form().Get("language") {
			v.s.setCookie(v.W, v.s.languageCookie(), l.Code, languageTTL)
			return v.Redirect(v.Next())
		}
	}
	return UnknownButton()
}
