package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// find returns the path of a search from pairs of names and values.
func find(pairs ...string) string {
	var b strings.Builder
	b.WriteString("/v3/search?")
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(url.QueryEscape(pairs[i]) + "=" + url.QueryEscape(pairs[i+1]) + "&")
	}
	return b.String()
}

// TestSearchIsForTiers: guests get 401, free accounts 403 with the reason. Others may search, even with read tokens.
func TestSearchIsForTiers(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Do("", "GET", "/v3/search?query=x", nil).Want(401)
	for tier, want := range map[domain.Tier]int{domain.TierFree: 403, domain.TierPremium: 200, domain.TierSupporter: 200} {
		r.Person("ada")
		if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{Slug: "ada"}, tier); err != nil {
			t.Fatal(err)
		}
		for _, as := range []string{"ada", "ada/read"} {
			res := r.Do(as, "GET", "/v3/search?query=x", nil).Want(want)
			if want == 403 && !strings.Contains(res.Str("details.message"), "premium") {
				t.Errorf("%s", res.Body)
			}
		}
	}
}

// TestSearchFilters: each parameter individually and some together.
func TestSearchFilters(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		field, secret := r.Channel("ada", "Field notes", "public"), r.Channel("ada", "Secret field", "private")
		moss, fern := r.Block("ada", "moss in the field", field), r.Block("ben", "fern", field)
		hidden := r.Block("ada", "hidden moss", secret)
		group := int64(r.Group("Field Society", "ben"))
		ada, ben := int64(r.Person("ada").ID), int64(r.Person("ben").ID)
		text := func(id int64) string { return fmt.Sprint("Text ", id) }
		channel := func(id int64) string { return fmt.Sprint("Channel ", id) }
		user := func(id int64) string { return fmt.Sprint("User ", id) }
		society := fmt.Sprint("Group ", group)
		fieldPath, secretPath := fmt.Sprint(field), fmt.Sprint(secret)
		for _, c := range []struct {
			as, path string
			want     []string
		}{
			{"ben", find("query", "field"), []string{society, channel(field), text(moss)}},
			{"ada", find("query", "field"), []string{society, channel(secret), channel(field), text(moss)}},
			{"ben", find("q", "field"), []string{society, channel(field), text(moss)}},
			{"ben", find("q", "nothing", "query", "fern"), []string{text(fern)}},
			{"ben", find("query", "field", "type", "Channel,Group"), []string{society, channel(field)}},
			{"ben", find("query", "field", "type", "Channel", "type", "Group"), []string{society, channel(field)}},
			{"ben", find("query", "field", "type", "Channel", "type", "All"), []string{society, channel(field), text(moss)}},
			{"ben", find("query", "field", "type", "Block"), []string{text(moss)}},
			{"ben", find("query", "ada"), []string{user(ada)}},
			{"ben", find("query", "BEN", "type", "User"), []string{user(ben)}},
			{"ben", find("type", "User"), []string{user(ben), user(ada)}},
			{"ben", find("type", "Block", "query", "*"), []string{text(fern), text(moss)}},
			{"ben", find("type", "Block", "user_id", fmt.Sprint(ada)), []string{text(moss)}},
			{"ada", find("type", "Block", "user_id", fmt.Sprint(ada)), []string{text(hidden), text(moss)}},
			{"ben", find("scope", "my"), []string{text(fern), society}},
			{"ada", find("scope", "my", "query", "moss"), []string{text(hidden), text(moss)}},
			{"ben", find("channel_id", fieldPath), []string{text(fern), text(moss)}},
			{"ben", find("channel_id", fieldPath, "query", "fern"), []string{text(fern)}},
			{"ben", find("channel_id", secretPath), nil},
			{"ben", find("channel_id", "99999"), nil},
			{"ada", find("channel_id", secretPath), []string{text(hidden)}},
			{"ben", find("user_id", "99999"), nil},
			{"ben", find("group_id", "99999"), nil},
			{"ben", find("type", "Block", "sort", "created_at_asc"), []string{text(moss), text(fern)}},
			{"ben", find("type", "User", "sort", "name_desc"), []string{user(ben), user(ada)}},
			{"ben", find("type", "User,Block", "sort", "name_asc"), []string{user(ada), user(ben), text(moss), text(fern)}},
			{"ben", find("type", "Block", "after", "2100-01-01T00:00:00Z"), nil},
			{"ben", find("type", "Block", "after", "2020-01-01T00:00:00+02:00"), []string{text(fern), text(moss)}},
			{"ben", find("ext", "png"), nil},
			{"ben", find("query", `"`), nil},
		} {
			expectTyped(r, c.as, c.path, c.want...)
		}
		r.Do("ben", "PUT", fmt.Sprintf("/ext/v1/users/%d/follow", ada), nil)
		expectTyped(r, "ben", find("scope", "following"), text(moss), channel(field))
		more := r.Channel("ben", "More", "public")
		r.Connect("ben", "Block", moss, more)
		expectTyped(r, "ben", find("type", "Block", "sort", "connections_count_desc"), text(moss), text(fern))
	})
}

