package api_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

// v2Writes returns operations of version 2 with valid parameters.
func (w *world) v2Writes() []write {
	ada := w.Person("bob").ID
	comment := w.Do("ada", "POST", at("/v2/blocks/%d/comments", w.block), `{"body":"Here"}`).Want(200).Int("id")
	return []write{
		{"createChannel", "POST", "/v2/channels", `{"title":"Another"}`},
		{"updateChannel", "PUT", at("/v2/channels/%d", w.closed), `{"description":"D"}`},
		{"sortChannel", "PUT", at("/v2/channels/%d/sort", w.closed), at(`{"ids":[%d,%d]}`, w.block, w.link)},
		{"createBlock", "POST", at("/v2/channels/%d/blocks", w.closed), `{"content":"more"}`},
		{"createConnection", "POST", at("/v2/channels/%d/connections", w.spare), at(`{"connectable_type":"Block","connectable_id":%d}`, w.link)},
		{"addCollaborators", "POST", at("/v2/channels/%d/collaborators", w.closed), at(`{"ids":[%d]}`, ada)},
		{"setCollaborators", "PUT", at("/v2/channels/%d/collaborators", w.closed), at(`{"ids":[%d]}`, ada)},
		{"removeCollaborators", "DELETE", at("/v2/channels/%d/collaborators", w.closed), at(`{"ids":[%d]}`, ada)},
		{"updateBlock", "PUT", at("/v2/blocks/%d", w.block), `{"title":"T"}`},
		{"createComment", "POST", at("/v2/blocks/%d/comments", w.block), `{"body":"There"}`},
		{"updateComment", "PUT", at("/v2/blocks/%d/comments/%d", w.block, comment), `{"body":"Elsewhere"}`},
	}
}

const noObject = "body: is no JSON object"

// malformedV2 returns malformed bodies, derived from a valid one.
func malformedV2(good string) []struct{ name, kind, body, why string } {
	with := func(field string) string { return strings.TrimSuffix(good, "}") + "," + field + "}" }
	return []struct{ name, kind, body, why string }{
		{"no JSON", "application/json", "value=more", noObject},
		{"truncated", "application/json", good[:len(good)-1], noObject},
		{"two values", "application/json", good + good, noObject},
		{"byte order mark", "application/json", "\ufeff" + good, noObject},
		{"list", "application/json", "[" + good + "]", noObject},
		{"string", "application/json", `"` + strings.ReplaceAll(good, `"`, `'`) + `"`, noObject},
		{"number", "application/json; charset=utf-8", "1", noObject},
		{"boolean", "APPLICATION/JSON", "true", noObject},
		{"endless", "application/json", strings.Repeat(`{"a":`, 100_000), noObject},
		{"too deep", "application/json", with(`"x":` + nest(64)), "body: is nested more than 64 levels deep"},
		{"Latin-1", "application/json", with("\"x\":\"\xe9\""), noObject},
		{"half a pair", "application/json", with(`"x":"\ud83d"`), "body: is not valid UTF-8 (half a surrogate pair)"},
		{"NUL", "application/json", with(`"x":"a\u0000b"`), "x: must not contain NUL"},
		{"raw NUL", "application/json", with("\"x\":\"a\x00b\""), noObject},
		{"form with NUL", formKind, "x=a%00b", "x: must not contain NUL"},
		{"form with a raw NUL", formKind, "x=a\x00b", "x: must not contain NUL"},
		{"form that is no UTF-8", formKind, "x=%ff", "x: is not UTF-8"},
		{"form with raw bytes", formKind, "x=\xe9", "x: is not UTF-8"},
		{"a name that is no UTF-8", formKind, "x%ff=1", "x?: is not UTF-8"},
		{"form with broken escapes", formKind, "x=%zz", "body: is not encoded as a form is"},
		{"form with half an escape", formKind, "x=%4", "body: is not encoded as a form is"},
		{"form with a semicolon", formKind, "x=1;y=2", "body: is not encoded as a form is"},
	}
}

// Malformed requests are refused in version 2's form and change nothing.
func TestV2MalformedBodies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, op := range w.v2Writes() {
			before := w.Dump()
			for _, bad := range malformedV2(op.body) {
				res := w.Do("ada", op.method, op.path, bad.body, "Content-Type", bad.kind)
				if said := res.Str("description"); strings.Contains(said, "; ") && strings.Contains(said, bad.why) {
					bad.why = said // a form lacks the required parameters, too
				}
				refusedV2(t, op.name+", "+bad.name, res, http.StatusBadRequest, bad.why)
			}
			for _, kind := range []string{"text/plain", "multipart/form-data; boundary=x", "application/jsonp", "application/xml", "*/*"} {
				refusedV2(t, op.name+", "+kind, w.Do("ada", op.method, op.path, op.body, "Content-Type", kind), http.StatusUnsupportedMediaType,
					"Send the parameters as application/json, as application/x-www-form-urlencoded, or in the query")
			}
			refusedV2(t, op.name+", packed", w.Do("ada", op.method, op.path, op.body, "Content-Encoding", "gzip"),
				http.StatusUnsupportedMediaType, "Send the body as it is, without a Content-Encoding")
			large := strings.TrimSuffix(op.body, "}") + `,"x":"` + strings.Repeat("x", 2<<20) + `"}`
			for name, body := range map[string]any{"large": large, "large, in chunks": endless{strings.NewReader(large)}} {
				refusedV2(t, op.name+", "+name, w.Do("ada", op.method, op.path, body), http.StatusRequestEntityTooLarge,
					"The body may have at most 1048576 bytes")
			}
			refusedV2(t, op.name+", large form", form(w.Rig, "ada", op.method, op.path, "x="+large), http.StatusRequestEntityTooLarge,
				"The body may have at most 1048576 bytes")
			broken := io.MultiReader(strings.NewReader(op.body), iotest.ErrReader(errors.New("the line is dead")))
			refusedV2(t, op.name+", broken off", w.Do("ada", op.method, op.path, broken), http.StatusBadRequest,
				"body: cannot be read to its end")
			refusedV2(t, op.name+", a query with broken escapes", w.Do("ada", op.method, op.path+"?x=%zz", op.body), http.StatusBadRequest,
				"query: is not encoded as a form is")
			w.unchanged(t, before, op.name)
			if res := w.Do("ada", op.method, op.path, op.body); res.Status/100 != 2 {
				t.Errorf("%s: the body itself is refused: %s", op.name, res.Body)
			}
		}
	})
}

// Lists that an operation does not declare are ignored like any other parameter, however long they are.
func TestV2UndeclaredLists(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ids := idList(1, 101)
		for _, op := range w.v2Writes() {
			if strings.Contains(op.body, `"ids"`) {
				continue
			}
			body := strings.TrimSuffix(op.body, "}") + `,"ids":[` + ids + `]}`
			if res := w.Do("ada", op.method, op.path+"?ids="+ids, body); res.Status/100 != 2 {
				t.Errorf("%s: status %d, %s", op.name, res.Status, res.Body)
			}
		}
		for _, body := range []string{"title=A&ids=" + ids, "title=A" + strings.Repeat("&ids[]=1", 101)} {
			if res := form(w.Rig, "ada", "POST", "/v2/channels", body); res.Status/100 != 2 {
				t.Errorf("%.20s: status %d, %s", body, res.Status, res.Body)
			}
		}
	})
}
