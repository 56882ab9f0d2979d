package store_test

import (
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/store/storetest"
)

// The writes of each account are counted, also if transactions of several accounts share a commit. A reader whose write
// is not counted could be sent to a replica that lacks it.
func TestWritersOfOneCommit(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada, bob, cem := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Cem")
		writes := func(user domain.UserID) (n int64) {
			if err := db.Reader().QueryRow(t.Context(), "SELECT COALESCE(max(n), 0) FROM account_writes WHERE user_id = $1", user).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := map[domain.UserID]int64{ada: writes(ada), bob: writes(bob), cem: writes(cem)}
		err := db.Transact(t.Context(), func(tx *database.Tx) error {
			var all []database.Deferred
			for _, user := range []domain.UserID{0, bob, ada, bob} {
				d := &derived.Derived{Writer: user}
				d.Use(tx, sqlx.Conn{Querier: tx, Dialect: sqlx.Dialect(db.Dialect())}, nil)
				all = append(all, d)
			}
			return all[0].Write(t.Context(), tx, all[1:])
		})
		if err != nil {
			t.Fatal(err)
		}
		for user, was := range before {
			if counted := writes(user) > was; counted != (user != cem) {
				t.Errorf("the write of %d is counted: %v", user, counted)
			}
		}
	})
}
