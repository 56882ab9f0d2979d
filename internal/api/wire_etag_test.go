package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// seen is a viewer's response from a path.
type seen struct{ tag, body string }

// view reads a path as a viewer. Hidden things have no tag.
func (w *world) view(who, path string) seen {
	w.T.Helper()
	res := w.Do(who, "GET", path, nil)
	if res.Status != http.StatusOK {
		return seen{}
	}
	return seen{res.Header.Get("ETag"), string(res.Body)}
}

// step is a change. Versions sometimes change without visible effect: spare are the paths whose tags may change although
// their bytes do not.
type step struct {
	name  string
	do    func()
	spare []string
}

// story returns a sequence of changes. Each of them changes a watched path for somebody, or for nobody in the steps
// named "no-op".
func (w *world) story(group domain.GroupID) []step {
	ada, bob, carol := w.Person("ada").ID, w.Person("bob").ID, w.Person("carol").ID
	do := func(as, method, path, body string) func() {
		return func() {
			w.T.Helper()
			if res := w.ask(as, touch{method, path, body}); res.Status/100 != 2 {
				w.T.Fatalf("%s %s %s: %d %s", method, path, body, res.Status, res.Body)
			}
		}
	}
	channel, block := at("/v3/channels/%d", w.closed), at("/v3/blocks/%d", w.block)
	connection, collaborators := at("/v3/connections/%d", w.connection), at("/ext/v1/channels/%d/collaborators", w.closed)
	users := []string{"/v3/users/ada", "/v3/me"}
	rename := func(table, set string, id any) func() {
		return func() {
			w.Exec("UPDATE "+table+" SET "+set+", version = version + 1, face_version = face_version + 1 WHERE id = $1", id)
			w.Exec("UPDATE search_documents SET digest = NULL") // to be indexed again
		}
	}
	return []step{
		{"owner, author and maker renamed", rename("users", "name = 'Ada Byron'", ada), nil},
		{"owner, author and maker gets a picture", rename("users", "avatar = 'https://vitrine.test/a.png'", ada), nil},
		{"tier", func() { w.must(w.S.App.Accounts.SetTier(w.T.Context(), domain.Ref{ID: int64(ada)}, domain.TierFree)) }, nil},
		{"collaborator added", do("ada", "POST", collaborators, at(`{"user_id":%d}`, bob)), nil},
		{"no-op: collaborator added again", do("ada", "POST", collaborators, at(`{"user_id":%d}`, bob)), nil},
		{"collaborator renamed", rename("users", "name = 'Robert'", bob), nil},
		{"group collaborates", do("ada", "POST", collaborators, at(`{"group_id":%d}`, group)), nil},
		{"collaborating group renamed", rename("groups", "name = 'The Crew'", group), nil},
		{"member joins the group", func() {
			storetest.In(w.T, w.S.Store, func(tx *store.Tx) error {
				_, err := tx.Membership().AddMember(w.T.Context(), group, carol, storetest.Now)
				return err
			})
		}, nil},
		{"collaborator removed", do("ada", "DELETE", at("%s/User/%d", collaborators, bob), ""), nil},
		{"no-op: collaborator removed again", do("ada", "DELETE", at("%s/User/%d", collaborators, bob), ""), nil},
		{"block added on top", func() { w.Block("ada", "More", w.closed) }, nil},
		{"block added below", do("ada", "POST", "/v3/blocks", at(`{"value":"x","channel_ids":[%d],"insert_at":1}`, w.closed)), nil},
		{"channel added", func() { w.connect("Channel", w.spare, w.closed) }, nil},
		{"private channel added", func() { w.connect("Channel", w.secret, w.closed) }, nil},
		{"no-op: the open block joins a private channel", func() { w.connect("Block", w.block, w.secret) }, nil},
		{"another moved below it", func() {
			do("ada", "POST", at("/v3/connections/%d/move", w.connectionOf(w.closed, 0)), `{"movement":"move_to_bottom"}`)()
		}, []string{channel}},
		{"moved itself", do("ada", "POST", connection+"/move", `{"movement":"move_to_top"}`), []string{channel}},
		{"no-op: moved up at the top", do("ada", "POST", connection+"/move", `{"movement":"move_up"}`), nil},
		{"another removed from below", func() {
			do("ada", "DELETE", at("/v3/connections/%d", w.connectionOf(w.closed, 1)), "")()
		}, nil},
		{"metadata of the connection", do("ada", "PUT", connection, `{"metadata":{"a":1}}`), nil},
		{"no-op: the same metadata", do("ada", "PUT", connection, `{"metadata":{"a":1}}`), nil},
		{"title of the channel", do("ada", "PUT", channel, `{"title":"Renamed"}`), nil},
		{"description of the channel", do("ada", "PUT", channel, `{"description":"*D*"}`), nil},
		{"metadata of the channel", do("ada", "PUT", channel, `{"metadata":{"a":"b"}}`), nil},
		{"title of the block", do("ada", "PUT", block, `{"title":"Titled"}`), nil},
		{"content of the block", do("ada", "PUT", block, `{"content":"Other"}`), nil},
		{"block leaves one of its open channels", do("ada", "DELETE", at("/v3/channels/%d", w.open), ""), []string{block}},
		{"channel opened", do("ada", "PUT", channel, `{"visibility":"public"}`), users},
		{"channel hidden, and its block with it", do("ada", "PUT", channel, `{"visibility":"private"}`), users},
		{"channel shown", do("ada", "PUT", channel, `{"visibility":"closed"}`), users},
		{"private channel made", func() { w.Channel("ada", "Own", "private") }, nil},
		{"open channel made", func() { w.Channel("ada", "Known", "closed") }, nil},
		{"notification", func() {
			storetest.Record(w.T, w.S.Store, domain.Activity{Kind: domain.FollowedUser, Actor: w.Person("bob").ID,
				Item: storetest.UserSubject(ada)}, ada)
		}, nil},
		{"no-op: use of tokens written", func() { w.must(0, w.S.App.Accounts.FlushUsage(w.T.Context())) }, nil},
		{"handed to a group", do("ada", "PUT", channel, at(`{"owner":{"id":%d,"type":"Group"}}`, group)), nil},
		{"owning group renamed", rename("groups", "name = 'Owners'", group), nil},
		{"block alone", do("ada", "DELETE", connection, ""), nil},
		{"channel deleted", do("ada", "DELETE", channel, ""), nil},
	}
}

