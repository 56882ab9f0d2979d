package site_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

func TestCollectConnectArrangeUndo(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := member(t, r, "ada"), member(t, r, "eve")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		ada.post("/new", "title", "Mosses").leads("/ada/mosses")
		for i := range 4 {
			ada.post("/ada/ferns/add", "value", fmt.Sprint("text ", i)).leads("/ada/ferns")
		}
		p := ada.get("/ada/ferns/arrange").want(200).says("text 3", "Mosses")
		first, to := p.find(`name="connection" value="(\d+)"`), p.find(`<option value="(\d+)">Mosses`)
		at := "/ada/ferns/arrange"
		ada.post(at, "do", "connect", "connection", first).want(422).says("Choose a channel to connect to.")
		ada.post(at, "do", "book", "connection", first).leads("/ada/ferns/articles.epub?connection=" + first)
		ada.get("/ada/ferns/articles.epub?connection=" + first).want(200)
		ada.get("/ada/ferns/articles.epub?connection=x").want(404)
		ada.post(at, "do", "remove").want(422).says("Tick at least one item.")
		ada.post(at, "do", "place", "at", "x", "connection", first).want(422).says("The place must be a number from 1.")
		ada.post(at, "do", "connect", "connection", first, "connection", "999999", "to", to).leads(at).follow().says("Done: 1. Not done, since you may not or they were gone: 1.")
		ada.post(at, "do", "order", "item", first, "place"+first, "3", "was"+first, "1").leads(at).follow().says("One item was moved.")
		ada.get(at).find(`name="was` + first + `" value="(3)"`)
		back := ada.post(at, "do", "bottom", "connection", first).leads(at).follow().find(`name="undo" value="(\w+)"`)
		ada.get(at).find(`name="was` + first + `" value="(4)"`)
		ada.post("/connections/undo", "undo", back, "next", at).leads(at).follow().says("It is back where it was.").find(`name="was` + first + `" value="(3)"`)
		undo := ada.post(at, "do", "remove", "connection", first).leads(at).follow().says("Removed from the channel.").find(`name="undo" value="(\w+)"`)
		ada.get(at).hides("text 3", "Undo")
		eve.post("/connections/undo", "undo", undo).leads("/").follow().says("This can no longer be undone.")
		ada.post("/connections/undo", "undo", undo, "next", at).leads(at).follow().says("It is back where it was.", "text 3")
		again := ada.get(at).find(`name="was(\d+)" value="3"`)

		ada.get("/connection/"+again).want(200).says("In the channel", "Ferns")
		eve.get("/connection/" + again).want(403)
		eve.post("/connection/"+again, "do", "remove").want(403)
		ada.post("/connection/"+again, "do", "move", "place", "0").want(422).says("Must be a number from 1.")
		ada.post("/connection/"+again, "do", "move", "position", "4").leads("/ada/ferns")
		ada.post("/connection/"+again, "do", "edit", "meta_key", "a", "meta_value", "b", "meta_was", "").leads("/ada/ferns")
		ada.post("/connection/"+again, "do", "dance").want(400)
		ada.post("/connection/"+again, "do", "remove").leads("/ada/ferns")
		ada.post("/connection/"+again, "do", "remove").want(404).says("No longer here")

		block := ada.post("/save", "value", "saved", "channel", to).want(303).header.Get("Location")
		ada.get(block+"/connect").want(200).says("It is in", "Mosses", "Ferns")
		ada.get(block + "/connect?q=fern").want(200).says("Ferns")
		ada.post(block+"/connect", "shown", to, "title", "New one").leads(block)
		ada.get(block + "/connect").want(200).says("New one")
		eve.get(block + "/edit").want(403)
		ada.post(block+"/edit", "content", "*b*", "do", "preview").want(200).says("<em>b</em>")
		ada.post(block+"/edit", "content", " ", "title", "kept").want(422).says("Must not be blank.", "kept")
		ada.post(block+"/edit", "content", "*b*", "title", "T").leads(block)
		ada.get(block + "/delete").want(200).says("It stands in one channel")
		ada.post(block+"/delete", "sure", "yes", "next", block).leads("/ada")
		ada.post(block+"/edit", "content", "typed for nothing").want(404).says("typed for nothing")

		guest := newBrowser(t, r)
		save := "/save?title=A&text=see+https%3A%2F%2Fexample.org%2Fx"
		guest.get(save).leads("/sign-in?next=" + url.QueryEscape(save))
		ada.get(save).want(200).says("https://example.org/x", `value="A"`)
		ada.get("/save?url=https%3A%2F%2Fexample.org&text=2*3*4").says(`2\*3\*4`)
		ada.get("/save?text=1986.+A+year").says(`1986\. A year`)
		ada.get("/save?value=x&description=*kept*").says(`*kept*`)
		long := strings.Repeat("ü", domain.MaxTitle)
		for _, more := range []string{"", "ü", " and more"} {
			ada.get("/save?url=https%3A%2F%2Fexample.org%2Fx&title=" + url.QueryEscape(long+more)).want(200).says(`value="` + long + `"`)
		}
		ada.post("/save", "value", "x").want(422).says("Choose a channel, or make a new one.")
		ada.post("/save", "value", "", "new", "y").want(422).says("Must not be blank.")
		guest.post("/save", "value", "x", "title", "A").leads("/sign-in?next=" + url.QueryEscape("/save?description=&title=A&value=x"))
	}, people)
}
