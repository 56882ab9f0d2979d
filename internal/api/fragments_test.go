package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/api"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/fragments"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// pieced is a world with three nodes that are compared: the rig's, one with a cache so small that entries are evicted,
// and one without a cache, which gives the expected responses.
type pieced struct {
	*apptest.Rig
	t     *testing.T
	rng   *rand.Rand
	nodes map[string]http.Handler

	viewers  []string
	channels []int64
	blocks   []int64
	seen     map[string]map[string]bool // values by field path
	did      string
	n        int
}

func newPieced(t *testing.T, r *apptest.Rig) *pieced {
	p := &pieced{Rig: r, t: t, rng: rand.New(rand.NewPCG(1, 16)), seen: map[string]map[string]bool{},
		viewers: []string{"", "ada", "ada/read", "bob", "cy", "dee"}}
	node := func(cache *fragments.Cache) http.Handler {
		handlers, err := api.New(api.Options{App: r.S.App, Documents: r.S.API.Documents,
			Callers: httpedge.NewCallers(r.S.App, middleware.NewLimiter(map[string]int{"guest": 0, "free": 0, "premium": 0, "supporter": 0}),
				time.Now, httpedge.AtOnce{}),
			Addresses: &present.Addresses{API: apptest.Base, Site: apptest.Base, Files: apptest.Base + "/files"},
			Build:     " ", Fragments: cache})
		if err != nil {
			t.Fatal(err)
		}
		return middleware.Begin(time.Now)(middleware.Scoped(handlers.V3Handler)) // without them, each caller is a guest
	}
	p.nodes = map[string]http.Handler{"the same node": r.S.Handler(), "another node": node(fragments.New(64 << 10)), "no cache": node(nil)}
	for _, viewer := range p.viewers {
		if viewer != "" {
			r.Person(strings.TrimSuffix(viewer, "/read"))
		}
	}
	group := r.Group("Crew", "eve", "cy")
	for i, visibility := range []string{"public", "closed", "private"} {
		p.channels = append(p.channels, r.Channel("ada", "Of ada "+visibility, visibility))
		p.Collaborate("ada", p.channels[i], "bob")
	}
	p.channels = append(p.channels, r.Do("eve", "POST", "/v3/channels", map[string]any{"title": "Of the crew", "visibility": "private",
		"owner": map[string]any{"type": "Group", "id": group}}).Want(http.StatusCreated).Int("id"))
	for i := range 6 {
		p.blocks = append(p.blocks, r.Block([]string{"ada", "bob"}[i%2], fmt.Sprintf("Text *%d*", i), p.channels[i%3]))
	}
	p.blocks = append(p.blocks, r.Block("eve", "https://www.example.org/page", p.channels[3]),
		r.Block("ada", strings.Repeat("too long to be kept ", 2_000), p.channels[0]),
		submit(r, "ada", sent(r, "ada", "notes.txt", "text/plain", "notes"), nil),
		submit(r, "ada", sent(r, "ada", "small.png", "image/png", string(apptest.PNG(t, 40, 20))), nil))
	for _, b := range p.blocks[8:] {
		r.Connect("ada", "Block", b, p.channels[0])
	}
	r.Connect("ada", "Channel", p.channels[1], p.channels[0])
	r.Connect("bob", "Channel", p.channels[2], p.channels[1])
	r.Connect("bob", "Block", p.blocks[0], p.channels[1])
	return p
}

// changeKinds is the number of kinds of changes.
const changeKinds = 17

