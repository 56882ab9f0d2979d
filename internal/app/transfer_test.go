package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/app/transfer"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store/storetest"
)

// A user makes one export at a time and keeps a few. Others never learn of it.
func TestExportsOfUsers(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		reader := ada
		reader.Scope = domain.ScopeRead
		before := w.Dump()
		for name, as := range map[string]domain.Actor{"a guest": {}, "a token that reads": reader} {
			if _, err := a.StartExport(ctx, as); outcome(err) != 'f' {
				t.Errorf("%s: %v", name, err)
			}
			if err := a.DeleteExport(ctx, as, 1); outcome(err) != 'f' {
				t.Errorf("%s deletes: %v", name, err)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
		var started atomic.Int64
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				if _, err := a.StartExport(ctx, ada); err == nil {
					started.Add(1)
				} else if domain.KindOf(err) != domain.Unprocessable {
					t.Error(err)
				}
			})
		}
		g.Wait()
		all, err := a.Exports(ctx, ada)
		if w.must(err); started.Load() != 1 || len(all) != 1 || all[0].State != domain.ExportQueued {
			t.Fatalf("%d started: %+v", started.Load(), all)
		}
		id := all[0].ID
		_, err = a.StartExport(ctx, bob) // has an export of his own
		w.must(err)
		for name, as := range map[string]domain.Actor{"a guest": {}, "bob": bob} {
			_, err := a.Export(ctx, as, id)
			if outcome(err) != 'n' {
				t.Errorf("%s reads it: %v", name, err)
			}
			if _, _, err = a.OpenExport(ctx, as, id); outcome(err) != 'n' {
				t.Errorf("%s opens it: %v", name, err)
			}
		}
		w.want(domain.NotFound, a.DeleteExport(ctx, bob, id))
		_, _, err = a.OpenExport(ctx, ada, id)
		w.want(domain.Unprocessable, err) // it is not done
		made := func() domain.Export {
			t.Helper()
			all, err := a.Exports(ctx, ada)
			w.must(err)
			e, ok, err := a.BeginExport(ctx, all[0].ID)
			if err != nil || !ok || e.State != domain.ExportRunning {
				t.Fatalf("%+v, %v, %v", e, ok, err)
			}
			w.must(a.KeepExport(ctx, e, strings.NewReader("archive")))
			return e
		}
		made()
		for range domain.MaxExports - 1 {
			_, err = a.StartExport(ctx, ada)
			w.must(err)
			made()
		}
		was := w.rows("exports", "river_job")
		_, err = a.StartExport(ctx, ada)
		w.want(domain.Unprocessable, err)
		if now := w.rows("exports", "river_job"); !slices.Equal(now, was) {
			t.Errorf("%v, before %v", now, was)
		}
		e, f, err := a.OpenExport(ctx, ada, id)
		w.must(err)
		text, err := io.ReadAll(io.NewSectionReader(f, 0, 100))
		if _ = f.Close(); err != nil || string(text) != "archive" || e.Size != 7 {
			t.Errorf("%q %+v, %v", text, e, err)
		}
		w.must(a.DeleteExport(ctx, ada, id))
		w.want(domain.NotFound, a.DeleteExport(ctx, ada, id))
		if doomed := w.rows("doomed_objects"); doomed[0] != 1 {
			t.Errorf("%d objects to remove", doomed[0])
		}
		_, err = a.StartExport(ctx, ada)
		w.must(err)
		// They are gone after a week.
		w.Clock.Advance(transfer.ExportsKept)
		if all, err := a.Exports(ctx, ada); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		w.must(a.SweepExports(ctx))
		w.must(a.SweepExports(ctx))
		if n := w.rows("exports"); n[0] != 0 {
			t.Errorf("%d are left", n[0])
		}
	})
}

