package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// lettered is a channel whose items are named by letters.
type lettered struct {
	w     *accountsRig
	owner domain.Actor
	id    domain.ChannelID
	items map[rune]domain.ItemRef
	conns map[rune]domain.ConnectionID
}

// newLettered creates a channel of items from the bottom: lower-case letters are blocks, upper-case ones private channels.
func newLettered(w *accountsRig, owner domain.Actor, v domain.Visibility, letters string) *lettered {
	w.t.Helper()
	s := w.S.Store
	l := &lettered{w, owner, storetest.Channel(w.t, s, owner.UserID, "Lettered", v), map[rune]domain.ItemRef{}, map[rune]domain.ConnectionID{}}
	for _, letter := range letters {
		if letter < 'a' {
			l.items[letter] = domain.ChannelRef(storetest.Channel(w.t, s, owner.UserID, "Private "+string(letter), domain.Private))
		} else {
			l.items[letter] = domain.BlockRef(storetest.Block(w.t, s, owner.UserID, "Block "+string(letter)))
		}
		l.conns[letter] = storetest.Connect(w.t, s, owner.UserID, l.id, l.items[letter], 0)
	}
	return l
}

func (l *lettered) ref() domain.Ref { return domain.Ref{ID: int64(l.id)} }

// order returns the letters from the bottom, as a user sees them. Positions must be dense.
func (l *lettered) order(as domain.Actor) (letters string) {
	l.w.t.Helper()
	for _, item := range inOrder(l.w.t, l.w.a, as, l.ref()) {
		letter := "?"
		for name, ref := range l.items {
			if ref == item {
				letter = string(name)
			}
		}
		letters += letter
	}
	return letters
}

// Each kind of move, of each kind of item, near the ends of a channel with hidden items.
func TestMovesOfConnections(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		at := func(n int64) *int64 { return &n }
		for _, row := range []struct {
			name     string
			letters  string
			item     rune
			how      domain.Movement
			position *int64
			want     string
			err      byte
		}{
			{"to the top", "abcd", 'a', domain.MoveToTop, nil, "bcda", '+'},
			{"the top one to the top", "abcd", 'd', domain.MoveToTop, nil, "abcd", '+'},
			{"to the bottom", "abcd", 'c', domain.MoveToBottom, nil, "cabd", '+'},
			{"the bottom one to the bottom", "abcd", 'a', domain.MoveToBottom, nil, "abcd", '+'},
			{"up", "abcd", 'b', domain.MoveUp, nil, "acbd", '+'},
			{"the top one up", "abcd", 'd', domain.MoveUp, nil, "abcd", '+'},
			{"down", "abcd", 'b', domain.MoveDown, nil, "bacd", '+'},
			{"the bottom one down", "abcd", 'a', domain.MoveDown, nil, "abcd", '+'},
			{"to the first position", "abcd", 'c', domain.InsertAt, at(1), "cabd", '+'},
			{"to its own position", "abcd", 'c', domain.InsertAt, at(3), "abcd", '+'},
			{"to the last position", "abcd", 'a', domain.InsertAt, at(4), "bcda", '+'},
			{"beyond the top", "abcd", 'a', domain.InsertAt, at(1 << 40), "bcda", '+'},
			{"to no position", "abcd", 'a', domain.InsertAt, nil, "abcd", 'u'},
			{"to position 0", "abcd", 'a', domain.InsertAt, at(0), "abcd", 'i'},
			{"to a negative position", "abcd", 'a', domain.InsertAt, at(-1), "abcd", 'i'},
			{"somewhere else", "abcd", 'a', "sideways", nil, "abcd", 'i'},
			{"up, over a hidden channel", "aBc", 'a', domain.MoveUp, nil, "Bac", '+'},
			{"a hidden channel to the top", "Abc", 'A', domain.MoveToTop, nil, "bcA", '+'},
			{"the only item", "a", 'a', domain.MoveUp, nil, "a", '+'},
		} {
			l := newLettered(w, ada, domain.Public, row.letters)
			was, err := w.a.Collections.Connection(w.ctx(), ada, l.conns[row.item])
			w.must(err)
			p, err := w.a.Collections.MoveConnection(w.ctx(), ada, l.conns[row.item], row.how, row.position)
			if got := l.order(ada); outcome(err) != row.err || got != row.want {
				t.Errorf("%s: %s, %v; want %s, %c", row.name, got, err, row.want, row.err)
			}
			is, failed := w.a.Collections.Connection(w.ctx(), ada, l.conns[row.item])
			w.must(failed)
			if err == nil && (p.Position != is.Position || p.Version != is.Version || (p.Version > was.Version) != (row.want != row.letters)) {
				t.Errorf("%s: answered %+v, there is %+v, there was %+v", row.name, p.Connection, is.Connection, was.Connection)
			}
			visible := strings.Map(func(r rune) rune {
				if r < 'a' {
					return -1
				}
				return r
			}, row.want)
			var seen string
			for _, c := range w.shelf(bob, l.ref()) {
				for letter, ref := range l.items {
					if ref == c.Connection.Item {
						seen = string(letter) + seen
					}
				}
			}
			if seen != visible {
				t.Errorf("%s: bob sees %s, want %s", row.name, seen, visible)
			}
		}
	})
}

