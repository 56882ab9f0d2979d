package site_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// sendForm sends a form with a file, like a browser without scripts. A file without a name was not
// chosen.
func (b *browser) sendForm(path, filename, contentType string, content []byte, pairs ...string) *page {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(pairs); i += 2 {
		if err := w.WriteField(pairs[i], pairs[i+1]); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Type": {contentType},
		"Content-Disposition": {`form-data; name="picture"; filename="` + filename + `"`}})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		b.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.header.Set("Content-Type", w.FormDataContentType())
	defer b.header.Del("Content-Type")
	return b.send(http.MethodPost, path, body.String())
}

func TestOperatorSite(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, guest := first(t, r), newBrowser(t, r)
		at := "/operator/site"
		b.get(at).want(200).says(`value="Vitrine"`, "Nothing is announced.").hides("Take it down", "Show no picture")
		version := b.get(at).find(`name="seen" value="(\d+)"`)
		b.post(at, "do", "save", "seen", version, "name", " Kelp & <b>Forest ", "about", "We keep *seaweed*.").leads(at).follow().
			says("What the site says of itself has been saved.", `value="Kelp & <b>Forest"`)
		guest.get("/sign-in").says("<title>Sign in · Kelp & <b>Forest</title>")
		if p := guest.get("/sign-in"); strings.Contains(p.body, "<b>Forest") {
			t.Errorf("the name is not escaped: %s", p.body)
		}
		b.post(at, "do", "preview", "name", "Other", "about", "<script>alert(1)</script>\n\n# Kept\n[x](javascript:alert(1))").want(200).
			says("Preview", `value="Other"`, "# Kept\n").hides("<h1>Kept")
		guest.get("/sign-in").hides("Other")

		b.post(at, "do", "save", "seen", version, "name", "Late", "about", "").want(422).says("Somebody else has changed this meanwhile", `value="Late"`)
		b.post(at, "do", "save", "name", " ", "about", "kept").want(422).says(`id="name-error"`, "kept</textarea>")
		b.post(at, "do", "save", "name", strings.Repeat("x", 300), "about", "").want(422).says(`id="name-error"`)
		b.post(at, "do", "save", "name", "x", "about", strings.Repeat("é", 20_001)).want(422).says(`id="about-error"`)
		b.post(at, "do", "save", "name", "x\u202ey", "about", "").want(422).says(`id="name-error"`)
		b.post(at, "do", "dance").want(400)
		b.post(at).want(400)
		guest.get("/sign-in").says("Kelp & <b>Forest")
	}, people)
}

func TestOperatorAnnouncement(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b, guest := first(t, r), newBrowser(t, r)
	at := "/operator/site"
	b.post(at, "do", "announce", "announcement", " ").want(422).says(`id="announcement-error"`)
	b.post(at, "do", "announce", "announcement", strings.Repeat("x", 100_000)).want(422).says(`id="announcement-error"`)
	b.post(at, "do", "announce-preview", "announcement", "**Soon**").want(200).says("<strong>Soon</strong>")
	guest.get("/sign-in").hides("Soon")
	said := "# Closed\n<script>alert(1)</script> on [Monday](javascript:alert(1)) <img src=x onerror=alert(1)>"
	b.post(at, "do", "announce", "announcement", said).leads(at)
	guest.get("/sign-in").says("Closed") // the test's browser checks every page for scripts
	id := guest.get("/sign-in").find(`name="announced" value="(\d+)"`)
	guest.post("/settings/announcement", "announced", id, "next", "/sign-in").leads("/sign-in").follow().hides("Closed")
	b.get(at).says("It is shown on every page", "Closed")
	b.post(at, "do", "announce", "announcement", "Open again").leads(at)
	guest.get("/sign-in").says("Open again")
	b.post(at, "do", "unannounce").leads(at).follow().says("Nothing is announced.")
	guest.get("/sign-in").hides("Open again")
}

