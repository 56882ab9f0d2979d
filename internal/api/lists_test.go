package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/apptest"
)

// parts reads a list to its end, limit items at a time, and returns the items as "Type id". between runs after each part.
func parts(r *apptest.Rig, as, path string, limit int, between func()) (all []string) {
	r.T.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for cursor := ""; ; {
		address := fmt.Sprintf("%s%slimit=%d", path, separator, limit)
		if cursor != "" {
			address += "&cursor=" + url.QueryEscape(cursor)
		}
		res := r.Get(as, "%s", address)
		all = append(all, typed(res)...)
		if res.Get("next_cursor") == nil {
			return all
		}
		cursor = res.Str("next_cursor")
		between()
	}
}

// TestListsByCursor: every list returns what the list in pages does, in parts of any length.
func TestListsByCursor(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		open, secret, shared := r.Channel("ada", "Open", "closed"), r.Channel("ada", "Secret", "private"), r.Channel("ben", "Shared", "public")
		group := r.Group("Team", "ada")
		item := r.Block("ada", "moss on a stone", open)
		for i := range 4 {
			r.Block("ada", fmt.Sprint("moss ", i), open)
			r.Block("ada", fmt.Sprint("lichen ", i), secret)
			r.Do("ben", "POST", fmt.Sprintf("/v3/blocks/%d/comments", item), map[string]any{"body": fmt.Sprint("Comment ", i)}).Want(201)
		}
		r.Connect("ada", "Channel", secret, open)
		r.Connect("ada", "Channel", secret, shared)
		r.Connect("ada", "Channel", open, shared)
		r.Connect("ada", "Block", item, shared)
		r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Of the group", "owner": map[string]any{"type": "Group", "id": group}}).Want(201)
		for _, who := range []string{"ben", "cem"} {
			r.Do(who, "PUT", fmt.Sprintf("/ext/v1/channels/%d/follow", open), nil)
			r.Do(who, "PUT", "/ext/v1/users/ada/follow", nil)
			r.Do(who, "PUT", fmt.Sprintf("/ext/v1/groups/%d/follow", group), nil)
		}
		r.Do("ada", "PUT", fmt.Sprintf("/ext/v1/channels/%d/follow", secret), nil)
		r.Do("ada", "PUT", "/ext/v1/users/cem/follow", nil)
		r.Group("Another", "ada")
		for list, pages := range map[string]string{
			at("channels/%d/contents?sort=position_desc", open):  at("/v3/channels/%d/contents?sort=position_desc", open),
			at("channels/%d/contents?sort=position_asc", open):   at("/v3/channels/%d/contents?sort=position_asc", open),
			at("channels/%d/contents?sort=created_at_asc", open): at("/v3/channels/%d/contents?sort=created_at_asc", open),
			at("channels/%d/connections?", open):                 at("/v3/channels/%d/connections?sort=created_at_desc", open),
			at("channels/%d/followers?", open):                   at("/v3/channels/%d/followers?sort=created_at_desc", open),
			at("blocks/%d/connections?", item):                   at("/v3/blocks/%d/connections?sort=created_at_desc", item),
			at("blocks/%d/comments?", item):                      at("/v3/blocks/%d/comments?", item),
			"users/ada/contents?":                                "/v3/users/ada/contents?sort=created_at_desc",
			"users/ada/contents?type=Channel":                    "/v3/users/ada/contents?sort=created_at_desc&type=Channel",
			"users/ada/followers?sort=created_at_asc":            "/v3/users/ada/followers?sort=created_at_asc",
			at("groups/%d/contents?", int64(group)):              at("/v3/groups/%d/contents?sort=created_at_desc", int64(group)),
			at("groups/%d/followers?", int64(group)):             at("/v3/groups/%d/followers?sort=created_at_desc", int64(group)),
			"users/ben/following?":                               "/v3/users/ben/following?sort=created_at_desc",
			"users/ben/following?type=Group&sort=created_at_asc": "/v3/users/ben/following?sort=created_at_asc&type=Group",
			"users/ada/following?":                               "/v3/users/ada/following?",
			"users/ada/groups?sort=created_at_asc":               "/v3/users/ada/groups?sort=created_at_asc",
			at("groups/%d/members?", int64(group)):               at("/v3/groups/%d/members?", int64(group)),
			"users?sort=created_at_asc":                          "/ext/v1/search?type=User&sort=created_at_asc",
			"search?query=moss":                                  "/ext/v1/search?query=moss&sort=created_at_desc",
			"search?query=moss&type=Text&sort=created_at_asc":    "/ext/v1/search?query=moss&type=Text&sort=created_at_asc",
			"search?": "/ext/v1/search?sort=created_at_desc",
		} {
			for _, who := range []string{"ada", "ben", ""} {
				want := typed(r.Get(who, "%s&per=100", pages))
				for _, limit := range []int{1, 3, 100} {
					if got := parts(r, who, "/ext/v1/lists/"+list, limit, func() {}); !slices.Equal(got, want) {
						t.Errorf("%q: %s by %d: %v, want %v", who, list, limit, got, want)
					}
				}
			}
		}
	})
}

