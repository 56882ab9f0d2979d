package api_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestSlugOfTitle: the slug of a title, on an empty server and if it is taken.
func TestSlugOfTitle(t *testing.T) {
	t.Parallel()
	const end = "-[0-9a-z]{11}"
	tests := []struct{ title, first, second string }{
		{"Hello World", "hello-world", "hello-world" + end},
		{"hello, world!", "hello-world" + end, "hello-world" + end}, // taken by the one above
		{"Crème brûlée", "creme-brulee", "creme-brulee" + end},
		{"Straße nach Łódź", "strasse-nach-lodz", "strasse-nach-lodz" + end},
		{"Москва", "moskva", "moskva" + end},
		{"東京", "dong-jing", "dong-jing" + end},
		{"2024", "2024" + end, "2024" + end},
		{"20 24", "20-24", "20-24" + end},
		{"🙂🙃", "channel" + end, "channel" + end},
		{"!?", "channel" + end, "channel" + end},
		{"me", "me", "me" + end}, // reserved for users only
		{strings.Repeat("long ", 51), "(long-){19}long", "(long-){16}long" + end},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, test := range tests {
			for _, want := range []string{test.first, test.second} {
				made := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": test.title}).Want(201)
				slug := made.Str("slug")
				if !regexp.MustCompile("^" + want + "$").MatchString(slug) {
					t.Errorf("%q gives %q, want %s", test.title, slug, want)
				}
				if id := r.Get("", "/v3/channels/%s", slug).Int("id"); id != made.Int("id") {
					t.Errorf("%q leads to %d, not to %d", slug, id, made.Int("id"))
				}
			}
		}
	})
}

// TestSlugHistory: a channel can be read by every slug that it ever had, and no other channel gets one of them.
func TestSlugHistory(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Channel("ada", "First", "public")
		at := fmt.Sprint("/v3/channels/", id)
		had := []string{"first"}
		for _, step := range []struct{ title, slug string }{
			{"Second", "second"}, {"Third", "third"}, {"THIRD!", "third"}, {"First", "first"}, {"second", "second"},
			{"12", ""}, {"🙂", ""}, {"Last", "last"},
		} {
			slug := r.Do("ada", "PUT", at, map[string]any{"title": step.title}).Want(200).Str("slug")
			if step.slug != "" && slug != step.slug {
				t.Errorf("%q gives %q, want %q", step.title, slug, step.slug)
			}
			had = append(had, slug)
		}
		for _, old := range had {
			if res := r.Get("", "/v3/channels/%s", old); res.Int("id") != id || res.Str("slug") != "last" {
				t.Errorf("%s answers %s", old, res.Body)
			}
			r.Get("", "/v3/channels/%s/contents", old)
			r.Get("", "/v3/channels/%s/connections", old)
			r.Get("", "/ext/v1/channels/%s/collaborators", old)
			r.Do("ada", "PUT", "/v3/channels/"+old, `{"description":"Reached"}`).Want(200)
			r.Do("ben", "POST", "/v3/blocks", map[string]any{"value": "By " + old, "channel_ids": []string{old}}).Want(201)
			other := r.Do("ben", "POST", "/v3/channels", map[string]any{"title": old}).Want(201)
			if !strings.HasPrefix(other.Str("slug"), old+"-") || other.Int("id") == id {
				t.Errorf("another channel got %q", other.Str("slug"))
			}
		}
		if n := r.Get("", "%s", at).Int("counts.blocks"); n != int64(len(had)) {
			t.Errorf("%d blocks came in by %d slugs", n, len(had))
		}
	})
}

// TestSlugOfDeleted: the slugs of a deleted channel are never found again.
func TestSlugOfDeleted(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Channel("ada", "Gone", "public")
		r.Do("ada", "PUT", "/v3/channels/gone", `{"title":"Going"}`).Want(200)
		r.Do("ada", "DELETE", "/v3/channels/gone", nil).Want(204)
		for _, title := range []string{"Gone", "Going"} {
			slug := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": title}).Want(201).Str("slug")
			if !strings.HasPrefix(slug, strings.ToLower(title)+"-") {
				t.Errorf("%s was given again", slug)
			}
		}
		for _, ref := range []string{"gone", "going", fmt.Sprint(id)} {
			r.Do("ada", "GET", "/v3/channels/"+ref, nil).Want(404)
		}
	})
}

// TestChannelReference: digits are always an id; slugs only refer to channels.
func TestChannelReference(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Channel("ada", "777", "closed")
		slug := r.Get("", "/v3/channels/%d", id).Str("slug")
		for ref, status := range map[string]int{fmt.Sprint(id): 200, fmt.Sprint("000", id): 200, slug: 200, "777": 404,
			"ada": 404, "0": 404, "-1": 404, "99999999999999999999": 404, strings.ToUpper(slug): 404, "東京": 404, "a b": 404} {
			if res := r.Do("", "GET", "/v3/channels/"+url.PathEscape(ref), nil); res.Status != status {
				t.Errorf("%q: status %d, want %d", ref, res.Status, status)
			}
		}
	})
}
