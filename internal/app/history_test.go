package app_test

import (
	"fmt"
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

// historyOf describes the versions of a block, the newest first: number, author and content.
func historyOf(w *accountsRig, as domain.Actor, id domain.BlockID) string {
	w.t.Helper()
	h, err := w.a.Collections.BlockHistory(w.ctx(), as, id)
	w.must(err)
	var all []string
	for _, v := range h.Versions {
		_, is, _, err := w.a.Collections.BlockVersion(w.ctx(), as, id, v.Number)
		w.must(err)
		all = append(all, fmt.Sprint(v.Number, " ", v.By.Name, " ", *is.Texts.Content))
	}
	return strings.Join(all, ", ")
}

func TestHistory(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, bob := w.member("ada"), w.member("bob")
		garden := storetest.Channel(t, w.S.Store, ada.UserID, "The garden", domain.Public)
		b, err := w.a.Collections.CreateBlock(w.ctx(), ada, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: "moss"},
			Targets: []collections.Target{{Channel: domain.Ref{ID: int64(garden)}}}})
		w.must(err)
		edit := func(content string) {
			t.Helper()
			_, err := w.a.Collections.UpdateBlock(w.ctx(), ada, b.ID, collections.UpdateBlockInput{Content: &content})
			w.must(err)
		}
		wants := func(want string) {
			t.Helper()
			if got := historyOf(w, ada, b.ID); got != want {
				t.Errorf("versions %s, want %s", got, want)
			}
		}
		if n := len(w.Dump()["text_versions"]); n != 0 {
			t.Errorf("creating a block made %d versions", n)
		}
		wants("1 Ada moss")
		edit("mos")
		edit("green moss") // at once, so no further version
		wants("2 Ada green moss, 1 Ada moss")
		_, err = w.a.Collections.UpdateBlock(w.ctx(), ada, b.ID, collections.UpdateBlockInput{Metadata: []byte(`{"tags":"wet"}`)})
		w.must(err)
		w.Clock.Advance(6 * time.Minute)
		edit("wet moss")
		wants("3 Ada wet moss, 2 Ada green moss, 1 Ada moss")

		// Restoring is a change that makes a version, and fails if the texts are others than the user saw.
		h, err := w.a.Collections.BlockHistory(w.ctx(), ada, b.ID)
		w.must(err)
		if err := w.a.Collections.RestoreBlock(w.ctx(), ada, b.ID, 1, "old"); domain.KindOf(err) != domain.Conflict {
			t.Errorf("restoring over an unseen text: %v", err)
		}
		if err := w.a.Collections.RestoreBlock(w.ctx(), ada, b.ID, 9, h.Texts.Digest()); domain.KindOf(err) != domain.NotFound {
			t.Errorf("restoring a version that does not exist: %v", err)
		}
		w.must(w.a.Collections.RestoreBlock(w.ctx(), ada, b.ID, 1, h.Texts.Digest()))
		wants("4 Ada moss, 3 Ada wet moss, 2 Ada green moss, 1 Ada moss")

		// Only the author sees them.
		for name, as := range map[string]domain.Actor{"another user": bob, "a guest": {}} {
			if _, err := w.a.Collections.BlockHistory(w.ctx(), as, b.ID); domain.KindOf(err) != domain.Forbidden {
				t.Errorf("%s lists versions: %v", name, err)
			}
			if _, _, _, err := w.a.Collections.BlockVersion(w.ctx(), as, b.ID, 1); domain.KindOf(err) != domain.Forbidden {
				t.Errorf("%s reads a version: %v", name, err)
			}
			if err := w.a.Collections.RestoreBlock(w.ctx(), as, b.ID, 1, h.Texts.Digest()); domain.KindOf(err) != domain.Forbidden {
				t.Errorf("%s restores a version: %v", name, err)
			}
		}

		// The first version and the newest ones stay.
		for i := range domain.KeptVersions + 10 {
			w.Clock.Advance(6 * time.Minute)
			edit(fmt.Sprint("moss ", i))
		}
		if n := len(w.Dump()["text_versions"]); n != domain.KeptVersions {
			t.Errorf("%d versions are kept", n)
		}
		got := strings.Split(historyOf(w, ada, b.ID), ", ")
		if len(got) != domain.KeptVersions || got[0] != "114 Ada moss 109" || got[1] != "113 Ada moss 108" || got[98] != "16 Ada moss 11" || got[99] != "1 Ada moss" {
			t.Errorf("%d versions: %s … %s", len(got), got[:2], got[len(got)-2:])
		}
		checkClean(w)
		w.must(w.a.Collections.DeleteBlock(w.ctx(), ada, b.ID))
		if n := len(w.Dump()["text_versions"]); n != 0 {
			t.Errorf("%d versions are left of a deleted block", n)
		}
	})
}

func checkClean(w *accountsRig) {
	w.t.Helper()
	found, err := w.S.Store.Check(w.ctx(), 10)
	w.must(err)
	if len(found) > 0 {
		w.t.Errorf("the check finds %v", found)
	}
}

