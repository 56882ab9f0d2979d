package store_test

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// hand transfers a channel to another owner.
func (w *fixture) hand() {
	id := anyOf(w.rng, keys(w.channels))
	c := w.channels[id]
	to := domain.UserRef(anyOf(w.rng, w.users))
	if w.rng.IntN(2) == 0 {
		to = domain.GroupRef(anyOf(w.rng, keys(w.groups)))
	}
	turned := c.v
	if w.rng.IntN(2) == 0 {
		turned = anyOf(w.rng, []domain.Visibility{domain.Public, domain.Closed, domain.Private})
	}
	storetest.Update(w.t, w.s, w.anOwner(c), id, func(c *domain.Channel) {
		c.Owner.PrincipalRef, c.Visibility = to, turned
	})
	if i := slices.Index(c.helpers, to); i >= 0 {
		storetest.In(w.t, w.s, func(tx *store.Tx) error {
			_, err := tx.Membership().RemoveCollaborator(w.t.Context(), id, to)
			return err
		})
		c.helpers = slices.Delete(c.helpers, i, i+1)
	}
	c.owner, c.v = to, turned
}

// disband deletes a group, whose channels go to its owner, and creates another one.
func (w *fixture) disband() {
	id := anyOf(w.rng, keys(w.groups))
	members := w.groups[id]
	storetest.In(w.t, w.s, func(tx *store.Tx) error {
		if err := tx.Groups().LockGroupWithChannels(w.t.Context(), id); err != nil {
			return err
		}
		g, err := tx.Groups().Group(w.t.Context(), members[0], domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		return tx.Groups().DeleteGroup(w.t.Context(), g, w.clock)
	})
	gone := func(who domain.PrincipalRef) bool { return who == domain.GroupRef(id) }
	for _, c := range w.channels {
		c.helpers = slices.DeleteFunc(c.helpers, gone)
		if gone(c.owner) {
			c.owner = domain.UserRef(members[0])
			c.helpers = slices.DeleteFunc(c.helpers, func(who domain.PrincipalRef) bool { return who == c.owner })
		}
	}
	delete(w.groups, id)
	w.groups[storetest.Group(w.t, w.s, "Another", members[0], members[1:]...)] = members
}

// rewrite changes a block, which is then last in the order of change.
func (w *fixture) rewrite() {
	id := anyOf(w.rng, keys(w.blocks))
	storetest.In(w.t, w.s, func(tx *store.Tx) error {
		if err := tx.Blocks().LockBlock(w.t.Context(), id); err != nil {
			return err
		}
		b, err := tx.Blocks().Block(w.t.Context(), w.blocks[id].author, id)
		if err != nil {
			return err
		}
		was := b
		b.Type = domain.BlockType(anyOf(w.rng, []string{"Text", "Link"}))
		w.blocks[id].typ = string(b.Type)
		if b.Type == domain.LinkBlock {
			return tx.Blocks().FillBlock(w.t.Context(), was, b, w.clock)
		}
		return tx.Blocks().FillBlock(w.t.Context(), was, b, w.clock.Add(time.Minute))
	})
}

func ownerContents(t *testing.T, s *store.Store, q store.OwnerContentsQuery) (l domain.List[domain.Subject]) {
	t.Helper()
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
		l, err = v.OwnerContents(t.Context(), q)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// contentsQuestion returns a random query for the items of a user or group.
func (w *fixture) contentsQuestion() (store.OwnerContentsQuery, domain.Search) {
	q := store.OwnerContentsQuery{Viewer: anyOf(w.rng, append(w.users, 0)), Page: domain.Page{Number: 1, Per: 100},
		Sort: domain.SearchSort{Key: anyOf(w.rng, []domain.SearchKey{domain.SearchByCreated, domain.SearchByUpdated}), Desc: w.rng.IntN(2) == 0}}
	switch w.rng.IntN(4) {
	case 0:
		q.Types = []string{anyOf(w.rng, []string{"Text", "Link", "Channel", "Image"})}
	case 1:
		q.Types = domain.BlockTypes
	case 2:
		q.Types, q.Sort.Key = []string{"Channel"}, domain.SearchByAdded
	}
	as := domain.Search{Types: q.Types, Sort: q.Sort}
	if w.rng.IntN(2) == 0 {
		as.Author = anyOf(w.rng, w.users)
		q.Owner = domain.UserRef(as.Author)
	} else {
		as.Group = anyOf(w.rng, keys(w.groups))
		q.Owner = domain.GroupRef(as.Group)
	}
	return q, as
}

// The items of a user or group equal a filter of everything by the functions of the domain, in the
// requested order, both as a whole and in pages from either end.
func TestOwnerContentsShowWhatMayBeSeen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
			w := newFixture(t, s, 100+seed)
			for i := range 200 {
				w.step()
				switch {
				case i < 20:
				case i%9 == 0:
					w.hand()
				case i%11 == 0:
					w.rewrite()
				case i%50 == 0:
					w.disband()
				}
			}
			questions := heavy.Count(30, 150)
			for range questions {
				q, as := w.contentsQuestion()
				w.expectContents(db, q, as)
			}
			w.s = s.WithSearchLimits(store.SearchLimits{Private: int64(seed)}) // as if somebody could see very many
			for range questions {
				q, as := w.contentsQuestion()
				w.expectContents(db, q, as)
			}
			storetest.Check(t, s)
			migrateAnew(t, db)
		})
	}
}

