package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/storetest"
)

// hiding records that a thing of a user is hidden.
func hiding(t *testing.T, s *store.Store, kind string, id int64, of domain.UserID) (h moderation.HidingID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) error {
		got, err := tx.Hiding().RecordHidden(t.Context(), moderation.HiddenSubject{About: domain.AuditTarget{Kind: kind, ID: id}, OwnerID: of, CreatedAt: minutes(0)})
		h = got.ID
		return err
	})
	return h
}

// putAway hides a connection with a thing.
func putAway(t *testing.T, s *store.Store, under moderation.HidingID, id domain.ConnectionID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) error {
		c, err := tx.Contents().Connection(t.Context(), id)
		if err != nil {
			return err
		}
		if err := tx.Channels().LockChannels(t.Context(), c.ChannelID); err != nil {
			return err
		}
		return tx.Hiding().PutAway(t.Context(), under, c)
	})
}

// putBack shows all connections that are hidden with a thing.
func putBack(t *testing.T, s *store.Store, under moderation.HidingID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) error {
		kept, err := tx.Hiding().Kept(t.Context(), under, 100)
		for _, k := range kept {
			lock := []domain.ChannelID{k.Channel}
			if k.Item.Type == domain.ItemChannel {
				lock = append(lock, domain.ChannelID(k.Item.ID))
			}
			if err := tx.Channels().LockChannels(t.Context(), lock...); err != nil {
				return err
			}
			if err := tx.Hiding().PutBack(t.Context(), k); err != nil {
				return err
			}
		}
		return err
	})
}

// letters lists the items of a channel for its owner from the bottom, by their letters.
func letters(t *testing.T, s *store.Store, viewer domain.UserID, channel domain.ChannelID, names map[domain.ItemRef]string) (all string) {
	t.Helper()
	items, positions := listed(t, s, viewer, channel)
	for i, item := range items {
		if positions[i] != int64(i+1) && viewer != 0 {
			t.Errorf("item %d is at %d", i, positions[i])
		}
		all += names[item]
	}
	return all
}

// A hidden connection returns to its place, even if the channel has changed in the meantime.
func TestHiddenConnectionsComeBack(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		for i, row := range []struct {
			name   string
			hidden string // of abCd from the bottom; C is a private channel of ada
			then   func(here domain.ChannelID, conns map[string]domain.ConnectionID)
			away   string // while it is hidden
			back   string
			guest  string // what a guest sees then
		}{
			{"one", "b", nil, "aCd", "abCd", "abd"},
			{"the lowest", "a", nil, "bCd", "abCd", "abd"},
			{"the highest", "d", nil, "abC", "abCd", "abd"},
			{"a private channel", "C", nil, "abd", "abCd", "abd"},
			{"all", "abCd", nil, "", "abCd", "abd"},
			{"next to one another", "bC", nil, "ad", "abCd", "abd"},
			{"a neighbour was removed", "b", func(_ domain.ChannelID, conns map[string]domain.ConnectionID) { storetest.Disconnect(t, s, conns["a"]) }, "Cd", "bCd", "bd"},
			{"the channel became private", "b", func(here domain.ChannelID, _ map[string]domain.ConnectionID) {
				storetest.SetVisibility(t, s, ada, here, domain.Private)
			}, "aCd", "abCd", "-"},
			{"it became private and public again", "b", func(here domain.ChannelID, _ map[string]domain.ConnectionID) {
				for _, v := range []domain.Visibility{domain.Private, domain.Public} {
					storetest.SetVisibility(t, s, ada, here, v)
				}
			}, "aCd", "abCd", "abd"},
			{"the others were turned round", "b", func(here domain.ChannelID, conns map[string]domain.ConnectionID) {
				storetest.In(t, s, func(tx *store.Tx) error {
					if err := tx.Channels().LockChannels(ctx, here); err != nil {
						return err
					}
					held, err := tx.Contents().HeldByID(ctx, here, []domain.ConnectionID{conns["a"], conns["C"], conns["d"]})
					if err != nil {
						return err
					}
					_, err = tx.Connections().Arrange(ctx, here, []store.Held{held[conns["d"]], held[conns["C"]], held[conns["a"]]}, minutes(3))
					return err
				})
			}, "dCa", "dbCa", "dba"},
		} {
			here := storetest.Channel(t, s, ada, fmt.Sprint("Here ", i), domain.Public)
			names, conns, was := map[domain.ItemRef]string{}, map[string]domain.ConnectionID{}, map[string]domain.Connection{}
			for _, letter := range strings.Split("abCd", "") {
				item, by := domain.BlockRef(storetest.Block(t, s, bob, letter)), ada
				if letter == "C" {
					item = domain.ChannelRef(storetest.Channel(t, s, ada, "Private", domain.Private))
				}
				names[item] = letter
				conns[letter] = storetest.Connect(t, s, by, here, item, 0)
				c, err := s.Contents().Connection(ctx, conns[letter])
				if err != nil {
					t.Fatal(err)
				}
				was[letter] = c
			}
			under := hiding(t, s, "User", int64(bob)+int64(i)*1000+1, bob)
			for _, letter := range strings.Split(row.hidden, "") {
				putAway(t, s, under, conns[letter])
			}
			if row.then != nil {
				row.then(here, conns)
			}
			if got := letters(t, s, ada, here, names); got != row.away {
				t.Errorf("%s: without it %s, want %s", row.name, got, row.away)
			}
			storetest.Check(t, s)
			putBack(t, s, under)
			if got := letters(t, s, ada, here, names); got != row.back {
				t.Errorf("%s: with it %s, want %s", row.name, got, row.back)
			}
			_, err := s.Channels().Channel(ctx, 0, domain.Ref{ID: int64(here)})
			if row.guest == "-" {
				want(t, row.name+", for a guest", domain.NotFound, err)
			} else if got := letters(t, s, 0, here, names); got != row.guest {
				t.Errorf("%s: a guest sees %s, want %s", row.name, got, row.guest)
			}
			for _, letter := range strings.Split(row.hidden, "") {
				c, err := s.Contents().Connection(ctx, conns[letter])
				if err != nil || !c.CreatedAt.Equal(was[letter].CreatedAt) || c.Maker.ID != int64(ada) || c.Version <= was[letter].Version || c.Item != was[letter].Item {
					t.Errorf("%s: %s is %+v, was %+v, %v", row.name, letter, c, was[letter], err)
				}
			}
			if n := count(t, db, "hidden_connections"); n != 0 {
				t.Errorf("%s: %d stay hidden", row.name, n)
			}
			storetest.Check(t, s)
		}
		storetest.Exec(t, db, "DELETE FROM hidden_things")
	})
}

