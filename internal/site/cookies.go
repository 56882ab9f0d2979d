package site

import (
	"net/http"
	"time"

	"vitrine/internal/auth"
)

// The lives of cookies. Whether a session is over is for the server to say, so its
// cookie may live for as long as browsers let it.
const (
	sessionLife = 400 * 24 * time.Hour
	noteLife    = time.Minute
	returnLife  = 24 * time.Hour
)

// longestBrowser is how long the value may be that browsers are known by; ours is shorter.
const longestBrowser = 100

// cookieName is a name that, on https, browsers take from this host alone.
func (s *Site) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

func (s *Site) sessionCookie() string { return s.cookieName("vitrine") }
func (s *Site) browserCookie() string { return s.cookieName("vitrine-browser") }
func (s *Site) noteCookie() string    { return s.cookieName("vitrine-note") }
func (s *Site) returnCookie() string  { return s.cookieName("vitrine-return") }

// sessionOf is the secret that a request comes with, "" for none.
func (s *Site) sessionOf(r *http.Request) string {
	if c, err := r.Cookie(s.sessionCookie()); err == nil {
		return c.Value
	}
	return ""
}

// setCookie sets a cookie that scripts and other sites' forms do not see; a life of -1
// takes it back.
func (s *Site) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if life < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
}

// knownAs is by what this browser is known for having signed in before, "" if it has not.
func (s *Site) knownAs(r *http.Request) string {
	if c, err := r.Cookie(s.browserCookie()); err == nil && len(c.Value) <= longestBrowser {
		return c.Value
	}
	return ""
}

// signedIn starts a session in this browser, in place of the one that it may have had. The
// second cookie stays when the session ends, and lets in nobody: with it attempts at the
// password are not counted with those of strangers.
func (v *visit) signedIn(session string) error {
	if v.secret != "" {
		if err := v.app().SignOut(v.r.Context(), v.secret); err != nil {
			return err
		}
	}
	v.s.setCookie(v.w, v.s.sessionCookie(), session, sessionLife)
	v.s.setCookie(v.w, v.s.browserCookie(), auth.BrowserSecret(session), sessionLife)
	return nil
}

// returnLater remembers where to go once an address is confirmed, which a mail cannot
// tell: a path of ours, or "".
func (v *visit) returnLater(next string) {
	if next != "" {
		v.s.setCookie(v.w, v.s.returnCookie(), encodeNext(next), returnLife)
	}
}

// returnNow is the path of returnLater, which is forgotten by that.
func (v *visit) returnNow() string {
	c, err := v.r.Cookie(v.s.returnCookie())
	if err != nil {
		return ""
	}
	v.s.setCookie(v.w, v.s.returnCookie(), "", -1)
	return decodeNext(c.Value)
}
