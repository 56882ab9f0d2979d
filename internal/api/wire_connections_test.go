package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestBadConnections(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		item := at(`"connectable_type":"Block","connectable_id":%d`, w.link)
		in := at(`"channel_ids":[%d]`, w.spare)
		w.refuse(t, "POST", "/v3/connections", []badBody{
			bad(`{}`, either, "connectable_id: is required", "connectable_type: is required"),
			bad(`{`+item+`}`, either),
			bad(`{`+item+`,`+in+at(`,"channels":[{"id":%d}]}`, w.spare), both),
			bad(`{`+item+`,"channel_ids":[`+ids(w.spare, 21)+`]}`, "channel_ids: must have at most 20 items"),
			bad(`{`+item+`,"channel_ids":[`+twenty+`]}`, "channel_ids[0]: "+overint),
			bad(`{"connectable_type":"Block","connectable_id":`+twenty+`,`+in+`}`, "connectable_id: "+overint),
			bad(`{"connectable_type":"Block","connectable_id":0,`+in+`}`, "connectable_id: must be at least 1"),
			bad(`{"connectable_type":"Block","connectable_id":-5,`+in+`}`, "connectable_id: must be at least 1"),
			bad(`{"connectable_type":"Block","connectable_id":"1",`+in+`}`, "connectable_id: must be an integer"),
			bad(`{"connectable_type":"User","connectable_id":1,`+in+`}`, "connectable_type: must be one of Block, Channel"),
			bad(`{"connectable_type":null,"connectable_id":null,`+in+`}`,
				"connectable_id: must be an integer", "connectable_type: must be a string"),
			bad(`{`+item+`,`+in+`,"position":0}`, "position: must be at least 1"),
			bad(`{`+item+`,`+in+`,"position":-1}`, "position: must be at least 1"),
			bad(`{`+item+`,`+in+`,"position":1.5}`, "position: must be an integer"),
			bad(`{`+item+`,`+in+`,"position":"1"}`, "position: must be an integer"),
			bad(`{`+item+`,`+in+`,"position":1e300}`, "position: "+overint),
			bad(`{`+item+at(`,"channels":[{"id":%d,"position":1}],"position":1}`, w.spare),
				"position: must not be given together with channels"),
		})
		before := w.Dump()
		for name, body := range map[string]string{
			"itself":           at(`{"connectable_type":"Channel","connectable_id":%d,"channel_ids":[%[1]d]}`, w.closed),
			"itself by slug":   at(`{"connectable_type":"Channel","connectable_id":%d,"channel_ids":["closed"]}`, w.closed),
			"another and self": at(`{"connectable_type":"Channel","connectable_id":%d,"channels":[{"id":%d},{"id":%[1]d}]}`, w.closed, w.open),
		} {
			refused(t, name, w.Do("ada", "POST", "/v3/connections", body), http.StatusUnprocessableEntity)
			w.unchanged(t, before, name)
		}
	})
}

func TestBadMoves(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		path := at("/v3/connections/%d/move", w.connection)
		movements := "movement: must be one of insert_at, move_to_top, move_to_bottom, move_up, move_down"
		w.refuse(t, "POST", path, []badBody{
			bad(`{"movement":"sideways"}`, movements),
			bad(`{"movement":""}`, movements),
			bad(`{"movement":null}`, "movement: must be a string"),
			bad(`{"movement":1,"position":"1"}`, "movement: must be a string", "position: must be an integer"),
			bad(`{"movement":"insert_at","position":0}`, "position: must be at least 1"),
			bad(`{"movement":"insert_at","position":-1}`, "position: must be at least 1"),
			bad(`{"movement":"insert_at","position":1.5}`, "position: must be an integer"),
			bad(`{"movement":"insert_at","position":1.0}`, "position: must be an integer without a fraction or exponent"),
			bad(`{"movement":"insert_at","position":null}`, "position: must be an integer"),
			bad(`{"movement":"insert_at","position":`+twenty+`}`, "position: "+overint),
			bad(`{"movement":"move_up","position":0}`, "position: must be at least 1"),
		})
		before := w.Dump()
		for _, body := range []string{`{}`, `{"movement":"insert_at"}`} {
			res := w.Do("ada", "POST", path, body)
			refused(t, body, res, http.StatusUnprocessableEntity)
			if !strings.HasPrefix(res.Str("details.message"), "position: ") {
				t.Errorf("%s: the message %q does not name the field", body, res.Body)
			}
			w.unchanged(t, before, body)
		}
		// A position above the top means the top.
		if got := w.Do("ada", "POST", path, `{"position":9223372036854775807}`).Want(http.StatusOK).Int("position"); got != 2 {
			t.Errorf("moved to %d, want 2", got)
		}
	})
}

func TestBadUpdateConnection(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.refuse(t, "PUT", at("/v3/connections/%d", w.connection), []badBody{
			bad(`{"metadata":null}`, "metadata: must be an object"),
			bad(`{"metadata":[]}`, "metadata: must be an object"),
			bad(`{"metadata":"{}"}`, "metadata: must be an object"),
		})
	})
}

func TestBadCollaborators(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		path := at("/ext/v1/channels/%d/collaborators", w.closed)
		w.refuse(t, "POST", path, []badBody{
			bad(`{}`, "user_id or group_id: one is required"),
			bad(`{"user_id":1,"group_id":1}`, "user_id, group_id: give one or the other, not both"),
			bad(`{"user_id":0}`, "user_id: must be at least 1"),
			bad(`{"group_id":-1}`, "group_id: must be at least 1"),
			bad(`{"user_id":"bob"}`, "user_id: must be an integer"),
			bad(`{"user_id":null}`, "user_id: must be an integer"),
			bad(`{"user_id":`+twenty+`}`, "user_id: "+overint),
		})
		before := w.Dump()
		refused(t, "a type that is none", w.Do("ada", "DELETE", path+"/Robot/1", nil), http.StatusBadRequest,
			"type: must be one of User, Group")
		refused(t, "the owner", w.Do("ada", "POST", path, at(`{"user_id":%d}`, w.Person("ada").ID)), http.StatusUnprocessableEntity)
		for _, body := range []string{`{"user_id":9223372036854775807}`, `{"group_id":1}`} {
			refused(t, body, w.Do("ada", "POST", path, body), http.StatusNotFound)
		}
		refused(t, twenty, w.Do("ada", "DELETE", path+"/User/"+twenty, nil), http.StatusNotFound)
		w.unchanged(t, before, path)
	})
}
