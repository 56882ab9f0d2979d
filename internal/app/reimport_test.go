package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// imported is a channel whose items, named by letters, come from a source or were created here.
type imported struct {
	w       *accountsRig
	as      domain.Actor
	origin  string
	id      domain.ChannelID
	fromTop bool
	conns   map[rune]domain.ConnectionID
	blocks  map[rune]domain.BlockID
}

func newImported(w *accountsRig, as domain.Actor, origin string, v domain.Visibility, fromTop bool) *imported {
	w.t.Helper()
	id, _, err := w.a.Transfer.ImportChannel(w.ctx(), as, origin, transfer.ImportChannelInput{ID: "c", Title: "Imported", Visibility: v})
	w.must(err)
	return &imported{w: w, as: as, origin: origin, id: id, fromTop: fromTop, conns: map[rune]domain.ConnectionID{}, blocks: map[rune]domain.BlockID{}}
}

func (i *imported) ref() domain.Ref { return domain.Ref{ID: int64(i.id)} }

// imports returns the places of the items of a source. Like the steps of an import, it first creates missing items.
func (i *imported) imports(source string) (order []transfer.Placed) {
	i.w.t.Helper()
	a, ctx := i.w.a.Transfer, i.w.ctx()
	last, before := int64(0), domain.ConnectionID(0)
	for _, letter := range source {
		item := prepared(i.w.t, transfer.ImportItemInput{ID: string(letter)})
		known, err := a.KnownItems(ctx, i.as, i.origin, i.id, []*transfer.PreparedItem{item})
		i.w.must(err)
		if row := known[0].Connection; row != nil {
			last = max(last, row.Place)
		}
	}
	for _, letter := range source {
		item := prepared(i.w.t, transfer.ImportItemInput{ID: string(letter)})
		known, err := a.KnownItems(ctx, i.as, i.origin, i.id, []*transfer.PreparedItem{item})
		i.w.must(err)
		if row := known[0].Connection; row != nil {
			before = domain.ConnectionID(row.Local)
			order = append(order, transfer.Placed{Connection: before, Place: row.Place})
			continue
		}
		if i.fromTop {
			item.Under = before
		}
		made, err := a.ImportItems(ctx, i.as, i.origin, i.id, []*transfer.PreparedItem{item}, transfer.Spot{Place: last, FromTop: i.fromTop})
		i.w.must(err)
		before, last = made[0].Connection, made[0].Place
		i.conns[letter] = before
		order = append(order, transfer.Placed{Connection: before, Place: last, New: true})
	}
	for _, c := range i.w.shelf(i.as, i.ref()) {
		for letter, id := range i.conns {
			if c.Connection.ID == id {
				i.blocks[letter] = c.Block.ID
			}
		}
	}
	return order
}

// sort changes the order of the items here. It first creates items for unknown letters.
func (i *imported) sort(order string) {
	i.w.t.Helper()
	var ids []int64
	for _, letter := range order {
		if _, ok := i.conns[letter]; !ok {
			p, err := i.w.a.Collections.CreateBlockIn(i.w.ctx(), i.as, blockIn(i.ref(), collections.BlockInput{Value: "Text of this site"}, 0))
			i.w.must(err)
			i.conns[letter], i.blocks[letter] = p.Connection.ID, p.Block.ID
		}
		ids = append(ids, int64(i.blocks[letter]))
	}
	if i.fromTop {
		slices.Reverse(ids)
	}
	i.w.must(i.w.a.Collections.SortContents(i.w.ctx(), i.as, i.ref(), ids))
}

// order returns the letters of the items, from the end at which the source begins.
func (i *imported) order() string {
	i.w.t.Helper()
	var letters []string
	for _, c := range i.w.shelf(i.as, i.ref()) {
		letter := "?"
		for l, id := range i.conns {
			if id == c.Connection.ID {
				letter = string(l)
			}
		}
		letters = append(letters, letter)
	}
	if !i.fromTop {
		slices.Reverse(letters)
	}
	return strings.Join(letters, "")
}

