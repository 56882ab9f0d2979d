package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/apptest"
)

// village is a set of people, channels, groups and blocks for concurrent tests.
type village struct {
	*apptest.Rig
	names    []string
	channels []int64
	blocks   []int64
	subjects []string // to follow, as paths below /ext/v1

	mu       sync.Mutex
	comments map[int64]string // not yet deleted, with their authors
}

func newVillage(r *apptest.Rig) *village {
	v := &village{Rig: r, names: []string{"ada", "ben", "cyd", "dan", "eve"}, comments: map[int64]string{}}
	for _, name := range v.names {
		v.subjects = append(v.subjects, "users/"+name)
		r.Person(name)
	}
	group := r.Group("Crew", "ada", "ben", "cyd")
	v.subjects = append(v.subjects, fmt.Sprint("groups/", group), fmt.Sprint("groups/", r.Group("Gang", "dan")))
	hall := r.Do("ada", "POST", "/v3/channels", at(`{"title":"Hall","visibility":"public","owner":{"id":%d,"type":"Group"}}`, group))
	v.channels = []int64{hall.Want(http.StatusCreated).Int("id"), r.Channel("ben", "Shed", "public")}
	for i, c := range v.channels {
		v.subjects = append(v.subjects, fmt.Sprint("channels/", c))
		v.blocks = append(v.blocks, r.Block(v.names[i], "first", c), r.Block(v.names[i+2], "second", c))
	}
	return v
}

func anyOf[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// act sends a random request and returns the response, or nil if there was nothing to do.
func (v *village) act(random *rand.Rand) *apptest.Response {
	who := anyOf(random, v.names)
	switch n := random.IntN(100); {
	case n < 22:
		return v.Do(who, "PUT", "/ext/v1/"+anyOf(random, v.subjects)+"/follow", nil)
	case n < 37:
		return v.Do(who, "DELETE", "/ext/v1/"+anyOf(random, v.subjects)+"/follow", nil)
	case n < 57:
		return v.comment(random, who)
	case n < 65:
		return v.uncomment(random)
	case n < 80:
		return v.readOne(random, who)
	case n < 85:
		return v.Do(who, "POST", "/v3/me/notifications/read", nil)
	case n < 90:
		return v.Do(who, "POST", "/v3/connections", map[string]any{"connectable_type": "Block",
			"connectable_id": anyOf(random, v.blocks), "channel_ids": []int64{anyOf(random, v.channels)}})
	case n < 95:
		return v.passing(random, who)
	}
	return v.Do(who, "GET", anyOf(random, []string{"/v3/me/feed?limit=5", "/v3/me/notifications?unread=true"}), nil)
}

func (v *village) comment(random *rand.Rand, who string) *apptest.Response {
	body := map[string]any{"body": fmt.Sprintf("@%s, see what @%s did", anyOf(random, v.names), anyOf(random, v.names))}
	res := v.Do(who, "POST", at("/v3/blocks/%d/comments", anyOf(random, v.blocks)), body)
	if res.Status == http.StatusCreated {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.comments[res.Int("id")] = who
	}
	return res
}

// uncomment makes an author delete or change a comment.
func (v *village) uncomment(random *rand.Rand) *apptest.Response {
	v.mu.Lock()
	ids := make([]int64, 0, len(v.comments))
	for id := range v.comments {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		v.mu.Unlock()
		return nil
	}
	slices.Sort(ids)
	id := anyOf(random, ids)
	who, edit := v.comments[id], random.IntN(3) == 0
	if !edit {
		delete(v.comments, id)
	}
	v.mu.Unlock()
	if edit {
		return v.Do(who, "PATCH", at("/ext/v1/comments/%d", id), `{"body":"other, @ada"}`)
	}
	return v.Do(who, "DELETE", at("/v3/comments/%d", id), nil)
}

// readOne marks a notification as read, possibly that of another user.
func (v *village) readOne(random *rand.Rand, who string) *apptest.Response {
	list := v.Do(anyOf(random, []string{who, who, who, "ada"}), "GET", "/v3/me/notifications?limit=10", nil)
	if list.Status != http.StatusOK || list.Len("data") == 0 {
		return list
	}
	id := list.Int(at("data.%d.id", random.IntN(list.Len("data"))))
	return v.Do(who, "POST", at("/v3/me/notifications/%d/read", id), nil)
}

// passing creates a block, lets somebody else comment on it, and deletes it.
func (v *village) passing(random *rand.Rand, who string) *apptest.Response {
	made := v.Do(who, "POST", "/v3/blocks", map[string]any{"value": "passing", "channel_ids": []int64{anyOf(random, v.channels)}})
	if made.Status != http.StatusCreated {
		return made
	}
	id := made.Int("id")
	if res := v.Do(anyOf(random, v.names), "POST", at("/v3/blocks/%d/comments", id), `{"body":"@eve"}`); res.Status != http.StatusCreated {
		return res
	}
	return v.Do(who, "DELETE", at("/ext/v1/blocks/%d", id), nil)
}

// Everybody follows, unfollows, comments and reads concurrently. Afterwards the counts agree with the lists, and both
// with the check at the end of each test.
func TestStressPeople(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		v := newVillage(r)
		const seed = 11
		together(8, func(i int) {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for range 30 {
				res := v.act(random)
				if res != nil && res.Status/100 != 2 && res.Status != http.StatusNotFound && res.Status != http.StatusUnprocessableEntity {
					t.Errorf("%d %s", res.Status, res.Body)
				}
			}
		})
		for _, name := range v.names {
			v.agreeOnFollows(t, name)
			v.agreeOnNotifications(t, name)
		}
		total := 0
		for _, block := range v.blocks {
			list := r.Get("", "/v3/blocks/%d/comments?per=100", block)
			n := int64(list.Len("data"))
			if count := r.Get("", "/v3/blocks/%d", block).Int("comment_count"); count != n || list.Int("meta.total_count") != n {
				t.Errorf("block %d: %d comments counted, %d listed: %v", block, count, n, list.Get("meta"))
			}
			total += int(n)
		}
		if total != len(v.comments) {
			t.Errorf("%d comments are there, %d were made and not deleted", total, len(v.comments))
		}
	})
}

