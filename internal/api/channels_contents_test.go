package api_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// shelf is a public channel of Ada's with three blocks and three channels. From the bottom: alpha, beta (Ben's), a
// private channel of Cleo's, gamma, an open channel of Ben's, a private channel of Ada's. They were connected in a
// second order and changed in a third.
type shelf struct {
	channel int64
	item    map[string]int64
}

func newShelf(r *apptest.Rig) shelf {
	r.T.Helper()
	s := shelf{r.Channel("ada", "Shelf", "public"), map[string]int64{}}
	s.item["ada's"] = r.Channel("ada", "Ada's", "private")
	s.item["ben's"] = r.Channel("ben", "Ben's", "closed")
	s.item["cleo's"] = r.Channel("cleo", "Cleo's", "private")
	for _, add := range []struct {
		as, name, kind string
		position       int
	}{
		{"ada", "gamma", "Block", 1}, {"ben", "ben's", "Channel", 2}, {"cleo", "cleo's", "Channel", 1},
		{"ada", "ada's", "Channel", 4}, {"ben", "beta", "Block", 1}, {"ada", "alpha", "Block", 1},
	} {
		r.Clock.Advance(time.Second)
		if add.kind == "Channel" {
			r.Do(add.as, "POST", "/v3/connections", map[string]any{"connectable_type": "Channel",
				"connectable_id": s.item[add.name], "channel_ids": []int64{s.channel}, "position": add.position}).Want(201)
			continue
		}
		s.item[add.name] = r.Do(add.as, "POST", "/v3/blocks", map[string]any{"value": add.name,
			"channel_ids": []int64{s.channel}, "insert_at": add.position}).Want(201).Int("id")
	}
	for _, change := range []struct{ as, name, kind string }{
		{"ben", "ben's", "channels"}, {"ada", "alpha", "blocks"}, {"ada", "gamma", "blocks"},
		{"cleo", "cleo's", "channels"}, {"ben", "beta", "blocks"}, {"ada", "ada's", "channels"},
	} {
		r.Clock.Advance(time.Second)
		r.Do(change.as, "PUT", fmt.Sprintf("/v3/%s/%d", change.kind, s.item[change.name]), `{"description":"Changed"}`).Want(200)
	}
	return s
}

// names returns the names of the items of a page.
func (s shelf) names(page *apptest.Response) []string {
	names := []string{}
	for i := range page.Len("data") {
		kind, id := page.Str(fmt.Sprintf("data.%d.type", i)) == "Channel", page.Int(fmt.Sprintf("data.%d.id", i))
		for name, item := range s.item {
			isChannel := slices.Contains([]string{"ada's", "ben's", "cleo's"}, name)
			if item == id && kind == isChannel {
				names = append(names, name)
			}
		}
	}
	return names
}

// shelfOrders contains the order for each sort, for a viewer of all items.
var shelfOrders = map[string][]string{
	"":                      {"ada's", "ben's", "gamma", "cleo's", "beta", "alpha"},
	"&sort=position_desc":   {"ada's", "ben's", "gamma", "cleo's", "beta", "alpha"},
	"&sort=position_asc":    {"alpha", "beta", "cleo's", "gamma", "ben's", "ada's"},
	"&sort=created_at_asc":  {"gamma", "ben's", "cleo's", "ada's", "beta", "alpha"},
	"&sort=created_at_desc": {"alpha", "beta", "ada's", "cleo's", "ben's", "gamma"},
	"&sort=updated_at_asc":  {"ben's", "alpha", "gamma", "cleo's", "beta", "ada's"},
	"&sort=updated_at_desc": {"ada's", "beta", "cleo's", "gamma", "alpha", "ben's"},
}

// TestContents: every order for everyone, with and without a filter by user. Hidden channels are omitted, and the other
// positions stay.
func TestContents(t *testing.T) {
	t.Parallel()
	position := map[string]int64{"alpha": 1, "beta": 2, "cleo's": 3, "gamma": 4, "ben's": 5, "ada's": 6}
	hidden := map[string][]string{"": {"ada's", "cleo's"}, "ben": {"ada's", "cleo's"},
		"ada/read": {"cleo's"}, "cleo": {"ada's"}, "emil": {}}
	connected := map[string][]string{"ada": {"gamma", "ada's", "alpha"}, "ben": {"ben's", "beta"}, "cleo": {"cleo's"},
		"dora": {}, "anyone": {"alpha", "beta", "cleo's", "gamma", "ben's", "ada's"}}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := newShelf(r)
		r.Collaborate("ada", s.item["ada's"], "emil") // sees all
		r.Collaborate("cleo", s.item["cleo's"], "emil")
		check := func(as, by, order string) {
			want := slices.DeleteFunc(slices.Clone(shelfOrders[order]), func(name string) bool {
				return slices.Contains(hidden[as], name) || !slices.Contains(connected[by], name)
			})
			if by != "anyone" {
				order += fmt.Sprint("&user_id=", r.Person(by).ID)
			}
			page := r.Get(as, "/v3/channels/%d/contents?per=100%s", s.channel, order)
			got := s.names(page)
			if !slices.Equal(got, want) || page.Int("meta.total_count") != int64(len(want)) {
				t.Errorf("%s as %q: %q, total %v, want %q", order, as, got, page.Get("meta.total_count"), want)
			}
			for i, at := range page.Ints("data", "connection.position") {
				if at != position[got[i]] {
					t.Errorf("%s as %q: %s at %d, want %d", order, as, got[i], at, position[got[i]])
				}
			}
		}
		for as := range hidden {
			for by := range connected {
				for order := range shelfOrders {
					check(as, by, order)
				}
			}
		}
	})
}