// Changes of the order in the source are applied. Items that were moved, added or removed here keep their state.
func TestArrangingImports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		n := 0
		for _, row := range []struct {
			name            string
			first           string
			here            string // the order given here; L and M are of this site
			removed         string // here
			then            string
			want            string
			moved, movedTop int // from the bottom, and from the top
		}{
			{"nothing changed", "abc", "", "", "abc", "abc", 0, 0},
			{"one was added at the end", "abc", "", "", "abcx", "abcx", 0, 0},
			{"several were added at the end", "abc", "", "", "abcxyz", "abcxyz", 0, 0},
			{"one was added in between", "abc", "", "", "axbc", "axbc", 1, 0},
			{"several were added in between", "abc", "", "", "axybzc", "axybzc", 2, 0},
			{"one was added at the beginning", "abc", "", "", "xabc", "xabc", 1, 0},
			{"the last one was moved to the beginning", "abc", "", "", "cab", "cab", 1, 1},
			{"it was turned round", "abcd", "", "", "dcba", "dcba", 3, 3},
			{"it was moved, and one was added", "abc", "", "", "cxab", "cxab", 2, 2},
			{"moved only here", "abc", "cba", "", "abc", "cba", 0, 0},
			{"moved here, added after the first", "abc", "cba", "", "axbc", "cbax", 0, 0},
			{"moved here, added after another", "abc", "cba", "", "abxc", "cbxa", 1, 0},
			{"moved here and there", "abc", "cba", "", "bac", "bac", 1, 1},
			{"removed here, unchanged there", "abc", "", "b", "abc", "ac", 0, 0},
			{"removed here, moved there", "abc", "", "b", "cab", "ca", 1, 1},
			{"all were removed here", "abc", "", "abc", "cab", "", 0, 0},
			{"removed there", "abc", "", "", "ac", "abc", 0, 0},
			{"removed there, the others moved", "abc", "", "", "ca", "cba", 1, 1},
			{"one of this site in between", "abc", "aLbc", "", "cab", "cLab", 1, 1},
			{"those of this site at both ends", "abc", "LabcM", "", "cba", "LcbaM", 2, 2},
			{"one of this site, added there", "abc", "aLbc", "", "abxc", "aLbxc", 1, 0},
			{"an empty source", "abc", "", "", "", "abc", 0, 0},
			{"nothing was there", "", "", "", "ab", "ab", 0, 0},
		} {
			for _, fromTop := range []bool{false, true} {
				moved := row.moved
				if fromTop {
					moved = row.movedTop
				}
				name := fmt.Sprintf("%s, from the top: %v", row.name, fromTop)
				n++
				i := newImported(w, ada, fmt.Sprint("https://source", n), domain.Private, fromTop)
				i.imports(row.first)
				if got := i.order(); got != row.first {
					t.Errorf("%s: imported %s", name, got)
				}
				if row.here != "" {
					i.sort(row.here)
				}
				for _, letter := range row.removed {
					w.must(w.a.Collections.DeleteConnection(w.ctx(), ada, i.conns[letter]))
				}
				order := i.imports(row.then)
				got, err := w.a.Transfer.Arrange(w.ctx(), ada, i.origin, i.id, order, fromTop)
				if err != nil || got != moved || i.order() != row.want {
					t.Errorf("%s: %s, moved %d, %v; want %s, moved %d", name, i.order(), got, err, row.want, moved)
				}
				// The next import finds the places of this one, so it does not undo what happens here in the meantime.
				if row.want == "" || len(row.then) < 2 {
					continue
				}
				turned := []rune(i.order())
				slices.Reverse(turned)
				i.sort(string(turned))
				got, err = w.a.Transfer.Arrange(w.ctx(), ada, i.origin, i.id, i.imports(row.then), fromTop)
				if err != nil || got != 0 || i.order() != string(turned) {
					t.Errorf("%s: again %s, moved %d, %v; want %s", name, i.order(), got, err, string(turned))
				}
			}
		}
	})
}

// Without any other change there, a new last item goes where new items go: to the top, or from the top below its
// predecessor. The order that somebody gave the others here stays.
func TestNewLastItemsOfImports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		for fromTop, want := range map[bool]string{false: "cbax", true: "cxba"} {
			i := newImported(w, ada, fmt.Sprint("https://source", fromTop), domain.Private, fromTop)
			i.imports("abc")
			i.sort("cba")
			before := i.imports("abcx")
			moved, err := w.a.Transfer.Arrange(w.ctx(), ada, i.origin, i.id, before, fromTop)
			if err != nil || moved != 0 || i.order() != want {
				t.Errorf("from the top: %v: %s, moved %d, %v", fromTop, i.order(), moved, err)
			}
		}
	})
}