func TestOperatorPicture(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, guest := first(t, r), newBrowser(t, r)
		at := "/operator/site"
		b.sendForm(at, "", "application/octet-stream", nil, "do", "picture").want(422).says(`id="picture-error"`, "Choose a file first.", `value="Vitrine"`)
		for name, content := range map[string]string{"a.png": "no image at all", "a.txt": "words", "a.svg": "<svg onload='alert(1)'></svg>"} {
			b.sendForm(at, name, "image/png", []byte(content), "do", "picture").want(422).says(`id="picture-error"`)
		}
		guest.get("/sign-in").says(`href="/"><img src="/assets/logo.`)
		b.sendForm(at, "../../me.png", "image/png", apptest.PNG(t, 300, 200), "do", "picture").leads(at).follow().
			says("The picture of the site", "Show no picture")
		mark := guest.get("/sign-in").find(`class="brand"[^>]*><img src="([^"]+)"`)
		if !strings.HasPrefix(mark, apptest.Base+"/files/") {
			t.Errorf("beside the name stands %s", mark)
		}
		guest.get(strings.TrimPrefix(mark, apptest.Base)).want(200)
		b.post(at, "do", "no-picture").leads(at).follow().hides("The picture of the site")
		guest.get("/sign-in").says(`href="/"><img src="/assets/logo.`)
	}, people)
}

func TestOperatorPagesOfTheirOwn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, other, guest := first(t, r), member(t, r, "eve"), newBrowser(t, r)
		b.post("/operator/accounts/eve", "do", "promote").leads("/operator/accounts/eve")
		at := "/operator/pages"
		b.get(at).want(200).says("There are no pages yet.")
		b.post(at, "do", "save", "title", "", "slug", "No Slug", "body", "").want(422).says(`id="title-error"`, `id="slug-error"`, `id="body-error"`, `value="No Slug"`)
		b.post(at, "do", "preview", "title", "Imprint", "slug", "imprint", "body", "**We**<script>alert(1)</script>").want(200).says("<strong>We</strong>", "**We**<script>")
		b.get(at + "/imprint").want(404)
		b.post(at, "do", "save", "title", "Imprint <i>", "slug", "imprint", "body", "**We**").leads(at).follow().says("The page has been saved.", "Imprint <i>", `href="/about/imprint"`)
		b.post(at, "do", "save", "title", "Another", "slug", "imprint", "body", "x").want(422).says("Is already taken.")
		guest.get("/sign-in").says(`href="/about/imprint"`)

		here := at + "/imprint"
		mine := b.get(here).want(200).says("**We**</textarea>").find(`name="seen" value="(\d+)"`)
		other.post(here, "do", "save", "seen", mine, "title", "Imprint", "body", "They").leads(here)
		b.post(here, "do", "save", "seen", mine, "title", "Imprint", "body", "Me").want(422).says("Somebody else has changed this meanwhile", "Me</textarea>")
		b.get(here).says("They</textarea>")
		b.post(here, "do", "preview", "title", "Imprint", "body", "# Big").want(200).says("Big")
		b.post(here, "do", "save", "title", " ", "body", "kept").want(422).says(`id="title-error"`, "kept</textarea>")
		b.post(here, "do", "dance").want(400)
		b.post(here, "do", "delete").leads(at).follow().says("The page has been deleted.")
		b.post(here, "do", "delete").want(404)
		b.get(at + "/..").want(404)
	}, people)
}

func TestOperatorSeesWhatIsStored(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b := first(t, r)
		b.get("/operator/storage").want(200).says("0 accounts store something")
		b.sendForm("/operator/site", "a.png", "image/png", []byte("no image"), "do", "picture").want(422)
		b.get("/operator/storage").want(200).says("1 account stores something", "Ada", `name="sort" value="stored"`)
		for _, page := range []string{"0", "x", "2", "9223372036854775807"} {
			b.get("/operator/storage?page=" + page).want(200)
		}
		b.get("/operator").want(200).says("What is stored", "Connections", "Content of blocks", "Exports", "none in the last day").hides("operator.queue")
	}, people)
}
