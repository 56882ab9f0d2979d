package site_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// A form that changes one text keeps the others, and replaces no text that its user has not seen.
func TestEditsOfTexts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := signedIn(t, r, "ada"), signedIn(t, r, "eve")
		channel := r.Channel("ada", "Moss", "closed")
		block := r.Block("ada", "One\ntwo", channel)
		at := fmt.Sprintf("/block/%d/edit", block)
		page := fmt.Sprint("/block/", block)
		ada.post(at, "do", "save", "title", "Early", "was_title", "", "next", page).leads(page)
		ada.post(at, "do", "save", "description", "A *word*").leads(page)
		ada.get(at).want(200).says(`name="title" type="text" value="Early"`, `name="was_content" value="One`, "A *word*")
		ada.post(at, "do", "save", "title", "Late", "was_title", "Early", "content", "Three", "was_content", "One\r\ntwo").leads(page)
		ada.post(at, "do", "save", "title", "Late", "was_title", "Early").leads(page) // sent twice
		ada.get(page).says("Late", "Three", "<em>word</em>").hides("Early")

		// In another window, the old text is still open.
		ada.post(at, "do", "save", "title", "Mine", "was_title", "Early", "content", "Three", "was_content", "Other").want(422).
			says("Was changed in the meantime: save again to replace the other text.", `value="Mine"`, "Title, as somebody else saved it", "Late", `name="was_title" value="Late"`, "A *word*").
			hides("Text, as somebody else")
		ada.get(page).says("Late").hides("Mine")
		ada.post(at, "do", "save", "title", "Mine", "was_title", "Late").leads(page)
		ada.get(page).says("Mine")
		ada.post(at, "do", "save", "content", "", "was_content", "Three").want(422).says("Must not be blank.", "Mine")
		eve.post(at, "do", "save", "title", "Hers", "was_title", "Mine").want(403)
		eve.get(page).hides("data-edit")
		ada.get(page).says(`data-edit="` + at + `"`)

		ada.post("/ada/moss/edit", "description", "Green", "was_description", "").leads("/ada/moss")
		ada.post("/ada/moss/edit", "title", "Ferns", "was_title", "Moss").leads("/ada/ferns")
		ada.get("/ada/ferns").says("Green", `data-edit="/ada/ferns/edit"`)
		eve.get("/ada/ferns").hides("data-edit")
		ada.post("/ada/ferns/edit", "description", "Red", "was_description", "").want(422).
			says("Was changed in the meantime", "Red", "Description, as somebody else saved it", "Green", `value="closed" checked`, `value="Ferns"`)
		ada.post("/ada/ferns/edit", "description", "", "was_description", "Green").leads("/ada/ferns")
		ada.get("/ada/ferns").hides("Green")
	}, people)
}
