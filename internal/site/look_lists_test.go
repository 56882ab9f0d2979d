package site_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// enter signs in a member of the cast, who has no password yet.
func enter(t *testing.T, r *apptest.Rig, name string) *browser {
	t.Helper()
	r.Person(name)
	b := newBrowser(t, r)
	b.post("/forgot-password", "email", name+"@example.org")
	b.post(mailed(t, r, name+"@example.org"), "password", password).want(http.StatusSeeOther)
	return b
}

// A user's page contains their lists, and has one canonical address.
func TestProfilePage(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := enter(t, r, "ada")
	r.Do("ada", "POST", "/v3/channels", `{"title":"Field notes","visibility":"public"}`).Want(http.StatusCreated)
	r.Do("ada", "POST", "/v3/channels", `{"title":"Secret plans","visibility":"private"}`).Want(http.StatusCreated)
	guest := newBrowser(t, r)
	guest.get("/ada").want(200).says("Field notes", "Joined", `rel="canonical" href="`+apptest.Base+`/ada"`, "/ada/feed.atom", "og:image").hides("Secret plans")
	ada.get("/ada").want(200).says("Field notes", "Secret plans", "Edit profile")
	for _, view := range []string{"channels", "blocks", "groups", "followers", "following"} {
		guest.get("/ada?view=" + view).want(200).hides("Secret")
	}
	id := r.Do("ada", "GET", "/v3/me", nil).Want(200).Int("id")
	for path, to := range map[string]string{fmt.Sprint("/", id, "?view=blocks&page=2"): "/ada?view=blocks&page=2", "/ADA": "/ada"} {
		if p := guest.get(path).want(http.StatusMovedPermanently); p.header.Get("Location") != apptest.Base+to {
			t.Errorf("%s leads to %s", path, p.header.Get("Location"))
		}
	}
	for path, status := range map[string]int{"/nobody": 404, "/999999": 404, "/ada?view=x": 400, "/ada?sort=random": 400, "/ada?view=blocks&kind=x": 400,
		"/ada?page=0": 404, "/ada?page=-1": 404, "/ada?page=x": 404, "/ada?page=9223372036854775807": 200, "/ada?page=3": 200} {
		guest.get(path).want(status)
	}
	guest.get("/ada?page=3").says("The list ends before this page.", `href="/ada"`)
}

// The ETag of a page depends on its content: the page is sent again only after a change.
func TestListTags(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	r.Person("ada")
	guest := newBrowser(t, r)
	for _, path := range []string{"/", "/explore", "/ada", "/ada?view=followers"} {
		tag := guest.get(path).want(200).header.Get("ETag")
		guest.header.Set("If-None-Match", tag)
		guest.get(path).want(http.StatusNotModified)
		channel := r.Do("ada", "POST", "/v3/channels", `{"title":"Field notes","visibility":"public"}`).Want(http.StatusCreated)
		guest.get(path).want(200)
		tag = guest.get(path).header.Get("ETag")
		guest.header.Set("If-None-Match", tag)
		guest.get(path).want(http.StatusNotModified)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel.Int("id")), `{"title":"Other notes"}`).Want(200)
		if path != "/ada?view=followers" {
			guest.get(path).want(200)
		}
		guest.header.Del("If-None-Match")
	}
}

