package site_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// A link to a comment redirects to its current page of the comments, but only for readers who can
// see the block.
func TestPlacesOfComments(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, guest := member(t, r, "eve"), newBrowser(t, r)
		block, other := r.Block("ada", "Seed", r.Channel("ada", "Garden", "public")), r.Block("ada", "Rust", r.Channel("ada", "Shed", "private"))
		var ids []int64
		for i := range 51 {
			ids = append(ids, commented(r, "ada", block, fmt.Sprint("Comment ", i, ".")))
		}
		hidden := commented(r, "ada", other, "Hidden")
		link := func(block, id int64) string { return fmt.Sprintf("/block/%d/comments/%d", block, id) }
		guest.get(link(block, ids[49])).leads(fmt.Sprintf("/block/%d#comment-%d", block, ids[49])).follow().says("Comment 49.")
		last := fmt.Sprintf("/block/%d?comments=2#comment-%d", block, ids[50])
		guest.get(link(block, ids[50])).leads(last).follow().says("Comment 50.").hides("Comment 49.")
		guest.get(link(other, ids[50])).want(404)
		guest.get(link(block, hidden)).want(404)
		eve.get(link(other, hidden)).want(404)
		eve.get(link(block, 99999999)).want(404)
		r.Do("ada", "DELETE", fmt.Sprintf("/v3/comments/%d", ids[0]), nil).Want(204)
		guest.get(link(block, ids[50])).leads(fmt.Sprintf("/block/%d#comment-%d", block, ids[50]))
	}, people)
}

// The number of statements for the feed and the notifications does not depend on their length.
func TestStatementsOfFeedPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		eve.post("/follow", "type", "user", "id", fmt.Sprint(r.Person("ada").ID), "do", "follow")
		garden := r.Channel("ada", "Garden", "public")
		some := func(n int) {
			for i := range n {
				block := r.Block("ada", fmt.Sprint("Text ", i), garden)
				commented(r, "ada", block, "Look, @eve")
			}
		}
		count := func(path string) int { return len(r.Statements(func() { eve.get(path).want(200) })) }
		some(2)
		few := map[string]int{}
		for _, path := range []string{"/feed", "/notifications"} {
			count(path) // fills the caches
			few[path] = count(path)
		}
		some(24)
		for path, n := range few {
			if many := count(path); many > n || many > 24 {
				t.Errorf("%s costs %d statements with little on it, and %d with more", path, n, many)
			}
			if n := len(r.Statements(func() { newBrowser(t, r).get(path).want(303) })); n > 2 {
				t.Errorf("%s costs %d statements for a guest", path, n)
			}
		}
	}, people)
}
