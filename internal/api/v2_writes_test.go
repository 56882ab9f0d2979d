package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// v2Forms are the forms in which clients send the parameters of a write.
var v2Forms = map[string]func(r *apptest.Rig, as, method, path string, parameters url.Values) *apptest.Response{
	"form": func(r *apptest.Rig, as, method, path string, parameters url.Values) *apptest.Response {
		return form(r, as, method, path, parameters.Encode())
	},
	"query": func(r *apptest.Rig, as, method, path string, parameters url.Values) *apptest.Response {
		return r.Do(as, method, path+"?"+parameters.Encode(), nil)
	},
	"query with an empty JSON": func(r *apptest.Rig, as, method, path string, parameters url.Values) *apptest.Response {
		return r.Do(as, method, path+"?"+parameters.Encode(), "", "Content-Type", "application/json")
	},
	"JSON": func(r *apptest.Rig, as, method, path string, parameters url.Values) *apptest.Response {
		body := map[string]any{}
		for name, all := range parameters {
			if body[name] = all[0]; strings.HasSuffix(name, "[]") {
				body[name] = all
			}
		}
		return r.Do(as, method, path, body)
	},
	"JSON without a type": func(r *apptest.Rig, as, method, path string, parameters url.Values) *apptest.Response {
		body := map[string]any{}
		for name, all := range parameters {
			if plain, listed := strings.CutSuffix(name, "[]"); listed {
				body[plain] = all
			} else {
				body[name] = all[0]
			}
		}
		req := r.Request(as, method, path, body)
		req.Header.Del("Content-Type")
		return r.Send(req)
	},
}

