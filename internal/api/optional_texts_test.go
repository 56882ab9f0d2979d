package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/describe"
)

// optionalText is an optional text in the JSON body of a write operation.
type optionalText struct {
	path  []string // keys; "[]" is the first element of an array
	empty bool     // "" is valid in the description
}

// optionalTexts returns the optional texts below a schema, except enumerations and numbers that may be sent as text.
func optionalTexts(doc object, schema any, path []string, optional bool) (found []optionalText) {
	s := referred(doc, schema)
	types, _ := s["type"].([]any)
	if s["type"] == "string" || slices.Contains(types, any("string")) {
		least, _ := s["minLength"].(float64)
		if optional && s["enum"] == nil && !slices.Contains(types, any("integer")) {
			found = append(found, optionalText{slices.Clone(path), least == 0})
		}
		return found
	}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(object)
	for name, property := range properties {
		found = append(found, optionalTexts(doc, property, append(slices.Clone(path), name), !slices.Contains(required, any(name)))...)
	}
	for _, choice := range []string{"allOf", "oneOf", "anyOf"} {
		branches, _ := s[choice].([]any)
		if optional && slices.ContainsFunc(branches, func(b any) bool { o, _ := b.(object); return o["type"] == "integer" }) {
			continue // a number that may be sent as text
		}
		for _, branch := range branches {
			found = append(found, optionalTexts(doc, branch, path, optional)...)
		}
	}
	if s["items"] != nil {
		found = append(found, optionalTexts(doc, s["items"], append(slices.Clone(path), "[]"), false)...)
	}
	return found
}

// referred follows the references of a node of a description.
func referred(doc object, node any) object {
	o, _ := node.(object)
	for o["$ref"] != nil {
		node := any(doc)
		for key := range strings.SplitSeq(strings.TrimPrefix(o["$ref"].(string), "#/"), "/") {
			node = node.(object)[key]
		}
		o = node.(object)
	}
	return o
}

// textRequest is a request with a text under test.
type textRequest struct {
	as, path string
	body     object // required fields of the operation
	result   string // the path that shows the effect; "" if the response does
}

