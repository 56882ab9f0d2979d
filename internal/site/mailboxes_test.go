package site_test

import (
	"strings"
	"testing"

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
