package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// amid runs change once, just before the first statement that contains the text.
func amid(r *apptest.Rig, text string, change func()) (end func()) {
	var ran atomic.Bool
	return r.Intercept(func(_ context.Context, query string) {
		if strings.Contains(query, text) && ran.CompareAndSwap(false, true) {
			change()
		}
	})
}

// If a channel changes while it is read, it is read again: title, number of collaborators and collaborators are
// consistent.
func TestChannelIsReadInOneState(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel, bob := r.Channel("ada", "Before", "closed"), r.Person("bob").ID
		r.Collaborate("ada", channel, "bob")
		changed := false
		defer amid(r, "co.member_type, co.member_id, COALESCE", func() {
			changed = true
			r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", channel), `{"title":"After"}`).Want(http.StatusOK)
			r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/channels/%d/collaborators/User/%d", channel, bob), nil)
		})()
		got := r.Get("ada", "/v3/channels/%d", channel)
		if got.Str("title") != "After" || got.Int("counts.collaborators") != 0 || got.Len("collaborators") != 0 || !changed {
			t.Errorf("changed %t: %s", changed, got.Body)
		}
		got = r.Get("ada", "/v3/channels/%d", channel)
		if got.Str("title") != "After" || got.Int("counts.collaborators") != 0 || got.Len("collaborators") != 0 {
			t.Errorf("afterwards: %s", got.Body)
		}
	})
}

// If the file of a block is removed while the block is read, the response contains the file or is 404.
func TestBlockIsReadInOneState(t *testing.T) {
	t.Parallel()
	for name, days := range map[string]int{"deleted": 0, "trash": 30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blockIsReadInOneState(t, days)
		})
	}
}

func blockIsReadInOneState(t *testing.T, trashDays int) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		block := submit(r, "ada", sent(r, "ada", "notes.txt", "text/plain", "notes"), nil)
		r.WorkJobs()
		r.Get("ada", "/v3/blocks/%d", block).Str("attachment.url")
		changed := false
		defer amid(r, "FROM files f", func() {
			changed = true
			r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", block), nil).Want(http.StatusNoContent)
		})()
		refused(t, "a block that was deleted meanwhile", r.Do("ada", "GET", fmt.Sprintf("/v3/blocks/%d", block), nil), http.StatusNotFound)
		if !changed {
			t.Error("its file was not read")
		}
	}, func(c *config.Config) { c.CacheSize, c.TrashDays = 0, trashDays })
}
