package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// estate is a group with a channel of n blocks by one user, and a small private channel.
type estate struct {
	maker, helper, stranger domain.UserID
	group                   domain.GroupID
}

func newEstate(t *testing.T, s *store.Store, db *database.DB, n int64) estate {
	e := estate{maker: storetest.User(t, s, "Ada"), helper: storetest.User(t, s, "Bob"), stranger: storetest.User(t, s, "Cem")}
	e.group = storetest.Group(t, s, "Group", e.maker)
	large := storetest.Channel(t, s, e.maker, "Large", domain.Closed)
	storetest.Fill(t, s, db, e.maker, large, n)
	storetest.Update(t, s, e.maker, large, func(c *domain.Channel) { c.Owner.PrincipalRef = domain.GroupRef(e.group) })
	storetest.Apply(t, s)
	secret := storetest.OwnedChannel(t, s, domain.GroupRef(e.group), e.maker, "Secret", domain.Private)
	for range 5 {
		storetest.Connect(t, s, e.maker, secret, domain.BlockRef(storetest.Block(t, s, e.maker, "x")), 0)
	}
	storetest.Collaborate(t, s, secret, domain.UserRef(e.helper))
	return e
}

// lists reads a page of every kind of list.
func (e estate) lists(r *recorder, page int64) {
	for _, owner := range []domain.PrincipalRef{domain.UserRef(e.maker), domain.GroupRef(e.group)} {
		for _, viewer := range []domain.UserID{0, e.maker, e.helper, e.stranger} {
			for i, types := range [][]string{nil, {"Text"}, domain.BlockTypes} {
				for _, key := range []domain.SearchKey{domain.SearchByCreated, domain.SearchByUpdated} {
					r.read(func(ctx context.Context, v *store.Snapshot) error {
						_, err := v.OwnerContents(ctx, store.OwnerContentsQuery{Viewer: viewer, Owner: owner, Types: types,
							Sort: domain.SearchSort{Key: key, Desc: i%2 == 0}, Page: domain.Page{Number: page, Per: 24}})
						return err
					})
				}
			}
		}
	}
}

// No list of contents scans a table, or sorts more than the viewer's part of private channels: the
// results of indexes are merged.
func TestPlansOfOwnerContentsOfSQLite(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.SQLite(t))
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	e := newEstate(t, s, db, 600)
	e.lists(r, 3)
	if len(r.all) < 20 {
		t.Fatalf("only %d statements were recorded", len(r.all))
	}
	for _, st := range r.all {
		for _, step := range planOf(t, db, st) {
			sorts := strings.Contains(step, "TEMP B-TREE FOR ORDER BY") && !strings.Contains(st.query, "sees")
			if strings.HasPrefix(step, "SCAN") && !small.MatchString(step) || sorts {
				t.Errorf("%s\nin %s", step, st.query)
			}
			if of := "SEARCH d USING INDEX"; strings.HasPrefix(step, of) && strings.Contains(step, "_created ") && !strings.Contains(st.query, "sees") {
				t.Errorf("rows are touched: %s\nin %s", step, st.query)
			}
		}
	}
	storetest.Check(t, s)
}

// PostgreSQL reads only the page and the rows before it, with both kinds of plans.
func TestPlansOfOwnerContentsOfPostgreSQL(t *testing.T) {
	t.Parallel()
	s, db := storetest.OpenDB(t, storetest.Migrated.Postgres(t))
	r := &recorder{t: t, s: s, seen: map[string]bool{}}
	e := newEstate(t, s, db, 6_000)
	storetest.Exec(t, db, "ANALYZE")
	for _, page := range []int64{2, 249} { // from either end
		e.lists(r, page)
	}
	for _, st := range r.all {
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			if worst := carryOut(t, db, mode, st).most(); worst.read() > 1000 {
				t.Errorf("%s: %s on %s %s %s reads %.0f rows\nin %s", mode, worst.Type, worst.Table, worst.Index, worst.Cond, worst.read(), st.query)
			}
		}
	}
}