// agreeOnFollows compares the counts of a user with the lists, and the lists with the responses for each of their
// members.
func (v *village) agreeOnFollows(t *testing.T, name string) {
	t.Helper()
	user := v.Get("", "/v3/users/%s", name)
	for _, list := range []string{"followers", "following"} {
		res := v.Get("", "/v3/users/%s/%s?per=100", name, list)
		if n := int64(res.Len("data")); user.Int("counts."+list) != n || res.Int("meta.total_count") != n {
			t.Errorf("%s of %s: %d counted, %d listed: %v", list, name, user.Int("counts."+list), n, res.Get("meta"))
		}
	}
	follows := 0
	for _, subject := range v.subjects {
		state := v.Get(name, "/ext/v1/%s/follow", subject).Bool("following")
		res := v.Get("", "/v3/%s/followers?per=100", subject)
		if listed := slices.Contains(memberSlugs(res), name); listed != state {
			t.Errorf("%s follows %s: %t, but is in its list: %t", name, subject, state, listed)
		}
		if state {
			follows++
		}
	}
	if n := user.Int("counts.following"); n != int64(follows) {
		t.Errorf("%s follows %d by count, %d by asking", name, n, follows)
	}
}

// walk reads a list by cursor to its end, in small pages.
func (v *village) walk(t *testing.T, who, list string) (ids []int64, unread []int64) {
	t.Helper()
	for path := list; ; {
		page := v.Get(who, "%s&limit=7", path)
		for i := range page.Len("data") {
			id := page.Int(at("data.%d.id", i))
			if ids = append(ids, id); !page.Bool(at("data.%d.is_read", i)) {
				unread = append(unread, id)
			}
		}
		if !page.Bool("meta.has_more") {
			return ids, unread
		}
		path = list + "&next=" + page.Str("meta.next_cursor")
	}
}

// agreeOnNotifications compares the count of unread notifications with both lists, and with the responses to reading
// them.
func (v *village) agreeOnNotifications(t *testing.T, name string) {
	t.Helper()
	count := func() int64 { return v.Get(name, "/v3/me").Int("counts.notifications") }
	all, unread := v.walk(t, name, "/v3/me/notifications?")
	only, _ := v.walk(t, name, "/v3/me/notifications?unread=true")
	if !slices.Equal(unread, only) || count() != int64(len(unread)) {
		t.Errorf("%s: unread %v, listed alone %v, counted %d", name, unread, only, count())
	}
	if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(all) {
		t.Errorf("%s: notifications twice: %v", name, all)
	}
	if len(unread) > 0 {
		id := unread[len(unread)/2]
		for range 2 {
			res := v.Do(name, "POST", at("/v3/me/notifications/%d/read", id), nil).Want(http.StatusOK)
			if n := res.Int("meta.notifications"); n != int64(len(unread)-1) || n != count() {
				t.Errorf("%s: %d unread after one of %d was read, and %d by count", name, n, len(unread), count())
			}
		}
	}
	if n := v.Do(name, "POST", "/v3/me/notifications/read", nil).Want(http.StatusOK).Int("meta.notifications"); n != 0 || count() != 0 {
		t.Errorf("%s: %d unread after all were read, %d by count", name, n, count())
	}
}
