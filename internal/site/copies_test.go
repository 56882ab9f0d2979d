package site_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// The owner of a block sees, compares, shares and deletes its saved copies; others see the shared ones. A copy is served
// with a policy that makes it harmless.
func TestCopies(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", nil))
		id := domain.BlockID(r.Block("ada", "https://example.com/page", r.Channel("ada", "Moss", "public")))
		r.WorkJobs()
		ada, bob, guest := entered(t, r, "ada"), entered(t, r, "bob"), newBrowser(t, r)
		block := fmt.Sprint("/block/", id)
		ada.get(block + "/copies").want(200).says("no saved copies")
		guest.get(block + "/copies").want(404)
		var paths []string
		for _, text := range []string{"Moss grows here.", "Ferns grow here."} {
			page := "<!DOCTYPE html><title>Page</title><p>First line</p>" + strings.Repeat("<p>Kept.</p>", 9) + "<p>" + text + "</p><script>alert(1)</script>"
			actor := domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}
			s, err := r.S.App.Content.AddSnapshot(t.Context(), actor, id, content.SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromBrowser,
				Length: int64(len(page)), Body: strings.NewReader(page)})
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, fmt.Sprint(block, "/copies/", s.ID))
			r.Clock.Advance(time.Minute)
		}
		ada.get(block).want(200).says("Saved copy", block+"/copies")
		ada.get(block+"/copies").want(200).says("only for you", "from a browser", paths[0], paths[1], "Share")
		ada.get("/settings/storage").want(200).says("Saved copies of pages")
		compare := paths[1] + "/compare/" + paths[0][strings.LastIndex(paths[0], "/")+1:]
		ada.get(compare).want(200).says("<del>Moss grows here.</del>", "<ins>Ferns grow here.</ins>", "8 unchanged lines", "First line")
		for _, b := range []*browser{bob, guest} {
			b.get(block).want(200).hides("Saved copy")
			for _, path := range []string{block + "/copies", paths[0], compare} {
				b.get(path).want(404)
			}
		}
		bob.post(paths[0], "do", "share").want(404)
		ada.post(paths[0], "do", "x").want(400)
		ada.post(paths[0], "do", "share").leads(block + "/copies")
		bob.post(paths[0], "do", "delete").want(403)
		guest.get(block).want(200).says("Saved copy")
		guest.get(block+"/copies").want(200).says(paths[0]).hides(paths[1], "Delete", "Share")
		guest.get(compare).want(404)
		guest.get("/block/999/copies/" + paths[0][strings.LastIndex(paths[0], "/")+1:]).want(404)
		for _, b := range []*browser{ada, guest} {
			got := b.get(paths[0]).want(200).says("Moss grows here.", "<script>")
			policy := got.header.Get("Content-Security-Policy")
			if !strings.HasPrefix(policy, "sandbox; default-src 'none'; img-src data:;") || strings.Contains(policy, "allow-") ||
				got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Cache-Control") != "no-store" ||
				got.header.Get("Set-Cookie") != "" || got.header.Get("Content-Type") != "text/html" {
				t.Errorf("%v", got.header)
			}
		}
		r.Exec("UPDATE blocks SET dead_at = 5 WHERE id = $1", id)
		guest.get(block).want(200).says("could not be reached", "Saved copy</a>")
		r.Exec("UPDATE blocks SET dead_at = NULL WHERE id = $1", id)
		ada.post(paths[0], "do", "unshare").leads(block + "/copies")
		guest.get(paths[0]).want(404)
		for _, path := range paths {
			ada.post(path, "do", "delete").leads(block + "/copies")
		}
		ada.get(block + "/copies").says("no saved copies")
		storetest.Check(t, r.S.Store)
	}, people)
}
