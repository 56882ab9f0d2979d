package api_test

import (
	"net/http"
	"testing"
)

// Requests about people and hidden things get the same response as for missing things.
func TestPeopleHidden(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		note := comment(p.Rig, "ada", p.hidden, "between us")
		orphan := p.Block("ada", "Alone", p.secret)
		on := comment(p.Rig, "ada", orphan, "to myself")
		p.Do("ada", "DELETE", at("/v3/connections/%d", p.connectionOf(p.secret, 0)), nil).Want(http.StatusNoContent)
		if got := p.Get("ada", "/v3/blocks/%d", orphan).Str("visibility"); got != "orphan" {
			t.Fatalf("the block is %s", got)
		}
		var all []touch
		for _, id := range []string{at("%d", p.secret), "secret"} {
			for _, op := range channelTouches {
				all = append(all, op.at(id))
			}
		}
		for block, comment := range map[int64]int64{p.hidden: note, orphan: on} {
			all = append(all,
				touch{"GET", at("/v3/blocks/%d/comments", block), ""},
				touch{"POST", at("/v3/blocks/%d/comments", block), `{"body":"let me in, @ada"}`},
				touch{"DELETE", at("/v3/comments/%d", comment), ""},
				touch{"PATCH", at("/ext/v1/comments/%d", comment), `{"body":"x"}`})
		}
		p.refuses(t, http.StatusNotFound, "bob", all...)
		missing := p.Do("bob", "GET", "/v3/blocks/9223372036854775807", nil)
		for _, c := range all {
			if res := p.ask("bob", c); string(res.Body) != string(missing.Body) {
				t.Errorf("%s %s tells more than %s: %s", c.method, c.path, missing.Body, res.Body)
			}
			if c.method == http.MethodGet && p.ask("", c).Status == http.StatusOK {
				t.Errorf("%s %s as guest answers 200", c.method, c.path)
			}
		}
		// Their owner may, and refusals come in the right order: a comment of somebody else is visible.
		comment(p.Rig, "ada", orphan, "again")
		p.refuses(t, http.StatusForbidden, "ada", touch{"DELETE", at("/v3/comments/%d", p.bobs), ""},
			touch{"PATCH", at("/ext/v1/comments/%d", p.bobs), `{"body":"x"}`})
	})
}

// A follower of a channel that became private does not see it, and may still unfollow it.
func TestFollowsOfWhatIsHidden(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		followAs(p.Rig, "bob", "channels/closed")
		p.Do("ada", "PUT", at("/v3/channels/%d", p.closed), `{"visibility":"private"}`).Want(http.StatusOK)
		if n := p.Get("bob", "/v3/users/bob/following").Int("meta.total_count"); n != 0 {
			t.Errorf("%d followings of what bob cannot see", n)
		}
		p.refuses(t, http.StatusNotFound, "bob", touch{"DELETE", "/ext/v1/channels/closed/follow", ""})
		p.Do("ada", "DELETE", at("/v3/channels/%d", p.closed), nil).Want(http.StatusNoContent)
		if n := p.Get("", "/v3/users/bob").Int("counts.following"); n != 0 {
			t.Errorf("bob follows %d of what is gone", n)
		}
	})
}

func TestFollowsBadInput(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		p.refuses(t, http.StatusUnprocessableEntity, "ada", touch{"PUT", "/ext/v1/users/ada/follow", ""},
			touch{"PUT", at("/ext/v1/users/%d/follow", p.Person("ada").ID), ""})
		p.refuses(t, http.StatusUnauthorized, "", touch{"PUT", "/ext/v1/users/ada/follow", ""},
			touch{"DELETE", "/ext/v1/groups/crew/follow", ""}, touch{"GET", "/ext/v1/channels/open/follow", ""})
		p.refuses(t, http.StatusForbidden, "bob/read", touch{"PUT", "/ext/v1/users/ada/follow", ""},
			touch{"DELETE", "/ext/v1/groups/crew/follow", ""})
		// Unfollowing and following again change nothing.
		for _, what := range []string{"users/ada", "channels/open", "groups/crew"} {
			before := p.Dump()
			p.Do("bob", "DELETE", "/ext/v1/"+what+"/follow", nil).Want(http.StatusNoContent)
			p.unchanged(t, before, "not following "+what)
			followAs(p.Rig, "bob", what)
			before = p.Dump()
			followAs(p.Rig, "bob", what)
			p.unchanged(t, before, "following again "+what)
		}
	})
}

// Notifications of others, and unknown ones, are 404 and do not change.
func TestNotificationsOfOthers(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		followAs(p.Rig, "bob", "users/ada") // a second one; bob's feed shows what ada is notified of
		read := touch{"POST", at("/v3/me/notifications/%d/read", p.notice), ""}
		for _, who := range []string{"bob", "max", "eve"} { // eve is without notifications
			p.Person(who)
			p.refuses(t, http.StatusNotFound, who, read)
		}
		p.refuses(t, http.StatusForbidden, "ada/read", read, touch{"POST", "/v3/me/notifications/read", ""})
		p.refuses(t, http.StatusUnauthorized, "", read, touch{"POST", "/v3/me/notifications/read", ""})
		if n := unread(p.Rig, "ada"); n != 2 {
			t.Errorf("ada has %d unread notifications, want 2", n)
		}
	})
}
