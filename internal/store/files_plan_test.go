package store_test

import (
	"context"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Serving a file checks whether it is hidden. The check uses indexes, regardless of the number of
// files, blocks and hidden things.
func TestPlansOfFiles(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.SQLite(t)
	s, db := storetest.OpenDB(t, o)
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	r.read(func(ctx context.Context, v *store.Snapshot) error {
		_, err := v.Blobs().ShownFile(ctx, "none")
		if domain.KindOf(err) == domain.NotFound {
			err = nil
		}
		return err
	})
	if len(r.all) != 1 {
		t.Fatalf("%d statements for one file", len(r.all))
	}
	for _, stats := range statistics[:2] {
		_, fresh := storetest.OpenDB(t, o)
		setStatistics(t, db, stats.insert)
		steps := planOf(t, fresh, r.all[0])
		all := strings.Join(steps, "\n")
		if strings.Contains(all, "SCAN ") || strings.Contains(all, "AUTOMATIC") {
			t.Errorf("with %s statistics:\n%s", stats.whose, all)
		}
		for _, index := range []string{"blocks_image (image_id=?)", "blocks_file (file_id=?)", "(kind=? AND target_id=?)"} {
			if !strings.Contains(all, index) {
				t.Errorf("with %s statistics, not by %s:\n%s", stats.whose, index, all)
			}
		}
	}
}