// textRequests returns, for each operation with optional texts or for one of its texts, a request about a new item with
// all texts set.
var textRequests = map[string]func(w *world, n int) textRequest{
	"v3 createBlock": func(w *world, n int) textRequest {
		return textRequest{"ada", "/v3/blocks", object{"value": "Fern", "channel_ids": []any{w.spare}}, ""}
	},
	"v3 batchCreateBlocks": func(w *world, n int) textRequest {
		c := w.Channel("ada", "Batch", "private")
		return textRequest{"ada", "/v3/blocks/batch", object{"channel_ids": []any{c}, "blocks": []any{object{"value": "Fern"}}}, at("/v3/channels/%d/contents", c)}
	},
	"v3 updateBlock": func(w *world, n int) textRequest {
		return textRequest{"ada", at("/v3/blocks/%d", w.worded("Fern")), object{}, ""}
	},
	"v3 updateBlock alt_text": func(w *world, n int) textRequest { // only images have one
		id := w.worded(sendFile(w.Rig, "ada"))
		w.WorkJobs()
		return textRequest{"ada", at("/v3/blocks/%d", id), object{}, ""}
	},
	"v3 createChannel": func(w *world, n int) textRequest {
		return textRequest{"ada", "/v3/channels", object{"title": "Ferns"}, ""}
	},
	"v3 updateChannel": func(w *world, n int) textRequest {
		return textRequest{"ada", at("/v3/channels/%d", w.wordedChannel()), object{}, ""}
	},
	"v3 createGroup": func(w *world, n int) textRequest {
		return textRequest{fmt.Sprint("founder", n), "/v3/groups", object{"name": "Botanists"}, ""}
	},
	"v3 updateGroup": func(w *world, n int) textRequest {
		as := fmt.Sprint("owner", n)
		id := w.Do(as, "POST", "/v3/groups", object{"name": "Botanists", "description": "All about *ferns*"}).Want(http.StatusCreated).Int("id")
		return textRequest{as, at("/v3/groups/%d", id), object{}, ""}
	},
	"v3 joinGroup": func(w *world, n int) textRequest {
		return textRequest{"bob", at("/v3/groups/%d/members", w.Group(fmt.Sprint("Joined ", n), "ada")), object{}, ""}
	},
	"v2 createChannel": func(w *world, n int) textRequest {
		return textRequest{"ada", "/v2/channels", object{"title": "Ferns"}, ""}
	},
	"v2 updateChannel": func(w *world, n int) textRequest {
		return textRequest{"ada", at("/v2/channels/%d", w.wordedChannel()), object{}, ""}
	},
	"v2 createBlock": func(w *world, n int) textRequest {
		return textRequest{"ada", at("/v2/channels/%d/blocks", w.spare), object{"content": "Fern"}, ""}
	},
	"v2 updateBlock": func(w *world, n int) textRequest {
		id := w.worded("Fern")
		return textRequest{"ada", at("/v2/blocks/%d", id), object{}, at("/v2/blocks/%d", id)}
	},
	"ext updateMe": func(w *world, n int) textRequest {
		as := fmt.Sprint("writer", n)
		w.Do(as, "PATCH", "/ext/v1/me", object{"name": "Writer", "bio": "Writes *notes*"}).Want(http.StatusOK)
		return textRequest{as, "/ext/v1/me", object{}, ""}
	},
	"ext startImport": func(w *world, n int) textRequest {
		return textRequest{fmt.Sprint("importer", n), "/ext/v1/imports", object{"source": "arena", "address": "https://arena.example.org", "what": []any{"ferns"}}, ""}
	},
	"ext addChannelFeed": func(w *world, n int) textRequest {
		c := w.Channel("ada", fmt.Sprint("Feeds ", n), "private")
		return textRequest{"ada", at("/ext/v1/channels/%d/feeds", c), object{"url": "https://moss.example/feed"}, ""}
	},
	"ext runBulk": func(w *world, n int) textRequest {
		return textRequest{"ada", "/ext/v1/bulk", object{"operations": []any{object{"method": "POST", "path": at("/v3/blocks/%d/comments", w.block), "body": object{"body": "Hello"}}}}, ""}
	},
	"ext createWebhook": func(w *world, n int) textRequest {
		return textRequest{fmt.Sprint("sender", n), "/ext/v1/webhooks", object{"url": "https://example.com/hook"}, ""}
	},
	"ext updateWebhook": func(w *world, n int) textRequest {
		as := fmt.Sprint("sender", n)
		hook := w.Do(as, "POST", "/ext/v1/webhooks", object{"url": "https://example.com/hook", "name": "Mirror"}).Want(http.StatusCreated)
		return textRequest{as, pathOf(hook), object{}, ""}
	},
	"ext createHighlight": func(w *world, n int) textRequest {
		selector := object{"type": "TextQuoteSelector", "exact": "Fern"}
		return textRequest{"ada", at("/ext/v1/blocks/%d/highlights", w.worded("Fern on stone")), object{"target": object{"selector": []any{selector}}}, ""}
	},
	"ext createHighlight target.selector.[].exact": func(w *world, n int) textRequest {
		selectors := []any{object{"type": "TextPositionSelector", "start": 0, "end": 4}, object{"type": "TextQuoteSelector", "exact": "Fern"}}
		return textRequest{"ada", at("/ext/v1/blocks/%d/highlights", w.worded("Fern on stone")), object{"target": object{"selector": selectors}}, ""}
	},
	"ext createReport": func(w *world, n int) textRequest {
		return textRequest{"bob", "/ext/v1/reports", object{"type": "Block", "id": w.Block("ada", "Fern", w.open), "reason": "spam"}, ""}
	},
}

