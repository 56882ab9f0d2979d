package store_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/storetest"
)

// Reports of one thing are one case until it is closed, and then another. Each person reports a case once.
func TestCases(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		owner, ada, bob := storetest.User(t, s, "Owner"), storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		about := func(id int64) domain.AuditTarget {
			return domain.AuditTarget{Kind: "Block", ID: id, Label: fmt.Sprint("Block ", id)}
		}
		report := func(id int64, by domain.UserID, at int) (c moderation.CaseID, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) (err error) {
				c, err = tx.Moderation().AddReport(ctx, about(id), owner, moderation.Report{ReporterID: by, Reason: "spam", Words: "Look", CreatedAt: minutes(at)})
				return err
			})
			return c, err
		}
		must := func(c moderation.CaseID, err error) moderation.CaseID {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		first := must(report(1, ada, 0))
		if again := must(report(1, bob, 3)); again != first {
			t.Errorf("case %d, want %d", again, first)
		}
		_, err := report(1, ada, 4)
		want(t, "reported twice", domain.Conflict, err)
		second := must(report(2, ada, 5))
		if c, err := s.Moderation().Case(ctx, first); err != nil || c.Reports != 2 || !c.OpenedAt.Equal(minutes(0)) || !c.LastAt.Equal(minutes(3)) || c.Owner != "owner" || c.ClosedAt != nil {
			t.Errorf("%+v, %v", c, err)
		}
		closing := func(id moderation.CaseID, outcome moderation.Outcome) error {
			return s.InTx(ctx, func(tx *store.Tx) error {
				if _, err := tx.Moderation().LockCase(ctx, id); err != nil {
					return err
				}
				return tx.Moderation().CloseCase(ctx, id, owner, outcome, "Words", minutes(9))
			})
		}
		if err := closing(first, "dismissed"); err != nil {
			t.Fatal(err)
		}
		if err := closing(first, "deleted"); err == nil {
			t.Error("closed twice")
		}
		want(t, "an unknown case", domain.NotFound, closing(1<<40, "dismissed"))
		if c, err := s.Moderation().Case(ctx, first); err != nil || c.Outcome != "dismissed" || c.ClosedBy != "owner" || c.Words != "Words" || c.ClosedAt == nil {
			t.Errorf("%+v, %v", c, err)
		}
		third := must(report(1, ada, 10)) // about the same thing again
		if third == first {
			t.Error("a closed case got a report")
		}
		ids := func(closed bool, below moderation.CaseID, limit int) (all []moderation.CaseID) {
			t.Helper()
			cases, err := s.Moderation().Cases(ctx, closed, below, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				all = append(all, c.ID)
			}
			return all
		}
		for _, row := range []struct {
			closed bool
			below  moderation.CaseID
			limit  int
			want   []moderation.CaseID
		}{
			{false, 0, 10, []moderation.CaseID{third, second}},
			{false, 0, 1, []moderation.CaseID{third}},
			{false, third, 10, []moderation.CaseID{second}},
			{true, 0, 10, []moderation.CaseID{first}},
			{true, first, 10, nil},
		} {
			if got := ids(row.closed, row.below, row.limit); !slices.Equal(got, row.want) {
				t.Errorf("%+v: %v", row, got)
			}
		}
		for limit, want := range map[int]int64{1: 1, 2: 2, 3: 2} {
			if n, err := s.Moderation().OpenCases(ctx, limit); err != nil || n != want {
				t.Errorf("%d open up to %d, %v", n, limit, err)
			}
		}
		reports, err := s.Moderation().ReportsOf(ctx, first, 0, 10)
		if err != nil || len(reports) != 2 || reports[0].ReporterID != bob || reports[1].Reported != 3 || reports[1].Dismissed != 1 || reports[0].Reporter != "bob" {
			t.Errorf("%+v, %v", reports, err)
		}
		if more, err := s.Moderation().ReportsOf(ctx, first, reports[0].ID, 10); err != nil || len(more) != 1 || more[0].ReporterID != ada {
			t.Errorf("%+v, %v", more, err)
		}
		// The reporters are answered, except those who are gone.
		storetest.Exec(t, db, "UPDATE users SET deleted_at = 1 WHERE id = $1", bob)
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Moderation().AnswerReporters(ctx, first, moderation.Notice{What: "reported-dismissed", About: about(1), CreatedAt: minutes(9)})
		})
		for user, want := range map[domain.UserID]int{ada: 1, bob: 0, owner: 0} {
			if all, err := s.Moderation().Notices(ctx, user); err != nil || len(all) != want {
				t.Errorf("%d notices of %d, want %d, %v", len(all), user, want, err)
			}
		}
		storetest.Exec(t, db, "UPDATE users SET deleted_at = NULL WHERE id = $1", bob)
	})
}

