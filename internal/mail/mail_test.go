package mail_test

import (
	"io"
	"mime"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/mail"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "outbox")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := mailer(t, mail.Options{Folder: dir, Now: func() time.Time { return at }})
	msg := mail.Message{ID: "invitation-42", To: mail.Address{Name: "Zoë, \"the\" <i>", Email: "zoe@bücher.example"},
		Subject: "Grüße aus 東京 " + strings.Repeat("und weiter ", 20), Text: "Ein Brief: https://example.org/x?a=b\n", HTML: "<p>Ein Brief</p>", Unsubscribe: "https://example.org/unsubscribe/42-" + strings.Repeat("x", 27)}
	for range 2 { // the second one replaces the first
		if err := m.Send(t.Context(), msg); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "invitation-42.eml" {
		t.Fatalf("the folder has %v, %v", files, err)
	}
	info, err := files[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	f, err := os.Open(filepath.Join(dir, "invitation-42.eml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := netmail.ReadMessage(f)
	if err != nil {
		t.Fatal(err)
	}
	to, err := got.Header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Name != msg.To.Name || to[0].Address != "zoe@xn--bcher-kva.example" {
		t.Errorf("To is %v, %v", to, err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || subject != msg.Subject {
		t.Errorf("Subject is %q, %v", subject, err)
	}
	if id := got.Header.Get("Message-ID"); id != "<invitation-42@example.org>" {
		t.Errorf("Message-ID is %s", id)
	}
	if to, post := got.Header.Get("List-Unsubscribe"), got.Header.Get("List-Unsubscribe-Post"); to != "<"+msg.Unsubscribe+">" || post != "List-Unsubscribe=One-Click" {
		t.Errorf("it is ended at %q by %q", to, post)
	}
	if date, err := got.Header.Date(); err != nil || !date.Equal(at) {
		t.Errorf("Date is %v, %v", date, err)
	}
	body, err := io.ReadAll(got.Body)
	if err != nil || !strings.Contains(string(body), "Ein Brief: https://example.org/x?a=b") || !strings.Contains(string(body), "<p>Ein Brief</p>") {
		t.Errorf("the body is %q, %v", body, err)
	}
}

func TestRefusedMessages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := mailer(t, mail.Options{Folder: dir})
	for name, change := range map[string]func(m *mail.Message){
		"subject with a line break": func(m *mail.Message) { m.Subject = "Hi\r\nBcc: eve@example.org" },
		"subject with a newline":    func(m *mail.Message) { m.Subject = "Hi\nBcc: eve@example.org" },
		"name with a line break":    func(m *mail.Message) { m.To.Name = "Ada\r\nBcc: eve@example.org" },
		"address with a line break": func(m *mail.Message) { m.To.Email = "ada@example.org\r\nBcc: eve@example.org" },
		"address with a command":    func(m *mail.Message) { m.To.Email = "ada@example.org> RCPT TO:<eve@example.org" },
		"two addresses":             func(m *mail.Message) { m.To.Email = "ada@example.org,eve@example.org" },
		"address with a name":       func(m *mail.Message) { m.To.Email = "Ada <ada@example.org>" },
		"no address":                func(m *mail.Message) { m.To.Email = "" },
		"emoji before the @":        func(m *mail.Message) { m.To.Email = "💌@example.org" },
		"no id":                     func(m *mail.Message) { m.ID = "" },
		"id that leaves the folder": func(m *mail.Message) { m.ID = "../x" },
		"hidden id":                 func(m *mail.Message) { m.ID = ".x" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			msg := letterTo("ada@example.org")
			change(&msg)
			if err := m.Send(t.Context(), msg); outcome(err) != "refused" {
				t.Errorf("got %v", err)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
				t.Errorf("wrote %v, %v", files, err)
			}
		})
	}
}

func TestBadSender(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"", "Vitrine", "a@b\r\nX: y", "Vitrine <💌@example.org>"} {
		if _, err := mail.New(mail.Options{From: from}); err == nil {
			t.Errorf("took %q", from)
		}
	}
}
