package api_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// carriers creates one of each thing with metadata and returns their paths.
func carriers(r *apptest.Rig) []string {
	r.T.Helper()
	channel := r.Channel("ada", "Channel", "private")
	block := r.Block("ada", "Text", channel)
	return []string{fmt.Sprint("/v3/channels/", channel), fmt.Sprint("/v3/blocks/", block),
		fmt.Sprint("/v3/connections/", r.Connect("ada", "Block", block, channel))}
}

// TestMetadata: a first object is stored as sent, and omitting it changes nothing.
func TestMetadata(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, at := range carriers(r) {
			if m := r.Get("ada", "%s", at).Get("metadata"); m != nil {
				t.Errorf("%s begins with %v", at, m)
			}
			set := r.Do("ada", "PUT", at, `{"metadata":{"text":"ä<b>","int":12,"float":-0.5,"yes":true,"no":false}}`).Want(200)
			const want = "map[float:-0.5 int:12 no:false text:ä<b> yes:true]"
			for _, res := range []*apptest.Response{set, r.Do("ada", "PUT", at, `{}`).Want(200), r.Get("ada", "%s", at)} {
				if got := fmt.Sprint(res.Get("metadata")); got != want {
					t.Errorf("%s: %s, want %s", at, got, want)
				}
			}
		}
	})
}

// TestMetadataMerges: given keys change, null removes a key, and the others stay.
func TestMetadataMerges(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, at := range carriers(r) {
			for _, step := range []struct{ patch, want string }{
				{`{"a":"1","b":2}`, "map[a:1 b:2]"}, {`{"c":true}`, "map[a:1 b:2 c:true]"}, {`{}`, "map[a:1 b:2 c:true]"},
				{`{"b":null}`, "map[a:1 c:true]"}, {`{"b":null,"a":"2"}`, "map[a:2 c:true]"},
				{`{"big":12345678901234567890}`, "map[a:2 big:12345678901234567890 c:true]"},
				{`{"a":null,"c":null,"big":null}`, "map[]"}, {`{"none":null}`, "map[]"},
			} {
				res := r.Do("ada", "PUT", at, `{"metadata":`+step.patch+`}`).Want(200)
				if got := fmt.Sprint(res.Get("metadata")); got != step.want {
					t.Errorf("%s %s: %s, want %s", at, step.patch, got, step.want)
				}
			}
			if m := r.Get("ada", "%s", at); !strings.Contains(string(m.Body), `"metadata":{}`) {
				t.Errorf("%s: emptied, it is %v", at, m.Get("metadata"))
			}
		}
	})
}

// TestMetadataTooMuch: more than 50 keys or 32 KB after a merge is 422, and the request changes nothing.
func TestMetadataTooMuch(t *testing.T) {
	t.Parallel()
	keys := func(prefix string, n int, value string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf("%q:%q", fmt.Sprint(prefix, i), value)
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for first, second := range map[string]string{
			keys("a", 49, "x"): keys("b", 2, "x"), keys("c", 14, strings.Repeat("x", 2000)): keys("d", 3, strings.Repeat("y", 2000)),
		} {
			for _, at := range carriers(r) {
				r.Do("ada", "PUT", at, `{"metadata":`+first+`}`).Want(200)
				before := r.Get("ada", "%s", at)
				r.Do("ada", "PUT", at, `{"title":"New","metadata":`+second+`}`).Want(422)
				if now := r.Get("ada", "%s", at); string(now.Body) != string(before.Body) {
					t.Errorf("%s: %s became %s", at, before.Body, now.Body)
				}
			}
		}
	})
}

// TestMetadataOfSomethingNew: a new thing has no keys to remove.
func TestMetadataOfSomethingNew(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Channel("ada", "Channel", "closed")
		r.Do("ada", "POST", "/v3/channels", `{"title":"New","metadata":{"a":null}}`).Want(400)
		r.Do("ada", "POST", "/v3/blocks", `{"value":"New","metadata":{"a":null},"channel_ids":["channel"]}`).Want(400)
		r.Do("ada", "POST", "/v3/blocks", `{"value":"New","channels":[{"id":"channel","metadata":{"a":null}}]}`).Want(400)
		r.Do("ada", "GET", "/v3/channels/new", nil).Want(404)
		if n := r.Get("", "/v3/channels/channel").Int("counts.blocks"); n != 0 {
			t.Errorf("%d blocks were created", n)
		}
	})
}
