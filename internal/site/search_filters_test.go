package site_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// The form of filters sets operators of the query, and shows those that the query has.
func TestSearchFilters(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, guest := signedIn(t, r, "ada"), newBrowser(t, r)
		moss := r.Channel("ada", "Moss", "closed")
		block := r.Block("ada", "moss and fern", moss)
		ada.get("/search?set=1&q=moss+in%3Aold&set-type=text&set-type=image&set-in=Moss&set-by=ada&set-tag=a+b%2C+c&set-ext=.pdf%2C+png&set-after=2020&set-before=&sort=oldest&set-has=").
			leads("/search?q=moss+type%3Atext%2Cimage+ext%3A%22.pdf%2Cpng%22+by%3Aada+in%3AMoss+after%3A2020+tag%3A%22a+b%22+tag%3Ac&sort=oldest")
		for _, b := range []*browser{ada, guest} {
			b.get("/search?q=moss+type%3Atext+in%3AMoss&sort=oldest").says("One result", fmt.Sprint("/block/", block), `value="text" checked`, `name="set-in" type="text" value="Moss"`,
				`<option value="oldest" selected>`, `name="q" value="moss type:text in:Moss"`, `aria-current="true">Oldest<`)
		}
		ada.get("/search?set=1&q=moss&set-after=soon&set-type=image&set-in=Moss").want(422).
			says(`<details class="filters" open>`, "Cannot be used as a filter.", `id="set-after-error"`, `name="set-after" type="text" value="soon"`, `value="image" checked`, `value="Moss"`)
		ada.get("/search?set=1&q=moss+in%3AMoss+type%3Atext").leads("/search?q=moss")
		guest.get("/search?q=moss&sort=random&seed=5").says("2 results", `selected>Random`)
		guest.get("/search?q=moss&sort=connections").says("2 results")
		r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", block), map[string]any{"metadata": map[string]any{"year": 1972}}).Want(200)
		guest.get("/search?q=moss+meta%3Ayear&sort=value-back").says("One result", `selected>By a metadata value, from the highest`)
		guest.get("/search?q=moss&sort=value").want(422).says("such as meta:year")
		guest.get("/search?sort=value").want(200)
		guest.get("/search?q=moss+ext%3Apdf").says("No results")
		guest.get("/search?q=moss+ext%3Anone").says("No results")
	}, people)
}
