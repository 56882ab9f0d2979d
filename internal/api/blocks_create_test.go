package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestCreateBlock: the value determines the type of the block, and given texts take precedence over found ones.
func TestCreateBlock(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body map[string]any
		want map[string]any
	}{
		"text": {map[string]any{"value": "Some *text*"}, map[string]any{"type": "Text", "base_type": "Block",
			"state": "available", "visibility": "public", "comment_count": 0, "user.slug": "ada", "title": nil,
			"description": nil, "source": nil, "metadata": nil, "content.markdown": "Some *text*",
			"content.html": "<p>Some <em>text</em></p>", "content.plain": "Some text"}},
		"words": {map[string]any{"value": "Text", "title": "Title", "description": "*D*", "metadata": map[string]any{"a": true}},
			map[string]any{"title": "Title", "description.html": "<p><em>D</em></p>", "metadata.a": true}},
		"empty words": {map[string]any{"value": "Text", "title": "", "description": "", "original_source_url": "", "original_source_title": "", "alt_text": ""},
			map[string]any{"title": nil, "description": nil, "source": nil}},
		"null words": {map[string]any{"value": "Text", "title": nil, "description": nil, "original_source_url": nil, "original_source_title": nil,
			"alt_text": nil, "metadata": nil}, map[string]any{"title": nil, "description": nil, "source": nil, "metadata": nil}},
		"text with a source": {map[string]any{"value": "Quoted", "original_source_url": "https://www.Example.org:8443/page?a=b#c",
			"original_source_title": "The page"}, map[string]any{"type": "Text", "source.title": "The page",
			"source.url": "https://www.example.org:8443/page?a=b#c", "source.provider.name": "example.org",
			"source.provider.url": "https://www.example.org:8443"}},
		"source without a title": {map[string]any{"value": "Quoted", "original_source_url": "http://example.org"},
			map[string]any{"source.title": nil, "source.provider.name": "example.org", "source.provider.url": "http://example.org"}},

		"link": {map[string]any{"value": "https://www.example.org/path?q=1#part"}, map[string]any{"type": "PendingBlock",
			"base_type": "Block", "state": "processing", "title": nil,
			"source.url": "https://www.example.org/path?q=1#part", "source.title": nil,
			"source.provider.name": "example.org", "source.provider.url": "https://www.example.org"}},
		"link with words": {map[string]any{"value": "https://example.org/a", "title": "T", "description": "D"},
			map[string]any{"type": "PendingBlock", "title": "T", "description.plain": "D"}},
		"link with another source": {map[string]any{"value": "https://example.org/a", "original_source_url": "https://origin.example.com/b",
			"original_source_title": "Origin"}, map[string]any{"type": "PendingBlock", "source.url": "https://origin.example.com/b",
			"source.title": "Origin", "source.provider.name": "origin.example.com"}},
		"link with a source title": {map[string]any{"value": "https://example.org/a", "original_source_title": "Named"},
			map[string]any{"source.url": "https://example.org/a", "source.title": "Named"}},
		"link, trimmed":       {map[string]any{"value": " \n http://example.org \t"}, map[string]any{"type": "PendingBlock", "source.url": "http://example.org"}},
		"link, upper case":    {map[string]any{"value": "HTTPS://WWW.EXAMPLE.ORG/A"}, map[string]any{"type": "PendingBlock", "source.provider.name": "example.org", "source.provider.url": "https://www.example.org"}},
		"link to a subdomain": {map[string]any{"value": "https://www2.example.org"}, map[string]any{"source.provider.name": "www2.example.org"}},
		"link, own script": {map[string]any{"value": "https://bücher.example/ä"}, map[string]any{"type": "PendingBlock",
			"source.url": "https://xn--bcher-kva.example/%C3%A4", "source.provider.url": "https://xn--bcher-kva.example"}},
		"link, odd characters": {map[string]any{"value": `http://example.org/a"{b}\c%?|`}, map[string]any{"type": "PendingBlock",
			"source.url": "http://example.org/a%22%7Bb%7D/c%25?%7C"}},
		"link, percent":         {map[string]any{"value": "http://example.org/100%"}, map[string]any{"source.url": "http://example.org/100%25"}},
		"link, file with space": {map[string]any{"value": "http://example.org/a b.png"}, map[string]any{"source.url": "http://example.org/a%20b.png"}},
		"source with spaces": {map[string]any{"value": "Quoted", "original_source_url": " http://exämple.org/a b "},
			map[string]any{"type": "Text", "source.url": "http://xn--exmple-cua.org/a%20b"}},

		"URL and words":     {map[string]any{"value": "https://example.org/ is down"}, map[string]any{"type": "Text"}},
		"two URLs":          {map[string]any{"value": "https://example.org https://example.com"}, map[string]any{"type": "Text"}},
		"URL on two lines":  {map[string]any{"value": "https://example.org/\na"}, map[string]any{"type": "Text"}},
		"URL in a sentence": {map[string]any{"value": "See https://example.org"}, map[string]any{"type": "Text"}},
		"another scheme":    {map[string]any{"value": "ftp://example.org/file"}, map[string]any{"type": "Text"}},
		"a script":          {map[string]any{"value": "javascript:alert(1)"}, map[string]any{"type": "Text"}},
		"no host":           {map[string]any{"value": "https:///path"}, map[string]any{"type": "Text"}},
		"no scheme":         {map[string]any{"value": "//example.org/path"}, map[string]any{"type": "Text"}},
		"bare host":         {map[string]any{"value": "www.example.org"}, map[string]any{"type": "Text"}},
		"Markdown link":     {map[string]any{"value": "[a](https://example.org)"}, map[string]any{"type": "Text", "content.plain": "a (https://example.org)"}},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Channel", "closed")
		for name, test := range tests {
			test.body["channel_ids"] = []int64{channel}
			body, err := json.Marshal(test.body)
			if err != nil {
				t.Fatal(err)
			}
			made := r.Do("ada", "POST", "/v3/blocks", body).Want(201)
			for path, want := range test.want {
				if got, ok := made.Lookup(path); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %s is %v, want %v", name, path, got, want)
				}
			}
		}
	})
}

