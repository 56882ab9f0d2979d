package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func TestCommenting(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom, guest := member(t, r, "eve"), member(t, r, "tom"), newBrowser(t, r)
		open, shed := r.Channel("ada", "Garden", "public"), r.Channel("ada", "Shed", "private")
		block, hidden := r.Block("ada", "Seed", open), r.Block("ada", "Rust", shed)
		at, page := fmt.Sprintf("/block/%d/comments", block), fmt.Sprintf("/block/%d", block)
		secret := commented(r, "ada", hidden, "Quietly")
		guest.get(at).want(200).says("Sign in to comment").hides("Your comment")
		guest.get(fmt.Sprintf("/block/%d/comments", hidden)).want(404)
		eve.get(fmt.Sprintf("/block/%d/comments", hidden)).want(404)
		once := eve.get(page).want(200).says("Your comment", "data-mention").find(`action="/block/\d+/comments"[^>]*>\s*<input type="hidden" name="once" value="([^"]+)"`)

		before := r.Dump()
		guest.post(at, "body", "Hello").want(303)
		eve.post(fmt.Sprintf("/block/%d/comments", hidden), "body", "Hello").want(404)
		eve.post(at, "body", " ").want(422).says("Must not be blank.")
		eve.post(at, "body", strings.Repeat("é", 10_001)).want(422).says("10000 characters").hides("ééé")
		eve.get(fmt.Sprintf("/comments/%d", secret)).want(404)
		eve.post(fmt.Sprintf("/comments/%d", secret), "do", "delete").want(404)
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("what was refused changed %s", strings.Join(diff, "\n"))
		}

		to := eve.post(at, "body", "A *fine* one, @tom <script>", "once", once).want(303).header.Get("Location")
		if again := eve.post(at, "body", "A *fine* one, @tom <script>", "once", once).want(303).header.Get("Location"); again != to {
			t.Errorf("sent twice: %s and %s", to, again)
		}
		if n := r.Do("ada", "GET", fmt.Sprintf("/v3/blocks/%d/comments", block), nil).Int("meta.total_count"); n != 1 {
			t.Errorf("%d comments, want 1", n)
		}
		own := "/comments/" + to[strings.LastIndex(to, "-")+1:]
		eve.get(page).want(200).says("<em>fine</em>", "Edit", own).hides("<script>alert")
		tom.get(page).want(200).says("<em>fine</em>").hides("Edit<")
		tom.get("/notifications").want(200).says("mentioned you in a comment")

		tom.get(own).want(403)
		tom.post(own, "do", "save", "body", "x").want(403)
		tom.post(own, "do", "delete").want(403)
		guest.get(own).want(303)
		eve.get(own).want(200).says("A *fine* one, @tom")
		eve.post(own).want(400)
		eve.post(own, "do", "save", "body", "").want(422)
		eve.post(own, "do", "save", "body", "Better").leads(to).follow().says("The comment has been saved.", "Better")
		eve.post(own, "do", "delete").leads(page + "#comments").follow().hides("Better")
		eve.get(own).want(404)
		eve.post(own, "do", "delete").want(404)

		if p := tom.get("/comments/mentions?q=ev&block=" + fmt.Sprint(block)).want(200); !strings.Contains(p.body, `"value":"eve"`) {
			t.Errorf("%s", p.body)
		}
	}, people)
}
