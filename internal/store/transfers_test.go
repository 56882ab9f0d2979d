package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/store/transfer"
)

// A user has one unfinished export, and only its latest attempt may write to it.
func TestExports(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		add := func(user domain.UserID, at int) (id domain.ExportID, ok bool) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				id, ok, err = tx.Exports().AddExport(ctx, user, minutes(at), minutes(at+60))
				return err
			})
			return id, ok
		}
		begin := func(id domain.ExportID, object string) (e domain.Export, before string, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) (err error) { e, before, err = tx.Exports().BeginExport(ctx, id, object); return err })
			return e, before, err
		}
		id, ok := add(ada, 0)
		if !ok {
			t.Fatal("no export")
		}
		if _, ok := add(ada, 1); ok {
			t.Error("a second unfinished one")
		}
		if _, ok := add(bob, 1); !ok {
			t.Error("none for somebody else")
		}
		e, before, err := begin(id, "one")
		if err != nil || before != "" || e.Attempts != 1 || e.State != domain.ExportRunning || e.Object != "one" {
			t.Errorf("%+v, %q, %v", e, before, err)
		}
		note := func(object string, c domain.ExportCounts) (is bool) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) { is, err = tx.Exports().NoteExport(ctx, id, object, c); return err })
			return is
		}
		end := func(object string) (is bool) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				is, err = tx.Exports().EndExport(ctx, id, object, domain.ExportDone, 7, minutes(5), minutes(90))
				return err
			})
			return is
		}
		if !note("one", domain.ExportCounts{Expected: 9, Done: 3, Channels: 1, Blocks: 2, Files: 1, Bytes: 100, LeftOut: 1}) {
			t.Error("its own progress")
		}
		if e, err := s.Exports().Export(ctx, ada, id, minutes(1)); err != nil || e.Counts.Done != 3 || e.Counts.Bytes != 100 || e.Counts.LeftOut != 1 {
			t.Errorf("%+v, %v", e, err)
		}
		e, before, err = begin(id, "two")
		if err != nil || before != "one" || e.Attempts != 2 || e.Counts != (domain.ExportCounts{}) {
			t.Errorf("%+v, %q, %v", e, before, err)
		}
		if note("one", domain.ExportCounts{Done: 5}) || end("one") {
			t.Error("an earlier attempt wrote")
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Exports().UndoExportAttempt(ctx, id) })
		if e, err := s.Exports().Export(ctx, ada, id, minutes(1)); err != nil || e.Attempts != 1 || e.Counts.Done != 0 {
			t.Errorf("%+v, %v", e, err)
		}
		if !end("two") || end("two") || note("two", domain.ExportCounts{}) {
			t.Error("ended twice, or after its end")
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Exports().UndoExportAttempt(ctx, id) }) // ended: changes nothing
		if e, err := s.Exports().Export(ctx, ada, id, minutes(89)); err != nil || e.State != domain.ExportDone || e.Size != 7 || e.Attempts != 1 || e.EndedAt == nil {
			t.Errorf("%+v, %v", e, err)
		}
		_, _, err = begin(id, "three")
		want(t, "starting an ended one", domain.NotFound, err)
		for name, row := range map[string]struct {
			user domain.UserID
			at   time.Time
		}{"somebody else": {bob, minutes(1)}, "expired": {ada, minutes(90)}} {
			_, err := s.Exports().Export(ctx, row.user, id, row.at)
			want(t, name, domain.NotFound, err)
		}
		next, ok := add(ada, 10)
		if all, err := s.Exports().Exports(ctx, ada, minutes(11)); err != nil || !ok || len(all) != 2 || all[0].ID != next {
			t.Errorf("%+v, %v", all, err)
		}
		remove := func(user domain.UserID, id domain.ExportID) (object string, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) (err error) { object, err = tx.Exports().DeleteExport(ctx, user, id); return err })
			return object, err
		}
		_, err = remove(bob, id)
		want(t, "deleted by somebody else", domain.NotFound, err)
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, row := range []struct {
				at, n   int
				objects []string
			}{{60, 0, nil}, {70, 2, nil}, {90, 1, []string{"two"}}, {90, 0, nil}} { // unstarted exports have no object
				objects, n, err := tx.Exports().SweepExports(ctx, minutes(row.at), 10)
				if row.at == 60 {
					continue
				}
				if err != nil || !slices.Equal(objects, row.objects) {
					t.Errorf("swept %v, %d at %d, %v", objects, n, row.at, err)
				}
			}
			return nil
		})
		if n := count(t, db, "exports"); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

