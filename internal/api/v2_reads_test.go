package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// v2Stage is a channel with one item of each kind that needs no fetching, and people around it.
type v2Stage struct {
	*apptest.Rig
	slug                          string
	channel, inner, group, ground int64
	block                         int64
}

func newV2Stage(t *testing.T) *v2Stage {
	t.Helper()
	r := apptest.New(t)
	s := &v2Stage{Rig: r}
	s.group = int64(r.Group("Botanists", "ada", "bo"))
	s.channel = r.Channel("ada", "Moss and fern", "closed")
	s.inner = r.Channel("bo", "Inner", "public")
	s.ground = r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Ground", "owner": map[string]any{"type": "Group", "id": s.group}}).Want(201).Int("id")
	s.slug = r.Get("ada", "/v3/channels/%d", s.channel).Str("slug")
	s.block = r.Block("ada", "# Fern\n\nA *green* one.", s.channel, s.ground)
	r.Connect("ada", "Channel", s.inner, s.channel)
	r.Collaborate("ada", s.channel, "bo")
	r.Do("bo", "POST", fmt.Sprintf("/v3/blocks/%d/comments", s.block), map[string]any{"body": "Ah, @ada!"}).Want(201)
	r.Do("cy", "POST", fmt.Sprintf("/v2/channels/%d/follow", s.channel), nil).Want(200)
	r.Do("cy", "POST", "/v2/users/ada/follow", nil).Want(200)
	return s
}

// Every read responds to guests, strangers and owners in the described form.
func TestV2Reads(t *testing.T) {
	t.Parallel()
	s := newV2Stage(t)
	group := s.Get("", "/v3/groups/%d", s.group).Str("slug")
	for _, path := range []string{
		"channels", "channels/" + s.slug, fmt.Sprint("channels/", s.channel), "channels/" + s.slug + "/thumb",
		"channels/" + s.slug + "/connections", fmt.Sprintf("channels/%d/connections", s.inner), "channels/" + s.slug + "/channels",
		"channels/" + s.slug + "/contents", fmt.Sprintf("channels/%d", s.ground), "channels/" + s.slug + "/collaborators",
		"channels/" + s.slug + "/followers", "channel/" + s.slug + "/feed",
		fmt.Sprint("blocks/", s.block), fmt.Sprintf("blocks/%d/channels", s.block), fmt.Sprintf("blocks/%d/comments", s.block),
		"users/ada", "users/ada/channels", "users/cy/following", "users/ada/followers", "user/ada/feed", "user/cy/network",
		"groups/" + group, "groups/" + group + "/channels",
		"search?q=fern", "search/users?q=ada", "search/channels/?q=moss", "/search/blocks?q=green", "search?q=", "feed/global", "openapi.json",
	} {
		for _, as := range []string{"", "cy", "ada"} {
			s.Do(as, "GET", "/v2/"+path, nil).Want(200)
		}
	}
	for _, path := range []string{"me", "accounts", "accounts/channels", "feed", "notifications", "notifications/unread_count"} {
		s.Do("", "GET", "/v2/"+path, nil).Want(401)
		s.Do("cy", "GET", "/v2/"+path, nil).Want(200)
		s.Do("ada", "GET", "/v2/"+path, nil).Want(200)
	}
	s.Do("", "GET", "/v2/users/ada/channel", nil).Want(404)
}

// A channel's page shows the same as version 3, with the names of version 2.
func TestV2Channel(t *testing.T) {
	t.Parallel()
	s := newV2Stage(t)
	got := s.Do("", "GET", "/v2/channels/"+s.slug+"?per=1&page=2", nil).Want(200)
	for path, want := range map[string]any{
		"title": "Moss and fern", "status": "closed", "published": true, "open": false, "length": 2, "page": 2, "per": 1,
		"collaboration": true, "collaborator_count": 1, "follower_count": 1, "class": "Channel", "class_name": "Channel",
		"user.slug": "ada", "owner.slug": "ada", "collaborators.0.slug": "bo",
		"contents.0.base_class": "Channel", "contents.0.title": "Inner", "contents.0.position": 2, "contents.0.connected_by_user_slug": "ada",
	} {
		if at := got.Get(path); fmt.Sprint(at) != fmt.Sprint(want) {
			t.Errorf("%s is %v, not %v", path, at, want)
		}
	}
	if link := got.Header.Get("Link"); !strings.Contains(link, "/v3/channels/"+s.slug+">") || got.Header.Get("Deprecation") == "" {
		t.Errorf("Link %q, Deprecation %q", link, got.Header.Get("Deprecation"))
	}
	desc := s.Do("", "GET", "/v2/channels/"+s.slug+"?sort=position&direction=desc", nil).Want(200)
	if desc.Int("contents.0.position") != 2 || desc.Get("contents.1.content") != "# Fern\n\nA *green* one." {
		t.Errorf("from the top: %s", desc.Body)
	}
}

