package store_test

import (
	"crypto/rand"
	"sync"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Once PutReadOnly has returned, no other process commits a change, although it does not know of the mode: what raced with
// the switch is complete or refused. The exempt writes work, and changes work again after the end.
func TestReadOnlyRace(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		version, err := database.LatestVersion(store.Migrations(database.SQLite))
		if err != nil {
			t.Fatal(err)
		}
		o.Version, o.ReadOnlyTable = version, store.ReadOnlyTable
		here, db := storetest.OpenDB(t, o)
		there, _ := storetest.OpenDB(t, o)
		ctx := t.Context()
		rows := func() (n int64) {
			if err := db.Reader().QueryRow(ctx, "SELECT count(*) FROM secrets").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		nothing := func(*store.Tx, *domain.ReadOnly) error { return nil }
		put := func(tx *store.Tx) error { return tx.Account().PutSecret(ctx, rand.Text(), []byte("y")) }
		for range 3 {
			var all sync.WaitGroup
			var mu sync.Mutex
			closed, late, begun := false, 0, make(chan struct{}, 100)
			for range 8 {
				all.Go(func() {
					for {
						mu.Lock()
						after := closed // so the transaction begins after PutReadOnly has returned
						mu.Unlock()
						err := there.InTx(ctx, put)
						select {
						case begun <- struct{}{}:
						default:
						}
						if err != nil {
							if !domain.IsReadOnly(err) || domain.KindOf(err) != domain.Unavailable {
								t.Error(err)
							}
							return
						}
						mu.Lock()
						if after {
							late++
						}
						mu.Unlock()
					}
				})
			}
			<-begun
			if err := here.PutReadOnly(ctx, &domain.ReadOnly{Reason: "Moving", Since: storetest.Now}, nothing); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			closed = true
			mu.Unlock()
			at := rows()
			all.Wait()
			if late > 0 || at != rows() {
				t.Errorf("%d changes after the switch", late)
			}
			if err := there.InTxAlways(ctx, put); err != nil {
				t.Errorf("an exempt write: %v", err)
			}
			if m, err := there.Account().ReadOnly(ctx); err != nil || m == nil || m.Reason != "Moving" || !m.Since.Equal(storetest.Now) {
				t.Errorf("the mode is %+v, %v", m, err)
			}
			if err := there.PutReadOnly(ctx, nil, nothing); err != nil {
				t.Fatal(err)
			}
			here.NoteReadOnly(nil) // as its next look does
			if err := here.InTx(ctx, put); err != nil {
				t.Errorf("after the end: %v", err)
			}
		}
	})
}
