package app_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// estate contains grace's things, and those of others in her channels.
type estate struct {
	*apptest.Rig
	grace           domain.Actor
	open, private   int64 // her channels
	others          int64 // alan's channel, which contains a block of hers
	lonely, shared  int64 // her blocks
	alans           int64 // a block of alan in her channel
	handed, deleted domain.GroupID
	guild           int64 // the channel of the group that is deleted with her
	hall            int64 // the channel of the group that is handed over
	helped          int64 // alan's private channel, in which she collaborates
}

func newEstate(r *apptest.Rig) *estate {
	for _, name := range []string{"ada", "alan", "edsger", "grace"} { // ada is the operator
		r.Person(name)
	}
	e := &estate{Rig: r, grace: domain.Actor{UserID: r.Person("grace").ID, Scope: domain.ScopeWrite}}
	channel := func(as string, fields map[string]any) int64 {
		return r.Do(as, http.MethodPost, "/v3/channels", fields).Want(http.StatusCreated).Int("id")
	}
	block := func(as, value string, channels ...int64) int64 {
		return r.Do(as, http.MethodPost, "/v3/blocks", map[string]any{"value": value, "channel_ids": channels}).Want(http.StatusCreated).Int("id")
	}
	e.open = channel("grace", map[string]any{"title": "Compilers"})
	e.private = channel("grace", map[string]any{"title": "Diary", "visibility": "private"})
	e.others = channel("alan", map[string]any{"title": "Machines"})
	e.helped = channel("alan", map[string]any{"title": "Secrets", "visibility": "private"})
	r.Collaborate("alan", e.others, "grace")
	r.Collaborate("alan", e.helped, "grace")
	r.Collaborate("grace", e.private, "edsger")
	e.lonely, e.shared = block("grace", "nanosecond wires", e.open, e.private), block("grace", "debugging moths", e.open, e.others)
	r.Collaborate("grace", e.open, "alan")
	e.alans = block("alan", "undecidable", e.open, e.others)
	r.Connect("alan", "Channel", e.open, e.others)
	e.handed, e.deleted = r.Group("Navy", "grace", "edsger", "alan"), r.Group("Hermits", "grace")
	e.guild = channel("grace", map[string]any{"title": "Cave", "owner": map[string]any{"type": "Group", "id": int64(e.deleted)}})
	e.hall = channel("grace", map[string]any{"title": "Hall", "owner": map[string]any{"type": "Group", "id": int64(e.handed)}})
	block("grace", "in the cave", e.guild)
	r.Do("grace", http.MethodPost, fmt.Sprintf("/v3/blocks/%d/comments", e.alans), map[string]any{"body": "hello @alan"}).Want(http.StatusCreated)
	r.Do("alan", http.MethodPost, fmt.Sprintf("/v3/blocks/%d/comments", e.shared), map[string]any{"body": "hello @grace"}).Want(http.StatusCreated)
	follow := func(as string, kind domain.SubjectType, id int64) {
		actor := domain.Actor{UserID: r.Person(as).ID, Scope: domain.ScopeWrite}
		if err := r.S.App.People.Follow(r.T.Context(), actor, people.FollowTarget{Type: kind, Ref: domain.Ref{ID: id}}); err != nil {
			r.T.Fatal(err)
		}
	}
	follow("grace", domain.SubjectUser, int64(r.Person("alan").ID))
	follow("grace", domain.SubjectChannel, e.others)
	follow("alan", domain.SubjectUser, int64(e.grace.UserID))
	follow("edsger", domain.SubjectChannel, e.open)
	follow("edsger", domain.SubjectUser, int64(e.grace.UserID))
	block("alan", "for the feed", e.others)
	block("grace", "for the feed too", e.others)
	return e
}

func (e *estate) die() {
	e.T.Helper()
	if err := e.S.App.Accounts.DeleteAccount(e.T.Context(), e.grace, e.Proved(e.grace.UserID), "grace"); err != nil {
		e.T.Fatal(err)
	}
}

// gone fails unless paths return 404 to alan.
func (e *estate) gone(paths ...string) {
	e.T.Helper()
	for _, path := range paths {
		if res := e.Do("alan", http.MethodGet, path, nil); res.Status != http.StatusNotFound {
			e.T.Errorf("%s: %d", path, res.Status)
		}
	}
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		e := newEstate(r)
		f, err := r.S.App.Accounts.PreviewDeletion(t.Context(), e.grace)
		if err != nil || f.Channels != 3 || f.Blocks != 2 || f.SharedBlocks != 2 || f.Comments != 1 || f.OnlyOperator ||
			len(f.GroupsHanded) != 1 || len(f.GroupsDeleted) != 1 || f.GroupsDeleted[0].ID != e.deleted {
			t.Errorf("%+v, %v", f, err)
		}
		e.die()
		r.Do("grace", http.MethodGet, "/v3/me", nil).Want(http.StatusUnauthorized)
		id := e.grace.UserID
		hidden := []string{"/v3/users/grace", fmt.Sprintf("/v3/users/%d", id), fmt.Sprintf("/v3/users/deleted-account-%d", id),
			fmt.Sprintf("/v3/channels/%d", e.open), fmt.Sprintf("/v3/channels/%d", e.private), "/v3/channels/compilers"}
		e.gone(hidden...)
		storetest.Check(t, r.S.Store) // before the job, too
		for range 2 {
			if err := r.S.App.Accounts.ClearAccount(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			e.cleared(hidden)
		}
		r.WorkJobs()
		e.cleared(hidden)
	})
}

