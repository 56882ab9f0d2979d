package importing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/fetch"
	"vitrine/internal/importing"
	"vitrine/internal/importing/arena"
	"vitrine/internal/store/storetest"
)

// elsewhere is a server with much content, from which another server imports.
type elsewhere struct {
	*apptest.Rig
	url      string
	requests atomic.Int64
	before   atomic.Pointer[func(n int64)] // called before each request
}

func newElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	e := &elsewhere{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := e.requests.Add(1)
		if before := e.before.Load(); before != nil {
			(*before)(n)
		}
		e.S.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	e.url = srv.URL
	e.Rig = apptest.New(t, func(cfg *config.Config) { cfg.FilesURL = srv.URL })
	return e
}

// source returns a source that reads as a user of that server.
func (e *elsewhere) source(as string, what ...string) *arena.Source {
	src, err := arena.New(arena.Options{From: e.url, Token: e.Person(as).Token, What: what, Client: fetch.New(fetch.Options{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, PerHost: 20})})
	if err != nil {
		e.T.Fatal(err)
	}
	return src
}

// seed creates content of all kinds.
func (e *elsewhere) seed() (moss, ferns int64) {
	picture := apptest.PNG(e.T, 40, 30)
	e.Web("example.org/", apptest.Serve("text/html", []byte(`<title>A page</title><meta name="description" content="About it"><p>Words</p>`)))
	e.Web("example.org/a.png", apptest.Serve("image/png", picture))
	e.Web("example.org/notes.txt", apptest.Serve("text/plain", []byte("some notes")))
	moss, ferns = e.Channel("ada", "Moss & Stone", "public"), e.Channel("ada", "Ferns", "private")
	closed := e.Channel("ada", "Closed", "closed")
	e.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", moss), `{"description":"All *about* moss","metadata":{"colour":"green","n":3}}`).Want(200)
	for i := range 7 {
		e.Clock.Advance(1e9 * 3_600)
		b := e.Do("ada", "POST", "/v3/blocks", fmt.Sprintf(`{"value":"Note **%d** <script>x</script>","title":"Note %d","description":"D%d","channel_ids":[%d],"metadata":{"i":%d}}`, i, i, i, moss, i)).Want(201).Int("id")
		if i%3 == 0 {
			e.Do("bob", "POST", fmt.Sprintf("/v3/blocks/%d/comments", b), `{"body":"Well said, @ada"}`).Want(201)
			e.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", b), `{"body":"Thanks"}`).Want(201)
			e.Connect("ada", "Block", b, ferns)
		}
	}
	for _, v := range []string{"http://example.org/a.png", "http://example.org/", "http://example.org/notes.txt"} {
		e.Do("ada", "POST", "/v3/blocks", fmt.Sprintf(`{"value":%q,"alt_text":"Seen","original_source_title":"Source","channel_ids":[%d]}`, v, moss)).Want(201)
	}
	e.Do("bob", "POST", "/v3/blocks", fmt.Sprintf(`{"value":"Of Bob","channel_ids":[%d]}`, moss)).Want(201)
	e.WorkJobs()
	e.Connect("ada", "Channel", ferns, moss)
	c := e.Connect("ada", "Channel", moss, closed)
	e.Do("ada", "PUT", fmt.Sprintf("/v3/connections/%d", c), `{"metadata":{"why":"so"}}`).Want(200)
	e.Do("ada", "POST", fmt.Sprintf("/v3/connections/%d/move", e.connectionAt(moss, 2)), `{"movement":"insert_at","position":6}`).Want(200)
	return moss, ferns
}

func (e *elsewhere) connectionAt(channel int64, i int) int64 {
	return e.Get("ada", "/v3/channels/%d/contents?sort=position_asc&per=100", channel).Int(fmt.Sprintf("data.%d.connection.id", i))
}