// change makes the next kind of change, or in every other round a random one, which may be refused.
func (p *pieced) change() {
	p.n++
	as := []string{"ada", "bob", "cy", "eve"}[p.rng.IntN(4)]
	block, channel := p.blocks[p.rng.IntN(len(p.blocks))], p.channels[p.rng.IntN(len(p.channels))]
	do := func(method, path string, body any) *apptest.Response {
		p.did = fmt.Sprintf("%d: %s %s %s %v", p.n, as, method, path, body)
		return p.Do(as, method, path, body)
	}
	connection := func() (id int64) {
		page := p.Do("eve", "GET", at("/v3/channels/%d/contents", channel), nil)
		if page.Status != http.StatusOK {
			page = p.Do("ada", "GET", at("/v3/channels/%d/contents", channel), nil)
		}
		if page.Status != http.StatusOK || page.Len("data") == 0 {
			return 1
		}
		return page.Int(at("data.%d.connection.id", p.rng.IntN(page.Len("data"))))
	}
	round := p.n / changeKinds
	if round%2 == 0 { // by the person with most permissions
		as = "ada"
		block, channel = p.blocks[0], p.channels[round%3]
	}
	text := at("words %d with \"connection\":null in them", p.n)
	switch p.n % changeKinds {
	case 0:
		do("PUT", at("/v3/blocks/%d", block), map[string]any{"title": text, "content": text})
	case 1:
		do("PUT", at("/v3/blocks/%d", block), map[string]any{"description": text})
	case 2:
		do("PUT", at("/v3/blocks/%d", block), map[string]any{"metadata": map[string]any{"connection": text, "can": p.n}})
	case 3:
		do("POST", at("/v3/blocks/%d/comments", block), map[string]any{"body": text})
	case 4:
		if all := p.Do(as, "GET", at("/v3/blocks/%d/comments", block), nil); all.Status == http.StatusOK && all.Len("data") > 0 {
			do("DELETE", at("/v3/comments/%d", all.Int("data.0.id")), nil)
		}
	case 5:
		do("PATCH", "/ext/v1/me", map[string]any{"name": at("Name %d", p.n)})
	case 6:
		do("PATCH", "/ext/v1/me", map[string]any{"avatar_url": sent(p.Rig, as, "me.png", "image/png", string(apptest.PNG(p.t, 40, 20+p.n)))})
		p.WorkJobs()
	case 7:
		do("POST", "/v3/connections", map[string]any{"connectable_id": block, "connectable_type": "Block", "channel_ids": []int64{channel}})
	case 8, 9:
		do("DELETE", at("/v3/connections/%d", connection()), nil)
	case 10:
		do("PUT", at("/v3/channels/%d", channel), map[string]any{"visibility": []string{"public", "closed", "private"}[p.rng.IntN(3)]})
	case 11:
		do("POST", at("/v3/connections/%d/move", connection()), map[string]any{"movement": "insert_at", "position": 1 + p.rng.IntN(4)})
	case 12, 13:
		do("PUT", at("/v3/connections/%d", connection()), map[string]any{"metadata": map[string]any{"position": p.n, "can": text}})
	case 14:
		if made := do("POST", "/v3/blocks", map[string]any{"value": text, "channel_ids": []int64{channel}}); made.Status == http.StatusCreated {
			p.blocks = append(p.blocks, made.Int("id"))
		}
	case 15:
		id := domain.ConnectionID(connection())
		p.did = at("%d: pin or unpin %d", p.n, id)
		storetest.In(p.t, p.S.Store, func(tx *store.Tx) error {
			if c, err := tx.Contents().Connection(p.t.Context(), id); err == nil {
				c.Pinned = !c.Pinned
				return tx.Connections().SetConnectionPinned(p.t.Context(), &c, p.Clock.Now())
			}
			return nil
		})
	case 16:
		do("DELETE", at("/ext/v1/blocks/%d", p.blocks[len(p.blocks)-1]), nil)
	}
}