// adminTexts are the requests of operators.
var adminTexts = map[string]func(w *world, n int) textRequest{
	"ext adminCreateAccount": func(w *world, n int) textRequest {
		return textRequest{path: "accounts", body: object{"name": "Grace", "email": at("grace%d@example.org", n)}}
	},
	"ext adminInvite": func(w *world, n int) textRequest {
		w.Do("ada/admin", "POST", "/ext/v1/admin/invitations", object{"email": at("before%d@example.org", n), "mail": false}).Want(http.StatusOK)
		return textRequest{path: "invitations", body: object{"email": at("new%d@example.org", n), "mail": false}, result: "invitations?limit=1"}
	},
	"ext adminCreateSignUpLink": func(w *world, n int) textRequest {
		for _, id := range w.Get("ada/admin", "/ext/v1/admin/sign-up-links").Ints("data", "id") {
			w.Do("ada/admin", "DELETE", at("/ext/v1/admin/sign-up-links/%d", id), nil).Want(http.StatusNoContent)
		}
		return textRequest{path: "sign-up-links", body: object{"places": 2}, result: "sign-up-links"}
	},
	"ext adminDecideReport": func(w *world, n int) textRequest {
		w.Do("bob", "POST", "/ext/v1/reports", object{"type": "Block", "id": w.Block("ada", "Fern", w.open), "reason": "spam"}).Want(http.StatusNoContent)
		id := w.Get("ada/admin", "/ext/v1/admin/reports?limit=1").Int("data.0.id")
		return textRequest{path: at("reports/%d/decision", id), body: object{"outcome": "hidden"}}
	},
	"ext adminHide": func(w *world, n int) textRequest {
		return textRequest{path: "hidden", body: object{"type": "Block", "id": w.Block("ada", "Fern", w.open)}}
	},
	"ext adminBlock": func(w *world, n int) textRequest {
		return textRequest{path: "blocklist", body: object{"kind": "domain", "value": at("spam%d.example", n)}}
	},
	"ext adminUpdateSite": func(w *world, n int) textRequest {
		picture := sent(w.Rig, "ada", "a.png", "image/png", string(apptest.PNG(w.T, 30, 20)))
		w.Do("ada/admin", "PATCH", "/ext/v1/admin/site", object{"name": "Kelp", "about": "A *place*", "picture": picture}).Want(http.StatusOK)
		return textRequest{path: "site", body: object{"featured": []any{}}, result: "/ext/v1/site"}
	},
	"ext adminAnnounce": func(w *world, n int) textRequest {
		return textRequest{path: "site/announcement", body: object{"announcement": "Hello"}}
	},
	"ext adminBeginReadOnly": func(w *world, n int) textRequest {
		return textRequest{path: "read-only", body: object{}}
	},
}

// adminText returns a request of the operator's token instead of one of an account.
func adminText(request func(w *world, n int) textRequest) func(w *world, n int) textRequest {
	return func(w *world, n int) textRequest {
		r := request(w, n)
		r.as, r.path = "ada/admin", "/ext/v1/admin/"+r.path
		if r.result != "" && !strings.HasPrefix(r.result, "/") {
			r.result = "/ext/v1/admin/" + r.result
		}
		return r
	}
}

// replacing are the operations with PUT that replace the whole thing, like one that creates it.
var replacing = []string{"ext adminAnnounce", "ext adminBeginReadOnly"}

// worded creates a block with all texts.
func (w *world) worded(value string) int64 {
	return w.Do("ada", "POST", "/v3/blocks", object{"value": value, "title": "Title", "description": "Words", "alt_text": "Alt", "channel_ids": []any{w.spare}}).
		Want(http.StatusCreated).Int("id")
}

func (w *world) wordedChannel() int64 {
	return w.Do("ada", "POST", "/v3/channels", object{"title": "Ferns", "description": "All about *ferns*"}).Want(http.StatusCreated).Int("id")
}