func (w *world) must(_ any, err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// The ETag of a resource changes whenever the viewer's bytes change and, except for a step's spare paths, only then.
func TestETagsFollowTheBytes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		group := w.Group("Crew", "dan", "ada")
		viewers := []string{"", "ada", "ada/read", "bob", "carol"}
		paths := []string{at("/v3/channels/%d", w.closed), at("/v3/blocks/%d", w.block),
			at("/v3/connections/%d", w.connection), "/v3/users/ada", "/v3/users/bob", "/v3/me"}
		was := map[string]seen{}
		for _, path := range paths {
			for _, who := range viewers {
				was[who+path] = w.view(who, path)
			}
		}
		for _, s := range w.story(group) {
			s.do()
			changes := 0
			for _, path := range paths {
				for _, who := range viewers {
					before, now := was[who+path], w.view(who, path)
					was[who+path] = now
					same := before.body == now.body
					if !same {
						changes++
					}
					if !same && before.tag == now.tag || same && before.tag != now.tag && !slices.Contains(s.spare, path) {
						t.Errorf("%s: %q sees %s, %s -> %s:\n%s%s", s.name, who, path, before.tag, now.tag, before.body, now.body)
					}
					if before.tag != "" && now.tag != "" {
						w.revalidate(t, who, path, before, now)
					}
				}
			}
			if noop := strings.HasPrefix(s.name, "no-op"); noop != (changes == 0) {
				t.Errorf("%s: %d things look different", s.name, changes)
			}
			w.distinct(t, s.name, was, viewers, paths)
		}
	})
}

// revalidate sends the previous tag: 304 while the bytes are the same.
func (w *world) revalidate(t *testing.T, who, path string, before, now seen) {
	t.Helper()
	res := w.Do(who, "GET", path, nil, "If-None-Match", before.tag)
	want := http.StatusOK
	if before.tag == now.tag {
		want = http.StatusNotModified
	}
	if res.Status != want || res.Header.Get("ETag") != now.tag || want == http.StatusNotModified && len(res.Body) > 0 {
		t.Errorf("%s of %q with %s: %d %s, want %d %s", path, who, before.tag, res.Status, res.Header.Get("ETag"), want, now.tag)
	}
}

// distinct fails if two viewers of different bytes share a tag.
func (w *world) distinct(t *testing.T, name string, all map[string]seen, viewers, paths []string) {
	t.Helper()
	for _, path := range paths {
		for _, one := range viewers {
			for _, other := range viewers {
				a, b := all[one+path], all[other+path]
				if a.tag != "" && a.tag == b.tag && a.body != b.body {
					t.Errorf("%s: %s: %q and %q share %s:\n%s%s", name, path, one, other, a.tag, a.body, b.body)
				}
			}
		}
	}
}