// Arranging needs the right to arrange the channel, and moves nothing that is not in it.
func TestWhoMayArrangeImports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada, bob, cem := w.member("ada"), w.member("bob"), w.member("cem")
		i := newImported(w, ada, "https://source", domain.Public, false)
		i.imports("abc")
		storetest.Collaborate(t, w.S.Store, i.id, domain.UserRef(cem.UserID))
		hidden := newImported(w, ada, "https://other", domain.Private, false)
		hidden.imports("xy")
		reader := ada
		reader.Scope = domain.ScopeRead
		turned := func(i *imported, letters string) (order []transfer.Placed) {
			for n, letter := range letters {
				order = append(order, transfer.Placed{Connection: i.conns[letter], Place: int64(len(letters) - n)})
			}
			return order
		}
		before := w.Dump()
		for _, row := range []struct {
			name  string
			as    domain.Actor
			in    domain.ChannelID
			order []transfer.Placed
			want  byte
		}{
			{"a guest", domain.Actor{}, i.id, turned(i, "cba"), 'f'},
			{"a token that reads", reader, i.id, turned(i, "cba"), 'f'},
			{"somebody else", bob, i.id, turned(i, "cba"), 'f'},
			{"somebody else, in a private channel", bob, hidden.id, turned(hidden, "yx"), 'n'},
			{"an unknown channel", ada, 1 << 40, turned(i, "cba"), 'n'},
			{"an order that grows needs no right", bob, hidden.id, []transfer.Placed{{Connection: 1, Place: 1}, {Connection: 2, Place: 2}}, '+'},
		} {
			if moved, err := w.a.Transfer.Arrange(w.ctx(), row.as, i.origin, row.in, row.order, false); outcome(err) != row.want || moved != 0 {
				t.Errorf("%s: moved %d, %v, want %c", row.name, moved, err, row.want)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
		// A collaborator may, and connections of another channel do not count.
		order := append(turned(i, "cba"), turned(hidden, "yx")...)
		if moved, err := w.a.Transfer.Arrange(w.ctx(), cem, i.origin, i.id, order, false); err != nil || moved != 2 || i.order() != "cba" || hidden.order() != "xy" {
			t.Errorf("a collaborator: moved %d, %v: %s, %s", moved, err, i.order(), hidden.order())
		}
	})
}

