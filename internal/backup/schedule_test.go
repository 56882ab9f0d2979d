package backup_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/backup"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/storetest"
)

// One of several servers makes a backup that is due. The next one is due after the interval, or sooner if
// the last one failed or its server died.
func TestClaimBackup(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		now := storetest.Now
		claims := func(after time.Duration) (names []string) {
			t.Helper()
			now = now.Add(after)
			var mu sync.Mutex
			var group sync.WaitGroup
			var failed atomic.Int64
			for range 4 {
				group.Go(func() {
					name, err := backup.Claim(t.Context(), s, 24*time.Hour, now)
					if err != nil {
						failed.Add(1)
					}
					if name != "" {
						mu.Lock()
						defer mu.Unlock()
						names = append(names, name)
					}
				})
			}
			group.Wait()
			if failed.Load() > 0 {
				t.Error("claiming failed")
			}
			return names
		}
		end := func(name, failure string) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Backups().EndBackup(context.Background(), name, blobs.EndedBackup{Error: failure}, now)
			})
		}
		want := func(names []string, n int, when string) string {
			t.Helper()
			if len(names) != n {
				t.Fatalf("%s %d servers make a backup, want %d", when, len(names), n)
			}
			if n == 0 {
				return ""
			}
			return names[0]
		}
		first := want(claims(0), 1, "at first")
		want(claims(time.Minute), 0, "while it is made")
		end(first, "")
		want(claims(23*time.Hour), 0, "before its time")
		second := want(claims(time.Hour), 1, "when it is due")
		end(second, "the disk is full")
		want(claims(time.Minute), 0, "just after it failed")
		want(claims(15*time.Minute), 1, "a while after it failed")
		want(claims(time.Minute), 0, "while it is made again")
		want(claims(16*time.Minute), 1, "after its server died")
	})
}
