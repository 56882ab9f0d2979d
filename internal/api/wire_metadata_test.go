package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// pairs returns n members of a JSON object, with keys from prefix0 on.
func pairs(prefix string, n int, value string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"%s%d":%s`, prefix, i, value)
	}
	return strings.Join(all, ",")
}

// metadataPlaces returns the requests with metadata. M is its placeholder; null reports whether it may be null.
func (w *world) metadataPlaces() []struct {
	name, method, path, body, field string
	null                            bool
} {
	return []struct {
		name, method, path, body, field string
		null                            bool
	}{
		{"createBlock", "POST", "/v3/blocks", at(`{"value":"x","channel_ids":[%d],"metadata":M}`, w.closed), "metadata", false},
		{"createBlock in channels", "POST", "/v3/blocks",
			at(`{"value":"x","channels":[{"id":%d},{"id":%d,"metadata":M}]}`, w.closed, w.open), "channels[1].metadata", false},
		{"updateBlock", "PUT", at("/v3/blocks/%d", w.block), `{"title":"new","metadata":M}`, "metadata", true},
		{"createChannel", "POST", "/v3/channels", `{"title":"New","metadata":M}`, "metadata", false},
		{"updateChannel", "PUT", at("/v3/channels/%d", w.closed), `{"title":"New","visibility":"private","metadata":M}`, "metadata", true},
		{"createConnection", "POST", "/v3/connections", at(`{"connectable_type":"Block","connectable_id":%d,`+
			`"channels":[{"id":%d},{"id":%d,"metadata":M}]}`, w.link, w.open, w.spare), "channels[1].metadata", false},
		{"updateConnection", "PUT", at("/v3/connections/%d", w.connection), `{"metadata":M}`, "metadata", true},
	}
}

func TestBadMetadata(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		before := w.Dump()
		for _, place := range w.metadataPlaces() {
			value := "must be a string, number or boolean"
			if place.null {
				value = "must be a string, number, boolean or null"
			}
			key := func(k string) string {
				return at("must not have the key %s: keys must match ^[A-Za-z0-9_]{1,40}$", k)
			}
			tests := []struct {
				metadata string
				errs     []string // each after the field's name
			}{
				{`[]`, []string{": must be an object"}},
				{`null`, []string{": must be an object"}},
				{`{` + pairs("k", 51, "1") + `}`, []string{": must have at most 50 keys"}},
				{`{"` + strings.Repeat("k", 41) + `":1}`, []string{": " + key(strings.Repeat("k", 40)+"…")}},
				{`{"":1}`, []string{": " + key(`""`)}},
				{`{"a b":1}`, []string{": " + key(`"a b"`)}},
				{`{"é":1}`, []string{": " + key(`"é"`)}},
				{`{"a":{"b":1}}`, []string{".a: " + value}},
				{`{"a":[1]}`, []string{".a: " + value}},
				{`{"a":"` + strings.Repeat("é", 2001) + `"}`, []string{".a: must be at most 2000 characters long"}},
				{`{"a":"\u0000"}`, []string{".a: must not contain NUL"}},
				{`{"a":1e999}`, []string{".a: must be a number that fits 64 bits"}},
				{`{"a":{},"b":[],"c-d":1}`, []string{".a: " + value, ".b: " + value, ": " + key("c-d")}},
			}
			if !place.null {
				tests = append(tests, struct {
					metadata string
					errs     []string
				}{`{"a":null}`, []string{".a: " + value}})
			}
			for _, tt := range tests {
				if tt.metadata == "null" && place.name == "createBlock" { // clients send it for no metadata
					continue
				}
				errs := make([]string, len(tt.errs))
				for i, e := range tt.errs {
					errs[i] = place.field + e
				}
				if len(errs) > 1 { // the object sorts before its members
					errs = append(errs[len(errs)-1:], errs[:len(errs)-1]...)
				}
				name := at("%s %.80s", place.name, tt.metadata)
				res := w.Do("ada", place.method, place.path, strings.Replace(place.body, "M", tt.metadata, 1))
				refused(t, name, res, http.StatusBadRequest, errs...)
				w.unchanged(t, before, name)
			}
			// 17 values of 2,000 characters: each is valid, but together they are too large.
			large := `{` + pairs("k", 17, `"`+strings.Repeat("x", 2000)+`"`) + `}`
			res := w.Do("ada", place.method, place.path, strings.Replace(place.body, "M", large, 1))
			if place.null {
				refused(t, place.name+", 33 KB", res, http.StatusUnprocessableEntity)
			} else {
				refused(t, place.name+", 33 KB", res, http.StatusBadRequest, place.field+": must be at most 50 keys and 32 KB of JSON")
			}
			w.unchanged(t, before, place.name+", 33 KB")
		}
	})
}

func TestMetadataAfterMerge(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		half := pairs("old", 8, `"`+strings.Repeat("x", 2000)+`"`)
		for _, place := range w.metadataPlaces() {
			if !place.null {
				continue
			}
			put := func(metadata string) string { return strings.Replace(place.body, "M", metadata, 1) }
			w.Do("ada", place.method, place.path, put(`{`+half+`}`)).Want(http.StatusOK)
			before := w.Dump()
			for name, patch := range map[string]string{
				"33 KB":   `{` + pairs("new", 9, `"`+strings.Repeat("x", 2000)+`"`) + `}`,
				"51 keys": `{` + pairs("new", 43, "true") + `}`,
			} {
				refused(t, place.name+", "+name, w.Do("ada", place.method, place.path, put(patch)), http.StatusUnprocessableEntity)
				w.unchanged(t, before, place.name+", "+name)
			}
			res := w.Do("ada", place.method, place.path, put(`{"old0":null,`+pairs("new", 43, "true")+`}`)).Want(http.StatusOK)
			if n := len(res.Get("metadata").(map[string]any)); n != 50 {
				t.Errorf("%s: %d keys after making room for one, want 50", place.name, n)
			}
			w.Do("ada", place.method, place.path, put(`{`+pairs("new", 43, "null")+`}`)).Want(http.StatusOK)
			res = w.Do("ada", place.method, place.path, put(`{`+pairs("old", 8, "null")+`}`)).Want(http.StatusOK)
			if m, ok := res.Get("metadata").(map[string]any); !ok || len(m) != 0 {
				t.Errorf("%s: emptied metadata is %v, want {}", place.name, res.Get("metadata"))
			}
		}
	})
}