// Writes accept parameters in all forms, and numbers as text.
func TestV2WritesInAllForms(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		bob := fmt.Sprint(r.Person("bob").ID)
		for i := range 20 { // so that no block has the same id as a channel
			r.Channel("ada", fmt.Sprint("Shelf ", i), "closed")
		}
		for name, send := range v2Forms {
			do := func(status int, method, path string, parameters ...string) *apptest.Response {
				t.Helper()
				values := url.Values{}
				for i := 0; i < len(parameters); i += 2 {
					values.Add(parameters[i], parameters[i+1])
				}
				res := send(r, "ada", method, "/v2/"+path, values)
				if res.Status != status || (status == 204) != (len(res.Body) == 0) {
					t.Fatalf("%s: %s %s: %d, want %d: %s", name, method, path, res.Status, status, res.Body)
				}
				return res
			}
			title := "Größe & Maß + " + name
			made := do(200, "POST", "channels", "title", title, "status", "closed", "description", "*words*")
			id, channel := made.Int("id"), fmt.Sprint("channels/", made.Int("id"))
			if made.Str("title") != title || made.Str("status") != "closed" || made.Str("metadata.description") != "*words*" ||
				made.Int("length") != 0 || made.Get("contents") != nil || made.Str("class") != "Channel" {
				t.Errorf("%s: made %s", name, made.Body)
			}
			text := do(200, "POST", channel+"/blocks", "content", "ä\nb", "title", "One", "description", "D")
			link := do(200, "POST", channel+"/blocks", "source", "https://www.example.org/a?b=c&d=e", "position", "1")
			if text.Str("content") != "ä\nb" || text.Str("title") != "One" || text.Int("position") != 1 || text.Bool("selected") ||
				text.Str("connected_by_user_slug") != "ada" || link.Int("position") != 1 || link.Str("source.url") != "https://www.example.org/a?b=c&d=e" {
				t.Errorf("%s: %s\n%s", name, text.Body, link.Body)
			}
			a, b := text.Int("id"), link.Int("id")
			inOrder(t, name, r, "ada", id, b, a)
			inner := do(200, "POST", "channels", "title", "Inner "+name).Int("id")
			connected := do(200, "POST", channel+"/connections", "connectable_type", "Channel", "connectable_id", fmt.Sprint(inner))
			if connected.Int("id") != inner || connected.Int("position") != 3 || connected.Get("contents") != nil {
				t.Errorf("%s: connected %s", name, connected.Body)
			}
			do(200, "POST", channel+"/connections", "connectable_type", "Channel", "connectable_id", fmt.Sprint(inner), "channel_id", fmt.Sprint(id))
			do(204, "PUT", channel+"/sort", "ids[]", fmt.Sprint(a), "ids[]", fmt.Sprint(inner), "ids[]", fmt.Sprint(b))
			inOrder(t, name+", sorted", r, "ada", id, a, inner, b)
			for _, serialized := range []string{"[%d,%d,%d]", `["%d","%d","%d"]`, "%d,%d,%d", " [ %d , %d , %d ] "} {
				do(204, "PUT", channel+"/sort", "ids", fmt.Sprintf(serialized, b, inner, a))
				inOrder(t, name+", sorted by "+serialized, r, "ada", id, b, inner, a)
				do(204, "PUT", channel+"/sort", "ids", fmt.Sprintf(serialized, inner, b, a))
				inOrder(t, name+", sorted by "+serialized, r, "ada", id, inner, b, a)
			}
			do(204, "PUT", channel+"/sort", "ids[]", fmt.Sprint(a), "ids[]", fmt.Sprint(inner)) // the others stay
			inOrder(t, name+", two sorted", r, "ada", id, a, b, inner)
			do(204, "PUT", channel+"/sort", "connectable_type", "Channel", "connectable_id", fmt.Sprint(inner), "new_position", "1")
			inOrder(t, name+", moved", r, "ada", id, inner, a, b)
			do(204, "PUT", channel+"/sort", "connectable_type", "Channel", "connectable_id", fmt.Sprint(inner), "new_position", "99")
			inOrder(t, name+", moved to the top", r, "ada", id, a, b, inner)

			people := do(200, "POST", channel+"/collaborators", "ids[]", bob)
			if people.Str("users.0.slug") != "bob" || people.Str("collaborators.0.slug") != "bob" || people.Int("length") != 1 {
				t.Errorf("%s: %s", name, people.Body)
			}
			if left := do(200, "DELETE", channel+"/collaborators", "ids[]", bob); left.Len("users") != 0 || left.Int("length") != 0 {
				t.Errorf("%s: left %s", name, left.Body)
			}
			do(204, "PUT", fmt.Sprint("blocks/", a), "title", "Two", "content", "c")
			if got := r.Get("", "/v2/blocks/%d", a); got.Str("title") != "Two" || got.Str("content") != "c" || got.Str("description") != "D" {
				t.Errorf("%s: %s", name, got.Body)
			}
			comment := do(200, "POST", fmt.Sprintf("blocks/%d/comments", a), "body", "Öh, @bob").Int("id")
			do(204, "PUT", fmt.Sprintf("blocks/%d/comments/%d", a, comment), "body", "Ah")
			if got := r.Get("", "/v2/blocks/%d/comments", a); got.Str("comments.0.body") != "Ah" || got.Int("length") != 1 {
				t.Errorf("%s: %s", name, got.Body)
			}
			do(204, "DELETE", fmt.Sprintf("blocks/%d/comments/%d", a, comment))
			if changed := do(200, "PUT", channel, "title", "Other "+name); changed.Str("title") != "Other "+name || changed.Str("status") != "closed" ||
				changed.Str("metadata.description") != "*words*" {
				t.Errorf("%s: changed %s", name, changed.Body)
			}
			do(204, "DELETE", fmt.Sprintf("channel/%d/blocks/%d", id, a))
			inOrder(t, name+", one less", r, "ada", id, b, inner)
			do(204, "DELETE", channel)
			r.Do("ada", "GET", "/v2/"+channel, nil).Want(404)
			r.Get("ada", "/v2/blocks/%d", a) // content stays
		}
	})
}

// Parameters in the body take precedence over others, and the last of repeated ones counts.
func TestV2ParametersInManyPlaces(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for want, res := range map[string]*apptest.Response{
		"body":  r.Do("ada", "POST", "/v2/channels?title=query&status=closed", `{"title":"body"}`),
		"form":  form(r, "ada", "POST", "/v2/channels?title=query&status=closed", "title=form"),
		"last":  form(r, "ada", "POST", "/v2/channels?status=closed", "title=first&title=last"),
		"twice": r.Do("ada", "POST", "/v2/channels?status=closed", `{"title":"once","title":"twice"}`),
	} {
		if res.Status != 200 || res.Str("title") != want || res.Str("status") != "closed" {
			t.Errorf("%s: %d %s", want, res.Status, res.Body)
		}
	}
}

