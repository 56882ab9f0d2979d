package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestTrailingSlash requests the same paths with and without a trailing slash.
func TestTrailingSlash(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	for _, path := range []string{"/v3/ping", "/v3/me", "/v3/channels/closed", at("/v3/channels/%d/contents", w.closed), at("/v3/blocks/%d", w.block),
		"/v3/users/ada", "/v3/search", "/ext/v1/openapi.json", "/v3/openapi.json", at("/ext/v1/channels/%d/collaborators", w.closed), "/v3/nothing",
		"/v3/channels/a%2Fb", "/v3/blocks/x", "/v3/oauth/token", "/v3/channels/nowhere"} {
		for _, query := range []string{"", "?per=2", "?per=x"} {
			plain, slashed := w.Do("ada", "GET", path+query, nil), w.Do("ada", "GET", path+"/"+query, nil)
			if plain.Status != slashed.Status || plain.Header.Get("ETag") != slashed.Header.Get("ETag") || plain.Header.Get("Allow") != slashed.Header.Get("Allow") ||
				plain.Status < 500 && string(plain.Body) != string(slashed.Body) {
				t.Errorf("%s%s: %d %s, with a slash %d %s", path, query, plain.Status, plain.Body, slashed.Status, slashed.Body)
			}
			if tag := plain.Header.Get("ETag"); tag != "" {
				w.Do("ada", "GET", path+"/"+query, nil, "If-None-Match", tag).Want(http.StatusNotModified)
			}
		}
	}
	made := w.Do("ada", "POST", "/v3/channels/", `{"title":"By a slash"}`).Want(http.StatusCreated).Int("id")
	w.Do("ada", "PUT", at("/v3/channels/%d/", made), `{"title":"By another"}`).Want(http.StatusOK)
	w.Do("ada/read", "DELETE", at("/v3/channels/%d/", made), nil).Want(http.StatusForbidden)
	w.Do("ada", "DELETE", at("/v3/channels/%d/", made), nil).Want(http.StatusNoContent)
	for _, path := range []string{"/v3/ping//", "/v3//ping", "/v3/", "/ext/v1/", "/v3/channels/closed//", "/v3/channels/", "/v3/blocks/%2F"} {
		if res := w.Do("ada", "GET", path, nil); res.Status == http.StatusOK {
			t.Errorf("%s: %d", path, res.Status)
		}
	}
	w.Do("ada", "GET", "/v3/channels/closed%2F", nil).Want(http.StatusNotFound) // the slash is part of the slug, not of the path
}

// compatRow is an undocumented request with the status for each member of the cast, in order.
type compatRow struct {
	name, method, path string
	body               any
	want               map[string]int
}

