package server_test

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Jobs remove the follows of a deleted channel in batches.
func TestEndedFollows(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Followed by many", "closed")
		count := func() (n int) {
			t.Helper()
			if err := r.DB().Reader().QueryRow(t.Context(), "SELECT count(*) FROM follows").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			fans, err := tx.Bulk().LoadUsers(t.Context(), 0, 1_200, r.Clock.Now())
			for i := range fans.N {
				if _, err := tx.Activity().Follow(t.Context(), domain.UserID(fans.First+i), storetest.ChannelSubject(domain.ChannelID(channel)), r.Clock.Now()); err != nil {
					return err
				}
			}
			return err
		})
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", channel), nil).Want(http.StatusNoContent)
		if n := count(); n != 1_200 {
			t.Errorf("%d follows are left by the request, want all", n)
		}
		r.WorkJobs()
		if n := count(); n != 0 {
			t.Errorf("%d follows are left by the jobs", n)
		}
		storetest.Check(t, r.S.Store)
	})
}
