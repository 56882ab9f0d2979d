package api_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// trip is a write through one version, with its results in both.
type trip struct {
	name         string
	v2, v3       func(w *world) *apptest.Response // the same write through either version
	path2, path3 string                           // paths to read
	want2, want3 map[string]any                   // expected values by path; "gone" for a path that is 404
}

// gone is the expectation for something that must not exist.
const gone = "gone"

// trips returns writes to ada's things.
func (w *world) trips() []trip {
	send := func(method, path string, body any) func(*world) *apptest.Response {
		return func(w *world) *apptest.Response { return w.Do("ada", method, path, body) }
	}
	crew := func(w *world) *apptest.Response {
		w.Group("Crew", "bob")
		return w.Do("ada", "PUT", "/ext/v1/groups/crew/follow", nil)
	}
	closed, bob := at("%d", w.closed), w.Person("bob").ID
	return []trip{
		{"a status", send("PUT", "/v2/channels/"+closed, `{"status":"private"}`), send("PUT", "/v3/channels/"+closed, `{"visibility":"private"}`),
			"/v2/channels/" + closed, "/v3/channels/" + closed,
			map[string]any{"status": "private", "published": false, "open": false}, map[string]any{"visibility": "private"}},
		{"another status", send("PUT", "/v2/channels/"+closed, `{"status":"public"}`), send("PUT", "/v3/channels/"+closed, `{"visibility":"public"}`),
			"/v2/channels/" + closed, "/v3/channels/" + closed,
			map[string]any{"status": "public", "published": true, "open": true}, map[string]any{"visibility": "public"}},
		{"a title and a description", send("PUT", "/v2/channels/"+closed, `{"title":"Größer","description":"*All* of it"}`),
			send("PUT", "/v3/channels/"+closed, `{"title":"Größer","description":"*All* of it"}`), "/v2/channels/" + closed, "/v3/channels/" + closed,
			map[string]any{"title": "Größer", "metadata.description": "*All* of it", "status": "closed"},
			map[string]any{"title": "Größer", "description.markdown": "*All* of it", "visibility": "closed"}},
		{"no description", send("PUT", "/v2/channels/"+closed, `{"description":""}`), send("PUT", "/v3/channels/"+closed, `{"description":null}`),
			"/v2/channels/" + closed, "/v3/channels/" + closed, map[string]any{"metadata.description": nil}, map[string]any{"description": nil}},
		{"a text", send("POST", "/v2/channels/"+closed+"/blocks", `{"content":"# New\n\n*text*","title":"T","description":"D"}`),
			send("POST", "/v3/blocks", at(`{"value":"# New\n\n*text*","title":"T","description":"D","channel_ids":[%s]}`, closed)),
			"/v2/channels/" + closed + "?direction=desc", "/v3/channels/" + closed + "/contents?sort=position_desc",
			map[string]any{"length": 3, "contents.0.class": "Text", "contents.0.content": "# New\n\n*text*", "contents.0.title": "T",
				"contents.0.description": "D", "contents.0.position": 3, "contents.0.connected_by_user_slug": "ada"},
			map[string]any{"meta.total_count": 3, "data.0.type": "Text", "data.0.content.markdown": "# New\n\n*text*", "data.0.title": "T",
				"data.0.description.markdown": "D", "data.0.connection.position": 3, "data.0.connection.connected_by.slug": "ada"}},
		{"a link", send("POST", "/v2/channels/"+closed+"/blocks", `{"source":"https://www.example.net/x","content":"https://www.example.net/x"}`),
			send("POST", "/v3/blocks", at(`{"value":"https://www.example.net/x","channel_ids":[%s]}`, closed)),
			"/v2/channels/" + closed + "?direction=desc&per=1", "/v3/channels/" + closed + "/contents?sort=position_desc",
			map[string]any{"contents.0.source.url": "https://www.example.net/x", "length": 3},
			map[string]any{"data.0.source.url": "https://www.example.net/x", "meta.total_count": 3}},
		{"words of a block", send("PUT", at("/v2/blocks/%d", w.block), `{"title":"T","description":"*D*","content":"Other"}`),
			send("PUT", at("/v3/blocks/%d", w.block), `{"title":"T","description":"*D*","content":"Other"}`),
			at("/v2/blocks/%d", w.block), at("/v3/blocks/%d", w.block),
			map[string]any{"title": "T", "description": "*D*", "description_html": "<p><em>D</em></p>", "content": "Other", "generated_title": "T"},
			map[string]any{"title": "T", "description.markdown": "*D*", "description.html": "<p><em>D</em></p>", "content.markdown": "Other"}},
		{"a connection", send("POST", at("/v2/channels/%d/connections", w.spare), at(`{"connectable_type":"Block","connectable_id":%d}`, w.link)),
			send("POST", "/v3/connections", at(`{"connectable_type":"Block","connectable_id":%d,"channel_ids":[%d]}`, w.link, w.spare)),
			at("/v2/channels/%d", w.spare), at("/v3/channels/%d/contents", w.spare),
			map[string]any{"length": 1, "contents.0.id": w.link, "contents.0.position": 1, "contents.0.selected": false},
			map[string]any{"meta.total_count": 1, "data.0.id": w.link, "data.0.connection.position": 1, "data.0.connection.pinned": false}},
		{"a channel in a channel", send("POST", at("/v2/channels/%d/connections", w.spare), at(`{"connectable_type":"Channel","connectable_id":"%d"}`, w.open)),
			send("POST", "/v3/connections", at(`{"connectable_type":"Channel","connectable_id":%d,"channel_ids":[%d]}`, w.open, w.spare)),
			at("/v2/channels/%d/connections", w.open), at("/v3/channels/%d/connections", w.open),
			map[string]any{"length": 1, "channels.0.id": w.spare}, map[string]any{"meta.total_count": 1, "data.0.id": w.spare}},
		{"a position", send("PUT", "/v2/channels/"+closed+"/sort", at(`{"connectable_type":"Block","connectable_id":%d,"new_position":2}`, w.block)),
			send("POST", at("/v3/connections/%d/move", w.connection), `{"movement":"insert_at","position":2}`),
			"/v2/channels/" + closed + "/contents", "/v3/channels/" + closed + "/contents?sort=position_asc",
			map[string]any{"contents.0.id": w.link, "contents.1.id": w.block, "contents.1.position": 2},
			map[string]any{"data.0.id": w.link, "data.1.id": w.block, "data.1.connection.position": 2}},
		{"an order", send("PUT", "/v2/channels/"+closed+"/sort", at(`{"ids":[%d,%d]}`, w.link, w.block)),
			send("POST", at("/v3/connections/%d/move", w.connection), `{"movement":"move_to_top"}`),
			"/v2/channels/" + closed + "/contents", "/v3/channels/" + closed + "/contents?sort=position_asc",
			map[string]any{"contents.0.id": w.link, "contents.1.id": w.block, "contents.1.position": 2},
			map[string]any{"data.0.id": w.link, "data.1.id": w.block, "data.1.connection.position": 2}},
		{"a comment", send("POST", at("/v2/blocks/%d/comments", w.block), `{"body":"Hear *hear*, @bob"}`),
			send("POST", at("/v3/blocks/%d/comments", w.block), `{"body":"Hear *hear*, @bob"}`),
			at("/v2/blocks/%d/comments", w.block), at("/v3/blocks/%d/comments", w.block),
			map[string]any{"length": 1, "comments.0.body": "Hear *hear*, @bob", "comments.0.user.slug": "ada", "comments.0.entities.0.user_slug": "bob"},
			map[string]any{"meta.total_count": 1, "data.0.body.markdown": "Hear *hear*, @bob", "data.0.user.slug": "ada"}},
		{"a collaborator", send("POST", "/v2/channels/"+closed+"/collaborators", at(`{"ids":[%d]}`, bob)),
			send("POST", "/ext/v1/channels/"+closed+"/collaborators", at(`{"user_id":%d}`, bob)),
			"/v2/channels/" + closed, "/v3/channels/" + closed,
			map[string]any{"collaboration": true, "collaborator_count": 1, "collaborators.0.slug": "bob"},
			map[string]any{"collaborators.0.slug": "bob"}},
		{"following a channel", send("POST", "/v2/channels/"+closed+"/follow", nil), send("PUT", "/ext/v1/channels/"+closed+"/follow", nil),
			"/v2/users/ada/following", "/v3/users/ada/following", map[string]any{"length": 1, "following.0.id": w.closed},
			map[string]any{"meta.total_count": 1, "data.0.id": w.closed}},
		{"following a user", send("POST", "/v2/users/bob/follow", nil), send("PUT", "/ext/v1/users/bob/follow", nil),
			"/v2/users/bob/followers", "/v3/users/bob/followers", map[string]any{"length": 1, "users.0.slug": "ada"},
			map[string]any{"meta.total_count": 1, "data.0.slug": "ada"}},
		{"following a group", crew, crew, // not possible in version 2
			"/v2/users/ada/following", "/v3/users/ada/following", map[string]any{"length": 1, "following.0.slug": "crew", "following.0.base_class": "Group"},
			map[string]any{"meta.total_count": 1, "data.0.slug": "crew"}},
		{"a connection less", send("DELETE", at("/v2/connections/%d", w.connection), nil), send("DELETE", at("/v3/connections/%d", w.connection), nil),
			"/v2/channels/" + closed, "/v3/channels/" + closed + "/contents", map[string]any{"length": 1, "contents.0.id": w.link},
			map[string]any{"meta.total_count": 1, "data.0.id": w.link}},
		{"a channel less", send("DELETE", "/v2/channels/"+closed, nil), send("DELETE", "/v3/channels/"+closed, nil),
			"/v2/channels/" + closed, "/v3/channels/" + closed, map[string]any{gone: true}, map[string]any{gone: true}},
	}
}

// A write through one version has the same results in the other.
func TestV2RoundTrips(t *testing.T) {
	t.Parallel()
	for i, trip := range newWorld(apptest.New(t)).trips() {
		t.Run(trip.name, func(t *testing.T) {
			t.Parallel()
			for version := range 2 {
				eachWorld(t, func(t *testing.T, w *world) {
					trip := w.trips()[i]
					write := trip.v2
					if version == 1 {
						write = trip.v3
					}
					if res := write(w); res.Status/100 != 2 {
						t.Fatalf("status %d: %s", res.Status, res.Body)
					}
					name := at("written by version %d", version+2)
					reads(t, name, w, trip.path2, trip.want2)
					reads(t, name, w, trip.path3, trip.want3)
				})
			}
		})
	}
}

// reads compares the response of a path with the expected values.
func reads(t *testing.T, name string, w *world, path string, want map[string]any) {
	t.Helper()
	res := w.Do("ada", "GET", path, nil)
	if want[gone] != nil {
		if res.Status != 404 {
			t.Errorf("%s: %s answers %d", name, path, res.Status)
		}
		return
	}
	res.Want(200)
	for field, value := range want {
		if got := res.Get(field); fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s: %s shows %s as %v, want %v", name, path, field, got, value)
		}
	}
}