// cleared checks the remaining data of grace.
func (e *estate) cleared(hidden []string) {
	e.T.Helper()
	e.gone(append(hidden, fmt.Sprintf("/v3/blocks/%d", e.lonely), fmt.Sprintf("/v3/channels/%d", e.guild))...)
	shared := e.Get("alan", "/v3/blocks/%d", e.shared)
	if name := shared.Str("user.name"); name != "Deleted account" {
		e.T.Errorf("the shared block is by %q", name)
	}
	e.Get("alan", "/v3/blocks/%d", e.alans)
	if n := e.Get("alan", "/v3/blocks/%d/comments", e.alans).Len("data"); n != 0 {
		e.T.Errorf("%d comments of hers", n)
	}
	if n := e.Get("alan", "/v3/blocks/%d/comments", e.shared).Len("data"); n != 1 {
		e.T.Errorf("%d comments of others", n)
	}
	e.Get("edsger", "/v3/channels/%d", e.hall)
	g, err := e.S.App.People.Group(e.T.Context(), domain.Actor{}, domain.Ref{ID: int64(e.handed)})
	if err != nil || domain.UserID(g.Owner.ID) != e.Person("alan").ID && domain.UserID(g.Owner.ID) != e.Person("edsger").ID || g.Users != 2 {
		e.T.Errorf("%+v, %v", g, err)
	}
	if _, err := e.S.App.People.Group(e.T.Context(), domain.Actor{}, domain.Ref{ID: int64(e.deleted)}); domain.KindOf(err) != domain.NotFound {
		e.T.Errorf("the group of nobody: %v", err)
	}
	d, id := e.Dump(), fmt.Sprint(e.grace.UserID)
	for _, table := range []string{"notifications", "inboxes", "group_members", "collaborators", "follows", "comments", "sessions"} {
		for _, row := range d[table] {
			fields := strings.Split(row, " | ")
			if column := map[string]int{"group_members": 1, "collaborators": 2, "follows": 1, "comments": 2, "sessions": 1}[table]; fields[column] == id {
				e.T.Errorf("%s: %s", table, row)
			}
		}
	}
	for table, rows := range d {
		if slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "grace@example.org") }) {
			e.T.Errorf("%s has the address", table)
		}
	}
}

// The job is interrupted at each statement until it finishes. All derived values are right after each interruption.
func TestClearAccountIsCutOff(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		e := newEstate(r)
		e.die()
		cuts := 0
		for n := int64(3); ; n += 7 {
			ctx, cancel := context.WithCancel(t.Context())
			var left atomic.Int64
			left.Store(n)
			end := r.Intercept(func(context.Context, string) {
				if left.Add(-1) == 0 {
					cancel()
				}
			})
			err := r.S.App.Accounts.ClearAccount(ctx, e.grace.UserID)
			end()
			cancel()
			if err == nil {
				break
			}
			cuts++
			storetest.Check(t, r.S.Store)
		}
		if cuts < 5 {
			t.Errorf("cut off %d times only", cuts)
		}
		e.cleared(nil)
	})
}

func TestDeleteAccountRefusals(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		grace := w.member("grace")
		w.want(domain.Invalid, w.a.Accounts.DeleteAccount(w.ctx(), grace, w.Proved(grace.UserID), "ada"))
		w.want(domain.Unprocessable, w.a.Accounts.DeleteAccount(w.ctx(), ada, w.Proved(ada.UserID), "ada"))
		if f, err := w.a.Accounts.PreviewDeletion(w.ctx(), ada); err != nil || !f.OnlyOperator {
			t.Error(f, err)
		}
		token, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), grace, accounts.TokenInput{Name: "cli", Scope: domain.ScopeWrite})
		w.must(err)
		session := w.signIn("grace")
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "grace@example.org"))
		link := w.token("grace@example.org")
		w.must(w.a.Accounts.DeleteAccount(w.ctx(), grace, w.Proved(grace.UserID), "grace"))
		_, err = w.a.Accounts.Authenticate(w.ctx(), token)
		w.want(domain.Unauthenticated, err)
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, session)
		w.want(domain.Unauthenticated, err)
		w.want(domain.NotFound, w.a.Accounts.PasswordLink(w.ctx(), link))
		_, err = w.a.Accounts.SignIn(w.ctx(), home, "grace@example.org", password)
		w.want(domain.Unauthenticated, err)
		w.want(domain.NotFound, w.a.Accounts.DeleteAccount(w.ctx(), grace, w.Proved(grace.UserID), "grace"))
		// The address is free, but the slug is not.
		_, err = w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Slug: "grace", Name: "Grace", Email: "new@example.org", Tier: domain.TierFree})
		w.want(domain.Invalid, err)
		_, err = w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Name: "Grace", Email: "grace@example.org", Tier: domain.TierFree})
		w.must(err)
		w.WorkJobs()
		alan := w.adopt(ada, "alan")
		w.must(w.a.Accounts.DeleteAccount(w.ctx(), alan, w.Proved(alan.UserID), "alan"))
	})
}