// Where a new item goes, by its position, and what happens to one that is there already.
func TestPlacesOfNewConnections(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		for _, row := range []struct {
			name     string
			letters  string
			position int64
			want     string
			at       int64
		}{
			{"an empty channel", "", 0, "x", 1},
			{"an empty channel, at 1", "", 1, "x", 1},
			{"an empty channel, beyond", "", 9, "x", 1},
			{"the top", "abc", 0, "abcx", 4},
			{"the bottom", "abc", 1, "xabc", 1},
			{"in between", "abc", 2, "axbc", 2},
			{"just below the top", "abc", 3, "abxc", 3},
			{"just above the top", "abc", 4, "abcx", 4},
			{"far beyond", "abc", 1 << 40, "abcx", 4},
			{"above a hidden channel", "aBc", 3, "aBxc", 3},
		} {
			l := newLettered(w, ada, domain.Public, row.letters)
			l.items['x'] = domain.BlockRef(storetest.Block(t, s, ada.UserID, "new"))
			made, err := a.Connect(ctx, ada, l.items['x'], []collections.Target{{Channel: l.ref(), Position: row.position, Metadata: []byte(`{"k":1}`)}})
			w.must(err)
			if got := l.order(ada); got != row.want || made[0].Position != row.at || made[0].Metadata != `{"k":1}` || made[0].Channel.Contents() != int64(len(row.want)) {
				t.Errorf("%s: %s, %+v, want %s", row.name, got, made[0], row.want)
			}
			// A second connection of the same item changes neither its place nor its metadata.
			again, err := a.Connect(ctx, bob, l.items['x'], []collections.Target{{Channel: l.ref(), Position: 1, Metadata: []byte(`{"k":2}`)}})
			w.must(err)
			if got := l.order(ada); got != row.want || again[0].ID != made[0].ID || again[0].Metadata != `{"k":1}` || again[0].Maker.ID != int64(ada.UserID) {
				t.Errorf("%s, again: %s, %+v", row.name, got, again[0])
			}
		}
		// Connect to several channels at once: one has the item already, and another is named twice.
		first, second := newLettered(w, ada, domain.Public, "ab"), newLettered(w, ada, domain.Closed, "cd")
		item := first.items['a']
		made, err := a.Connect(ctx, ada, item, []collections.Target{{Channel: first.ref()}, {Channel: second.ref(), Position: 1}, {Channel: second.ref()}})
		if w.must(err); len(made) != 2 || made[0].ID != first.conns['a'] || made[1].ChannelID != second.id || made[1].Position != 1 {
			t.Errorf("%+v", made)
		}
		hidden := newHidden(w, bob)
		before := w.Dump()
		for _, row := range []struct {
			name string
			as   domain.Actor
			item domain.ItemRef
			to   []collections.Target
			want byte
		}{
			{"to itself", ada, domain.ChannelRef(first.id), []collections.Target{{Channel: first.ref()}}, 'u'},
			{"to another channel and itself", ada, domain.ChannelRef(first.id), []collections.Target{{Channel: second.ref()}, {Channel: first.ref()}}, 'u'},
			{"an unknown block", ada, domain.BlockRef(1 << 40), []collections.Target{{Channel: first.ref()}}, 'n'},
			{"a hidden channel", ada, domain.ChannelRef(hidden), []collections.Target{{Channel: first.ref()}}, 'n'},
			{"to a hidden channel", ada, item, []collections.Target{{Channel: first.ref()}, {Channel: domain.Ref{ID: int64(hidden)}}}, 'n'},
			{"to a closed channel of somebody else", bob, item, []collections.Target{{Channel: second.ref()}}, 'f'},
			{"to an open and a closed channel", bob, second.items['c'], []collections.Target{{Channel: first.ref()}, {Channel: second.ref()}}, 'f'},
			{"to no channel", ada, item, nil, 'i'},
			{"to too many channels", ada, item, slices.Repeat([]collections.Target{{Channel: first.ref()}}, domain.MaxTargets+1), 'i'},
			{"to a negative position", ada, item, []collections.Target{{Channel: second.ref(), Position: -1}}, 'i'},
			{"with bad metadata", ada, item, []collections.Target{{Channel: second.ref(), Metadata: []byte(`[]`)}}, 'i'},
			{"of no kind", ada, domain.ItemRef{Type: "User", ID: 1}, []collections.Target{{Channel: second.ref()}}, 'i'},
			{"without an id", ada, domain.ItemRef{Type: domain.ItemBlock}, []collections.Target{{Channel: second.ref()}}, 'i'},
		} {
			if made, err := a.Connect(ctx, row.as, row.item, row.to); outcome(err) != row.want {
				t.Errorf("%s: %+v, %v, want %c", row.name, made, err, row.want)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
	})
}

// newHidden creates a private channel of a user.
func newHidden(w *accountsRig, of domain.Actor) domain.ChannelID {
	return storetest.Channel(w.t, w.S.Store, of.UserID, "Hidden", domain.Private)
}

// Connecting the same item at once makes one connection, with one activity.
func TestDuplicatesAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		into, other := storetest.Channel(t, s, ada.UserID, "Into", domain.Public), storetest.Channel(t, s, bob.UserID, "Other", domain.Public)
		for name, item := range map[string]domain.ItemRef{"a block": domain.BlockRef(storetest.Block(t, s, ada.UserID, "x")), "a channel": domain.ChannelRef(other)} {
			was := w.rows("connections", "activities")
			var mu sync.Mutex
			ids := map[domain.ConnectionID]bool{}
			var all sync.WaitGroup
			for range 6 {
				all.Go(func() {
					made, err := a.Connect(ctx, ada, item, []collections.Target{{Channel: domain.Ref{ID: int64(into)}}})
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					ids[made[0].ID] = true
				})
			}
			all.Wait()
			if is := w.rows("connections", "activities"); len(ids) != 1 || is[0] != was[0]+1 || is[1] != was[1]+1 {
				t.Errorf("%s: %v, %v rows, before %v", name, ids, is, was)
			}
		}
	})
}