// Collaborators see the versions of a channel, also those of a deleted account.
func TestHistoryOfChannel(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.member("olga")
		ada, bob, eve := w.member("ada"), w.member("bob"), w.member("eve")
		garden := storetest.Channel(t, w.S.Store, ada.UserID, "The garden", domain.Public)
		ref := domain.Ref{ID: int64(garden)}
		_, err := w.a.Collections.AddCollaborators(w.ctx(), ada, ref, domain.UserRef(bob.UserID))
		w.must(err)
		edit := func(as domain.Actor, title, description string) {
			t.Helper()
			_, err := w.a.Collections.UpdateChannel(w.ctx(), as, ref, collections.UpdateChannelInput{Title: &title, Description: core.Patch{Set: true, Value: &description}})
			w.must(err)
		}
		edit(bob, "The pond", "Wet")
		edit(ada, "The lake", "Wetter")
		_, err = w.a.Collections.UpdateChannel(w.ctx(), ada, ref, collections.UpdateChannelInput{Visibility: new(domain.Closed)})
		w.must(err)
		describe := func() string {
			h, err := w.a.Collections.ChannelHistory(w.ctx(), ada, ref)
			w.must(err)
			var all []string
			for _, v := range h.Versions {
				_, is, before, err := w.a.Collections.ChannelVersion(w.ctx(), ada, ref, v.Number)
				w.must(err)
				all = append(all, fmt.Sprint(v.Number, " ", v.By.Name, " ", *is.Texts.Title, " ", before != nil))
			}
			return strings.Join(all, ", ")
		}
		if got, want := describe(), "3 Ada The lake true, 2 Bob The pond true, 1 Ada The garden false"; got != want {
			t.Errorf("versions %s, want %s", got, want)
		}
		if _, err := w.a.Collections.ChannelHistory(w.ctx(), bob, ref); err != nil {
			t.Errorf("a collaborator: %v", err)
		}
		if _, err := w.a.Collections.ChannelHistory(w.ctx(), eve, ref); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("somebody else: %v", err)
		}
		h, err := w.a.Collections.ChannelHistory(w.ctx(), bob, ref)
		w.must(err)
		w.must(w.a.Collections.RestoreChannel(w.ctx(), bob, ref, 1, h.Texts.Digest()))
		if got, want := describe(), "4 Bob The garden true, 3 Ada The lake true, 2 Bob The pond true, 1 Ada The garden false"; got != want {
			t.Errorf("versions %s, want %s", got, want)
		}
		pond := storetest.Block(t, w.S.Store, bob.UserID, "A pond")
		storetest.Connect(t, w.S.Store, bob.UserID, garden, domain.BlockRef(pond), 0)
		_, err = w.a.Collections.UpdateBlock(w.ctx(), bob, pond, collections.UpdateBlockInput{Content: new("A lake")})
		w.must(err)
		w.must(w.a.Accounts.DeleteAccount(w.ctx(), bob, w.Proved(bob.UserID), "bob"))
		if got, want := describe(), "4 Deleted account The garden true, 3 Ada The lake true, 2 Deleted account The pond true, 1 Ada The garden false"; got != want {
			t.Errorf("versions %s, want %s", got, want)
		}
		if n := len(w.Dump()["text_versions"]); n != 3 {
			t.Errorf("%d versions are left of the channel and the block of a deleted account", n)
		}
		w.must(w.a.Collections.DeleteChannel(w.ctx(), ada, ref))
		if n := len(w.Dump()["text_versions"]); n != 0 {
			t.Errorf("%d versions are left of a deleted channel", n)
		}
		checkClean(w)
	})
}