// An import moves through its states, each change only from the state before.
func TestStatesOfImports(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		users := 0
		// at returns an import in a state, with two steps once it is listed.
		at := func(state domain.ImportState) domain.ImportID {
			t.Helper()
			users++
			u := storetest.User(t, s, fmt.Sprint("User ", users))
			var id domain.ImportID
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				id, _, err = tx.Imports().AddImport(ctx, domain.Import{UserID: u, Source: domain.FromArena, Visibility: domain.Private, State: domain.ImportQueued, CreatedAt: minutes(0)})
				if err != nil || state == domain.ImportQueued {
					return err
				}
				if _, err = tx.Imports().BeginImportStep(ctx, id, minutes(1)); err != nil {
					return err
				}
				listed := state
				if state != domain.ImportChoosing {
					listed = domain.ImportRunning
				}
				if _, err = tx.Imports().ListImport(ctx, id, []domain.ImportStep{{N: 1, State: domain.StepWaiting}, {N: 2, State: domain.StepWaiting}}, listed); err != nil {
					return err
				}
				if state == domain.ImportDone {
					_, _, err = tx.Imports().EndImport(ctx, id, domain.ImportDone, nil, minutes(2))
				}
				return err
			})
			return id
		}
		done := func(ok bool, err error) bool { return err == nil && ok }
		for _, row := range []struct {
			name  string
			do    func(tx *store.Tx, id domain.ImportID) bool
			works []domain.ImportState
		}{
			{"begin a step", func(tx *store.Tx, id domain.ImportID) bool {
				_, err := tx.Imports().BeginImportStep(ctx, id, minutes(3))
				return err == nil
			}, []domain.ImportState{domain.ImportQueued, domain.ImportRunning}},
			{"list", func(tx *store.Tx, id domain.ImportID) bool {
				return done(tx.Imports().ListImport(ctx, id, []domain.ImportStep{{N: 9, State: domain.StepWaiting}}, domain.ImportRunning))
			}, nil}, // these imports are listed already, or not running
			{"choose", func(tx *store.Tx, id domain.ImportID) bool {
				return done(tx.Imports().ChooseSteps(ctx, id, []int64{2}))
			},
				[]domain.ImportState{domain.ImportChoosing}},
			{"note progress", func(tx *store.Tx, id domain.ImportID) bool {
				return done(tx.Imports().NoteImportStep(ctx, id, domain.ImportStep{N: 1}))
			}, []domain.ImportState{domain.ImportRunning}},
			{"end a step", func(tx *store.Tx, id domain.ImportID) bool {
				return done(tx.Imports().EndImportStep(ctx, id, 1, domain.StepDone))
			},
				[]domain.ImportState{domain.ImportRunning}},
			{"end it", func(tx *store.Tx, id domain.ImportID) bool {
				_, ended, err := tx.Imports().EndImport(ctx, id, domain.ImportStopped, nil, minutes(4))
				return done(ended, err)
			}, []domain.ImportState{domain.ImportQueued, domain.ImportRunning, domain.ImportChoosing}},
		} {
			for _, state := range []domain.ImportState{domain.ImportQueued, domain.ImportRunning, domain.ImportChoosing, domain.ImportDone} {
				id := at(state)
				storetest.In(t, s, func(tx *store.Tx) error {
					if got := row.do(tx, id); got != slices.Contains(row.works, state) {
						t.Errorf("%s of one that is %s: %v", row.name, state, got)
					}
					return nil
				})
				if runs, err := s.Imports().ImportRuns(ctx, id); err != nil || runs != (row.name == "begin a step" && state == domain.ImportQueued || row.name != "end it" && state == domain.ImportRunning) {
					t.Errorf("%s of one that is %s: runs afterwards: %v, %v", row.name, state, runs, err)
				}
			}
		}
		// A user has one at a time, and its token goes with its end.
		id := at(domain.ImportRunning)
		var user domain.UserID
		if err := db.Reader().QueryRow(ctx, "SELECT user_id FROM imports WHERE id = $1", id).Scan(&user); err != nil {
			t.Fatal(err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			if _, ok, err := tx.Imports().AddImport(ctx, domain.Import{UserID: user, Source: domain.FromArena, Visibility: domain.Private, State: domain.ImportQueued, CreatedAt: minutes(0)}); err != nil || ok {
				t.Errorf("a second one: %v, %v", ok, err)
			}
			return tx.Imports().SealImport(ctx, id, []byte("sealed"))
		})
		if sealed, err := s.Imports().ImportToken(ctx, id); err != nil || string(sealed) != "sealed" {
			t.Errorf("%q, %v", sealed, err)
		}
		// Steps run in order. The list of skipped items is bounded.
		for n := int64(1); n <= 2; n++ {
			step, err := s.Imports().NextImportStep(ctx, id)
			if err != nil || step.N != n {
				t.Fatalf("%+v, %v", step, err)
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				left := []domain.LeftOut{{What: "a"}, {What: "b"}, {What: "c"}}
				if err := tx.Imports().AddLeftOut(ctx, id, n, 1, left, 4); err != nil {
					return err
				}
				_, err := tx.Imports().EndImportStep(ctx, id, n, domain.StepDone)
				return err
			})
		}
		_, err := s.Imports().NextImportStep(ctx, id)
		want(t, "a step after the last", domain.NotFound, err)
		if left, err := s.Imports().LeftOut(ctx, id); err != nil || len(left) != 4 {
			t.Errorf("%+v, %v", left, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			if err := tx.Imports().ForgetLeftOut(ctx, id, 1); err != nil {
				return err
			}
			_, _, err := tx.Imports().EndImport(ctx, id, domain.ImportDone, nil, minutes(5))
			return err
		})
		if left, err := s.Imports().LeftOut(ctx, id); err != nil || len(left) != 1 || left[0].What != "a" {
			t.Errorf("%+v, %v", left, err)
		}
		if sealed, err := s.Imports().ImportToken(ctx, id); err != nil || sealed != nil {
			t.Errorf("the token after its end: %q, %v", sealed, err)
		}
		for column, is := range map[string]bool{"": true, "suspended_at": false, "deleted_at": false} {
			if column != "" {
				storetest.Exec(t, db, "UPDATE users SET "+column+" = 1 WHERE id = $1", user)
			}
			if a, err := s.Imports().ImportActor(ctx, user); (err == nil) != is || err == nil && (!a.MayWrite() || a.UserID != user) {
				t.Errorf("%s: %+v, %v", column, a, err)
			}
			if column != "" {
				storetest.Exec(t, db, "UPDATE users SET "+column+" = NULL WHERE id = $1", user)
			}
		}
	})
}

