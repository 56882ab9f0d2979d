package web

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/app"
	"vitrine/internal/app/signin"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
	"vitrine/internal/site/catalog"
)

// Visit is one request of the website and who makes it.
type Visit struct {
	s       *Site
	W       http.ResponseWriter
	R       *http.Request
	Args    []string // what the address has in the place of its braces
	Secret  string   // of the session, "" for none
	Session domain.Session
	Account *signin.Account // nil for who is not signed in
	Lang    *catalog.Language
	Head    Head   // what the page says of itself to other programs
	Frame   string // the template around the page, "" for the usual one
	Wide    bool   // the page uses the whole width
	FormsTo string // an address beyond the site that a form of the page leads to
	Frames  string // an address beyond the site that the page shows in a frame
	Framed  bool   // other sites may show the page in a frame

	nobodys bool         // the page is the same for all who use the browser
	site    *domain.Site // what the site says of itself, once somebody asked
	room    string       // of the route, whose templates are meant
	fields  Fields       // of the route
	most    int64        // maximum bytes of the fields of its form
	tag     string       // of the page, once Fresh has been asked
	counted bool         // Account.Unread counts what the reader may see, up to mostUnread
}

// answer finds the page, who asks for it and whether they may, and has it answer.
func (v *Visit) answer() error {
	if at, ok := v.s.moved(v.R); ok {
		v.logAs(at, true)
		return v.Moved(httpedge.EscapedWithoutSlash(v.R))
	}
	at, args, found := v.s.match(v.R.URL.Path)
	v.Args, v.room, v.fields = args, at.room, at.Fields
	v.logAs(at, found)
	if err := v.s.cross.Check(v.R); err != nil {
		return domain.NewForbidden(v.T("web.error.other-site"))
	}
	if err := v.identify(); err != nil {
		return err
	}
	if !found || !clean(v.R.URL.Path) {
		return domain.NewNotFound()
	}
	handle := at.handler(v.R.Method)
	if handle == nil {
		v.methodNotAllowed(at)
		return nil
	}
	switch {
	case at.Access != Anyone && v.Account == nil, !at.Open && v.App().Exposure.Admits(v.Actor()) != nil:
		return v.AskToSignIn()
	case at.Access == Operators && v.Account.Office != domain.OfficeOperator:
		return domain.NewNotFound()
	case at.Confirm && v.R.Method != http.MethodPost && !v.App().MayOpen(v.Session):
		return v.AskToConfirm()
	}
	if err := v.count(at); err != nil {
		return err
	}
	leave, err := v.turn(at)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.readForms(at); err != nil {
		return err
	}
	httpedge.Reading(v.W, v.R, v.Actor(), at.lagging, func(w http.ResponseWriter, r *http.Request) {
		again := *v
		again.W, again.R = w, r
		if err := handle(&again); err != nil {
			again.fail(err)
		}
	})
	return nil
}

// count counts a search by words, a file and the form of a Counted route like a request of the API: for the
// user by their tier, for a guest by their address.
func (v *Visit) count(at Route) error {
	counted := at.Download || strings.TrimSpace(v.Query("q")) != ""
	if v.R.Method == http.MethodPost {
		counted = at.Counted
	}
	if !counted {
		return nil
	}
	key, tier := middleware.GuestKey(middleware.From(v.R.Context()).ClientIP), domain.TierGuest
	if v.Account != nil {
		key, tier = middleware.UserKey(int64(v.Account.ID)), v.Account.Tier
	}
	d := v.s.o.Limiter.Take(v.R.Context(), v.Now(), key, string(tier))
	if d.Allowed {
		return nil
	}
	x := middleware.From(v.R.Context())
	x.Refused, x.Tier = middleware.TooFast, d.Tier
	return domain.NewTooMany("", int64(d.Limit), time.Minute, time.Duration(d.RetryAfter)*time.Second)
}

// logAs sets what logs and metrics say was asked for, without its secrets.
func (v *Visit) logAs(at Route, found bool) {
	x := middleware.From(v.R.Context())
	switch {
	case !found && v.s.own[first(v.R.URL.Path)]:
		x.LogPath = "/" + first(v.R.URL.Path) + "/…"
	case found && at.secret():
		x.LogPath = at.Path
	}
	if found {
		x.Operation = "page " + at.Path
	}
}

// identify finds out who is signed in. It keeps the cookie of an ended session, because another response
// may have just replaced it: two requests may be in progress while the session gets another secret.
func (v *Visit) identify() error {
	secret := v.s.sessionOf(v.R)
	if secret == "" {
		return nil
	}
	session, account, err := v.App().SessionUser(v.R.Context(), v.Visitor(), secret)
	if domain.KindOf(err) == domain.Unauthenticated {
		return nil
	}
	if err != nil {
		return err
	}
	v.Secret, v.Session, v.Account = secret, session, &account
	middleware.From(v.R.Context()).UserID = int64(account.ID)
	return nil
}