// A comment notifies each mentioned user once, up to the limit, and links every mention.
func TestMentionsInComments(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada, bob, cem := w.member("ada"), w.member("bob"), w.member("cem")
		public := storetest.Channel(t, s, ada.UserID, "Public", domain.Public)
		private := storetest.Channel(t, s, ada.UserID, "Private", domain.Private)
		storetest.Collaborate(t, s, private, domain.UserRef(bob.UserID))
		in := func(channel domain.ChannelID) domain.BlockID { // a new block, because commenters are notified of later comments
			id := storetest.Block(t, s, ada.UserID, "text")
			storetest.Connect(t, s, ada.UserID, channel, domain.BlockRef(id), 0)
			return id
		}
		notices := func(who domain.Actor) int64 {
			l, err := w.a.People.Notifications(ctx, who, false, people.CursorInput{Limit: 100})
			w.must(err)
			return int64(len(l.Items))
		}
		for _, row := range []struct {
			name     string
			as       domain.Actor
			channel  domain.ChannelID
			body     string
			at       []string // slug:start-end
			ada, bob int64    // new notifications of ada, who wrote the block, and bob
			cem      int64
			links    int // in the HTML
		}{
			{"nobody", bob, public, "Nice", nil, 1, 0, 0, 0},
			{"somebody", ada, public, "Look, @bob!", []string{"bob:6-10"}, 0, 1, 0, 1},
			{"somebody twice", ada, public, "@bob @bob", []string{"bob:0-4", "bob:5-9"}, 0, 1, 0, 2},
			{"the author of the block", bob, public, "@ada", []string{"ada:0-4"}, 2, 0, 0, 1},
			{"oneself", ada, public, "@ada", []string{"ada:0-4"}, 0, 0, 0, 1},
			{"nobody of that name", ada, public, "@nobody-here", nil, 0, 0, 0, 0},
			{"an address", ada, public, "write to me@bob.example", nil, 0, 0, 0, 1},
			{"in code", ada, public, "`@bob`", nil, 0, 0, 0, 0},
			{"in another case", ada, public, "@BOB", nil, 0, 0, 0, 0},
			{"after letters of several bytes", ada, public, "Äö @cem", []string{"cem:3-7"}, 0, 0, 1, 1},
			{"somebody who does not see the block", ada, private, "@cem and @bob", []string{"cem:0-4", "bob:9-13"}, 0, 1, 0, 2},
		} {
			was := [3]int64{notices(ada), notices(bob), notices(cem)}
			c, err := a.CreateComment(ctx, row.as, in(row.channel), row.body)
			w.must(err)
			if got := [3]int64{notices(ada) - was[0], notices(bob) - was[1], notices(cem) - was[2]}; got != [3]int64{row.ada, row.bob, row.cem} {
				t.Errorf("%s: %v new notifications", row.name, got)
			}
			mentioned, err := a.Mentioned(ctx, []domain.Comment{c})
			w.must(err)
			var at []string
			for _, m := range mentioned[c.ID] {
				at = append(at, fmt.Sprintf("%s:%d-%d", m.User.Slug, m.Start, m.End))
			}
			if links := strings.Count(c.Body.HTML, "<a "); !slices.Equal(at, row.at) || links != row.links || c.Body.Markdown != row.body {
				t.Errorf("%s: %v, %s", row.name, at, c.Body.HTML)
			}
			read, err := a.Comment(ctx, row.as, c.ID)
			if err != nil || read != c {
				t.Errorf("%s: %+v, %v", row.name, read, err)
			}
		}
		// The number of notified users is limited.
		var body strings.Builder
		for n := range domain.MaxMentions + 2 {
			w.member(fmt.Sprintf("many-%d", n))
			fmt.Fprintf(&body, "@many-%d ", n)
		}
		was := w.rows("notifications")
		open := in(public)
		_, err := a.CreateComment(ctx, ada, open, body.String())
		if w.must(err); w.rows("notifications")[0]-was[0] != domain.MaxMentions {
			t.Errorf("%d were notified", w.rows("notifications")[0]-was[0])
		}
		// A change notifies nobody. Without comments, there are no mentions.
		c, err := a.CreateComment(ctx, ada, open, "plain")
		w.must(err)
		was = w.rows("notifications")
		changed, err := a.UpdateComment(ctx, ada, c.ID, "now for @cem")
		if w.must(err); w.rows("notifications")[0] != was[0] || !strings.Contains(changed.Body.HTML, "<a ") || changed.Version <= c.Version || !changed.UpdatedAt.After(c.UpdatedAt) {
			t.Errorf("%+v", changed)
		}
		if none, err := a.Mentioned(ctx, nil); err != nil || none != nil {
			t.Errorf("%v, %v", none, err)
		}
	})
}