// TestCreateBlockRefused: blank values and invalid source URLs create nothing.
func TestCreateBlockRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Channel", "closed")
		for body, field := range map[string]string{
			`{"value":"","channel_ids":["channel"]}`:                                                       "value",
			`{"value":" \n\t","channel_ids":["channel"]}`:                                                  "value",
			`{"channel_ids":["channel"]}`:                                                                  "value",
			`{"value":"Text","original_source_url":"/page","channel_ids":["channel"]}`:                     "original_source_url",
			`{"value":"Text","original_source_url":"no URL","channel_ids":["channel"]}`:                    "original_source_url",
			`{"value":"Text","original_source_url":"https://ada:x@example.org","channel_ids":["channel"]}`: "original_source_url",
			`{"value":"Text","original_source_url":"http://ada@example.org/","channel_ids":["channel"]}`:   "original_source_url",
			`{"value":"https://ada:secret@example.org/","channel_ids":["channel"]}`:                        "value",
			`{"value":"https://example.org/` + strings.Repeat("a", 4100) + `","channel_ids":["channel"]}`:  "value",
			`{"value":"Text","channel_ids":["channel"],"insert_at":0}`:                                     "insert_at",
			`{"value":"Text","channels":[{"id":"channel","position":0}]}`:                                  "channels",
			`{"value":"Text","channel_ids":[]}`:                                                            "channel_ids",
			`{"value":"Text"}`:                                                                             "channel",
			`{"value":"Text","channel_ids":["channel"],"channels":[{"id":"channel"}]}`:                     "channel_ids",
			`{"value":"Text","channels":[{"id":"channel"}],"insert_at":1}`:                                 "insert_at",
			`{"value":"Text","channel_ids":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}`:       "channel_ids",
		} {
			res := r.Do("ada", "POST", "/v3/blocks", body)
			if res.Status != 400 {
				t.Errorf("%s: status %d: %s", body, res.Status, res.Body)
				continue
			}
			if errors := fmt.Sprint(res.Get("details.errors")); !strings.Contains(errors, field) {
				t.Errorf("%s: %s does not name %s", body, errors, field)
			}
		}
		if n := r.Get("ada", "/v3/channels/%d", channel).Int("counts.contents"); n != 0 {
			t.Errorf("%d blocks were created", n)
		}
	})
}