// An origin is claimed once per user, server and kind, and its digest changes only from the one that was read.
func TestOrigins(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		here := transfer.OriginPlace{User: ada, Origin: "https://a.example"}
		claim := func(p transfer.OriginPlace, kind transfer.OriginKind, ids ...string) (rows map[string]transfer.Origin) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				rows, err = tx.Origins().ClaimOrigins(ctx, p, kind, ids...)
				return err
			})
			return rows
		}
		if rows := claim(here, transfer.OriginBlock, "1", "2", "1"); len(rows) != 2 || rows["1"].Local != 0 {
			t.Errorf("%+v", rows)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Origins().KeepOrigins(ctx, here, transfer.OriginBlock, transfer.Origin{Foreign: "1", Local: 11, Digest: "d", Place: 3}, transfer.Origin{Foreign: "3", Local: 13, Digest: "e"})
		})
		if rows := claim(here, transfer.OriginBlock, "1", "2", "3"); rows["1"] != (transfer.Origin{Foreign: "1", Local: 11, Digest: "d", Place: 3}) || rows["2"].Local != 0 || rows["3"].Local != 13 {
			t.Errorf("%+v", rows)
		}
		for name, row := range map[string]struct {
			place transfer.OriginPlace
			kind  transfer.OriginKind
		}{"another user": {transfer.OriginPlace{User: bob, Origin: here.Origin}, transfer.OriginBlock}, "another server": {transfer.OriginPlace{User: ada, Origin: "x"}, transfer.OriginBlock}, "another kind": {here, transfer.OriginChannel}} {
			if rows, err := s.Origins().Origins(ctx, row.place, row.kind, "1"); err != nil || len(rows) != 0 {
				t.Errorf("%s: %+v, %v", name, rows, err)
			}
		}
		if rows, err := s.Origins().Origins(ctx, here, transfer.OriginBlock); err != nil || len(rows) != 0 {
			t.Errorf("none asked for: %+v, %v", rows, err)
		}
		for i, row := range []struct {
			was, next string
			changed   bool
		}{{"x", "y", false}, {"d", "f", true}, {"d", "g", false}, {"f", "f", true}} {
			storetest.In(t, s, func(tx *store.Tx) error {
				got, err := tx.Origins().ChangeOrigin(ctx, here, transfer.OriginBlock, transfer.Origin{Foreign: "1", Digest: row.was}, row.next)
				if got != row.changed {
					t.Errorf("%d: changed %v", i, got)
				}
				return err
			})
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Origins().KeepOrigins(ctx, here, transfer.OriginConnection, transfer.Origin{Foreign: "c1", Local: 21, Place: 1}, transfer.Origin{Foreign: "c2", Local: 22, Place: 2})
		})
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Origins().PlaceOrigins(ctx, here, []transfer.Placement{{21, 9}, {99, 5}})
		})
		if rows, err := s.Origins().Origins(ctx, here, transfer.OriginConnection, "c1", "c2"); err != nil || rows["c1"].Place != 9 || rows["c2"].Place != 2 {
			t.Errorf("%+v, %v", rows, err)
		}
		if has, err := s.Origins().HasOrigins(ctx, here); err != nil || has {
			t.Errorf("a channel came from there: %v, %v", has, err)
		}
		claim(here, transfer.OriginChannel, "ch")
		if has, err := s.Origins().HasOrigins(ctx, here); err != nil || !has {
			t.Errorf("no channel came from there: %v, %v", has, err)
		}
		claim(transfer.OriginPlace{User: bob, Origin: here.Origin}, transfer.OriginBlock, "1")
		for i, n := range []int{4, 2, 0} {
			storetest.In(t, s, func(tx *store.Tx) error {
				got, err := tx.Origins().ForgetOrigins(ctx, ada, 4)
				if got != n {
					t.Errorf("%d: forgot %d, want %d", i, got, n)
				}
				return err
			})
		}
		if rows, err := s.Origins().Origins(ctx, transfer.OriginPlace{User: bob, Origin: here.Origin}, transfer.OriginBlock, "1"); err != nil || len(rows) != 1 {
			t.Errorf("of bob: %+v, %v", rows, err)
		}
	})
}