// A user keeps two hundred notices, and the count of unread ones ends when they are read.
func TestNotices(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		storetest.In(t, s, func(tx *store.Tx) error {
			for n := range 201 {
				if _, err := tx.Moderation().AddNotice(ctx, moderation.Notice{To: ada, What: "warned", Words: fmt.Sprint(n), CreatedAt: minutes(n)}); err != nil {
					return err
				}
			}
			_, err := tx.Moderation().AddNotice(ctx, moderation.Notice{To: bob, What: "warned", CreatedAt: minutes(0)})
			return err
		})
		all, err := s.Moderation().Notices(ctx, ada)
		if err != nil || len(all) != 200 || all[0].Words != "200" || all[199].Words != "1" {
			t.Errorf("%d notices, %v", len(all), err)
		}
		unread := func(user domain.UserID, want int64) {
			t.Helper()
			if u, err := s.Users().User(ctx, domain.Ref{ID: int64(user)}); err != nil || u.Notices != want {
				t.Errorf("%d unread, want %d, %v", u.Notices, want, err)
			}
		}
		unread(ada, 201)
		for range 2 {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Moderation().ReadNotices(ctx, ada) })
		}
		unread(ada, 0)
		unread(bob, 1)
		if n, err := s.Moderation().Notice(ctx, all[0].ID); err != nil || n.To != ada {
			t.Errorf("%+v, %v", n, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Moderation().ForgetNotices(ctx, ada) })
		_, err = s.Moderation().Notice(ctx, all[0].ID)
		want(t, "a forgotten one", domain.NotFound, err)
		if n := count(t, db, "notices"); n != 1 {
			t.Errorf("%d are left", n)
		}
	})
}

// Who wants mail about cases gets those that were opened since, once, after a pause.
func TestWishesForCaseMail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		op, quiet := storetest.User(t, s, "Op"), storetest.User(t, s, "Quiet")
		wish := func(user domain.UserID, wanted bool) {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Moderation().WantCaseMail(ctx, user, wanted) })
		}
		id := int64(0)
		report := func(same bool) {
			t.Helper()
			if !same {
				id++
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				by := op
				if same {
					by = quiet
				}
				_, err := tx.Moderation().AddReport(ctx, domain.AuditTarget{Kind: "Block", ID: id}, op, moderation.Report{ReporterID: by, Reason: "spam", CreatedAt: minutes(0)})
				return err
			})
		}
		due := func(want ...domain.UserID) {
			t.Helper()
			if got, err := s.Moderation().DueCaseMails(ctx, minutes(10), 10); err != nil || !slices.Equal(got, want) {
				t.Errorf("due to %v, want %v, %v", got, want, err)
			}
		}
		take := func(after int, want int64) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				n, err := tx.Moderation().TakeFreshCases(ctx, op, minutes(after))
				if n != want {
					t.Errorf("took %d, want %d", n, want)
				}
				return err
			})
		}
		report(false) // before anybody wants it
		wish(op, true)
		wish(op, true)
		due()
		report(false)
		report(true) // a second report is no new case
		report(false)
		due(op)
		take(10, 2)
		take(10, 0) // another node
		due()
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Moderation().NoteCaseMail(ctx, op, minutes(11)) })
		report(false)
		due() // within the pause
		take(10, 0)
		take(11, 1)
		if wants, err := s.Moderation().WantsCaseMail(ctx, op); err != nil || !wants {
			t.Errorf("%v, %v", wants, err)
		}
		wish(op, false)
		if wants, err := s.Moderation().WantsCaseMail(ctx, op); err != nil || wants {
			t.Errorf("%v, %v", wants, err)
		}
		report(false)
		wish(op, true) // from now on
		due()
	})
}

