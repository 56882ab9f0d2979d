package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// tooMany checks the form of a 429 of an operation's own limit.
func tooMany(t *testing.T, res *apptest.Response, limit int64, window string) {
	t.Helper()
	res.Want(http.StatusTooManyRequests)
	if res.Header.Get("Retry-After") != fmt.Sprint(res.Int("error.retry_after")) || res.Int("error.retry_after") < 1 ||
		res.Str("error.type") != "rate_limit_exceeded" || res.Int("error.limit") != limit || res.Str("error.limit_window") != window ||
		res.Str("error.tier") != "supporter" || res.Len("error.suggestions") == 0 || res.Str("error.message") == "" {
		t.Errorf("429 is %s, Retry-After %q", res.Body, res.Header.Get("Retry-After"))
	}
}

// TestInvitationLimits: concurrent invitations reach the limits of the inviting user over several groups, and those of a
// group over several users.
func TestInvitationLimits(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var groups []string
		for i := range 3 {
			groups = append(groups, fmt.Sprintf("/v3/groups/%d/invitations", r.Group(fmt.Sprint("Group ", i), "ada", "max", "tom", "eve", "fan")))
		}
		person := 0
		// invite concurrently invites n different people.
		invite := func(as string, n int, at ...string) (sent int64, refused *apptest.Response) {
			t.Helper()
			var all sync.WaitGroup
			var made atomic.Int64
			var over atomic.Pointer[apptest.Response]
			for i := range n {
				person++
				body := fmt.Sprintf(`{"email":"stranger%d@example.org"}`, person)
				all.Go(func() {
					switch res := r.Do(as, "POST", at[i%len(at)], body); res.Status {
					case http.StatusCreated:
						made.Add(1)
					default:
						over.Store(res)
					}
				})
			}
			all.Wait()
			return made.Load(), over.Load()
		}
		sent, refused := invite("ada", 40, groups...)
		if sent != 30 {
			t.Errorf("%d invitations of one user in an hour", sent)
		}
		tooMany(t, refused, 30, "1 hour")
		if res := r.Do("ada", "POST", groups[0], asUser(r, "max")); res.Str("outcome") != "already_member" {
			t.Errorf("what mails nobody answers %s", res.Body)
		}
		for _, as := range []string{"max", "tom", "eve"} {
			n, _ := invite(as, 30, groups[2])
			sent += n
		}
		_, refused = invite("fan", 5, groups[2])
		if refused == nil {
			_, refused = invite("fan", 20, groups[2])
		}
		tooMany(t, refused, 100, "1 day")
		r.Clock.Advance(25 * time.Hour)
		if n, _ := invite("ada", 5, groups...); n != 5 {
			t.Errorf("%d of 5 invitations on the next day", n)
		}
	})
}

// TestInvitationsOfOnePerson: revoking does not allow more mails to the same person. Invitations by others are not
// revealed, but mails to the person are limited.
func TestInvitationsOfOnePerson(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := fmt.Sprintf("/v3/groups/%d/invitations", r.Group("Society", "ada", "max"))
		again := func(as, group, body string) *apptest.Response {
			t.Helper()
			res := r.Do(as, "POST", group, body)
			r.WorkJobs()
			if res.Status == http.StatusCreated {
				r.Do(as, "DELETE", fmt.Sprint(group, "/", res.Int("invitation.id")), nil).Want(204)
			}
			return res
		}
		for i := range 3 {
			again("ada", group, fmt.Sprintf(`{"email":"Victim+%d@example.org"}`, i)).Want(201)
		}
		tooMany(t, again("ada", group, `{"email":"victim@example.org"}`), 3, "1 day")
		if n := len(r.Outbox()); n != 3 {
			t.Fatalf("%d mails", n)
		}
		other := fmt.Sprintf("/v3/groups/%d/invitations", r.Group("Others", "tom"))
		mine := r.Do("tom", "POST", other, `{"email":"victim@example.org"}`).Want(201)
		if mine.Str("outcome") != "invited" {
			t.Errorf("another user is told %s", mine.Body)
		}
		r.WorkJobs()
		if n := len(r.Outbox()); n != 3 {
			t.Errorf("%d mails to one person in a day", n)
		}
		r.Clock.Advance(25 * time.Hour)
		r.HastenJobs()
		r.WorkJobs()
		if n := len(r.Outbox()); n != 4 {
			t.Errorf("%d mails after the next day has begun", n)
		}
	})
}