// An attempt at an export counts, is superseded by the next one, and is given up after five.
func TestAttemptsAtExports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada := w.member("ada")
		start := func() domain.ExportID {
			t.Helper()
			e, err := a.StartExport(ctx, ada)
			w.must(err)
			return e.ID
		}
		id := start()
		if _, ok, err := a.BeginExport(ctx, 1<<40); ok || err != nil {
			t.Errorf("an unknown export: %v, %v", ok, err)
		}
		first, ok, err := a.BeginExport(ctx, id)
		if w.must(err); !ok || first.Attempts != 1 || first.Object == "" {
			t.Fatalf("%+v", first)
		}
		first.Counts.Done = 3
		if wanted, err := a.NoteExport(ctx, first); err != nil || !wanted {
			t.Errorf("the first attempt: %v, %v", wanted, err)
		}
		second, ok, err := a.BeginExport(ctx, id) // its server was thought dead
		if w.must(err); !ok || second.Attempts != 2 || second.Object == first.Object || second.Counts.Done != 0 {
			t.Fatalf("%+v", second)
		}
		if wanted, err := a.NoteExport(ctx, first); err != nil || wanted {
			t.Errorf("the superseded attempt: %v, %v", wanted, err)
		}
		w.must(a.KeepExport(ctx, first, strings.NewReader("late")))
		if e, err := a.Export(ctx, ada, id); err != nil || e.State != domain.ExportRunning {
			t.Errorf("%+v, %v", e, err)
		}
		boom := errors.New("boom")
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		for _, row := range []struct {
			name  string
			ctx   context.Context
			err   error
			want  error // of the job; nil for none
			state domain.ExportState
			undo  bool // the attempt does not count
		}{
			{"the server stops", canceled, boom, boom, domain.ExportRunning, true},
			{"the database is away", ctx, domain.NewUnavailable(boom), boom, domain.ExportRunning, true},
			{"a fault", ctx, boom, boom, domain.ExportRunning, false},
			{"the account is gone", ctx, domain.NewNotFound(), nil, domain.ExportFailed, false},
		} {
			now, ok, err := a.BeginExport(ctx, id)
			if w.must(err); !ok {
				t.Fatalf("%s: no attempt is left", row.name)
			}
			if err := a.ExportStopped(row.ctx, now, row.err); row.want == nil && err != nil || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("%s: %v", row.name, err)
			}
			e, err := a.Export(ctx, ada, id)
			if w.must(err); e.State != row.state || (e.Attempts < now.Attempts) != row.undo {
				t.Errorf("%s: %+v after %+v", row.name, e, now)
			}
		}
		if _, ok, err := a.BeginExport(ctx, id); ok || err != nil {
			t.Errorf("a failed export begins again: %v", err)
		}
		// The fifth attempt is the last.
		id = start()
		for n := range 5 {
			e, ok, err := a.BeginExport(ctx, id)
			if w.must(err); !ok {
				t.Fatalf("attempt %d", n)
			}
			err = a.ExportStopped(ctx, e, boom)
			if last := n == 4; !errors.Is(err, boom) || permanent(err) != last {
				t.Errorf("attempt %d: %v", n, err)
			}
		}
		if e, err := a.Export(ctx, ada, id); err != nil || e.State != domain.ExportFailed {
			t.Errorf("%+v, %v", e, err)
		}
		// If the server died in each of them, the sixth gives up.
		id = start()
		for range 5 {
			_, ok, err := a.BeginExport(ctx, id)
			if w.must(err); !ok {
				t.Fatal("too few attempts")
			}
		}
		if _, ok, err := a.BeginExport(ctx, id); ok || err != nil {
			t.Errorf("a sixth attempt: %v, %v", ok, err)
		}
		if e, err := a.Export(ctx, ada, id); err != nil || e.State != domain.ExportFailed {
			t.Errorf("%+v, %v", e, err)
		}
		if _, err := a.StartExport(ctx, ada); err != nil { // failed ones do not count
			t.Error(err)
		}
	})
}

// importing is an import of ada's from a server that nobody calls.
func (w *accountsRig) importing(as domain.Actor, in transfer.StartImportInput) domain.ImportID {
	w.t.Helper()
	if in.Address == "" {
		in.Address = "https://other.example"
	}
	if in.Source == "" {
		in.Source = domain.FromArena
	}
	if in.What == nil {
		in.What = []string{"one", "two"}
	}
	i, err := w.a.Transfer.StartImport(w.ctx(), as, in)
	w.must(err)
	return i.ID
}

func steps(titles ...string) (all []domain.ImportStep) {
	for n, title := range titles {
		all = append(all, domain.ImportStep{N: int64(n + 1), Ref: title, Title: title, State: domain.StepWaiting, Head: `{"title":"` + title + `"}`})
	}
	return all
}

