package web

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/doctor"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
	"vitrine/internal/site/catalog"
)

// Visit is a request to the website and its user.
type Visit struct {
	chose bool // the answer sets the cookie of Looks

	s       *Site
	W       http.ResponseWriter
	R       *http.Request
	Args    []string // values of the path's segments in braces
	Secret  string   // of the session, "" for none
	Session domain.Session
	Account *accounts.Account // nil for guests
	Lang    *catalog.Language
	Head    Head   // metadata for other programs
	Frame   string // the template around the page, "" for the default
	Wide    bool   // the page uses the whole width
	FormsTo string // an address beyond the site that a form of the page redirects to
	Frames  string // an address beyond the site that the page embeds in a frame
	Framed  bool   // other sites may show the page in a frame

	nobodys bool         // the page is the same for all users of the browser
	site    *domain.Site // the site's settings, once they were read
	pageSet string       // package of the route, for its templates
	fields  Fields       // of the route
	maxForm int64        // maximum bytes of the fields of its form
	tag     string       // ETag of the page, after Fresh was called
	since   string       // cursor of the changes from before the page was read
	counted bool         // Account.Unread counts what the reader may see, up to maxUnread

	blocks map[domain.BlockID]*domain.Block // that lists and covers had to read, nil for missing ones
	unread []domain.BlockID                 // on covers, without a cached face
}

// answer finds the route, identifies the user, checks access and calls the handler.
func (v *Visit) answer() error {
	if at, ok := v.s.moved(v.R); ok {
		v.logAs(at, true)
		return v.Moved(httpedge.EscapedWithoutSlash(v.R))
	}
	at, args, found := v.s.match(v.R.URL.Path)
	v.Args, v.pageSet, v.fields = args, at.pageSet, at.Fields
	v.logAs(at, found)
	if err := v.s.cross.Check(v.R); err != nil {
		return domain.NewForbidden(v.T("web.error.other-site"))
	}
	if err := v.identify(); err != nil {
		return err
	}
	if reader := v.R.Header.Get("X-Reader"); reader != "" && reader != v.reader() {
		v.failure(http.StatusPreconditionFailed, v.T("web.error.other-reader"))
		return nil
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
	case at.Confirm && v.R.Method != http.MethodPost && !v.App().Accounts.MayOpen(v.Session):
		return v.AskToConfirm()
	}
	if err := v.count(at); err != nil {
		return err
	}
	leave, err := v.acquireSlot(at)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.readForms(at); err != nil {
		return err
	}
	v.since = v.App().Changes.Known()
	lagging := at.lagging && v.R.Header.Get("Cache-Control") != "no-cache" // with which scripts read what has changed
	httpedge.Reading(v.W, v.R, v.Actor(), lagging, func(w http.ResponseWriter, r *http.Request) {
		again := *v
		again.W, again.R = w, r
		if err := handle(&again); err != nil {
			again.fail(err)
		}
	})
	return nil
}

// count counts text searches, files and the forms of Counted routes towards the API's rate limits:
// by tier for users, by address for guests.
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

// logAs sets the path for logs and metrics, without secrets.
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

// identify finds the signed-in user. It keeps the cookie of an ended session, because another
// response may have just replaced it: two requests may be in progress while the session gets
// another secret.
func (v *Visit) identify() error {
	secret := v.s.sessionOf(v.R)
	if secret == "" {
		return nil
	}
	session, account, err := v.App().Accounts.SessionUser(v.R.Context(), v.Visitor(), secret)
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

// maxUnread is how many unread notifications are counted; above 99 the page shows "99+".
const maxUnread = 100

// countUnread counts the unread notifications that the list shows, which may be fewer than the
// stored count. If counting fails, the stored count is used.
func (v *Visit) countUnread() {
	if v.Account == nil || v.counted {
		return
	}
	v.counted = true
	if n, err := v.App().People.UnreadNotifications(v.R.Context(), v.Actor(), v.Account.Unread, maxUnread); err == nil {
		v.Account.Unread = n
	}
	if left := maxUnread - v.Account.Unread; v.Session.Finds && left > 0 {
		if n, err := v.App().Searches.UnreadFinds(v.R.Context(), v.Actor(), int(left)); err == nil {
			v.Account.Unread += n
		}
	}
}

// CountUnreadAgain counts the unread notifications again, for a page that stays open.
func (v *Visit) CountUnreadAgain() int64 {
	v.Account.Unread, v.counted = maxUnread, false
	v.countUnread()
	return v.Account.Unread
}

// Events begins a stream of events, for a route that Waits.
func (v *Visit) Events() *httpedge.Events {
	httpedge.Unhurried(v.W)
	return httpedge.NewEvents(v.W)
}

// Client identifies the visitor for limits.
func (v *Visit) Client() string {
	return httpedge.ClientOf(v.Actor(), middleware.From(v.R.Context()).ClientIP)
}

// readForms checks the query and reads the body. It refuses a body that is not text. The page itself reads
// bodies with files, using Parts.
func (v *Visit) readForms(at Route) error {
	v.R.PostForm = url.Values{}
	v.maxForm = at.bodyLimit(v.Account == nil)
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
	body, err := v.readBody(v.maxForm)
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

// mediaType returns the media type of a body without parameters; "" if it is missing.
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

// clean reports whether a text is valid UTF-8 without NUL.
func clean(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

func (v *Visit) methodNotAllowed(at Route) {
	v.W.Header().Set("Allow", at.allow())
	if v.R.Method == http.MethodOptions {
		v.W.WriteHeader(http.StatusNoContent)
		return
	}
	v.failure(http.StatusMethodNotAllowed, v.T("web.error.method", httpedge.MethodOf(v.R)))
}

// HeadOnly reports whether the request is HEAD, which handlers receive as GET.
func (v *Visit) HeadOnly() bool { return middleware.From(v.R.Context()).HeadOnly }

// App returns the application.
func (v *Visit) App() *app.App { return v.s.o.App }

// Addresses returns the server's addresses.
func (v *Visit) Addresses() *present.Addresses { return v.s.o.Addresses }

// Mails reports whether mail is sent; otherwise it is stored for the operator.
func (v *Visit) Mails() bool { return v.s.o.Mails }

// Doctor examines the installation.
func (v *Visit) Doctor() *doctor.Doctor { return v.s.o.Doctor }

// Version returns the program's version.
func (v *Visit) Version() string { return v.s.o.Version }

// Site returns the site's settings. If they cannot be read, it returns those of a new site, since
// all pages, including error pages, need them.
func (v *Visit) Site() domain.Site {
	if v.site == nil {
		site, err := v.App().Operating.SiteSettings(v.R.Context())
		if err != nil {
			site = domain.Site{Name: domain.DefaultSiteName}
		}
		v.site = &site
	}
	return *v.site
}

// Now returns the current time.
func (v *Visit) Now() time.Time { return v.s.o.Now() }

// T returns a text of the catalogue in the reader's language.
func (v *Visit) T(id string, args ...any) string { return v.Lang.Text(id, args...) }

// Visitor returns where the request comes from.
func (v *Visit) Visitor() domain.Visitor {
	return domain.Visitor{Address: middleware.From(v.R.Context()).ClientIP, Agent: v.R.UserAgent(), Browser: v.s.knownAs(v.R), Local: httpedge.Local(v.R)}
}

// Actor returns the acting user, or a guest if nobody is signed in.
func (v *Visit) Actor() domain.Actor {
	if v.Account == nil {
		return domain.Actor{}
	}
	return domain.Actor{UserID: v.Account.ID, Tier: v.Account.Tier, Scope: domain.ScopeWrite, Writes: v.Session.Writes}
}
