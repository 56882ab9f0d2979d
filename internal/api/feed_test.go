package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// followAs makes a member of the cast follow a path of /ext/v1.
func followAs(r *apptest.Rig, who, what string) {
	r.T.Helper()
	if name, isUser := strings.CutPrefix(what, "users/"); isUser {
		r.Person(name)
	}
	r.Do(who, "PUT", "/ext/v1/"+what+"/follow", nil).Want(http.StatusOK)
}

// comment comments on a block and returns the comment's id.
func comment(r *apptest.Rig, who string, block int64, body string) int64 {
	r.T.Helper()
	return r.Do(who, "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": body}).Want(http.StatusCreated).Int("id")
}

// kinds lists "kind item target parent" of a page, with the types of the subjects.
func kinds(res *apptest.Response) (all []string) {
	for i := range res.Len("data") {
		line := res.Str(fmt.Sprintf("data.%d.kind", i))
		for _, subject := range []string{"item", "target", "parent"} {
			t, ok := res.Lookup(fmt.Sprintf("data.%d.%s.type", i, subject))
			if !ok {
				t = "-"
			}
			line += fmt.Sprint(" ", t)
		}
		all = append(all, line)
	}
	return all
}

func TestFeedOnTheWire(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Guild", "ada", "dan")
		followAs(r, "fan", "users/ada")
		block := r.Block("cy", "A *text*", r.Channel("cy", "Attic", "closed"))
		garden := r.Channel("ada", "Garden", "public")
		shed := r.Channel("ada", "Shed", "private")
		r.Block("ada", "Seed", garden, shed)
		connect := func(kind string, id int64) {
			r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": kind, "connectable_id": id, "channel_ids": []int64{garden}}).Want(http.StatusCreated)
		}
		connect("Block", block)
		connect("Block", block) // is already there
		connect("Channel", shed)
		followAs(r, "ada", "users/cy")
		followAs(r, "ada", "users/cy")
		followAs(r, "ada", "channels/attic")
		followAs(r, "ada", fmt.Sprint("groups/", group))
		eve := r.Person("eve").ID
		comment(r, "ada", block, "Hello @eve")
		r.Do("ada", "POST", fmt.Sprintf("/ext/v1/channels/%d/collaborators", garden), map[string]any{"user_id": eve}).Want(http.StatusCreated)
		want := []string{
			"collaborating_with_user_on_channel User Channel -",
			"mentioned_you Comment User Text",
			"commented_on_block Comment Text Channel",
			"followed_group Group - -",
			"followed_channel Channel - -",
			"followed_user User - -",
			"added_block_to_channel Text Channel -",
			"added_block_to_channel Text Channel -",
			"created_channel Channel - -",
		}
		page := r.Do("fan", "GET", "/v3/me/feed", nil).Want(http.StatusOK)
		if got := kinds(page); !slices.Equal(got, want) {
			t.Errorf("feed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if page.Str("data.0.type") != "Activity" || page.Str("data.0.actor.slug") != "ada" || page.Bool("meta.has_more") ||
			page.Get("meta.next_cursor") != nil || page.Int("meta.limit") != 24 {
			t.Errorf("page: %s", page.Body)
		}
		for _, never := range []string{`"can"`, `"connection"`} {
			if strings.Contains(string(page.Body), never) {
				t.Errorf("a subject shows %s: %s", never, page.Body)
			}
		}
		if url.QueryEscape(page.Str("meta.prev_cursor")) != page.Str("meta.prev_cursor") {
			t.Error("the cursor is not safe in an address")
		}
		followAs(r, "eve", "channels/garden")
		r.Block("eve", "Mine", garden)
		followAs(r, "ada", "channels/garden")
		for i, own := 0, r.Do("ada", "GET", "/v3/me/feed", nil).Want(http.StatusOK); i < own.Len("data"); i++ {
			if own.Str(fmt.Sprintf("data.%d.actor.slug", i)) == "ada" {
				t.Errorf("what ada did herself: %s", own.Body)
			}
		}
		if none := r.Do("dan", "GET", "/v3/me/feed", nil).Want(http.StatusOK); none.Len("data") != 0 || none.Get("meta.prev_cursor") != nil {
			t.Errorf("who follows nobody: %s", none.Body)
		}
		page = r.Do("fan", "GET", "/v3/me/feed", nil).Want(http.StatusOK)
		tag := page.Header.Get("ETag")
		r.Do("fan", "GET", "/v3/me/feed", nil, "If-None-Match", tag).Want(http.StatusNotModified)
		r.Do("", "GET", "/v3/me/feed", nil).Want(http.StatusUnauthorized)
		r.Do("fan/read", "GET", "/v3/me/feed", nil).Want(http.StatusOK)
	})
}