// Comments are listed by time from both ends, counted up to each, and only changed by their authors.
func TestPagesOfComments(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		public := storetest.Channel(t, s, ada.UserID, "Public", domain.Public)
		block := storetest.Block(t, s, ada.UserID, "open")
		storetest.Connect(t, s, ada.UserID, public, domain.BlockRef(block), 0)
		var all []domain.Comment
		for n := range 5 {
			c, err := a.CreateComment(ctx, []domain.Actor{ada, bob}[n%2], block, fmt.Sprint("Comment ", n))
			w.must(err)
			all = append(all, c)
		}
		w.Exec("UPDATE comments SET created_at = (SELECT min(created_at) FROM comments) WHERE id <= $1", all[2].ID) // three at one time
		for _, row := range []struct {
			name string
			desc bool
			page domain.Page
			want []int
		}{
			{"all", false, domain.Page{Number: 1, Per: 10}, []int{0, 1, 2, 3, 4}},
			{"all, newest first", true, domain.Page{Number: 1, Per: 10}, []int{4, 3, 2, 1, 0}},
			{"the second page", false, domain.Page{Number: 2, Per: 2}, []int{2, 3}},
			{"the second page, newest first", true, domain.Page{Number: 2, Per: 2}, []int{2, 1}},
			{"the last page", false, domain.Page{Number: 3, Per: 2}, []int{4}},
			{"after the last page", false, domain.Page{Number: 4, Per: 2}, nil},
			{"far after it", true, domain.Page{Number: 1 << 30, Per: 100}, nil},
		} {
			l, err := a.Comments(ctx, bob, block, row.desc, row.page)
			var got []int
			for _, c := range l.Items {
				got = append(got, slices.IndexFunc(all, func(o domain.Comment) bool { return o.ID == c.ID }))
			}
			if err != nil || l.Total != 5 || !slices.Equal(got, row.want) {
				t.Errorf("%s: %v of %d, %v", row.name, got, l.Total, err)
			}
		}
		for n, c := range all {
			c, err := a.Comment(ctx, ada, c.ID)
			w.must(err)
			if up, err := a.CommentsUpTo(ctx, c); err != nil || up != int64(n+1) {
				t.Errorf("%d comments up to %d, %v", up, n, err)
			}
		}
		for _, page := range []domain.Page{{Number: 0, Per: 1}, {Number: 1, Per: 0}, {Number: 1, Per: domain.MaxPerPage + 1}} {
			_, err := a.Comments(ctx, ada, block, false, page)
			w.want(domain.Invalid, err)
		}
		// The author of the block may not change or delete comments of others.
		before := w.Dump()
		for name, call := range map[string]func() error{
			"changed":          func() error { _, err := a.UpdateComment(ctx, ada, all[1].ID, "mine"); return err },
			"deleted":          func() error { return a.DeleteComment(ctx, ada, all[1].ID) },
			"deleted by guest": func() error { return a.DeleteComment(ctx, domain.Actor{}, all[1].ID) },
		} {
			if err := call(); outcome(err) != 'f' {
				t.Errorf("%s: %v", name, err)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
		w.must(a.DeleteComment(ctx, bob, all[1].ID))
		w.want(domain.NotFound, a.DeleteComment(ctx, bob, all[1].ID))
		_, err := a.UpdateComment(ctx, bob, all[1].ID, "again")
		w.want(domain.NotFound, err)
		if b, err := a.Block(ctx, ada, block); err != nil || b.Comments != 4 {
			t.Errorf("%+v, %v", b, err)
		}
		// Comments at once count, and a repeated request creates one.
		var g sync.WaitGroup
		for n := range 6 {
			g.Go(func() {
				key := core.OnceKey("")
				if n%2 == 0 {
					key = "same-key-for-three"
				}
				if _, err := a.CommentOnce(ctx, bob, block, "At once", key); err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if b, err := a.Block(ctx, ada, block); err != nil || b.Comments != 8 {
			t.Errorf("%d comments, %v", b.Comments, err)
		}
		_, err = a.Comment(ctx, ada, 1<<40)
		w.want(domain.NotFound, err)
		// A comment is as visible as its block.
		storetest.SetVisibility(t, s, ada.UserID, public, domain.Private)
		for _, id := range []domain.CommentID{all[0].ID, all[3].ID} {
			_, err := a.Comment(ctx, bob, id)
			w.want(domain.NotFound, err)
		}
		w.want(domain.NotFound, a.DeleteComment(ctx, bob, all[3].ID))
	})
}

// A removal is undone as far as it still can be, by its user, for an hour.
func TestUndoneRemovals(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		reader := ada
		reader.Scope = domain.ScopeRead
		for _, row := range []struct {
			name        string
			removed     string // of abCd, from the bottom
			then        func(l *lettered)
			as          domain.Actor
			want        string // afterwards
			count, lost int
			err         byte
		}{
			{"one", "b", nil, ada, "abCd", 1, 0, '+'},
			{"the lowest and the highest", "da", nil, ada, "abCd", 2, 0, '+'},
			{"all", "abCd", nil, ada, "abCd", 4, 0, '+'},
			{"a private channel", "C", nil, ada, "abCd", 1, 0, '+'},
			{"another one was removed since", "b", func(l *lettered) { w.must(a.DeleteConnection(ctx, ada, l.conns['a'])) }, ada, "Cbd", 1, 0, '+'},
			{"it was added again since", "bd", func(l *lettered) {
				_, err := a.Connect(ctx, ada, l.items['d'], []collections.Target{{Channel: l.ref(), Position: 1}})
				w.must(err)
			}, ada, "dbaC", 2, 0, '+'},
			{"it was deleted since", "bd", func(l *lettered) { w.must(a.DeleteBlock(ctx, ada, domain.BlockID(l.items['d'].ID))) }, ada, "abC", 1, 1, '+'},
			{"its channel was deleted since", "Cd", func(l *lettered) { w.must(a.DeleteChannel(ctx, ada, domain.Ref{ID: l.items['C'].ID})) }, ada, "abd", 1, 1, '+'},
			{"by somebody else", "b", nil, bob, "aCd", 0, 0, 'n'},
			{"by a guest", "b", nil, domain.Actor{}, "aCd", 0, 0, 'n'},
			{"with a token that reads", "b", nil, reader, "aCd", 0, 0, 'f'},
			{"just in time", "b", func(*lettered) { w.Clock.Advance(collections.UndoFor - time.Second) }, ada, "abCd", 1, 0, '+'},
			{"too late", "b", func(*lettered) { w.Clock.Advance(collections.UndoFor) }, ada, "aCd", 0, 0, 'n'},
		} {
			l := newLettered(w, ada, domain.Public, "abCd")
			var ids []domain.ConnectionID
			for _, letter := range row.removed {
				ids = append(ids, l.conns[letter])
			}
			r, err := a.RemoveConnections(ctx, ada, l.ref(), append(ids, ids[0]))
			if w.must(err); r.Count != len(ids) || r.Kept != 0 || r.Gone != 0 || r.Undo == "" {
				t.Errorf("%s: removed %+v", row.name, r)
			}
			if row.then != nil {
				row.then(l)
			}
			back, err := a.UndoRemoval(ctx, row.as, r.Undo)
			if got := l.order(ada); outcome(err) != row.err || got != row.want || back.Count != row.count || back.Lost != row.lost {
				t.Errorf("%s: %s, %+v, %v; want %s", row.name, got, back, err, row.want)
			}
		}
		// In a channel that the user has lost since.
		l := newLettered(w, bob, domain.Closed, "ab")
		storetest.Collaborate(t, s, l.id, domain.UserRef(ada.UserID))
		r, err := a.RemoveConnections(ctx, ada, l.ref(), []domain.ConnectionID{l.conns['a'], 1 << 40})
		if w.must(err); r.Count != 1 || r.Gone != 1 {
			t.Errorf("%+v", r)
		}
		w.must(a.RemoveCollaborators(ctx, bob, l.ref(), domain.UserRef(ada.UserID)))
		_, err = a.UndoRemoval(ctx, ada, r.Undo)
		w.want(domain.Forbidden, err)
		storetest.SetVisibility(t, s, bob.UserID, l.id, domain.Private)
		_, err = a.UndoRemoval(ctx, ada, r.Undo)
		w.want(domain.NotFound, err)
		storetest.SetVisibility(t, s, bob.UserID, l.id, domain.Public)
		if back, err := a.UndoRemoval(ctx, ada, r.Undo); err != nil || back.Count != 1 || l.order(bob) != "ab" {
			t.Errorf("%+v, %v, %s", back, err, l.order(bob))
		}
		// Undoing at once restores each item once.
		l = newLettered(w, ada, domain.Public, "abcd")
		r, err = a.RemoveConnections(ctx, ada, l.ref(), []domain.ConnectionID{l.conns['b'], l.conns['c']})
		w.must(err)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if back, err := a.UndoRemoval(ctx, ada, r.Undo); err != nil || back.Count != 2 {
					t.Errorf("%+v, %v", back, err)
				}
			})
		}
		all.Wait()
		if l.order(ada) != "abcd" {
			t.Errorf("at once: %s", l.order(ada))
		}
		if r, err := a.RemoveItem(ctx, ada, l.ref(), domain.BlockRef(1<<40)); err != nil || r.Gone != 1 || r.Undo != "" {
			t.Errorf("what is not there: %+v, %v", r, err)
		}
		for _, n := range []int{0, domain.MaxRemoved + 1} {
			_, err := a.RemoveConnections(ctx, ada, l.ref(), make([]domain.ConnectionID, n))
			w.want(domain.Invalid, err)
		}
	})
}