// everything returns all channels of a user with their contents, without necessary differences:
// ids, addresses of this server, and attribution.
func everything(r *apptest.Rig, as string) map[string]any {
	all := map[string]any{}
	channels := r.Get(as, "/v3/users/%s/contents?type=Channel&per=100", as).Want(200)
	for i := range channels.Len("data") {
		slug := channels.Str(fmt.Sprintf("data.%d.slug", i))
		c := decoded(r.Get(as, "/v3/channels/%s", slug).Want(200).Body)
		var items []any
		contents := r.Get(as, "/v3/channels/%s/contents?per=100&sort=position_asc", slug).Want(200)
		for j := range contents.Len("data") {
			it := contents.Get(fmt.Sprintf("data.%d", j)).(map[string]any)
			if n, _ := it["comment_count"].(float64); n > 0 || fmt.Sprint(it["comment_count"]) != "0" && it["comment_count"] != nil {
				said := decoded(r.Get(as, "/v3/blocks/%d/comments?per=100", contents.Int(fmt.Sprintf("data.%d.id", j))).Want(200).Body)
				for _, one := range said.(map[string]any)["data"].([]any) {
					body := one.(map[string]any)["body"].(map[string]any)
					if _, rest, ok := strings.Cut(body["markdown"].(string), ":\n\n"); ok { // the line that names the author
						body["markdown"] = rest
					}
					delete(body, "html") // contains links to mentioned users
					delete(body, "plain")
				}
				it["comments"] = said
			}
			items = append(items, it)
		}
		all[c.(map[string]any)["title"].(string)] = map[string]any{"channel": stripped(c), "items": stripped(items)}
	}
	return all
}

func decoded(text []byte) (v any) {
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	return v
}

// stripped removes the necessary differences between two servers from a response.
func stripped(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = stripped(v[i])
		}
	case map[string]any:
		for _, key := range []string{"id", "_links", "user", "owner", "connected_by", "slug", "src", "src_2x", "url_2x", "updated_at", "can", "meta", "html"} {
			delete(v, key)
		}
		if m, ok := v["metadata"].(map[string]any); ok {
			delete(m, "imported_author")
			delete(m, "imported_author_url")
			if len(m) == 0 {
				v["metadata"] = nil
			}
		}
		if a, ok := v["attachment"].(map[string]any); ok {
			delete(a, "url")
		}
		for key := range v {
			v[key] = stripped(v[key])
		}
	}
	return v
}

func same(t *testing.T, what string, there, here map[string]any) {
	t.Helper()
	if reflect.DeepEqual(there, here) {
		return
	}
	a, _ := json.MarshalIndent(there, "", " ")
	b, _ := json.MarshalIndent(here, "", " ")
	la, lb := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	shown := 0
	for i := 0; i < min(len(la), len(lb)) && shown < 12; i++ {
		if la[i] != lb[i] {
			t.Errorf("%s: line %d: there %s, here %s", what, i, la[i], lb[i])
			shown++
		}
	}
	if len(la) != len(lb) {
		t.Errorf("%s: %d lines there, %d here", what, len(la), len(lb))
	}
}

func TestASiteIsTheSameElsewhere(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	moss, ferns := e.seed()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		r := apptest.Boot(t, o)
		r.Clock.Advance(1e9 * 3_600 * 24 * 30)
		report := imported(t, r, e.source("ada", "@ada"), importing.Options{})
		if report.Counts.LeftOut != 0 {
			t.Errorf("left out: %v", report.LeftOut)
		}
		same(t, "first", everything(e.Rig, "ada"), everything(r, "ada"))
		before := r.Dump()
		again := imported(t, r, e.source("ada", "@ada"), importing.Options{})
		if again.Blocks+again.Connections+again.Comments+again.Changed+again.Moved+again.Counts.LeftOut != 0 {
			t.Errorf("again: %+v %v", again.Counts, again.LeftOut)
		}
		if d := before.Diff(r.Dump()); len(d) > 0 {
			t.Errorf("the same again changed %v", d)
		}
	})
	// One database is enough for the rest, since both ran all statements above.
	r := apptest.New(t)
	r.Clock.Advance(1e9 * 3_600 * 24 * 30)
	imported(t, r, e.source("ada", "@ada"), importing.Options{})
	e.Clock.Advance(1e9 * 3_600)
	first := e.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Int("data.0.id")
	e.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", first), `{"title":"Another name","description":"","content":"Other words","metadata":{"i":null,"new":true}}`).Want(200)
	e.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", ferns), `{"title":"Ferns, all","description":null}`).Want(200)
	e.Do("ada", "POST", "/v3/blocks", fmt.Sprintf(`{"value":"In the midst","channels":[{"id":%d,"position":3}]}`, moss)).Want(201)
	e.Do("ada", "POST", "/v3/blocks", fmt.Sprintf(`{"value":"On top","channel_ids":[%d,%d]}`, moss, ferns)).Want(201)
	e.Do("ada", "POST", fmt.Sprintf("/v3/connections/%d/move", e.connectionAt(moss, 0)), `{"movement":"move_to_top"}`).Want(200)
	report := imported(t, r, e.source("ada", "@ada"), importing.Options{})
	if report.Blocks != 2 || report.Connections != 3 || report.Changed != 2 || report.Moved != 2 || report.Counts.LeftOut != 0 {
		t.Errorf("after changes: %+v %v", report.Counts, report.LeftOut)
	}
	same(t, "after changes", everything(e.Rig, "ada"), everything(r, "ada"))

	// Items that are deleted there stay here.
	e.Do("ada", "DELETE", fmt.Sprintf("/v3/connections/%d", e.connectionAt(moss, 4)), nil).Want(204)
	was := r.Get("ada", "/v3/users/ada/contents?per=100").Want(200).Int("meta.total_count")
	report = imported(t, r, e.source("ada", "@ada"), importing.Options{})
	if is := r.Get("ada", "/v3/users/ada/contents?per=100").Int("meta.total_count"); is != was || report.Moved != 0 {
		t.Errorf("%d things, and then %d; %+v", was, is, report.Counts)
	}
}

