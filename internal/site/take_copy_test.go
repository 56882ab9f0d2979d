package site_test

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// The owner of a link has this server save a copy of its page, and reads why one could not be saved.
func TestCopyIsTaken(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada, bob, guest := signedIn(t, r, "ada"), signedIn(t, r, "bob"), newBrowser(t, r)
	w := newWall(t, r)
	answer := apptest.Serve("text/html", []byte("<title>The engine</title>"))
	r.Web("example.com/gone", func(w http.ResponseWriter, q *http.Request) { answer(w, q) })
	page := fmt.Sprintf("/block/%d", r.Block("ada", "https://example.com/gone", r.Channel("ada", "Engines", "public")))
	take := page + "/copy"
	r.WorkJobs()
	guest.post(take).want(303)
	guest.get(page).hides("/copy")
	bob.get(page).hides("/copy")
	bob.post(take).want(403)
	bob.post("/block/99999999/copy").want(404)
	ada.post(w.page("text") + "/copy").want(422)
	ada.get(take).want(405)
	answer = http.NotFound
	ada.get(page).says("Save a copy of the page", `action="`+take+`"`)
	ada.post(take).leads(page).follow().says("A copy of the page is being saved. This can take a few minutes.").hides("Save a copy of the page")
	r.WorkJobs()
	ada.get(page).says("The page could not be copied: The server answered 404 Not Found.", "Save a copy of the page")
	bob.get(page).hides("could not be copied")
	answer = apptest.Serve("text/html", []byte("<title>The engine</title>"))
	ada.post(take).leads(page).follow().says("A copy of the page is being saved.")
	r.WorkJobs()
	ada.get(page).says("Save a copy of the page").hides("could not be copied", "is being saved")
}

func TestCopiesAreNotTaken(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.Snapshots = "never" })
	ada, w := signedIn(t, r, "ada"), newWall(t, r)
	ada.get(w.page("link")).hides("Save a copy")
	ada.post(w.page("link") + "/copy").want(422)
}