// remembered is what a client of KnownContents has cached, by id.
type remembered struct {
	blocks map[domain.BlockID]int64
	conns  map[domain.ConnectionID]int64
	asked  int
}

func (k *remembered) Block(r domain.BlockRevision) []byte {
	k.asked++
	if v, ok := k.blocks[r.ID]; ok && v == r.Version {
		return []byte("block")
	}
	return nil
}

func (k *remembered) Connection(r domain.ConnectionRevision) []byte {
	if v, ok := k.conns[r.ID]; ok && v == r.Version {
		return []byte("connection")
	}
	return nil
}

// A page of contents for a client with a cache contains what the client lacks, and the same items as without one.
func TestContentsForCaches(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Collections, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		l := newLettered(w, ada, domain.Public, "aBcdE")
		page := collections.ContentsInput{Page: domain.Page{Number: 1, Per: 10}}
		cached := func(blocks, conns string) *remembered {
			k := &remembered{blocks: map[domain.BlockID]int64{}, conns: map[domain.ConnectionID]int64{}}
			all, err := a.Contents(ctx, ada, l.ref(), page)
			w.must(err)
			for _, c := range all.Items {
				for letter, ref := range l.items {
					if ref != c.Connection.Item {
						continue
					}
					if c.Block != nil && strings.ContainsRune(blocks, letter) {
						k.blocks[c.Block.ID] = c.Block.Version
					}
					if strings.ContainsRune(conns, letter) {
						k.conns[c.Connection.ID] = c.Connection.Version
					}
				}
			}
			return k
		}
		for _, row := range []struct {
			name          string
			as            domain.Actor
			blocks, conns string // cached
			before        func()
			want          string // the items in order: b and c mark a cached block or connection, B and C a complete one
		}{
			{"nothing is cached", ada, "", "", nil, "BC -C BC BC -C"},
			{"blocks are cached", ada, "acd", "", nil, "bC -C bC bC -C"},
			{"connections are cached", ada, "", "aBcdE", nil, "Bc -c Bc Bc -c"},
			{"everything is cached", ada, "acd", "aBcdE", nil, "bc -c bc bc -c"},
			{"some of it is cached", ada, "ac", "aE", nil, "bc -C bC BC -c"},
			{"as somebody else", bob, "acd", "a", nil, "bc bC bC"},
			{"a block has changed", ada, "acd", "aBcdE", func() {
				title := "New"
				_, err := a.UpdateBlock(ctx, ada, domain.BlockID(l.items['c'].ID), collections.UpdateBlockInput{Title: &title})
				w.must(err)
			}, "bc -c Bc bc -c"},
			{"a connection has changed", ada, "acd", "aBcdE", func() {
				_, err := a.UpdateConnection(ctx, ada, l.conns['d'], []byte(`{"k":1}`))
				w.must(err)
			}, "bc -c bc bC -c"},
			{"one was moved", ada, "acd", "aBcdE", func() {
				_, err := a.MoveConnection(ctx, ada, l.conns['a'], domain.MoveToTop, nil)
				w.must(err)
			}, "-c bc bc -c bC"},
			{"one was removed", ada, "acd", "aBcdE", func() { w.must(a.DeleteConnection(ctx, ada, l.conns['a'])) }, "-c bc bc -c"},
		} {
			k := cached(row.blocks, row.conns)
			if row.before != nil {
				row.before()
			}
			got, err := a.KnownContents(ctx, row.as, l.ref(), page, k)
			w.must(err)
			whole, err := a.Contents(ctx, row.as, l.ref(), page)
			w.must(err)
			if got.Total != whole.Total || len(got.Items) != len(whole.Items) {
				t.Fatalf("%s: %d items of %d, want %d of %d", row.name, len(got.Items), got.Total, len(whole.Items), whole.Total)
			}
			var marks []string
			for n, item := range got.Items {
				want, mark := whole.Items[n], ""
				switch {
				case want.Channel != nil:
					mark = "-"
					if item.Content == nil || item.Content.Channel == nil || item.Content.Channel.ID != want.Channel.ID {
						t.Errorf("%s: item %d: %+v", row.name, n, item)
					}
				case item.Block != nil:
					mark = "b"
				case item.Content != nil && item.Content.Block != nil && item.Content.Block.ID == want.Block.ID:
					mark = "B"
				}
				switch {
				case item.Connection != nil:
					mark += "c"
				case item.Content != nil && item.Content.Connection.ID == want.Connection.ID && item.Content.Connection.Metadata == want.Connection.Metadata &&
					item.Content.Connection.Maker == want.Connection.Maker:
					mark += "C"
				}
				if item.Position != want.Connection.Position {
					t.Errorf("%s: item %d is at %d, want %d", row.name, n, item.Position, want.Connection.Position)
				}
				marks = append(marks, mark)
			}
			if got := strings.Join(marks, " "); got != row.want {
				t.Errorf("%s: %s, want %s", row.name, got, row.want)
			}
		}
		_, err := a.KnownContents(ctx, bob, domain.Ref{ID: l.items['B'].ID}, page, cached("", ""))
		w.want(domain.NotFound, err)
		page.Page.Number = 0
		_, err = a.KnownContents(ctx, ada, l.ref(), page, &remembered{})
		w.want(domain.Invalid, err)
	})
}

