package site_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/store/storetest"
)

// Links whose pages are gone are marked for their owner and found by everyone who sees them, until the page is back.
func TestDeadLinks(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var gone atomic.Bool
		var asked atomic.Int64
		r.Web("example.com/page", func(w http.ResponseWriter, req *http.Request) {
			if asked.Add(1); gone.Load() {
				http.NotFound(w, req)
			}
		})
		r.Web("example.com/stays", func(http.ResponseWriter, *http.Request) {})
		moss := r.Channel("ada", "Moss", "closed")
		made := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "https://example.com/page", "title": "Old page", "channel_ids": []int64{moss}}).Want(201)
		dead := fmt.Sprint("/block/", made.Int("id"))
		r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "https://example.com/stays", "title": "Good page", "channel_ids": []int64{moss}}).Want(201)
		r.WorkJobs()
		ada, eve, guest := entered(t, r, "ada"), entered(t, r, "eve"), newBrowser(t, r)
		check := func(after time.Duration) {
			t.Helper()
			r.Clock.Advance(after)
			if err := r.S.App.Content.CheckLinks(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		before := asked.Load()
		check(time.Hour)
		if asked.Load() != before {
			t.Error("a new link was checked at once")
		}
		gone.Store(true)
		const day = 24 * time.Hour
		for _, after := range []time.Duration{31 * day, 2 * day, 4 * day} {
			r.Clock.Advance(after)
			ada, eve = entered(t, r, "ada"), entered(t, r, "eve") // earlier sessions have ended
			ada.get("/settings/links").want(200).hides("Old page")
			check(0)
		}
		if n := asked.Load() - before; n != 3 {
			t.Errorf("requested %d times", n)
		}
		ada.get("/settings/links").want(200).says("Old page", "The server answered 404 Not Found", "not reached since", "https://web.archive.org/web/20260102", "https://example.com/page").hides("Good page")
		eve.get("/settings/links").want(200).hides("Old page")
		guest.get("/settings/links").want(303)
		for _, b := range []*browser{ada, eve, guest} {
			b.get(dead).want(200).says("could not be reached since", "web.archive.org")
			b.get("/search?q=is:dead").says("Old page").hides("Good page")
			b.get("/search?q=-is:dead+page").says("Good page").hides("Old page")
		}
		r.Do("ada", "PUT", "/v3/blocks/"+dead[len("/block/"):], map[string]any{"title": "Still an old page"}).Want(200)
		guest.get("/search?q=is:dead").says("Still an old page")
		storetest.Check(t, r.S.Store)

		eve.post("/settings/links", "block", dead[len("/block/"):]).want(404)
		ada.post("/settings/links", "block", "x").want(404)
		gone.Store(false)
		ada.post("/settings/links", "block", dead[len("/block/"):]).leads("/settings/links")
		ada.get("/settings/links").says("checked again within ten minutes")
		check(time.Minute)
		ada.get("/settings/links").says("All of your links").hides("Old page")
		guest.get(dead).hides("could not be reached")
		guest.get("/search?q=is:dead").says("No results")
		gone.Store(true)
		check(365 * day)
		r.Do("ada", "DELETE", "/ext/v1/blocks/"+dead[len("/block/"):], nil).Want(204)
		storetest.Check(t, r.S.Store)
	}, people, func(c *config.Config) { c.LinkChecks, c.Archive = true, "https://web.archive.org/web/{time}/{url}" })
}

// Without link checks, no page is requested.
func TestNoLinkChecks(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/page", func(http.ResponseWriter, *http.Request) {})
		r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "https://example.com/page", "channel_ids": []int64{r.Channel("ada", "Moss", "closed")}}).Want(201)
		r.WorkJobs()
		r.Web("example.com/", func(_ http.ResponseWriter, req *http.Request) { t.Errorf("%s was requested", req.URL) })
		r.Clock.Advance(365 * 24 * time.Hour)
		if err := r.S.App.Content.CheckLinks(t.Context()); err != nil {
			t.Error(err)
		}
	}, people, func(c *config.Config) { c.LinkChecks = false })
}