func TestImportsOfUsers(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		id := w.importing(ada, transfer.StartImportInput{Token: "secret-of-the-other-server"})
		if strings.Contains(fmt.Sprint(w.Dump()), "secret-of-the-other-server") {
			t.Error("the database contains the token")
		}
		_, err := a.StartImport(ctx, ada, transfer.StartImportInput{Source: domain.FromArena, Address: "https://other.example", What: []string{"x"}})
		w.want(domain.Unprocessable, err)
		his := w.importing(bob, transfer.StartImportInput{})
		for name, as := range map[string]domain.Actor{"a guest": {}, "bob": bob} {
			if _, err := a.Import(ctx, as, id); outcome(err) != 'n' {
				t.Errorf("%s reads it: %v", name, err)
			}
			if err := a.StopImport(ctx, as, id); outcome(err) != 'n' {
				t.Errorf("%s stops it: %v", name, err)
			}
			if err := a.ChooseImport(ctx, as, id, []int64{1}); outcome(err) != 'n' {
				t.Errorf("%s chooses: %v", name, err)
			}
			if l, err := a.Imports(ctx, as, somePage); err != nil || slices.ContainsFunc(l.Items, func(i domain.Import) bool { return i.ID == id }) {
				t.Errorf("%s lists %+v, %v", name, l, err)
			}
		}
		// The first attempt lists the channels, with the token.
		work, ok, err := a.BeginImport(ctx, id)
		if err != nil || !ok || work.Listed || work.Token != "secret-of-the-other-server" || work.Actor.UserID != ada.UserID || !work.Actor.MayWrite() || work.Attempts != 1 {
			t.Fatalf("%+v, %v, %v", work, ok, err)
		}
		jobsBefore := w.rows("river_job")
		left := map[int64][]domain.LeftOut{2: {{What: "a private channel", Why: "not found"}}}
		listed := steps("one", "two")
		listed[1].Counts.LeftOut = 1
		w.must(a.ListImport(ctx, work, listed, left))
		w.must(a.ListImport(ctx, work, steps("one", "two", "three"), left)) // another server did the same
		if n := w.rows("river_job", "import_steps", "import_left_out"); n[0] != jobsBefore[0]+1 || n[1] != 2 || n[2] != 1 {
			t.Errorf("%v rows", n)
		}
		// Then each step in turn.
		for n, title := range []string{"one", "two"} {
			work, ok, err := a.BeginImport(ctx, id)
			if err != nil || !ok || work.Step.Title != title || work.Step.N != int64(n+1) || work.Attempts != 1 {
				t.Fatalf("%+v, %v, %v", work, ok, err)
			}
			if goesOn, err := a.ImportGoesOn(ctx, id); err != nil || !goesOn {
				t.Errorf("%v, %v", goesOn, err)
			}
			work.Step.Counts.Blocks, work.Step.Counts.Done = 3, 3
			if running, err := a.NoteImport(ctx, work, nil); err != nil || !running {
				t.Errorf("%v, %v", running, err)
			}
			work.Step.Counts.LeftOut += 2
			w.must(a.FinishImportStep(ctx, transfer.StepResult{Work: work, LeftOut: []domain.LeftOut{{What: "x\x00", Why: strings.Repeat("y", domain.MaxURL+9)}, {What: "z"}}}))
			w.must(a.FinishImportStep(ctx, transfer.StepResult{Work: work})) // again: changes nothing
		}
		if _, ok, err := a.BeginImport(ctx, id); ok || err != nil {
			t.Errorf("a step after the last: %v, %v", ok, err)
		}
		r, err := a.Import(ctx, ada, id)
		if w.must(err); r.State != domain.ImportDone || r.Steps != 2 || r.StepsDone != 2 || r.Counts.Blocks != 6 || r.EndedAt == nil || len(r.LeftOut) != 5 {
			t.Errorf("%+v", r)
		}
		for _, l := range r.LeftOut {
			if strings.Contains(l.What, "\x00") || len([]rune(l.Why)) > domain.MaxURL {
				t.Errorf("kept %q", l)
			}
		}
		w.must(a.StopImport(ctx, ada, id)) // too late, and changes nothing
		if again, err := a.Import(ctx, ada, id); err != nil || again.State != domain.ImportDone {
			t.Errorf("%+v, %v", again, err)
		}
		// A stopped import loses its token, and its running step ends.
		work, _, err = a.BeginImport(ctx, his)
		w.must(err)
		w.must(a.ListImport(ctx, work, steps("one"), nil))
		work, _, err = a.BeginImport(ctx, his)
		w.must(err)
		w.must(a.StopImport(ctx, bob, his))
		if running, err := a.NoteImport(ctx, work, nil); err != nil || running {
			t.Errorf("a stopped import: %v, %v", running, err)
		}
		w.must(a.FinishImportStep(ctx, transfer.StepResult{Work: work}))
		w.must(a.FinishImportStep(ctx, transfer.StepResult{End: transfer.StepStopped, Work: work}))
		if goesOn, err := a.ImportGoesOn(ctx, his); err != nil || goesOn {
			t.Errorf("%v, %v", goesOn, err)
		}
		if r, err := a.Import(ctx, bob, his); err != nil || r.State != domain.ImportStopped {
			t.Errorf("%+v, %v", r, err)
		}
		// They are listed for ninety days.
		w.Clock.Advance(transfer.ImportsKept - time.Hour)
		w.must(a.SweepImports(ctx))
		if l, err := a.Imports(ctx, ada, somePage); err != nil || l.Total != 1 {
			t.Errorf("%+v, %v", l, err)
		}
		w.Clock.Advance(2 * time.Hour)
		w.must(a.SweepImports(ctx))
		if n := w.rows("imports", "import_steps", "import_left_out"); !slices.Equal(n, []int64{0, 0, 0}) {
			t.Errorf("%v are left", n)
		}
	})
}

// An import waits for its owner's choice for a day, and then imports only the chosen channels.
func TestChoosingWhatToImport(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		listed := func(as domain.Actor) domain.ImportID {
			t.Helper()
			id := w.importing(as, transfer.StartImportInput{Choose: true, Token: "token"})
			work, ok, err := a.BeginImport(ctx, id)
			if w.must(err); !ok {
				t.Fatal("nothing to do")
			}
			w.must(a.ListImport(ctx, work, steps("one", "two", "three"), nil))
			return id
		}
		id := listed(ada)
		if _, ok, err := a.BeginImport(ctx, id); ok || err != nil {
			t.Errorf("it does not wait: %v, %v", ok, err)
		}
		before := w.Dump()
		for _, bad := range [][]int64{nil, {4}, {1, 0}, make([]int64, domain.MaxImportChannels+1)} {
			w.want(domain.Invalid, a.ChooseImport(ctx, ada, id, bad))
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed %v", d)
		}
		w.must(a.ChooseImport(ctx, ada, id, []int64{3, 1}))
		was := w.rows("river_job")
		w.must(a.ChooseImport(ctx, ada, id, []int64{2})) // too late, and changes nothing
		if n := w.rows("river_job"); n[0] != was[0] {
			t.Error("a second job")
		}
		var got []string
		for {
			work, ok, err := a.BeginImport(ctx, id)
			w.must(err)
			if !ok {
				break
			}
			got = append(got, work.Step.Title)
			w.must(a.FinishImportStep(ctx, transfer.StepResult{Work: work}))
		}
		if r, err := a.Import(ctx, ada, id); err != nil || !slices.Equal(got, []string{"one", "three"}) || r.Steps != 2 || r.State != domain.ImportDone {
			t.Errorf("brought %v: %+v, %v", got, r, err)
		}
		late := listed(bob)
		w.Clock.Advance(core.Day - time.Minute)
		w.must(a.SweepImports(ctx))
		if r, err := a.Import(ctx, bob, late); err != nil || r.State != domain.ImportChoosing {
			t.Errorf("%+v, %v", r, err)
		}
		w.Clock.Advance(2 * time.Minute)
		w.must(a.SweepImports(ctx))
		r, err := a.Import(ctx, bob, late)
		if w.must(err); r.State != domain.ImportFailed || r.Reason == nil {
			t.Errorf("%+v", r)
		}
		var tokens int64
		w.must(w.DB().Reader().QueryRow(ctx, "SELECT count(*) FROM imports WHERE token IS NOT NULL").Scan(&tokens))
		if tokens != 0 {
			t.Errorf("%d tokens are left", tokens)
		}
		w.importing(bob, transfer.StartImportInput{}) // the next one may start
	})
}