// A hidden comment does not count, comes back with a new version, and can move to another reason.
func TestHiddenComments(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		first, second := storetest.Block(t, s, ada, "first"), storetest.Block(t, s, ada, "second")
		var all []moderation.HiddenComment
		for n, block := range []domain.BlockID{second, first, second, first} {
			all = append(all, moderation.HiddenComment{Comment: storetest.Comment(t, s, bob, block, fmt.Sprint("Comment ", n)), Block: block})
		}
		comment, person := hiding(t, s, "Comment", int64(all[0].Comment), bob), hiding(t, s, "User", int64(bob), bob)
		act := func(c moderation.HiddenComment, do func(tx *store.Tx) error) error {
			return s.InTx(ctx, func(tx *store.Tx) error {
				if err := tx.Blocks().LockBlock(ctx, c.Block); err != nil {
					return err
				}
				return do(tx)
			})
		}
		keep := func(n int, under moderation.HidingID) func() error {
			return func() error {
				return act(all[n], func(tx *store.Tx) error { return tx.Hiding().KeepComment(ctx, under, all[n]) })
			}
		}
		back := func(n int) func() error {
			return func() error {
				return act(all[n], func(tx *store.Tx) error { return tx.Hiding().PutCommentBack(ctx, all[n]) })
			}
		}
		move := func(n int, under moderation.HidingID) func() error {
			return func() error {
				return act(all[n], func(tx *store.Tx) error { return tx.Hiding().KeepCommentFor(ctx, all[n].Comment, under) })
			}
		}
		kept := func(under moderation.HidingID) (ns string) {
			t.Helper()
			some, err := s.Hiding().KeptComments(ctx, under, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range some {
				ns += fmt.Sprint(slices.Index(all, c))
			}
			return ns
		}
		was, err := s.Comments().Comment(ctx, all[0].Comment)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			name            string
			do              func() error
			fine            bool
			withIt, withBob string // the comments hidden with it, and with bob, by block
			counts          [2]int64
		}{
			{"one", keep(0, comment), true, "0", "", [2]int64{2, 1}},
			{"again", keep(0, comment), false, "0", "", [2]int64{2, 1}},
			{"others with their author", keep(2, person), true, "0", "2", [2]int64{2, 0}},
			{"of another block", keep(1, person), true, "0", "12", [2]int64{1, 0}},
			{"the first with its author, too", move(0, person), true, "", "102", [2]int64{1, 0}},
			{"one that is not hidden", move(3, person), false, "", "102", [2]int64{1, 0}},
			{"shown", back(0), true, "", "12", [2]int64{1, 1}},
			{"shown again", back(0), true, "", "12", [2]int64{1, 1}},
			{"one that was never hidden", back(3), true, "", "12", [2]int64{1, 1}},
		} {
			if err := row.do(); (err == nil) != row.fine || err != nil && domain.KindOf(err) != domain.NotFound {
				t.Errorf("%s: %v", row.name, err)
			}
			a, err := s.Blocks().AnyBlock(ctx, first)
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.Blocks().AnyBlock(ctx, second)
			if err != nil || a.Comments != row.counts[0] || b.Comments != row.counts[1] || kept(comment) != row.withIt || kept(person) != row.withBob {
				t.Errorf("%s: %d and %d comments, hidden %s and %s, %v", row.name, a.Comments, b.Comments, kept(comment), kept(person), err)
			}
		}
		is, err := s.Comments().Comment(ctx, all[0].Comment)
		if err != nil || is.Body != was.Body || !is.CreatedAt.Equal(was.CreatedAt) || is.Version != was.Version+1 || is.Author.PrincipalRef != was.Author.PrincipalRef {
			t.Errorf("%+v, was %+v, %v", is, was, err)
		}
		by, on, text, err := s.Hiding().KeptComment(ctx, all[1].Comment)
		if err != nil || by != int64(bob) || on != first || text != "Comment 1" {
			t.Errorf("%d, %d, %q, %v", by, on, text, err)
		}
		_, _, _, err = s.Hiding().KeptComment(ctx, all[0].Comment)
		want(t, "a comment that is shown", domain.NotFound, err)
		// A block takes its hidden comments with it, and so does their author.
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Blocks().DeleteBlock(ctx, first, minutes(5)) })
		if got := kept(person); got != "2" {
			t.Errorf("hidden %s", got)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			gone, err := tx.Hiding().ForgetHiddenOf(ctx, bob)
			if !slices.Equal(gone, []int64{int64(all[2].Comment)}) {
				t.Errorf("forgot %v", gone)
			}
			return err
		})
		if n, m := count(t, db, "hidden_things"), count(t, db, "hidden_comments"); n != 0 || m != 0 {
			t.Errorf("%d things and %d comments are left", n, m)
		}
	})
}