func imported(t *testing.T, r *apptest.Rig, src *arena.Source, o importing.Options) importing.Report {
	t.Helper()
	report, err := importing.Run(t.Context(), r.S.App, ada(r), src, o)
	if err != nil {
		t.Fatalf("%v\n%+v", err, report)
	}
	return report
}

func TestWithoutATokenGuestsChannelsCome(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	e.seed()
	r := apptest.New(t)
	src, err := arena.New(arena.Options{From: e.url + "/v3/", What: []string{"@ada", "https://www.are.na/ada/ferns", "nothing-there"},
		Client: fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, PerHost: 20})})
	if err != nil {
		t.Fatal(err)
	}
	report := imported(t, r, src, importing.Options{})
	if report.Channels != 2 || report.Counts.LeftOut != 2 || !strings.Contains(fmt.Sprint(report.LeftOut), "nothing-there") {
		t.Errorf("%+v %v", report.Counts, report.LeftOut)
	}
	got := r.Get("ada", "/v3/channels/moss-and-stone/contents?sort=position_asc&per=100").Want(200)
	if who := got.Str("data.0.metadata.imported_author"); who != "Ada" || got.Str("data.0.metadata.imported_author_url") != e.url+"/ada" {
		t.Errorf("attribution: %s", got.Body)
	}
}

// Concurrent imports of the same items create them once.
func TestImportsMayRunAtOnce(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	e.seed()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		r := apptest.Boot(t, o)
		r.Clock.Advance(1e9 * 3_600 * 24 * 30)
		actor := ada(r)
		var all sync.WaitGroup
		for range 3 {
			src := e.source("ada", "@ada")
			all.Go(func() {
				if _, err := importing.Run(t.Context(), r.S.App, actor, src, importing.Options{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		imported(t, r, e.source("ada", "@ada"), importing.Options{})
		same(t, "at once", everything(e.Rig, "ada"), everything(r, "ada"))
	})
}

// An import that is interrupted at any point can be continued, and creates nothing twice.
func TestKilledAtAnyPointItGoesOn(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	e.seed()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		r := apptest.Boot(t, o)
		r.Clock.Advance(1e9 * 3_600 * 24 * 30)
		statements := int64(20)
		for range 10 { // each a little later than the one before
			ctx, stop := context.WithCancel(t.Context())
			var n atomic.Int64
			end := r.Intercept(func(context.Context, string) {
				if n.Add(1) >= statements {
					stop()
				}
			})
			_, err := importing.Run(ctx, r.S.App, ada(r), e.source("ada", "@ada"), importing.Options{})
			end()
			stop()
			if err == nil {
				t.Errorf("it ended before statement %d", statements)
			}
			statements += 11
		}
		imported(t, r, e.source("ada", "@ada"), importing.Options{})
		same(t, "in the end", everything(e.Rig, "ada"), everything(r, "ada"))
	})
}
