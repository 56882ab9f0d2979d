package search

import (
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// The plans for lists of a user's creations, or of a group's contents.
func TestChooseOwned(t *testing.T) {
	t.Parallel()
	user, group := domain.UserRef(2), domain.GroupRef(3)
	hides := func(blocks, channels int64, more ...func(*ownedStatistics)) ownedStatistics {
		stats := ownedStatistics{open: 100, closedBlocks: blocks, closedChannels: channels}
		for _, change := range more {
			change(&stats)
		}
		return stats
	}
	member := func(stats *ownedStatistics) { stats.member = true }
	pending := func(stats *ownedStatistics) { stats.pending = true }
	private := func(blocks, seen int64) func(*ownedStatistics) {
		return func(stats *ownedStatistics) { stats.private, stats.seen = sees(blocks).private, seen }
	}
	unlisted := func(stats *ownedStatistics) { stats.private, stats.seen = privateStatistics{many: true}, 1 }
	for _, c := range []struct {
		name  string
		owner domain.PrincipalRef
		types []string
		is    ownedStatistics
		want  string
	}{
		{"for everyone", user, nil, hides(5, 2), "check contents | index of open: open"},
		{"of kinds", user, []string{"Image"}, hides(5, 2), "check types | index of open: open"},
		{"one's own", user, nil, hides(5, 2, member), "check contents | index of open: open + index of closed: closed blocks + index of closed: private channels"},
		{"one's own, no hidden channel", user, nil, hides(5, 0, member), "check contents | index of open: open + index of closed: closed blocks"},
		{"one's own, all hidden channels lost", user, nil, hides(5, 2, member, func(stats *ownedStatistics) { stats.lost = 2 }),
			"check contents | index of open: open + index of closed: closed blocks"},
		{"one's group's", group, nil, hides(5, 2, member), "check contents | index of open: open + index of closed: closed"},
		{"seen in private", user, nil, hides(5, 2, private(9, 1)), "check contents | index of open: open + private channels: closed + private blocks: closed"},
		{"seen private channels without blocks", user, nil, hides(5, 2, private(0, 1)), "check contents | index of open: open + private channels: closed"},
		{"nothing of it is seen in private", user, nil, hides(5, 2, private(9, 0)), "check contents | index of open: open"},
		{"much in private, and the owner hides less", group, nil, hides(5, 2, private(1_001, 1)), "check contents | index of open: open + index of closed: closed, seen in private"},
		{"much in private, and the owner hides more", group, nil, hides(1_000, 2, private(1_001, 1)), "check contents | index of open: open + private channels: closed + private blocks: closed"},
		{"very many private channels", user, nil, hides(5, 2, unlisted), "check contents | index of open: open + index of closed: closed, seen in private"},
		{"pending", user, nil, hides(5, 2, member, pending), "check contents; pending | index: open + index: closed blocks + index of closed: private channels"},
		{"pending in a group", group, nil, hides(5, 2, pending), "check contents | index of open: open"}, // its table is computed for it
	} {
		q := OwnedQuery{Viewer: 1, Owner: c.owner, Types: c.types, Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: domain.Page{Number: 2, Per: 10}}
		p := chooseOwned(q, c.is)
		if want := "page by created desc; check owner; " + c.want; explain(p) != want {
			t.Errorf("%s: %s, want %s", c.name, explain(p), want)
		}
		want := documentTable
		switch {
		case c.owner == group && c.is.pending:
			want = pendingGroupItems
		case c.owner == group:
			want = groupItems
		}
		if p.table != want || p.list != owned {
			t.Errorf("%s: reads table %d of list %d", c.name, p.table, p.list)
		}
	}
}

// A page starts at the nearer end, and the last one contains the rest.
func TestOwnedFromTheNearerEnd(t *testing.T) {
	t.Parallel()
	for page, want := range map[int64]struct {
		skip, take      int64
		desc, backwards bool
	}{
		1: {0, 10, true, false}, 5: {40, 10, true, false}, 6: {50, 10, true, false}, 7: {35, 10, false, true}, 11: {0, 5, false, true},
	} {
		q := OwnedQuery{Owner: domain.UserRef(2), Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: domain.Page{Number: page, Per: 10}}
		p := chooseOwned(q, ownedStatistics{open: 105})
		if p.skip != want.skip || p.take != want.take || p.order.desc != want.desc || p.backwards != want.backwards {
			t.Errorf("page %d: %+v", page, p)
		}
	}
}

// The list by last addition reads channels for each part that contains any, and rejects unknown parts.
func TestAddedParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part  part
		reads int // visibilities
		fails bool
	}{
		{part: part{show: showOpen}, reads: 2},
		{part: part{show: showClosed}, reads: 1},
		{part: part{show: showClosedChannels}, reads: 1},
		{part: part{show: showClosedSeen}, reads: 1},
		{part: part{from: privateChannels, show: showClosed}, reads: 1},
		{part: part{show: showClosedBlocks}},
		{part: part{from: privateBlocks, show: showClosed}},
		{part: part{show: showClosedOwn}, fails: true},
		{part: part{from: ownBlocks, show: showClosed}, fails: true},
		{part: part{show: showClosedSeen + 1}, fails: true},
	} {
		read, failure := addedOf(c.part)
		want := any(nil)
		if c.fails {
			want = noSuchPart
		}
		if n := strings.Count(read, "SELECT 'Channel'"); n != c.reads || failure != want {
			t.Errorf("%+v: reads %d, fails with %v", c.part, n, failure)
		}
	}
}

// addedOf returns the statement for one part, or the value of its panic.
func addedOf(p part) (text string, failure any) {
	defer func() { failure = recover() }()
	r := renderer{Dialect: sqlx.SQLite, q: Query{Viewer: 1, Search: domain.Search{Author: 2}}, args: sqlx.Args{1}, plan: plan{list: owned, order: order{by: columnAdded}, parts: []part{p}}}
	return r.added(), nil
}
