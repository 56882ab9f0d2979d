package api_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/apptest"
)

// typed returns the items of a list as "Type id".
func typed(res *apptest.Response) (all []string) {
	res.T.Helper()
	for i := range res.Len("data") {
		all = append(all, fmt.Sprint(res.Str(fmt.Sprintf("data.%d.type", i)), " ", res.Int(fmt.Sprintf("data.%d.id", i))))
	}
	return all
}

// expectTyped compares a list and its total with the expected ones.
func expectTyped(r *apptest.Rig, as, path string, want ...string) {
	r.T.Helper()
	res := r.Get(as, "%s", path)
	if got := typed(res); !slices.Equal(got, want) {
		r.T.Errorf("as %q: %s gives %v, want %v", as, path, got, want)
	}
	if n := res.Int("meta.total_count"); n != int64(len(want)) {
		r.T.Errorf("as %q: %s counts %d, want %d", as, path, n, len(want))
	}
}

// TestUserContents: the creations of a user, each for those who may see it.
func TestUserContents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		open, secret := r.Channel("ada", "Open", "closed"), r.Channel("ada", "Secret", "private")
		shown, hidden, orphan := r.Block("ada", "shown", open), r.Block("ada", "hidden", secret), r.Block("ada", "orphan", open)
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/channels/%d/blocks/%d", open, orphan), nil).Want(204)
		r.Block("ben", "by another", r.Channel("ben", "Ben's", "public"))
		text := func(id int64) string { return fmt.Sprint("Text ", id) }
		channel := func(id int64) string { return fmt.Sprint("Channel ", id) }
		const path = "/v3/users/ada/contents"
		all := []string{text(orphan), text(hidden), text(shown), channel(secret), channel(open)}
		expectTyped(r, "ada", path, all...)
		for _, as := range []string{"", "ben"} {
			expectTyped(r, as, path, text(shown), channel(open))
		}
		r.Collaborate("ada", secret, "cem")
		expectTyped(r, "cem", path, text(hidden), text(shown), channel(secret), channel(open))
		r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", shown), map[string]any{"title": "Now"}).Want(200)
		expectTyped(r, "ada", path+"?sort=updated_at_desc", text(shown), channel(open), text(orphan), text(hidden), channel(secret))
		expectTyped(r, "ada", path+"?sort=created_at_asc", channel(open), channel(secret), text(shown), text(hidden), text(orphan))
		expectTyped(r, "ada", path+"?type=Channel", channel(secret), channel(open))
		expectTyped(r, "", path+"?type=Block", text(shown))
		expectTyped(r, "", path+"?type=Image")
		for page, want := range all {
			res := r.Get("ada", "%s?per=1&page=%d", path, page+1)
			if got := typed(res); len(got) != 1 || got[0] != want || res.Int("meta.total_count") != 5 {
				t.Errorf("page %d: %v, want %s", page+1, got, want)
			}
		}
		if res := r.Get("ada", "%s?page=9", path); res.Len("data") != 0 || res.Int("meta.total_count") != 5 {
			t.Errorf("past the end: %s", res.Body)
		}
		r.Do("", "GET", "/v3/users/nobody/contents", nil).Want(404)
		r.Do("", "GET", path+"?sort=position_asc&type=User", nil).Want(400)
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", secret), map[string]any{"visibility": "closed"}).Want(200)
		expectTyped(r, "", path, text(hidden), text(shown), channel(secret), channel(open))
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", open), nil).Want(204)
		expectTyped(r, "", path, text(hidden), channel(secret))
	})
}

// TestGroupContents: the channels of a group and their contents, each once.
func TestGroupContents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := int64(r.Group("Society", "ada", "ben"))
		own := func(title, visibility string) int64 {
			return r.Do("ada", "POST", "/v3/channels", map[string]any{"title": title, "visibility": visibility,
				"owner": map[string]any{"id": group, "type": "Group"}}).Want(201).Int("id")
		}
		open, other, secret := own("Open", "closed"), own("Other", "public"), own("Secret", "private")
		elsewhere := r.Channel("cem", "Elsewhere", "public")
		twice, hidden := r.Block("cem", "twice", other), r.Block("ada", "hidden", secret)
		r.Connect("ada", "Block", twice, open)
		public := r.Block("cem", "public, and in the secret one", elsewhere)
		r.Connect("ada", "Block", public, secret)
		path := fmt.Sprintf("/v3/groups/%d/contents", group)
		text := func(id int64) string { return fmt.Sprint("Text ", id) }
		channel := func(id int64) string { return fmt.Sprint("Channel ", id) }
		for _, as := range []string{"ada", "ben"} {
			expectTyped(r, as, path, text(public), text(hidden), text(twice), channel(secret), channel(other), channel(open))
		}
		for _, as := range []string{"", "cem"} { // they do not even learn that their block is in the secret channel
			expectTyped(r, as, path, text(twice), channel(other), channel(open))
		}
		expectTyped(r, "", path+"?type=Block", text(twice))
		r.Collaborate("ada", secret, "dan")
		expectTyped(r, "dan", path+"?type=Text", text(public), text(hidden), text(twice))
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/groups/%d", group), nil).Want(204)
		r.Do("ada", "GET", path, nil).Want(404)
	})
}

// TestContentsStatements: lists of contents take the same number of statements for any number of items.
func TestContentsStatements(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := int64(r.Group("Society", "ada"))
		channel := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Ours", "visibility": "public",
			"owner": map[string]any{"id": group, "type": "Group"}}).Want(201).Int("id")
		r.Block("ada", "first", channel)
		secret := r.Channel("ada", "Secret", "private") // the query about hidden things of a viewer runs once
		paths := []string{"/v3/users/ada/contents?per=100", fmt.Sprintf("/v3/groups/%d/contents?per=100", group)}
		cost := func(as, path string) int {
			return len(r.Statements(func() { r.Do(as, "GET", path, nil).Want(200) }))
		}
		r.Person("ben")
		before := map[string]int{}
		for _, path := range paths {
			for _, as := range []string{"", "ada", "ben"} {
				before[as+path] = cost(as, path)
			}
		}
		for i := range 30 {
			r.Block("ada", fmt.Sprint("more ", i), channel)
			r.Block("ada", fmt.Sprint("hidden ", i), secret)
		}
		for _, path := range paths {
			for _, as := range []string{"", "ben"} {
				if n := cost(as, path); n != before[as+path] {
					t.Errorf("%q: %s takes %d statements, and took %d", as, path, n, before[as+path])
				}
			}
			if n := cost("ada", path); n > before["ada"+path] {
				t.Errorf("%s takes its owner %d statements, and took %d", path, n, before["ada"+path])
			}
		}
	})
}
