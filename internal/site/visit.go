package site

import (
	"errors"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// visit is one request of the website and who makes it.
type visit struct {
	s       *Site
	w       http.ResponseWriter
	r       *http.Request
	args    []string // what the address has in the place of its braces
	secret  string   // of the session, "" for none
	session domain.Session
	account *app.Account // nil for who is not signed in
	formsTo string       // an address beyond the site that a form of the page leads to
}

// answer finds the page, who asks for it and whether they may, and has it answer.
func (v *visit) answer() error {
	at, args, found := match(v.r.URL.Path)
	v.args = args
	v.logAs(at, found)
	if err := v.s.cross.Check(v.r); err != nil {
		return domain.NewForbidden("This form was sent from another site, so nothing was done.")
	}
	if err := v.identify(); err != nil {
		return err
	}
	if !found || !clean(v.r.URL.Path) {
		return domain.NewNotFound()
	}
	handle := at.handler(v.r.Method)
	if handle == nil {
		v.methodNotAllowed(at)
		return nil
	}
	if err := v.readForms(); err != nil {
		return err
	}
	switch {
	case at.access != anyone && v.account == nil:
		return v.askToSignIn()
	case at.access == operators && v.account.Office != domain.OfficeOperator:
		return domain.NewNotFound()
	}
	return handle(v)
}

// logAs tells logs and metrics what was asked for, without what is secret of it.
func (v *visit) logAs(at route, found bool) {
	x := middleware.From(v.r.Context())
	switch {
	case !found && ours(v.r.URL.Path):
		x.LogPath = "/" + first(v.r.URL.Path) + "/…"
	case found && at.secret():
		x.LogPath = at.path
	}
	if found {
		x.Operation = "page " + at.path
	}
}

// identify finds out who is signed in. A session that is over, or whose user is
// suspended, is forgotten by the browser too.
func (v *visit) identify() error {
	secret := v.s.sessionOf(v.r)
	if secret == "" {
		return nil
	}
	session, account, err := v.app().SessionUser(v.r.Context(), v.visitor(), secret)
	if domain.KindOf(err) == domain.Unauthenticated {
		v.s.setCookie(v.w, v.s.sessionCookie(), "", -1)
		return nil
	}
	if err != nil {
		return err
	}
	v.secret, v.session, v.account = secret, session, &account
	middleware.From(v.r.Context()).UserID = int64(account.ID)
	return nil
}

// readForms reads query and body, and refuses a body that is no text.
func (v *visit) readForms() error {
	if v.r.Method == http.MethodPost {
		media, _, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
		if media != "application/x-www-form-urlencoded" && media != "" {
			return domain.Wrap(domain.Unsupported, "Forms are sent as application/x-www-form-urlencoded", nil)
		}
	}
	if err := v.r.ParseForm(); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return err
		}
		return domain.Wrap(domain.Invalid, "The form or the address cannot be read", err)
	}
	for name, values := range v.r.PostForm {
		for _, value := range values {
			if !clean(name) || !clean(value) {
				return domain.NewInvalid("The form contains bytes that are not text")
			}
		}
	}
	return nil
}

// query gives a parameter of the address, "" if it is missing or no text.
func (v *visit) query(name string) string {
	if value := v.r.URL.Query().Get(name); clean(value) {
		return value
	}
	return ""
}

// clean reports whether a text is one that can be kept and shown.
func clean(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

func (v *visit) methodNotAllowed(at route) {
	v.w.Header().Set("Allow", at.allow())
	if v.r.Method == http.MethodOptions {
		v.w.WriteHeader(http.StatusNoContent)
		return
	}
	v.failure(http.StatusMethodNotAllowed, "This address does not take "+v.r.Method+".")
}

func (v *visit) app() *app.App { return v.s.o.App }

// visitor is where the request comes from.
func (v *visit) visitor() domain.Visitor {
	return domain.Visitor{Address: middleware.From(v.r.Context()).ClientIP, Agent: v.r.UserAgent(), Browser: v.s.knownAs(v.r)}
}

// actor is who acts; a guest for who is not signed in.
func (v *visit) actor() domain.Actor {
	if v.account == nil {
		return domain.Actor{}
	}
	return domain.Actor{UserID: v.account.ID, Tier: v.account.Tier, Scope: domain.ScopeWrite}
}
