package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// idList returns n ids, starting at from.
func idList(from int64, n int) string {
	var all strings.Builder
	for i := range n {
		if i > 0 {
			all.WriteByte(',')
		}
		all.WriteString(at("%d", from+int64(i)))
	}
	return all.String()
}

// badInput is an invalid request, with the expected message.
type badInput struct {
	method, path, body, why string // a body other than JSON is sent as a form
	status                  int
}

// badInputs returns invalid requests by ada about her own things.
func (w *world) badInputs() []badInput {
	channel, bob := at("/v2/channels/%d", w.closed), w.Person("bob").ID
	sort, blocks, connections, people := channel+"/sort", channel+"/blocks", channel+"/connections", channel+"/collaborators"
	comments := at("/v2/blocks/%d/comments", w.block)
	const both, neither = "source: or `content` must be given, not both", "content: or `source` is required"
	const digits, enum, short = "must be a whole number above 0", "must be one of public, closed, private, null", "must be at least 1 character long"
	return []badInput{
		{"POST", "/v2/channels", `{}`, "title: is required", 400},
		{"POST", "/v2/channels", `null`, "title: is required", 400},
		{"POST", "/v2/channels", ``, "title: is required", 400},
		{"POST", "/v2/channels", `{"title":""}`, "title: " + short, 400},
		{"POST", "/v2/channels", `title=+`, "title: must not be blank", 400},
		{"POST", "/v2/channels?title=%20", ``, "title: must not be blank", 400},
		{"POST", "/v2/channels", `{"title":null}`, "title: must be a string", 400},
		{"POST", "/v2/channels", `{"title":["x"]}`, "title: must be a string", 400},
		{"POST", "/v2/channels", "title=" + strings.Repeat("ä", 256), "title: must be at most 255 characters long", 400},
		{"POST", "/v2/channels", `{"title":"x","status":"open"}`, "status: " + enum, 400},
		{"POST", "/v2/channels", `title=x&status=`, "status: " + enum, 400},
		{"POST", "/v2/channels?status=secret", `title=`, "status: " + enum + "; title: " + short, 400},
		{"PUT", channel, `{"title":" "}`, "title: must not be blank", 400},
		{"PUT", channel, `{"status":1}`, "status: must be a string or null", 400},
		{"PUT", channel, "description=" + strings.Repeat("x", 20_001), "description: must be at most 20000 characters long", 400},

		{"POST", blocks, `{}`, neither, 400},
		{"POST", blocks, `{"source":"","content":" "}`, neither, 400},
		{"POST", blocks, `source=&content=`, neither, 400},
		{"POST", blocks, `{"source":"https://example.org/","content":"Text"}`, both, 400},
		{"POST", blocks + "?source=https://example.org/", `content=Text`, both, 400},
		{"POST", blocks, `{"source":"no address"}`, "source: must be an http or https address", 400},
		{"POST", blocks, `source=javascript:alert(1)`, "source: must be an http or https address", 400},
		{"POST", blocks, `{"source":"same","content":"same"}`, "source: must be an http or https address", 400},
		{"POST", blocks, `{"content":"x","position":0}`, "position: must be at least 1", 400},
		{"POST", blocks, `{"content":"x","position":-1}`, "position: must be at least 1", 400},
		{"POST", blocks, `content=x&position=0`, "position: " + digits, 400},
		{"POST", blocks, `content=x&position=-1`, "position: " + digits, 400},
		{"POST", blocks, `content=x&position=top`, "position: " + digits, 400},
		{"POST", blocks, `{"content":"x","position":1.5}`, "position: must be an integer, string or null", 400},
		{"POST", blocks, `{"content":"x","position":99999999999999999999}`, "position: must be a 64-bit integer", 400},
		{"POST", blocks, `{"content":1,"title":2}`, "content: must be a string or null; title: must be a string or null", 400},

		{"POST", connections, `{}`, "connectable_id: is required; connectable_type: is required", 400},
		{"POST", connections, at(`{"connectable_type":"User","connectable_id":%d}`, bob), "connectable_type: must be one of Block, Channel", 400},
		{"POST", connections, `connectable_type=Block&connectable_id=x`, "connectable_id: " + digits, 400},
		{"POST", connections, `{"connectable_type":"Block","connectable_id":0}`, "connectable_id: must be at least 1", 400},
		{"POST", connections, at(`{"connectable_type":"Block","connectable_id":%d,"position":0}`, w.link), "position: must be at least 1", 400},
		{"POST", connections, at(`{"connectable_type":"Block","connectable_id":%d,"position":-1}`, w.link), "position: must be at least 1", 400},
		{"POST", connections, `{"connectable_type":"Block","connectable_id":999999999999999999}`, v2NotFound, 404},
		{"POST", connections, at(`{"connectable_type":"Channel","connectable_id":%d}`, w.closed), "A channel cannot be connected to itself", 422},

		{"PUT", sort, `{}`, "ids or new_position: one is required", 400},
		{"PUT", sort, `{"ids":[]}`, "ids: must have at least 1 item", 400},
		{"PUT", sort, `{"ids":"x"}`, "ids[0]: " + digits, 400},
		{"PUT", sort, `ids[]=x`, "ids[0]: " + digits, 400},
		{"PUT", sort, `{"ids":"[1,"}`, "ids: must be an array", 400},
		{"PUT", sort, `ids=[[[`, "ids: must be an array", 400},
		{"PUT", sort, `{"ids":{"a":1}}`, "ids: must be an array", 400},
		{"PUT", sort, `{"ids":null}`, "ids: must have at least 1 item", 400},
		{"PUT", sort, `{"ids":[0]}`, "ids[0]: must be at least 1", 400},
		{"PUT", sort, at(`{"ids":[%d,%d]}`, w.block, w.block), "ids: must name each item once", 400},
		{"PUT", sort, at(`{"ids":[%d,"%d"]}`, w.block, w.block), "ids: must name each item once", 400},
		{"PUT", sort, at(`{"ids":[%d,%d]}`, w.link, w.hidden), at("ids: not in this channel: %d", w.hidden), 422},
		{"PUT", sort, at(`{"ids":[%s]}`, idList(1_000_000, 10_000)),
			"ids: not in this channel: 1000000, 1000001, 1000002, 1000003, 1000004", 422},
		{"PUT", sort, at(`{"ids":[%s]}`, idList(1, 10_001)), "ids: must have at most 10000 items", 400},
		{"PUT", sort, "ids=" + idList(1, 10_001), "ids: must have at most 10000 items", 400},
		{"PUT", sort, at(`{"connectable_type":"Block","connectable_id":%d,"new_position":0}`, w.block), "new_position: must be at least 1", 400},
		{"PUT", sort, at(`{"connectable_type":"Block","connectable_id":%d,"new_position":-1}`, w.block), "new_position: must be at least 1", 400},
		{"PUT", sort, at(`connectable_type=Block&connectable_id=%d&new_position=0`, w.block), "new_position: " + digits, 400},
		{"PUT", sort, `{"new_position":1}`, "connectable_type: is required, unless there are `ids`; connectable_id: must be at least 1", 400},
		{"PUT", sort, at(`{"connectable_type":"Block","connectable_id":%d,"new_position":1}`, w.hidden), v2NotFound, 404},

		{"POST", people, `{}`, "ids: is required", 400},
		{"POST", people, `{"ids":[]}`, "ids: must have at least 1 item", 400},
		{"POST", people, `{"ids":["bob"]}`, "ids[0]: " + digits, 400},
		{"POST", people, `{"ids":[-1]}`, "ids[0]: must be at least 1", 400},
		{"POST", people, at(`{"ids":[%d,9999,9998]}`, bob), "ids: there is no user 9999; ids: there is no user 9998", 422},
		{"POST", people, at(`{"ids":[%s]}`, idList(1, 101)), "ids: must have at most 100 items", 400},
		{"PUT", people, at(`ids[]=%d&ids[]=9999`, bob), "ids: there is no user 9999", 422},
		{"PUT", people, at(`{"ids":[%d]}`, w.Person("ada").ID), "The owner of a channel cannot be its collaborator", 422},
		{"DELETE", people, `ids[]=x`, "ids[0]: " + digits, 400},
		{"DELETE", people, ``, "ids: is required", 400},

		{"PUT", at("/v2/blocks/%d", w.block), `{"content":" "}`, "content: must not be blank", 400},
		{"PUT", at("/v2/blocks/%d", w.link), `{"content":"Text"}`, "content: only Text blocks have content that can be changed", 422},
		{"POST", comments, `{}`, "body: is required", 400},
		{"POST", comments, `body=`, "body: " + short, 400},
		{"POST", comments, `{"body":["x"]}`, "body: must be a string", 400},
		{"POST", comments, "body=" + strings.Repeat("x", 10_001), "body: must be at most 10000 characters long", 400},
	}
}