// The lists for hiding a person contain their items in the channels of others, and their own channels.
func TestWhatOfAPersonIsHidden(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, _ *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		guild, others := storetest.Group(t, s, "Guild", bob, ada), storetest.Group(t, s, "Others", ada, bob)
		own, private := storetest.Channel(t, s, bob, "Own", domain.Public), storetest.Channel(t, s, bob, "Private", domain.Private)
		ours := storetest.OwnedChannel(t, s, domain.GroupRef(guild), bob, "Ours", domain.Closed)
		adasIn := storetest.OwnedChannel(t, s, domain.GroupRef(guild), ada, "By ada", domain.Closed)
		theirs := storetest.OwnedChannel(t, s, domain.GroupRef(others), bob, "Theirs", domain.Public)
		open, secret := storetest.Channel(t, s, ada, "Open", domain.Public), storetest.Channel(t, s, ada, "Secret", domain.Private)
		gone := storetest.Channel(t, s, ada, "Gone", domain.Public)
		home, spread, hidden, adas := storetest.Block(t, s, bob, "home"), storetest.Block(t, s, bob, "spread"), storetest.Block(t, s, bob, "hidden"), storetest.Block(t, s, ada, "ada's")
		storetest.Connect(t, s, bob, own, domain.BlockRef(home), 0)
		storetest.Connect(t, s, bob, own, domain.BlockRef(spread), 0)
		storetest.Connect(t, s, ada, open, domain.BlockRef(spread), 0)
		storetest.Connect(t, s, ada, secret, domain.BlockRef(hidden), 0)
		added := storetest.Connect(t, s, bob, open, domain.BlockRef(adas), 0)
		addedChannel := storetest.Connect(t, s, bob, open, domain.ChannelRef(own), 0)
		storetest.Connect(t, s, bob, gone, domain.BlockRef(home), 0)
		storetest.Connect(t, s, bob, theirs, domain.BlockRef(adas), 0)
		storetest.Delete(t, s, ada, gone)
		h := s.Hiding()
		for _, row := range []struct {
			name string
			got  func() (any, error)
			want any
		}{
			{"blocks in the channels of others", func() (any, error) { return h.SpreadBlocks(ctx, bob, 0, 10) }, []domain.BlockID{spread, hidden}},
			{"the first of them", func() (any, error) { return h.SpreadBlocks(ctx, bob, 0, 1) }, []domain.BlockID{spread}},
			{"those after it", func() (any, error) { return h.SpreadBlocks(ctx, bob, spread, 10) }, []domain.BlockID{hidden}},
			{"channels with a block", func() (any, error) { return h.ChannelsWith(ctx, spread, 0, 10) }, []domain.ChannelID{own, open}},
			{"channels with a block, except his", func() (any, error) { return h.ChannelsWith(ctx, spread, bob, 10) }, []domain.ChannelID{open}},
			{"channels with a block, in a deleted one", func() (any, error) { return h.ChannelsWith(ctx, home, bob, 10) }, []domain.ChannelID(nil)},
			{"channels of others that he added to", func() (any, error) { return h.AddedTo(ctx, bob, 0, 10) }, []domain.ChannelID{theirs, open}},
			{"those after one", func() (any, error) { return h.AddedTo(ctx, bob, theirs, 10) }, []domain.ChannelID{open}},
			{"what he added to one", func() (any, error) { return h.AddedBy(ctx, bob, open, 10) }, []domain.ConnectionID{added, addedChannel}},
			{"the lowest that he added", func() (any, error) { return h.AddedBy(ctx, bob, open, 1) }, []domain.ConnectionID{added}},
			{"his open channels", func() (any, error) { return h.OpenChannels(ctx, bob, 0, 10) }, []domain.ChannelID{own, ours}},
			{"those after one of his", func() (any, error) { return h.OpenChannels(ctx, bob, own, 10) }, []domain.ChannelID{ours}},
			{"the first of his", func() (any, error) { return h.OpenChannels(ctx, bob, 0, 1) }, []domain.ChannelID{own}},
		} {
			got, err := row.got()
			if err != nil || fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("%s: %v, %v, want %v (private %d, by ada %d)", row.name, got, err, row.want, private, adasIn)
			}
		}
	})
}