// An item of a batch is settled once, and the end of a batch settles the rest.
func TestItemsOfBatches(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		add := func(id string, n, at int) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				inputs := make([]string, n)
				for i := range inputs {
					inputs[i] = fmt.Sprint("input ", i)
				}
				return tx.Bulk().AddBatch(ctx, domain.Batch{ID: id, By: domain.Actor{UserID: ada, Tier: domain.TierPremium, Scope: domain.ScopeWrite}, CreatedAt: minutes(at)}, "channels", inputs)
			})
		}
		const one, two = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
		add(one, 3, 0)
		add(two, 1, 5)
		begin := func(id string) (domain.Batch, error) {
			var b domain.Batch
			err := s.InTx(ctx, func(tx *store.Tx) error {
				got, channels, err := tx.Bulk().BeginBatch(ctx, id, minutes(1))
				if err == nil && channels != "channels" {
					t.Errorf("channels %q", channels)
				}
				b = got
				return err
			})
			return b, err
		}
		if b, err := begin(one); err != nil || b.Attempts != 1 || b.By.UserID != ada || b.By.Tier != domain.TierPremium || b.Total != 3 {
			t.Errorf("%+v, %v", b, err)
		}
		block := storetest.Block(t, s, ada, "made")
		settle := func(n int64, fail bool) error {
			return s.InTx(ctx, func(tx *store.Tx) error {
				open, err := tx.Bulk().LockBatchItem(ctx, one, n)
				if err != nil || !open {
					t.Errorf("item %d: open %v, %v", n, open, err)
				}
				if fail {
					return tx.Bulk().BatchItemFailed(ctx, one, n, "why")
				}
				return tx.Bulk().BatchItemMade(ctx, one, n, block)
			})
		}
		for n, fail := range []bool{false, true} {
			if next, err := s.Bulk().NextOfBatch(ctx, one); err != nil || next.N != int64(n) || next.Input != fmt.Sprint("input ", n) || next.Suspended {
				t.Errorf("%+v, %v", next, err)
			}
			if err := settle(int64(n), fail); err != nil {
				t.Fatal(err)
			}
			storetest.In(t, s, func(tx *store.Tx) error {
				if open, err := tx.Bulk().LockBatchItem(ctx, one, int64(n)); err != nil || open {
					t.Errorf("item %d is settled: %v, %v", n, open, err)
				}
				return nil
			})
			if err := s.InTx(ctx, func(tx *store.Tx) error { return tx.Bulk().BatchItemMade(ctx, one, int64(n), block) }); err == nil {
				t.Errorf("item %d was made after it was settled", n)
			}
		}
		storetest.Exec(t, db, "UPDATE users SET suspended_at = 1 WHERE id = $1", ada)
		if next, err := s.Bulk().NextOfBatch(ctx, one); err != nil || next.N != 2 || !next.Suspended {
			t.Errorf("%+v, %v", next, err)
		}
		storetest.Exec(t, db, "UPDATE users SET suspended_at = NULL WHERE id = $1", ada)
		reason := "enough"
		for range 2 { // the second end changes nothing
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Bulk().EndBatch(ctx, one, &reason, minutes(2)) })
		}
		b, err := s.Bulk().Batch(ctx, ada, one, minutes(-1))
		if err != nil || b.State() != domain.BatchFailed || len(b.Items) != 3 || b.Items[0].BlockID != block || *b.Items[1].Error != "why" || *b.Items[2].Error != "enough" {
			t.Errorf("%+v, %v", b, err)
		}
		_, err = begin(one)
		want(t, "starting an ended one", domain.NotFound, err)
		_, err = s.Bulk().NextOfBatch(ctx, one)
		want(t, "the next of an ended one", domain.NotFound, err)
		_, err = s.Bulk().Batch(ctx, bob, one, minutes(-1))
		want(t, "somebody else's", domain.NotFound, err)
		_, err = s.Bulk().Batch(ctx, ada, one, minutes(0))
		want(t, "an old one", domain.NotFound, err)
		for _, attempts := range []int64{1, 0, 0} { // never below zero
			if attempts == 1 {
				if _, err := begin(two); err != nil {
					t.Fatal(err)
				}
			} else {
				storetest.In(t, s, func(tx *store.Tx) error { return tx.Bulk().UndoBatchAttempt(ctx, two) })
			}
			if b, err := s.Bulk().Batch(ctx, ada, two, minutes(0)); err != nil || b.Attempts != attempts || b.State() != domain.BatchProcessing {
				t.Errorf("%+v, %v", b, err)
			}
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, row := range []struct{ at, limit, n int }{{-1, 9, 0}, {5, 1, 1}, {5, 9, 1}, {5, 9, 0}} {
				if n, err := tx.Bulk().SweepBatches(ctx, minutes(row.at), row.limit); err != nil || n != row.n {
					t.Errorf("swept %d at %d, want %d, %v", n, row.at, row.n, err)
				}
			}
			return nil
		})
	})
}