// Collaborators are added, set and removed. Groups are not affected.
func TestV2Collaborators(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		path := at("/v2/channels/%d/collaborators", w.closed)
		ids := func(names ...string) string {
			all := make([]string, len(names))
			for i, name := range names {
				all[i] = at("%d", w.Person(name).ID)
			}
			return `{"ids":[` + strings.Join(all, ",") + `]}`
		}
		w.Do("ada", "POST", at("/ext/v1/channels/%d/collaborators", w.closed), at(`{"group_id":%d}`, w.Group("Crew", "cy", "dee"))).Want(201)
		for _, step := range []struct {
			method, body string
			want         []string
		}{
			{"POST", ids("bob"), []string{"bob"}}, {"POST", ids("bob", "cy", "bob"), []string{"bob", "cy"}},
			{"DELETE", ids("bob"), []string{"cy"}}, {"DELETE", ids("bob", "eve"), []string{"cy"}}, // not a collaborator
			{"PUT", ids("dee", "bob"), []string{"bob", "dee"}}, {"PUT", ids("dee"), []string{"dee"}}, {"PUT", ids(), nil},
			{"POST", ids("cy"), []string{"cy"}}, {"DELETE", ids("cy"), nil},
		} {
			res := w.Do("ada", step.method, path, step.body).Want(200)
			again := w.Get("", "%s", path)
			for _, res := range []*apptest.Response{res, again} {
				var got []string
				for i := range res.Len("users") {
					got = append(got, res.Str(at("users.%d.slug", i)))
				}
				slices.Sort(got)
				if !slices.Equal(got, step.want) || res.Int("length") != int64(len(step.want)) {
					t.Errorf("%s %s: %s, want %s", step.method, step.body, res.Body, step.want)
				}
			}
		}
		if n := w.Get("ada", "/ext/v1/channels/%d/collaborators", w.closed).Len("data"); n != 1 {
			t.Errorf("%d collaborators are left, want the group", n)
		}
		// A person who leaves a private channel gets a response, although the channel is hidden from them afterwards.
		w.Do("ada", "POST", at("/v2/channels/%d/collaborators", w.secret), ids("bob", "cy")).Want(200)
		left := w.Do("bob", "DELETE", at("/v2/channels/%d/collaborators", w.secret), ids("bob")).Want(200)
		if left.Len("users") != 1 || left.Str("users.0.slug") != "cy" {
			t.Errorf("left: %s", left.Body)
		}
		w.Do("bob", "GET", at("/v2/channels/%d", w.secret), nil).Want(404)
	})
}

// Selecting toggles, by block or by connection, and corresponds to version 3's pin.
func TestV2Selection(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		byBlock, byConnection := at("/v2/channels/closed/blocks/%d/selection", w.block), at("/v2/connections/%d/selection", w.connection)
		for i, path := range []string{byBlock, byConnection, byConnection, byBlock, "//channel//closed/blocks/"} {
			if i == 4 {
				path = at("/v2/channel/closed/blocks/%d/selection/", w.block)
			}
			want := i%2 == 0
			res := w.Do("ada", "PUT", path, nil).Want(200)
			shown := w.Get("", "/v2/channels/closed/contents")
			pinned := w.Get("", "/v3/connections/%d", w.connection)
			if res.Bool("selected") != want || res.Int("connection_id") != w.connection || res.Int("id") != w.block || shown.Bool("contents.0.selected") != want ||
				pinned.Bool("pinned") != want {
				t.Errorf("%d: %s\n%s\n%s", i, res.Body, shown.Body, pinned.Body)
			}
		}
		channel := w.Do("ada", "PUT", at("/v2/connections/%d/selection", w.channelConnection), `{}`).Want(200)
		if !channel.Bool("selected") || channel.Str("base_class") != "Channel" || channel.Int("id") != w.spare {
			t.Errorf("a channel: %s", channel.Body)
		}
	})
}

// Following and reading notifications respond as in version 2, any number of times.
func TestV2Follows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, of := range []string{"channel/closed", "users/ada"} {
			for range 2 {
				if res := w.Do("bob", "POST", "/v2/"+of+"/follow", nil).Want(200); string(res.Body) != "{}" {
					t.Errorf("followed: %s", res.Body)
				}
				if got := w.Get("", "/v2/%s/followers", of); got.Int("length") != 1 || got.Str("users.0.slug") != "bob" {
					t.Errorf("%s: %s", of, got.Body)
				}
			}
			for range 2 {
				w.Do("bob", "DELETE", "/v2/"+of+"/follow", nil).Want(204)
				if got := w.Get("", "/v2/%s/followers", of); got.Int("length") != 0 {
					t.Errorf("%s: %s", of, got.Body)
				}
			}
		}
		w.Do("bob", "POST", at("/v2/blocks/%d/comments", w.block), `{"body":"@ada, look"}`).Want(200)
		if n := w.Get("ada", "/v2/notifications/unread_count").Int("unread_count"); n < 1 {
			t.Errorf("%d unread", n)
		}
		w.Do("ada", "POST", "/v2/notifications/clear", nil).Want(200)
		if n := w.Get("ada", "/v2/notifications/unread_count").Int("unread_count"); n != 0 {
			t.Errorf("%d unread after all are", n)
		}
	})
}