// Odd texts survive each mapping between rows and values, and both ways of reading blocks.
func TestOddTexts(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, _ *database.DB) {
		ctx, ada := t.Context(), storetest.User(t, s, "Ada")
		for name, odd := range oddTexts {
			text := &domain.Text{Markdown: odd, HTML: "<p>" + odd, Plain: odd + "."}
			metadata := domain.Metadata(fmt.Sprintf(`{"k":%q}`, "v"))
			address := "https://example.org/?q=1"
			block := domain.Block{Type: domain.EmbedBlock, State: domain.Available, Author: domain.Principal{PrincipalRef: domain.UserRef(ada)}, Title: &odd, Description: text,
				ValueURL: &address, SourceURL: &address, BlockTexts: domain.BlockTexts{AltText: &odd, SourceTitle: &odd}, Metadata: metadata,
				Embed: &domain.Embed{URL: address, Type: "video", Title: odd, AuthorName: odd, HTML: odd, Width: 1 << 40, Height: 1}}
			if odd != "" {
				block.Content = text
			}
			var id domain.BlockID
			var channel domain.ChannelID
			var connection domain.ConnectionID
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				if id, err = tx.Blocks().CreateBlock(ctx, block, minutes(0)); err != nil {
					return err
				}
				slug, err := tx.Slugs().SlugFor(ctx, store.ChannelSlug, "odd "+name, minutes(0))
				if err != nil {
					return err
				}
				channel, err = tx.Channels().CreateChannel(ctx, store.NewChannel{Slug: slug, Title: odd, Description: text, Metadata: metadata, Visibility: domain.Public, Owner: domain.UserRef(ada), UserID: ada, Now: minutes(0)})
				if err != nil {
					return err
				}
				c, err := tx.Channels().Channel(ctx, ada, domain.Ref{ID: int64(channel)})
				if err != nil {
					return err
				}
				made, _, err := tx.Connections().Connect(ctx, store.NewConnection{Channel: c, Item: domain.BlockRef(id), UserID: ada, Metadata: metadata, Now: minutes(0)})
				connection = made.ID
				return err
			})
			same := func(how string, b domain.Block) {
				t.Helper()
				if *b.Title != odd || *b.Description != *text || *b.AltText != odd || *b.SourceTitle != odd || b.Metadata != metadata || *b.Embed != *block.Embed ||
					*b.SourceURL != address || (b.Content == nil) != (odd == "") || b.Content != nil && *b.Content != *text {
					t.Errorf("%s, %s: %+v, %+v", name, how, b, b.Embed)
				}
			}
			one, err := s.Blocks().AnyBlock(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			same("read by its id", one)
			many, err := s.Blocks().BlocksByID(ctx, []domain.BlockID{id})
			if err != nil {
				t.Fatal(err)
			}
			same("in a list", *many[id])
			if c, err := s.Channels().Channel(ctx, 0, domain.Ref{ID: int64(channel)}); err != nil || c.Title != odd || *c.Description != *text || c.Metadata != metadata {
				t.Errorf("%s: the channel is %+v, %v", name, c, err)
			}
			if c, err := s.Contents().Connection(ctx, connection); err != nil || c.Metadata != metadata {
				t.Errorf("%s: the connection is %+v, %v", name, c, err)
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				f := domain.File{Key: "key " + name, Owner: ada, BlobID: storedBlob(t, tx, "same", minutes(0)), Name: odd, ContentType: odd, Extension: odd, Size: 7, Width: 1, Blurhash: &odd, Resized: odd, Animated: true, KeepsMetadata: true}
				fid, err := tx.Blobs().AddFile(ctx, f, minutes(0))
				if err != nil {
					return err
				}
				got, err := tx.Blobs().FileByKey(ctx, f.Key)
				if got.Name != odd || got.ContentType != odd || got.Extension != odd || *got.Blurhash != odd || got.Resized != odd || !got.Animated || !got.KeepsMetadata ||
					got.Width != 1 || got.Height != 0 || got.ID != fid || got.CleanSize != domain.CleanUnknown || got.CleanPlanned || !got.CreatedAt.Equal(minutes(0)) {
					t.Errorf("%s: the file is %+v", name, got)
				}
				is := one
				is.Image = &got
				if err != nil {
					return err
				}
				return tx.Blocks().FillBlock(ctx, one, is, minutes(1)) // so that the file is shown
			})
			if odd == "" {
				continue
			}
			var comment domain.CommentID
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				comment, err = tx.Comments().CreateComment(ctx, id, ada, *text, minutes(0))
				return err
			})
			if c, err := s.Comments().Comment(ctx, comment); err != nil || c.Body != *text || c.Author.Slug != "ada" {
				t.Errorf("%s: the comment is %+v, %v", name, c, err)
			}
		}
	})
}