// How a step continues after an attempt that did not finish it.
func TestAttemptsAtImports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada := w.member("ada")
		boom := errors.New("boom")
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		id := w.importing(ada, transfer.StartImportInput{})
		begin := func() transfer.ImportWork {
			t.Helper()
			work, ok, err := a.BeginImport(ctx, id)
			if err != nil || !ok {
				t.Fatalf("%+v, %v, %v", work, ok, err)
			}
			return work
		}
		w.must(a.ListImport(ctx, begin(), steps("one", "two", "three", "four"), nil))
		for _, row := range []struct {
			name    string
			ctx     context.Context
			further bool
			later   bool // the job runs again without having failed
			undo    bool
		}{
			{"the server stops", canceled, false, false, true},
			{"it made progress", ctx, true, true, true},
			{"a fault", ctx, false, false, false},
		} {
			work := begin()
			err := a.FinishImportStep(row.ctx, transfer.StepResult{End: transfer.StepInterrupted, Work: work, Err: boom, Further: row.further})
			if row.later == errors.Is(err, boom) || err == nil || permanent(err) {
				t.Errorf("%s: %v", row.name, err)
			}
			if next := begin(); (next.Attempts == work.Attempts) != row.undo || next.Step.N != 1 {
				t.Errorf("%s: attempt %d after %d", row.name, next.Attempts, work.Attempts)
			}
			if running, err := a.RestartImportStep(ctx, &work); err != nil || !running {
				t.Errorf("%v, %v", running, err)
			}
		}
		// The eighth attempt of a step is the last, and the next step begins with a fresh count.
		for work := begin(); ; work = begin() {
			if work.Step.N != 1 {
				t.Fatalf("step %d", work.Step.N)
			}
			err := a.FinishImportStep(ctx, transfer.StepResult{End: transfer.StepInterrupted, Work: work, Err: boom, Reason: "The source does not answer"})
			if last := work.Attempts >= 8; !errors.Is(err, boom) || permanent(err) != last {
				t.Errorf("attempt %d: %v", work.Attempts, err)
			} else if last {
				break
			}
		}
		work := begin()
		if work.Step.N != 2 || work.Attempts != 1 {
			t.Errorf("%+v", work)
		}
		// If the server died in each attempt, the ninth gives the step up.
		for work.Attempts < 8 {
			work = begin()
		}
		if _, ok, err := a.BeginImport(ctx, id); ok || err != nil {
			t.Errorf("a ninth attempt: %v, %v", ok, err)
		}
		work = begin()
		if work.Step.N != 3 {
			t.Errorf("%+v", work)
		}
		w.must(a.FinishImportStep(ctx, transfer.StepResult{End: transfer.StepRefused, Work: work, Reason: "It is private"}))
		// A step that starts again forgets what it had left out, unless it continues from a later page.
		work = begin()
		work.Step.Counts.LeftOut = 1
		if running, err := a.NoteImport(ctx, work, []domain.LeftOut{{What: "x", Why: "y"}}); err != nil || !running {
			t.Errorf("%v, %v", running, err)
		}
		again := begin()
		again.Step.Page = 2
		if running, err := a.RestartImportStep(ctx, &again); err != nil || !running {
			t.Errorf("%v, %v", running, err)
		}
		if again.Step.Counts.LeftOut != 1 {
			t.Errorf("%+v", again.Step)
		}
		again.Step.Page = 1
		if running, err := a.RestartImportStep(ctx, &again); err != nil || !running {
			t.Errorf("%v, %v", running, err)
		}
		if again.Step.Counts.LeftOut != 0 {
			t.Errorf("%+v", again.Step)
		}
		w.must(a.FinishImportStep(ctx, transfer.StepResult{Work: again}))
		_, _, err := a.BeginImport(ctx, id)
		w.must(err)
		r, err := a.Import(ctx, ada, id)
		if w.must(err); r.State != domain.ImportDone || r.StepsDone != 4 || len(r.LeftOut) != 3 {
			t.Errorf("%+v", r)
		}
		for i, why := range []string{"The source does not answer", "Something went wrong on the server, several times", "It is private"} {
			if r.LeftOut[i].Why != why || r.Channels[i].State != domain.StepFailed {
				t.Errorf("step %d: %+v %+v", i+1, r.LeftOut[i], r.Channels[i])
			}
		}
		// An import whose account is suspended fails, even before it is listed.
		id = w.importing(ada, transfer.StartImportInput{})
		_, err = w.a.Operating.Suspend(ctx, domain.Ref{Slug: "ada"}, true)
		w.must(err)
		if _, ok, err := a.BeginImport(ctx, id); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		if r, err := a.Import(ctx, ada, id); err != nil || r.State != domain.ImportFailed || r.Reason == nil || *r.Reason != "The account is suspended" {
			t.Errorf("%+v, %v", r, err)
		}
		if _, ok, err := a.BeginImport(ctx, 1<<40); ok || err != nil {
			t.Errorf("an unknown import: %v, %v", ok, err)
		}
	})
}

