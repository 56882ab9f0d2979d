package app_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/app/people"
	"vitrine/internal/domain"
)

// Typed text is neither a link nor mistaken for our words in mails to strangers.
func TestTypedWordsInMails(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		name := "Bank of evil.com"
		_, err := w.a.People.UpdateMe(w.ctx(), ada, people.UpdateMeInput{Name: &name})
		w.must(err)
		g, err := w.a.People.CreateGroup(w.ctx(), ada, people.CreateGroupInput{Name: "prizes\". Claim at https://evil.com/x or eve@evil。com Now"})
		w.must(err)
		_, err = w.a.People.Invite(w.ctx(), ada, domain.Ref{ID: int64(g.ID)}, people.InviteInput{Email: "grace@example.org"})
		w.must(err)
		in := wanted("alan")
		in.Name = "Win at www.evil.com"
		_, err = w.a.Accounts.SignUp(w.ctx(), elsewhere, in)
		w.must(err)
		link := regexp.MustCompile(`(?i)(https?:|www\.|[\pL\pN][.。][\pL\pN]|@)\S*`)
		for _, to := range []string{"grace@example.org", "alan@example.org"} {
			mails := w.mails(to)
			if len(mails) != 1 {
				t.Fatalf("%d mails to %s", len(mails), to)
			}
			m := mails[0]
			for _, text := range []string{m.Name, m.Subject, m.Text} {
				for _, found := range link.FindAllString(text, -1) {
					if !strings.Contains(found, "vitrine.") && !strings.HasPrefix(found, "https://vitrine") && !mailedToken.MatchString(found) {
						t.Errorf("%q is a link in %q", found, text)
					}
				}
			}
			if to == "grace@example.org" && (!strings.HasPrefix(m.Subject, "“Bank of evil[.]com” invites you to “prizes’. Claim at") ||
				!strings.HasPrefix(m.Text, "“Bank of evil[.]com” invites you to join the group “prizes’. Claim at https[:]//evil[.]com/x or eve[at]evil[.]com Now”.\n")) {
				t.Errorf("%q\n%s", m.Subject, m.Text)
			}
		}
	}, open)
}