// Comments of a block are paged, counted up to each, and listed by their latest authors.
func TestCommentsOfBlocks(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob, cem := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Cem")
		block, other := storetest.Block(t, s, ada, "block"), storetest.Block(t, s, ada, "other")
		say := func(by domain.UserID, on domain.BlockID, at int) (id domain.CommentID) {
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				if err := tx.Blocks().LockBlock(ctx, on); err != nil {
					return err
				}
				id, err = tx.Comments().CreateComment(ctx, on, by, domain.Text{Markdown: "x", HTML: "x", Plain: "x"}, minutes(at))
				return err
			})
			return id
		}
		ids := []domain.CommentID{say(ada, block, 0), say(bob, block, 5), say(cem, block, 5), say(ada, block, 5), say(bob, block, 9)}
		say(cem, other, 20)
		list := func(on domain.BlockID, desc bool, number, per int64) (got []int, total int64) {
			err := s.InSnapshot(ctx, func(v *store.Snapshot) error {
				b, err := v.Blocks().AnyBlock(ctx, on)
				if err != nil {
					return err
				}
				l, err := v.Comments().Comments(ctx, b, desc, domain.Page{Number: number, Per: per})
				for _, c := range l.Items {
					got = append(got, slices.Index(ids, c.ID))
				}
				total = l.Total
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return got, total
		}
		for _, row := range []struct {
			desc        bool
			number, per int64
			want        []int
		}{
			{false, 1, 10, []int{0, 1, 2, 3, 4}}, {true, 1, 10, []int{4, 3, 2, 1, 0}}, {false, 2, 2, []int{2, 3}}, {true, 2, 2, []int{2, 1}}, {false, 3, 2, []int{4}}, {false, 4, 2, nil},
		} {
			if got, total := list(block, row.desc, row.number, row.per); !slices.Equal(got, row.want) || total != 5 {
				t.Errorf("%+v: %v of %d", row, got, total)
			}
		}
		for limit, want := range map[int][]domain.UserID{1: {bob}, 2: {bob, ada}, 10: {bob, ada, cem}} {
			if got, err := s.Comments().LatestCommenters(ctx, block, limit); err != nil || !slices.Equal(got, want) {
				t.Errorf("the latest %d: %v, %v, want %v", limit, got, err, want)
			}
		}
		for n, id := range ids {
			c, err := s.Comments().Comment(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if up, err := s.Comments().CommentsUpTo(ctx, c); err != nil || up != int64(n+1) {
				t.Errorf("up to %d: %d, %v", n, up, err)
			}
		}
		if some, err := s.Comments().CommentsByID(ctx, []domain.CommentID{ids[0], ids[4], 1 << 40}); err != nil || len(some) != 2 || some[ids[4]].Author.ID != int64(bob) {
			t.Errorf("%+v, %v", some, err)
		}
		// Comments of a user go in batches, and those written and deleted at once leave the right count.
		for _, left := range []int64{5, 4, 4} {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Comments().DeleteComments(ctx, cem, 1) })
			if n := count(t, db, "comments"); n != left {
				t.Errorf("%d comments are left, want %d", n, left)
			}
		}
		var all sync.WaitGroup
		for n := range 6 {
			all.Go(func() {
				if n%2 == 0 {
					if err := s.InTx(ctx, func(tx *store.Tx) error { return tx.Comments().DeleteComments(ctx, ada, 10) }); err != nil {
						t.Error(err)
					}
					return
				}
				say(bob, block, 30+n)
			})
		}
		all.Wait()
		if _, total := list(block, false, 1, 10); total != 5 || count(t, db, "comments WHERE block_id = $1", block) != 5 {
			t.Errorf("%d comments, %d rows", total, count(t, db, "comments WHERE block_id = $1", block))
		}
	})
}