// The positions of mentions count characters after any text.
func TestV2Comments(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		path := at("/v2/blocks/%d/comments", w.block)
		for _, body := range []string{"@ada", "Ähm, @ada, 漢字 @bob!", "🪴🪴 @bob", "e\u0301 @ada\n\n@bob und @niemand", "nobody", "**@ada**"} {
			made := w.Do("bob", "POST", path, map[string]any{"body": body}).Want(200)
			shown := w.Get("", "%s?per=100", path)
			last := shown.Len("comments") - 1
			if made.Str("body") != body || made.Int("commentable_id") != w.block || made.Get("deleted") != false || made.Str("base_class") != "Comment" {
				t.Errorf("%s", made.Body)
			}
			if got, want := fmt.Sprint(shown.Get(at("comments.%d.entities", last))), fmt.Sprint(made.Get("entities")); got != want {
				t.Errorf("%q: %s, want %s", body, got, want)
			}
			want := strings.Count(body, "@ada") + strings.Count(body, "@bob")
			if made.Len("entities") != want {
				t.Errorf("%q has %s", body, made.Body)
			}
			for i := range made.Len("entities") {
				of, runes := at("entities.%d.", i), []rune(body)
				if got := string(runes[made.Int(of+"start"):made.Int(of+"end")]); got != "@"+made.Str(of+"user_slug") {
					t.Errorf("%q: %d characters, entity %d is %q", body, utf8.RuneCountInString(body), i, got)
				}
			}
		}
		id := w.Do("bob", "POST", path, `{"body":"mine"}`).Want(200).Int("id")
		for _, method := range []string{"PUT", "DELETE"} {
			refusedV2(t, method+" of another", w.Do("cy", method, at("%s/%d", path, id), `{"body":"x"}`), 401, v2Unauthorized)
		}
		w.Do("bob", "DELETE", at("%s/%d", path, id), `{"body":"x"}`).Want(204)
		refusedV2(t, "again", w.Do("bob", "DELETE", at("%s/%d", path, id), nil), 404, v2NotFound)
	})
}

// If a block and a channel have the same id, an order contains it twice: the block first.
func TestV2SortsWhatHasOneID(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Mixed", "closed")
		other := r.Channel("ada", "Other", "closed")
		r.Block("ada", "First", channel)
		block := r.Block("ada", "Second", channel)
		if block != other {
			t.Fatalf("block %d and channel %d have not one id", block, other)
		}
		r.Connect("ada", "Channel", other, channel)
		r.Do("ada", "PUT", at("/v2/channels/%d/sort", channel), at(`{"ids":[%d,1,%d]}`, block, other)).Want(204)
		inOrder(t, "sorted", r, "ada", channel, block, 1, other)
		if got := r.Get("", "/v2/channels/%d/contents", channel); got.Str("contents.0.base_class") != "Block" || got.Str("contents.2.base_class") != "Channel" {
			t.Errorf("sorted: %s", got.Body)
		}
		refusedV2(t, "three times", r.Do("ada", "PUT", at("/v2/channels/%d/sort", channel), at(`{"ids":[%d,%d,%d]}`, block, block, block)), 400,
			"ids: must name each item once")
	})
}

// More items than a page has can be sorted at once.
func TestV2SortsMany(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Long", "closed")
		order := make([]int64, 300)
		storetest.In(t, r.S.Store, func(tx *store.Tx) (err error) {
			m := maker{t.Context(), tx, r.Person("ada").ID, "", &err}
			for i := range order {
				block := m.block()
				m.connect(domain.ChannelID(channel), domain.BlockRef(block))
				order[len(order)-1-i] = int64(block)
			}
			return err
		})
		r.Do("ada", "PUT", at("/v2/channels/%d/sort", channel), map[string]any{"ids": order}).Want(204)
		inOrder(t, "sorted", r, "ada", channel, order[:100]...)
	})
}
