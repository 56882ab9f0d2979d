package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
)

// TestStatementsOfWrites limits the statements of common writes on either database, including the token look-up, but not
// the beginning and the end of the transaction. On PostgreSQL it also limits the round trips.
func TestStatementsOfWrites(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := func(as, body string) string {
			return fmt.Sprint(r.Do(as, "POST", "/v3/channels", body).Want(http.StatusCreated).Int("id"))
		}
		mine, other := channel("ada", `{"title":"Field notes","visibility":"public"}`), channel("ada", `{"title":"Other notes"}`)
		hidden, theirs := channel("ada", `{"title":"Drafts","visibility":"private"}`), channel("bob", `{"title":"Open notes","visibility":"public"}`)
		r.Do("bob", "PUT", "/v3/channels/"+other+"/follow", nil)
		into := func(channel string) string { return `{"value":"A *short* text","channel_ids":[` + channel + `]}` }
		block := fmt.Sprint(r.Do("ada", "POST", "/v3/blocks", into(mine)).Want(http.StatusCreated).Int("id"))
		r.Do("ada", "POST", "/v3/blocks", into(mine)).Want(http.StatusCreated)
		connection := ""
		for _, w := range []struct {
			name, method, path, body        string
			status, sqlite, postgres, trips int
		}{
			{"a block", "POST", "/v3/blocks", into(mine), 201, 15, 16, 6},
			{"the first block of a channel", "POST", "/v3/blocks", into(other), 201, 15, 16, 8},
			{"a block into a private channel", "POST", "/v3/blocks", into(hidden), 201, 15, 17, 9},
			{"a block into the channel of another", "POST", "/v3/blocks", into(theirs), 201, 17, 18, 11},
			{"a connection", "POST", "/v3/connections", `{"connectable_type":"Block","connectable_id":` + block + `,"channel_ids":[` + other + `]}`, 201, 14, 15, 10},
			{"a change of a block", "PUT", "/v3/blocks/" + block, `{"title":"A text"}`, 200, 11, 11, 9},
			{"a change of a block to a word that no other has", "PUT", "/v3/blocks/" + block, `{"title":"A title"}`, 200, 12, 12, 10},
			{"a move", "POST", "/v3/connections/%s/move", `{"movement":"move_to_bottom"}`, 200, 13, 13, 12},
			{"a disconnection", "DELETE", "/v3/connections/%s", "", 204, 17, 17, 11},
		} {
			path := w.path
			if strings.Contains(path, "%s") {
				path = fmt.Sprintf(path, connection)
			}
			var body any
			if w.body != "" {
				body = w.body
			}
			var answer *apptest.Response
			seen, trips := r.RoundTrips(func() { answer = r.Do("ada", w.method, path, body) })
			answer.Want(w.status)
			if w.name == "a connection" {
				connection = fmt.Sprint(answer.Int("data.0.id"))
			}
			limit := w.sqlite
			if r.DB().Dialect() == database.Postgres { // with row locks
				limit = w.postgres
				if trips > w.trips {
					t.Errorf("%s: %d round trips, want %d at most", w.name, trips, w.trips)
				}
			}
			if len(seen) > limit {
				t.Errorf("%s: %d statements, want %d at most:\n%s", w.name, len(seen), limit, strings.Join(seen, "\n"))
			}
		}
	})
}