// Reserved bytes count towards a user's usage until they are settled, released or expired, except for their own key.
func TestReservedBytes(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		reserve := func(key string, user domain.UserID, bytes int64, upload bool, until int) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Counters().Reserve(ctx, domain.Reservation{Key: key, UserID: user, Upload: upload, Bytes: bytes, ExpiresAt: minutes(until)})
			})
		}
		usage := func(what string, user domain.UserID, at int, unused, total int64) {
			t.Helper()
			if u, err := s.Counters().ByteUsage(ctx, user, minutes(at)); err != nil || u.Unused != unused || u.Total != total || u.UserID != user || u.Tier != domain.TierSupporter {
				t.Errorf("%s: %+v, %v, want %d of %d", what, u, err, unused, total)
			}
		}
		usage("nothing", ada, 0, 0, 0)
		reserve("a", ada, 10, true, 5)
		reserve("b", ada, 7, false, 6)
		reserve("c", bob, 100, true, 9)
		usage("an upload and another", ada, 0, 10, 17)
		usage("somebody else", bob, 0, 100, 100)
		reserve("a", ada, 20, true, 5) // grows
		usage("it has grown", ada, 4, 20, 27)
		usage("one has expired", ada, 5, 0, 7)
		usage("both have expired", ada, 6, 0, 0)
		storetest.In(t, s, func(tx *store.Tx) error {
			for key, total := range map[string]int64{"": 27, "a": 7, "b": 20, "x": 27} {
				if u, err := tx.Counters().LockByteUsage(ctx, ada, key, minutes(0)); err != nil || u.Total != total {
					t.Errorf("without %q: %+v, %v", key, u, err)
				}
			}
			return tx.Counters().ExtendReservation(ctx, "a", minutes(8))
		})
		usage("extended", ada, 7, 20, 20)
		for i, row := range []struct {
			key  string
			at   int
			held int64
		}{{"a", 7, 20}, {"a", 7, 0}, {"b", 7, 0}, {"x", 0, 0}} {
			storetest.In(t, s, func(tx *store.Tx) error {
				held, err := tx.Counters().EndReservation(ctx, row.key, minutes(row.at))
				if held != row.held {
					t.Errorf("%d: held %d, want %d", i, held, row.held)
				}
				return err
			})
		}
		usage("all are settled", ada, 0, 0, 0)
		if all, err := s.Counters().ByteUsages(ctx, []domain.UserID{ada, bob, 1 << 40}, minutes(0)); err != nil || len(all) != 2 || all[bob].Total != 100 {
			t.Errorf("%+v, %v", all, err)
		}
		_, err := s.Counters().ByteUsage(ctx, 1<<40, minutes(0))
		want(t, "nobody", domain.NotFound, err)
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, row := range []struct{ at, n int }{{8, 0}, {9, 1}, {9, 0}} {
				if n, err := tx.Counters().SweepReservations(ctx, minutes(row.at), 5); err != nil || n != row.n {
					t.Errorf("swept %d at %d, %v", n, row.at, err)
				}
			}
			return nil
		})
		if n := count(t, db, "byte_reservations"); n != 0 {
			t.Errorf("%d are left", n)
		}
		storetest.Block(t, s, ada, "x")
		storetest.Block(t, s, ada, "y")
		if made, err := s.Counters().BlocksMade(ctx, []domain.UserID{ada, bob}); err != nil || made[ada] != 2 || len(made) != 1 {
			t.Errorf("%v, %v", made, err)
		}
	})
}
