package web

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/auth"
)

// The lifetimes of cookies. The server decides when a session ends, so its cookie lives as long as
// browsers allow.
const (
	sessionTTL = 400 * 24 * time.Hour
	noteTTL    = time.Minute
	returnTTL  = 24 * time.Hour
	putAwayTTL = 400 * 24 * time.Hour
	halfTTL    = 10 * time.Minute // the server decides when it expires
	signOnTTL  = accounts.StepTTL
	setupTTL   = time.Hour
)

// longestBrowser limits the length of the browser cookie's value. Ours is shorter.
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
func (s *Site) looksCookie() string    { return s.cookieName("vitrine-looks") }
func (s *Site) putAwayCookie() string  { return s.cookieName("vitrine-announced") }

// sessionOf returns the session secret of a request, "" for none.
func (s *Site) sessionOf(r *http.Request) string {
	if c, err := r.Cookie(s.sessionCookie()); err == nil {
		return c.Value
	}
	return ""
}

// setCookie sets a cookie that is hidden from scripts and forms of other sites. A life of -1
// deletes it.
func (s *Site) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if life < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: cmp.Or(s.root, "/"), MaxAge: age,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode})
}

// knownAs returns the value that identifies a browser that has signed in before, "" if it has not.
func (s *Site) knownAs(r *http.Request) string {
	if c, err := r.Cookie(s.browserCookie()); err == nil && len(c.Value) <= longestBrowser {
		return c.Value
	}
	return ""
}

// SignedIn starts a session in this browser, and ends a previous one. The second cookie outlives
// the session and grants no access. It keeps the user's password attempts apart from those of
// strangers.
func (v *Visit) SignedIn(session string) error {
	if v.Secret != "" {
		if err := v.App().Accounts.SignOut(v.R.Context(), v.Secret); err != nil {
			return err
		}
	}
	v.s.setCookie(v.W, v.s.sessionCookie(), session, sessionTTL)
	v.s.setCookie(v.W, v.s.browserCookie(), auth.BrowserSecret(session), sessionTTL)
	return nil
}

// Renewed stores the new secret of its session in the browser. The browser cookie stays the same.
func (v *Visit) Renewed(secret string) { v.s.setCookie(v.W, v.s.sessionCookie(), secret, sessionTTL) }

// Enter redirects to a path of this site after signing in. If the secret is only half a sign-in,
// the user enters the second factor first. The next page shows the note, unless it is "".
func (v *Visit) Enter(secret, next, note string) error {
	if kind, _ := auth.TokenKind(secret); kind == auth.Half {
		v.s.setCookie(v.W, v.s.halfCookie(), secret, halfTTL)
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

// Half returns the secret of half a sign-in in this browser, "" for none.
func (v *Visit) Half() string {
	if c, err := v.R.Cookie(v.s.halfCookie()); err == nil {
		return c.Value
	}
	return ""
}

// ForgetHalf deletes the cookie of half a sign-in.
func (v *Visit) ForgetHalf() { v.s.setCookie(v.W, v.s.halfCookie(), "", -1) }

// PasskeyAsked stores a random value for a passkey sign-in in the browser, and returns it.
func (v *Visit) PasskeyAsked() string {
	value := rand.Text()
	v.s.setCookie(v.W, v.s.passkeyCookie(), value, halfTTL)
	return value
}

// PasskeyAnswered returns and deletes the value that PasskeyAsked stored, "" for none.
func (v *Visit) PasskeyAnswered() string {
	c, err := v.R.Cookie(v.s.passkeyCookie())
	if err != nil {
		return ""
	}
	v.s.setCookie(v.W, v.s.passkeyCookie(), "", -1)
	return c.Value
}

// ForgetSession deletes the session cookie and clears the browser's cache. The service worker
// clears its own on the next page, when it sees another reader.
func (v *Visit) ForgetSession() {
	v.s.setCookie(v.W, v.s.sessionCookie(), "", -1)
	v.W.Header().Set("Clear-Site-Data", `"cache"`)
}

// ReturnLater stores the path to continue with after the address is confirmed, since the link in
// the mail does not contain it. next may be "".
func (v *Visit) ReturnLater(next string) {
	if next != "" {
		v.s.setCookie(v.W, v.s.returnCookie(), encodeNext(next), returnTTL)
	}
}

// SignOn returns the state of a provider sign-in in progress, "" for none.
func (v *Visit) SignOn() string {
	if c, err := v.R.Cookie(v.s.signOnCookie()); err == nil {
		return c.Value
	}
	return ""
}

// KeepSignOn stores that state in the browser. The redirect from the provider must include it, so
// like all our cookies it is also sent with links from other sites.
func (v *Visit) KeepSignOn(secret string) { v.s.setCookie(v.W, v.s.signOnCookie(), secret, signOnTTL) }

// KeepSignedOn remembers in the browser that its session came from a provider.
func (v *Visit) KeepSignedOn() { v.s.setCookie(v.W, v.s.signedOnCookie(), "yes", sessionTTL) }

// ForgetSignedOn reports whether the session came from a provider, and deletes the cookie.
func (v *Visit) ForgetSignedOn() bool {
	_, err := v.R.Cookie(v.s.signedOnCookie())
	if err != nil {
		return false
	}
	v.s.setCookie(v.W, v.s.signedOnCookie(), "", -1)
	return v.App().SSO.ProviderName() != ""
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
	v.s.setCookie(v.W, v.s.setupCookie(), encodeNext(code), setupTTL)
}

// ForgetSetupCode deletes the setup code from the browser.
func (v *Visit) ForgetSetupCode() { v.s.setCookie(v.W, v.s.setupCookie(), "", -1) }

// ReturnNow returns and deletes the path that ReturnLater stored.
func (v *Visit) ReturnNow() string {
	c, err := v.R.Cookie(v.s.returnCookie())
	if err != nil {
		return ""
	}
	v.s.setCookie(v.W, v.s.returnCookie(), "", -1)
	return decodeNext(c.Value)
}