// TestMembersByCursor: members have their roles, in the order of joining, and the fields of a selection.
func TestMembersByCursor(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Team", "ada", "ben", "cem")
		path := at("/ext/v1/lists/groups/%d/members", int64(group))
		res := r.Get("", "%s?sort=created_at_asc&limit=2", path)
		if res.Str("data.0.role") != "owner" || res.Str("data.1.role") != "member" || res.Get("data.0.counts") == nil || res.Str("data.0.web_url") == "" {
			t.Errorf("%s", res.Body)
		}
		if got := string(r.Get("", "%s?sort=created_at_asc&limit=1&fields=slug,role", path).Body); !strings.HasPrefix(got, `{"data":[{"slug":"ada","role":"owner"}]`) {
			t.Error(got)
		}
		for bad, name := range map[string]string{"/ext/v1/lists/users/ada/following?type=Block": "type", "/ext/v1/lists/users/ada/following?type=": "type",
			path + "?cursor=" + r.Get("", "/ext/v1/lists/users?limit=1").Str("next_cursor"): "cursor", path + "?sort=name_asc": "sort"} {
			if res := r.Do("", "GET", bad, nil).Want(400); !strings.Contains(res.Str("details.message"), name) {
				t.Errorf("%s: %s", bad, res.Body)
			}
		}
		r.Do("", "GET", "/ext/v1/lists/groups/999/members", nil).Want(404)
		r.Do("", "GET", "/ext/v1/lists/users/nobody/following", nil).Want(404)
	})
}

// TestPeopleWhileOthersWrite: who stays is in each list exactly once, while others follow, unfollow, join and leave.
func TestPeopleWhileOthersWrite(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		const stable = 9
		names := []string{"ada"}
		var stay []string
		for i := range stable {
			names = append(names, fmt.Sprint("stays", i))
			r.Person(names[i+1])
		}
		moving := []string{"mover0", "mover1", "mover2"}
		for _, name := range moving {
			r.Person(name)
		}
		group := r.Group("Team", append(names, moving...)...)
		code := r.Do("ada", "POST", fmt.Sprintf("/v3/groups/%d/invite", group), nil).Str("code")
		for _, name := range names[1:] {
			stay = append(stay, fmt.Sprint("User ", r.Person(name).ID))
			r.Do(name, "PUT", "/ext/v1/users/ada/follow", nil).Want(200)
			r.Do("ada", "PUT", "/ext/v1/users/"+name+"/follow", nil).Want(200)
		}
		stop := make(chan struct{})
		var writers sync.WaitGroup
		for _, name := range moving {
			writers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					r.Do(name, "PUT", "/ext/v1/users/ada/follow", nil)
					r.Do("ada", "PUT", "/ext/v1/users/"+name+"/follow", nil)
					r.Do(name, "DELETE", fmt.Sprintf("/v3/groups/%d/members/me", group), nil)
					r.Do(name, "POST", fmt.Sprintf("/v3/groups/%d/members", group), map[string]any{"invite_token": code})
					r.Do(name, "DELETE", "/ext/v1/users/ada/follow", nil)
					r.Do("ada", "DELETE", "/ext/v1/users/"+name+"/follow", nil)
				}
			})
		}
		for _, list := range []string{"users/ada/following", "users/ada/followers", at("groups/%d/members", int64(group))} {
			for _, sort := range []string{"created_at_asc", "created_at_desc"} {
				var got []string
				for _, item := range parts(r, "cem", "/ext/v1/lists/"+list+"?sort="+sort, 2, func() {}) {
					if slices.Contains(stay, item) {
						got = append(got, item)
					}
				}
				want := slices.Clone(stay)
				if sort == "created_at_desc" {
					slices.Reverse(want)
				}
				if strings.Contains(list, "members") { // they joined at once
					slices.Sort(got)
					slices.Sort(want)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s by %s: %v, want %v", list, sort, got, want)
				}
			}
		}
		close(stop)
		writers.Wait()
	})
}