// Invalid requests are refused with the name of each field and change nothing.
func TestV2BadInput(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		before := w.Dump()
		for _, bad := range w.badInputs() {
			kind := "application/json"
			if bad.body != "" && bad.body[0] != '{' && bad.body != "null" {
				kind = formKind
			}
			res := w.Do("ada", bad.method, bad.path, bad.body, "Content-Type", kind)
			refusedV2(t, at("%s %s %.80s", bad.method, bad.path, bad.body), res, bad.status, bad.why)
		}
		w.unchanged(t, before, "bad input")
	})
}

// Hidden things are 404 like missing ones, on every path.
func TestV2Hidden(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		before := w.Dump()
		for _, channel := range []string{"nothing", "999999", "0", "-1", "99999999999999999999", "a%20b", "%00", "%ff", "a%2fb",
			"secret", at("%d", w.secret), strings.Repeat("x", 5_000)} {
			for _, c := range []touch{
				{"GET", "", ""}, {"GET", "/thumb", ""}, {"GET", "/contents", ""}, {"GET", "/connections", ""}, {"GET", "/channels", ""},
				{"GET", "/collaborators", ""}, {"GET", "/followers", ""}, {"GET", "/feed", ""}, {"PUT", "", `{"title":"x"}`},
				{"PUT", "/sort", `{"ids":[1]}`}, {"POST", "/blocks", `{"content":"x"}`},
				{"POST", "/connections", at(`{"connectable_type":"Block","connectable_id":%d}`, w.block)},
				{"DELETE", at("/blocks/%d", w.hidden), ""}, {"DELETE", at("/connections/%d", w.hiddenConnection), ""},
				{"PUT", at("/blocks/%d/selection", w.hidden), ""}, {"POST", "/collaborators", at(`{"ids":[%d]}`, w.Person("bob").ID)},
				{"PUT", "/collaborators", `{"ids":[]}`}, {"POST", "/follow", ""},
			} {
				path := "/v2/channels/" + channel + c.path
				refusedV2(t, c.method+" "+path, w.ask("bob", touch{c.method, path, c.body}), http.StatusNotFound, v2NotFound)
				if c.method == "GET" {
					refusedV2(t, "guest "+path, w.Do("", "GET", path, nil), http.StatusNotFound, v2NotFound)
				}
			}
		}
		for _, id := range []string{"word", "0", "-1", "1.0", "+1", "99999999999999999999", "999999", "%00", at("%d", w.hidden)} {
			for _, c := range []touch{
				{"GET", "", ""}, {"GET", "/channels", ""}, {"GET", "/comments", ""}, {"PUT", "", `{"title":"x"}`},
				{"POST", "/comments", `{"body":"x"}`}, {"PUT", "/comments/1", `{"body":"x"}`}, {"DELETE", "/comments/1", ""},
			} {
				path := "/v2/blocks/" + id + c.path
				refusedV2(t, c.method+" "+path, w.ask("bob", touch{c.method, path, c.body}), http.StatusNotFound, v2NotFound)
			}
			for _, c := range []touch{{"DELETE", "/v2/channels/closed/blocks/" + id, ""}, {"PUT", "/v2/channels/closed/blocks/" + id + "/selection", ""}} {
				refusedV2(t, c.method+" "+c.path, w.ask("ada", c), http.StatusNotFound, v2NotFound)
			}
		}
		for _, id := range []string{"word", "0", "-1", "99999999999999999999", "999999", at("%d", w.hiddenConnection)} {
			for _, c := range []touch{{"DELETE", "/v2/connections/" + id, ""}, {"PUT", "/v2/connections/" + id + "/selection", ""},
				{"DELETE", "/v2/channels/closed/connections/" + id, ""}} {
				refusedV2(t, c.method+" "+c.path, w.ask("bob", c), http.StatusNotFound, v2NotFound)
			}
		}
		for _, path := range []string{"users/nobody", "users/0", "users/nobody/channels", "users/nobody/following", "users/nobody/followers",
			"users/nobody/feed", "users/nobody/network", "users/ada/channel", "groups/none", "groups/none/channels", "groups/0"} {
			for _, as := range []string{"", "bob"} {
				refusedV2(t, path, w.Do(as, "GET", "/v2/"+path, nil), http.StatusNotFound, v2NotFound)
			}
		}
		refusedV2(t, "follow nobody", w.Do("bob", "POST", "/v2/users/nobody/follow", nil), http.StatusNotFound, v2NotFound)
		w.unchanged(t, before, "hidden things")
	})
}

// A connection belongs to one channel, and a comment to one block: below others they are not found.
func TestV2Elsewhere(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		comment := w.Do("ada", "POST", at("/v2/blocks/%d/comments", w.block), `{"body":"Here"}`).Want(200).Int("id")
		before := w.Dump()
		for _, c := range []touch{
			{"DELETE", at("/v2/channels/%d/connections/%d", w.open, w.connection), ""},
			{"DELETE", at("/v2/channels/%d/blocks/%d", w.open, w.link), ""},
			{"PUT", at("/v2/channels/%d/blocks/%d/selection", w.open, w.link), ""},
			{"PUT", at("/v2/blocks/%d/comments/%d", w.link, comment), `{"body":"x"}`},
			{"DELETE", at("/v2/blocks/%d/comments/%d", w.link, comment), ""},
			{"DELETE", at("/v2/blocks/%d/comments/%d", w.hidden, comment), ""},
		} {
			refusedV2(t, c.method+" "+c.path, w.ask("ada", c), http.StatusNotFound, v2NotFound)
		}
		w.unchanged(t, before, "things elsewhere")
	})
}