// Public items can be explored in three orders and filtered by type.
func TestExplore(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := enter(t, r, "ada")
	channel := r.Do("ada", "POST", "/v3/channels", `{"title":"Field notes","visibility":"closed"}`).Want(http.StatusCreated)
	hidden := r.Do("ada", "POST", "/v3/channels", `{"title":"Secret plans","visibility":"private"}`).Want(http.StatusCreated)
	for i, c := range []int64{channel.Int("id"), hidden.Int("id")} {
		r.Do("ada", "POST", "/v3/blocks", fmt.Sprintf(`{"value":"Words %d of a text","channel_ids":[%d]}`, i, c)).Want(http.StatusCreated)
	}
	for _, b := range []*browser{newBrowser(t, r), ada} {
		b.get("/explore").want(200).says("Field notes", "Words 0", "Ada", `rel="canonical" href="`+apptest.Base+`/explore"`, "/explore/feed.atom").hides("Secret", "Words 1")
		b.get("/explore?type=channels").want(200).says("Field notes").hides(`href="/block/`)
		b.get("/explore?type=blocks&kind=text&sort=updated").want(200).says("Words 0").hides("Field notes", "canonical")
		b.get("/explore?type=blocks&kind=image").want(200).says("There is nothing public of this kind yet.")
		b.get("/explore?type=people").want(200).says(`href="/ada"`)
		b.get("/explore?type=groups").want(200).says("There is nothing public of this kind yet.")
	}
	guest := newBrowser(t, r)
	to := guest.get("/explore?sort=random&type=blocks").want(http.StatusSeeOther).header.Get("Location")
	if !strings.Contains(to, "seed=") || !strings.Contains(to, "type=blocks") {
		t.Errorf("chance leads to %s", to)
	}
	guest.get(to).want(200).says("Words 0", "Shuffle again").hides("canonical")
	for path, status := range map[string]int{"/explore?type=x": 400, "/explore?sort=x": 400, "/explore?kind=x": 400, "/explore?page=x": 404, "/explore?sort=random&seed=x": 303} {
		guest.get(path).want(status)
	}
}

// A search finds what the reader may see within the chosen scope, and the form keeps the query.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := enter(t, r, "ada")
	r.Do("ada", "POST", "/v3/channels", `{"title":"Moss and lichen","visibility":"public"}`).Want(http.StatusCreated)
	r.Do("ada", "POST", "/v3/channels", `{"title":"Moss in private","visibility":"private"}`).Want(http.StatusCreated)
	r.Do("bob", "POST", "/v3/channels", `{"title":"Moss of Bob","visibility":"public"}`).Want(http.StatusCreated)
	guest := newBrowser(t, r)
	guest.get("/search").want(200).says("Words are found in titles").hides("results")
	guest.get("/search?q=moss").want(200).says("2 results", "Moss and lichen", "Moss of Bob", `value="moss"`, "noindex").hides("in private", "What I follow")
	ada.get("/search?q=moss").want(200).says("3 results", "Moss in private", "What I follow")
	ada.get("/search?q=moss&scope=mine").want(200).says("2 results", `type="hidden" name="scope" value="mine"`).hides("Moss of Bob")
	guest.get("/search?q=moss&scope=mine").want(200).says("2 results")
	guest.get("/search?q=moss&user=bob").want(200).says("One result", "Words, in what Bob has", `href="/search?q=moss"`)
	guest.get("/search?q=moss&type=people").want(200).says("No results", "Nothing was found")
	guest.get("/search?q="+strings.Repeat("x+y", 5000)).want(422).says("Error:", `aria-invalid="true"`)
	guest.get("/search?q=" + strings.Repeat("a+b+", 60)).want(422).says("Error:")
	guest.get(`/search?q=%3Cscript%3Ealert(1)%3C/script%3E"`).want(200).says("No results")
	// A misspelled word is corrected by a word that the reader sees, unless the query is meant exactly.
	literal := `href="/search?exact=1&q=mosss+-fern&sort=name"`
	guest.get("/search?q=mosss+-fern&sort=name").want(200).says("2 results", "Results for <strong><bdi>moss -fern</bdi></strong>.", literal,
		"Search instead for <bdi>mosss -fern</bdi>", "Moss of Bob", `value="mosss -fern"`)
	guest.get("/search?exact=1&q=mosss+-fern&sort=name").want(200).says("No results").hides("Results for")
	guest.get("/search?exact=2&q=mosss").want(400)
	guest.get("/search?q=priavte").want(200).says("No results").hides("private</bdi>")
	ada.get("/search?q=priavte").want(200).says("One result", "Results for <strong><bdi>private</bdi></strong>.", "Moss in private")
	// Operators are links to the search without them.
	guest.get("/search?q=moss+-lichen+type%3Achannel&sort=name").want(200).says("One result", "Moss of Bob", `href="/search?q=moss+type%3Achannel&sort=name"`,
		`href="/search?q=moss+-lichen&sort=name"`, `aria-label="Search without -lichen"`).hides("Moss and lichen")
	ada.get("/search?q=moss+in%3A%22Moss+in+private%22").want(200).says("No results", `href="/search?q=moss"`)
	guest.get("/search?q=moss+type%3Acat").want(200).says("No results", "More ways to search").hides(`class="chips"`)
	guest.get("/search?q=title%3Amoss").want(200).says("2 results", `class="chips"`, `href="/search"`)
	for path, status := range map[string]int{"/search?q=x&type=y": 400, "/search?q=x&sort=y": 400, "/search?q=x&scope=y": 400, "/search?q=x&page=y": 404,
		"/search?q=x&user=nobody": 404, "/search?q=x&group=nobody": 404, "/search?q=%ff": 200, "/search?q=%2C": 200} {
		guest.get(path).want(status)
	}
}