// TestCompat sends requests of clients that are not in the public description.
func TestCompat(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		bob, eve := int64(w.Person("bob").ID), int64(w.Person("eve").ID)
		disconnect := at("/v3/channels/closed/blocks/%d", w.link)
		erase := at("/v3/blocks/%d", w.link)
		people := "/v3/channels/closed/collaborators"
		ids := `{"collaborator_ids": ["` + strconv.FormatInt(bob, 10) + `", ` + strconv.FormatInt(eve, 10) + `]}`
		refusals := map[string]int{"": 401, "ada/read": 403, "bob": 403}
		before := w.Dump()
		for _, row := range []compatRow{
			{"disconnect", "DELETE", disconnect, nil, refusals},
			{"delete", "DELETE", erase, nil, refusals},
			{"add", "POST", people, ids, refusals},
			{"remove", "DELETE", people, ids, refusals},
			{"disconnect, hidden channel", "DELETE", at("/v3/channels/secret/blocks/%d", w.hidden), nil, map[string]int{"": 401, "bob": 404}},
			{"delete, hidden", "DELETE", at("/v3/blocks/%d", w.hidden), nil, map[string]int{"": 401, "bob": 404}},
			{"add, hidden", "POST", "/v3/channels/secret/collaborators", ids, map[string]int{"": 401, "bob": 404}},
			{"disconnect, not in it", "DELETE", at("/v3/channels/closed/blocks/%d", w.hidden), nil, map[string]int{"ada": 404}},
			{"disconnect, no id", "DELETE", "/v3/channels/closed/blocks/x", nil, map[string]int{"ada": 400}},
			{"disconnect, impossible", "DELETE", "/v3/channels/closed/blocks/0", nil, map[string]int{"ada": 404}},
			{"disconnect, beyond 64 bits", "DELETE", "/v3/channels/closed/blocks/9223372036854775808", nil, map[string]int{"ada": 404}},
			{"disconnect, no channel", "DELETE", at("/v3/channels/nowhere/blocks/%d", w.link), nil, map[string]int{"ada": 404}},
			{"disconnect, NUL", "DELETE", at("/v3/channels/%%00/blocks/%d", w.link), nil, map[string]int{"ada": 404}},
			{"delete, no id", "DELETE", "/v3/blocks/x", nil, map[string]int{"ada": 400}},
			{"delete, impossible", "DELETE", "/v3/blocks/-1", nil, map[string]int{"ada": 404}},
			{"delete, missing", "DELETE", "/v3/blocks/9223372036854775807", nil, map[string]int{"ada": 404}},
			{"delete, an operation's name", "DELETE", "/v3/blocks/batch", nil, map[string]int{"ada": 405}},
			{"add, no body", "POST", people, nil, map[string]int{"ada": 400}},
			{"add, nothing", "POST", people, `{}`, map[string]int{"ada": 400}},
			{"add, nobody", "POST", people, `{"collaborator_ids":[]}`, map[string]int{"ada": 400}},
			{"add, null", "POST", people, `{"collaborator_ids":null}`, map[string]int{"ada": 400}},
			{"add, no list", "POST", people, `{"collaborator_ids":2}`, map[string]int{"ada": 400}},
			{"add, no id", "POST", people, `{"collaborator_ids":["bob"]}`, map[string]int{"ada": 400}},
			{"add, 0", "POST", people, `{"collaborator_ids":[0]}`, map[string]int{"ada": 400}},
			{"add, a fraction", "POST", people, `{"collaborator_ids":[1.5]}`, map[string]int{"ada": 400}},
			{"add, huge", "POST", people, `{"collaborator_ids":[9223372036854775808]}`, map[string]int{"ada": 400}},
			{"add, huge text", "POST", people, `{"collaborator_ids":["9223372036854775808"]}`, map[string]int{"ada": 400}},
			{"add, too many", "POST", people, `{"collaborator_ids":[` + strings.Repeat("1,", 100) + `1]}`, map[string]int{"ada": 400}},
			{"add, twice the field", "POST", people, `{"collaborator_ids":[1],"collaborator_ids":[2]}`, map[string]int{"ada": 400}},
			{"add, broken", "POST", people, `{"collaborator_ids":[1`, map[string]int{"ada": 400}},
			{"add, the owner", "POST", people, at(`{"collaborator_ids":[%d,%d]}`, bob, w.Person("ada").ID), map[string]int{"ada": 422}},
			{"add, nobody's channel", "POST", "/v3/channels/nowhere/collaborators", ids, map[string]int{"ada": 404}},
			{"remove, no id", "DELETE", people, `{"collaborator_ids":["x"]}`, map[string]int{"ada": 400}},
			{"read", "GET", people, nil, map[string]int{"ada": 405, "": 405}},
		} {
			for as, want := range row.want {
				refusedSomehow(t, row.name+" as "+as, w.Do(as, row.method, row.path, row.body), want)
			}
		}
		res := w.Do("ada", "POST", people, at(`{"collaborator_ids":["%d", 1000, "1001"]}`, bob)).Want(http.StatusNotFound)
		if got := res.Get("details.errors"); !slices.Equal(stringsOf(got), []string{"collaborator_ids: there is no user 1000", "collaborator_ids: there is no user 1001"}) {
			t.Errorf("the missing are named %v", got)
		}
		w.Do("ada", "POST", people, ids, "Content-Type", "text/plain").Want(http.StatusUnsupportedMediaType)
		w.unchanged(t, before, "what was refused")

		for range 2 { // repeating it has the same result
			made := w.Do("ada", "POST", people, ids).Want(http.StatusOK)
			shown := w.Do("ada", "GET", "/v3/channels/closed", nil).Want(http.StatusOK)
			if fmt.Sprint(made.Get("data")) != fmt.Sprint(shown.Get("collaborators")) {
				t.Errorf("added, but told %s", made.Body)
			}
			if got := made.Ints("data", "id"); !slices.Equal(got, []int64{bob, eve}) {
				t.Errorf("collaborators are %v", got)
			}
		}
		if n := w.Do("bob", "GET", "/v3/me/notifications", nil); n.Status == http.StatusOK && n.Len("data") != 1 {
			t.Errorf("bob was told %s", n.Body)
		}
		w.Do("bob", "DELETE", people, ids).Want(http.StatusForbidden)
		w.Do("bob", "DELETE", people, at(`{"collaborator_ids":[%d]}`, bob)).Want(http.StatusNoContent)
		for range 2 {
			w.Do("ada", "DELETE", people, ids).Want(http.StatusNoContent)
		}
		if left := w.Do("ada", "GET", "/ext/v1/channels/closed/collaborators", nil); left.Len("data") != 0 {
			t.Errorf("left are %s", left.Body)
		}
		w.Do("ada", "DELETE", disconnect+"/", nil).Want(http.StatusNoContent)
		w.Do("ada", "DELETE", disconnect, nil).Want(http.StatusNotFound)
		w.Do("ada", "GET", erase, nil).Want(http.StatusOK)
		w.Do("ada", "DELETE", erase, nil).Want(http.StatusNoContent)
		w.Do("ada", "DELETE", erase, nil).Want(http.StatusNotFound)
		w.Do("ada", "GET", erase, nil).Want(http.StatusNotFound)
	})
}