// addChannels adds n channels past the store, one in three of them private, which have had an addition
// in another order than that of their creation.
func addChannels(t *testing.T, db *database.DB, owner domain.PrincipalRef, by domain.UserID, n int64) {
	t.Helper()
	storetest.Exec(t, db, `WITH RECURSIVE g (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM g WHERE i < $1)
		INSERT INTO channels (slug, title, visibility, owner_type, owner_id, user_id, created_at, updated_at, last_connected_at)
		SELECT 'of-' || CAST($2 AS TEXT) || '-' || i, 'x', CASE i % 3 WHEN 0 THEN 'public' WHEN 1 THEN 'closed' ELSE 'private' END, CAST($2 AS TEXT), $3, $4,
			$5, $5 + i * 7919 % 43200, i * 7919 % 43200 FROM g`, n, string(owner.Type), owner.ID, by, storetest.Now.UnixMicro())
	storetest.Exec(t, db, `INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
		SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), 'Channel', id % 8, sum(CASE WHEN visibility = 'private' THEN 0 ELSE 1 END), sum(CASE WHEN visibility = 'private' THEN 1 ELSE 0 END)
		FROM channels WHERE owner_type = $1 AND owner_id = $2 GROUP BY id % 8
		ON CONFLICT (owner_type, owner_id, type, part) DO UPDATE SET open = excluded.open, hidden = excluded.hidden`, string(owner.Type), owner.ID)
}

// A page of an owner's channels by their last addition reads only the channels before it, from the
// nearer end, whether the viewer is a guest, the owner or somebody who sees a few private ones.
func TestPlansOfChannelsByAddition(t *testing.T) {
	t.Parallel()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		e := newEstate(t, s, db, 600)
		addChannels(t, db, domain.UserRef(e.maker), e.maker, 6_000)
		addChannels(t, db, domain.GroupRef(e.group), e.stranger, 6_000)
		if db.Dialect() == database.Postgres {
			storetest.Exec(t, db, "ANALYZE")
		}
		r := &recorder{t: t, s: s, seen: map[string]bool{}}
		for _, owner := range []domain.PrincipalRef{domain.UserRef(e.maker), domain.GroupRef(e.group)} {
			for _, viewer := range []domain.UserID{0, e.maker, e.helper, e.stranger} {
				for _, desc := range []bool{true, false} {
					r.read(func(ctx context.Context, v *store.Snapshot) error {
						l, err := v.OwnerContents(ctx, store.OwnerContentsQuery{Viewer: viewer, Owner: owner, Types: []string{"Channel"},
							Sort: domain.SearchSort{Key: domain.SearchByAdded, Desc: desc}, Page: domain.Page{Number: 3, Per: 24}})
						if err == nil && len(l.Items) != 24 {
							t.Errorf("viewer %d of %v: %d channels on the page", viewer, owner, len(l.Items))
						}
						return err
					})
				}
			}
		}
		listed := 0
		for _, st := range r.all {
			if !strings.Contains(st.query, "last_connected_at") {
				continue
			}
			listed++
			if db.Dialect() == database.Postgres {
				for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
					if worst := carryOut(t, db, mode, st).most(); worst.read() > 200 {
						t.Errorf("%s: %s on %s %s %s reads %.0f rows\nin %s", mode, worst.Type, worst.Table, worst.Index, worst.Cond, worst.read(), st.query)
					}
				}
				continue
			}
			for _, step := range planOf(t, db, st) {
				sorts := strings.Contains(step, "TEMP B-TREE") && !strings.Contains(st.query, "ch.id IN")
				if strings.HasPrefix(step, "SCAN") && !small.MatchString(step) || sorts {
					t.Errorf("%s\nin %s", step, st.query)
				}
			}
		}
		if listed < 8 {
			t.Errorf("only %d statements were recorded", listed)
		}
	})
}

// The cost of writes in statements: adding to a group's channel needs two more statements than
// adding to another channel, for the group's rows of the block and of the changed channel. All
// counts need one.
func TestStatementsOfContentsOnWrites(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		group := storetest.Group(t, s, "Group", ada)
		var cost []int
		for i, owner := range []domain.PrincipalRef{domain.UserRef(ada), domain.GroupRef(group)} {
			channel := storetest.OwnedChannel(t, s, owner, ada, fmt.Sprint("Channel ", i), domain.Public)
			storetest.Connect(t, s, ada, channel, domain.BlockRef(storetest.Block(t, s, ada, "before")), 0)
			n := 0
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				store.Trace(tx, func(string, []any) { n++ })
				block, err := storetest.NewBlock(t.Context(), tx, ada, "x")
				if err == nil {
					_, err = storetest.ConnectIn(t.Context(), tx, ada, channel, domain.BlockRef(block), 0)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			cost = append(cost, n)
		}
		if cost[1] != cost[0]+2 {
			t.Errorf("a group's channel costs %d statements, another %d", cost[1], cost[0])
		}
	})
}
