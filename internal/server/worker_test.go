package server_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/people"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func writer(r *apptest.Rig, name string) domain.Actor {
	return domain.Actor{UserID: r.Person(name).ID, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
}

// invite invites a person to one of ada's groups.
func invite(t *testing.T, r *apptest.Rig, group domain.GroupID, in people.InviteInput) domain.InvitationID {
	t.Helper()
	got, err := r.S.App.People.Invite(t.Context(), writer(r, "ada"), domain.Ref{ID: int64(group)}, in)
	if err != nil || got.Outcome != domain.OutcomeInvited {
		t.Fatalf("%+v, %v", got, err)
	}
	return got.Invitation.ID
}

var link = regexp.MustCompile(regexp.QuoteMeta(apptest.Base) + `/invitations/(\S+)\n`)

// token returns the token of the link in a mail.
func token(t *testing.T, m apptest.Mail) string {
	t.Helper()
	found := link.FindStringSubmatch(m.Text)
	if found == nil {
		t.Fatalf("there is no link in\n%s", m.Text)
	}
	return found[1]
}

// jobsIn counts the jobs in a state.
func jobsIn(t *testing.T, r *apptest.Rig, state string) (n int) {
	t.Helper()
	err := r.DB().Reader().QueryRow(t.Context(), "SELECT COUNT(*) FROM river_job WHERE CAST(state AS TEXT) = $1", state).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestInvitationMail(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Society of\r\nReaders", "ada")
		invite(t, r, group, people.InviteInput{User: r.Person("eve").ID})
		invite(t, r, group, people.InviteInput{Email: "Zoe@Example.net"})
		if n := len(r.Outbox()); n != 0 {
			t.Fatalf("%d mails left within the request", n)
		}
		r.WorkJobs()
		got := r.Outbox()
		if len(got) != 2 {
			t.Fatalf("%d mails, want 2: %+v", len(got), got)
		}
		eve, zoe := got[0], got[1]
		if eve.To != "eve@example.org" || eve.Name != "Eve" || eve.Subject != "“Ada” invites you to “Society of Readers”" {
			t.Errorf("eve got %+v", eve)
		}
		if zoe.To != "zoe@example.net" || zoe.Name != "" || zoe.ID == eve.ID {
			t.Errorf("zoe got %+v", zoe)
		}
		if _, err := r.S.App.People.AcceptInvitation(t.Context(), writer(r, "eve"), token(t, eve)); err != nil {
			t.Error(err)
		}
		if err := r.S.App.People.DeclineInvitation(t.Context(), token(t, zoe)); err != nil {
			t.Error(err)
		}
	})
}

// Running a job twice sends one mail, and its link keeps working.
func TestInvitationMailOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		id := invite(t, r, r.Group("Society", "ada"), people.InviteInput{User: r.Person("eve").ID})
		r.WorkJobs()
		first := r.Outbox()[0]
		if err := os.RemoveAll(r.OutboxPath()); err != nil {
			t.Fatal(err)
		}
		storetest.In(t, r.S.Store, func(tx *store.Tx) error { return tx.Enqueue(t.Context(), people.InvitationMail{Invitation: id}) })
		r.WorkJobs()
		if again := r.Outbox(); len(again) != 0 {
			t.Errorf("mailed again: %+v", again)
		}
		if _, err := r.S.App.People.InvitationByToken(t.Context(), token(t, first)); err != nil {
			t.Error(err)
		}
	})
}

// Invitations that are no longer open are not mailed.
func TestInvitationMailTooLate(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Society", "ada")
		id := invite(t, r, group, people.InviteInput{Email: "revoked@example.net"})
		if err := r.S.App.People.RevokeInvitation(t.Context(), writer(r, "ada"), domain.Ref{ID: int64(group)}, id); err != nil {
			t.Fatal(err)
		}
		invite(t, r, group, people.InviteInput{Email: "expired@example.net"})
		r.Clock.Advance(15 * 24 * time.Hour)
		storetest.In(t, r.S.Store, func(tx *store.Tx) error { return tx.Enqueue(t.Context(), people.InvitationMail{Invitation: 999}) })
		r.WorkJobs()
		if got := r.Outbox(); len(got) != 0 || jobsIn(t, r, "completed") != 3 {
			t.Errorf("mailed %+v, %d jobs done", got, jobsIn(t, r, "completed"))
		}
	})
}

// A mail that could not be sent is sent later, once.
func TestInvitationMailRetried(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		if err := os.WriteFile(r.OutboxPath(), nil, 0o600); err != nil { // a file where the folder should be
			t.Fatal(err)
		}
		invite(t, r, r.Group("Society", "ada"), people.InviteInput{User: r.Person("eve").ID})
		r.WorkJobs()
		if n := jobsIn(t, r, "completed"); n != 0 {
			t.Fatal("the job claims to be done")
		}
		if err := os.Remove(r.OutboxPath()); err != nil {
			t.Fatal(err)
		}
		r.HastenJobs()
		r.WorkJobs()
		got := r.Outbox()
		if len(got) != 1 {
			t.Fatalf("%d mails", len(got))
		}
		if _, err := r.S.App.People.InvitationByToken(t.Context(), token(t, got[0])); err != nil {
			t.Error(err)
		}
	})
}

// A mail to a rejected address is not retried, nor is one that may have been sent already.
func TestInvitationMailGivenUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, verb, reply string
		to                string // "" for a user
		claimed           bool
	}{
		{"refused", "RCPT", "550 nobody of that name\r\n", "", false},
		{"unclear", ".", "", "", true},
		{"server without SMTPUTF8", "", "", "zoë@example.org", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			port := workerSmtp(t, c.verb, c.reply)
			apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
				in := people.InviteInput{Email: c.to}
				if c.to == "" {
					in.User = r.Person("eve").ID
				}
				id := invite(t, r, r.Group("Society", "ada"), in)
				r.WorkJobs()
				var claimed bool
				err := r.DB().Reader().QueryRow(t.Context(), "SELECT mailed_at IS NOT NULL FROM invitations WHERE id = $1", id).Scan(&claimed)
				if err != nil || claimed != c.claimed || jobsIn(t, r, "cancelled") != 1 {
					t.Errorf("claimed %v, %d given up, %v", claimed, jobsIn(t, r, "cancelled"), err)
				}
			}, func(cfg *config.Config) { cfg.SMTP = &config.SMTP{Host: "127.0.0.1", Port: port, Security: "none"} })
		})
	}
}

// workerSmtp serves SMTP, except that it replies to one command with an error or closes the connection.
func workerSmtp(t *testing.T, verb, reply string) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				talk(conn, verb, reply)
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func talk(conn net.Conn, verb, reply string) {
	_, _ = fmt.Fprint(conn, "220 test\r\n")
	in, data := bufio.NewScanner(conn), false
	for in.Scan() {
		command, _, _ := strings.Cut(in.Text(), " ")
		switch {
		case data && command != ".":
		case command == verb && reply == "":
			return
		case command == verb:
			_, _ = fmt.Fprint(conn, reply)
		case command == "DATA":
			data = true
			_, _ = fmt.Fprint(conn, "354 go on\r\n")
		default:
			data = false
			_, _ = fmt.Fprint(conn, "250 fine\r\n")
		}
	}
}
