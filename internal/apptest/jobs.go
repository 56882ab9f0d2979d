package apptest

import (
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
)

// WorkJobs runs all due jobs, and those that they enqueue. The server itself runs none, even while
// it listens.
func (r *Rig) WorkJobs() {
	r.T.Helper()
	if err := r.S.Jobs.Drain(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
}

// HastenJobs makes all scheduled and retried jobs due.
func (r *Rig) HastenJobs() {
	r.T.Helper()
	if err := r.S.Jobs.Hasten(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
}

// Mail is a mail that the server has sent.
type Mail struct {
	ID      string // the Message-ID
	To      string // the address
	Name    string // of the recipient
	Subject string
	Text    string
}

// OutboxPath returns the folder of sent mails.
func (r *Rig) OutboxPath() string { return filepath.Join(r.dataDir, "outbox") }

// Outbox reads the mails sent so far, in the order of their names.
func (r *Rig) Outbox() (all []Mail) {
	r.T.Helper()
	files, err := filepath.Glob(filepath.Join(r.OutboxPath(), "*.eml"))
	if err != nil {
		r.T.Fatal(err)
	}
	for _, file := range files {
		m, err := readMail(file)
		if err != nil {
			r.T.Fatalf("%s: %v", file, err)
		}
		all = append(all, m)
	}
	return all
}

func readMail(file string) (m Mail, err error) {
	f, err := os.Open(file)
	if err != nil {
		return m, err
	}
	defer func() { _ = f.Close() }() // only read
	raw, err := netmail.ReadMessage(f)
	if err != nil {
		return m, err
	}
	to, err := netmail.ParseAddress(raw.Header.Get("To"))
	if err != nil {
		return m, err
	}
	m = Mail{ID: raw.Header.Get("Message-ID"), To: to.Address, Name: to.Name}
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(raw.Header.Get("Subject")); err != nil {
		return m, err
	}
	text, err := io.ReadAll(quotedprintable.NewReader(raw.Body))
	m.Text = strings.ReplaceAll(string(text), "\r\n", "\n")
	return m, err
}