func TestFeedBadInput(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	followAs(r, "fan", "users/ada")
	r.Channel("ada", "One", "closed")
	r.Channel("ada", "Two", "closed")
	page := r.Do("fan", "GET", "/v3/me/feed?limit=1", nil).Want(http.StatusOK)
	next, prev := page.Str("meta.next_cursor"), page.Str("meta.prev_cursor")
	r.Do("fan", "GET", "/v3/me/feed?next="+next, nil).Want(http.StatusOK)
	r.Do("fan", "GET", "/v3/me/feed?v=1699&1699&prev="+prev, nil).Want(http.StatusOK)
	for query, names := range map[string][]string{
		"limit=0": {"limit"}, "limit=101": {"limit"}, "limit=x": {"limit"}, "next=": {"next"}, "prev=1": {"prev"},
		"next=" + next + "&prev=" + prev: {"next", "prev"}, "next=" + strings.Repeat("a", 10_000): {"next"},
		"prev=%00": {"prev"}, "next=" + strings.ToLower(next) + "&limit=7": {"next"},
	} {
		for _, list := range []string{"/v3/me/feed?", "/v3/me/notifications?", "/v3/me/notifications?unread=true&"} {
			res := r.Do("fan", "GET", list+query, nil).Want(http.StatusBadRequest)
			for _, name := range names {
				if !strings.Contains(res.Str("details.message"), name) {
					t.Errorf("%s%.40s: %s does not name %s", list, query, res.Body, name)
				}
			}
		}
	}
	r.Do("fan", "GET", "/v3/me/notifications?next="+next, nil).Want(http.StatusBadRequest)
	r.Do("fan", "GET", "/v3/me/notifications?unread=maybe", nil).Want(http.StatusBadRequest)
}

// The number of statements for a page does not depend on its length or on the number of follows.
func TestFeedStatementsAreBounded(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		attic := r.Channel("cy", "Attic", "public")
		block := r.Block("cy", "Text", attic)
		act := func(who string) {
			followAs(r, "fan", "users/"+who)
			r.Channel(who, "Of "+who, "closed")
			comment(r, who, block, "hi @fan and @cy")
			r.Do(who, "POST", "/v3/connections", map[string]any{"connectable_type": "Block", "connectable_id": block,
				"channel_ids": []int64{r.Channel(who, "More of "+who, "closed")}}).Want(http.StatusCreated)
		}
		count := func(path string) int {
			return len(r.Statements(func() { r.Do("fan", "GET", path, nil).Want(http.StatusOK) }))
		}
		act("one")
		count("/v3/me/feed") // creates the key of the cursors
		few := []int{count("/v3/me/feed"), count("/v3/me/notifications")}
		for i := range 12 {
			act(fmt.Sprint("user", i))
		}
		many := []int{count("/v3/me/feed?limit=50"), count("/v3/me/notifications?limit=50")}
		if !slices.Equal(few, many) || many[0] > 25 {
			t.Errorf("statements for a feed and notifications: %v for few, %v for many", few, many)
		}
	})
}
