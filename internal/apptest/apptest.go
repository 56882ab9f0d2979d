// Package apptest runs the whole server on its own database with a cast of users, and sends
// requests to it. Every response is validated against the API descriptions, and every derived value
// is checked at the end of a test.
package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/api"
	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/media/mediatest"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// Base is the site URL of the test's server.
const Base = "https://vitrine.test"

// Rig is a server and its cast.
type Rig struct {
	T     testing.TB
	S     *server.Server
	Clock *Clock

	options database.Options
	cfg     config.Config
	serving server.Options
	dataDir string
	watch   *watch
	log     *logbook
	web     *web
	broken  bool // the database is closed and cannot be checked

	mu     sync.Mutex
	people map[string]Person
	db     *database.DB
}

// Person is a member of the cast. Requests name their token: "ada" may write, "ada/read" may only
// read, "ada/admin" may operate the server if ada is an operator, and "" is a guest.
type Person struct {
	ID    domain.UserID
	Token string
	Read  string
	admin string // created by the first request that names it
}

// Clock is a clock that tests control.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time of the clock, a microsecond later each time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Microsecond)
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Option changes the configuration of a test's server.
type Option func(*config.Config)

// Trash keeps what is deleted for 30 days. Without it, tests delete for good.
func Trash(c *config.Config) { c.TrashDays = 30 }

// Each runs f on a server on each database.
func Each(t *testing.T, f func(t *testing.T, r *Rig), options ...Option) {
	t.Helper()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		f(t, Boot(t, o, options...))
	})
}

// New starts a server on SQLite.
func New(t testing.TB, options ...Option) *Rig {
	t.Helper()
	return Boot(t, storetest.Migrated.SQLite(t), options...)
}

// opened are the descriptions that all test servers at Base share, since parsing them is most of
// the cost of the first request.
var opened = sync.OnceValue(func() api.Documents { return api.OpenDocuments(Base, Base) })

func documents(cfg config.Config) api.Documents {
	if cfg.BaseURL != Base || cfg.SiteURL != Base {
		return api.Documents{}
	}
	return opened()
}

// NewFetching is New with other fetch options, such as shorter timeouts.
func NewFetching(t testing.TB, change func(*fetch.Options), options ...Option) *Rig {
	t.Helper()
	return NewServer(t, func(o *server.Options) { change(&o.Fetch) }, options...)
}

// NewServer is New with other server options, such as disks.
func NewServer(t testing.TB, change func(*server.Options), options ...Option) *Rig {
	t.Helper()
	mediatest.KeepModules()
	return boot(t, storetest.Migrated.SQLite(t), change, options...)
}

// Boot starts a server on a migrated database.
func Boot(t testing.TB, o database.Options, options ...Option) *Rig {
	t.Helper()
	return boot(t, o, func(*server.Options) {}, options...)
}

// BootServer is Boot with other server options.
func BootServer(t testing.TB, o database.Options, change func(*server.Options), options ...Option) *Rig {
	t.Helper()
	return boot(t, o, change, options...)
}

func boot(t testing.TB, o database.Options, change func(*server.Options), options ...Option) *Rig {
	t.Helper()
	cfg := config.Config{
		DataDir: t.TempDir(), MailFrom: "Vitrine <vitrine@vitrine.test>", DatabaseURL: o.URL, DatabaseDirectURL: o.DirectURL, SQLiteSynchronous: o.Synchronous, BaseURL: Base, SiteURL: Base,
		RateLimits:     map[string]int{"guest": 0, "free": 0, "premium": 0, "supporter": 0},
		RequestTimeout: 10 * time.Minute, JobTimeout: 10 * time.Minute, BodyLimit: 1 << 20, ResponseMemory: 64 << 20, CacheSize: 1 << 20, MinSendRate: 4 << 10, MaxStreams: 100, FilesURL: Base, MCP: true, UploadLimit: 64 << 20, SnapshotLimit: 2 << 20,
	}
	for _, option := range options {
		option(&cfg)
	}
	r := &Rig{T: t, Clock: &Clock{now: storetest.Now.Add(time.Hour)}, people: map[string]Person{"": {}},
		options: o, dataDir: cfg.DataDir, watch: new(watch), log: new(logbook)}
	r.newWeb()
	so := server.Options{Documents: documents(cfg), Log: slog.New(slog.NewTextHandler(r.log, nil)), Now: r.Clock.Now,
		Observe: r.watch.observe, Fetch: r.web.fetching()}
	change(&so)
	r.cfg, r.serving = cfg, so
	var err error
	r.S, err = server.New(t.Context(), cfg, so)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.broken {
			return
		}
		storetest.Check(t, r.S.Store)
		if err := r.S.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return r
}