func (w *fixture) expectContents(db *database.DB, q store.OwnerContentsQuery, as domain.Search) {
	w.t.Helper()
	whole := ownerContents(w.t, w.s, q)
	got := slices.Clone(whole.Items)
	slices.SortFunc(got, bySubject)
	if want := w.expected(q.Viewer, as); !slices.Equal(got, want) || whole.Total != int64(len(want)) {
		w.t.Fatalf("%+v gives %v (%d), want %v", q, got, whole.Total, want)
	}
	var parts []domain.Subject
	for q.Page = (domain.Page{Number: 1, Per: 3}); ; q.Page.Number++ {
		page := ownerContents(w.t, w.s, q)
		if parts = append(parts, page.Items...); len(page.Items) == 0 {
			break
		}
	}
	if !slices.Equal(parts, whole.Items) {
		w.t.Fatalf("%+v: by pages %v, at once %v", q, parts, whole.Items)
	}
	if q.Sort.Key == domain.SearchByAdded {
		w.expectByAddition(db, whole.Items, q.Sort.Desc)
	}
	for i := 1; i < len(whole.Items) && q.Sort.Key == domain.SearchByCreated; i++ {
		if a, b := w.made(whole.Items[i-1]), w.made(whole.Items[i]); a.After(b) != q.Sort.Desc {
			w.t.Fatalf("%+v gives %v", q, whole.Items)
		}
	}
}

// expectByAddition checks that channels are in the order of their last addition.
func (w *fixture) expectByAddition(db *database.DB, got []domain.Subject, desc bool) {
	w.t.Helper()
	at := map[int64]int64{}
	err := db.Transact(w.t.Context(), func(tx *database.Tx) error {
		for _, c := range got {
			var added int64
			if err := tx.QueryRow(w.t.Context(), `SELECT COALESCE(NULLIF(last_connected_at, 0), created_at) FROM channels WHERE id = $1`, c.ID).Scan(&added); err != nil {
				return err
			}
			at[c.ID] = added
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	want := slices.Clone(got)
	slices.SortFunc(want, func(a, b domain.Subject) int {
		order := cmp.Or(cmp.Compare(at[a.ID], at[b.ID]), cmp.Compare(a.ID, b.ID))
		if desc {
			return -order
		}
		return order
	})
	if !slices.Equal(got, want) {
		w.t.Fatalf("channels %v, want %v by their last addition", got, want)
	}
}

// migrationStatements returns the statements of one migration.
func migrationStatements(t *testing.T, db *database.DB, name string) (all []string) {
	t.Helper()
	text, err := fs.ReadFile(store.Migrations(db.Dialect()), name)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), ";\n") {
		if strings.TrimSpace(part) != "" {
			all = append(all, part)
		}
	}
	return all
}

// migrateAnew makes the migration fill the tables that writes have maintained so far, for the
// check.
func migrateAnew(t *testing.T, db *database.DB) {
	t.Helper()
	storetest.Exec(t, db, "DROP TABLE group_items")
	storetest.Exec(t, db, "DROP TABLE content_counts")
	for _, statement := range migrationStatements(t, db, "0007_contents.sql") {
		storetest.Exec(t, db, statement)
	}
}

// A private channel with very many items is not scanned for the list of somebody with few hidden
// items.
func TestOwnerContentsFromTheSmallerSide(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		archive := storetest.Channel(t, s, ada, "Archive", domain.Closed)
		storetest.Fill(t, s, db, ada, archive, 1_100)
		storetest.SetVisibility(t, s, ada, archive, domain.Private)
		hidden, alone := storetest.Block(t, s, bob, "in the archive"), storetest.Block(t, s, bob, "nowhere")
		storetest.Connect(t, s, ada, archive, domain.BlockRef(hidden), 0)
		q := store.OwnerContentsQuery{Viewer: ada, Owner: domain.UserRef(bob), Page: domain.Page{Number: 1, Per: 9}}
		l := ownerContents(t, s, q)
		if want := []domain.Subject{storetest.BlockSubject(hidden)}; !slices.Equal(l.Items, want) || l.Total != 1 {
			t.Errorf("Ada sees %v (%d) of what Bob made, want %v and not %d", l.Items, l.Total, want, alone)
		}
		read := 0
		r := &recorder{t: t, s: s, seen: map[string]bool{}}
		r.read(func(ctx context.Context, v *store.Snapshot) error {
			_, err := v.OwnerContents(ctx, q)
			return err
		})
		for _, st := range r.all {
			if strings.Contains(st.query, "sees CROSS JOIN connections") {
				read++
			}
		}
		if read > 0 {
			t.Errorf("%d statements read all of Ada's archive", read)
		}
	})
}
