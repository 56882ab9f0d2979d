package site_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// On the pages of a user and a group, each reader sees exactly the channels that the API lists for
// them, and the same counts.
func TestListsShowWhatTheAPIShows(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	g := r.Group("Reading room", "ada", "mia")
	for _, visibility := range []string{"public", "closed", "private"} {
		r.Channel("ada", "Own "+visibility, visibility)
		r.Do("ada", "POST", "/v3/channels", fmt.Sprintf(`{"title":"Group %s","visibility":"%s","group_id":%d}`, visibility, visibility, g)).Want(http.StatusCreated)
	}
	shared := r.Channel("ada", "Own shared", "private")
	r.Collaborate("ada", shared, "cleo")
	fay := enter(t, r, "fay")
	r.Do("fay", "PUT", "/ext/v1/users/ada/follow", nil).Want(200)
	for name, b := range map[string]*browser{"": newBrowser(t, r), "sam": enter(t, r, "sam"), "fay": fay, "cleo": enter(t, r, "cleo"),
		"mia": enter(t, r, "mia"), "ada": enter(t, r, "ada")} {
		for page, list := range map[string]string{"/ada": "/v3/users/ada/contents?type=Channel", "/group/reading-room": "/v3/groups/reading-room/contents?type=Channel"} {
			seen := r.Do(name, "GET", list, nil).Want(200)
			p := b.get(page).want(200)
			total := seen.Int("meta.total_count")
			if shown := strings.Count(p.body, `<li class="cell channel`); int64(shown) != total {
				t.Errorf("%s shows %q %d channels, and the API %d", page, name, shown, total)
			}
			p.says(fmt.Sprintf(`<span class="many">%d</span>`, total))
			for _, title := range []string{"Own public", "Own closed", "Own private", "Own shared", "Group public", "Group closed", "Group private"} {
				if shown, listed := strings.Contains(p.body, title), strings.Contains(string(seen.Body), title); shown != listed {
					t.Errorf("%s shows %q %q: %v, and the API %v", page, name, title, shown, listed)
				}
			}
		}
	}
	r.Operator("op")
	if _, err := r.S.App.Operating.Suspend(t.Context(), refOf("ada"), true); err != nil {
		t.Fatal(err)
	}
	if status := r.Do("", "GET", "/v3/users/ada", nil).Status; newBrowser(t, r).get("/ada").status != status {
		t.Errorf("of a suspended user the API says %d", status)
	}
}

// The number of statements for a page of a list does not depend on its length.
func TestStatementsOfLists(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		g := r.Group("Reading room", "ada", "mia")
		r.Do("ada", "POST", "/v3/channels", fmt.Sprintf(`{"title":"Group notes","visibility":"private","group_id":%d}`, g)).Want(http.StatusCreated)
		for i := range 5 {
			c := r.Channel("ada", fmt.Sprint("Notes ", i), []string{"public", "closed", "private"}[i%3])
			r.Block("ada", fmt.Sprint("Words ", i), c)
		}
		mia, guest := enter(t, r, "mia"), newBrowser(t, r)
		mia.get("/settings/feeds").want(200) // reads the key of feed secrets, which is cached afterwards
		for _, who := range []string{"users/ada", "groups/reading-room"} {
			r.Do("mia", "PUT", "/ext/v1/"+who+"/follow", nil).Want(200)
		}
		for _, tt := range []struct {
			path        string
			guest, user int
		}{
			{"/", 18, 20}, {"/explore", 8, 9}, {"/search?q=notes", 10, 12}, {"/search?q=notes&user=ada", 11, 13},
			{"/ada", 10, 13}, {"/ada?view=blocks", 10, 13}, {"/ada?view=groups", 8, 10}, {"/ada?view=followers", 8, 10}, {"/ada?view=following", 10, 12},
			{"/group/reading-room", 10, 14}, {"/group/reading-room?view=blocks", 10, 14}, {"/group/reading-room?view=members", 8, 11}, {"/group/reading-room?view=followers", 8, 11},
		} {
			for b, limit := range map[*browser]int{guest: tt.guest, mia: tt.user} {
				if seen := r.Statements(func() { b.get(tt.path).want(200) }); len(seen) > limit {
					t.Errorf("%s: %d statements, want %d at most, signed in: %v\n%s", tt.path, len(seen), limit, b == mia, strings.Join(seen, "\n"))
				}
			}
		}
	})
}
