package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// write is an operation with a valid body.
type write struct{ name, method, path, body string }

// writes returns the write operations on channels and their contents.
func (w *world) writes() []write {
	return []write{
		{"createBlock", "POST", "/v3/blocks", at(`{"value":"more","channel_ids":[%d]}`, w.closed)},
		{"updateBlock", "PUT", at("/v3/blocks/%d", w.block), `{"title":"T"}`},
		{"createChannel", "POST", "/v3/channels", `{"title":"Another"}`},
		{"updateChannel", "PUT", at("/v3/channels/%d", w.closed), `{"description":"D"}`},
		{"createConnection", "POST", "/v3/connections",
			at(`{"connectable_type":"Block","connectable_id":%d,"channel_ids":[%d]}`, w.link, w.spare)},
		{"updateConnection", "PUT", at("/v3/connections/%d", w.connection), `{"metadata":{"a":1}}`},
		{"moveConnection", "POST", at("/v3/connections/%d/move", w.connection), `{"movement":"move_up"}`},
		{"addCollaborator", "POST", at("/ext/v1/channels/%d/collaborators", w.closed),
			at(`{"user_id":%d}`, w.Person("bob").ID)},
	}
}

// nest nests a value in n arrays.
func nest(n int) string { return strings.Repeat("[", n) + "0" + strings.Repeat("]", n) }

// malformed returns malformed bodies, derived from a valid one.
func malformed(good string) []struct{ name, body, why string } {
	with := func(field string) string { return strings.TrimSuffix(good, "}") + "," + field + "}" }
	return []struct{ name, body, why string }{
		{"empty", "", "body: is required"},
		{"blank", " \n", "body: is not valid JSON (it ends too early, after byte 2)"},
		{"no JSON", "value=more", "body: is not valid JSON (at byte 1)"},
		{"truncated", good[:len(good)-1], at("body: is not valid JSON (it ends too early, after byte %d)", len(good)-1)},
		{"two values", good + good, at("body: is not valid JSON (at byte %d)", len(good)+1)},
		{"byte order mark", "\ufeff" + good, "body: is not valid JSON (at byte 1)"},
		{"comment", good + "// no", at("body: is not valid JSON (at byte %d)", len(good)+1)},
		{"list", "[" + good + "]", "body: must be an object"},
		{"string", `"` + strings.ReplaceAll(good, `"`, `'`) + `"`, "body: must be an object"},
		{"number", "1", "body: must be an object"},
		{"null", "null", "body: must be an object"},
		{"too deep", with(`"x":` + nest(64)), "body: is nested more than 64 levels deep"},
		{"endless", strings.Repeat(`{"a":`, 100_000), "body: is nested more than 64 levels deep"},
		{"Latin-1", with("\"x\":\"\xe9\""), "body: is not valid UTF-8"},
		{"overlong", with("\"x\":\"\xc0\xaf\""), "body: is not valid UTF-8"},
		{"half a pair", with(`"x":"\ud83d"`), "body: is not valid UTF-8 (half a surrogate pair)"},
		{"other half", with(`"x":"\ude00"`), "body: is not valid UTF-8 (half a surrogate pair)"},
		{"twice", with(`"x":1,"x":1`), "x: is given more than once"},
		{"NUL", with(`"x":"a\u0000b"`), "x: must not contain NUL"},
		{"raw NUL", with("\"x\":\"a\x00b\""), at("body: is not valid JSON (at byte %d)", len(good)+7)},
	}
}

func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) { w.refuseMalformed(t, w.writes()) })
}

func (w *world) refuseMalformed(t *testing.T, ops []write) {
	t.Helper()
	for _, op := range ops {
		before := w.Dump()
		for _, bad := range malformed(op.body) {
			name := op.name + ", " + bad.name
			refused(t, name, w.Do("ada", op.method, op.path, bad.body), http.StatusBadRequest, bad.why)
			w.unchanged(t, before, name)
		}
		if res := w.Do("ada", op.method, op.path, op.body); res.Status/100 != 2 {
			t.Errorf("%s: the body itself is refused: %s", op.name, res.Body)
		}
	}
}

func TestUnsupportedMediaTypes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, op := range w.writes() {
			before := w.Dump()
			for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
				"application/jsonp", "application/xml", "json", "*/*", "application/json, text/plain"} {
				name := op.name + ", " + kind
				refused(t, name, w.Do("ada", op.method, op.path, op.body, "Content-Type", kind), http.StatusUnsupportedMediaType)
				w.unchanged(t, before, name)
			}
		}
		packed := w.Do("ada", "POST", "/v3/channels", `{"title":"Packed"}`, "Content-Encoding", "gzip")
		refused(t, "a body that says it is packed", packed, http.StatusUnsupportedMediaType)
		w.Do("ada", "POST", "/v3/channels", `{"title":"Plain"}`, "Content-Encoding", "identity").Want(http.StatusCreated)
		for _, kind := range []string{"", "application/json", "APPLICATION/JSON", "application/json;charset=utf-8",
			"application/json; charset", `application/json; charset="`} {
			req := w.Request("ada", "POST", "/v3/channels", `{"title":"Kind"}`)
			req.Header.Set("Content-Type", kind)
			if kind == "" {
				req.Header.Del("Content-Type")
			}
			if res := w.Send(req); res.Status != http.StatusCreated {
				t.Errorf("%q: status %d: %s", kind, res.Status, res.Body)
			}
		}
	})
}

// endless is a reader of unknown length.
type endless struct{ io.Reader }

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		before := w.Dump()
		for _, op := range w.writes() {
			large := strings.TrimSuffix(op.body, "}") + `,"x":"` + strings.Repeat("x", 2<<20) + `"}`
			refused(t, op.name, w.Do("ada", op.method, op.path, large), http.StatusRequestEntityTooLarge)
			req := w.Request("ada", op.method, op.path, endless{strings.NewReader(large)})
			if req.ContentLength != -1 {
				t.Fatalf("the length of an endless body is %d", req.ContentLength)
			}
			refused(t, op.name+" in chunks", w.Send(req), http.StatusRequestEntityTooLarge)
			w.unchanged(t, before, op.name)
		}
		// One byte below the limit is accepted.
		body := `{"title":"Large","x":""}`
		body = strings.Replace(body, `""`, `"`+strings.Repeat("x", 1<<20-len(body))+`"`, 1)
		w.Do("ada", "POST", "/v3/channels", body).Want(http.StatusCreated)
		refused(t, "one more", w.Do("ada", "POST", "/v3/channels", " "+body), http.StatusRequestEntityTooLarge)
	})
}