// A block of a URL is a link to it from the beginning.
func TestV2Pending(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	channel := r.Channel("ada", "Moss", "public")
	made := r.Do("ada", "POST", fmt.Sprintf("/v2/channels/%d/blocks", channel), map[string]any{"source": "https://moss.example/page"}).Want(200)
	for path, want := range map[string]any{"class": "Link", "state": "processing", "source.url": "https://moss.example/page", "position": 1} {
		if got := made.Get(path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, not %v", path, got, want)
		}
	}
}

// A page may consist only of channels, including the containing channel.
func TestV2ChannelOfChannels(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	shelf := r.Channel("ada", "Shelf", "closed")
	for i := range 100 {
		r.Connect("ada", "Channel", r.Channel("ada", fmt.Sprint("Channel ", i), "closed"), shelf)
	}
	for _, path := range []string{"/v2/channels/%d?per=100", "/v2/channels/%d/contents?per=100"} {
		if n := r.Do("", "GET", fmt.Sprintf(path, shelf), nil).Want(200).Len("contents"); n != 100 {
			t.Errorf("%s has %d items", path, n)
		}
	}
	if n := r.Do("", "GET", "/v2/users/ada/channels?per=100", nil).Want(200).Len("channels"); n != 100 {
		t.Errorf("ada has %d channels on a page", n)
	}
	if n := r.Do("", "GET", "/v2/channel/"+fmt.Sprint(shelf)+"/feed?per=100", nil).Want(200).Len("items"); n != 100 {
		t.Errorf("the feed has %d items", n)
	}
}

// The length of a channel is the number of items that the viewer sees, in every form.
func TestV2Length(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	shelf := r.Channel("ada", "Shelf", "closed")
	r.Block("ada", "One", shelf)
	r.Connect("ada", "Channel", r.Channel("ada", "Secret", "private"), shelf)
	for who, want := range map[string]int64{"": 1, "bo": 1, "ada": 2} {
		for _, form := range []string{"", "/thumb"} {
			if n := r.Do(who, "GET", fmt.Sprintf("/v2/channels/%d%s", shelf, form), nil).Want(200).Int("length"); n != want {
				t.Errorf("channel%s: %q sees %d items", form, who, n)
			}
		}
	}
}

// A feed starts at its offset.
func TestV2Offset(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for i := range 5 {
		r.Channel("ada", fmt.Sprint("Channel ", i), "public")
	}
	all := r.Do("", "GET", "/v2/feed/global", nil).Want(200).Ints("items", "id")
	rest := r.Do("", "GET", "/v2/feed/global?offset=2&per=2", nil).Want(200)
	if got := rest.Ints("items", "id"); fmt.Sprint(got) != fmt.Sprint(all[2:4]) || rest.Int("offset") != 2 {
		t.Errorf("after 2 of %v: %v", all, got)
	}
}

// Lists of channels are ordered by the last addition, regardless of other changes.
func TestV2ChannelsByAddition(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := int64(r.Group("Botanists", "ada"))
		for _, c := range []struct {
			lists map[string]string // the viewer of each list
			owner any
		}{
			{map[string]string{"/v2/users/ada/channels": "", "/v2/accounts/channels": "ada", "/v2/me": "ada", "/v2/accounts": "ada"}, nil},
			{map[string]string{fmt.Sprintf("/v2/groups/%d/channels", group): ""}, map[string]any{"type": "Group", "id": group}},
		} {
			var ids []int64
			for _, title := range []string{"First", "Second", "Third", "Empty"} {
				body := map[string]any{"title": title, "visibility": "closed"}
				if c.owner != nil {
					body["owner"] = c.owner
				}
				ids = append(ids, r.Do("ada", "POST", "/v3/channels", body).Want(201).Int("id"))
			}
			first, second, third, empty := ids[0], ids[1], ids[2], ids[3]
			expect := func(after string, want ...int64) {
				t.Helper()
				for path, as := range c.lists {
					got := r.Get(as, "%s", path).Ints("channels", "id")
					if c.owner == nil { // the user also created the group's channels, which were added later
						got = slices.DeleteFunc(got, func(id int64) bool { return !slices.Contains(ids, id) })
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s after %s: channels %v, want %v", path, after, got, want)
					}
				}
			}
			expect("their creation", empty, third, second, first)
			block := r.Block("ada", "Fern", second)
			r.Block("ada", "Moss", third)
			expect("additions to the second and third", third, second, empty, first)
			r.Connect("ada", "Block", block, first)
			expect("an addition to the first", first, third, second, empty)
			r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", second), map[string]any{"title": "Renamed"}).Want(200)
			expect("a new title of the second", first, third, second, empty)
			r.Do("ada", "DELETE", fmt.Sprintf("/v2/channels/%d/blocks/%d", second, block), nil).Want(204)
			expect("a removal from the second", first, third, second, empty)
			r.Block("ada", "Lichen", second)
			expect("another addition to the second", second, first, third, empty)
			for path, as := range c.lists { // the shown time agrees
				times := r.Get(as, "%s", path).Get("channels")
				var last string
				for _, ch := range times.([]any) {
					at := ch.(map[string]any)["added_to_at"].(string)
					if last != "" && at > last {
						t.Errorf("%s: added_to_at %s follows %s", path, at, last)
					}
					last = at
				}
			}
		}
	})
}