// An export reads what its user sees in parts, each beginning after the one before.
func TestPartsOfExports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		l := newLettered(w, ada, domain.Public, "aBcdef")
		bobs := newLettered(w, bob, domain.Public, "gh")
		for n, letter := range "gghhg" {
			storetest.Comment(t, s, []domain.UserID{ada.UserID, bob.UserID}[n%2], domain.BlockID(bobs.items[letter].ID), fmt.Sprint("Comment ", n))
		}
		storetest.Comment(t, s, ada.UserID, domain.BlockID(l.items['a'].ID), "My own")
		for _, size := range []int{1, 2, 3, 100} {
			var channels []domain.ChannelID
			for above := domain.ChannelID(0); ; {
				some, err := a.OwnedChannels(ctx, ada, domain.UserRef(ada.UserID), above, size)
				w.must(err)
				for _, c := range some {
					channels, above = append(channels, c.ID), c.ID
				}
				if len(some) < size {
					break
				}
			}
			if !slices.Equal(channels, []domain.ChannelID{l.id, domain.ChannelID(l.items['B'].ID)}) {
				t.Errorf("channels by %d: %v", size, channels)
			}
			var blocks []domain.BlockID
			for after := (domain.Block{}); ; {
				some, err := a.AuthoredBlocks(ctx, ada, after, size)
				w.must(err)
				for _, b := range some {
					blocks, after = append(blocks, b.ID), *b
				}
				if len(some) < size {
					break
				}
			}
			var want []domain.BlockID
			for _, letter := range "acdef" {
				want = append(want, domain.BlockID(l.items[letter].ID))
			}
			if !slices.Equal(blocks, want) {
				t.Errorf("blocks by %d: %v, want %v", size, blocks, want)
			}
			var bodies []string
			for after := (domain.Comment{}); ; {
				some, last, err := a.AuthoredComments(ctx, ada, after, size)
				w.must(err)
				for _, c := range some {
					bodies = append(bodies, c.Body.Plain)
				}
				if last == nil {
					break
				}
				after = *last
			}
			if want := []string{"My own", "Comment 0", "Comment 4", "Comment 2"}; !slices.Equal(bodies, want) {
				t.Errorf("comments by %d: %q, want %q", size, bodies, want)
			}
		}
		// A stranger sees less of the same.
		if some, err := a.OwnedChannels(ctx, bob, domain.UserRef(ada.UserID), 0, 10); err != nil || len(some) != 1 || some[0].ID != l.id {
			t.Errorf("%+v, %v", some, err)
		}
		full, ids, err := a.Order(ctx, bob, l.ref())
		if w.must(err); full.ID != l.id || len(ids) != 5 { // without the channel that bob does not see
			t.Errorf("%d of %+v", len(ids), full.Channel)
		}
		// What leaves the channel or becomes hidden in the meantime is missing, and the rest keeps its order.
		_, ids, err = a.Order(ctx, ada, l.ref())
		w.must(err)
		slices.Reverse(ids)
		w.must(a.DeleteConnection(ctx, ada, l.conns['c']))
		read := func(as domain.Actor) (letters string) {
			all, err := a.Ordered(ctx, as, l.id, ids)
			w.must(err)
			for _, c := range all {
				for letter, ref := range l.items {
					if ref == c.Connection.Item {
						letters += string(letter)
					}
				}
			}
			return letters
		}
		if got := read(ada) + " " + read(bob); got != "fedBa feda" {
			t.Errorf("%s", got)
		}
		// Comments on a block that the user does not see any more are skipped, but the export goes on after them.
		storetest.SetVisibility(t, s, bob.UserID, bobs.id, domain.Private)
		some, last, err := a.AuthoredComments(ctx, ada, domain.Comment{}, 100)
		if w.must(err); len(some) != 1 || some[0].Body.Plain != "My own" || last == nil || last.Body.Plain != "Comment 2" {
			t.Errorf("%+v, %+v", some, last)
		}
		storetest.SetVisibility(t, s, ada.UserID, l.id, domain.Private)
		_, err = a.Ordered(ctx, bob, l.id, ids)
		w.want(domain.NotFound, err)
		_, _, err = a.Order(ctx, bob, l.ref())
		w.want(domain.NotFound, err)
	})
}

// A change of a large channel is applied to its contents by a job, which may stop at any point.
func TestTransitionsOfLargeChannels(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		s.LimitTransitions(store.TransitionLimits{AtOnce: 3, Batch: 2})
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		seen := func(l *lettered) (n int) {
			for _, ref := range l.items {
				if _, err := a.Block(ctx, bob, domain.BlockID(ref.ID)); err == nil {
					n++
				} else if outcome(err) != 'n' {
					t.Error(err)
				}
			}
			return n
		}
		pending := func() int {
			ids, err := s.Transitions().Pending(ctx, 0, 100)
			w.must(err)
			return len(ids)
		}
		for _, row := range []struct {
			name    string
			letters string
			apply   func(l *lettered) error
			waits   bool
		}{
			{"a small channel", "abc", func(*lettered) error { return nil }, false},
			{"by its job", "abcdefg", func(*lettered) error { w.WorkJobs(); return nil }, true},
			{"by its job, directly", "abcdefg", func(l *lettered) error {
				return a.ApplyTransition(ctx, collections.ApplyTransition{ID: l.id, By: ada.UserID})
			}, true},
			{"by the job for lost ones", "abcdefg", func(*lettered) error { return a.ResumeTransitions(ctx) }, true},
			{"before an import", "abcdefg", func(l *lettered) error { return a.ApplyAll(ctx, l.id) }, true},
			{"by several jobs at once", "abcdefg", func(l *lettered) (err error) {
				var all sync.WaitGroup
				failed := make([]error, 4)
				for n := range failed {
					all.Go(func() { failed[n] = a.ApplyTransition(ctx, collections.ApplyTransition{ID: l.id, By: ada.UserID}) })
				}
				all.Wait()
				return errors.Join(failed...)
			}, true},
		} {
			for _, to := range []domain.Visibility{domain.Private, domain.Public} {
				l := newLettered(w, ada, map[domain.Visibility]domain.Visibility{domain.Private: domain.Public, domain.Public: domain.Private}[to], row.letters)
				want := map[domain.Visibility]int{domain.Private: 0, domain.Public: len(row.letters)}[to]
				_, err := a.UpdateChannel(ctx, ada, l.ref(), collections.UpdateChannelInput{Visibility: &to})
				w.must(err)
				if got := pending(); (got == 1) != row.waits {
					t.Errorf("%s, to %s: %d are pending", row.name, to, got)
				}
				for range 2 {
					w.must(row.apply(l))
				}
				if got := pending(); got != 0 || seen(l) != want {
					t.Errorf("%s, to %s: %d are pending, %d blocks are visible, want %d", row.name, to, got, seen(l), want)
				}
			}
		}
		w.must(a.ApplyTransition(ctx, collections.ApplyTransition{ID: 1 << 40}))
	})
}

