package site_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// blocksOf works the jobs and returns the titles, file names or texts of a channel's blocks in its order.
func blocksOf(t *testing.T, r *apptest.Rig, slug string) (got []string) {
	t.Helper()
	r.WorkJobs()
	all, err := r.S.App.Collections.Contents(t.Context(), domain.Actor{}, refOf(slug),
		collections.ContentsInput{Sort: domain.ContentSort{Key: domain.ByPosition, Desc: true}, Page: domain.Page{Number: 1, Per: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range all.Items {
		switch b := item.Block; {
		case b.Title != nil:
			got = append(got, *b.Title)
		case b.File != nil:
			got = append(got, b.File.Name)
		default:
			got = append(got, b.Content.Markdown)
		}
	}
	return got
}

// The form for saving puts a text and files into each chosen channel in the order of the selection, once.
func TestSaveFiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := member(t, r, "ada"), member(t, r, "eve")
		for _, title := range []string{"Ferns", "Mosses"} {
			ada.post("/new", "title", title).want(303)
		}
		p := ada.get("/save").want(200).says(`capture="environment"`, `accept="image/*"`, `data-outbox`)
		ferns, mosses := p.find(`value="(\d+)"[^>]*><span><strong dir="auto">Ferns`), p.find(`value="(\d+)"[^>]*><span><strong dir="auto">Mosses`)
		if p.header.Get("X-Reader") == "" || strings.Contains(p.header.Get("Cache-Control"), "no-store") {
			t.Errorf("the worker cannot keep the form: %v", p.header)
		}
		fields := []string{"once", "k", "value", "a text", "title", "Note", "channel", ferns, "channel", mosses}
		for range 2 {
			ada.upload("/save", fields, "a.txt", "one", "b.txt", "two", "c.txt", "three").want(303)
		}
		for _, slug := range []string{"ferns", "mosses"} {
			if got := blocksOf(t, r, slug); !slices.Equal(got, []string{"Note", "a.txt", "b.txt", "c.txt"}) {
				t.Errorf("%s contains %q", slug, got)
			}
		}
		ada.upload("/save", []string{"value", "", "title", "Leaf", "channel", ferns}, "d.txt", "four", "e.txt", "five").want(303)
		if got := blocksOf(t, r, "ferns"); !slices.Equal(got[:2], []string{"Leaf", "e.txt"}) {
			t.Errorf("the title belongs to the first file: %q", got)
		}

		// What is refused loses no file: the form has the uploads, which can be chosen again or left out.
		p = ada.upload("/save", []string{"title", "Later"}, "f.txt", "six", "empty.txt", "").want(422).
			says("Choose a channel", "f.txt", "empty.txt", "The file is empty.", "Later")
		kept := p.find(`name="upload" value="([^"]+)" checked`)
		ada.get("/save?value=&q=fern&upload=" + url.QueryEscape(kept)).want(200).says(kept)
		eve.post("/save", "value", "", "upload", kept, "new", "Stolen").want(422)
		ada.post("/save", "value", "", "title", "Later", "upload", kept, "channel", ferns).want(303)
		if got := blocksOf(t, r, "ferns"); got[0] != "Later" || len(got) != 7 {
			t.Errorf("with the kept file: %q", got)
		}
		ada.post("/save", "value", "", "upload", "https://elsewhere.example/uploads/x", "channel", ferns).want(422).says("Must not be blank.")
		var many []string
		for i := range 101 {
			many = append(many, fmt.Sprint(i, ".txt"), "x")
		}
		ada.upload("/save", []string{"channel", ferns}, many...).want(422).says("At most 100 files can be added at once")
		ada.multipart("/save", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.txt\"\r\n\r\nhal").
			want(422).says("The upload stopped before its end.")
		newBrowser(t, r).upload("/save", []string{"value", "x", "title", "A"}, "a.txt", "one").leads("/sign-in?next=" + url.QueryEscape("/save?description=&title=A&value=x"))
	}, people)
}

// Without the worker, the site itself receives shared content. The form shows it, and nothing is saved yet.
func TestShareTarget(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.UploadLimit = 1000 })
	ada := member(t, r, "ada")
	ada.post("/new", "title", "Ferns").want(303)
	share := []string{"url", "", "title", "A page", "text", "see https://example.org/x *now*"}
	ada.upload("/save/share", share, "a.png", "one", "b.png", strings.Repeat("x", 2000)).want(422).
		says("https://example.org/x", `value="A page"`, `see  \*now\*`, "a.png", "b.png", "Larger than")
	ada.upload("/save/share", share, "a.png", "one").want(200).says(`name="upload"`, "Ferns")
	ada.upload("/save/share", []string{"text", strings.Repeat("long ", 2000)}).want(200).says("long long")
	if got := blocksOf(t, r, "ferns"); len(got) != 0 {
		t.Errorf("it saved %q", got)
	}
	newBrowser(t, r).upload("/save/share", share, "a.png", "one").
		leads("/sign-in?next=" + url.QueryEscape("/save?"+url.Values{"description": {`see  \*now\*`}, "title": {"A page"}, "value": {"https://example.org/x"}}.Encode()))

	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("text", "planted")
	_ = w.Close()
	ada.header.Set("Sec-Fetch-Site", "cross-site")
	ada.header.Set("Origin", "https://evil.example")
	ada.header.Set("Content-Type", w.FormDataContentType())
	ada.send("POST", "/save/share", body.String()).want(403)
}

// A form that was stored for one user is never accepted for another who has signed in since, nor for a guest.
func TestStoredFormsOfOthers(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada, eve, guest := member(t, r, "ada"), member(t, r, "eve"), newBrowser(t, r)
	id := ada.get("/").find(`data-reader="(\d+)"`)
	for _, b := range []*browser{eve, guest} {
		b.header.Set("X-Reader", id)
		b.post("/save", "value", "x", "new", "Ferns").want(412).says("Another account is signed in, or none.")
	}
	ada.header.Set("X-Reader", id)
	ada.post("/save", "value", "x", "new", "Ferns").want(303)
}