// TestOptionalTexts: in every write, "" and null have the same effect on a text that may be absent. A request that
// creates or replaces something leaves it absent; one that changes something clears it, except that null changes nothing in version
// 2. If the text must not be empty, both are refused.
func TestOptionalTexts(t *testing.T) {
	t.Parallel()
	requests := maps.Clone(textRequests)
	for name, request := range adminTexts {
		requests[name] = adminText(request)
	}
	w := newWorld(apptest.New(t))
	w.Operator("ada")
	used, n := map[string]bool{}, 0
	for version, d := range map[string]*describe.Description{"v3": w.S.API.V3, "v2": w.S.API.V2, "ext": w.S.API.Ext} {
		var doc object
		if err := json.Unmarshal(d.JSON(), &doc); err != nil {
			t.Fatal(err)
		}
		for _, op := range d.Operations() {
			node := doc["paths"].(object)[op.Path].(object)[strings.ToLower(op.Method)].(object)
			body := referred(doc, node["requestBody"])
			content, _ := body["content"].(object)
			media, _ := content["application/json"].(object)
			texts := optionalTexts(doc, media["schema"], nil, false)
			if len(texts) == 0 {
				continue
			}
			for _, text := range texts {
				name := version + " " + op.ID
				if own := name + " " + strings.Join(text.path, "."); requests[own] != nil {
					name = own
				}
				request := requests[name]
				if used[name] = true; request == nil {
					t.Errorf("%s has the optional text %v, but no request here", name, text.path)
					continue
				}
				send := func(value any) outcome { n++; return w.outcome(op.Method, request(w, n), text.path, value) }
				checkOptionalText(t, fmt.Sprintf("%s, %v", name, text.path), op.Method == http.MethodPost || slices.Contains(replacing, name), version == "v2", text, send)
			}
		}
	}
	for name := range requests {
		if !used[name] {
			t.Errorf("%s has no optional texts", name)
		}
	}
}

func checkOptionalText(t *testing.T, name string, creates, version2 bool, text optionalText, send func(value any) outcome) {
	t.Helper()
	absent, empty, null := send(nil), send(""), send(json.RawMessage("null"))
	switch {
	case version2 && !creates:
		if null != absent {
			t.Errorf("%s: null leads to\n%v, absence to\n%v", name, null, absent)
		}
		mayBeEmpty := text.empty && !slices.Contains(text.path, "content") // of a Text block
		if refused := empty.status >= 400; refused == mayBeEmpty || empty == absent {
			t.Errorf("%s: an empty text leads to %v", name, empty)
		}
	case empty != null:
		t.Errorf("%s: an empty text leads to\n%v, null to\n%v", name, empty, null)
	case !text.empty:
		if empty.status != http.StatusBadRequest {
			t.Errorf("%s: an empty text leads to %v", name, empty)
		}
	case creates:
		if empty != absent {
			t.Errorf("%s: an empty text leads to\n%v, absence to\n%v", name, empty, absent)
		}
	case empty.status != http.StatusOK || empty == absent && !slices.Contains(text.path, "avatar_url"): // which TestAvatars tests
		t.Errorf("%s: an empty text does not clear: %v", name, empty)
	}
}

// outcome is the effect of a request: its status, and the result without ids, times and slugs.
type outcome struct {
	status int
	result string
}

var generated = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+|/files/\w+|\d+`)

func (w *world) outcome(method string, r textRequest, path []string, value any) outcome {
	if value != nil {
		setAt(r.body, path, value)
	} else if len(path) == 1 {
		delete(r.body, path[0])
	}
	res := w.Do(r.as, method, r.path, r.body)
	if r.path == "/ext/v1/admin/read-only" {
		w.Do(r.as, "DELETE", r.path, nil).Want(http.StatusNoContent) // the next request may change something
	}
	if res.Status >= 400 {
		return outcome{status: res.Status}
	}
	got := outcome{status: res.Status}
	if r.result != "" {
		w.WorkJobs()
		res = w.Get(r.as, "%s", r.result)
	}
	if len(res.Body) > 0 {
		text, err := json.Marshal(withoutNames(res.Get("")))
		if err != nil {
			w.T.Fatal(err)
		}
		got.result = generated.ReplaceAllString(string(text), "0")
	}
	return got
}

// setAt sets the value at a path of a body.
func setAt(body object, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		if key != "[]" {
			items, isArray := body[key].([]any)
			if !isArray {
				body = body[key].(object)
				continue
			}
			body = items[0].(object)
		}
	}
	body[path[len(path)-1]] = value
}

// withoutNames removes slugs and links, which differ between items of the same title.
func withoutNames(v any) any {
	switch v := v.(type) {
	case object:
		for key := range v {
			if key == "slug" || key == "_links" || key == "web_url" {
				delete(v, key)
				continue
			}
			v[key] = withoutNames(v[key])
		}
	case []any:
		for i := range v {
			v[i] = withoutNames(v[i])
		}
	}
	return v
}
