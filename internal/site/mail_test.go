package site_test

import (
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// Pages are correct about mail: it was sent, or this server sends none and the operator has the
// link. Neither reveals whether an address has an account.
func TestPagesOfMail(t *testing.T) {
	t.Parallel()
	const none = "This server sends no mail."
	for name, sends := range map[string]bool{"kept": false, "sent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := apptest.New(t, people, func(c *config.Config) {
				if c.SignUp = "open"; sends {
					c.SMTP = &config.SMTP{Host: "127.0.0.1", Port: 1, Security: "never"} // this test sends nothing
				}
			})
			operator, guest := first(t, r), newBrowser(t, r)
			// says expects one text if the server sends mail, and another if not.
			says := func(p *page, sent, kept string) {
				t.Helper()
				if sends {
					p.want(200).says(sent).hides(none)
				} else {
					p.want(200).says(none, kept).hides("on its way", "We send", "We will send", "We have sent")
				}
			}
			says(guest.get("/sign-up"), "Sign up", "ask its operator for the link")
			says(guest.get("/forgot-password"), "We will send it a link", "ask its operator for the link")
			for _, email := range []string{"ada@example.org", "nobody@example.org"} {
				says(guest.post("/forgot-password", "email", email), "If "+email+" is the address of an account, a mail is on its way there.",
					"If "+email+" is the address of an account, a link for it is kept")
				says(guest.post("/sign-up", "name", "Eve", "email", email, "password", password), "A mail to "+email+" is on its way.",
					"The link for "+email+" is kept")
			}
			says(operator.get("/settings/email"), "We send a link to it", "ask its operator for the link")
			operator.get("/settings/email").says("the operators of this server, and").hides("Nobody else")
			says(operator.post("/settings/email", "email", "new@example.org").follow(),
				"We have sent a link to the new address.", "Ask its operator for the link")
			says(operator.get("/operator"), "sent by SMTP", "--smtp-url")
			says(operator.get("/operator/sign-up"), "Links to sign up", "pass it on")
		})
	}
}

// The page of the first account, and of an address that was confirmed by mail, promise no link.
func TestNoMailWhereNoneIsNeeded(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	newBrowser(t, r).get("/sign-up").want(200).hides("This server sends no mail.")
}
