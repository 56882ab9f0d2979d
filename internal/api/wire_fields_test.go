package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// ids repeats an id n times as elements of a list.
func ids(id int64, n int) string {
	return strings.TrimSuffix(strings.Repeat(at("%d,", id), n), ",")
}

const twenty = "99999999999999999999" // digits, beyond 64 bits

// badBody is a body with all of its faults.
type badBody struct {
	body string
	errs []string
}

func bad(body string, errs ...string) badBody { return badBody{body, errs} }

// refuse sends bodies that must be refused with their errors and change nothing.
func (w *world) refuse(t *testing.T, method, path string, all []badBody) {
	t.Helper()
	before := w.Dump()
	for _, b := range all {
		name := at("%s %s %.200s", method, path, b.body)
		refused(t, name, w.Do("ada", method, path, b.body), http.StatusBadRequest, b.errs...)
		w.unchanged(t, before, name)
	}
}

const (
	either  = "channel_ids or channels: one is required"
	both    = "channel_ids, channels: give one or the other, not both"
	overint = "must be a 64-bit integer"
)

func TestBadCreateBlock(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		in := at(`"channel_ids":[%d]`, w.closed)
		heavy := `"k":""`
		for i := range 17 {
			heavy += at(`,"k%d":%q`, i, strings.Repeat("x", 2000))
		}
		w.refuse(t, "POST", "/v3/blocks", []badBody{
			bad(`{}`, either, "value: is required"),
			bad(`{"value":"x"}`, either),
			bad(at(`{"value":"x","channel_ids":[%d],"channels":[{"id":%d}]}`, w.open, w.closed), both),
			bad(at(`{"value":"x","channel_ids":null,"channels":[{"id":%d}]}`, w.closed),
				"channel_ids: must be an array", both),
			bad(at(`{"value":"x","channel_ids":[%s]}`, ids(w.closed, 21)), "channel_ids: must have at most 20 items"),
			bad(at(`{"value":"x","channels":[%s]}`, strings.TrimSuffix(strings.Repeat(at(`{"id":%d},`, w.closed), 21), ",")),
				"channels: must have at most 20 items"),
			bad(`{"value":"x","channel_ids":[]}`, "channel_ids: must have at least 1 item"),
			bad(`{"value":"x","channels":[]}`, "channels: must have at least 1 item"),
			bad(`{"value":"x","channel_ids":`+at("%d", w.closed)+`}`, "channel_ids: must be an array"),
			bad(`{"value":"x","channel_ids":["a\u0000"]}`, "channel_ids[0]: must not contain NUL"),
			bad(at(`{"value":"x","channel_ids":[%d,%s]}`, w.closed, twenty), "channel_ids[1]: "+overint),
			bad(`{"value":"x","channels":[{"id":`+twenty+`}]}`, "channels[0].id: "+overint),
			bad(`{"value":"x","channel_ids":[true,null,{},[],1.5]}`,
				"channel_ids[0]: must be an integer or string", "channel_ids[1]: must be an integer or string",
				"channel_ids[2]: must be an integer or string", "channel_ids[3]: must be an integer or string",
				"channel_ids[4]: must be an integer or string"),
			bad(at(`{"value":"x","channels":[%d,"closed",{"position":1}]}`, w.closed),
				"channels[0]: must be an object", "channels[1]: must be an object", "channels[2].id: is required"),
			bad(`{`+in+`}`, "value: is required"),
			bad(`{"value":"",`+in+`}`, "value: must be at least 1 character long"),
			bad(`{"value":null,`+in+`}`, "value: must be a string"),
			bad(`{"value":1,`+in+`}`, "value: must be a string"),
			bad(`{"value":" \n\t ",`+in+`}`, "value: must not be blank"),
			bad(`{"value":" ","title":" \t",`+in+`}`, "title: must not be blank", "value: must not be blank"),
			bad(`{"value":"\u00a0\u2003","original_source_url":"x",`+in+`}`, "original_source_url: must be an absolute http or https URL", "value: must not be blank"),
			bad(`{"value":" ","title":" ","metadata":{`+heavy+`},`+in+`}`,
				"metadata: must be at most 50 keys and 32 KB of JSON", "title: must not be blank", "value: must not be blank"),
			bad(`{"value":"`+strings.Repeat("é", 200_001)+`",`+in+`}`, "value: must be at most 200000 characters long"),
			bad(`{"value":"http://example.org/`+strings.Repeat("x", 5000)+`",`+in+`}`,
				"value: a URL must be at most 4,096 bytes long"),
			bad(`{"value":"x","title":7,"description":[],"alt_text":{},"original_source_url":1,"original_source_title":false,`+
				`"metadata":"m","insert_at":"1",`+in+`}`,
				"alt_text: must be a string", "description: must be a string", "insert_at: must be an integer",
				"metadata: must be an object", "original_source_title: must be a string",
				"original_source_url: must be a string", "title: must be a string"),
			bad(`{"value":"x","title":"`+strings.Repeat("é", 256)+`","description":"`+strings.Repeat("d", 20_001)+
				`","alt_text":"`+strings.Repeat("a", 2001)+`","original_source_title":"`+strings.Repeat("o", 256)+`",`+in+`}`,
				"alt_text: must be at most 2000 characters long", "description: must be at most 20000 characters long",
				"original_source_title: must be at most 255 characters long", "title: must be at most 255 characters long"),
			bad(`{"value":"x","original_source_url":"javascript:alert(1)",`+in+`}`,
				"original_source_url: must be an absolute http or https URL"),
			bad(`{"value":"x","insert_at":0,`+in+`}`, "insert_at: must be at least 1"),
			bad(`{"value":"x","insert_at":-1,`+in+`}`, "insert_at: must be at least 1"),
			bad(`{"value":"x","insert_at":1.5,`+in+`}`, "insert_at: must be an integer"),
			bad(`{"value":"x","insert_at":null,`+in+`}`, "insert_at: must be an integer"),
			bad(`{"value":"x","insert_at":9223372036854775808,`+in+`}`, "insert_at: "+overint),
			bad(at(`{"value":"x","channels":[{"id":%d}],"insert_at":1}`, w.closed), "insert_at: must not be given together with channels"),
			bad(at(`{"value":"x","channels":[{"id":%d,"position":0},{"id":%d,"position":"1"}]}`, w.closed, w.open),
				"channels[0].position: must be at least 1", "channels[1].position: must be an integer"),
		})
	})
}