// What lists show of a channel, and its ends, by what each viewer may see of it.
func TestDetailsAndEndsOfChannels(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, _ *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		here, secret, empty := storetest.Channel(t, s, ada, "Here", domain.Public), storetest.Channel(t, s, ada, "Secret", domain.Private), storetest.Channel(t, s, ada, "Empty", domain.Closed)
		names := map[domain.ConnectionID]string{}
		for n, letter := range strings.Split("aBcDe", "") {
			item, by := domain.BlockRef(storetest.Block(t, s, ada, letter)), ada
			if letter == "B" || letter == "D" {
				owner := map[string]domain.UserID{"B": ada, "D": bob}[letter]
				item, by = domain.ChannelRef(storetest.Channel(t, s, owner, "Private", domain.Private)), owner
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				lock := []domain.ChannelID{here}
				if item.Type == domain.ItemChannel {
					lock = append(lock, domain.ChannelID(item.ID))
				}
				if err := tx.Channels().LockChannels(ctx, lock...); err != nil {
					return err
				}
				c, err := tx.Channels().Channel(ctx, by, domain.Ref{ID: int64(here)})
				if err != nil {
					return err
				}
				made, _, err := tx.Connections().Connect(ctx, store.NewConnection{Channel: c, Item: item, UserID: by, Now: minutes([]int{1, 2, 3, 9, 5}[n])})
				names[made.ID] = letter
				return err
			})
		}
		storetest.Follow(t, s, bob, storetest.ChannelSubject(here))
		all := []domain.ChannelID{here, secret, empty, 1 << 40, here}
		for _, row := range []struct {
			name     string
			viewer   domain.UserID
			channels int
			addedAt  int // minutes
			private  int64
			top, low string // the three highest and lowest
		}{
			{"a guest", 0, 2, 5, 0, "eca", "ace"},
			{"ada", ada, 3, 5, 1, "ecB", "aBc"},
			{"bob", bob, 2, 9, 1, "eDc", "acD"},
		} {
			found, err := s.Nearby().ChannelDetails(ctx, row.viewer, all)
			// Times of connecting grow, so the last one may be later than its clock.
			if err != nil || len(found) != row.channels || found[here].Private != row.private || found[here].Followers != 1 || !found[empty].AddedAt.IsZero() ||
				found[here].AddedAt.Before(minutes(row.addedAt)) {
				t.Errorf("%s: %+v, %v", row.name, found, err)
			}
			for _, highest := range []bool{true, false} {
				for n := 1; n <= 3; n++ {
					ends, err := s.Nearby().Ends(ctx, row.viewer, all, n, highest)
					got := ""
					for _, id := range ends[here] {
						got += names[id]
					}
					want := map[bool]string{true: row.top, false: row.low}[highest][:n]
					if err != nil || got != want || len(ends[empty]) != 0 || len(ends[secret]) != 0 {
						t.Errorf("%s, %d of the highest %v: %s, want %s, %v", row.name, n, highest, got, want, err)
					}
				}
			}
		}
		for _, call := range []func() (int, error){
			func() (int, error) { found, err := s.Nearby().ChannelDetails(ctx, ada, nil); return len(found), err },
			func() (int, error) { found, err := s.Nearby().Ends(ctx, ada, nil, 3, true); return len(found), err },
		} {
			if n, err := call(); n != 0 || err != nil {
				t.Errorf("of no channels: %d, %v", n, err)
			}
		}
	})
}

