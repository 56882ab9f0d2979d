package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// lists returns the paths of lists with their sorts.
func (w *world) lists() map[string]string {
	contents := "position_asc, position_desc, created_at_asc, created_at_desc, updated_at_asc, updated_at_desc"
	return map[string]string{
		at("/v3/channels/%d/contents", w.closed):   contents,
		"/v3/channels/closed/contents":             contents,
		at("/v3/channels/%d/connections", w.spare): "created_at_desc, created_at_asc",
		at("/v3/blocks/%d/connections", w.block):   "created_at_desc, created_at_asc",
	}
}

func TestBadParameters(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const encoding = "is not encoded as URLs are (percent signs, semicolons)"
		for path, sorts := range w.lists() {
			sort := "sort: must be one of " + sorts
			tests := map[string][]string{
				"per=0":                      {"per: must be at least 1"},
				"per=-1":                     {"per: must be at least 1"},
				"per=101":                    {"per: must be at most 100"},
				"per=abc":                    {"per: must be an integer"},
				"per=":                       {"per: must be an integer"},
				"per":                        {"per: must be an integer"},
				"per=1.5":                    {"per: must be an integer"},
				"per=1e1":                    {"per: must be an integer"},
				"per=0x10":                   {"per: must be an integer"},
				"per=1_0":                    {"per: must be an integer"},
				"per=%2010":                  {"per: must be an integer"},
				"per=+10":                    {"per: must be an integer"},
				"per=%D9%A1%D9%A2":           {"per: must be an integer"},
				"per=" + twenty:              {"per: " + overint, "per: must be at most 100"},
				"per=24&per=24&page=0":       {"page: must be at least 1", "per: is given more than once"},
				"per=24&per=%32%34":          {"per: is given more than once"},
				"page=0":                     {"page: must be at least 1"},
				"page=-1":                    {"page: must be at least 1"},
				"page=abc":                   {"page: must be an integer"},
				"page=" + twenty:             {"page: " + overint},
				"page=-" + twenty:            {"page: " + overint, "page: must be at least 1"},
				"page=1,2":                   {"page: must be an integer"},
				"sort=best":                  {sort},
				"sort=":                      {sort},
				"sort=CREATED_AT_ASC":        {sort},
				"sort=created_at_asc%00":     {"sort: must not contain NUL"},
				"sort=%ff":                   {"sort: is not valid UTF-8"},
				"sort=\xff":                  {"sort: is not valid UTF-8"},
				"sort=created_at_asc;page=1": {"sort: " + encoding},
				"per=%zz":                    {"per: " + encoding},
				"page=%00":                   {"page: must not contain NUL"},
				"sort=x&per=0&page=y": {
					"page: must be an integer", "per: must be at least 1", sort},
			}
			if strings.HasSuffix(path, "/contents") {
				tests["user_id=0"] = []string{"user_id: must be at least 1"}
				tests["user_id=ada"] = []string{"user_id: must be an integer"}
				tests["user_id="+twenty] = []string{"user_id: " + overint}
			}
			if strings.HasPrefix(path, "/v3/blocks/") {
				tests["filter=MINE"] = []string{"filter: must be one of ALL, OWN, EXCLUDE_OWN"}
				tests["filter=own&per=1000"] = []string{
					"filter: must be one of ALL, OWN, EXCLUDE_OWN", "per: must be at most 100"}
			}
			for query, errs := range tests {
				for _, who := range []string{"", "ada"} {
					refused(t, path+"?"+query, w.Do(who, "GET", path+"?"+query, nil), http.StatusBadRequest, errs...)
				}
			}
		}
	})
}

// Unusual but valid: unknown parameters, cache busters, the limits of ranges.
func TestLenientParameters(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for path := range w.lists() {
			plain := w.Do("ada", "GET", path, nil).Want(http.StatusOK)
			for _, query := range []string{"?", "?v=1699", "?1699", "?per=24", "?per=%32%34", "?page=1",
				"?unknown=%00", "?unknown=%zz", "?q=;", "?&&", "?%zz=1", "?access_token=x", "?filters=MINE"} {
				if res := w.Do("ada", "GET", path+query, nil); res.Status != http.StatusOK || string(res.Body) != string(plain.Body) {
					t.Errorf("%s%s: %d %s, want %s", path, query, res.Status, res.Body, plain.Body)
				}
			}
			for query, per := range map[string]int64{"?per=1": 1, "?per=100": 100, "?page=9223372036854775807": 24} {
				res := w.Do("ada", "GET", path+query, nil).Want(http.StatusOK)
				if got := res.Int("meta.per_page"); got != per {
					t.Errorf("%s%s: per_page is %d", path, query, got)
				}
			}
			past := w.Do("ada", "GET", path+"?page=1000000", nil).Want(http.StatusOK)
			if past.Len("data") != 0 || past.Get("meta.next_page") != nil || past.Int("meta.total_count") == 0 {
				t.Errorf("%s: past the end there is %s", path, past.Body)
			}
		}
	})
}

