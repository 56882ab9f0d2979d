package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// If the site is closed to guests, no operation of any description reveals its contents to them.
func TestGuestsClosed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.GuestsClosed = true })
	channel := r.Channel("ada", "Open", "public")
	r.Block("ada", "Here", channel)
	shown := []string{"getPing", "getOpenapiSpec", "getOpenapiSpecJson", "getExtOpenapiSpecJson", "getSite"}
	for _, doc := range r.Descriptions() {
		for _, op := range doc.Operations() {
			if op.Method != http.MethodGet {
				continue
			}
			path := op.Path
			for _, name := range []string{"{id}", "{batch_id}", "{block_id}", "{type}", "{slug}"} {
				path = strings.ReplaceAll(path, name, "1")
			}
			want := http.StatusUnauthorized
			if slices.Contains(shown, op.ID) {
				want = http.StatusOK
			}
			if op.ID == "getReceipt" { // who deleted their account reads it; its code here is of no receipt
				want = http.StatusNotFound
			}
			if got := r.Do("", http.MethodGet, path, nil).Status; got != want {
				t.Errorf("%s answers a guest %d, want %d", op.ID, got, want)
			}
		}
	}
	r.Get("ada", "/v3/channels/%d/contents", channel)
	r.Get("ada/read", "/v3/channels/%d", channel)
	r.Get("", "/healthz")
}
