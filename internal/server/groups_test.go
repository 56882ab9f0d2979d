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

// Jobs delete the contents of a large deleted group in batches.
func TestEndedGroup(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Society", "ada")
		channel := r.Channel("ada", "Much", "closed")
		storetest.Fill(t, r.S.Store, r.DB(), r.Person("ada").ID, domain.ChannelID(channel), 2_500)
		storetest.Update(t, r.S.Store, r.Person("ada").ID, domain.ChannelID(channel), func(c *domain.Channel) {
			c.Owner.PrincipalRef = domain.GroupRef(group)
		})
		storetest.Apply(t, r.S.Store)
		count := func(table string) (n int) {
			t.Helper()
			if err := r.DB().Reader().QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := count("group_items"); n != 2_501 {
			t.Fatalf("the group has %d things, want 2501", n)
		}
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/groups/%d", group), nil).Want(http.StatusNoContent)
		if n := count("group_items"); n != 1_501 {
			t.Errorf("%d things are left by the request, want 1501", n)
		}
		storetest.Check(t, r.S.Store)
		r.WorkJobs()
		if n := count("group_items") + count("content_counts WHERE owner_type = 'Group'"); n != 0 {
			t.Errorf("%d rows are left by the jobs", n)
		}
		storetest.In(t, r.S.Store, func(tx *store.Tx) error { return tx.Groups().EndGroupItems(t.Context(), group) }) // again
	})
}