// Pages of a channel in each order, from both ends, have each visible item once, however large they are.
func TestPagesOfEachOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		here := storetest.Channel(t, s, ada, "Here", domain.Public)
		for n := range 11 {
			item, by := domain.BlockRef(storetest.Block(t, s, ada, fmt.Sprint(n))), ada
			switch n % 4 {
			case 1:
				item = domain.ChannelRef(storetest.Channel(t, s, ada, fmt.Sprint("Ada's ", n), domain.Private))
			case 3:
				item, by = domain.ChannelRef(storetest.Channel(t, s, bob, fmt.Sprint("Bob's ", n), domain.Private)), bob
			}
			storetest.Connect(t, s, by, here, item, int64(n/2))
		}
		for name, viewer := range map[string]domain.UserID{"a guest": 0, "ada": ada, "bob": bob} {
			total := map[string]int64{"a guest": 6, "ada": 9, "bob": 8}[name]
			for _, key := range []domain.ContentKey{domain.ByPosition, domain.ByConnected, domain.ByUpdated} {
				var forward []domain.ConnectionID
				for _, desc := range []bool{false, true} {
					for _, per := range []int64{1, 2, 5, 100} {
						var got []domain.ConnectionID
						err := s.InSnapshot(ctx, func(v *store.Snapshot) error {
							c, err := v.Channels().Channel(ctx, viewer, domain.Ref{ID: int64(here)})
							if err != nil {
								return err
							}
							for number := int64(1); number <= total/per+2; number++ {
								l, err := v.Contents().Contents(ctx, contents.Query{Viewer: viewer, Channel: c, Sort: domain.ContentSort{Key: key, Desc: desc}, Page: domain.Page{Number: number, Per: per}})
								if err != nil {
									return err
								}
								if l.Total != total {
									t.Errorf("%s, order %d, page %d of %d: the total is %d", name, key, number, per, l.Total)
								}
								for _, c := range l.Items {
									got = append(got, c.ID)
								}
							}
							return nil
						})
						if err != nil {
							t.Fatal(err)
						}
						if desc {
							slices.Reverse(got)
						}
						if forward == nil {
							forward = got
						}
						if int64(len(got)) != total || !slices.Equal(got, forward) {
							t.Errorf("%s, order %d, descending %v, pages of %d: %v, want %v", name, key, desc, per, got, forward)
						}
					}
				}
			}
		}
	})
}