// compare sends reads of several things to all nodes, each as several viewers, and records the values of fields.
func (p *pieced) compare(things, viewers int) {
	p.t.Helper()
	var paths []string
	for _, b := range p.blocks {
		paths = append(paths, at("/v3/blocks/%d", b))
	}
	for _, c := range p.channels {
		for _, sort := range []string{"position_desc", "created_at_asc", "updated_at_desc"} {
			paths = append(paths, at("/v3/channels/%d/contents?sort=%s", c, sort))
		}
	}
	for _, i := range p.some(len(paths), things) {
		for _, v := range p.some(len(p.viewers), viewers) {
			path, viewer := paths[i], p.viewers[v]
			answers := map[string]*httptest.ResponseRecorder{}
			for name, node := range p.nodes {
				w := httptest.NewRecorder()
				node.ServeHTTP(w, p.Request(viewer, "GET", path, nil))
				answers[name] = w
			}
			right := answers["no cache"]
			for name, got := range answers {
				if got.Code != right.Code || got.Body.String() != right.Body.String() {
					p.t.Fatalf("after %s: %s as %q, %s:\n%d %s\nwant\n%d %s", p.did, path, viewer, name, got.Code, got.Body, right.Code, right.Body)
				}
			}
			if right.Code == http.StatusOK {
				var v any
				if err := json.Unmarshal(right.Body.Bytes(), &v); err != nil {
					p.t.Fatal(err)
				}
				p.note("", v)
			}
		}
	}
}

// some returns at most most of the numbers below n.
func (p *pieced) some(n, limit int) []int { return p.rng.Perm(n)[:min(n, limit)] }

// note records the values of a thing's fields.
func (p *pieced) note(of string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if data, ok := v["data"].([]any); ok {
			for _, item := range data {
				p.note("", item)
			}
			return
		}
		if of == "" {
			of = at("%v %v", v["base_type"], v["id"])
		}
		for name, field := range v {
			if name != "metadata" && name != "_links" {
				p.note(of+"."+name, field)
				continue
			}
			text, _ := json.Marshal(field)
			p.note(of+"."+name, string(text))
		}
	default:
		if p.seen[of] == nil {
			p.seen[of] = map[string]bool{}
		}
		p.seen[of][fmt.Sprint(v)] = true
	}
}

// Cached blocks and connections are never shown in an outdated state: after any change, every node responds like one
// without a cache.
func TestPiecesAreNeverStale(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		p := newPieced(t, r)
		r.WorkJobs()
		const all = 1_000
		p.compare(all, 2)
		for range 3 * changeKinds {
			p.change()
			p.compare(2, 2)
		}
		r.WorkJobs()
		p.compare(all, 1)
		p.did = "the account of bob was deleted"
		if err := r.S.App.Accounts.DeleteAccount(t.Context(), domain.Actor{UserID: r.Person("bob").ID, Scope: domain.ScopeWrite}, r.Proved(r.Person("bob").ID), "bob"); err != nil {
			t.Fatal(err)
		}
		p.viewers = slices.DeleteFunc(p.viewers, func(v string) bool { return v == "bob" })
		p.compare(all, 2)
		p.varied()
	})
}

// varied fails if a changeable field of blocks, or of their connections, did not vary. The test would then not show that
// the cache handles its changes.
func (p *pieced) varied() {
	changed := map[string]bool{}
	for path, values := range p.seen {
		if thing, field, _ := strings.Cut(path, "."); strings.HasPrefix(thing, "Block ") {
			changed[field] = changed[field] || len(values) > 1
		}
	}
	fixed := []string{"id", "_links", "base_type", "type", "created_at", "state", "source",
		"user.id", "user.type", "user.slug", "user.initials"}
	for _, field := range slices.Sorted(maps.Keys(changed)) {
		last := field[strings.LastIndexByte(field, '.')+1:]
		known := slices.Contains(fixed, field) || strings.HasPrefix(field, "source.") || strings.HasPrefix(field, "image") || strings.HasPrefix(field, "attachment") ||
			last == "id" || last == "connected_at" || last == "slug" || last == "initials" || last == "type"
		parts := func(other string) bool { return strings.HasPrefix(other, field+".") } // of fields that are sometimes null
		if !changed[field] && !known && !slices.ContainsFunc(slices.Collect(maps.Keys(changed)), parts) {
			p.t.Errorf("%s never changed", field)
		}
	}
}
