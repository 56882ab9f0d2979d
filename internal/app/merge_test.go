package app_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// A merged block leaves its places, comments and the metadata of its connections to the block that stays, and nothing
// happens to blocks that are no duplicates or belong to others.
func TestMerge(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		link := func(as, address string, channels ...int64) domain.BlockID {
			return domain.BlockID(r.Do(as, "POST", "/v3/blocks", map[string]any{"value": address, "channel_ids": channels}).Want(201).Int("id"))
		}
		both, secret, open := r.Channel("ada", "Both", "closed"), r.Channel("ada", "Secret", "private"), r.Channel("eve", "Open", "public")
		kept := link("ada", "https://example.com/moss", both)
		r.Block("ada", "below", secret)
		twin := link("ada", "https://www.example.com/moss/?utm_source=x", secret, both)
		r.Block("ada", "above", secret)
		other, eves := link("ada", "https://example.com/fern", both), link("eve", "https://example.com/moss", open)
		conn := r.Connect("eve", "Block", int64(twin), open)
		r.Block("eve", "on top", open)
		r.Do("eve", "POST", fmt.Sprintf("/v3/blocks/%d/comments", twin), map[string]any{"body": "a note"}).Want(201)
		r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", kept), map[string]any{"body": "mine"}).Want(201)
		before := map[int64][]int64{}
		for _, c := range []int64{secret, open} {
			before[c] = r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", c).Ints("data", "id")
		}
		as := func(name string) domain.Actor {
			return domain.Actor{UserID: r.Person(name).ID, Scope: domain.ScopeWrite}
		}
		c, ada, eve := r.S.App.Collections, as("ada"), as("eve")
		for _, wrong := range []struct {
			as   domain.Actor
			into domain.BlockID
			from []domain.BlockID
			kind domain.Kind
		}{
			{ada, kept, nil, domain.Invalid}, {ada, kept, []domain.BlockID{kept}, domain.Invalid}, {ada, 0, []domain.BlockID{twin}, domain.Invalid},
			{ada, kept, []domain.BlockID{eves}, domain.Forbidden}, {ada, eves, []domain.BlockID{twin}, domain.Forbidden},
			{eve, kept, []domain.BlockID{twin}, domain.Forbidden}, {domain.Actor{}, kept, []domain.BlockID{twin}, domain.Forbidden},
			{ada, 9999, []domain.BlockID{twin}, domain.NotFound},
		} {
			if n, err := c.Merge(t.Context(), wrong.as, wrong.into, wrong.from); domain.KindOf(err) != wrong.kind || err == nil || n != 0 {
				t.Errorf("%+v: %d, %v", wrong, n, err)
			}
		}
		if n, err := c.Merge(t.Context(), ada, kept, []domain.BlockID{other, 9999}); n != 0 || err != nil {
			t.Errorf("merged %d: %v", n, err)
		}
		// Requests race: one merges the block, the others find it gone.
		var total int
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				n, err := c.Merge(t.Context(), ada, kept, []domain.BlockID{twin})
				mu.Lock()
				defer mu.Unlock()
				if total += n; err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if total != 1 {
			t.Errorf("merged %d times", total)
		}
		r.Do("ada", "GET", fmt.Sprintf("/v3/blocks/%d", twin), nil).Want(404)
		for in, was := range before {
			want := slices.Clone(was)
			want[slices.Index(want, int64(twin))] = int64(kept)
			if got := r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", in).Ints("data", "id"); !slices.Equal(got, want) {
				t.Errorf("channel %d has %v, want %v", in, got, want)
			}
		}
		if got := r.Get("ada", "/v3/channels/%d/contents", both).Ints("data", "id"); slices.Contains(got, int64(twin)) || len(got) != 2 {
			t.Errorf("%v", got)
		}
		if res := r.Get("eve", "/v3/blocks/%d/comments", kept); res.Len("data") != 2 {
			t.Errorf("%s", res.Body)
		}
		if res := r.Get("eve", "/v3/connections/%d", conn); res.Str("_links.item.href") != fmt.Sprint("https://vitrine.test/v3/blocks/", kept) || res.Int("position") != 2 {
			t.Errorf("%s", res.Body)
		}
		storetest.Check(t, r.S.Store)
	})
}
