package describe_test

import (
	"strings"
	"testing"
)

func TestCheckBody(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, operation, body, want string }{
		{"fine", "createBlock", `{"value":"a","channel_ids":[1,"ada"],"insert_at":1,"metadata":{"a":1.5,"b":true}}`, ""},
		{"fine with channels", "createBlock", `{"value":"a","channels":[{"id":"x","position":1}]}`, ""},
		{"unknown fields", "createBlock", `{"value":"a","channel_ids":[1],"class":"Text"}`, ""},
		{"same key", "createBlock", `{"value":"a","channel_ids":[1],"value":"a"}`, "value: is given more than once"},
		{"same key, spelt otherwise", "createBlock", `{"value":1,"v\u0061lue":"a","channel_ids":[1]}`, "value: is given more than once"},
		{"same keys, within", "createBlock", `{"value":"a","channels":[{"id":1,"id":2,"metadata":{"a":1,"a":2}}],"unknown":{"x":1,"x":1}}`,
			"channels[0].id: is given more than once\nchannels[0].metadata.a: is given more than once\nunknown.x: is given more than once"},
		{"null clears", "updateChannel", `{"description":null,"metadata":{"a":null}}`, ""},
		{"lengths in characters", "createChannel", `{"title":"` + strings.Repeat("é", 255) + `"}`, ""},

		{"required", "createChannel", `{}`, "title: is required"},
		{"nested required", "createBlock", `{"value":"a","channels":[{"id":1},{}]}`, "channels[1].id: is required"},
		{"several", "createBlock", `{"channel_ids":[],"title":7,"insert_at":0}`,
			"channel_ids: must have at least 1 item\ninsert_at: must be at least 1\n" +
				"title: must be a string\nvalue: is required"},
		{"not an object", "createBlock", `[]`, "body: must be an object"},
		{"type", "createChannel", `{"title":"a","visibility":1}`, "visibility: must be a string"},
		{"type or null", "updateChannel", `{"description":1}`, "description: must be a string or null"},
		{"enum", "createChannel", `{"title":"a","visibility":"open"}`, "visibility: must be one of public, private, closed"},
		{"too short", "createChannel", `{"title":""}`, "title: must be at least 1 character long"},
		{"too long", "createChannel", `{"title":"` + strings.Repeat("é", 256) + `"}`, "title: must be at most 255 characters long"},
		{"too many", "createBlock", `{"value":"a","channel_ids":[` + strings.Repeat("1,", 20) + `1]}`,
			"channel_ids: must have at most 20 items"},
		{"metadata value", "createBlock", `{"value":"a","channel_ids":[1],"metadata":{"k":[],"l":null}}`,
			"metadata.k: must be a string, number or boolean\nmetadata.l: must be a string, number or boolean"},
		{"metadata length", "createBlock", `{"value":"a","channel_ids":[1],"metadata":{"k":"` + strings.Repeat("é", 2001) + `"}}`,
			"metadata.k: must be at most 2000 characters long"},
		{"metadata input", "updateBlock", `{"metadata":{"k":{}}}`, "metadata.k: must be a string, number, boolean or null"},
		{"metadata keys", "updateBlock", `{"metadata":{"a b":1},"title":"a","content":"a"}`,
			`metadata: must not have the key "a b": keys must match ^[A-Za-z0-9_]{1,40}$`},
		{"metadata count", "updateBlock", `{"metadata":{` + manyKeys(51) + `}}`, "metadata: must have at most 50 keys"},

		{"neither", "createBlock", `{"value":"a"}`, "channel_ids or channels: one is required"},
		{"neither, and bad", "createBlock", `{"value":"a","insert_at":"1"}`,
			"channel_ids or channels: one is required\ninsert_at: must be an integer"},
		{"both", "createBlock", `{"value":"a","channel_ids":[1],"channels":[{"id":1}]}`,
			"channel_ids, channels: give one or the other, not both"},
		{"both, and bad", "createConnection", `{"connectable_type":"Block","connectable_id":1,"channel_ids":[1.5],"channels":[{"id":null}]}`,
			"channel_ids, channels: give one or the other, not both\n" +
				"channel_ids[0]: must be an integer or string\nchannels[0].id: must be an integer or string"},
		{"not with", "createBlock", `{"value":"a","channels":[{"id":1}],"insert_at":1}`,
			"insert_at: must not be given together with channels"},
		{"not with, and bad", "createConnection", `{"connectable_type":"User","connectable_id":0,"channels":[{"id":true}],"position":1}`,
			"channels[0].id: must be an integer or string\nconnectable_id: must be at least 1\n" +
				"connectable_type: must be one of Block, Channel\nposition: must not be given together with channels"},
		{"id or slug", "createBlock", `{"value":"a","channel_ids":[true]}`, "channel_ids[0]: must be an integer or string"},

		{"64 bits", "createChannel", `{"title":"a","owner":{"id":9223372036854775807}}`, ""},
		{"65 bits", "createChannel", `{"title":"a","owner":{"id":9223372036854775808}}`, "owner.id: must be a 64-bit integer"},
		{"65 bits in a choice", "createBlock", `{"value":"a","channel_ids":[1e30]}`, "channel_ids[0]: must be a 64-bit integer"},
		{"fraction", "moveConnection", `{"position":1.5}`, "position: must be an integer"},
		{"whole fraction", "moveConnection", `{"position":1.0}`, "position: must be an integer without a fraction or exponent"},
		{"exponent", "moveConnection", `{"position":1e2}`, "position: must be an integer without a fraction or exponent"},
		{"huge", "updateBlock", `{"metadata":{"a":1e999,"b":-1e999999999}}`,
			"metadata.a: must be a number that fits 64 bits\nmetadata.b: must be a number that fits 64 bits"},
		{"huge integer", "moveConnection", `{"position":1e999}`, "position: must be a number that fits 64 bits"},

		{"URL", "createBlock", `{"value":"a","channel_ids":[1],"original_source_url":"/a"}`,
			"original_source_url: must be an absolute http or https URL"},

		{"spaces", "createBlock", `{"value":" \u00a0\u3000","title":"\n","channel_ids":[1]}`, "title: must not be blank\nvalue: must not be blank"},
		{"no title", "createBlock", `{"value":"a","title":"","channel_ids":[1]}`, ""},
		{"neither text nor spaces", "createBlock", `{"value":"","channel_ids":[1]}`, "value: must be at least 1 character long"},

		{"empty", "createBlock", ``, "body: is required"},
		{"blank", "createBlock", ` `, "body: is not valid JSON (it ends too early, after byte 1)"},
		{"truncated", "createBlock", `{"value":"a`, "body: is not valid JSON (it ends too early, after byte 11)"},
		{"not JSON", "createBlock", `{"value":tru}`, "body: is not valid JSON (at byte 13)"},
		{"trailing", "createBlock", `{"value":"a"} {}`, "body: is not valid JSON (at byte 15)"},
		{"line break in a string", "createBlock", "{\"value\":\"a\nb\"}", "body: is not valid JSON (at byte 12)"},
		{"Latin-1", "createBlock", "{\"value\":\"\xe9\"}", "body: is not valid UTF-8"},
		{"surrogate in UTF-8", "createBlock", "{\"value\":\"\xed\xa0\x80\"}", "body: is not valid UTF-8"},
		{"high half", "createBlock", `{"value":"\ud83d"}`, "body: is not valid UTF-8 (half a surrogate pair)"},
		{"high half twice", "createBlock", `{"value":"\ud83d\ud83d"}`, "body: is not valid UTF-8 (half a surrogate pair)"},
		{"low half", "createBlock", `{"value":"\uDE00"}`, "body: is not valid UTF-8 (half a surrogate pair)"},
		{"half in an unknown key", "createChannel", `{"title":"a","\udc00":1}`, "body: is not valid UTF-8 (half a surrogate pair)"},
		{"pair", "createChannel", `{"title":"\ud83d\ude00\uD83D\uDE00"}`, ""},
		{"escaped backslash", "createChannel", `{"title":"\\ud83d"}`, ""},
		{"NUL", "createChannel", `{"title":"a\u0000"}`, "title: must not contain NUL"},
		{"NULs", "createBlock", `{"channel_ids":["\u0000"],"metadata":{"k":"\u0000"},"unknown":{"a":["\u0000"]}}`,
			"channel_ids[0]: must not contain NUL\nmetadata.k: must not contain NUL\n" +
				"unknown.a[0]: must not contain NUL\nvalue: is required"},
		{"NUL in a key", "createChannel", `{"title":"a","unknown":{"a\u0000":1}}`, "unknown: must not have keys that contain NUL"},
		{"text of NUL", "createChannel", `{"title":"\\u0000"}`, ""},
		{"deep", "createChannel", `{"title":"a","x":` + nested(63) + `}`, ""},
		{"too deep", "createChannel", `{"title":"a","x":` + nested(64) + `}`, "body: is nested more than 64 levels deep"},
		{"far too deep", "createChannel", strings.Repeat("[", 100000), "body: is nested more than 64 levels deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := lines(operation(t, tt.operation).CheckBody([]byte(tt.body))); got != tt.want {
				t.Errorf("%.200s\ngot:\n%s\nwant:\n%s", tt.body, got, tt.want)
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"k` + strings.Repeat("x", i%30) + string(rune('a'+i/30)) + `":1,`)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestAccepts(t *testing.T) {
	t.Parallel()
	post, get := operation(t, "createBlock"), operation(t, "getBlock")
	for header, want := range map[string]bool{
		"":                                  true,
		"application/json":                  true,
		"Application/JSON":                  true,
		"application/json;charset=utf-8":    true,
		" application/json ; charset":       true,
		"application/problem+json":          false,
		"application/jsonp":                 false,
		"text/plain":                        false,
		"multipart/form-data":               false,
		"application/x-www-form-urlencoded": false,
	} {
		if got := post.Accepts(header); got != want {
			t.Errorf("%q: got %v", header, got)
		}
		if !get.Accepts(header) {
			t.Errorf("%q: refused where there is no body", header)
		}
	}
}
