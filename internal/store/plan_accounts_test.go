package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Deleting or confirming an account scans no table that strangers can make large.
func TestPlansOfAccounts(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.SQLite(t)
	s, db := storetest.OpenDB(t, o)
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	ada, now := storetest.User(t, s, "Ada"), time.Unix(1e9, 0)
	r.write(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.Account().ForgetSignups(ctx, "ada@example.org"); err != nil {
			return err
		}
		if err := tx.Account().DeleteGrantsOf(ctx, ada); err != nil {
			return err
		}
		if err := tx.Account().DeleteApplication(ctx, 2, now); err != nil {
			return err
		}
		c, err := tx.Users().LockUser(ctx, ada)
		if err != nil {
			return err
		}
		return tx.Users().AnonymizeAccount(ctx, c.User, now)
	})
	if _, err := s.Users().User(t.Context(), domain.Ref{ID: int64(ada)}); domain.KindOf(err) != domain.NotFound || len(r.all) < 20 {
		t.Fatalf("%d statements, %v", len(r.all), err)
	}
	storetest.Exec(t, db, "ANALYZE")
	storetest.Exec(t, db, "DELETE FROM sqlite_stat1") // or SQLite would know that there is little data
	_, fresh := storetest.OpenDB(t, o)
	for _, st := range r.all {
		for _, step := range planOf(t, fresh, st) {
			if strings.HasPrefix(step, "SCAN") && !small.MatchString(step) && step != "SCAN signup_links" { // operators create only a few of them
				t.Errorf("%s\nin %s", step, st.query)
			}
		}
	}
}
