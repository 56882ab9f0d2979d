package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// asUser returns the body that invites a member of the cast as a user.
func asUser(r *apptest.Rig, name string) string {
	return fmt.Sprintf(`{"user_id":%d}`, r.Person(name).ID)
}

// asAddress returns the body that invites a member of the cast by address.
func asAddress(name string) string { return fmt.Sprintf(`{"email":"%s@example.org"}`, name) }

func follow(t *testing.T, r *apptest.Rig, follower, followed string) {
	t.Helper()
	who, whom := r.Person(follower).ID, r.Person(followed).ID
	storetest.In(t, r.S.Store, func(tx *store.Tx) error {
		_, err := tx.Activity().Follow(t.Context(), who, domain.Subject{Type: domain.SubjectUser, ID: int64(whom)}, r.Clock.Now())
		return err
	})
}

func TestGroupsInvitationOutcomes(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprint("/v3/groups/", r.Group("Society", "ada", "max"))
		follow(t, r, "fan", "ada")
		follow(t, r, "ada", "eve") // it does not matter that ada follows eve
		r.Person("tom")
		steps := []struct {
			name, as, body string
			status         int
			outcome        string
			user           string // slug, "" for null
			invitation     bool
		}{
			{"a user", "ada", asUser(r, "eve"), 201, "invited", "eve", true},
			{"again, by another member", "max", asUser(r, "eve"), 200, "invitation_pending", "eve", true},
			{"their address", "ada", asAddress("eve"), 200, "invitation_pending", "", true},
			{"who follows the caller", "ada", asUser(r, "fan"), 201, "added", "fan", false},
			{"who is a member now", "ada", asUser(r, "fan"), 200, "already_member", "fan", false},
			{"a member's address", "ada", asAddress("fan"), 200, "already_member", "", false},
			{"oneself", "max", asUser(r, "max"), 200, "already_member", "max", false},
			{"the owner", "max", asUser(r, "ada"), 200, "already_member", "ada", false},
			{"an account's address", "max", asAddress("tom"), 201, "invited", "", true},
			{"in capitals", "max", `{"email":"TOM@Example.ORG"}`, 200, "invitation_pending", "", true},
			{"the account of an address", "max", asUser(r, "tom"), 200, "invitation_pending", "tom", true},
			{"an address without an account", "max", asAddress("nobody"), 201, "invited", "", true},
			{"that again", "ada", asAddress("nobody"), 200, "invitation_pending", "", true},
		}
		for _, s := range steps {
			got := r.Do(s.as, "POST", group+"/invitations", s.body)
			if got.Status != s.status || got.Str("outcome") != s.outcome {
				t.Errorf("%s: %d %s, want %d %s", s.name, got.Status, got.Body, s.status, s.outcome)
				continue
			}
			if user, ok := got.Lookup("user.slug"); s.user != "" && user != s.user || s.user == "" && ok {
				t.Errorf("%s: user is %v, want %q", s.name, got.Get("user"), s.user)
			}
			if (got.Get("invitation") != nil) != s.invitation {
				t.Errorf("%s: invitation is %v", s.name, got.Get("invitation"))
			}
		}
		if n := r.Do("", "GET", group, nil).Want(200).Int("counts.users"); n != 3 {
			t.Errorf("%d users", n)
		}
		list := r.Do("max", "GET", group+"/invitations", nil).Want(200)
		if list.Int("meta.total_count") != 3 || list.Str("data.0.invitee_email") != "nobody@example.org" ||
			list.Str("data.1.invitee_email") != "tom@example.org" || list.Str("data.2.invitee.slug") != "eve" {
			t.Errorf("invitations: %s", list.Body)
		}
	})
}