// TestSearchByChance: the same seed gives the same order on every page. The default is the day's seed.
func TestSearchByChance(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		shelf := r.Channel("ada", "Shelf", "private")
		for i := range 30 {
			r.Block("ada", fmt.Sprint("moss ", i), shelf)
		}
		for _, query := range []string{"*", "moss"} {
			whole := func(seed string) []int64 {
				return r.Get("ada", "%s", find("query", query, "type", "Text", "sort", "random", "per", "100", "seed", seed)).Ints("data", "id")
			}
			one := whole("1")
			var parts []int64
			for page := range 5 {
				parts = append(parts, r.Get("ada", "%s", find("query", query, "type", "Text", "sort", "random", "per", "7", "seed", "1",
					"page", fmt.Sprint(page+1))).Ints("data", "id")...)
			}
			if len(one) != 30 || !slices.Equal(one, parts) {
				t.Errorf("%v by pages, %v at once", parts, one)
			}
			differ := false
			for seed := range 10 {
				differ = differ || !slices.Equal(one, whole(fmt.Sprint(seed-5)))
			}
			if !differ || slices.IsSorted(one) {
				t.Errorf("there is one order: %v", one)
			}
			today := func() []int64 {
				return r.Get("ada", "%s", find("query", query, "type", "Text", "sort", "random", "per", "100")).Ints("data", "id")
			}
			if !slices.Equal(today(), today()) {
				t.Error("without a seed the order changes within a day")
			}
		}
	})
}

// TestSearchBadInput: 400 names the field and its valid values.
func TestSearchBadInput(t *testing.T) {
	t.Parallel()
	apptest.Each(t, refusesBadSearches)
}

