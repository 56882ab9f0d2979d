package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
)

// Invalid invite codes: wrong, of another group, revoked, or with different case.
func TestGroupsBadCodes(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		other := at("/v3/groups/%d", p.Group("Other", "ada"))
		foreign := p.Do("ada", "POST", other+"/invite", nil).Want(http.StatusCreated).Str("code")
		join := func(code string) touch { return touch{"POST", p.crew("/members"), at(`{"invite_token":%q}`, code)} }
		wrong := []touch{{"POST", p.crew("/members"), `{}`}}
		for _, code := range []string{"", " ", "x", foreign, p.code + "x", p.code[1:], " " + p.code, strings.ToUpper(p.code),
			strings.ToLower(p.code), p.code + "\n", strings.Repeat("x", 200), "é"} {
			if code != p.code {
				wrong = append(wrong, join(code))
			}
		}
		p.refuses(t, http.StatusForbidden, "bob", wrong...)
		p.refuses(t, http.StatusForbidden, "ada", wrong...) // already a member, but the code is wrong
		p.refuses(t, http.StatusForbidden, "bob/read", join(p.code))
		p.refuses(t, http.StatusUnauthorized, "", join(p.code))
		p.Do("max", "DELETE", p.crew("/invite"), nil).Want(http.StatusNoContent)
		p.refuses(t, http.StatusForbidden, "bob", join(p.code))
		p.Do("ada", "POST", p.crew("/invite"), nil).Want(http.StatusCreated)
		p.refuses(t, http.StatusForbidden, "bob", join(p.code))
	})
}

// The owner cannot leave, only the owner removes members, and inviting oneself or a member changes nothing.
func TestGroupsBadMembers(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		member := func(name string) touch { return touch{"DELETE", p.crew("/members/") + at("%d", p.Person(name).ID), ""} }
		leave := touch{"DELETE", p.crew("/members/me"), ""}
		p.refuses(t, http.StatusForbidden, "ada", leave, member("ada"))
		p.refuses(t, http.StatusForbidden, "max", member("ada"), member("max"), member("bob"))
		p.refuses(t, http.StatusForbidden, "bob", member("max"), member("bob"))
		before := p.Dump()
		for _, name := range []string{"ada", "max"} {
			for _, body := range []string{asUser(p.Rig, "ada"), asUser(p.Rig, "max"), asAddress("ada"), asAddress("max")} {
				if res := p.Do(name, "POST", p.crew("/invitations"), body).Want(http.StatusOK); res.Str("outcome") != "already_member" {
					t.Errorf("%s invites %s: %s", name, body, res.Body)
				}
			}
		}
		p.ask("bob", leave).Want(http.StatusNoContent)
		p.unchanged(t, before, "inviting members, and leaving as none")
		p.refuses(t, http.StatusForbidden, "bob", touch{"POST", p.crew("/invitations"), asUser(p.Rig, "bob")},
			touch{"POST", p.crew("/invitations"), asAddress("bob")})
	})
}

// A mailed token works once, only for its recipient. Used, revoked and expired tokens do nothing.
func TestGroupsBadTokens(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		group := domain.GroupID(p.group)
		dead := func(name, token string) {
			t.Helper()
			before := p.Dump()
			wantDead(t, p.Rig, name, token)
			p.unchanged(t, before, name)
		}
		p.Person("eve")
		address := "someone@example.org"
		_, used := mailed(t, p.Rig, group, "bob", nil)
		if _, err := p.S.App.People.AcceptInvitation(t.Context(), writer(p.Rig, "bob"), used); err != nil {
			t.Fatal(err)
		}
		dead("used", used)
		id, revoked := mailed(t, p.Rig, group, "", &address)
		p.Do("max", "DELETE", p.crew("/invitations/")+at("%d", id), nil).Want(http.StatusNoContent)
		dead("revoked", revoked)
		p.refuses(t, http.StatusUnprocessableEntity, "ada", touch{"DELETE", p.crew("/invitations/") + at("%d", id), ""})
		id, old := mailed(t, p.Rig, group, "", &address)
		for _, wrong := range []string{old + "x", old[:len(old)-1], strings.ToUpper(old), " " + old, "\x00", strings.Repeat("x", 10_000)} {
			dead("wrong", wrong)
		}
		p.Clock.Advance(time.Hour)
		dead("expired", old)
		p.refuses(t, http.StatusUnprocessableEntity, "ada", touch{"DELETE", p.crew("/invitations/") + at("%d", id), ""})
		foreign := at("/v3/groups/%d", p.Group("Other", "ada"))
		p.refuses(t, http.StatusNotFound, "ada", touch{"DELETE", foreign + at("/invitations/%d", p.invitation), ""})
	})
}

// If an invitation is accepted, declined and revoked at the same moment, exactly one of these succeeds.
func TestGroupsRaceEnds(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		for range 5 {
			address := "someone@example.org"
			group := p.Group("Party", "ada")
			id, token := mailed(t, p.Rig, group, "", &address)
			results := make([]bool, 4)
			together(len(results), func(i int) {
				var err error
				switch i {
				case 0:
					_, err = p.S.App.People.AcceptInvitation(t.Context(), writer(p.Rig, "bob"), token)
				case 1:
					_, err = p.S.App.People.AcceptInvitation(t.Context(), writer(p.Rig, "max"), token)
				case 2:
					err = p.S.App.People.DeclineInvitation(t.Context(), token)
				case 3:
					res := p.Do("ada", "DELETE", at("/v3/groups/%d/invitations/%d", group, id), nil)
					if results[i] = res.Status == http.StatusNoContent; !results[i] && res.Status != http.StatusUnprocessableEntity {
						t.Errorf("revoking: %d %s", res.Status, res.Body)
					}
					return
				}
				if results[i] = err == nil; !results[i] && domain.KindOf(err) != domain.NotFound {
					t.Error(err)
				}
			})
			ended := 0
			for _, done := range results {
				if done {
					ended++
				}
			}
			users := p.Get("", "/v3/groups/%d", group).Int("counts.users")
			if joined := results[0] || results[1]; ended != 1 || joined != (users == 2) {
				t.Errorf("accepted, accepted, declined, revoked: %v; %d users", results, users)
			}
		}
	})
}