// Changes at the same time lose no version.
func TestHistoryOfChangesAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.member("ada")
		garden := storetest.Channel(t, w.S.Store, ada.UserID, "Title 0", domain.Public)
		ref := domain.Ref{ID: int64(garden)}
		by := []domain.Actor{ada}
		for i := range 7 {
			by = append(by, w.member(fmt.Sprint("bob-", i)))
		}
		refs := make([]domain.PrincipalRef, 0, len(by))
		for _, a := range by[1:] {
			refs = append(refs, domain.UserRef(a.UserID))
		}
		_, err := w.a.Collections.AddCollaborators(w.ctx(), ada, ref, refs...)
		w.must(err)
		var all sync.WaitGroup
		for i, as := range by {
			all.Go(func() {
				title := fmt.Sprint("Title ", i+1)
				if _, err := w.a.Collections.UpdateChannel(w.ctx(), as, ref, collections.UpdateChannelInput{Title: &title}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		h, err := w.a.Collections.ChannelHistory(w.ctx(), ada, ref)
		w.must(err)
		seen := map[string]bool{}
		for _, v := range h.Versions {
			_, is, _, err := w.a.Collections.ChannelVersion(w.ctx(), ada, ref, v.Number)
			w.must(err)
			seen[*is.Texts.Title] = true
			if n := v.By.ID; *is.Texts.Title != "Title 0" && *is.Texts.Title != fmt.Sprint("Title ", int64(n)-int64(ada.UserID)+1) {
				t.Errorf("%s by user %d", *is.Texts.Title, n)
			}
		}
		if len(h.Versions) != 9 || len(seen) != 9 {
			t.Errorf("%d versions with %d titles", len(h.Versions), len(seen))
		}
	})
}

// People see the versions of their profile, owners those of their group. Deleting the account or the group deletes them.
func TestHistoryOfPeople(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.member("olga")
		ada, bob := w.member("ada"), w.member("bob")
		g, err := w.a.People.CreateGroup(w.ctx(), ada, people.CreateGroupInput{Name: "Makers"})
		w.must(err)
		ref := domain.Ref{ID: int64(g.ID)}
		rename := func(as domain.Actor, name string) {
			t.Helper()
			w.Clock.Advance(6 * time.Minute)
			_, err := w.a.People.UpdateGroup(w.ctx(), as, ref, people.UpdateGroupInput{Name: &name, Description: core.Patch{Set: true, Value: new("About " + name)}})
			w.must(err)
			_, err = w.a.People.UpdateMe(w.ctx(), as, people.UpdateMeInput{Name: &name, Bio: core.Patch{Set: true, Value: new("About " + name)}})
			w.must(err)
		}
		rename(ada, "Menders")
		storetest.In(t, w.S.Store, func(tx *store.Tx) error {
			_, err := tx.Membership().AddMember(w.ctx(), g.ID, bob.UserID, w.Clock.Now())
			return err
		})
		names := func(h core.History, err error) (all string) {
			t.Helper()
			w.must(err)
			for _, v := range h.Versions {
				all += fmt.Sprint(v.Number, " ", v.By.Name, ", ")
			}
			return all
		}
		if got, want := names(w.a.People.GroupHistory(w.ctx(), ada, ref)), "2 Menders, 1 Menders, "; got != want {
			t.Errorf("versions of the group: %s, want %s", got, want)
		}
		h, is, before, err := w.a.People.ProfileVersion(w.ctx(), ada, 2)
		w.must(err)
		if *is.Texts.Title != "Menders" || *is.Texts.Description != "About Menders" || *before.Title != "Ada" || before.Description != nil {
			t.Errorf("version 2 is %+v after %+v", is.Texts, before)
		}
		if err := w.a.People.RestoreProfile(w.ctx(), ada, 1, "old"); domain.KindOf(err) != domain.Conflict {
			t.Errorf("restoring over an unseen text: %v", err)
		}
		if err := w.a.People.RestoreProfile(w.ctx(), ada, 9, h.Texts.Digest()); domain.KindOf(err) != domain.NotFound {
			t.Errorf("restoring a version that does not exist: %v", err)
		}
		w.must(w.a.People.RestoreProfile(w.ctx(), ada, 1, h.Texts.Digest()))
		if u, err := w.a.People.Me(w.ctx(), ada); err != nil || u.Name != "Ada" || u.Bio != nil {
			t.Errorf("restored %+v, %v", u, err)
		}
		for name, as := range map[string]domain.Actor{"a member": bob, "a guest": {}} {
			if _, err := w.a.People.GroupHistory(w.ctx(), as, ref); domain.KindOf(err) != domain.Forbidden {
				t.Errorf("%s lists versions: %v", name, err)
			}
			if _, err := w.a.People.RestoreGroup(w.ctx(), as, ref, 1, h.Texts.Digest()); domain.KindOf(err) != domain.Forbidden {
				t.Errorf("%s restores a version: %v", name, err)
			}
		}
		if _, err := w.a.People.ProfileHistory(w.ctx(), domain.Actor{}); domain.KindOf(err) != domain.Unauthenticated {
			t.Errorf("a guest: %v", err)
		}

		// Changes at once lose no version, though the account is deleted in the meantime.
		w.Clock.Advance(6 * time.Minute)
		var group sync.WaitGroup
		for i := range 6 {
			group.Go(func() {
				name := fmt.Sprint("Name ", i)
				_, err := w.a.People.UpdateGroup(w.ctx(), ada, ref, people.UpdateGroupInput{Name: &name})
				if err == nil {
					_, err = w.a.People.UpdateMe(w.ctx(), ada, people.UpdateMeInput{Name: &name})
				}
				if kind := domain.KindOf(err); err != nil && kind != domain.NotFound && kind != domain.Forbidden {
					t.Error(err)
				}
			})
		}
		w.must(w.a.Accounts.DeleteAccount(w.ctx(), ada, w.Proved(ada.UserID), "ada"))
		group.Wait()
		w.WorkJobs()
		checkClean(w)
		got := names(w.a.People.GroupHistory(w.ctx(), bob, ref)) // he inherits the group
		if !strings.HasPrefix(got, "3 Deleted account, 2 Deleted account, 1 ") && !strings.HasPrefix(got, "2 Deleted account, 1 ") {
			t.Errorf("versions of the group: %s", got)
		}
		for _, row := range w.Dump()["text_versions"] {
			if strings.Contains(fmt.Sprint(row), "User") {
				t.Errorf("a version of a deleted account is left: %v", row)
			}
		}
		w.must(w.a.People.DeleteGroup(w.ctx(), bob, ref))
		if n := len(w.Dump()["text_versions"]); n != 0 {
			t.Errorf("%d versions are left of a deleted group", n)
		}
		checkClean(w)
	})
}
