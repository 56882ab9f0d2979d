package site_test

import (
	"testing"

	"vitrine/internal/apptest"
)

func TestApplications(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, eve := first(t, r), member(t, r, "eve")
		b.get("/oauth/applications").want(200).says("You have not registered any applications.")
		b.post("/oauth/applications", "name", "", "kind", "public", "redirect_uris", "https://a.example/\r\n\r\njavascript:alert(1)\r\nhttps://b.example/#x").
			want(422).says("Must be 1 to 255 characters long.", "Line 2 must be", "Line 3 must not have a fragment.", "javascript:alert(1)", `value="public" checked`)
		made := b.post("/oauth/applications", "name", "Herbarium", "kind", "confidential", "redirect_uris", "https://a.example/\r\n").want(200).
			says("This is the secret of the application.", "Herbarium", "https://a.example/")
		secret := made.secret()
		at := made.find(`action="(/oauth/applications/\d+)"`)
		b.get(at).want(200).says("Herbarium", secret[:16]).hides(secret)
		b.get("/oauth/applications").want(200).says("Herbarium", "confidential", at)

		for _, p := range []*page{eve.get(at), eve.post(at, "do", "save", "name", "Mine"), eve.post(at, "do", "rotate"), eve.post(at, "do", "delete"),
			eve.get("/oauth/applications/x"), eve.get("/oauth/applications/0"), eve.get("/oauth/applications/99999999999999999999")} {
			p.want(404)
		}
		b.post(at, "do", "save", "name", "Herbarium 2", "redirect_uris", "ftp://x").want(422).says(`value="Herbarium 2"`, "ftp://x", "Line 1 must be")
		b.post(at, "do", "save", "name", "Herbarium 2", "redirect_uris", "https://c.example/\nhttps://d.example/").leads(at).
			follow().says("The application has been saved.", "Herbarium 2", "https://c.example/\nhttps://d.example/")
		if next := b.post(at, "do", "rotate").want(200).secret(); next == secret {
			t.Error("the secret is the same")
		}
		b.post(at, "do", "dance").want(400)
		b.post(at).want(400)
		b.post(at, "do", "delete").leads("/oauth/applications").follow().says("The application has been deleted.").hides("Herbarium")
		b.post(at, "do", "delete").want(404)
		b.get(at).want(404)

		b.post("/oauth/applications", "name", "Pocket", "kind", "public", "redirect_uris", "http://127.0.0.1/").
			follow().want(200).says("it has no secret and uses PKCE").hides("Make a new secret")
	}, people)
}

// Whether an application is written for version 2 is chosen in its form, and the choice is kept if
// the form has another error.
func TestApplicationForV2(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b := first(t, r)
		const ticked, said = `name="for_v2" value="yes" checked`, "where it asks for no scope, it asks to write"
		b.get("/oauth/applications").want(200).says("Written for version 2").hides(ticked, said)
		b.post("/oauth/applications", "name", "", "kind", "confidential", "for_v2", "yes").want(422).says(ticked)
		at := b.post("/oauth/applications", "name", "Old", "kind", "confidential", "redirect_uris", "https://a.example/", "for_v2", "yes").want(200).
			says(ticked, said).find(`action="(/oauth/applications/\d+)"`)
		b.get("/oauth/applications").want(200).says(`<span class="mark">version 2</span>`)
		b.post(at, "do", "rotate").want(200).says(ticked, said)
		b.post(at, "do", "save", "name", "", "redirect_uris", "https://a.example/").want(422).hides(ticked)
		b.get(at).says(ticked)
		b.post(at, "do", "save", "name", "New", "redirect_uris", "https://a.example/", "for_v2", "no").leads(at).follow().hides(ticked, said)
		b.get("/oauth/applications").hides(`<span class="mark">version 2</span>`)
		b.post(at, "do", "save", "name", "Old", "redirect_uris", "https://a.example/", "for_v2", "yes").leads(at).follow().says(ticked, said)

		b.header.Set("Accept-Language", "de")
		b.get(at).want(200).says(ticked, "Für Version 2 geschrieben: Nennt sie keinen Umfang, bittet sie darum, lesen und schreiben zu dürfen.")
		b.get("/oauth/applications").want(200).says("Für Version 2 geschrieben <small>Nennt", `<span class="mark">Version 2</span>`)
	}, people)
}