// Person returns a member of the cast by name. It creates the account, of the tier supporter, on
// first use.
func (r *Rig) Person(name string) Person {
	r.T.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.people[name]; ok {
		return p
	}
	ctx := r.T.Context()
	u, err := r.S.App.Accounts.CreateUser(ctx, accounts.CreateUserInput{Slug: name, Name: strings.ToUpper(name[:1]) + name[1:],
		Email: name + "@example.org", Tier: domain.TierSupporter})
	if err != nil {
		r.T.Fatal(err)
	}
	p := Person{ID: u.ID}
	if p.Token, _, err = r.S.App.Accounts.CreateToken(ctx, u.ID, accounts.TokenInput{Name: "test", Scope: domain.ScopeWrite}); err != nil {
		r.T.Fatal(err)
	}
	if p.Read, _, err = r.S.App.Accounts.CreateToken(ctx, u.ID, accounts.TokenInput{Name: "test", Scope: domain.ScopeRead}); err != nil {
		r.T.Fatal(err)
	}
	r.people[name] = p
	return p
}

// Operator makes a member of the cast an operator in addition to the first account, which can then
// be suspended.
func (r *Rig) Operator(name string) {
	r.T.Helper()
	if _, err := r.S.App.Operating.SetOffice(r.T.Context(), domain.Ref{ID: int64(r.Person(name).ID)}, domain.OfficeOperator); err != nil {
		r.T.Fatal(err)
	}
}

// Group creates a group of members of the cast; the first is its owner.
func (r *Rig) Group(name string, members ...string) domain.GroupID {
	r.T.Helper()
	ids := make([]domain.UserID, len(members))
	for i, m := range members {
		ids[i] = r.Person(m).ID
	}
	return storetest.Group(r.T, r.S.Store, name, ids[0], ids[1:]...)
}

// token returns the token of a name as in Person.
func (r *Rig) token(as string) string {
	name, scope, _ := strings.Cut(as, "/")
	p := r.Person(name)
	switch scope {
	case "read":
		return p.Read
	case "admin":
		return r.admin(name)
	}
	return p.Token
}

// admin returns the token of an operator that has all abilities to operate the server.
func (r *Rig) admin(name string) string {
	r.T.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.people[name]
	if p.admin == "" {
		var err error
		in := accounts.TokenInput{Name: "admin", Scope: domain.ScopeWrite, Abilities: domain.AdminAbilities}
		if p.admin, _, err = r.S.App.Accounts.CreateToken(r.T.Context(), p.ID, in); err != nil {
			r.T.Fatal(err)
		}
		r.people[name] = p
	}
	return p.admin
}

// Response is a response of the server.
type Response struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request as a member of the cast. body is JSON text as []byte or string, an io.Reader,
// nil for none, or any value to encode. The response is validated against its description.
func (r *Rig) Do(as, method, path string, body any, headers ...string) *Response {
	r.T.Helper()
	return r.Send(r.Request(as, method, path, body, headers...))
}

// Send sends a request unchanged, and validates the response against its description.
func (r *Rig) Send(req *http.Request) *Response {
	r.T.Helper()
	return r.SendTo(r.S.Handler(), req)
}

// SendTo is Send to another server on the same database.
func (r *Rig) SendTo(handler http.Handler, req *http.Request) *Response {
	r.T.Helper()
	ctx, end := context.WithCancel(req.Context())
	defer end()
	w := recorder{httptest.NewRecorder(), end}
	handler.ServeHTTP(w, req.WithContext(ctx))
	return r.read(req, w.Result())
}

// recorder records a response. A stream of events, which has no end, ends after the first ones.
type recorder struct {
	*httptest.ResponseRecorder
	end func()
}

// Flush implements http.Flusher.
func (w recorder) Flush() {
	w.ResponseRecorder.Flush()
	if w.Header().Get("Content-Type") == "text/event-stream" {
		w.end()
	}
}

// Beside starts another server on the same database, and stops it at the end of the test.
func (r *Rig) Beside(change func(*server.Options)) *server.Server {
	r.T.Helper()
	so := r.serving
	change(&so)
	s, err := server.New(r.T.Context(), r.cfg, so)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() {
		if err := s.Shutdown(context.WithoutCancel(r.T.Context())); err != nil {
			r.T.Error(err)
		}
	})
	return s
}

// read reads a whole response, and validates it against its description.
func (r *Rig) read(req *http.Request, from *http.Response) *Response {
	r.T.Helper()
	defer from.Body.Close()
	body, err := io.ReadAll(from.Body)
	if err != nil {
		r.T.Fatal(err)
	}
	res := &Response{T: r.T, Status: from.StatusCode, Header: from.Header, Body: body}
	r.conform(req, res)
	return res
}

func reader(t testing.TB, body any) io.Reader {
	t.Helper()
	switch body := body.(type) {
	case nil:
		return nil
	case io.Reader:
		return body
	case []byte:
		return bytes.NewReader(body)
	case string:
		return strings.NewReader(body)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

// Descriptions returns the descriptions that requests and responses are validated against.
func (r *Rig) Descriptions() []*describe.Description {
	return []*describe.Description{r.S.API.V3, r.S.API.Ext, r.S.API.Compat}
}
