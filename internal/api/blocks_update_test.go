package api_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// TestUpdateBlock: only given fields change, and fields that a type lacks are refused.
func TestUpdateBlock(t *testing.T) {
	t.Parallel()
	text := func(s string) map[string]any {
		return map[string]any{"markdown": s, "html": "<p>" + s + "</p>", "plain": s}
	}
	tests := map[string]struct {
		body    string
		changed map[string]any
		text    int // status for a Text
		link    int // status for a Link
	}{
		"nothing":           {`{}`, nil, 200, 200},
		"unknown":           {`{"state":"failed","visibility":"private","user":{"id":9}}`, nil, 200, 200},
		"the same":          {`{"title":"Old","description":"Old","metadata":{"k":"v"}}`, nil, 200, 200},
		"title":             {`{"title":"New"}`, map[string]any{"title": "New"}, 200, 200},
		"no title":          {`{"title":""}`, map[string]any{"title": nil}, 200, 200},
		"description":       {`{"description":"New"}`, map[string]any{"description": text("New")}, 200, 200},
		"no description":    {`{"description":""}`, map[string]any{"description": nil}, 200, 200},
		"metadata":          {`{"metadata":{"k":"w"}}`, map[string]any{"metadata": map[string]any{"k": "w"}}, 200, 200},
		"content":           {`{"content":"New"}`, map[string]any{"content": text("New")}, 200, 422},
		"content and title": {`{"content":"New","title":"New"}`, map[string]any{"content": text("New"), "title": "New"}, 200, 422},
		"empty content":     {`{"content":"","title":"New"}`, nil, 400, 400},
		"blank content":     {`{"content":" \n","title":"New"}`, nil, 400, 422},
		"alt_text":          {`{"alt_text":"Words","title":"New"}`, nil, 422, 422},
		"empty alt_text":    {`{"alt_text":"","title":"New"}`, nil, 422, 422},
		"blank title":       {`{"title":" \t","description":"New"}`, nil, 400, 400},
		"null title":        {`{"title":null}`, map[string]any{"title": nil}, 200, 200},
		"long title":        {fmt.Sprintf(`{"title":"%0256d"}`, 1), nil, 400, 400},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Channel", "private")
		for name, test := range tests {
			for value, status := range map[string]int{"Old": test.text, "https://example.org": test.link} {
				before := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": value, "title": "Old", "description": "Old",
					"metadata": map[string]any{"k": "v"}, "channel_ids": []int64{channel}}).Want(201)
				r.Clock.Advance(time.Minute)
				at := fmt.Sprint("/v3/blocks/", before.Int("id"))
				res := r.Do("ada", "PUT", at, test.body)
				if res.Status != status {
					t.Errorf("%s of %s: status %d, want %d: %s", name, value, res.Status, status, res.Body)
				}
				after, want := r.Get("ada", "%s", at), fields(before)
				if status == 200 {
					maps.Copy(want, test.changed)
					want["updated_at"] = after.Str("updated_at")
				}
				if got := fields(after); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s of %s:\n%v, want\n%v", name, value, got, want)
				}
				changes := len(test.changed) > 0
				if moved := after.Str("updated_at") > before.Str("updated_at"); status == 200 && moved != changes {
					t.Errorf("%s of %s: something changes: %t, updated_at moved: %t", name, value, changes, moved)
				}
			}
		}
	})
}

// TestUpdateBlockIsSeenEverywhere: an update shows in every channel of the block.
func TestUpdateBlockIsSeenEverywhere(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a, b := r.Channel("ada", "A", "closed"), r.Channel("ben", "B", "public")
		block := r.Block("ada", "Old", a)
		r.Connect("ben", "Block", block, b)
		r.Do("ben", "PUT", fmt.Sprint("/v3/blocks/", block), `{"content":"Ben's"}`).Want(403)
		r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", block), `{"content":"New"}`).Want(200)
		for _, channel := range []int64{a, b} {
			if got := r.Get("", "/v3/channels/%d/contents", channel).Str("data.0.content.plain"); got != "New" {
				t.Errorf("channel %d shows %q", channel, got)
			}
		}
		res := r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", block), `{"content":"https://example.org"}`).Want(200)
		if res.Str("type") != "Text" || res.Get("source") != nil {
			t.Errorf("a URL as content made it %s", res.Body)
		}
	})
}