func prepared(t *testing.T, in transfer.ImportItemInput) *transfer.PreparedItem {
	t.Helper()
	if in.Type == "" && !in.Nested {
		in.Type = domain.TextBlock
	}
	if in.Type == domain.TextBlock && in.Content == "" {
		in.Content = "Text " + in.ID
	}
	p, err := transfer.PrepareItem(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Importing a channel, its items and their comments again changes nothing, unless the source has changed. What was
// changed or removed here stays so.
func TestImportingAgain(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		const origin = "https://other.example"
		then := w.Clock.Now().Add(-1000 * time.Hour)
		channel := transfer.ImportChannelInput{ID: "c1", Title: "Finds", Description: "About", Visibility: domain.Private, Metadata: []byte(`{"k":"v"}`), CreatedAt: then}
		id, became, err := a.ImportChannel(ctx, ada, origin, channel)
		if w.must(err); became != transfer.Made {
			t.Fatalf("%v", became)
		}
		c, err := w.a.Collections.Channel(ctx, ada, domain.Ref{ID: int64(id)})
		if w.must(err); c.Title != "Finds" || c.Visibility != domain.Private || !c.CreatedAt.Equal(then) || c.Metadata != `{"k":"v"}` {
			t.Errorf("%+v", c)
		}
		for _, row := range []struct {
			name   string
			as     domain.Actor
			origin string
			change func(in *transfer.ImportChannelInput)
			became transfer.Brought
			same   bool
		}{
			{"again", ada, origin, func(*transfer.ImportChannelInput) {}, transfer.Unchanged, true},
			{"by somebody else", bob, origin, func(*transfer.ImportChannelInput) {}, transfer.Made, false},
			{"from another server", ada, "https://third.example", func(*transfer.ImportChannelInput) {}, transfer.Made, false},
			{"another date", ada, origin, func(in *transfer.ImportChannelInput) { in.CreatedAt = then.Add(time.Hour) }, transfer.Unchanged, true},
			{"another title", ada, origin, func(in *transfer.ImportChannelInput) { in.Title = "Found" }, transfer.Changed, true},
			{"another visibility", ada, origin, func(in *transfer.ImportChannelInput) { in.Visibility = domain.Public }, transfer.Unchanged, true},
			{"a title that stays", ada, origin, func(in *transfer.ImportChannelInput) { in.Title, in.KeepTitle = "Third", true }, transfer.Unchanged, true},
			{"another description", ada, origin, func(in *transfer.ImportChannelInput) { in.Description = "More" }, transfer.Changed, true},
			{"less metadata", ada, origin, func(in *transfer.ImportChannelInput) { in.Metadata = nil }, transfer.Changed, true},
		} {
			in := channel
			row.change(&in)
			got, became, err := a.ImportChannel(ctx, row.as, row.origin, in)
			if err != nil || became != row.became || (got == id) != row.same {
				t.Errorf("%s: %d, %v, %v", row.name, got, became, err)
			}
			if row.same {
				channel = in
				channel.KeepTitle = false
			}
		}
		c, err = w.a.Collections.Channel(ctx, ada, domain.Ref{ID: int64(id)})
		if w.must(err); c.Title != "Found" || c.Visibility != domain.Private || c.Description.Markdown != "More" || c.Metadata != "{}" {
			t.Errorf("%+v", c)
		}
		// A change here wins over a change there.
		title := "My title"
		_, err = w.a.Collections.UpdateChannel(ctx, ada, domain.Ref{ID: int64(id)}, collections.UpdateChannelInput{Title: &title})
		w.must(err)
		channel.Title, channel.Description = "Their title", "Their text"
		if _, became, err := a.ImportChannel(ctx, ada, origin, channel); err != nil || became != transfer.Changed {
			t.Errorf("%v, %v", became, err)
		}
		if c, err := w.a.Collections.Channel(ctx, ada, domain.Ref{ID: int64(id)}); err != nil || c.Title != title || c.Description.Markdown != "Their text" {
			t.Errorf("%+v, %v", c, err)
		}

		// Items.
		nested, _, err := a.ImportChannel(ctx, ada, origin, transfer.ImportChannelInput{ID: "c2", Title: "Nested"})
		w.must(err)
		items := func() []*transfer.PreparedItem {
			return []*transfer.PreparedItem{
				prepared(t, transfer.ImportItemInput{ID: "b1", CreatedAt: then, ConnectedAt: then.Add(time.Minute)}),
				prepared(t, transfer.ImportItemInput{ID: "b2", Title: "Two", Pinned: true, ConnectionMetadata: []byte(`{"n":1}`)}),
				prepared(t, transfer.ImportItemInput{ID: "b1"}), // twice in one batch
				prepared(t, transfer.ImportItemInput{ID: "c2", Nested: true}),
				prepared(t, transfer.ImportItemInput{ID: "c9", Nested: true}), // never imported
				prepared(t, transfer.ImportItemInput{ID: "c1", Nested: true}), // itself
			}
		}
		made, err := a.ImportItems(ctx, ada, origin, id, items(), transfer.Spot{Private: true})
		w.must(err)
		for i, want := range []transfer.NewItem{{Became: transfer.Made, Place: 1}, {Became: transfer.Made, Place: 2}, {Place: 1, Here: true}, {Place: 3}, {Lost: true}, {Lost: true}} {
			got := made[i]
			if got.Connection = 0; got != want {
				t.Errorf("item %d: %+v, want %+v", i, got, want)
			}
		}
		shelf := w.shelf(ada, domain.Ref{ID: int64(id)})
		if len(shelf) != 3 {
			t.Fatalf("%d items", len(shelf))
		}
		first, second := shelf[0], shelf[1]
		if first.Connection.Position > shelf[2].Connection.Position {
			first, second = shelf[2], shelf[1]
		}
		if !first.Block.CreatedAt.Equal(then) || !first.Connection.CreatedAt.Equal(then.Add(time.Minute)) || second.Block == nil || *second.Block.Title != "Two" ||
			!second.Connection.Pinned || second.Connection.Metadata != `{"n":1}` {
			t.Errorf("%+v %+v", first.Connection, second.Connection)
		}
		was := w.rows("blocks", "connections", "activities", "notifications")
		again, err := a.ImportItems(ctx, ada, origin, id, items(), transfer.Spot{Private: true})
		if w.must(err); !slices.Equal(w.rows("blocks", "connections", "activities", "notifications"), was) {
			t.Errorf("again made %v, before %v", w.rows("blocks", "connections", "activities", "notifications"), was)
		}
		for i, m := range again[:4] {
			if !m.Here || m.Became != transfer.Unchanged || m.Connection != made[i].Connection {
				t.Errorf("item %d again: %+v", i, m)
			}
		}
		if was[2] != 0 {
			t.Errorf("an import makes %d activities", was[2])
		}
		known, err := a.KnownItems(ctx, ada, origin, id, items())
		if w.must(err); known[0].Block == nil || known[0].Connection == nil || known[3].Block == nil || known[4].Block != nil || known[0].Blocked {
			t.Errorf("%+v", known)
		}
		for name, where := range map[string]struct {
			as     domain.Actor
			origin string
		}{"somebody else": {bob, origin}, "another server": {ada, "https://x.example"}} {
			if known, err := a.KnownItems(ctx, where.as, where.origin, id, items()[:1]); err != nil || known[0].Block != nil || known[0].Connection != nil {
				t.Errorf("known to %s: %+v, %v", name, known, err)
			}
		}
		// What was removed here stays removed.
		w.must(w.a.Collections.DeleteConnection(ctx, ada, made[1].Connection))
		if _, err := a.ImportItems(ctx, ada, origin, id, items(), transfer.Spot{}); err != nil || len(w.shelf(ada, domain.Ref{ID: int64(id)})) != 2 {
			t.Errorf("it is back, %v", err)
		}

		// Comments.
		comment := transfer.ImportCommentInput{ID: "k1", Block: "b1", Body: "Nice, @bob", CreatedAt: then}
		for _, row := range []struct {
			name   string
			as     domain.Actor
			change func(in *transfer.ImportCommentInput)
			want   byte
			became transfer.Brought
		}{
			{"first", ada, func(*transfer.ImportCommentInput) {}, '+', transfer.Made},
			{"again", ada, func(*transfer.ImportCommentInput) {}, '+', transfer.Unchanged},
			{"another text", ada, func(in *transfer.ImportCommentInput) { in.Body = "Nicer" }, '+', transfer.Changed},
			{"on an unknown block", ada, func(in *transfer.ImportCommentInput) { in.ID, in.Block = "k2", "b9" }, 'n', transfer.Unchanged},
			{"by somebody without the block", bob, func(*transfer.ImportCommentInput) {}, 'n', transfer.Unchanged},
			{"empty", ada, func(in *transfer.ImportCommentInput) { in.ID, in.Body = "k3", "" }, 'i', transfer.Unchanged},
			{"too long", ada, func(in *transfer.ImportCommentInput) { in.ID, in.Body = "k3", strings.Repeat("x", domain.MaxComment+1) }, 'i', transfer.Unchanged},
			{"a guest", domain.Actor{}, func(*transfer.ImportCommentInput) {}, 'f', transfer.Unchanged},
		} {
			in := comment
			row.change(&in)
			became, err := a.ImportComment(ctx, row.as, origin, in)
			if outcome(err) != row.want || became != row.became {
				t.Errorf("comment, %s: %v, %v", row.name, became, err)
			}
		}
		l, err := w.a.Collections.Comments(ctx, ada, first.Block.ID, false, somePage)
		if w.must(err); l.Total != 1 || l.Items[0].Body.Markdown != "Nicer" || !l.Items[0].CreatedAt.Equal(then) {
			t.Fatalf("%+v", l)
		}
		if n := w.rows("notifications"); n[0] != 0 {
			t.Error("somebody of the source was notified here")
		}
		w.must(w.a.Collections.DeleteComment(ctx, ada, l.Items[0].ID))
		comment.Body = "Nicest"
		if became, err := a.ImportComment(ctx, ada, origin, comment); err != nil || became != transfer.Removed {
			t.Errorf("a comment that was deleted here: %v, %v", became, err)
		}
		// A channel that was deleted here is made again, because the import names it.
		w.must(w.a.Collections.DeleteChannel(ctx, ada, domain.Ref{ID: int64(nested)}))
		if second, became, err := a.ImportChannel(ctx, ada, origin, transfer.ImportChannelInput{ID: "c2", Title: "Nested"}); err != nil || became != transfer.Made || second == nested {
			t.Errorf("%d, %v, %v", second, became, err)
		}
	})
}

