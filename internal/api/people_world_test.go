package api_test

import (
	"net/http"
	"testing"
)

// people is a world in which ada has a group with max, and bob has commented on her block.
type people struct {
	*world
	group      int64  // Crew, with ada and max
	code       string // of its invite
	invitation int64  // to open@example.org
	comment    int64  // by ada on block
	bobs       int64  // a comment by bob on block, after that
	notice     int64  // ada's notification of it
}

func newPeople(w *world) *people {
	w.T.Helper()
	p := &people{world: w, group: int64(w.Group("Crew", "ada", "max"))}
	p.code = p.Do("ada", "POST", p.crew("/invite"), nil).Want(http.StatusCreated).Str("code")
	p.invitation = p.Do("ada", "POST", p.crew("/invitations"), asAddress("open")).Want(http.StatusCreated).Int("invitation.id")
	p.comment = comment(p.Rig, "ada", w.block, "mine")
	p.bobs = comment(p.Rig, "bob", w.block, "theirs")
	p.notice = p.Get("ada", "/v3/me/notifications").Int("data.0.id")
	return p
}

// crew returns a path of the group.
func (p *people) crew(below string) string { return at("/v3/groups/%d", p.group) + below }

// eachPeople runs f on people on each database.
func eachPeople(t *testing.T, f func(t *testing.T, p *people)) {
	t.Helper()
	eachWorld(t, func(t *testing.T, w *world) { f(t, newPeople(w)) })
}

// refuses sends requests that must be refused with a status and change nothing.
func (p *people) refuses(t *testing.T, status int, who string, all ...touch) {
	t.Helper()
	before := p.Dump()
	for _, c := range all {
		name := at("%s: %s %.150s %.150s", who, c.method, c.path, c.body)
		refused(t, name, p.ask(who, c), status)
		p.unchanged(t, before, name)
	}
}

// kindsOf counts the activities in a list of a member of the cast by kind.
func (p *people) kindsOf(who, list string) map[string]int {
	p.T.Helper()
	res, counts := p.Get(who, "%s", list), map[string]int{}
	for i := range res.Len("data") {
		counts[res.Str(at("data.%d.kind", i))]++
	}
	return counts
}