// A change in the source is applied to each field that was not changed here.
func TestChangesOfImportedItems(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a, w.ctx()
		w.first("op")
		ada := w.member("ada")
		reader := ada
		reader.Scope = domain.ScopeRead
		text := func(s string) *string { return &s }
		first := transfer.ImportItemInput{ID: "b", Title: "Title", Description: "About", Content: "Text", Metadata: []byte(`{"k":"v"}`), ConnectionMetadata: []byte(`{"n":1}`)}
		type state struct{ title, description, content, metadata, connection string }
		was := state{"Title", "About", "Text", `{"k":"v"}`, `{"n":1}`}
		with := func(change func(s *state)) state {
			s := was
			change(&s)
			return s
		}
		type here func(b domain.BlockID, c domain.ConnectionID) error
		update := func(in collections.UpdateBlockInput) here {
			return func(b domain.BlockID, _ domain.ConnectionID) error {
				_, err := a.Collections.UpdateBlock(ctx, ada, b, in)
				return err
			}
		}
		for n, row := range []struct {
			name   string
			here   here
			there  func(in *transfer.ImportItemInput)
			as     domain.Actor
			became transfer.Brought
			want   state
			err    byte
		}{
			{"nothing", nil, func(*transfer.ImportItemInput) {}, ada, transfer.Unchanged, was, '+'},
			{"another title", nil, func(in *transfer.ImportItemInput) { in.Title = "New" }, ada, transfer.Changed, with(func(s *state) { s.title = "New" }), '+'},
			{"no title any more", nil, func(in *transfer.ImportItemInput) { in.Title = "" }, ada, transfer.Changed, with(func(s *state) { s.title = "" }), '+'},
			{"a title of this site", update(collections.UpdateBlockInput{Title: text("Mine")}), func(*transfer.ImportItemInput) {}, ada,
				transfer.Unchanged, with(func(s *state) { s.title = "Mine" }), '+'},
			{"a title of this site and another there", update(collections.UpdateBlockInput{Title: text("Mine")}), func(in *transfer.ImportItemInput) { in.Title = "New" }, ada,
				transfer.Unchanged, with(func(s *state) { s.title = "Mine" }), '+'},
			{"the same title here and there", update(collections.UpdateBlockInput{Title: text("New")}), func(in *transfer.ImportItemInput) { in.Title = "New" }, ada,
				transfer.Unchanged, with(func(s *state) { s.title = "New" }), '+'},
			{"a title here, a description there", update(collections.UpdateBlockInput{Title: text("Mine")}), func(in *transfer.ImportItemInput) { in.Description = "More" }, ada,
				transfer.Changed, with(func(s *state) { s.title, s.description = "Mine", "More" }), '+'},
			{"no description any more", nil, func(in *transfer.ImportItemInput) { in.Description = "" }, ada, transfer.Changed, with(func(s *state) { s.description = "" }), '+'},
			{"another text", nil, func(in *transfer.ImportItemInput) { in.Content = "Longer text" }, ada, transfer.Changed, with(func(s *state) { s.content = "Longer text" }), '+'},
			{"another text here and there", update(collections.UpdateBlockInput{Content: text("Mine")}), func(in *transfer.ImportItemInput) { in.Content = "Longer text" }, ada,
				transfer.Unchanged, with(func(s *state) { s.content = "Mine" }), '+'},
			{"an alternative text, without an image", nil, func(in *transfer.ImportItemInput) { in.AltText = text("A picture") }, ada, transfer.Unchanged, was, '+'},
			{"another key of metadata", nil, func(in *transfer.ImportItemInput) { in.Metadata = []byte(`{"l":"w"}`) }, ada,
				transfer.Changed, with(func(s *state) { s.metadata = `{"l":"w"}` }), '+'},
			{"no metadata any more", nil, func(in *transfer.ImportItemInput) { in.Metadata = nil }, ada, transfer.Changed, with(func(s *state) { s.metadata = "{}" }), '+'},
			{"metadata of this site and other there", update(collections.UpdateBlockInput{Metadata: []byte(`{"k":"mine"}`)}),
				func(in *transfer.ImportItemInput) { in.Metadata = []byte(`{"k":"w"}`) }, ada, transfer.Unchanged, with(func(s *state) { s.metadata = `{"k":"mine"}` }), '+'},
			{"metadata of the connection", nil, func(in *transfer.ImportItemInput) { in.ConnectionMetadata = []byte(`{"n":2}`) }, ada,
				transfer.Changed, with(func(s *state) { s.connection = `{"n":2}` }), '+'},
			{"metadata of the connection here and there", func(_ domain.BlockID, c domain.ConnectionID) error {
				_, err := a.Collections.UpdateConnection(ctx, ada, c, []byte(`{"n":9}`))
				return err
			}, func(in *transfer.ImportItemInput) { in.ConnectionMetadata = []byte(`{"n":2}`) }, ada, transfer.Unchanged, with(func(s *state) { s.connection = `{"n":9}` }), '+'},
			{"everything", nil, func(in *transfer.ImportItemInput) {
				in.Title, in.Description, in.Content, in.Metadata, in.ConnectionMetadata = "1", "2", "3", []byte(`{"k":"4"}`), []byte(`{"n":5}`)
			}, ada, transfer.Changed, state{"1", "2", "3", `{"k":"4"}`, `{"n":5}`}, '+'},
			{"with a token that reads", nil, func(in *transfer.ImportItemInput) { in.Title = "New" }, reader, transfer.Unchanged, was, 'f'},
			{"as a guest", nil, func(in *transfer.ImportItemInput) { in.Title = "New" }, domain.Actor{}, transfer.Unchanged, was, 'f'},
		} {
			i := newImported(w, ada, fmt.Sprint("https://source", n), domain.Private, false)
			item := func(change func(in *transfer.ImportItemInput)) *transfer.PreparedItem {
				in := first
				change(&in)
				return prepared(t, in)
			}
			known := func(as domain.Actor) transfer.Known {
				all, err := a.Transfer.KnownItems(ctx, as, i.origin, i.id, []*transfer.PreparedItem{item(func(*transfer.ImportItemInput) {})})
				w.must(err)
				return all[0]
			}
			made, err := a.Transfer.ImportItems(ctx, ada, i.origin, i.id, []*transfer.PreparedItem{item(func(*transfer.ImportItemInput) {})}, transfer.Spot{})
			w.must(err)
			c := made[0].Connection
			block := domain.BlockID(known(ada).Block.Local)
			if row.here != nil {
				w.must(row.here(block, c))
			}
			read := func() (s state) {
				b, err := a.Collections.Block(ctx, ada, block)
				w.must(err)
				conn, err := a.Collections.Connection(ctx, ada, c)
				w.must(err)
				if b.Title != nil {
					s.title = *b.Title
				}
				if b.Description != nil {
					s.description = b.Description.Markdown
				}
				s.content, s.metadata, s.connection = b.Content.Markdown, string(b.Metadata), string(conn.Metadata)
				return s
			}
			became, err := a.Transfer.ChangeItem(ctx, row.as, i.origin, i.id, item(row.there), known(ada), false)
			if outcome(err) != row.err || became != row.became || read() != row.want {
				t.Errorf("%s: %v, %v, %+v; want %v, %+v", row.name, became, err, read(), row.became, row.want)
			}
			if row.err != '+' {
				continue
			}
			again := w.rows("activities", "notifications")
			if became, err := a.Transfer.ChangeItem(ctx, ada, i.origin, i.id, item(row.there), known(ada), false); err != nil || became != transfer.Unchanged || read() != row.want {
				t.Errorf("%s, again: %v, %v, %+v", row.name, became, err, read())
			}
			if !slices.Equal(again, w.rows("activities", "notifications")) {
				t.Errorf("%s: somebody was notified", row.name)
			}
		}
	})
}

