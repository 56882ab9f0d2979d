package api_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// TestCreateChannel: given fields are set, and the others have their defaults.
func TestCreateChannel(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		want map[string]any
	}{
		"only a title": {`{"title":"Bare"}`, map[string]any{"title": "Bare", "slug": "bare", "type": "Channel",
			"state": "available", "visibility": "closed", "description": nil, "metadata": nil, "owner.slug": "ada",
			"owner.type": "User", "counts.blocks": 0, "counts.channels": 0, "counts.contents": 0, "counts.collaborators": 0}},
		"public":  {`{"title":"P","visibility":"public"}`, map[string]any{"visibility": "public"}},
		"closed":  {`{"title":"C","visibility":"closed"}`, map[string]any{"visibility": "closed"}},
		"private": {`{"title":"S","visibility":"private"}`, map[string]any{"visibility": "private"}},
		"description": {`{"title":"D","description":"On *notes*"}`, map[string]any{"description.markdown": "On *notes*",
			"description.html": "<p>On <em>notes</em></p>", "description.plain": "On notes"}},
		"empty description":   {`{"title":"E","description":""}`, map[string]any{"description": nil}},
		"title with margins":  {`{"title":"  In the middle \n"}`, map[string]any{"title": "In the middle", "slug": "in-the-middle"}},
		"metadata":            {`{"title":"M","metadata":{"a":"b"}}`, map[string]any{"metadata.a": "b"}},
		"unknown field":       {`{"title":"U","colour":"red"}`, map[string]any{"title": "U"}},
		"owner without type":  {`{"title":"O","owner":{"id":1}}`, map[string]any{"owner.slug": "ada"}},
		"owner a user":        {`{"title":"O2","owner":{"id":1,"type":"User"}}`, map[string]any{"owner.slug": "ada"}},
		"owner of one's own":  {`{"title":"G","owner":{"id":1,"type":"Group"}}`, map[string]any{"owner.slug": "founded", "owner.type": "Group", "owner.initials": "F"}},
		"owner a joined one":  {`{"title":"J","owner":{"id":2,"type":"Group"}}`, map[string]any{"owner.slug": "joined"}},
		"collaborators first": {`{"title":"N"}`, map[string]any{"collaborators": "[]"}},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ada")
		r.Group("Founded", "ada")
		r.Group("Joined", "ben", "ada")
		for name, test := range tests {
			made := r.Do("ada", "POST", "/v3/channels", test.body).Want(201)
			for path, want := range test.want {
				if got := made.Get(path); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %s is %v, want %v", name, path, got, want)
				}
			}
			if read := r.Get("ada", "/v3/channels/%d", made.Int("id")); string(read.Body) != string(made.Body) {
				t.Errorf("%s: made\n%s, read\n%s", name, made.Body, read.Body)
			}
		}
	})
}

// TestCreateChannelRefused: a channel cannot be created for others, and nothing is created.
func TestCreateChannelRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		foreign := r.Group("Foreign", "ben")
		tests := map[string]struct {
			body   string
			status int
		}{
			"blank title":      {`{"title":" \t\n"}`, 400},
			"another user":     {fmt.Sprintf(`{"title":"A","owner":{"id":%d}}`, r.Person("ben").ID), 403},
			"no such user":     {`{"title":"A","owner":{"id":999}}`, 403},
			"a foreign group":  {fmt.Sprintf(`{"title":"A","owner":{"id":%d,"type":"Group"}}`, foreign), 403},
			"no such group":    {`{"title":"A","owner":{"id":999,"type":"Group"}}`, 403},
			"no such kind":     {`{"title":"A","owner":{"id":1,"type":"Channel"}}`, 400},
			"owner without id": {`{"title":"A","owner":{}}`, 400},
		}
		for name, test := range tests {
			if res := r.Do("ada", "POST", "/v3/channels", test.body); res.Status != test.status {
				t.Errorf("%s: status %d, want %d: %s", name, res.Status, test.status, res.Body)
			}
		}
		for _, who := range []string{"ada", "ben"} {
			if n := r.Get(who, "/v3/me").Int("counts.channels"); n != 0 {
				t.Errorf("%s has %d channels", who, n)
			}
		}
		r.Do("ada", "GET", "/v3/channels/a", nil).Want(404)
		if slug := r.Do("ada", "POST", "/v3/channels", `{"title":"A"}`).Want(201).Str("slug"); slug != "a" {
			t.Errorf("a refused channel kept its slug: the next is %q", slug)
		}
	})
}