// stringsOf returns the strings of a JSON list.
func stringsOf(list any) (all []string) {
	for _, v := range list.([]any) {
		all = append(all, v.(string))
	}
	return all
}

// refusedSomehow checks a refusal with any violations.
func refusedSomehow(t *testing.T, name string, res *apptest.Response, status int) {
	t.Helper()
	var errs []string
	if res.Status == status {
		if list, ok := res.Lookup("details.errors"); ok {
			errs = stringsOf(list)
		}
	}
	refused(t, name, res, status, errs...)
	complete(t, name, res)
	if status == http.StatusBadRequest && errs == nil {
		t.Errorf("%s: names no field: %s", name, res.Body)
	}
}

// TestCompatBodies sends fields of clients that are not in the public description.
func TestCompatBodies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		group, other := w.Group("Crew", "ada", "bob"), w.Group("Others", "bob")
		for _, id := range []string{at("%d", group), at(`"%d"`, group)} {
			made := w.Do("ada", "POST", "/v3/channels", at(`{"group_id":%s, "title":"Ours"}`, id)).Want(http.StatusCreated)
			if made.Str("owner.type") != "Group" || made.Int("owner.id") != int64(group) {
				t.Errorf("group_id %s made %s", id, made.Body)
			}
		}
		w.Do("ada", "POST", "/v3/channels", `{"title":"Mine","group_id":null}`).Want(http.StatusCreated)
		for _, fields := range []string{`"title":null,"description":null`, `"title" : null ,"description":"null"`, "\n\"description\":\tnull,\"alt_text\":\"\\ud83d\\ude00\"", `"titl\u0065":null`} {
			w.Do("ada", "POST", "/v3/blocks", `{"channel_ids":["closed"],`+fields+`,"value":"x"}`).Want(http.StatusCreated)
			w.Do("ada", "POST", "/v3/blocks", `{`+fields+`,"value":"x","channel_ids":["closed"]}`).Want(http.StatusCreated)
		}
		unknown := ""
		for n := range 200 {
			unknown += fmt.Sprintf(`"unknown%d":1,`, n)
		}
		w.Do("ada", "POST", "/v3/blocks/batch", at(`{"channel_ids":[%d],"blocks":[{`, w.Channel("ada", "Batch", "private"))+unknown+`"title":null,"value":"x"}]}`).Want(http.StatusAccepted)
		before := w.Dump()
		for _, c := range []struct {
			path, body string
			status     int
			errs       []string
		}{
			{"/v3/channels", `{"title":"x","group_id":0}`, 400, []string{"group_id: must be the id of a group"}},
			{"/v3/channels", `{"title":"x","group_id":"crew"}`, 400, []string{"group_id: must be the id of a group"}},
			{"/v3/channels", `{"title":"x","group_id":1.5}`, 400, []string{"group_id: must be the id of a group"}},
			{"/v3/channels", `{"title":"x","group_id":{}}`, 400, []string{"group_id: must be the id of a group"}},
			{"/v3/channels", `{"title":"x","group_id":9223372036854775808}`, 400, []string{"group_id: must be the id of a group"}},
			{"/v3/channels", `{"title":1,"group_id":"x"}`, 400, []string{"group_id: must be the id of a group", "title: must be a string"}},
			{"/v3/channels", at(`{"title":"x","group_id":%d,"owner":{"id":1}}`, group), 400, []string{"group_id: must not be given together with owner"}},
			{"/v3/channels", at(`{"title":"x","group_id":%d}`, other), 403, nil},
			{"/v3/channels", `{"title":"x","group_id":1000}`, 403, nil},
			{"/v3/channels", `{"title":null,"group_id":null}`, 400, []string{"title: must be a string"}},
			{"/v3/blocks", `{"value":null,"title":null,"channel_ids":["closed"]}`, 400, []string{"value: must be a string"}},
			{"/v3/blocks", `{"value":"x","title":null,"title":"x","channel_ids":["closed"]}`, 400, []string{`title: is given twice`}},
			{"/v3/blocks", `{"value":"x","title":null,"channel_ids":["closed"]}x`, 400, []string{"body: is not JSON"}},
			{"/v3/blocks", `{"value":"x","title":null,"channel_ids":["closed"]`, 400, []string{"body: is not JSON"}},
			{"/v3/blocks", `null`, 400, []string{"body: must be an object"}},
		} {
			res := w.Do("ada", "POST", c.path, c.body)
			if c.status == 400 && res.Status == 400 && (len(c.errs) != res.Len("details.errors") || strings.Split(c.errs[0], ":")[0] != strings.Split(res.Str("details.errors.0"), ":")[0]) {
				t.Errorf("%s: %s, want %v", c.body, res.Body, c.errs)
			}
			refusedSomehow(t, c.body, res, c.status)
		}
		w.unchanged(t, before, "what was refused")
	})
}

// Undocumented requests do not appear in the descriptions.
func TestCompatIsNotDescribed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	described := string(r.Get("", "/v3/openapi.json").Body) + string(r.Get("", "/ext/v1/openapi.json").Body)
	for _, name := range []string{"collaborator_ids", `"/v3/channels/{id}/blocks/{block_id}"`, `"/v3/channels/{id}/collaborators"`} {
		if strings.Contains(described, name) {
			t.Errorf("%s is described", name)
		}
	}
	for _, op := range r.S.API.V3.Operations() {
		if op.Method == "DELETE" && op.Path == "/v3/blocks/{id}" {
			t.Error("deleting a block is described")
		}
	}
}
