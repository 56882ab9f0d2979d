package store_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/scope"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func TestBlocksAsMade(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "Ada")
		word := func(w string) *string { return &w }
		text := func(w string) *domain.Text {
			return &domain.Text{Markdown: w, HTML: "<p>" + w + "</p>", Plain: w + "."}
		}
		full := domain.Block{Type: domain.LinkBlock, State: domain.Available, Title: word("t"), Description: text("d"),
			Content: text("c"), ValueURL: word("http://v/"), SourceURL: word("http://s/"), BlockTexts: domain.BlockTexts{SourceTitle: word("st"), AltText: word("a")}, Metadata: `{"k":1}`}
		bare := domain.Block{Type: domain.LinkBlock, State: domain.Failed}
		var ids []domain.BlockID
		for _, b := range []domain.Block{full, bare} {
			b.Author.PrincipalRef = domain.UserRef(ada)
			storetest.In(t, s, func(tx *store.Tx) error {
				id, err := tx.Blocks().CreateBlock(ctx, b, storetest.Now)
				ids = append(ids, id)
				return err
			})
		}
		byID, err := s.Blocks().BlocksByID(ctx, append(ids, ids[0], 1000))
		if err != nil || len(byID) != 2 {
			t.Fatalf("got %+v, %v", byID, err)
		}
		for i, want := range []domain.Block{full, bare} {
			want.ID, want.Version, want.CreatedAt, want.UpdatedAt = ids[i], 1, storetest.Now, storetest.Now
			want.Author = domain.Principal{PrincipalRef: domain.UserRef(ada), Name: "Ada", Slug: "ada", Version: 1}
			if got, err := s.Block(ctx, ada, ids[i]); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
			if !reflect.DeepEqual(byID[ids[i]], &want) {
				t.Errorf("by id: %+v", byID[ids[i]])
			}
		}
		_, err = s.Block(ctx, ada, 1000)
		wantKind(t, "unknown block", err, domain.NotFound)
		if none, err := s.Blocks().BlocksByID(ctx, nil); err != nil || len(none) != 0 {
			t.Errorf("no ids give %v, %v", none, err)
		}
	})
}

// Lists omit the parts of a block that nobody sees; reads of one block keep them, because they may be written back.
func TestListedBlocksOmitHiddenParts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		hidden := domain.Text{Plain: strings.Repeat("warp ", 20_000)} // larger than the free part of a budget
		shown := domain.Text{Markdown: "*weft*", HTML: "<em>weft</em>", Plain: "weft"}
		for _, c := range []struct {
			content, listed *domain.Text
		}{{&hidden, &domain.Text{}}, {&shown, &shown}, {nil, nil}} {
			page := domain.PageMetadata{Canonical: "https://example.org/loom", AuthorName: "Grace"}
			b := domain.Block{Author: domain.Principal{PrincipalRef: domain.UserRef(ada)}, Type: domain.LinkBlock, State: domain.Available, Content: c.content, Page: &page}
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				b.ID, err = tx.Blocks().CreateBlock(t.Context(), b, storetest.Now)
				return err
			})
			memory := budget.New(1 << 20)
			account := memory.Open(func() any { return "ada" })
			all, err := s.Blocks().BlocksByID(scope.With(t.Context(), &scope.Scope{Memory: account}), []domain.BlockID{b.ID})
			if err != nil || !reflect.DeepEqual(all[b.ID].Content, c.listed) || all[b.ID].Page != nil || memory.Used() != 0 {
				t.Errorf("a list has %+v (%v) and charges %d bytes, want %+v", all[b.ID], err, memory.Used(), c.listed)
			}
			whole := func(read string, got domain.Block, err error) {
				t.Helper()
				if err != nil || !reflect.DeepEqual(got.Content, c.content) || !reflect.DeepEqual(got.Page, &page) {
					t.Errorf("%s returns %+v, %v", read, got, err)
				}
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				got, err := tx.Blocks().LockedBlock(t.Context(), ada, b.ID)
				whole("LockedBlock", got, err)
				got, err = tx.Blocks().Block(t.Context(), ada, b.ID)
				whole("Block", got, err)
				got, err = tx.Blocks().AnyBlock(t.Context(), b.ID)
				whole("AnyBlock", got, err)
				return nil
			})
		}
	})
}