// The row of a hidden thing: what hiding it again means in each state.
func TestRowsOfHiddenThings(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada := storetest.User(t, s, "Ada")
		record := func(id int64, with moderation.HidingID) (h moderation.HiddenSubject, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) (err error) {
				h, err = tx.Hiding().RecordHidden(ctx, moderation.HiddenSubject{About: domain.AuditTarget{Kind: "Channel", ID: id, Label: "L"}, OwnerID: ada, Was: domain.Public, With: with, CreatedAt: minutes(0)})
				return err
			})
			return h, err
		}
		var person moderation.HiddenSubject
		storetest.In(t, s, func(tx *store.Tx) (err error) {
			person, err = tx.Hiding().RecordHidden(ctx, moderation.HiddenSubject{About: domain.AuditTarget{Kind: "User", ID: int64(ada)}, OwnerID: ada, CreatedAt: minutes(0)})
			return err
		})
		for i, row := range []struct {
			name         string
			before       moderation.HidingState // of an existing row; "" for none
			with         bool                   // the existing row belongs to the person
			again        bool                   // hidden with the person
			want         bool
			state        moderation.HidingState
			belongsAfter bool
		}{
			{"new", "", false, false, true, moderation.Moving, false},
			{"new with the person", "", false, true, true, moderation.Moving, true},
			{"hidden by itself", moderation.Hidden, false, false, false, "", false},
			{"hidden by itself, then the person", moderation.Hidden, false, true, false, "", false},
			{"hidden with the person, then by itself", moderation.Hidden, true, false, true, moderation.Hidden, false},
			{"hidden with the person twice", moderation.Hidden, true, true, false, "", false},
			{"being hidden", moderation.Moving, false, false, false, "", false},
			{"being shown", moderation.Showing, false, false, true, moderation.Moving, false},
			{"being shown, then with the person", moderation.Showing, true, true, true, moderation.Moving, true},
		} {
			id := int64(100 + i)
			if row.before != "" {
				with := moderation.HidingID(0)
				if row.with {
					with = person.ID
				}
				h, err := record(id, with)
				if err != nil {
					t.Fatal(err)
				}
				storetest.In(t, s, func(tx *store.Tx) error { return tx.Hiding().SetHidden(ctx, h.ID, row.before) })
			}
			with := moderation.HidingID(0)
			if row.again {
				with = person.ID
			}
			h, err := record(id, with)
			if !row.want {
				want(t, row.name, domain.Conflict, err)
				continue
			}
			if err != nil || h.State != row.state || (h.With == person.ID) != row.belongsAfter || h.OwnerID != ada {
				t.Errorf("%s: %+v, %v", row.name, h, err)
			}
			got, err := s.Hiding().HiddenSubject(ctx, domain.Subject{Type: domain.SubjectChannel, ID: id})
			if err != nil || got.State != row.state || (got.With != 0) != row.belongsAfter {
				t.Errorf("%s: read %+v, %v", row.name, got, err)
			}
		}
		if all, err := s.Hiding().HiddenWith(ctx, person.ID, 10); err != nil || len(all) != 3 {
			t.Errorf("with the person: %+v, %v", all, err)
		}
		shown := domain.Subject{Type: domain.SubjectChannel, ID: 100}
		h, err := s.Hiding().HiddenSubject(ctx, shown)
		if err != nil {
			t.Fatal(err)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Hiding().SetHidden(ctx, h.ID, moderation.Showing) })
		_, err = s.Hiding().HiddenSubject(ctx, shown)
		want(t, "a thing that is being shown", domain.NotFound, err)
		for range 2 {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Hiding().ForgetHidden(ctx, shown) })
		}
		err = s.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Hiding().LockHidden(ctx, h.ID); return err })
		want(t, "locking a forgotten row", domain.NotFound, err)
		storetest.Exec(t, db, "DELETE FROM hidden_things")
	})
}

// A hidden connection stays hidden if another thing hides it, except in the channel of the hidden person.
func TestWhatStaysHidden(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		adas, bobs := storetest.Channel(t, s, ada, "Ada's", domain.Public), storetest.Channel(t, s, bob, "Bob's", domain.Public)
		block, other := storetest.Block(t, s, ada, "of ada"), storetest.Block(t, s, bob, "of bob")
		ids := map[string]moderation.HidingID{}
		hide := func(kind string, id int64, state moderation.HidingState) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				h, err := tx.Hiding().RecordHidden(ctx, moderation.HiddenSubject{About: domain.AuditTarget{Kind: kind, ID: id}, OwnerID: ada, CreatedAt: minutes(0)})
				ids[kind] = h.ID
				if err != nil || state == moderation.Moving {
					return err
				}
				return tx.Hiding().SetHidden(ctx, h.ID, state)
			})
		}
		connection := func(in domain.ChannelID, item domain.BlockID, by domain.UserID) moderation.HiddenConnection {
			return moderation.HiddenConnection{Channel: in, Item: domain.BlockRef(item), User: by}
		}
		stays := func(what string, c moderation.HiddenConnection, under string, want string) {
			t.Helper()
			c.Under = ids[under]
			if got, err := s.Hiding().StaysHidden(ctx, c); err != nil || got != ids[want] {
				t.Errorf("%s: %d, want %d, %v", what, got, ids[want], err)
			}
		}
		stays("nothing is hidden", connection(bobs, block, ada), "", "")
		hide("Block", int64(block), moderation.Moving)
		stays("its block", connection(bobs, block, bob), "", "Block")
		stays("another block", connection(bobs, other, bob), "", "")
		stays("only itself", connection(bobs, block, bob), "Block", "")
		hide("User", int64(ada), moderation.Moving)
		stays("its block's author", connection(bobs, block, bob), "Block", "User")
		stays("its creator", connection(bobs, other, ada), "", "User")
		stays("of somebody else", connection(bobs, other, bob), "", "")
		stays("in the channel of the person", connection(adas, block, ada), "Block", "")
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Hiding().SetHidden(ctx, ids["User"], moderation.Showing) })
		stays("the person is being shown", connection(bobs, other, ada), "", "")
		storetest.Exec(t, db, "DELETE FROM hidden_things")
	})
}

