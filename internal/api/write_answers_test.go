package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine/internal/apptest"
)

// TestWritesAnswerAsReads compares the responses of writes, which are built from known values, with a read right
// afterwards.
func TestWritesAnswerAsReads(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := func(a *apptest.Response, path string) string { return fmt.Sprint(a.Int(path)) }
		channel := id(r.Do("ada", "POST", "/v3/channels", `{"title":"Field notes","visibility":"public"}`).Want(http.StatusCreated), "id")
		hidden := id(r.Do("ada", "POST", "/v3/channels", `{"title":"Drafts","visibility":"private"}`).Want(http.StatusCreated), "id")
		same := func(made *apptest.Response, path string) {
			t.Helper()
			read := r.Do("ada", "GET", path, nil).Want(http.StatusOK)
			if string(made.Body) != string(read.Body) {
				t.Errorf("%s is answered as\n%s\nand read as\n%s", path, made.Body, read.Body)
			}
			if tag := made.Header.Get("ETag"); tag != "" && tag != read.Header.Get("ETag") {
				t.Errorf("%s is answered with the tag %s and read with %s", path, tag, read.Header.Get("ETag"))
			}
		}
		block := ""
		for _, body := range []string{
			`{"value":"A *short* text","title":"A title","description":"*Said* of it","metadata":{"b":1.50,"a":"x"},"channel_ids":[` + channel + `]}`,
			`{"value":"Seen by few","channel_ids":[` + hidden + `]}`,
			`{"value":"In both","channels":[{"id":` + channel + `,"position":1,"metadata":{"k":true}},{"id":` + hidden + `}]}`,
			`{"value":"https://example.org/a","alt_text":"An image","original_source_title":"There","channel_ids":[` + channel + `]}`,
		} {
			made := r.Do("ada", "POST", "/v3/blocks", body).Want(http.StatusCreated)
			same(made, "/v3/blocks/"+id(made, "id"))
			if block == "" {
				block = id(made, "id")
			}
		}
		same(r.Do("ada", "PUT", "/v3/blocks/"+block, `{"title":"Another","content":"Other words","metadata":{"a":null}}`).Want(http.StatusOK), "/v3/blocks/"+block)
		connected := r.Do("ada", "POST", "/v3/connections", `{"connectable_type":"Block","connectable_id":`+block+`,"channels":[{"id":`+hidden+`,"position":2}]}`).Want(http.StatusCreated)
		connection := "/v3/connections/" + id(connected, "data.0.id")
		read := r.Do("ada", "GET", connection, nil).Want(http.StatusOK)
		if got := `{"data":[` + string(read.Body) + `]}`; got != string(connected.Body) {
			t.Errorf("a connection is answered as\n%s\nand read as\n%s", connected.Body, got)
		}
		for _, movement := range []string{"move_to_bottom", "move_up", "move_to_top"} {
			same(r.Do("ada", "POST", connection+"/move", `{"movement":"`+movement+`"}`).Want(http.StatusOK), connection)
		}
		same(r.Do("ada", "PUT", connection, `{"metadata":{"k":"v"}}`).Want(http.StatusOK), connection)
	})
}