// The blocks and channels of a person or group, by kind and order, as far as each viewer sees them.
func TestListingsOfOwners(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		f, ctx, s := w.a.Finder, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		guild := storetest.Group(t, s, "Guild", ada.UserID)
		names := map[domain.Subject]string{}
		blockIn := func(name string, by domain.Actor, channels ...domain.ChannelID) domain.BlockID {
			id := storetest.Block(t, s, by.UserID, name)
			names[storetest.BlockSubject(id)] = name
			for _, c := range channels {
				storetest.Connect(t, s, ada.UserID, c, domain.BlockRef(id), 0)
			}
			return id
		}
		channelOf := func(name string, owner domain.PrincipalRef, v domain.Visibility) domain.ChannelID {
			id := storetest.OwnedChannel(t, s, owner, ada.UserID, name, v)
			names[storetest.ChannelSubject(id)] = name
			return id
		}
		public := channelOf("P", domain.UserRef(ada.UserID), domain.Public)
		private := channelOf("H", domain.UserRef(ada.UserID), domain.Private)
		ours := channelOf("G", domain.GroupRef(guild), domain.Public)
		secret := channelOf("S", domain.GroupRef(guild), domain.Private)
		blockIn("p", ada, public)
		blockIn("h", ada, private)
		blockIn("a", ada)
		blockIn("b", bob, public, ours)
		blockIn("g", ada, ours, private)
		blockIn("s", ada, secret)
		storetest.Connect(t, s, ada.UserID, ours, domain.ChannelRef(public), 0)
		created := domain.SearchSort{Key: domain.SearchByCreated}
		for _, row := range []struct {
			name  string
			as    domain.Actor
			group bool
			types []string
			sort  domain.SearchSort
			want  string
		}{
			{"of ada, by herself", ada, false, nil, created, "P H G S p h a g s"},
			{"of ada, newest first", ada, false, nil, domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, "s g a h p S G H P"},
			{"of ada, by bob", bob, false, nil, created, "P G p g"},
			{"of ada, by a guest", domain.Actor{}, false, nil, created, "P G p g"},
			{"channels of ada, by herself", ada, false, []string{"Channel"}, created, "P H G S"},
			{"channels of ada, by bob", bob, false, []string{"Channel"}, created, "P G"},
			{"texts of ada, by herself", ada, false, []string{"Text"}, created, "p h a g s"},
			{"images of ada", ada, false, []string{"Image"}, created, ""},
			{"of the group, by its owner", ada, true, nil, created, "G S b g s"},
			{"of the group, by bob", bob, true, nil, created, "G b g"},
			{"blocks of the group, by bob", bob, true, []string{"Text"}, created, "b g"},
		} {
			list := func(page domain.Page) domain.List[domain.Entity] {
				in := collections.MadeInput{Types: row.types, Sort: row.sort, Page: page}
				l, err := f.UserContents(ctx, row.as, domain.Ref{ID: int64(ada.UserID)}, in)
				if row.group {
					l, err = f.GroupContents(ctx, row.as, domain.Ref{ID: int64(guild)}, in)
				}
				w.must(err)
				return l
			}
			read := func(l domain.List[domain.Entity]) (all []string) {
				for _, e := range l.Items {
					if e.Channel != nil {
						all = append(all, names[storetest.ChannelSubject(e.Channel.ID)])
					} else {
						all = append(all, names[storetest.BlockSubject(e.Block.ID)])
					}
				}
				return all
			}
			whole := list(domain.Page{Number: 1, Per: 100})
			want := strings.Fields(row.want)
			// Everything was created at one time, so the order of kinds and ids decides; compare it as a set first.
			if got := read(whole); !slices.Equal(sortedTexts(got), sortedTexts(want)) || whole.Total != int64(len(want)) {
				t.Errorf("%s: %v of %d, want %v", row.name, got, whole.Total, want)
			}
			var paged []string
			for number := int64(1); number <= int64(len(want))/2+1; number++ {
				l := list(domain.Page{Number: number, Per: 2})
				paged = append(paged, read(l)...)
				if l.Total != whole.Total {
					t.Errorf("%s: page %d has the total %d", row.name, number, l.Total)
				}
			}
			if !slices.Equal(paged, read(whole)) {
				t.Errorf("%s: by pages %v, at once %v", row.name, paged, read(whole))
			}
		}
		for name, in := range map[string]collections.MadeInput{
			"people":             {Types: []string{"User"}, Sort: created, Page: somePage},
			"another order":      {Sort: domain.SearchSort{Key: domain.SearchByScore}, Page: somePage},
			"by additions":       {Sort: domain.SearchSort{Key: domain.SearchByAdded}, Page: somePage},
			"an unknown kind":    {Types: []string{"Sound"}, Sort: created, Page: somePage},
			"without a page":     {Sort: created},
			"too long a page":    {Sort: created, Page: domain.Page{Number: 1, Per: domain.MaxPerPage + 1}},
			"additions of texts": {Types: []string{"Text"}, Sort: domain.SearchSort{Key: domain.SearchByAdded}, Page: somePage},
		} {
			_, err := f.UserContents(ctx, ada, domain.Ref{ID: int64(ada.UserID)}, in)
			_, group := f.GroupContents(ctx, ada, domain.Ref{ID: int64(guild)}, in)
			if outcome(err) != 'i' || outcome(group) != 'i' {
				t.Errorf("%s: %v, %v", name, err, group)
			}
		}
		in := collections.MadeInput{Sort: created, Page: somePage}
		_, err := f.UserContents(ctx, ada, domain.Ref{Slug: "nobody"}, in)
		w.want(domain.NotFound, err)
		_, err = f.GroupContents(ctx, ada, domain.Ref{Slug: "ada"}, in)
		w.want(domain.NotFound, err)
	})
}