// Importing needs the right to write, and to add to the channel. A private import adds to no visible channel.
func TestWhoMayImport(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		c := newCast(w)
		a, ctx := w.a.Transfer, w.ctx()
		const origin = "https://other.example"
		n := 0
		//                     grsofchmw    grsofchmw    grsofchmw
		permissions(c, viewers, []string{"public", "closed", "private"}, func(state string) place { return c.place(domain.Visibility(state)) }, []deed[place]{
			{"add an item", by("ff+++++++", "fffff++++", "nfnnn++++"), func(as domain.Actor, p place) error {
				n++
				_, err := a.ImportItems(ctx, as, origin, p.id, []*transfer.PreparedItem{prepared(t, transfer.ImportItemInput{ID: fmt.Sprint("b", n)})}, transfer.Spot{})
				return err
			}},
			{"add an item privately", by("ffuuuuuuu", "fffffuuuu", "nfnnn++++"), func(as domain.Actor, p place) error {
				n++
				_, err := a.ImportItems(ctx, as, origin, p.id, []*transfer.PreparedItem{prepared(t, transfer.ImportItemInput{ID: fmt.Sprint("b", n)})},
					transfer.Spot{Private: true})
				return err
			}},
			{"create a channel", by("ff+++++++", "ff+++++++", "ff+++++++"), func(as domain.Actor, _ place) error {
				n++
				_, _, err := a.ImportChannel(ctx, as, origin, transfer.ImportChannelInput{ID: fmt.Sprint("c", n), Title: "Mine"})
				return err
			}},
			{"create a block in no channel", by("ff+++++++", "ff+++++++", "ff+++++++"), func(as domain.Actor, _ place) error {
				n++
				made, err := a.ImportOrphan(ctx, as, origin, []*transfer.PreparedItem{prepared(t, transfer.ImportItemInput{ID: fmt.Sprint("o", n)})})
				if err == nil && made[0].Became != transfer.Made {
					err = fmt.Errorf("became %v", made[0].Became)
				}
				return err
			}},
		})
		_, err := a.ImportItems(ctx, c.as["owner"], origin, 1<<40, []*transfer.PreparedItem{prepared(t, transfer.ImportItemInput{ID: "x"})}, transfer.Spot{})
		w.want(domain.NotFound, err)
	})
}

