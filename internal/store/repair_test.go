package store_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// mend makes each change and then repairs it. Check must find nothing afterwards. A difference
// without a repair must remain, and is undone.
func mend(t *testing.T, s *store.Store, db *database.DB, all []harm) {
	t.Helper()
	for _, h := range all {
		storetest.Exec(t, db, h.do)
		if strings.HasPrefix(h.finds, "order_nodes") && findings(t, s) == nil {
			continue // a rebuilt order has fewer levels
		}
		repaired := 0
		left, err := s.Repair(t.Context(), 3, func(c store.Checked) {
			if c.Ended {
				repaired += c.Repaired
			}
		})
		if err != nil {
			t.Fatalf("%s\n%v", h.do, err)
		}
		if !store.Repairable(h.finds) {
			if len(left) == 0 {
				t.Errorf("%s\nwas not left to a person", h.do)
			}
			storetest.Exec(t, db, h.undo)
			if _, err := s.Repair(t.Context(), 3, func(store.Checked) {}); err != nil { // repairs what followed from it
				t.Fatal(err)
			}
		} else if repaired == 0 || len(left) > 0 {
			t.Errorf("%s\nrepaired %d rows and left %v", h.do, repaired, left)
		}
	}
	if found := findings(t, s); found != nil {
		t.Fatalf("repairs leave %q", found)
	}
}

func TestRepairMendsEveryHarm(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		harmless(t, s, db)
		mend(t, s, db, harms())
		var documents []harm
		for _, column := range []string{"author_id", "links", "created_at", "updated_at", "digest"} {
			finds := "search_documents." + column + " of a block"
			if column == "digest" {
				finds = "search_documents, by their words"
			}
			documents = append(documents, shifted("search_documents", column, "kind = 'Block' AND item_id = 1", finds))
		}
		mend(t, s, db, append(documents,
			harm{do: "UPDATE search_documents SET open = NOT open WHERE kind = 'Block' AND item_id = 1", finds: "search_documents.open of a block"},
			harm{do: "UPDATE search_documents SET open = NOT open WHERE kind = 'Channel' AND item_id = 1", finds: "search_documents.open of a channel"},
			harm{do: "UPDATE search_documents SET links = links + 7 WHERE kind = 'Channel' AND item_id = 1", finds: "search_documents.links of a channel"},
			harm{do: "UPDATE search_documents SET item_id = 999999 WHERE kind = 'Block' AND item_id = 1", finds: "search_documents of nothing"},
			harm{do: "DELETE FROM search_documents WHERE kind = 'User' AND item_id = 1", finds: "search_documents missing for users"},
			harm{do: "DELETE FROM search_words WHERE rowid = (SELECT seq FROM search_documents WHERE kind = 'Block' AND item_id = 1)", finds: "search_words that are missing"},
			harm{do: "UPDATE feed_sources SET followers = followers + 1", finds: "feed_sources.followers"},
			harm{do: "DELETE FROM follower_ranks", finds: "follower_ranks: followers that are not counted"}))
	})
}

func TestRepairMendsEveryHarmToOwnerContents(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada := storetest.User(t, s, "Ada")
		group := storetest.Group(t, s, "Group", ada)
		channel := storetest.OwnedChannel(t, s, domain.GroupRef(group), ada, "Of the group", domain.Public)
		storetest.Connect(t, s, ada, channel, domain.BlockRef(storetest.Block(t, s, ada, "x")), 0)
		mend(t, s, db, ownerHarms())
	})
}

// Every repair belongs to an existing check.
func TestRepairsHaveTheirChecks(t *testing.T) {
	t.Parallel()
	for _, prefix := range store.RepairsWithoutCheck() {
		t.Errorf("there is no check for the repair of %q", prefix)
	}
}

// Repairs that run next to writers end with every value correct. Readers may see a difference
// before it is repaired, so the test uses one that does not break pages: a leaf that counts too
// few private items does not, but one that counts too many ends before its last page.
func TestRepairWhileOthersWrite(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		w := newStress(t, s)
		var repairs sync.WaitGroup
		ctx, end := context.WithCancel(t.Context())
		repairs.Go(func() {
			for ctx.Err() == nil {
				for _, harm := range []string{
					"UPDATE channels SET collaborators_count = collaborators_count + 1", "UPDATE blocks SET open_count = open_count + 1",
					"UPDATE users SET followers_count = followers_count + 2, open_channels = open_channels + 1",
					"UPDATE content_counts SET open = open + 1, hidden = hidden + 2", "UPDATE adder_counts SET n = n + 1",
					"UPDATE search_documents SET created_at = created_at + 1", "UPDATE order_nodes SET n_private = n_private - 1 WHERE level = 0",
				} {
					storetest.Exec(t, db, harm)
				}
				if _, err := s.Repair(t.Context(), 10, func(store.Checked) {}); err != nil {
					t.Error(err)
					return
				}
			}
		})
		atOnce(t, 12, 40, func(ctx context.Context, r *rand.Rand) error {
			err := w.step(ctx, r)
			if err != nil && strings.Contains(err.Error(), "in its order") {
				return nil // reading pages by a wrong order fails with this error until it is repaired
			}
			return err
		})
		end()
		repairs.Wait()
		if left, err := s.Repair(t.Context(), 10, func(store.Checked) {}); err != nil || len(left) > 0 {
			t.Errorf("left %v, %v", left, err)
		}
	})
}

func TestRepairMendsEveryHarmToContent(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		shownWaitingAndText(t, s)
		storetest.User(t, s, "Bob") // becomes the owner of the files
		mend(t, s, db, []harm{
			{do: "UPDATE uploads SET size = 8", finds: "uploads.size"},
			{do: "UPDATE byte_usage SET unused = unused + 1", finds: "byte_usage.unused"},
			{do: "UPDATE byte_usage SET texts = texts + 1", finds: "byte_usage.texts"},
			{do: "DELETE FROM byte_usage", finds: "byte_usage.files"},
			{do: "UPDATE files SET user_id = 2 WHERE id = 1", finds: "files.user_id of a block's image"},
			{do: "UPDATE files SET user_id = 2 WHERE id = 2", finds: "files.user_id of a block's file"},
		})
	})
}