// Concurrent writes of each kind leave counters that equal the rows, which the check at the end compares.
func TestCountersOfRacingWrites(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		users := []domain.UserID{storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Cem")}
		public, private := storetest.Channel(t, s, users[0], "Public", domain.Public), storetest.Channel(t, s, users[0], "Private", domain.Private)
		shared := storetest.Block(t, s, users[0], "shared")
		var all sync.WaitGroup
		for n, by := range users {
			for step := range 6 {
				all.Go(func() {
					if err := s.InTx(ctx, func(tx *store.Tx) error {
						switch step {
						case 0, 1:
							id, err := storetest.NewBlock(ctx, tx, by, strings.Repeat("x", 10*(n+1)))
							if err != nil {
								return err
							}
							_, err = storetest.ConnectIn(ctx, tx, by, public, domain.BlockRef(id), int64(step))
							return err
						case 2:
							_, err := tx.Activity().Follow(ctx, by, storetest.ChannelSubject(public), minutes(n))
							return err
						case 3:
							if err := tx.Blocks().LockBlock(ctx, shared); err != nil {
								return err
							}
							_, err := tx.Comments().CreateComment(ctx, shared, by, domain.Text{Markdown: "abc", HTML: "abc", Plain: "abc"}, minutes(n))
							return err
						case 4:
							return tx.Blobs().AddUpload(ctx, domain.Upload{Key: fmt.Sprint("key", n), UserID: by, Name: "a", ContentType: "a/b", ExpiresAt: minutes(60), CreatedAt: minutes(0)})
						}
						_, err := tx.Users().LockUser(ctx, users[0])
						return err
					}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Go(func() { storetest.SetVisibility(t, s, users[0], private, domain.Closed) })
		all.Wait()
		c, err := s.Channels().Channel(ctx, 0, domain.Ref{ID: int64(public)})
		if err != nil || c.Contents() != 6 {
			t.Errorf("%+v, %v", c, err)
		}
		b, err := s.Blocks().AnyBlock(ctx, shared)
		if err != nil || b.Comments != 3 {
			t.Errorf("%+v, %v", b, err)
		}
		details, err := s.Nearby().ChannelDetails(ctx, 0, []domain.ChannelID{public})
		if err != nil || details[public].Followers != 3 {
			t.Errorf("%+v, %v", details, err)
		}
		if made, err := s.Counters().BlocksMade(ctx, append(users, 1<<40)); err != nil || len(made) != 3 || made[users[0]] != 3 || made[users[1]] != 2 {
			t.Errorf("%v, %v", made, err)
		}
		// Each person stores the sum of their texts, and counting them again changes nothing.
		for n, user := range users {
			was := usage(t, s, user, minutes(0))
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Counters().RecountBytes(ctx, user) })
			if is := usage(t, s, user, minutes(0)); is != was || is.Texts == 0 {
				t.Errorf("user %d: %+v, counted again %+v", n, was, is)
			}
		}
		if n := count(t, db, "uploads"); n != 3 {
			t.Errorf("%d uploads", n)
		}
	})
}

// A search finds a thing by its words from then on, and not any more after each kind of change.
func TestWordsAfterChanges(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, _ *database.DB) {
		ctx, ada, bob := t.Context(), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		here := storetest.Channel(t, s, ada, "Lichen", domain.Public)
		block := storetest.Block(t, s, ada, "granite")
		connection := storetest.Connect(t, s, ada, here, domain.BlockRef(block), 0)
		change := func(do func(tx *store.Tx, was domain.Block) error) func() {
			return func() {
				storetest.In(t, s, func(tx *store.Tx) error {
					was, err := tx.Blocks().LockedBlock(ctx, ada, block)
					if err != nil {
						return err
					}
					return do(tx, was)
				})
			}
		}
		for _, row := range []struct {
			name          string
			do            func()
			found, absent string // words that bob finds, and does not
		}{
			{"as created", func() {}, "lichen granite", "basalt"},
			{"another text", change(func(tx *store.Tx, was domain.Block) error {
				is := was
				is.Content = &domain.Text{Markdown: "basalt", HTML: "basalt", Plain: "basalt"}
				return tx.Blocks().UpdateBlock(ctx, was, &is, minutes(1))
			}), "basalt", "granite"},
			{"a title", change(func(tx *store.Tx, was domain.Block) error {
				is, title := was, "obsidian"
				is.Title = &title
				return tx.Blocks().UpdateBlock(ctx, was, &is, minutes(2))
			}), "basalt obsidian", "granite"},
			{"filled again", change(func(tx *store.Tx, was domain.Block) error {
				is := was
				is.Type, is.Content, is.Description = domain.LinkBlock, nil, &domain.Text{Markdown: "schist", HTML: "schist", Plain: "schist"}
				return tx.Blocks().FillBlock(ctx, was, is, minutes(3))
			}), "obsidian schist", "basalt"},
			{"another title of the channel", func() {
				storetest.Update(t, s, ada, here, func(c *domain.Channel) { c.Title = "Fern" })
			}, "fern", "lichen"},
			{"private", func() { storetest.SetVisibility(t, s, ada, here, domain.Private) }, "", "fern obsidian"},
			{"closed", func() { storetest.SetVisibility(t, s, ada, here, domain.Closed) }, "fern obsidian", ""},
			{"in no channel", func() { storetest.Disconnect(t, s, connection) }, "fern", "obsidian"},
			{"in a channel again", func() { storetest.Connect(t, s, ada, here, domain.BlockRef(block), 0) }, "fern obsidian", ""},
			{"the channel is deleted", func() { storetest.Delete(t, s, ada, here) }, "", "fern obsidian"},
		} {
			row.do()
			for _, words := range []struct {
				all   string
				total int64
			}{{row.found, 1}, {row.absent, 0}} {
				for word := range strings.FieldsSeq(words.all) {
					if l := search(t, s, bob, domain.Search{Query: word, Page: domain.Page{Number: 1, Per: 10}}); l.Total != words.total {
						t.Errorf("%s: %d things have %q, want %d", row.name, l.Total, word, words.total)
					}
				}
			}
			storetest.Check(t, s)
		}
	})
}