// mostUnread is how many unread notifications are counted: 99, and that there are more.
const mostUnread = 100

// countUnread has the account say how many unread notifications its list shows, which may be
// fewer than there are. Where they cannot be counted just now, it says all.
func (v *Visit) countUnread() {
	if v.Account == nil || v.counted {
		return
	}
	v.counted = true
	if n, err := v.App().UnreadNotifications(v.R.Context(), v.Actor(), v.Account.Unread, mostUnread); err == nil {
		v.Account.Unread = n
	}
}

// readForms checks the query and reads the body. It refuses a body that is not text. The page itself reads
// bodies with files, using Parts.
func (v *Visit) readForms(at Route) error {
	v.R.PostForm = url.Values{}
	v.most = at.bodyLimit(v.Account == nil)
	if _, err := url.ParseQuery(v.R.URL.RawQuery); err != nil {
		return domain.Wrap(domain.Invalid, v.T("web.error.unreadable"), err)
	}
	if v.R.Method == http.MethodPost {
		media := mediaType(v.R)
		if at.Files && media == "multipart/form-data" {
			return nil
		}
		if media != "application/x-www-form-urlencoded" && media != "" {
			return domain.Wrap(domain.Unsupported, v.T("web.error.media-type"), nil)
		}
	}
	if v.R.Method != http.MethodPost {
		return nil
	}
	body, err := v.readBody(v.most)
	if err != nil {
		return err
	}
	if v.R.PostForm, err = url.ParseQuery(body); err != nil {
		return domain.Wrap(domain.Invalid, v.T("web.error.unreadable"), err)
	}
	for name, values := range v.R.PostForm {
		for _, value := range values {
			if !clean(name) || !clean(value) {
				return domain.InvalidField("", domain.FieldMalformed, v.T("web.error.not-text"))
			}
		}
	}
	return nil
}

// mediaType is what a body is said to be, without parameters; "" where it is not said.
func mediaType(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && media == "" && r.Header.Get("Content-Type") != "" {
		return "unknown"
	}
	return media
}

// Query returns a query parameter, or "" if it is missing or not text.
func (v *Visit) Query(name string) string {
	if value := v.R.URL.Query().Get(name); clean(value) {
		return value
	}
	return ""
}

// clean reports whether a text is one that can be kept and shown.
func clean(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

func (v *Visit) methodNotAllowed(at Route) {
	v.W.Header().Set("Allow", at.allow())
	if v.R.Method == http.MethodOptions {
		v.W.WriteHeader(http.StatusNoContent)
		return
	}
	v.failure(http.StatusMethodNotAllowed, v.T("web.error.method", httpedge.MethodOf(v.R)))
}

// HeadOnly reports whether the request is HEAD, which pages see as GET.
func (v *Visit) HeadOnly() bool { return middleware.From(v.R.Context()).HeadOnly }

// App is what the pages are made from.
func (v *Visit) App() *app.App { return v.s.o.App }

// Addresses are where the server is reached.
func (v *Visit) Addresses() *present.Addresses { return v.s.o.Addresses }

// Mails reports whether mail is sent; otherwise it is kept for the operator.
func (v *Visit) Mails() bool { return v.s.o.Mails }

// Version is the program's.
func (v *Visit) Version() string { return v.s.o.Version }

// Site is what the site says of itself. Where that cannot be read just now, it says as
// much as a new one: it is on every page, also on those that say what went wrong.
func (v *Visit) Site() domain.Site {
	if v.site == nil {
		site, err := v.App().SiteSettings(v.R.Context())
		if err != nil {
			site = domain.Site{Name: domain.DefaultSiteName}
		}
		v.site = &site
	}
	return *v.site
}

// Now is the time.
func (v *Visit) Now() time.Time { return v.s.o.Now() }

// T is a text of the catalogue in the reader's language.
func (v *Visit) T(id string, args ...any) string { return v.Lang.Text(id, args...) }

// Visitor is where the request comes from.
func (v *Visit) Visitor() domain.Visitor {
	return domain.Visitor{Address: middleware.From(v.R.Context()).ClientIP, Agent: v.R.UserAgent(), Browser: v.s.knownAs(v.R), Local: httpedge.Local(v.R)}
}

// Actor is who acts; a guest for who is not signed in.
func (v *Visit) Actor() domain.Actor {
	if v.Account == nil {
		return domain.Actor{}
	}
	return domain.Actor{UserID: v.Account.ID, Tier: v.Account.Tier, Scope: domain.ScopeWrite, Writes: v.Session.Writes}
}
