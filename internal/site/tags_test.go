package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Tags are edited with blocks and channels. They lead to everything that has them and that the reader sees.
func TestTags(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := signedIn(t, r, "ada"), signedIn(t, r, "eve"), newBrowser(t, r)
		open, private := r.Channel("ada", "Moss", "closed"), r.Channel("ada", "Secret", "private")
		block, hidden := r.Block("ada", "One", open), r.Block("ada", "Two", private)
		page, edit := fmt.Sprint("/block/", block), fmt.Sprintf("/block/%d/edit", block)
		ada.get(edit).says(`name="tags"`, `data-autocomplete="/search/tags?q=" data-many="yes"`)
		ada.post(edit, "tags", "Tree fern, #moss,, tree-fern", "was_tags", "", "meta_key", "year", "meta_value", "1972", "meta_was", "").leads(page)
		ada.get(edit).says(`name="tags" type="text" value="Tree fern, moss"`, `name="was_tags" value="Tree fern, moss"`, `value="year"`).hides(`name="meta_key" value="tags"`)
		for _, b := range []*browser{ada, eve, guest} {
			b.get(page).says(`<a href="/search?q=tag%3A%22Tree+fern%22" rel="tag nofollow"><bdi>Tree fern</bdi></a>`, "1972").hides(`<dt dir="auto">tags</dt>`)
			b.get("/search?q=tag%3A%22Tree+fern%22").says(`href="`+page+`"`, "One result", `Search without tag:"Tree fern"`)
		}
		ada.post(fmt.Sprintf("/block/%d/edit", hidden), "tags", "moss, mossy secret", "was_tags", "").leads(fmt.Sprint("/block/", hidden))
		ada.get("/search?q=tag:moss").says("2 results")
		ada.get("/search/tags?q=mos").says(`"mossy secret"`, `"moss"`).hides("fern")
		for _, b := range []*browser{eve, guest} {
			b.get("/search?q=tag:moss").says("One result").hides(fmt.Sprint("/block/", hidden))
		}
		eve.get("/search/tags?q=mos").says(`[{"value":"moss","label":"moss"}]`)
		eve.get("/search/tags?q=").hides("secret")

		// What others changed in the meantime stays, if the form did not change the tags.
		ada.post(edit, "title", "First", "was_title", "", "tags", "moss", "was_tags", "moss").leads(page)
		ada.get(page).says("Tree fern")
		ada.post(edit, "tags", "", "was_tags", "Tree fern, moss").leads(page)
		ada.get(page).hides("tag nofollow").says("1972")
		eve.get("/search/tags?q=mos").says("[]")
		eve.post(edit, "tags", "x", "was_tags", "").want(403)
		ada.post(edit, "tags", strings.Repeat("x", 65), "was_tags", "").want(422).says("Has a tag that is too long.", strings.Repeat("x", 65))
		ada.post(edit, "tags", numbered(101), "was_tags", "").want(422).says("Has too many tags.")

		ada.post("/ada/moss/edit", "tags", "Gardens", "was_tags", "").leads("/ada/moss")
		guest.get("/ada/moss").says(`<a href="/search?q=tag%3AGardens" rel="tag nofollow">`)
		guest.get("/search?q=tag:gardens").says("One result", `href="/ada/moss"`)
	}, people)
}

// While a query is typed, the reader's own results are suggested, and others that they see.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := signedIn(t, r, "ada"), signedIn(t, r, "eve"), newBrowser(t, r)
		open, private := r.Channel("ada", "Moss garden", "closed"), r.Channel("ada", "Moss secret", "private")
		block, hidden := r.Block("eve", "mossy stones", r.Channel("eve", "Rocks", "closed")), r.Block("ada", "mossy wall", private)
		r.Block("ada", "elsewhere", open)
		const own, all = "/search/suggest?scope=mine&q=mos", "/search/suggest?q=mos"
		ada.get(own).says(`"value":"/ada/moss-garden","label":"Moss garden","hint":"Ada"`, "Moss secret", fmt.Sprint("/block/", hidden)).hides("stones")
		eve.get(own).says(fmt.Sprint("/block/", block)).hides("garden", "secret", "wall")
		for _, b := range []*browser{eve, guest} {
			b.get(all).says("/ada/moss-garden").hides("secret", "wall")
		}
		guest.get(own).says("[]")
		guest.get("/search/suggest?q=+").says("[]")
		guest.get("/search/suggest?q=" + strings.Repeat("x", 5000)).says("[]")
		guest.get("/search/suggest?q=a&scope=none").want(400)
		ada.get("/").says(`data-suggest="/search/suggest?q="`)
	}, people)
}

// numbered returns a list of tags.
func numbered(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint("tag", i))
	}
	return strings.Join(all, ",")
}
