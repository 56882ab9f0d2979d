package site_test

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
	"vitrine/internal/warc"
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
		ada.get(block + "/edit").says(block + "/copies")
		ada.get(block+"/copies").says("when you ask for it", `<option value="default" selected>`)
		ada.get(block).says("Save a copy of the page")
		ada.post(block+"/copying", "policy", "never").leads(block + "/copies")
		ada.get(block+"/copies").says("takes no copies of this page", `<option value="never" selected>`)
		ada.get(block).hides("Save a copy of the page")
		ada.post(block+"/copying", "policy", "sometimes").want(400)
		bob.post(block+"/copying", "policy", "always").want(403)
		ada.get("/ada/moss/edit").says(`<option value="default" selected>As the site`)
		ada.post("/ada/moss/edit", "snapshots", "always").leads("/ada/moss")
		ada.get("/ada/moss/edit").says(`<option value="always" selected>Always`)
		ada.post("/ada/moss/edit", "snapshots", "sometimes").want(422)
		bob.post("/ada/moss/edit", "snapshots", "never").want(403)
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
		guest.get(block+"/copies").want(200).says(paths[0]).hides(paths[1], "Delete", "Share", "by this server", "missing")
		r.Exec(`UPDATE snapshots SET omitted = 22, missing = $1`, "["+strings.Repeat(`{"url":"https://example.com/<moss>.png","reason":"The copy would be too large"},`, 21)+`{"url":"","reason":""}]`)
		guest.get(block+"/copies").want(200).says("22 parts of the page are missing", "https://example.com/<moss>.png", "The copy would be too large", "2 more")
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

// The picture and the PDF that this server took with a copy are listed with it, and a copy without a picture says so.
func TestCopiesWithPictures(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", nil))
		id := domain.BlockID(r.Block("ada", "https://example.com/page", r.Channel("ada", "Moss", "public")))
		r.WorkJobs()
		taken := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
		var paths []string
		for _, c := range []struct {
			kind domain.SnapshotKind
			at   time.Time
			body string
		}{{domain.SnapshotPDF, taken, "%PDF-1.7"}, {domain.SnapshotScreenshot, taken, string(apptest.PNG(t, 4, 4))}, {domain.SnapshotPage, taken, "<!DOCTYPE html><p>First</p>"},
			{domain.SnapshotPage, taken.Add(time.Hour), "<!DOCTYPE html><p>Second</p>"}} {
			s, err := r.S.App.Content.AddSnapshot(t.Context(), domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}, id, content.SnapshotInput{
				Kind: c.kind, Source: domain.FromServer, TakenAt: c.at, Shared: true, Length: int64(len(c.body)), Body: strings.NewReader(c.body)})
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, fmt.Sprint("/block/", id, "/copies/", s.ID))
		}
		ada, guest := entered(t, r, "ada"), newBrowser(t, r)
		for _, b := range []*browser{ada, guest} {
			page := b.get(fmt.Sprint("/block/", id, "/copies")).want(200).says("Picture of the page", "PDF of the page", "This copy has no picture", paths[0], paths[1], paths[3]+"/compare/")
			if n := strings.Count(page.body, "from the server"); n != 2 {
				t.Errorf("%d copies", n)
			}
		}
		got := guest.get(paths[0]).want(200)
		if got.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%v", got.header)
		}
		if got := guest.get(paths[1]).want(200); got.header.Get("Content-Type") != "image/png" {
			t.Errorf("%v", got.header)
		}
		ada.post(paths[2], "do", "unshare").leads(fmt.Sprint("/block/", id, "/copies"))
		for _, path := range paths[:3] {
			guest.get(path).want(404)
		}
		ada.post(paths[2], "do", "delete").leads(fmt.Sprint("/block/", id, "/copies"))
		ada.get(fmt.Sprint("/block/", id, "/copies")).hides("PDF of the page")
	}, people, func(c *config.Config) { c.BrowserURL = "http://127.0.0.1:1" })
}