// Inviting an address does not reveal whether it has an account, even if its owner follows the inviter.
func TestGroupsInvitationsKeepAddressesSecret(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprint("/v3/groups/", r.Group("Society", "ada"))
		follow(t, r, "fan", "ada")
		var seen []string
		for _, name := range []string{"fan", "nil"} {
			got := r.Do("ada", "POST", group+"/invitations", asAddress(name)).Want(201)
			id := fmt.Sprint(got.Int("invitation.id"))
			text := strings.NewReplacer(name, "?", `"id":`+id+`,"invited_by"`, "?", "invitations/"+id, "?",
				got.Str("invitation.created_at"), "?").Replace(string(got.Body))
			seen = append(seen, text)
		}
		if seen[0] != seen[1] {
			t.Errorf("an address with an account: %s\none without: %s", seen[0], seen[1])
		}
	})
}

func TestGroupsInvitationBadInput(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprint("/v3/groups/", r.Group("Society", "ada"))
		for _, body := range []string{
			fmt.Sprintf(`{"user_id":%d,"email":"eve@example.org"}`, r.Person("eve").ID), `{}`, `null`, `[]`, ``,
			`{"email":"no address"}`, `{"email":"a@b@c"}`, `{"email":""}`, `{"email":null}`, `{"email":"Ada <ada@example.org>"}`,
			`{"email":"a@example.org\r\nBcc: b@example.org"}`, `{"email":"` + strings.Repeat("x", 250) + `@example.org"}`,
			`{"user_id":0}`, `{"user_id":-1}`, `{"user_id":"eve"}`, `{"user_id":null}`, `{"user_id":99999999999999999999}`,
		} {
			if got := r.Do("ada", "POST", group+"/invitations", body); got.Status != 400 {
				t.Errorf("%s: %d %s", body, got.Status, got.Body)
			}
		}
		r.Do("ada", "POST", group+"/invitations", `{"user_id":999999}`).Want(404)
		if n := r.Do("ada", "GET", group+"/invitations", nil).Want(200).Int("meta.total_count"); n != 0 {
			t.Errorf("%d invitations came of that", n)
		}
	})
}

func TestGroupsRevoke(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group, other := fmt.Sprint("/v3/groups/", r.Group("Society", "ada", "max")), fmt.Sprint("/v3/groups/", r.Group("Other", "ada"))
		invite := func(as, body string) string {
			return fmt.Sprint("/invitations/", r.Do(as, "POST", group+"/invitations", body).Want(201).Int("invitation.id"))
		}
		first := invite("max", asAddress("one"))
		r.Do("ada", "DELETE", other+first, nil).Want(404)
		r.Do("ada", "DELETE", group+"/invitations/999999", nil).Want(404)
		r.Do("eve", "DELETE", group+"/invitations/999999", nil).Want(403)
		r.Do("ada", "DELETE", group+first, nil).Want(204)
		r.Do("ada", "DELETE", group+first, nil).Want(422)
		second := invite("max", asAddress("one")) // a revoked invitation is not open
		left := invite("max", asUser(r, "eve"))
		r.Do("max", "DELETE", group+"/members/me", nil).Want(204)
		r.Do("max", "DELETE", group+left, nil).Want(204) // its creator
		r.Clock.Advance(14*24*time.Hour + time.Second)
		r.Do("ada", "DELETE", group+second, nil).Want(422) // has expired
		if n := r.Do("ada", "GET", group+"/invitations", nil).Want(200).Int("meta.total_count"); n != 0 {
			t.Errorf("%d open invitations", n)
		}
		invite("ada", asAddress("one")) // an expired invitation is not open
	})
}

// Joining in another way settles the invitation.
func TestGroupsJoiningSettlesInvitations(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprint("/v3/groups/", r.Group("Society", "ada"))
		code := r.Do("ada", "POST", group+"/invite", nil).Want(201).Str("code")
		for name, body := range map[string]string{"eve": asUser(r, "eve"), "tom": asAddress("tom")} {
			r.Person(name)
			id := r.Do("ada", "POST", group+"/invitations", body).Want(201).Int("invitation.id")
			r.Do(name, "POST", group+"/members", fmt.Sprintf(`{"invite_token":%q}`, code)).Want(201)
			r.Do("ada", "DELETE", fmt.Sprint(group, "/invitations/", id), nil).Want(422)
			r.Do(name, "DELETE", group+"/members/me", nil).Want(204)
			r.Do("ada", "POST", group+"/invitations", body).Want(201)
		}
	})
}