// adopt creates another operator.
func (w *accountsRig) adopt(by domain.Actor, name string) domain.Actor {
	w.t.Helper()
	actor := w.member(name)
	_, err := w.a.Operating.SetAccount(w.ctx(), by, actor.UserID, office(domain.OfficeOperator))
	w.must(err)
	return actor
}

// Concurrent changes of one profile are serialised: none overwrites another, whether it changes the profile or deletes
// the account.
func TestProfileAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		who := w.first("ada")
		change := func(in people.UpdateMeInput) {
			if _, err := w.a.People.UpdateMe(w.ctx(), who, in); err != nil && domain.KindOf(err) != domain.NotFound {
				t.Error(err)
			}
		}
		for i := range 25 {
			text := fmt.Sprintf("round %d", i)
			var g sync.WaitGroup
			g.Go(func() { change(people.UpdateMeInput{Name: &text}) })
			g.Go(func() { change(people.UpdateMeInput{Bio: core.Patch{Set: true, Value: &text}}) })
			g.Wait()
			if u, err := w.a.People.Me(w.ctx(), who); err != nil || u.Name != text || u.Bio == nil || u.Bio.Plain != text {
				t.Fatalf("%s: %q, %v, %v", text, u.Name, u.Bio, err)
			}
		}
		late := "written late"
		var g sync.WaitGroup
		for range 8 {
			g.Go(func() { change(people.UpdateMeInput{Name: &late}) })
		}
		g.Go(func() {
			if err := w.a.Accounts.DeleteAccount(w.ctx(), who, w.Proved(who.UserID), "ada"); err != nil {
				t.Error(err)
			}
		})
		g.Wait()
		w.must(w.a.Accounts.ClearAccount(w.ctx(), who.UserID)) // the job, which also clears the changes
		for table, rows := range w.Dump() {
			if slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, late) }) {
				t.Errorf("%s has what was written late", table)
			}
		}
	})
}

// No grant survives if it is created while the owner of the application is being deleted.
func TestAllowWhileDeleting(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		for i := range 6 {
			owner := fmt.Sprintf("owner%d", i)
			grace, err := w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Slug: owner, Name: owner, Email: owner + "@example.org", Tier: domain.TierFree})
			w.must(err)
			actor := domain.Actor{UserID: grace.ID, Scope: domain.ScopeWrite}
			_, reader, err := w.a.Accounts.CreateApplication(w.ctx(), actor, accounts.ApplicationInput{Name: "Reader", RedirectURIs: []string{"https://reader.example/back"}})
			w.must(err)
			var g sync.WaitGroup
			for j := range 8 {
				who := domain.Actor{UserID: w.Person(fmt.Sprintf("r%d", j)).ID, Scope: domain.ScopeWrite}
				g.Go(func() {
					_, _ = w.a.Accounts.Allow(w.ctx(), who, accounts.AuthorizationRequest{ClientID: reader.ClientID, ResponseType: "code"})
				})
			}
			g.Go(func() {
				if err := w.a.Accounts.DeleteAccount(w.ctx(), actor, w.Proved(actor.UserID), owner); err != nil {
					t.Error(err)
				}
			})
			g.Wait()
		}
		if d := w.Dump(); len(d["grants"])+len(d["authorization_codes"]) > 0 {
			t.Errorf("grants %v, codes %v", d["grants"], d["authorization_codes"])
		}
	})
}

// If two operators delete their accounts at the same moment, one of them remains.
func TestOperatorsLeaveAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		cast := map[string]domain.Actor{"ada": ada, "grace": w.adopt(ada, "grace"), "alan": w.adopt(ada, "alan")}
		w.member("edsger")
		var g sync.WaitGroup
		var left atomic.Int64
		for name, actor := range cast {
			g.Go(func() {
				err := w.a.Accounts.DeleteAccount(w.ctx(), actor, w.Proved(actor.UserID), name)
				if domain.KindOf(err) == domain.Unprocessable && err != nil {
					left.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if left.Load() != 1 {
			t.Errorf("%d operators are left", left.Load())
		}
		w.Clock.Advance(2 * time.Hour)
		w.HastenJobs()
		w.WorkJobs()
	})
}