// The saved copies in a channel are downloaded as a WACZ file: for each reader those that they may see, and as many as one
// file contains.
func TestCopiesOfAChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", apptest.Serve("text/html", nil))
		open, private := r.Channel("ada", "Moss", "public"), r.Channel("ada", "Hidden moss", "private")
		ada, bob, guest := entered(t, r, "ada"), entered(t, r, "bob"), newBrowser(t, r)
		ada.get("/ada/moss/copies.wacz").want(422).says("no saved copies that you can see")
		for i, name := range []string{"shared", "own"} {
			id := domain.BlockID(r.Block("ada", "https://example.com/"+name, open, private))
			r.WorkJobs()
			page := "<!DOCTYPE html><title>Page " + name + "</title><p>The " + name + " copy</p>"
			if _, err := r.S.App.Content.AddSnapshot(t.Context(), domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}, id, content.SnapshotInput{
				Kind: domain.SnapshotPage, Source: domain.FromBrowser, Shared: i == 0, TakenAt: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
				Length: int64(len(page)), Body: strings.NewReader(page)}); err != nil {
				t.Fatal(err)
			}
		}
		const shared, own = "https://example.com/shared", "https://example.com/own"
		holds := func(b *browser, path string, want ...string) {
			t.Helper()
			got := b.get(path).want(200)
			if is := got.header.Get("Content-Type"); is != "application/wacz" || !strings.Contains(got.header.Get("Content-Disposition"), ".wacz") {
				t.Errorf("%v", got.header)
			}
			a, _ := opened(t, got.body)
			var all []string
			for _, p := range a.Pages() {
				all = append(all, p.URL)
				name := p.URL[strings.LastIndex(p.URL, "/")+1:]
				if p.Title != "Page "+name || !p.Time.Equal(time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)) {
					t.Errorf("%+v", p)
				}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := a.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || res.StatusCode != 200 || !strings.Contains(string(body), "The "+name+" copy") {
					t.Errorf("%s: %d %q %v", p.URL, res.StatusCode, body, err)
				}
			}
			if !slices.Equal(all, want) {
				t.Errorf("%s: %q, want %q", path, all, want)
			}
		}
		holds(ada, "/ada/moss/copies.wacz", shared, own)
		closed := "/ada/" + r.Get("ada", "/v3/channels/%d", private).Str("slug") + "/copies.wacz"
		holds(ada, closed, shared, own)
		ada.get("/ada/moss/export").want(200).says("/ada/moss/copies.wacz")
		for _, b := range []*browser{bob, guest} {
			holds(b, "/ada/moss/copies.wacz", shared)
			b.get(closed).want(404)
		}
		r.Exec("UPDATE snapshots SET shared = FALSE")
		for _, b := range []*browser{bob, guest} {
			b.get("/ada/moss/copies.wacz").want(422).says("no saved copies that you can see")
		}
		if about := description(t, ada.get("/ada/moss/copies.wacz").want(200).body); strings.Contains(about, `"description"`) {
			t.Error(about)
		}
		if strings.HasPrefix(r.Options().URL, "postgres") {
			return // the rest is slow, and the same
		}
		const columns = "block_id, user_id, source, kind, shared, blob_id, content_type, size, address, title, text, article, taken_at, created_at"
		for range 9 { // 2 become 1,024
			r.Exec("INSERT INTO snapshots (" + columns + ") SELECT " + columns + " FROM snapshots")
		}
		if about := description(t, ada.get("/ada/moss/copies.wacz").want(200).body); !strings.Contains(about, "These are the first 1000.") {
			t.Error(about)
		}
	})
}

// opened opens a WACZ file.
func opened(t *testing.T, file string) (*warc.Archive, *zip.Reader) {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	a, err := warc.OpenPackage(t.Context(), strings.NewReader(file), z.File)
	if err != nil || !warc.IsPackage(z.File) {
		t.Fatal(err)
	}
	return a, z
}

// description reads the description of a WACZ file.
func description(t *testing.T, file string) string {
	t.Helper()
	_, z := opened(t, file)
	in, err := z.Open("datapackage.json")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