// TestCursorsOfLists: a cursor only continues the list and the order that it belongs to.
func TestCursorsOfLists(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		one, two := r.Channel("ada", "One", "closed"), r.Channel("ada", "Two", "closed")
		for i := range 3 {
			r.Block("ada", fmt.Sprint("Block ", i), one, two)
		}
		path := at("/ext/v1/lists/channels/%d/contents", one)
		cursor := r.Get("ada", "%s?limit=1", path).Str("next_cursor")
		if res := r.Get("ben", "%s?limit=2&cursor=%s", path, cursor); res.Len("data") != 2 {
			t.Errorf("another limit: %s", res.Body)
		}
		altered := []byte(cursor)
		altered[3] ^= 1
		changes := r.Get("ada", "/ext/v1/changes").Str("cursor")
		for _, bad := range []string{
			path + "?cursor=" + string(altered), path + "?cursor=" + cursor[:20], path + "?cursor=%00", path + "?cursor=%FF", path + "?cursor=" + changes,
			path + "?cursor=" + strings.Repeat("A", 601), path + "?sort=position_asc&cursor=" + cursor, path + "?sort=created_at_desc&cursor=" + cursor,
			at("/ext/v1/lists/channels/%d/contents?cursor=", two) + cursor, "/ext/v1/lists/search?cursor=" + cursor, path + "?limit=0", path + "?limit=101",
			path + "?sort=updated_at_desc",
		} {
			if res := r.Do("ada", "GET", bad, nil).Want(400); !strings.Contains(res.Str("details.message"), "cursor") &&
				!strings.Contains(res.Str("details.message"), "limit") && !strings.Contains(res.Str("details.message"), "sort") {
				t.Errorf("%s: %s does not name the field", bad, res.Body)
			}
		}
		search := r.Get("ada", "/ext/v1/lists/search?limit=1&type=Text").Str("next_cursor")
		r.Do("ada", "GET", "/ext/v1/lists/search?limit=1&cursor="+search, nil).Want(400)
	})
}

// TestListsWhileOthersWrite: what stays where it is appears exactly once in a list, while others insert, move, remove and
// connect, also after keys were spread again.
func TestListsWhileOthersWrite(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		const stable = 24
		channel := r.Channel("ada", "Busy", "public")
		var stay, loose []string
		for i := range stable {
			stay = append(stay, fmt.Sprint("Text ", r.Block("ada", fmt.Sprint("stays ", i), channel)))
			if i%4 == 0 {
				loose = append(loose, fmt.Sprint(r.Block("ben", fmt.Sprint("moves ", i), channel)))
			}
		}
		connections := r.Get("ada", "/v3/channels/%d/contents?per=100&sort=position_asc", channel)
		var moving []int64
		for i := range connections.Len("data") {
			if slices.Contains(loose, fmt.Sprint(connections.Int(fmt.Sprintf("data.%d.id", i)))) {
				moving = append(moving, connections.Int(fmt.Sprintf("data.%d.connection.id", i)))
			}
		}
		many := make([]operation, 34) // a few more at this place then make the server spread keys
		for i := range many {
			many[i] = post("/v3/blocks", operation{"value": "moss", "channel_ids": []int64{channel}, "insert_at": 12})
		}
		r.Do("ada", "POST", "/ext/v1/bulk", bulk(many...)).Want(200)
		stop := make(chan struct{})
		var writers sync.WaitGroup
		for w := range 3 {
			writers.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					switch w {
					case 0: // at one place, which spreads keys
						r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "moss", "channel_ids": []int64{channel}, "insert_at": 12})
					case 1:
						r.Do("ada", "POST", fmt.Sprintf("/v3/connections/%d/move", moving[n%len(moving)]), map[string]any{"movement": "insert_at", "position": 1 + n*7%30})
					case 2:
						made := r.Do("ben", "POST", "/v3/blocks", map[string]any{"value": "lichen", "channel_ids": []int64{channel}, "insert_at": 14})
						if made.Status == 201 {
							r.Do("ben", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", made.Int("id")), nil)
						}
					}
				}
			})
		}
		only := func(all []string) []string {
			return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !slices.Contains(stay, s) })
		}
		reversed := slices.Clone(stay)
		slices.Reverse(reversed)
		for _, sort := range []string{"position_asc", "position_desc", "created_at_desc"} {
			want := reversed
			if strings.HasSuffix(sort, "asc") {
				want = stay
			}
			if got := only(parts(r, "ada", fmt.Sprintf("/ext/v1/lists/channels/%d/contents?sort=%s", channel, sort), 5, func() {})); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", sort, got, want)
			}
		}
		if got := only(parts(r, "ada", "/ext/v1/lists/search?query=stays", 5, func() {})); !slices.Equal(got, reversed) {
			t.Errorf("search: %v, want %v", got, reversed)
		}
		if got := only(parts(r, "cem", "/ext/v1/lists/users/ada/contents", 5, func() {})); !slices.Equal(got, reversed) {
			t.Errorf("contents of a user: %v, want %v", got, reversed)
		}
		close(stop)
		writers.Wait()
	})
}