func sortedTexts(all []string) []string { return slices.Sorted(slices.Values(all)) }

// The contents of a channel that match a query, from the top, and a search by its kind of user.
func TestFilteringAndSearching(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		f, ctx, s := w.a.Finder, w.ctx(), w.S.Store
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		free := bob
		free.Tier = domain.TierFree
		here := storetest.Channel(t, s, ada.UserID, "Here", domain.Public)
		names := map[domain.ItemRef]string{}
		for _, text := range []string{"moss and kelp", "kelp", "stones", "Kelping"} {
			item := domain.BlockRef(storetest.Block(t, s, ada.UserID, text))
			names[item] = text
			storetest.Connect(t, s, ada.UserID, here, item, 0)
		}
		hidden := domain.ChannelRef(storetest.Channel(t, s, ada.UserID, "Kelp, hidden", domain.Private))
		names[hidden] = "hidden"
		storetest.Connect(t, s, ada.UserID, here, hidden, 0)
		for _, row := range []struct {
			name, query string
			as          domain.Actor
			types       []string
			want        []string
		}{
			{"a word", "kelp", ada, nil, []string{"hidden", "Kelping", "kelp", "moss and kelp"}},
			{"a word, by bob", "kelp", bob, nil, []string{"Kelping", "kelp", "moss and kelp"}},
			{"two words", "kelp moss", ada, nil, []string{"moss and kelp"}},
			{"no word matches", "feather", ada, nil, nil},
			{"a kind", "kelp", ada, []string{"Channel"}, []string{"hidden"}},
			{"a kind, by bob", "kelp", bob, []string{"Channel"}, nil},
			{"everything of a kind", "", ada, []string{"Text"}, []string{"Kelping", "stones", "kelp", "moss and kelp"}},
		} {
			l, err := f.FilterContents(ctx, row.as, domain.Ref{ID: int64(here)}, collections.FilterInput{Query: row.query, Types: row.types, Page: somePage})
			var got []string
			for _, c := range l.Items {
				got = append(got, names[c.Connection.Item])
			}
			if err != nil || l.Total != int64(len(row.want)) || !slices.Equal(got, row.want) {
				t.Errorf("%s: %q of %d, %v; want %q", row.name, got, l.Total, err, row.want)
			}
		}
		long := strings.Repeat("word ", 400)
		for name, in := range map[string]collections.FilterInput{
			"people":         {Types: []string{"User"}, Page: somePage},
			"too many words": {Query: long, Page: somePage},
			"without a page": {Query: "kelp"},
		} {
			_, err := f.FilterContents(ctx, ada, domain.Ref{ID: int64(here)}, in)
			if outcome(err) != 'i' {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := f.FilterContents(ctx, bob, domain.Ref{ID: hidden.ID}, collections.FilterInput{Page: somePage})
		w.want(domain.NotFound, err)
		// The API searches for some tiers only, and the website for everyone.
		for name, as := range map[string]domain.Actor{"a free account": free, "a guest": {}} {
			_, err := f.Search(ctx, as, domain.Search{Query: "kelp", Page: somePage}, nil)
			if outcome(err) != 'f' {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, as := range map[string]domain.Actor{"ada": ada, "bob": bob} {
			l, err := f.Search(ctx, as, domain.Search{Query: "kelp", Page: somePage}, nil)
			if want := map[string]int64{"ada": 4, "bob": 3}[name]; err != nil || l.Total != want {
				t.Errorf("%s finds %d, %v, want %d", name, l.Total, err, want)
			}
		}
		if short := collections.Shortened(long); len([]rune(short)) > domain.MaxSearchQuery {
			t.Errorf("%d characters are left", len(short))
		} else if _, err := f.Explore(ctx, ada, domain.Search{Query: short, Page: somePage}, nil); err != nil {
			t.Errorf("a shortened query: %v", err)
		}
		if got := collections.Shortened("kelp moss"); got != "kelp moss" {
			t.Errorf("shortened to %q", got)
		}
		// A seed decides the random order, and the day decides the seed.
		random := func(seed *int64) (all []int64) {
			l, err := f.Explore(ctx, ada, domain.Search{Sort: domain.SearchSort{Key: domain.SearchByChance}, Page: somePage}, seed)
			w.must(err)
			for _, e := range l.Items {
				if e.Block != nil {
					all = append(all, int64(e.Block.ID))
				}
			}
			return all
		}
		seed := int64(7)
		if first := random(&seed); !slices.Equal(first, random(&seed)) || len(first) != 4 {
			t.Errorf("%v", first)
		}
		if today := random(nil); !slices.Equal(today, random(nil)) {
			t.Error("two orders in one day")
		}
		channels, users, groups, err := f.LastIDs(ctx)
		if err != nil || channels != hidden.ID || users != int64(bob.UserID) || groups != 0 {
			t.Errorf("%d, %d, %d, %v", channels, users, groups, err)
		}
		listed, err := f.Listings(ctx, domain.SubjectChannel, false, domain.ListingRange{Upto: channels, Limit: 10})
		if err != nil || len(listed) != 1 {
			t.Errorf("%+v, %v", listed, err)
		}
	})
}
