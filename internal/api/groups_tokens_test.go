package api_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/membership"
	"vitrine/internal/store/storetest"
)

// mailed creates an invitation by ada, of a user of the cast or of an address, and returns its id and the token in its
// mail.
func mailed(t *testing.T, r *apptest.Rig, group domain.GroupID, user string, email *string) (id domain.InvitationID, token string) {
	t.Helper()
	token, hash, _ := auth.NewToken(auth.Invited)
	now := r.Clock.Now()
	n := membership.NewInvitation{Group: group, Email: email, InvitedBy: r.Person("ada").ID, TokenHash: hash,
		ExpiresAt: now.Add(time.Hour), Now: now}
	if user != "" {
		n.Invitee = r.Person(user).ID
	}
	storetest.In(t, r.S.Store, func(tx *store.Tx) (err error) {
		id, err = tx.Membership().CreateInvitation(t.Context(), n)
		return err
	})
	return id, token
}

func writer(r *apptest.Rig, name string) domain.Actor {
	return domain.Actor{UserID: r.Person(name).ID, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
}

// wantDead checks that a token does not work.
func wantDead(t *testing.T, r *apptest.Rig, after, token string) {
	t.Helper()
	_, read := r.S.App.People.InvitationByToken(t.Context(), token)
	_, accept := r.S.App.People.AcceptInvitation(t.Context(), writer(r, "eve"), token)
	for what, err := range map[string]error{"reading": read, "accepting": accept, "declining": r.S.App.People.DeclineInvitation(t.Context(), token)} {
		if domain.KindOf(err) != domain.NotFound || err == nil {
			t.Errorf("%s: %s by the token: %v", after, what, err)
		}
	}
}

func TestGroupsTokens(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Group("Society", "ada")
		group := fmt.Sprint("/v3/groups/", id)
		address := "post@example.org"

		_, token := mailed(t, r, id, "eve", nil)
		i, err := r.S.App.People.InvitationByToken(t.Context(), token)
		if err != nil || i.Group.Slug != "society" || i.InvitedBy.Slug != "ada" || i.Invitee.Slug != "eve" {
			t.Fatalf("invitation %+v, %v", i, err)
		}
		if _, err := r.S.App.People.AcceptInvitation(t.Context(), writer(r, "tom"), token); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("accepting for somebody else: %v", err)
		}
		if _, err := r.S.App.People.AcceptInvitation(t.Context(), domain.Actor{UserID: r.Person("eve").ID, Scope: domain.ScopeRead}, token); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("accepting by a token for reading: %v", err)
		}
		if g, err := r.S.App.People.AcceptInvitation(t.Context(), writer(r, "eve"), token); err != nil || !g.Member || g.Users != 2 {
			t.Fatalf("accepted %+v, %v", g, err)
		}
		wantDead(t, r, "accepted", token)
		r.Do("eve", "DELETE", group+"/members/me", nil).Want(204)
		wantDead(t, r, "accepted and left", token)

		_, token = mailed(t, r, id, "", &address)
		if err := r.S.App.People.DeclineInvitation(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		wantDead(t, r, "declined", token)

		made, token := mailed(t, r, id, "", &address)
		r.Do("ada", "DELETE", fmt.Sprint(group, "/invitations/", made), nil).Want(204)
		wantDead(t, r, "revoked", token)

		_, token = mailed(t, r, id, "", &address)
		r.Clock.Advance(time.Hour)
		wantDead(t, r, "run out", token)

		r.Do("ada", "POST", group+"/invitations", `{"email":"post@example.org"}`).Want(201) // replaces it
		_, token = mailed(t, r, id, "tom", nil)
		r.Do("ada", "DELETE", group, nil).Want(204)
		wantDead(t, r, "group deleted", token)
		personal, _, _ := auth.NewToken(auth.Personal)
		never, _, _ := auth.NewToken(auth.Invited)
		for _, bad := range []string{"", "x", personal, never, never[:len(never)-1] + "_"} {
			wantDead(t, r, "never given: "+bad, bad)
		}
		if res := r.Do("", "GET", "/v3/me", nil, "Authorization", "Bearer "+never); res.Status != 401 {
			t.Errorf("an invitation's token as a bearer: %d", res.Status)
		}
	})
}

// An invitation to an address can be accepted after the address signs up.
func TestGroupsInvitationWaitsForAccount(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Group("Society", "ada", "max")
		group := fmt.Sprint("/v3/groups/", id)
		address := "new@example.org"
		_, token := mailed(t, r, id, "", &address)
		u, err := r.S.App.Accounts.CreateUser(t.Context(), accounts.CreateUserInput{Name: "New", Email: "New@example.org", Tier: domain.TierFree})
		if err != nil {
			t.Fatal(err)
		}
		body := fmt.Sprintf(`{"user_id":%d}`, u.ID)
		pending := r.Do("ada", "POST", group+"/invitations", body).Want(200)
		if pending.Str("outcome") != "invitation_pending" || pending.Get("invitation.invitee") != nil {
			t.Errorf("after signing up: %s", pending.Body)
		}
		if i, err := r.S.App.People.InvitationByToken(t.Context(), token); err != nil || i.Invitee == nil || i.Invitee.ID != int64(u.ID) {
			t.Errorf("invitation %+v, %v", i, err)
		}
		if _, err := r.S.App.People.AcceptInvitation(t.Context(), domain.Actor{UserID: u.ID, Scope: domain.ScopeWrite}, token); err != nil {
			t.Error(err)
		}
		if got := r.Do("ada", "POST", group+"/invitations", body).Want(200).Str("outcome"); got != "already_member" {
			t.Errorf("after accepting: %s", got)
		}
	})
}

// The link in a mail works for any account of its recipient.
func TestGroupsInvitationToAddressIsItsHolders(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := r.Group("Society", "ada")
		address := "max@example.org"
		_, token := mailed(t, r, id, "max", &address)
		if g, err := r.S.App.People.AcceptInvitation(t.Context(), writer(r, "eve"), token); err != nil || !g.Member {
			t.Fatalf("%+v, %v", g, err)
		}
		if got := r.Do("ada", "POST", fmt.Sprint("/v3/groups/", id, "/invitations"), asUser(r, "max")).Want(201).Str("outcome"); got != "invited" {
			t.Errorf("inviting who has not accepted: %s", got)
		}
		_, token = mailed(t, r, id, "", &address) // despite the open one
		if _, err := r.S.App.People.AcceptInvitation(t.Context(), writer(r, "ada"), token); err != nil {
			t.Errorf("a member accepts: %v", err)
		}
	})
}