// An import from a place whose channels everyone can see is refused if it is private.
func TestPrivateImports(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		const origin = "file:1"
		refusal := func(as domain.Actor, origin string) error {
			t.Helper()
			visible, err := a.VisibleChannels(ctx, as, origin)
			w.must(err)
			return transfer.ConsentError(visible)
		}
		w.must(refusal(ada, origin))
		for n, v := range []domain.Visibility{domain.Private, domain.Private} {
			_, _, err := a.ImportChannel(ctx, ada, origin, transfer.ImportChannelInput{ID: fmt.Sprint(n), Title: fmt.Sprint("Private ", n), Visibility: v})
			w.must(err)
		}
		w.must(refusal(ada, origin))
		for n := range 7 {
			_, _, err := a.ImportChannel(ctx, ada, origin, transfer.ImportChannelInput{ID: fmt.Sprint("v", n), Title: fmt.Sprint("Visible ", n), Visibility: []domain.Visibility{domain.Public, domain.Closed}[n%2]})
			w.must(err)
		}
		err := refusal(ada, origin)
		w.want(domain.Unprocessable, err)
		if text := err.Error(); strings.Contains(text, "Private") || !strings.Contains(text, "“Visible 4”, …") || strings.Contains(text, "Visible 5") {
			t.Errorf("%s", text)
		}
		w.must(refusal(bob, origin))
		w.must(refusal(ada, "file:2"))
	})
}

// A file continues under the origin of an earlier one if a third of its blocks came from there.
func TestOriginOfFiles(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Transfer, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		_, _, err := a.ImportChannel(ctx, ada, "old", transfer.ImportChannelInput{ID: "c", Title: "Old"})
		w.must(err)
		var items []*transfer.PreparedItem
		for n := range 3 {
			items = append(items, prepared(t, transfer.ImportItemInput{ID: fmt.Sprint("b", n)}))
		}
		_, err = a.ImportOrphan(ctx, ada, "old", items)
		w.must(err)
		sample := func(ids ...string) func(context.Context) [][]string {
			return func(context.Context) (all [][]string) {
				for _, id := range ids {
					all = append(all, strings.Split(id, "|"))
				}
				return all
			}
		}
		for _, row := range []struct {
			name   string
			as     domain.Actor
			id     transfer.Identity
			origin string
		}{
			{"nothing earlier", ada, transfer.Identity{Origin: "new-0", Sample: sample("b0")}, "new-0"},
			{"all of it", ada, transfer.Identity{Origin: "new-1", Others: []string{"old"}, Sample: sample("b0", "b1")}, "old"},
			{"exactly a third", ada, transfer.Identity{Origin: "new-2", Others: []string{"old"}, Sample: sample("b0", "x", "y")}, "old"},
			{"less than a third", ada, transfer.Identity{Origin: "new-3", Others: []string{"old"}, Sample: sample("b0", "x", "y", "z")}, "new-3"},
			{"under an earlier id", ada, transfer.Identity{Origin: "new-4", Others: []string{"old"}, Sample: sample("x|b2")}, "old"},
			{"an empty file", ada, transfer.Identity{Origin: "new-5", Others: []string{"old"}, Sample: sample()}, "new-5"},
			{"the former origin", ada, transfer.Identity{Origin: "new-6", Former: "old", Sample: sample("b1")}, "old"},
			{"somebody else's file", bob, transfer.Identity{Origin: "new-7", Others: []string{"old"}, Sample: sample("b0")}, "new-7"},
		} {
			for _, dry := range []bool{true, false, false} {
				was := w.rows("origins")
				got, err := a.OriginOf(ctx, row.as, row.id, dry)
				if err != nil || got != row.origin {
					t.Errorf("%s: %q, %v, want %q", row.name, got, err, row.origin)
				}
				if dry && w.rows("origins")[0] != was[0] {
					t.Errorf("%s: noted although dry", row.name)
				}
			}
			// Once it is noted, the file keeps its origin even if it grows.
			row.id.Sample = sample("p", "q", "r", "s")
			if got, err := a.OriginOf(ctx, row.as, row.id, false); err != nil || got != row.origin {
				t.Errorf("%s, grown: %q, %v, want %q", row.name, got, err, row.origin)
			}
		}
	})
}