// A change of an item that was removed here, that everybody can see, or that is nested.
func TestChangesOfImportedItemsElsewhere(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a, w.ctx()
		w.first("op")
		ada := w.member("ada")
		title := func(i *imported) string {
			b, err := w.S.Store.Blocks().AnyBlock(ctx, i.blocks['b'])
			w.must(err)
			if b.Title == nil {
				return ""
			}
			return *b.Title
		}
		renamed := func() *transfer.PreparedItem { return prepared(t, transfer.ImportItemInput{ID: "b", Title: "New"}) }
		described := func() *transfer.PreparedItem {
			return prepared(t, transfer.ImportItemInput{ID: "b", ConnectionMetadata: []byte(`{"n":2}`)})
		}
		for n, row := range []struct {
			name       string
			visibility domain.Visibility
			private    bool
			before     func(i *imported)
			item       func() *transfer.PreparedItem
			became     transfer.Brought
			title      string
		}{
			{"a private import of a private block", domain.Private, true, nil, renamed, transfer.Changed, "New"},
			{"a private import of a closed block", domain.Closed, true, nil, renamed, transfer.Unchanged, ""},
			{"a private import of a public block", domain.Public, true, nil, renamed, transfer.Unchanged, ""},
			{"another import of a public block", domain.Public, false, nil, renamed, transfer.Changed, "New"},
			{"a private import of a block that is in a public channel as well", domain.Private, true, func(i *imported) {
				elsewhere := storetest.Channel(t, w.S.Store, ada.UserID, "Elsewhere", domain.Public)
				_, err := a.Collections.Connect(ctx, ada, domain.BlockRef(i.blocks['b']), []collections.Target{{Channel: domain.Ref{ID: int64(elsewhere)}}})
				w.must(err)
			}, renamed, transfer.Unchanged, ""},
			{"removed from the channel, another title", domain.Private, false, func(i *imported) {
				w.must(a.Collections.DeleteConnection(ctx, ada, i.conns['b']))
			}, renamed, transfer.Changed, "New"},
			{"removed from the channel, other metadata", domain.Private, false, func(i *imported) {
				w.must(a.Collections.DeleteConnection(ctx, ada, i.conns['b']))
			}, described, transfer.Removed, ""},
			{"deleted, another title", domain.Private, false, func(i *imported) {
				w.must(a.Collections.DeleteBlock(ctx, ada, i.blocks['b']))
			}, renamed, transfer.Removed, "-"},
			{"deleted, other metadata", domain.Private, false, func(i *imported) {
				w.must(a.Collections.DeleteBlock(ctx, ada, i.blocks['b']))
			}, described, transfer.Removed, "-"},
		} {
			i := newImported(w, ada, fmt.Sprint("https://source", n), row.visibility, false)
			i.imports("b")
			known, err := a.Transfer.KnownItems(ctx, ada, i.origin, i.id, []*transfer.PreparedItem{row.item()})
			w.must(err)
			if row.before != nil {
				row.before(i)
			}
			became, err := a.Transfer.ChangeItem(ctx, ada, i.origin, i.id, row.item(), known[0], row.private)
			if err != nil || became != row.became || row.title != "-" && title(i) != row.title {
				t.Errorf("%s: %v, %v", row.name, became, err)
			}
		}
		// An item in two channels of the source is changed by the first of them.
		i := newImported(w, ada, "https://both", domain.Private, false)
		i.imports("b")
		stale, err := a.Transfer.KnownItems(ctx, ada, i.origin, i.id, []*transfer.PreparedItem{renamed()})
		w.must(err)
		for n, want := range []transfer.Brought{transfer.Changed, transfer.Unchanged} {
			if became, err := a.Transfer.ChangeItem(ctx, ada, i.origin, i.id, renamed(), stale[0], false); err != nil || became != want {
				t.Errorf("channel %d: %v, %v", n, became, err)
			}
		}
		// Only the connection of a nested channel is changed.
		nested, _, err := a.Transfer.ImportChannel(ctx, ada, i.origin, transfer.ImportChannelInput{ID: "n", Title: "Nested"})
		w.must(err)
		item := func(metadata string) *transfer.PreparedItem {
			return prepared(t, transfer.ImportItemInput{ID: "n", Nested: true, Title: "Another", ConnectionMetadata: []byte(metadata)})
		}
		made, err := a.Transfer.ImportItems(ctx, ada, i.origin, i.id, []*transfer.PreparedItem{item(`{"n":1}`)}, transfer.Spot{})
		w.must(err)
		for _, row := range []struct {
			metadata string
			became   transfer.Brought
		}{{`{"n":1}`, transfer.Unchanged}, {`{"n":2}`, transfer.Changed}, {`{"n":2}`, transfer.Unchanged}} {
			known, err := a.Transfer.KnownItems(ctx, ada, i.origin, i.id, []*transfer.PreparedItem{item(row.metadata)})
			w.must(err)
			became, err := a.Transfer.ChangeItem(ctx, ada, i.origin, i.id, item(row.metadata), known[0], false)
			if c, failed := a.Collections.Connection(ctx, ada, made[0].Connection); err != nil || became != row.became || failed != nil || string(c.Metadata) != row.metadata {
				t.Errorf("nested, %s: %v, %v, %+v, %v", row.metadata, became, err, c.Connection, failed)
			}
		}
		if c, err := a.Collections.Channel(ctx, ada, domain.Ref{ID: int64(nested)}); err != nil || c.Title != "Nested" {
			t.Errorf("%+v, %v", c, err)
		}
	})
}