func refusesBadSearches(t *testing.T, r *apptest.Rig) {
	secret := r.Channel("ben", "Secret", "private")
	r.Block("ben", "moss", secret)
	for path, names := range map[string][]string{
		find("type", "Channels"):                     {"type", "Channel", "Group"},
		find("type", "Block,x,y"):                    {"type"},
		find("type", "Block", "type", "x"):           {"type"},
		find("sort", "best"):                         {"sort", "score_desc"},
		find("scope", "mine"):                        {"scope", "following"},
		find("ext", "exe"):                           {"ext", "png"},
		find("after", "yesterday"):                   {"after"},
		find("after", "2024-13-01T00:00:00Z"):        {"after"},
		find("seed", strings.Repeat("9", 30)):        {"seed"},
		find("seed", "x"):                            {"seed"},
		find("after", ""):                            {"after"},
		find("channel_id", "-1"):                     {"channel_id"},
		find("ext", "png,exe"):                       {"ext"},
		find("page", "0"):                            {"page"},
		find("per", "101"):                           {"per"},
		find("user_id", "ada"):                       {"user_id"},
		find("user_id", "0"):                         {"user_id"},
		find("query", strings.Repeat("x", 10_000)):   {"query"},
		find("query", strings.Repeat("x y ", 1_000)): {"query"},
		find("query", "a\x00b"):                      {"query"},
		find("q", "a\x00b"):                          {"query"},
		find("sort", "best", "scope", "mine"):        {"sort", "scope"},
		"/v3/search?query=%ff":                       {"query"},
		"/v3/search?query=%zz":                       {"query"},
		"/v3/search?query=a&query=b":                 {"query"},
	} {
		res := r.Do("ada", "GET", path, nil).Want(400)
		for _, name := range names {
			if !strings.Contains(res.Str("details.message"), name) {
				t.Errorf("%.80s: %s does not name %s", path, res.Body, name)
			}
		}
	}
	for _, query := range []string{`"`, `"""`, `"*^:()-`, "*", "**", "'", "\\", "%", "_", "NEAR(a b)", "a OR b", "title:x", "-a", "a:*", "a & b | !c", "<->",
		strings.Repeat(`"`, 1000), strings.Repeat("東", 300), strings.Repeat("x", 4096), "\u202e\ufeff", "a\tb\nc", "𝒜", "\U000e0001"} {
		r.Do("ada", "GET", find("query", query), nil).Want(200)
	}
	r.Get("ada", "/v3/search?v=1699&unknown=x&1699")
	for _, query := range []string{"*", "moss"} { // as if no tokens were given
		missing := r.Get("ada", "%s", find("query", query, "channel_id", "99999"))
		if res := r.Get("ada", "%s", find("query", query, "channel_id", fmt.Sprint(secret))); string(res.Body) != string(missing.Body) || res.Len("data") != 0 {
			t.Errorf("%s in a private channel: %s", query, res.Body)
		}
	}
	if res := r.Get("ada", "%s", find("page", "9223372036854775807")); res.Len("data") != 0 {
		t.Errorf("%s", res.Body)
	}
}

// TestSearchSeesWritesAtOnce: the request after a write finds its result.
func TestSearchSeesWritesAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Shelf", "public")
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for i := range 8 {
					word := fmt.Sprintf("word%dx%d", worker, i)
					id := r.Block("ada", word, channel)
					expectTyped(r, "ben", find("query", word), fmt.Sprint("Text ", id))
					r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", id), map[string]any{"title": "Renamed " + word, "content": "x"}).Want(200)
					expectTyped(r, "ben", find("query", "renamed "+word), fmt.Sprint("Text ", id))
					r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", id), nil).Want(204)
					expectTyped(r, "ben", find("query", word))
				}
			})
		}
		all.Wait()
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", channel), map[string]any{"title": "Cupboard", "description": "for jars"}).Want(200)
		expectTyped(r, "ben", find("query", "shelf"))
		expectTyped(r, "ben", find("query", "cupboard jar"), fmt.Sprint("Channel ", channel))
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", channel), map[string]any{"visibility": "private"}).Want(200)
		expectTyped(r, "ben", find("query", "cupboard"))
		r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"name": "Augusta"}).Want(200)
		expectTyped(r, "ben", find("query", "august"), fmt.Sprint("User ", r.Person("ada").ID))
		group := r.Do("ada", "POST", "/v3/groups", map[string]any{"name": "Reading Circle"}).Want(201).Int("id")
		expectTyped(r, "ben", find("query", "reading c"), fmt.Sprint("Group ", group))
		r.Do("ada", "PUT", fmt.Sprintf("/v3/groups/%d", group), map[string]any{"name": "Writing Circle"}).Want(200)
		expectTyped(r, "ben", find("query", "reading"))
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/groups/%d", group), nil).Want(204)
		expectTyped(r, "ben", find("query", "writing"))
	})
}

// TestSearchStatements: a page of 2 takes as many statements as one of 50.
func TestSearchStatements(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for i := range 30 {
		channel := r.Channel("ada", fmt.Sprint("Moss ", i), "public")
		r.Block("ada", "moss", channel)
	}
	for _, path := range []string{find("query", "moss"), find("type", "Block,Channel"), "/v3/users/ada/contents?"} {
		counts := map[int]bool{}
		for _, per := range []int{4, 50} {
			n := len(r.Statements(func() { r.Get("ada", "%s", fmt.Sprintf("%sper=%d&sort=%s", path, per, "created_at_desc")) }))
			counts[n] = true
		}
		if len(counts) != 1 {
			t.Errorf("%s: %v statements", path, counts)
		}
	}
}
