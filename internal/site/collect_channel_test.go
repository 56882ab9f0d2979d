package site_test

import (
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func TestCollectChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := member(t, r, "ada"), member(t, r, "eve"), newBrowser(t, r)
		ada.get("/new").want(200).says("Everyone may look, and everyone with an account may add to it.").hides("Belongs to")
		guest.get("/new").leads("/sign-in?next=%2Fnew")
		ada.post("/new", "title", " ", "description", strings.Repeat("x", 20_001), "visibility", "secret").want(422).
			says("Must not be blank.", "Must be at most 20000 characters long.", "Must be one of public, private, closed.")
		ada.post("/new", "title", "x", "owner", "7777").want(422).says("You may not give a channel")
		ada.post("/new", "title", "x", "owner", "x").want(422).says("Choose yourself or one of your groups.")
		ada.post("/new", "title", "Ferns & mosses", "description", "of *home*", "visibility", "closed", "once", "k").leads("/ada/ferns-and-mosses").follow()
		ada.post("/new", "title", "Ferns & mosses", "description", "of *home*", "visibility", "closed", "once", "k").leads("/ada/ferns-and-mosses")
		ada.post("/new", "title", "Other words", "once", "k").leads("/ada/other-words") // a page from the browser's cache

		private := ada.post("/new", "title", "Mosses", "description", "of *home*", "visibility", "private").want(303).header.Get("Location")
		at := private + "/edit"
		p := ada.get(at).want(200).says(`value="Mosses"`, "of *home*", `value="private" checked`)
		del := p.find(`href="(/channel/\d+/delete)"`)
		for _, path := range []string{at, private + "/add", private + "/arrange", del, strings.Replace(del, "delete", "connect", 1)} {
			eve.get(path).want(404)
			eve.post(path, "title", "Mine").want(404).says("No longer here")
			guest.get(path).want(303)
			guest.post(path, "title", "x").want(303)
		}
		ada.post(at, "title", "", "description", "still typed", "meta_key", "a b", "meta_value", "1", "meta_was", "").want(422).
			says("Must not be blank.", "still typed", `value="a b"`, "a key must be 1 to 40")
		ada.post(at, "title", "Ferns", "visibility", "public", "meta_key", "place", "meta_value", "Jena", "meta_was", "",
			"meta_key", "", "meta_value", "", "meta_was", "").leads("/ada/ferns")
		ada.get("/ada/ferns/edit?x=1").want(200)
		ada.get("/eve/ferns/edit?x=1").leads("/ada/ferns/edit?x=1")
		ada.get("/ada/ferns/edit").want(200).says(`value="place"`, `value="Jena"`)
		ada.post("/ada/ferns/edit", "title", "Ferns", "meta_key", "place", "meta_value", "x", "meta_was", "", "meta_key", "place", "meta_value", "y", "meta_was", "").
			want(422).says("Has the name place twice.")
		ada.post("/ada/ferns/edit", "title", "Ferns", "meta_key", "", "meta_value", "Jena", "meta_was", "place").leads("/ada/ferns")
		ada.get("/ada/ferns/edit").hides("Jena")
		eve.get("/ada/ferns/edit").want(403).says("You may not change this channel.")
		eve.post("/ada/ferns/edit", "title", "Mine").want(403).says("You may not change this channel")
		eve.get(del).want(403)
		eve.post(del, "sure", "yes").want(403)
		ada.get(del).want(200).says("The channel is empty.")
		ada.post(del).want(400)
		ada.post(del, "sure", "yes", "next", "/ada/ferns?x=1").leads("/ada")
		ada.post(del, "sure", "yes").want(404).says("No longer here")
		ada.post("/ada/ferns/edit", "title", "Typed for nothing", "description", "Also this").want(404).says("No longer here", "Typed for nothing", "Also this")
	}, people)
}