// Channels and items of an earlier import are found under the names of the source.
func TestKnownFromEarlierImports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		i := newImported(w, ada, "https://source", domain.Private, false)
		i.imports("ab")
		for _, row := range []struct {
			name   string
			as     domain.Actor
			origin string
			id     string
			found  bool
		}{
			{"its importer", ada, i.origin, "c", true},
			{"another id", ada, i.origin, "C", false},
			{"another source", ada, "https://other", "c", false},
			{"somebody else", bob, i.origin, "c", false},
		} {
			if c, err := a.KnownChannel(ctx, row.as, row.origin, row.id); err != nil || (c.ID == i.id) != row.found || !row.found && c.ID != 0 {
				t.Errorf("%s: %+v, %v", row.name, c, err)
			}
		}
		for _, row := range []struct {
			name, id, former, want string
			as                     domain.Actor
		}{
			{"no former id", "x", "", "x", ada},
			{"imported under the former id", "x", "a", "a", ada},
			{"never imported", "x", "y", "x", ada},
			{"imported by somebody else", "x", "a", "x", bob},
		} {
			items := []*transfer.PreparedItem{prepared(t, transfer.ImportItemInput{ID: row.id, FormerID: row.former}), prepared(t, transfer.ImportItemInput{ID: "other"})}
			if err := a.UseFormerIDs(ctx, row.as, i.origin, items); err != nil || items[0].ID != row.want || items[1].ID != "other" {
				t.Errorf("%s: %s, %s, %v", row.name, items[0].ID, items[1].ID, err)
			}
		}
		w.must(w.a.Collections.DeleteChannel(ctx, ada, i.ref()))
		if c, err := a.KnownChannel(ctx, ada, i.origin, "c"); err != nil || c.ID != 0 {
			t.Errorf("a deleted channel: %+v, %v", c, err)
		}
	})
}