func TestBadChannel(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		long := strings.Repeat("é", 256)
		shared := []badBody{
			bad(`{"title":""}`, "title: must be at least 1 character long"),
			bad(`{"title":"   "}`, "title: must not be blank"),
			bad(`{"title":"\u00a0\t"}`, "title: must not be blank"),
			bad(`{"title":"`+long+`"}`, "title: must be at most 255 characters long"),
			bad(`{"title":null}`, "title: must be a string"),
			bad(`{"title":"a\u0000b"}`, "title: must not contain NUL"),
			bad(`{"title":["x"]}`, "title: must be a string"),
			bad(`{"title":"x","visibility":"open"}`, "visibility: must be one of public, private, closed"),
			bad(`{"title":"x","visibility":"Public"}`, "visibility: must be one of public, private, closed"),
			bad(`{"title":"x","visibility":null}`, "visibility: must be a string"),
			bad(`{"title":"x","visibility":1}`, "visibility: must be a string"),
			bad(`{"title":"x","owner":{"id":1,"type":"Robot"}}`, "owner.type: must be one of User, Group"),
			bad(`{"title":"x","owner":{"type":"User"}}`, "owner.id: is required"),
			bad(`{"title":"x","owner":{"id":0}}`, "owner.id: must be at least 1"),
			bad(`{"title":"x","owner":{"id":-1}}`, "owner.id: must be at least 1"),
			bad(`{"title":"x","owner":{"id":"1"}}`, "owner.id: must be an integer"),
			bad(`{"title":"x","owner":{"id":`+twenty+`}}`, "owner.id: "+overint),
			bad(`{"title":"x","owner":1}`, "owner: must be an object"),
			bad(`{"title":"x","owner":null}`, "owner: must be an object"),
			bad(`{"title":7,"visibility":"x","owner":{"id":0,"type":"x"},"metadata":[]}`,
				"metadata: must be an object", "owner.id: must be at least 1", "owner.type: must be one of User, Group",
				"title: must be a string", "visibility: must be one of public, private, closed"),
		}
		w.refuse(t, "POST", "/v3/channels", append(shared,
			bad(`{}`, "title: is required"),
			bad(`{"title":"x","description":"`+strings.Repeat("d", 20_001)+`"}`, "description: must be at most 20000 characters long"),
		))
		w.refuse(t, "PUT", at("/v3/channels/%d", w.closed), append(shared,
			bad(`{"description":7}`, "description: must be a string or null"),
			bad(`{"description":"`+strings.Repeat("d", 20_001)+`"}`, "description: must be at most 20000 characters long"),
		))
	})
}

func TestBadUpdateBlock(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.refuse(t, "PUT", at("/v3/blocks/%d", w.block), []badBody{
			bad(`{"title":7,"description":7,"content":null,"alt_text":7}`,
				"alt_text: must be a string", "content: must be a string", "description: must be a string", "title: must be a string"),
			bad(`{"content":""}`, "content: must be at least 1 character long"),
			bad(`{"content":"  "}`, "content: must not be blank"),
			bad(`{"content":"  ","title":"\n"}`, "content: must not be blank", "title: must not be blank"),
			bad(`{"content":"`+strings.Repeat("x", 200_001)+`"}`, "content: must be at most 200000 characters long"),
			bad(`{"title":"`+strings.Repeat("x", 256)+`","description":1,"alt_text":"`+strings.Repeat("x", 2001)+`"}`,
				"alt_text: must be at most 2000 characters long", "description: must be a string",
				"title: must be at most 255 characters long"),
			bad(`{"title":"a\u0000"}`, "title: must not contain NUL"),
		})
		before := w.Dump()
		for body, path := range map[string]int64{`{"title":"new","content":"x"}`: w.link, `{"title":"new","alt_text":"x"}`: w.block} {
			refused(t, body, w.Do("ada", "PUT", at("/v3/blocks/%d", path), body), http.StatusUnprocessableEntity)
			w.unchanged(t, before, body)
		}
	})
}