// Operators may look at reported and hidden things, and at their contents.
func TestWhatConcernsOperators(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada := storetest.User(t, s, "Ada")
		in := storetest.Channel(t, s, ada, "Private", domain.Private)
		block, orphan := storetest.Block(t, s, ada, "inside"), storetest.Block(t, s, ada, "outside")
		storetest.Connect(t, s, ada, in, domain.BlockRef(block), 0)
		comment := storetest.Comment(t, s, ada, block, "said")
		all := map[string]domain.Subject{"channel": storetest.ChannelSubject(in), "block": storetest.BlockSubject(block), "orphan": storetest.BlockSubject(orphan),
			"comment": {Type: domain.SubjectComment, ID: int64(comment)}, "user": storetest.UserSubject(ada)}
		concerns := func(when string, want ...string) {
			t.Helper()
			for name, what := range all {
				if got, err := s.Hiding().ConcernsOperators(ctx, what); err != nil || got != slices.Contains(want, name) {
					t.Errorf("%s: %s: %v, %v", when, name, got, err)
				}
			}
		}
		report := func(what string) (id moderation.CaseID) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				id, err = tx.Moderation().AddReport(ctx, domain.AuditTarget{Kind: string(all[what].Type), ID: all[what].ID}, ada, moderation.Report{ReporterID: ada, Reason: "spam", CreatedAt: minutes(0)})
				return err
			})
			return id
		}
		closing := func(id moderation.CaseID) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Moderation().CloseCase(ctx, id, 0, "dismissed", "", minutes(1)) })
		}
		concerns("at first")
		c := report("channel")
		concerns("the channel is reported", "channel", "block")
		closing(c)
		concerns("and dismissed")
		c = report("comment")
		concerns("the comment is reported", "comment", "block")
		closing(c)
		c = report("block")
		concerns("the block is reported", "block")
		closing(c)
		closing(report("user"))
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Hiding().RecordHidden(ctx, moderation.HiddenSubject{About: domain.AuditTarget{Kind: "User", ID: int64(ada)}, OwnerID: ada, CreatedAt: minutes(0)})
			return err
		})
		concerns("the person is hidden", "block", "orphan")
		storetest.Exec(t, db, "DELETE FROM hidden_things")
	})
}

// Entries of the blocklist are there once, and are found by their values.
func TestBlockedValues(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		add := func(kind moderation.BlockKind, value string) (id int64) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				id, err = tx.Moderation().AddBlocked(ctx, moderation.Blocked{Kind: kind, Value: value, CreatedAt: minutes(0)})
				return err
			})
			return id
		}
		site := add(moderation.BlockedSite, "spam.example")
		add(moderation.BlockedSite, "evil.example")
		add(moderation.BlockedMail, "mail.example")
		if again := add(moderation.BlockedSite, "spam.example"); again != 0 {
			t.Errorf("added again as %d", again)
		}
		for _, row := range []struct {
			kind   moderation.BlockKind
			values []string
			want   []string
		}{
			{moderation.BlockedSite, []string{"a.spam.example", "spam.example", "example"}, []string{"spam.example"}},
			{moderation.BlockedSite, []string{"spam.example", "evil.example"}, []string{"evil.example", "spam.example"}},
			{moderation.BlockedMail, []string{"spam.example"}, nil},
			{moderation.BlockedSite, nil, nil},
		} {
			got, err := s.Moderation().BlockedAmong(ctx, row.kind, row.values)
			if slices.Sort(got); err != nil || !slices.Equal(got, row.want) {
				t.Errorf("%s %v: %v, %v", row.kind, row.values, got, err)
			}
		}
		remove := func() (b moderation.Blocked, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) (err error) { b, err = tx.Moderation().RemoveBlocked(ctx, site); return err })
			return b, err
		}
		if b, err := remove(); err != nil || b.Value != "spam.example" {
			t.Errorf("%+v, %v", b, err)
		}
		_, err := remove()
		want(t, "removed twice", domain.NotFound, err)
		if left, err := s.Moderation().AllBlocked(ctx, 0, 10); err != nil || len(left) != 2 || left[0].Value != "mail.example" {
			t.Errorf("%+v, %v", left, err)
		}
	})
}
