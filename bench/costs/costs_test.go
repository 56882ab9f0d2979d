// Package costs compares the costs of the most frequent requests with their limits: statements on either database, and
// allocations on SQLite, with a tiny set of bench/dataset. The limits are in bounds.json;
//
//	go test ./bench/costs -update
//
// updates it, with the statements of PostgreSQL if VITRINE_TEST_POSTGRES is set.
package costs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/bench/dataset"
	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

var update = flag.Bool("update", false, "write bounds.json anew")

const file = "bounds.json"

// A change that doubles either number fails. No additional statement is allowed, but half as many allocations again,
// because these vary between runs and versions of Go.
const allowed = 1.5

// cost is the maximum cost of an operation.
type cost struct {
	SQLite      int `json:"sqlite"`      // statements
	Postgres    int `json:"postgres"`    // statements
	Allocations int `json:"allocations"` // on SQLite
}

// operation is a repeated request. One that writes has another path or body each time.
type operation struct {
	name, method string
	token        string
	cookie, tag  string // of a browser: its session, and the ETag of the page that it has
	path, body   func(n int) string
	status       int
}

// same returns a constant path or body.
func same(text string) func(int) string { return func(int) string { return text } }

// runs is how often the allocations of an operation are counted.
const runs = 20

// operations creates the data and returns the requests to measure.
func operations(t *testing.T, r *apptest.Rig) (all []operation) {
	t.Helper()
	made, err := dataset.Fill(t.Context(), r.S.Store, dataset.Size{Users: 60, Channels: 40, Blocks: 300, Connections: 450, Large: 1000, Small: 50, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	reader, _, err := r.S.App.Accounts.CreateToken(t.Context(), domain.UserID(made.Reader), accounts.TokenInput{Name: "costs", Scope: domain.ScopeWrite})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(token, method, path, body string, status int) []byte {
		w := send(t, r, operation{method: method, token: token, path: same(path), body: same(body), status: status}, 0)
		return w.Body.Bytes()
	}
	var page struct {
		Data []struct {
			ID int64 `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(ask("", "GET", "/v3/channels/"+made.Large.Slug+"/contents?per=100", "", 200), &page); err != nil {
		t.Fatal(err)
	}
	block := fmt.Sprintf("/v3/blocks/%d", page.Data[0].ID)
	ask(reader, "PUT", "/ext/v1/users/"+made.User+"/follow", "", 200)
	for i := range 3 {
		ask(made.Token, "POST", block+"/comments", fmt.Sprintf(`{"body":"Comment %d"}`, i), 201)
	}
	into := func(title string) (id int64) {
		var channel struct {
			ID int64 `json:"id"`
		}
		if err := json.Unmarshal(ask(made.Token, "POST", "/v3/channels", fmt.Sprintf(`{"title":%q,"visibility":"closed"}`, title), 201), &channel); err != nil {
			t.Fatal(err)
		}
		return channel.ID
	}
	written, connected := into("Written to"), into("Connected to")
	first := "/v3/channels/" + made.Middle.Slug + "/contents?per=24"
	deep := "/v3/channels/" + made.Large.Slug + "/contents?per=24&page=21"
	get := func(name, token, path string) {
		all = append(all, operation{name: name, method: "GET", token: token, path: same(path), body: same(""), status: 200})
	}
	get("block, guest", "", block)
	get("block, token", made.Token, block)
	get("page of 24, guest", "", first)
	get("page of 24, token", made.Token, first)
	get("page in the middle of 1,000, guest", "", deep)
	get("page in the middle of 1,000, token", made.Token, deep)
	get("search by score", made.Token, "/v3/search?query=amber&per=24")
	get("comments of a block, guest", "", block+"/comments")
	get("comments of a block, token", made.Token, block+"/comments")
	get("feed", reader, "/v3/me/feed")
	all = append(all, website(t, r, made, page.Data[0].ID)...)
	return append(all,
		operation{name: "create a block in a channel", method: "POST", token: made.Token, path: same("/v3/blocks"), body: func(n int) string {
			return fmt.Sprintf(`{"value":"Note %d: a *short* text","channel_ids":[%d]}`, n, written)
		}, status: 201},
		operation{name: "connect a block", method: "POST", token: made.Token, path: same("/v3/connections"), body: func(n int) string {
			return fmt.Sprintf(`{"connectable_type":"Block","connectable_id":%d,"channel_ids":[%d]}`, page.Data[n].ID, connected)
		}, status: 201})
}

// website returns requests for pages: as a guest, as a user who follows others, and as a browser that has the page.
func website(t *testing.T, r *apptest.Rig, made dataset.Made, block int64) (all []operation) {
	t.Helper()
	secret, hash, _ := auth.NewToken(auth.Session)
	storetest.In(t, r.S.Store, func(tx *store.Tx) error {
		_, err := tx.Account().CreateSession(t.Context(), domain.Session{UserID: domain.UserID(made.Reader), Agent: "costs",
			CreatedAt: r.Clock.Now(), ExpiresAt: r.Clock.Now().Add(time.Hour)}, hash)
		return err
	})
	channel := "/" + made.User + "/" + made.Large.Slug
	for _, p := range []struct{ name, path string }{
		{"a channel", channel}, {"a channel as a list", channel + "?view=list"}, {"related channels", channel + "/related"},
		{"the start", "/"}, {"a block", fmt.Sprintf("/block/%d", block)}, {"a profile", "/" + made.User}, {"a profile's blocks", "/" + made.User + "?view=blocks"},
		{"explore", "/explore"}, {"the feed", "/feed"}, {"a search", "/search?q=amber"}} {
		for _, by := range []struct{ who, cookie string }{{"guest", ""}, {"signed in", "__Host-vitrine=" + secret}} {
			if p.path == "/feed" && by.cookie == "" {
				continue
			}
			o := operation{name: "page of " + p.name + ", " + by.who, method: "GET", cookie: by.cookie, path: same(p.path), body: same(""), status: 200}
			all = append(all, o)
			if o.tag = send(t, r, o, 0).Header().Get("ETag"); o.tag != "" {
				o.name, o.status = o.name+", 304", 304
				all = append(all, o)
			}
		}
	}
	return all
}

// request returns the nth request of an operation.
func request(r *apptest.Rig, o operation, n int) *http.Request {
	var body any
	if text := o.body(n); text != "" {
		body = text
	}
	req := r.Request("", o.method, o.path(n), body)
	if o.token != "" {
		req.Header.Set("Authorization", "Bearer "+o.token)
	}
	if o.cookie != "" {
		req.Header.Set("Cookie", o.cookie)
	}
	if o.tag != "" {
		req.Header.Set("If-None-Match", o.tag)
	}
	return req
}

// send sends the nth request of an operation without the network.
func send(t *testing.T, r *apptest.Rig, o operation, n int) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r.S.Handler().ServeHTTP(w, request(r, o, n))
	if w.Code != o.status {
		t.Fatalf("%s %s: status %d, want %d: %.300s", o.method, o.path(n), w.Code, o.status, w.Body)
	}
	return w
}

func TestStatements(t *testing.T) {
	b := load(t)
	t.Cleanup(func() { b.save(t) }) // after both databases
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, o := range operations(t, r) {
			send(t, r, o, 0) // prepares statements and fills caches
			send(t, r, o, 1)
			seen := r.Statements(func() { send(t, r, o, 2) })
			b.hold(t, o.name, func(c *cost) {
				limit := &c.SQLite
				if strings.HasPrefix(r.Options().URL, "postgres") {
					limit = &c.Postgres
				}
				switch {
				case *update:
					*limit = len(seen)
				case len(seen) > *limit:
					t.Errorf("%s: %d statements, want %d:\n%s", o.name, len(seen), *limit, strings.Join(seen, "\n"))
				case len(seen) < *limit:
					t.Logf("%s: %d statements instead of %d: run with -update", o.name, len(seen), *limit)
				}
			})
		}
	})
}

// Not parallel: it counts allocations.
func TestAllocations(t *testing.T) {
	b, r := load(t), apptest.New(t)
	for _, o := range operations(t, r) {
		n := allocations(t, r, o)
		b.hold(t, o.name, func(c *cost) {
			if *update {
				c.Allocations = n
			}
			if limit := allowed * float64(c.Allocations); float64(n) > limit {
				t.Errorf("%s: %d allocations, were %d, want %.0f at most", o.name, n, c.Allocations, limit)
			}
		})
	}
	b.save(t)
}

// bounds contains the costs by operation.
type bounds struct {
	mu   sync.Mutex
	all  map[string]*cost
	held map[string]bool
}

func load(t *testing.T) *bounds {
	b := &bounds{all: map[string]*cost{}, held: map[string]bool{}}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &b.all)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	return b
}

// hold calls do with the costs of an operation while it holds the lock.
func (b *bounds) hold(t *testing.T, name string, do func(c *cost)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[name] = true; b.all[name] == nil {
		if b.all[name] = new(cost); !*update {
			t.Errorf("%s: not in %s: run with -update", name, file)
		}
	}
	do(b.all[name])
}

// save updates the bounds if requested, without those of removed operations.
func (b *bounds) save(t *testing.T) {
	for name := range b.all {
		if !b.held[name] {
			if delete(b.all, name); !*update {
				t.Errorf("%s is in %s, but asked no more", name, file)
			}
		}
	}
	if !*update {
		return
	}
	text, err := json.MarshalIndent(b.all, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// allocations returns the mean number of allocations of an operation over several runs.
func allocations(t *testing.T, r *apptest.Rig, o operation) int {
	requests := make([]*http.Request, runs+1) // one more to warm up
	for i := range requests {
		requests[i] = request(r, o, 3+i)
	}
	next := 0
	return int(testing.AllocsPerRun(runs, func() {
		w := httptest.NewRecorder()
		r.S.Handler().ServeHTTP(w, requests[next])
		if next++; w.Code != o.status {
			t.Fatalf("%s: status %d: %.300s", o.name, w.Code, w.Body)
		}
	}))
}