// TestCursorAfterSpreading: a cursor finds its place after keys were spread, by the last item that is still there.
func TestCursorAfterSpreading(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Spread", "closed")
		var all []int64
		for i := range 14 {
			all = append(all, r.Block("ada", fmt.Sprint("Block ", i), channel))
		}
		path := at("/ext/v1/lists/channels/%d/contents?sort=position_asc&limit=10", channel)
		cursor := r.Get("ada", "%s", path).Str("next_cursor")
		remove := func(block int64) {
			r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/channels/%d/blocks/%d", channel, block), nil).Want(204)
		}
		remove(all[9])
		remove(all[8])
		remove(all[7])
		// As after many insertions at one place.
		r.Exec(`UPDATE connections SET position_key = position_key + 5000000000000 WHERE channel_id = $1`, channel)
		r.Exec(`UPDATE order_nodes SET first_key = first_key + 5000000000000 WHERE channel_id = $1 AND sort = 0 AND first_key > -9223372036854775807`, channel)
		r.Exec(`UPDATE channels SET key_spreads = key_spreads + 1 WHERE id = $1`, channel)
		if got := r.Get("ada", "%s&cursor=%s", path, cursor).Ints("data", "id"); !slices.Equal(got, all[10:]) {
			t.Errorf("%v, want %v", got, all[10:])
		}
		for _, block := range all[2:7] {
			remove(block)
		}
		if res := r.Do("ada", "GET", path+"&cursor="+cursor, nil).Want(410); !strings.Contains(res.Str("details.message"), "cursor") {
			t.Errorf("%s", res.Body)
		}
	})
}

// TestFieldsAndExpand: responses contain the selected fields and expansions, without anything that the viewer cannot see.
func TestFieldsAndExpand(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		open, secret := r.Channel("ada", "Open", "closed"), r.Channel("ada", "Secret", "private")
		block := r.Block("ada", "moss", open, secret)
		r.Connect("ada", "Channel", secret, open)
		list := at("/ext/v1/lists/channels/%d/contents", open)
		res := r.Get("ben", "%s?fields=id,user.slug,metadata.year,_links.self&limit=1", list)
		if got := fmt.Sprint(res.Get("data.0")); res.Str("data.0.user.slug") != "ada" || strings.Contains(got, "title") || strings.Contains(got, "name:") {
			t.Errorf("fields: %s", res.Body)
		}
		for bad, name := range map[string]string{"fields=nothing": "nothing", "fields=id,user.nothing": "user.nothing", "fields=id.x": "id.x", "fields=,": `""`,
			"fields=" + strings.Repeat("id,", 50) + "id": "50", "expand=everything": "everything", "expand=user,channels.owner": "channels.owner",
			"fields=%00": "fields"} {
			res := r.Do("ben", "GET", list+"?"+bad, nil)
			if res.Status != 422 && res.Status != 400 || !strings.Contains(res.Str("details.message"), name) {
				t.Errorf("%s: %d %s", bad, res.Status, res.Body)
			}
		}
		for who, count := range map[string]int{"ada": 2, "ben": 1} {
			res := r.Get(who, "/ext/v1/blocks/%d?expand=channels,user&fields=id,channels.title,channels.web_url,user.counts", block)
			_, whole := res.Lookup("channels.0.id")
			if res.Len("channels") != count || res.Get("user.counts.channels") == nil || whole {
				t.Errorf("%s: %s", who, res.Body)
			}
			shown := r.Get(who, "/ext/v1/channels/%d?expand=contents,owner", open)
			if shown.Len("contents") != count || shown.Get("owner.counts.channels") == nil || shown.Int("contents.0.connection.position") == 0 {
				t.Errorf("%s: %s", who, shown.Body)
			}
		}
		r.Get("ben", "/ext/v1/users/ada?fields=id,name")
		r.Get("ben", "/ext/v1/lists/search?query=moss&expand=channels,user,contents,owner")
		r.Do("ben", "GET", fmt.Sprintf("/ext/v1/channels/%d?expand=contents", secret), nil).Want(404)
	})
}
