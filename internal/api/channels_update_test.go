package api_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// TestUpdateChannelField: only given fields change, for every visibility.
func TestUpdateChannelField(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body    string
		changed map[string]any // the changed fields with their values
	}{
		"nothing":     {`{}`, nil},
		"unknown":     {`{"slug":"mine","state":"deleted"}`, nil},
		"title":       {`{"title":"Other"}`, map[string]any{"title": "Other"}},
		"same title":  {`{"title":"Before"}`, nil},
		"letter case": {`{"title":"BEFORE"}`, map[string]any{"title": "BEFORE"}},
		"same text":   {`{"description":"Old"}`, nil},
		"description": {`{"description":"New"}`, map[string]any{"description": map[string]any{"markdown": "New", "html": "<p>New</p>", "plain": "New"}}},
		"null":        {`{"description":null}`, map[string]any{"description": nil}},
		"empty":       {`{"description":""}`, map[string]any{"description": nil}},
		"metadata":    {`{"metadata":{"shelf":"bottom"}}`, map[string]any{"metadata": map[string]any{"shelf": "bottom"}}},
		"public":      {`{"visibility":"public"}`, map[string]any{"visibility": "public"}},
		"closed":      {`{"visibility":"closed"}`, map[string]any{"visibility": "closed"}},
		"private":     {`{"visibility":"private"}`, map[string]any{"visibility": "private"}},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for name, test := range tests {
			for _, visibility := range []string{"public", "closed", "private"} {
				before := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Before", "visibility": visibility,
					"description": "Old", "metadata": map[string]any{"shelf": "top"}}).Want(201)
				r.Clock.Advance(time.Minute)
				at := fmt.Sprint("/v3/channels/", before.Int("id"))
				after := r.Do("ada", "PUT", at, test.body).Want(200)
				want, got := fields(before), fields(after)
				maps.Copy(want, test.changed)
				changes := fmt.Sprint(want) != fmt.Sprint(fields(before))
				want["slug"], want["updated_at"] = got["slug"], got["updated_at"] // slugs have tests of their own
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s of %s:\n%v, want\n%v", name, visibility, got, want)
				}
				if moved := after.Str("updated_at") > before.Str("updated_at"); moved != changes {
					t.Errorf("%s of %s: something changes: %t, updated_at moved: %t", name, visibility, changes, moved)
				}
				if read := r.Get("ada", "%s", at); string(read.Body) != string(after.Body) {
					t.Errorf("%s: answered\n%s, read\n%s", name, after.Body, read.Body)
				}
			}
		}
	})
}

// fields returns the fields of a resource.
func fields(res *apptest.Response) map[string]any {
	res.T.Helper()
	object, ok := res.Get("").(map[string]any)
	if !ok {
		res.T.Fatalf("no object: %s", res.Body)
	}
	return object
}

// TestUpdateChannelRefused: a request with one refused part changes nothing.
func TestUpdateChannelRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ben")
		channel := r.Channel("ada", "Kept", "closed")
		r.Collaborate("ada", channel, "cleo")
		tests := map[string]struct {
			as, body string
			status   int
		}{
			"blank title":                {"ada", `{"title":"  ","description":"New"}`, 400},
			"owner to a stranger":        {"ada", `{"title":"New","owner":{"id":1}}`, 403},
			"owner to a missing group":   {"ada", `{"title":"New","owner":{"id":99,"type":"Group"}}`, 403},
			"visibility by collaborator": {"cleo", `{"title":"New","visibility":"public"}`, 403},
			"owner by collaborator":      {"cleo", `{"title":"New","owner":{"id":3}}`, 403},
		}
		before := r.Get("ada", "/v3/channels/%d", channel)
		for name, test := range tests {
			if res := r.Do(test.as, "PUT", fmt.Sprint("/v3/channels/", channel), test.body); res.Status != test.status {
				t.Errorf("%s: status %d, want %d: %s", name, res.Status, test.status, res.Body)
			}
			if now := r.Get("ada", "/v3/channels/%d", channel); string(now.Body) != string(before.Body) {
				t.Errorf("%s: changed\n%s to\n%s", name, before.Body, now.Body)
			}
		}
		r.Do("ada", "GET", "/v3/channels/new", nil).Want(404)
	})
}