// Presigned addresses and uploads: how many, how large, and whose.
func TestUploadsOfUsers(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		send := func(as domain.Actor, text string) (content.ReceivedFile, error) {
			return a.ReceiveFile(ctx, as, content.FormFile{Name: "a.txt", ContentType: "text/plain", Body: strings.NewReader(text)})
		}
		file, err := send(ada, "some bytes")
		w.must(err)
		for _, row := range []struct {
			name  string
			as    domain.Actor
			value string
			want  byte
			named bool
		}{
			{"its owner", ada, file.Value, '+', true},
			{"somebody else", bob, file.Value, 'i', true},
			{"a guest", domain.Actor{}, file.Value, 'i', true},
			{"another key", ada, file.Value + "x", 'i', true},
			{"another address", ada, "https://example.org/a.txt", '+', false},
		} {
			u, named, err := a.UploadNamed(ctx, row.as, "value", row.value)
			if outcome(err) != row.want || err == nil && named != row.named || row.want == '+' && row.named && u.UserID != ada.UserID {
				t.Errorf("%s: %+v, %v, %v", row.name, u, named, err)
			}
			_, err = w.a.Collections.CreateBlock(ctx, row.as, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: row.value},
				Targets: []collections.Target{{Channel: domain.Ref{ID: 1 << 40}}}})
			if want := map[bool]byte{true: 'i', false: 'n'}[row.want == 'i']; outcome(err) != want {
				t.Errorf("%s creates a block: %v, want %c", row.name, err, want)
			}
		}
		for _, n := range []int{0, domain.MaxUploads + 1} {
			_, err := a.Presign(ctx, ada, make([]content.FileInput, n))
			w.want(domain.Invalid, err)
		}
		many := slices.Repeat([]content.FileInput{{Name: "a.txt", ContentType: "text/plain"}}, domain.MaxUploads)
		was := w.rows("uploads")
		for n := was[0]; n+domain.MaxUploads <= content.MaxOpenUploads; n += domain.MaxUploads {
			_, err := a.Presign(ctx, ada, many)
			w.must(err)
		}
		_, err = a.Presign(ctx, ada, many) // more than are left
		w.want(domain.Forbidden, err)
		_, err = a.Presign(ctx, ada, many[:domain.MaxUploads-1]) // up to the limit
		w.must(err)
		_, err = send(ada, "one more")
		w.want(domain.Forbidden, err)
		if n := w.rows("uploads"); n[0] != content.MaxOpenUploads {
			t.Errorf("%d uploads", n[0])
		}
		_, err = send(bob, "his own")
		w.must(err)
		// Unused addresses expire and no longer count towards the limit.
		w.Clock.Advance(content.UploadTTL)
		_, err = send(ada, "again")
		w.must(err)
		usage, _, err := a.ByteUsage(ctx, ada)
		if w.must(err); usage.Unused != int64(len("some bytes")+len("again")) || usage.Uploads != 2 {
			t.Errorf("%+v", usage)
		}
	})
}

// A user's bytes stop at the quota: the last byte fits, nothing is left of what does not, and concurrent uploads do not
// use the same bytes.
func TestQuotaAtTheEdge(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.Content, w.ctx()
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		send := func(as domain.Actor, bytes int) (content.ReceivedFile, error) {
			return a.ReceiveFile(ctx, as, content.FormFile{Name: "a.txt", ContentType: "text/plain", Body: strings.NewReader(strings.Repeat("x", bytes))})
		}
		unused := func(as domain.Actor) int64 {
			t.Helper()
			u, q, err := a.ByteUsage(ctx, as)
			if w.must(err); q.Unused != 100 {
				t.Fatalf("%+v", q)
			}
			return u.Unused
		}
		var kept []content.ReceivedFile
		for i, row := range []struct {
			bytes int
			want  byte
			used  int64
		}{{101, 'f', 0}, {60, '+', 60}, {41, 'f', 60}, {39, '+', 99}, {2, 'f', 99}, {1, '+', 100}, {1, 'f', 100}} {
			f, err := send(ada, row.bytes)
			if got := unused(ada); outcome(err) != row.want || got != row.used {
				t.Errorf("%d: %d bytes: %v, %d used", i, row.bytes, err, got)
			}
			if err == nil {
				kept = append(kept, f)
			}
		}
		if n := w.rows("byte_reservations"); n[0] != 0 {
			t.Errorf("%d reservations are left", n[0])
		}
		// A file that a block uses no longer counts towards the limit.
		home := storetest.Channel(t, w.S.Store, ada.UserID, "Home", domain.Private)
		b, err := w.a.Collections.CreateBlock(ctx, ada, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: kept[0].Value},
			Targets: []collections.Target{{Channel: domain.Ref{ID: int64(home)}}}})
		w.must(err)
		w.WorkJobs()
		if got := unused(ada); got != 40 {
			t.Errorf("%d used", got)
		}
		_, err = send(ada, 60)
		w.must(err)
		w.must(w.a.Collections.DeleteBlock(ctx, ada, b.ID))
		if got := unused(ada); got != 100 {
			t.Errorf("%d used", got)
		}
		var fit atomic.Int64
		var g sync.WaitGroup
		for range 6 {
			g.Go(func() {
				if _, err := send(bob, 30); err == nil {
					fit.Add(1)
				} else if domain.KindOf(err) != domain.Forbidden && domain.KindOf(err) != domain.TooMany && domain.KindOf(err) != domain.Unavailable {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if got := unused(bob); fit.Load() > 3 || got != 30*fit.Load() {
			t.Errorf("%d of 30 bytes fit, %d used", fit.Load(), got)
		}
	}, func(c *config.Config) {
		c.QuotaUnused = map[string]int64{"free": 100, "premium": 100, "supporter": 100}
	})
}

// permanent reports whether a job that returns an error does not run again.
func permanent(err error) bool { return errors.Is(err, jobs.Permanent(io.EOF)) }
