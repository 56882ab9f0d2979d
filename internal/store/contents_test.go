package store_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/storetest"
)

// entry is a connection in the table, with the users who may see its item.
type entry struct {
	id                     domain.ConnectionID
	item                   domain.ItemRef
	by                     domain.UserID
	key, created, updated  int64
	position               int64
	private                bool
	owner, partner, fellow domain.UserID // who see it if it is private; 0 for nobody
}

func (e entry) visible(viewer domain.UserID) bool {
	return !e.private || viewer != 0 && (viewer == e.owner || viewer == e.partner || viewer == e.fellow)
}

// shelf is a channel with some items that not everybody may see.
type shelf struct {
	t       *testing.T
	s       *store.Store
	db      *database.DB
	users   []domain.UserID
	group   domain.GroupID // of the last user and the first
	channel domain.ChannelID
}

func newShelf(t *testing.T, s *store.Store, db *database.DB) *shelf {
	h := &shelf{t: t, s: s, db: db}
	for _, name := range []string{"Ada", "Bob", "Cem", "Dee"} {
		h.users = append(h.users, storetest.User(t, s, name))
	}
	h.group = storetest.Group(t, s, "Group", h.users[3], h.users[0])
	h.channel = storetest.Channel(t, s, h.users[0], "Shelf", domain.Public)
	return h
}

// entries reads the table by position, lowest first.
func (h *shelf) entries() (all []entry) {
	h.t.Helper()
	rows, err := h.db.Reader().Query(h.t.Context(), `SELECT c.id, c.item_type, c.item_id, c.user_id, c.position_key, c.created_at,
			COALESCE(ch.updated_at, b.updated_at), COALESCE(ch.visibility, 'public') = 'private',
			CASE WHEN ch.owner_type = 'User' THEN ch.owner_id ELSE $2 END,
			COALESCE((SELECT co.member_id FROM collaborators co WHERE co.channel_id = ch.id AND co.member_type = 'User'), 0),
			CASE WHEN ch.owner_type = 'Group' THEN $3 ELSE 0 END
		FROM connections c LEFT JOIN channels ch ON c.item_type = 'Channel' AND ch.id = c.item_id
			LEFT JOIN blocks b ON c.item_type = 'Block' AND b.id = c.item_id
		WHERE c.channel_id = $1 ORDER BY c.position_key`, h.channel, h.users[3], h.users[0])
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		e := entry{position: int64(len(all)) + 1}
		if err := rows.Scan(&e.id, &e.item.Type, &e.item.ID, &e.by, &e.key, &e.created, &e.updated, &e.private,
			&e.owner, &e.partner, &e.fellow); err != nil {
			h.t.Fatal(err)
		}
		all = append(all, e)
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return all
}

// expected filters and sorts in Go.
func expected(all []entry, q contents.Query) (want []entry) {
	for _, e := range all {
		if e.visible(q.Viewer) && (q.By == 0 || q.By == e.by) {
			want = append(want, e)
		}
	}
	slices.SortFunc(want, func(a, b entry) int {
		switch q.Sort.Key {
		case domain.ByConnected:
			return cmp.Compare(a.created, b.created)
		case domain.ByUpdated:
			return cmp.Or(cmp.Compare(a.updated, b.updated), cmp.Compare(a.id, b.id))
		}
		return cmp.Compare(a.key, b.key)
	})
	if q.Sort.Desc {
		slices.Reverse(want)
	}
	return want
}

