package store_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// No statement of a list carries more of a user's private channels than the limits allow, and the
// results stay the same.
func TestPrivateListsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		h := newShelf(t, s, db)
		h.hide(h.users[0], 400) // in the channel
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Bulk().Rebuild(t.Context(), h.channel) })
		block := storetest.Block(t, s, h.users[1], "x")
		storetest.Connect(t, s, h.users[1], h.channel, domain.BlockRef(block), 0)
		const most = 40
		few := s.WithSearchLimits(store.SearchLimits{Listed: most, Private: most, Shuffled: 10_000})
		answers := func(s *store.Store, note func(query string, args []any)) (all []string) {
			err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
				store.Trace(v, note)
				return h.listEverything(t.Context(), v, func(what string) { all = append(all, what) })
			})
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		want := answers(s, func(string, []any) {})
		got := answers(few, func(query string, args []any) {
			for _, arg := range args {
				switch list := arg.(type) {
				case []int64:
					if len(list) > most {
						t.Errorf("%d ids are bound in %s", len(list), query)
					}
				case string:
					if len(list) > 12*most {
						t.Errorf("%d bytes are bound in %s", len(list), query)
					}
				}
			}
		})
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s, was %s", got[i], want[i])
			}
		}
	})
}

// listEverything reads a page of each list whose statements depend on the viewer's private items.
func (h *shelf) listEverything(ctx context.Context, v *store.Snapshot, onProgress func(string)) error {
	page := domain.Page{Number: 3, Per: 20}
	for _, viewer := range h.users[:2] {
		c, err := v.Channels().Channel(ctx, viewer, domain.Ref{ID: int64(h.channel)})
		if err != nil {
			return err
		}
		for key := range domain.ContentKey(3) {
			l, err := v.Contents().Contents(ctx, contents.Query{Viewer: viewer, Channel: c, Sort: domain.ContentSort{Key: key}, Page: page})
			if err != nil {
				return err
			}
			onProgress(fmt.Sprint("contents ", viewer, key, l.Total, l.Items))
		}
		for key := domain.SearchByScore; key <= domain.SearchByChance; key++ {
			q := domain.Search{Sort: domain.SearchSort{Key: key, Desc: true}, Page: page}
			l, err := v.Search(ctx, store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse("")})
			if err != nil {
				return err
			}
			onProgress(fmt.Sprint("search ", viewer, key, l.Total, l.Items))
		}
		for _, owner := range h.users[:2] {
			l, err := v.OwnerContents(ctx, store.OwnerContentsQuery{Viewer: viewer, Owner: domain.UserRef(owner), Page: page,
				Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}})
			if err != nil {
				return err
			}
			onProgress(fmt.Sprint("of ", owner, " for ", viewer, l.Total, l.Items))
		}
	}
	return nil
}