// TestBadIDs requests paths that identify nothing.
func TestBadIDs(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Group("Crew", "ada")
		before := w.Dump()
		numbered := []struct{ method, path, body string }{
			{"GET", "/v3/blocks/%s", ""}, {"PUT", "/v3/blocks/%s", `{"title":"x"}`}, {"GET", "/v3/blocks/%s/connections", ""},
			{"GET", "/v3/connections/%s", ""}, {"PUT", "/v3/connections/%s", `{"metadata":{}}`},
			{"DELETE", "/v3/connections/%s", ""}, {"POST", "/v3/connections/%s/move", `{"movement":"move_up"}`},
		}
		named := []struct{ method, path, body string }{
			{"GET", "/v3/channels/%s", ""}, {"PUT", "/v3/channels/%s", `{"title":"x"}`}, {"DELETE", "/v3/channels/%s", ""},
			{"GET", "/v3/channels/%s/contents", ""}, {"GET", "/v3/channels/%s/connections", ""},
			{"GET", "/v3/users/%s", ""}, {"GET", "/ext/v1/channels/%s/collaborators", ""},
			{"POST", "/ext/v1/channels/%s/collaborators", `{"user_id":1}`},
			{"DELETE", "/ext/v1/channels/%s/collaborators/User/1", ""},
		}
		send := func(op struct{ method, path, body string }, id string, status int, errs ...string) {
			t.Helper()
			var body any
			if op.body != "" {
				body = op.body
			}
			path := at(op.path, id)
			if strings.HasSuffix(path, "/") && path != "/v3/users/" { // a path without its trailing slash is another one
				status = http.StatusMethodNotAllowed
			}
			refused(t, op.method+" "+path, w.Do("ada", op.method, path, body), status, errs...)
		}
		nowhere := []string{"0", "-1", twenty, "-" + twenty, "9223372036854775807", "%00", "1%00", "%ff", "%C0%AF", "", "%20", "1%2F2"}
		for _, op := range numbered {
			for _, id := range nowhere {
				if id != "%20" && id != "1%2F2" {
					send(op, id, http.StatusNotFound)
				}
			}
			for _, id := range []string{"closed", "1.5", "1e0", "%20", "1%2F2", "0x1", "1;2", "%E2%91%A0"} {
				send(op, id, http.StatusBadRequest, "id: must be an integer")
			}
		}
		for _, op := range named {
			for _, id := range append(nowhere, "nothing", "crew", ".", "..", "%2e%2e", "a%2Fb", "%E2%91%A0",
				strings.Repeat("long-", 5000)) {
				send(op, id, http.StatusNotFound)
			}
			if strings.Contains(op.path, "users") {
				send(op, "closed", http.StatusNotFound)
			} else {
				send(op, "ada", http.StatusNotFound)
			}
		}
		w.unchanged(t, before, "bad ids")
	})
}

// Targets in bodies that do not exist, or slugs of another type.
func TestMissingTargets(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Group("Crew", "ada")
		before := w.Dump()
		for _, id := range []string{"0", "-1", "9223372036854775807", `"0"`, `"` + twenty + `"`, `"-1"`, `""`, `" "`,
			`"ada"`, `"crew"`, `"Closed"`, `"closed "`, `"nothing"`, `"1.5"`} {
			for _, list := range []string{at(`"channel_ids":[%d,%s]`, w.closed, id), at(`"channels":[{"id":%d},{"id":%s}]`, w.closed, id)} {
				body := `{"value":"x",` + list + `}`
				refused(t, body, w.Do("ada", "POST", "/v3/blocks", body), http.StatusNotFound)
				body = at(`{"connectable_type":"Block","connectable_id":%d,`, w.link) + list + `}`
				refused(t, body, w.Do("ada", "POST", "/v3/connections", body), http.StatusNotFound)
			}
		}
		for _, item := range []string{`"Block","connectable_id":9223372036854775807`, `"Channel","connectable_id":9223372036854775807`} {
			body := at(`{"connectable_type":%s,"channel_ids":[%d]}`, item, w.closed)
			refused(t, body, w.Do("ada", "POST", "/v3/connections", body), http.StatusNotFound)
		}
		for _, owner := range []string{at(`{"id":%d}`, w.Person("bob").ID), `{"id":9223372036854775807}`, `{"id":7,"type":"Group"}`} {
			for method, path := range map[string]string{"POST": "/v3/channels", "PUT": at("/v3/channels/%d", w.closed)} {
				body := `{"title":"x","owner":` + owner + `}`
				refused(t, body, w.Do("ada", method, path, body), http.StatusForbidden)
			}
		}
		w.unchanged(t, before, "missing targets")
	})
}