// compare reads pages of some sizes for every viewer and order, with and without a filter by user.
func (h *shelf) compare(r *rand.Rand, sizes ...int64) {
	h.t.Helper()
	all := h.entries()
	err := h.s.InSnapshot(h.t.Context(), func(v *store.Snapshot) error {
		for _, viewer := range append([]domain.UserID{0}, h.users...) {
			c, err := v.Channels().Channel(h.t.Context(), viewer, domain.Ref{ID: int64(h.channel)})
			if err != nil {
				return err
			}
			for i := range 12 {
				q := contents.Query{Viewer: viewer, Channel: c,
					Sort: domain.ContentSort{Key: domain.ContentKey(i % 3), Desc: i/3%2 == 0}}
				if i >= 6 {
					q.By = h.users[r.IntN(len(h.users))]
				}
				if err := h.pages(v, r, q, expected(all, q), sizes[r.IntN(len(sizes))]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		h.t.Error(err)
	}
}

// outline compares the outline of a page with the page and with its blocks.
func (h *shelf) outline(v *store.Snapshot, q contents.Query, want domain.List[domain.Connection]) error {
	q.Outline = rowmap.NewOutline()
	l, err := v.Contents().Contents(h.t.Context(), q)
	if err != nil {
		return err
	}
	if l.Total != want.Total || len(l.Items) != len(want.Items) {
		return fmt.Errorf("the outline has %d items of %d", len(l.Items), l.Total)
	}
	for i, c := range l.Items {
		w := want.Items[i]
		if c.Revision() != w.Revision() || c.Position != w.Position || c.Item != w.Item {
			return fmt.Errorf("item %d of the outline is %+v, want %+v", i, c, w)
		}
		if c.Item.Type != domain.ItemBlock {
			continue
		}
		b, err := v.Blocks().AnyBlock(h.t.Context(), domain.BlockID(c.Item.ID))
		if err != nil || c.Block == nil || *c.Block != b.Revision() {
			return fmt.Errorf("item %d of the outline is the block %+v, want %+v: %w", i, c.Block, b.Revision(), err)
		}
	}
	return nil
}

// pages reads all pages of a size, or some if there are many, including the last and one beyond
// it.
func (h *shelf) pages(v *store.Snapshot, r *rand.Rand, q contents.Query, want []entry, per int64) error {
	h.t.Helper()
	last := (int64(len(want)) + per - 1) / per
	for page := int64(1); page <= last+1; page++ {
		if page < last && last > 12 && r.Int64N(last) > 5 {
			continue
		}
		q.Page = domain.Page{Number: page, Per: per}
		l, err := v.Contents().Contents(h.t.Context(), q)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("viewer %d by %d sorted %v page %v", q.Viewer, q.By, q.Sort, q.Page)
		if err := h.outline(v, q, l); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		here := want[min(q.Page.Offset(), int64(len(want))):min(q.Page.Offset()+per, int64(len(want)))]
		if l.Total != int64(len(want)) || len(l.Items) != len(here) {
			return fmt.Errorf("%s: %d items of %d, want %d of %d", what, len(l.Items), l.Total, len(here), len(want))
		}
		for i, c := range l.Items {
			e := here[i]
			if c.ID != e.id || c.Position != e.position || c.Item != e.item || c.ItemPrivate != e.private || c.Maker.ID != int64(e.by) {
				return fmt.Errorf("%s: item %d is %+v, want %+v", what, i, c, e)
			}
		}
	}
	return nil
}

// step makes one random change to the shelf.
func (h *shelf) step(r *rand.Rand) {
	by, all := h.users[r.IntN(4)], h.entries()
	pick := func() entry { return all[r.IntN(len(all))] }
	position := r.Int64N(int64(len(all)) + 3)
	switch k := r.IntN(100); {
	case k < 25 || len(all) == 0:
		storetest.Connect(h.t, h.s, by, h.channel, domain.BlockRef(storetest.Block(h.t, h.s, by, "x")), position)
	case k < 60:
		v := []domain.Visibility{domain.Private, domain.Private, domain.Closed}[r.IntN(3)]
		owner := domain.UserRef(by)
		if r.IntN(5) == 0 {
			by, owner = h.users[0], domain.GroupRef(h.group)
		}
		id := storetest.OwnedChannel(h.t, h.s, owner, by, "Thing", v)
		if r.IntN(4) == 0 {
			storetest.Collaborate(h.t, h.s, id, domain.UserRef(h.users[r.IntN(4)]))
		}
		storetest.Connect(h.t, h.s, by, h.channel, domain.ChannelRef(id), position)
	case k < 70:
		storetest.Disconnect(h.t, h.s, pick().id)
	case k < 85:
		h.move(pick(), r.Int64N(int64(len(all)))+1, int64(len(all)))
	default:
		if e := pick(); e.item.Type == domain.ItemChannel {
			v := []domain.Visibility{domain.Private, domain.Public}[r.IntN(2)]
			storetest.SetVisibility(h.t, h.s, e.owner, domain.ChannelID(e.item.ID), v)
		}
	}
}

func (h *shelf) move(e entry, to, n int64) {
	h.t.Helper()
	storetest.In(h.t, h.s, func(tx *store.Tx) error {
		return moveTo(h.t.Context(), tx, e.id, e.position, to, n)
	})
}

func moveTo(ctx context.Context, tx *store.Tx, id domain.ConnectionID, from, to, n int64) error {
	c, err := tx.Contents().Connection(ctx, id)
	if err != nil {
		return err
	}
	return tx.Connections().Move(ctx, &c, from, to, n, storetest.Now)
}

// unlisted compares with a limit that is too low to list the private items.
func (h *shelf) unlisted(r *rand.Rand) {
	h.t.Helper()
	few := *h
	few.s = h.s.WithSearchLimits(store.SearchLimits{Listed: r.Int64N(4)})
	few.compare(r, 3, 7, 24, 100)
}

// Lists of contents equal a filter of all connections.
func TestContentsAreAFilter(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		h := newShelf(t, s, db)
		r := rand.New(rand.NewPCG(11, 12))
		h.compare(r, 10)
		for range 3 {
			for range 25 {
				h.step(r)
			}
			h.compare(r, 3, 7, 24, 100)
			h.unlisted(r)
			storetest.Check(t, s)
		}
	})
}