// The operator's pages are linked at the foot of every page.
func TestAboutPages(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	first(t, r)
	u, err := r.S.App.People.User(t.Context(), refOf("ada"))
	if err != nil {
		t.Fatal(err)
	}
	by := domain.Actor{UserID: u.ID, Scope: domain.ScopeWrite}
	if _, err := r.S.App.Operating.SaveLegalPage(t.Context(), by, operating.LegalPageInput{Slug: "imprint", Title: "Imprint", Body: "# Who we are\n\n<script>x</script>\n\n*Us*"}); err != nil {
		t.Fatal(err)
	}
	name, words := "Cabinet", "# Of moss"
	if _, err := r.S.App.Operating.UpdateSite(t.Context(), by, operating.SiteInput{Name: &name, About: core.Patch{Set: true, Value: &words}}); err != nil {
		t.Fatal(err)
	}
	guest := newBrowser(t, r)
	p := guest.get("/about/imprint").want(200).says("<h2>Who we are</h2>", "<em>Us</em>", "Imprint · Cabinet", `rel="canonical" href="`+apptest.Base+`/about/imprint"`)
	guest.header.Set("If-None-Match", p.header.Get("ETag"))
	guest.get("/about/imprint").want(http.StatusNotModified)
	guest.header.Del("If-None-Match")
	guest.get("/").want(200).says(`href="/about/imprint"`, "Cabinet", "Of moss")
	guest.get("/about/nothing").want(404)
}

// Pinned channels come first on the start page.
func TestPins(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := enter(t, r, "ada")
	ada.get("/").says("Begin with a channel")
	id := r.Do("ada", "POST", "/v3/channels", `{"title":"Field notes","visibility":"closed"}`).Want(http.StatusCreated).Int("id")
	foreign := r.Do("bob", "POST", "/v3/channels", `{"title":"Of Bob","visibility":"private"}`).Want(http.StatusCreated).Int("id")
	at := func(id int64) string { return fmt.Sprintf("/channel/%d/pin", id) }
	ada.get("/").says("Your channels", "Field notes").hides("Pinned")
	ada.post(at(id), "do", "pin", "next", "/").leads("/").follow().says("Pinned", "The channel is pinned to your start page.")
	ada.post(at(id), "do", "pin", "next", "/ada/field-notes").leads("/ada/field-notes")
	ada.post(at(id), "do", "unpin").leads("/").follow().hides(`id="pinned"`)
	ada.post(at(id), "do", "x").want(400)
	ada.post(at(foreign), "do", "pin").want(404)
	ada.post("/channel/x/pin", "do", "pin").want(404)
	ada.get(at(id)).want(405)
}
