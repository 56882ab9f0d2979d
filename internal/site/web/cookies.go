package web

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"time"

	"vitrine/internal/app/sso"
	"vitrine/internal/auth"
)

// The lives of cookies. Whether a session is over is for the server to say, so its
// cookie may live for as long as browsers let it.
const (
	sessionLife = 400 * 24 * time.Hour
	noteLife    = time.Minute
	returnLife  = 24 * time.Hour
	putAwayLife = 400 * 24 * time.Hour
	halfLife    = 10 * time.Minute // the server says when it is over
	signOnLife  = sso.StepTTL
	setupLife   = time.Hour
)

// longestBrowser is how long the value may be that browsers are known by; ours is shorter.
const longestBrowser = 100

// cookieName returns the name of a cookie. On https it has a prefix that makes browsers accept the
// cookie only from this host over TLS. The stricter of the two prefixes is reserved for cookies of a
// whole host, so sites below a path cannot use it.
func (s *Site) cookieName(name string) string {
	switch {
	case s.secure && s.root == "":
		return "__Host-" + name
	case s.secure:
		return "__Secure-" + name
	}
	return name
}

func (s *Site) sessionCookie() string  { return s.cookieName("vitrine") }
func (s *Site) browserCookie() string  { return s.cookieName("vitrine-browser") }
func (s *Site) halfCookie() string     { return s.cookieName("vitrine-half") }
func (s *Site) passkeyCookie() string  { return s.cookieName("vitrine-passkey") }
func (s *Site) noteCookie() string     { return s.cookieName("vitrine-note") }
func (s *Site) returnCookie() string   { return s.cookieName("vitrine-return") }
func (s *Site) languageCookie() string { return s.cookieName("vitrine-language") }
func (s *Site) signOnCookie() string   { return s.cookieName("vitrine-sign-on") }
func (s *Site) signedOnCookie() string { return s.cookieName("vitrine-signed-on") }
func (s *Site) setupCookie() string    { return s.cookieName("vitrine-setup") }
func (s *Site) putAwayCookie() string  { return s.cookieName("vitrine-announced") }

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
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: cmp.Or(s.root, "/"), MaxAge: age,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
}

// knownAs is by what this browser is known for having signed in before, "" if it has not.
func (s *Site) knownAs(r *http.Request) string {
	if c, err := r.Cookie(s.browserCookie()); err == nil && len(c.Value) <= longestBrowser {
		return c.Value
	}
	return ""
}

// SignedIn starts a session in this browser, in place of the one that it may have had. The
// second cookie stays when the session ends, and lets in nobody: with it attempts at the
// password are not counted with those of strangers.
func (v *Visit) SignedIn(session string) error {
	if v.Secret != "" {
		if err := v.App().SignOut(v.R.Context(), v.Secret); err != nil {
			return err
		}
	}
	v.s.setCookie(v.W, v.s.sessionCookie(), session, sessionLife)
	v.s.setCookie(v.W, v.s.browserCookie(), auth.BrowserSecret(session), sessionLife)
	return nil
}

// Renewed stores the new secret of its session in the browser. The browser cookie stays the same.
func (v *Visit) Renewed(secret string) { v.s.setCookie(v.W, v.s.sessionCookie(), secret, sessionLife) }

// Enter goes on to a path of this site with what signing in has given: a session; or half a sign-in,
// which has the browser ask for the second factor first. note is said by the page that follows, "" for
// none.
func (v *Visit) Enter(secret, next, note string) error {
	if kind, _ := auth.TokenKind(secret); kind == auth.Half {
		v.s.setCookie(v.W, v.s.halfCookie(), secret, halfLife)
		to := "/sign-in/second-factor"
		if next != "" {
			to += "?next=" + url.QueryEscape(next)
		}
		next = to
	} else if err := v.SignedIn(secret); err != nil {
		return err
	}
	if note != "" {
		return v.Done(next, note)
	}
	return v.Redirect(next)
}

// Half is the secret of half a sign-in of this browser, "" for none.
func (v *Visit) Half() string {
	if c, err := v.R.Cookie(v.s.halfCookie()); err == nil {
		return c.Value
	}
	return ""
}

// ForgetHalf has the browser forget it.
func (v *Visit) ForgetHalf() { v.s.setCookie(v.W, v.s.halfCookie(), "", -1) }

// PasskeyAsked has the browser remember that it was offered to sign in with a passkey, and gives what
// it remembers it by.
func (v *Visit) PasskeyAsked() string {
	value := rand.Text()
	v.s.setCookie(v.W, v.s.passkeyCookie(), value, halfLife)
	return value
}

// PasskeyAnswered is what PasskeyAsked gave to this browser last, "" for none. It is forgotten by that.
func (v *Visit) PasskeyAnswered() string {
	c, err := v.R.Cookie(v.s.passkeyCookie())
	if err != nil {
		return ""
	}
	v.s.setCookie(v.W, v.s.passkeyCookie(), "", -1)
	return c.Value
}

// ForgetSession has the browser forget its session, and what it has kept of its pages. The
// worker forgets its own at the next page, which says that another reads.
func (v *Visit) ForgetSession() {
	v.s.setCookie(v.W, v.s.sessionCookie(), "", -1)
	v.W.Header().Set("Clear-Site-Data", `"cache"`)
}

// ReturnLater remembers where to go once an address is confirmed, which a mail cannot
// tell: a path of ours, or "".
func (v *Visit) ReturnLater(next string) {
	if next != "" {
		v.s.setCookie(v.W, v.s.returnCookie(), encodeNext(next), returnLife)
	}
}

// SignOn is what this browser has of a sign-in by a provider that is under way, "" for nothing.
func (v *Visit) SignOn() string {
	if c, err := v.R.Cookie(v.s.signOnCookie()); err == nil {
		return c.Value
	}
	return ""
}

// KeepSignOn has the browser keep that. It must come back from the provider with it, so it is
// sent with links of other sites, as all our cookies are.
func (v *Visit) KeepSignOn(secret string) { v.s.setCookie(v.W, v.s.signOnCookie(), secret, signOnLife) }

// KeepSignedOn has the browser remember that its session came by a provider.
func (v *Visit) KeepSignedOn() { v.s.setCookie(v.W, v.s.signedOnCookie(), "yes", sessionLife) }

// ForgetSignedOn reports whether it remembers that, and has it forget it.
func (v *Visit) ForgetSignedOn() bool {
	_, err := v.R.Cookie(v.s.signedOnCookie())
	if err != nil {
		return false
	}
	v.s.setCookie(v.W, v.s.signedOnCookie(), "", -1)
	return v.App().ProviderName() != ""
}

// SetupCode returns the setup code that was entered in this browser, or "".
func (v *Visit) SetupCode() string {
	if c, err := v.R.Cookie(v.s.setupCookie()); err == nil {
		return decodeText(c.Value)
	}
	return ""
}

// KeepSetupCode stores the setup code in the browser until the account is created.
func (v *Visit) KeepSetupCode(code string) {
	v.s.setCookie(v.W, v.s.setupCookie(), encodeNext(code), setupLife)
}

// ForgetSetupCode deletes the setup code from the browser.
func (v *Visit) ForgetSetupCode() { v.s.setCookie(v.W, v.s.setupCookie(), "", -1) }

// ReturnNow is the path of returnLater, which is forgotten by that.
func (v *Visit) ReturnNow() string {
	c, err := v.R.Cookie(v.s.returnCookie())
	if err != nil {
		return ""
	}
	v.s.setCookie(v.W, v.s.returnCookie(), "", -1)
	return decodeNext(c.Value)
}