func TestChangesOfBlocks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "Ada")
		in := storetest.Channel(t, s, ada, "Things", domain.Private)
		var conns []domain.ConnectionID
		var blocks []domain.BlockID
		for range 3 {
			b := storetest.Block(t, s, ada, "x")
			blocks, conns = append(blocks, b), append(conns, storetest.Connect(t, s, ada, in, domain.BlockRef(b), 0))
		}
		was, err := s.Block(ctx, ada, blocks[1])
		if err != nil {
			t.Fatal(err)
		}
		title, alt := "title", "alt"
		want := was
		want.Title, want.AltText, want.Metadata, want.Description = &title, &alt, "{}", nil
		want.Content = &domain.Text{Markdown: "y", HTML: "<p>y</p>", Plain: "y"}
		storetest.In(t, s, func(tx *store.Tx) error {
			if err := tx.Blocks().LockBlock(ctx, want.ID); err != nil {
				return err
			}
			return tx.Blocks().UpdateBlock(ctx, want, &want, storetest.Later)
		})
		want.Version, want.UpdatedAt = was.Version+1, storetest.Later
		if got, err := s.Block(ctx, ada, want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
		// It is now last in the order of the items' own time.
		m := &model{t: t, s: s, owner: ada, channel: in}
		l := m.contents(domain.ContentSort{Key: domain.ByUpdated}, domain.Page{Number: 1, Per: 10})
		got := []domain.ConnectionID{}
		for _, c := range l.Items {
			got = append(got, c.ID)
		}
		if !slices.Equal(got, []domain.ConnectionID{conns[0], conns[2], conns[1]}) || l.Items[2].Position != 2 {
			t.Errorf("by time of change: %v of %v", got, conns)
		}
	})
}

// The visibility of a block follows from its channels, through every change.
func TestVisibilityOfBlocks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		block := storetest.Block(t, s, ada, "x")
		a := storetest.Channel(t, s, ada, "A", domain.Private)
		b := storetest.Channel(t, s, ada, "B", domain.Closed)
		var inA, inB domain.ConnectionID
		for _, step := range []struct {
			what          string
			do            func()
			open, private int64
		}{
			{"alone", func() {}, 0, 0},
			{"in private A", func() { inA = storetest.Connect(t, s, ada, a, domain.BlockRef(block), 0) }, 0, 1},
			{"A turns public", func() { storetest.SetVisibility(t, s, ada, a, domain.Public) }, 1, 0},
			{"A turns closed", func() { storetest.SetVisibility(t, s, ada, a, domain.Closed) }, 1, 0},
			{"A turns private", func() { storetest.SetVisibility(t, s, ada, a, domain.Private) }, 0, 1},
			{"in closed B too", func() { inB = storetest.Connect(t, s, ada, b, domain.BlockRef(block), 0) }, 1, 1},
			{"B turns private", func() { storetest.SetVisibility(t, s, ada, b, domain.Private) }, 0, 2},
			{"out of A", func() { storetest.Disconnect(t, s, inA) }, 0, 1},
			{"B turns public", func() { storetest.SetVisibility(t, s, ada, b, domain.Public) }, 1, 0},
			{"back in A", func() { inA = storetest.Connect(t, s, ada, a, domain.BlockRef(block), 0) }, 1, 1},
			{"out of B", func() { storetest.Disconnect(t, s, inB) }, 0, 1},
			{"back in B", func() { inB = storetest.Connect(t, s, ada, b, domain.BlockRef(block), 0) }, 1, 1},
			{"A is deleted", func() { storetest.Delete(t, s, ada, a) }, 1, 0},
			{"B turns private again", func() { storetest.SetVisibility(t, s, ada, b, domain.Private) }, 0, 1},
			{"B is deleted", func() { storetest.Delete(t, s, ada, b) }, 0, 0},
		} {
			step.do()
			got, err := s.Block(t.Context(), ada, block)
			if err != nil || got.OpenCount != step.open || got.PrivateCount != step.private {
				t.Errorf("%s: in %d open and %d private channels, %v; want %d and %d",
					step.what, got.OpenCount, got.PrivateCount, err, step.open, step.private)
			}
			_, err = s.Block(t.Context(), 0, block)
			if step.open > 0 && err != nil || step.open == 0 && domain.KindOf(err) != domain.NotFound {
				t.Errorf("%s: a guest gets %v", step.what, err)
			}
			storetest.Check(t, s)
		}
	})
}
