package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

const essay = `<h1>Moss</h1><p>Moss is one of the oldest plants of the forest, and it grows on stone.</p><p><img src="https://moss.example/a.png" alt="A"/></p>` +
	`<p>The <em>green carpet</em> of <a href="https://moss.example/b" target="_blank" rel="nofollow noopener">the forest</a> holds water.</p><pre><code>moss()</code></pre>`

// The page for reading shows the article of a Link to all who see the block, without its images.
func TestReading(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := entered(t, r, "ada"), member(t, r, "eve"), newBrowser(t, r)
		open, shut := r.Channel("ada", "Open", "public"), r.Channel("ada", "Shut", "private")
		id, secret := r.Article("ada", "On moss", essay, open), r.Article("ada", "Secret moss", essay, shut)
		page := fmt.Sprintf("/block/%d/read", id)
		for _, b := range []*browser{ada, eve, guest} {
			p := b.get(page).want(200).says("On moss", "moss.example", "1 minute", "green carpet", "holds water")
			p.find(`(<div class="prose text" dir="ltr" lang="en"><h2>Moss</h2>)`)
			if strings.Contains(p.body, "a.png") {
				t.Error("an image of another site is loaded")
			}
		}
		b := guest.get(fmt.Sprintf("/block/%d?in=%d", id, open)).want(200)
		b.find(fmt.Sprintf(`href="(/block/%d/read\?in=%d)"`, id, open))
		guest.get(fmt.Sprintf("%s?in=%d", page, open)).find(fmt.Sprintf(`href="(/block/%d\?in=%d)" data-key="Escape"`, id, open))
		guest.get(page).hides("Your highlights")
		guest.get(fmt.Sprintf("/block/%d/read", secret)).want(404)
		eve.get(fmt.Sprintf("/block/%d/read", secret)).want(404)
		ada.get(fmt.Sprintf("/block/%d/read", secret)).want(200).says("Secret moss")
		tag := guest.get(page).header.Get("ETag")
		if tag == "" {
			t.Error("the page has no ETag")
		}
		ada.get("/block/9999/read").want(404)
		ada.get("/block/x/read").want(404)
	}, people)
}

// Texts can be read too, in their direction. Other blocks have no text to read.
func TestReadingTexts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, guest := entered(t, r, "ada"), newBrowser(t, r)
		open := r.Channel("ada", "Open", "public")
		long := r.Block("ada", strings.Repeat("Moss is one of the oldest plants of the forest. ", 60), open)
		short := r.Block("ada", "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם", open)
		guest.get(fmt.Sprintf("/block/%d", long)).want(200).find(fmt.Sprintf(`(href="/block/%d/read")`, long))
		guest.get(fmt.Sprintf("/block/%d", short)).want(200).hides("/read")
		guest.get(fmt.Sprintf("/block/%d/read", long)).want(200).says("600 words", "3 minutes")
		guest.get(fmt.Sprintf("/block/%d/read", short)).want(200).find(`(<div class="prose text" dir="rtl" lang="he">)`)
		page := fmt.Sprintf("/block/%d/read", r.Article("ada", "Bare", "", open))
		guest.get(page).want(200).says("is not stored").hides("Get the article")
		ada.get(page).want(200).says("Get the article")
	}, people)
}

// A reader highlights a passage, writes a note about it, and finds both again. Nobody else sees them.
func TestHighlights(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := entered(t, r, "ada"), member(t, r, "eve"), newBrowser(t, r)
		open := r.Channel("ada", "Open", "public")
		id := r.Article("ada", "On moss", essay, open)
		page, to := fmt.Sprintf("/block/%d/read", id), fmt.Sprintf("/block/%d/highlights", id)
		guest.post(to, "exact", "green").want(303)
		eve.post(to, "exact", "grows on\n stone. The green", "note", "<b>Which?</b>").leads(page).follow().says("The passage is highlighted.", "<b>Which?</b>")
		p := eve.get(page)
		p.find(`(grows on stone\.</mark></p>\s*<p><mark data-of="highlight-\d+">The </mark><em><mark data-of="highlight-\d+">green</mark> carpet)`)
		eve.post(to, "exact", "grows on stone. The green").leads(page).follow().says("You have highlighted this passage before.")
		eve.post(to, "exact", "a fern").want(422).says("does not contain this passage", `<details class="add" open>`)
		eve.post(to, "exact", " ").want(422)
		eve.post(to, "exact", strings.Repeat("x", domain.MaxQuote+1)).want(422)
		eve.post(to, "exact", "moss", "start", "-7").want(303)
		ada.get(page).want(200).hides("Which?", "<mark")
		guest.get(page).want(200).hides("Which?", "<mark")
		ada.get("/settings/highlights").want(200).says("not highlighted anything")
		own := eve.get("/settings/highlights").want(200).says("On moss", "Which?").find(`href="(/settings/highlights/\d+)">Edit note`)
		ada.get(own).want(404)
		ada.post(own, "do", "change", "note", "x").want(404)
		ada.post(own, "do", "delete").want(404)
		eve.get(own).want(200).says("Which?")
		eve.post(own, "do", "burn").want(400)
		eve.post(own, "do", "change", "note", "Feather moss", "was_note", "<b>Which?</b>").want(303)
		eve.post(own, "do", "change", "note", "Other", "was_note", "<b>Which?</b>").want(422).says("Feather moss", "Was changed in the meantime")
		eve.get(page).says("Feather moss")
		r.SetArticle(id, "On moss", "<p>New: it grows on stone. The  green carpet.</p>")
		eve.get(page).find(`(New: it <mark id="highlight-\d+" data-of="highlight-\d+">grows on stone\. The  green</mark> carpet)`)
		r.SetArticle(id, "On moss", "<p>Gone.</p>")
		eve.get(page).says("does not contain this passage any more", "Feather moss")
		r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", open), map[string]any{"visibility": "private"}).Want(200)
		eve.get(page).want(404)
		eve.get(own).want(404)
		eve.get("/settings/highlights").hides("Feather moss")
		eve.post(own, "do", "change", "note", "x").want(404)
		eve.post(own, "do", "delete").want(303)
	}, people)
}

// How far somebody has read is remembered for them only.
func TestPlaces(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := entered(t, r, "ada"), member(t, r, "eve"), newBrowser(t, r)
		id := r.Article("ada", "On moss", essay, r.Channel("ada", "Open", "public"))
		page := fmt.Sprintf("/block/%d/read", id)
		eve.get(page).find(`(data-place="0")`)
		eve.post(page+"/place", "place", "4200").want(204)
		eve.post(page+"/place", "place", "4300").want(204)
		eve.get(page).find(`(data-read="` + page + `" data-place="4300")`)
		ada.get(page).find(`(data-place="0")`)
		guest.get(page).hides("data-place")
		guest.post(page+"/place", "place", "1").want(303)
		for _, bad := range []string{"", "x", "-1", "10001", "99999999999999999999"} {
			eve.post(page+"/place", "place", bad).want(400)
		}
		secret := r.Article("ada", "Secret", essay, r.Channel("ada", "Shut", "private"))
		eve.post(fmt.Sprintf("/block/%d/read/place", secret), "place", "1").want(404)
	}, people)
}
