package site_test

import (
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// People who may edit a channel create and revoke its addresses for mails, if the site receives any.
func TestMailboxes(t *testing.T) {
	t.Parallel()
	const here = "/ada/moss/subscriptions"
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := signedIn(t, r, "ada"), signedIn(t, r, "eve")
		r.Channel("ada", "Moss", "public")
		ada.get(here).want(200).says("Newsletters by mail", "Create an address").hides("Revoke")
		ada.post(here, "do", "mailbox").leads(here)
		shown := ada.get(here).says("The address has been created.", "@mail.example.org", "0 mails", "created by").body
		ids, address := between(shown, `name="revoke" value="`, `"`), between(shown, "<code>", "@")
		if len(ids) != 1 || len(address) != 1 || len(address[0]) != 26 || strings.ToLower(address[0]) != address[0] {
			t.Fatalf("addresses %q with the ids %q", address, ids)
		}
		eve.get(here).want(403)
		eve.post(here, "do", "mailbox").want(403)
		eve.post(here, "revoke", ids[0]).want(403)
		r.Channel("eve", "Stones", "public")
		eve.post("/eve/stones/subscriptions", "revoke", ids[0]).want(404)
		ada.post(here, "revoke", "x").want(404)
		for range 9 {
			ada.post(here, "do", "mailbox").leads(here)
		}
		ada.get(here).hides("Create an address")
		ada.post(here, "do", "mailbox").want(422).says("A channel can have at most 10 mail addresses")
		ada.post(here, "revoke", ids[0]).leads(here)
		ada.get(here).says("The address has been revoked.", "Create an address").hides(address[0])
		ada.post(here, "revoke", ids[0]).want(404)
	}, people, func(c *config.Config) { c.MailIn.Domain = "mail.example.org" })

	r := apptest.New(t, people)
	ada := signedIn(t, r, "ada")
	r.Channel("ada", "Moss", "public")
	ada.get(here).want(200).hides("Newsletters by mail")
	ada.post(here, "do", "mailbox").want(422).says("This site does not receive mails")
}

// The page of a text that came by mail leads to its copy with images, for everyone who sees the text.
func TestMailCopy(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.MailIn.Domain = "mail.example.org" })
	ada, guest := signedIn(t, r, "ada"), newBrowser(t, r)
	r.Channel("ada", "Moss", "public")
	ada.post("/ada/moss/subscriptions", "do", "mailbox")
	token := between(ada.get("/ada/moss/subscriptions").body, "<code>", "@")[0]
	in := collections.MailInput{ID: "1", Subject: "Moss news", Text: "Green", HTML: []byte(`<p>Green<img alt="A moss" src="data:image/png;base64,AA">`)}
	if err := r.S.App.Collections.ReceiveMail(t.Context(), token, in); err != nil {
		t.Fatal(err)
	}
	shown := guest.get("/block/1").want(200).says("Show with images").body
	path := between(shown, `<a class="button other" href="`, `"`)[0]
	guest.get(path).want(200).says(`alt="A moss"`)
	ada.get("/block/1/copies").want(200).says("from a mail", path, "Stop sharing").hides("when you ask for it")
	ada.post("/block/1/copy").want(422).says("This text came by mail")
	ada.post(path, "do", "unshare")
	guest.get("/block/1").want(200).hides("Show with images")
	guest.get(path).want(404)
}
