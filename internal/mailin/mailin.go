// Package mailin reads received mails.
package mailin

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html/charset"

	"vitrine/internal/markup"
	"vitrine/internal/page"
)

// MaxBytes is the size of the largest mail.
const MaxBytes = 10 << 20

// Limits of the parts of a mail. The others are ignored.
const (
	maxText  = 2 << 20 // bytes of a text
	maxPlain = 80_000  // characters of a plain text, which its escapes may double
	maxDepth = 10
	maxParts = 100
	maxAddr  = 50 // recipients
)

// ErrMalformed is returned for data that is not a mail.
var ErrMalformed = errors.New("this is not a mail")

// Message is a mail.
type Message struct {
	ID         string // Message-ID, or a hash of the mail
	From       string // name and address of the sender, as people read it
	Sender     string // only its address
	Subject    string
	Date       time.Time // zero if unknown
	Text       string    // Markdown
	HTML       []byte    // UTF-8, with the attached pictures that it shows as data: addresses; nil if it shows no picture
	Recipients []string
	Automatic  string // why the mail counts as a reply of a program or a bounce, "" if it does not
}

// Read reads a mail. It takes the first HTML text with its pictures, or else the first plain text, and ignores other
// attachments.
func Read(raw []byte) (m Message, err error) {
	in, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return m, ErrMalformed
	}
	h := textproto.MIMEHeader(in.Header)
	sum := sha256.Sum256(raw)
	m = Message{ID: hex.EncodeToString(sum[:]), Subject: decoded(h.Get("Subject")), From: decoded(h.Get("From")), Automatic: automatic(h)}
	if id := strings.TrimSpace(h.Get("Message-Id")); id != "" {
		m.ID = id
	}
	parser := mail.AddressParser{WordDecoder: &words}
	if from, err := parser.ParseList(h.Get("From")); err == nil && len(from) > 0 {
		m.Sender, m.From = from[0].Address, from[0].Address
		if name := oneLine(from[0].Name); name != "" {
			m.From = name + " <" + from[0].Address + ">"
		}
	}
	m.Date, _ = in.Header.Date()
	for _, name := range []string{"Delivered-To", "X-Original-To", "To", "Cc"} {
		for _, value := range h.Values(name) {
			all, err := parser.ParseList(value)
			for _, to := range all {
				if err == nil && len(m.Recipients) < maxAddr {
					m.Recipients = append(m.Recipients, to.Address)
				}
			}
		}
	}
	var t texts
	t.read(h, in.Body, 0)
	text, illustrated := t.split()
	m.HTML = illustrated
	if m.Text = page.Markdown(text); m.Text == "" {
		m.Text = markup.Escape(clean(t.plain))
	}
	m.Text = strings.TrimSpace(m.Text)
	return m, nil
}

// automatic returns why a mail is not accepted: it answers or returns another mail. Newsletters may be sent by programs.
func automatic(h textproto.MIMEHeader) string {
	sent, _, _ := strings.Cut(strings.ToLower(h.Get("Auto-Submitted")), ";")
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	switch sent = strings.TrimSpace(sent); {
	case sent != "" && sent != "no" && sent != "auto-generated":
		return "it is an automatic reply"
	case kind == "multipart/report" || strings.TrimSpace(h.Get("Return-Path")) == "<>":
		return "it reports about another mail"
	}
	return ""
}

var words = mime.WordDecoder{CharsetReader: charset.NewReaderLabel}

// decoded returns a header as people read it, in one line.
func decoded(value string) string {
	if text, err := words.DecodeHeader(value); err == nil {
		value = text
	}
	return oneLine(value)
}

func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// clean removes control characters and invalid bytes.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// texts are the first texts of a mail, and its pictures by their Content-ID.
type texts struct {
	html         []byte
	plain        string
	parts        int
	pictures     map[string]picture
	pictureBytes int
}

// read reads a part and the parts below it. It keeps what it has read when the mail breaks off.
func (t *texts) read(h textproto.MIMEHeader, body io.Reader, depth int) {
	t.parts++
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		kind, params = "text/plain", nil
	}
	how, _, _ := mime.ParseMediaType(h.Get("Content-Disposition"))
	switch {
	case t.parts > maxParts || depth > maxDepth:
	case strings.HasPrefix(kind, "multipart/") && (how == "attachment" || params["boundary"] == ""):
	case strings.HasPrefix(kind, "multipart/"):
		all := multipart.NewReader(body, params["boundary"])
		for t.parts <= maxParts {
			p, err := all.NextRawPart()
			if err != nil {
				return
			}
			t.read(p.Header, p, depth+1)
		}
	case !strings.HasPrefix(kind, "text/"):
		t.keepPicture(h, kind, body) // which some programs declare to be attachments
	case how == "attachment":
	case kind == "text/html" && t.html == nil:
		t.html = []byte(text(h, params, body, maxHTML))
	case kind == "text/plain" && t.plain == "":
		t.plain = text(h, params, body, maxText)
		if runes := []rune(t.plain); len(runes) > maxPlain {
			t.plain = string(runes[:maxPlain])
		}
	}
}

// unencoded decodes the bytes of a part.
func unencoded(h textproto.MIMEHeader, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding"))) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	}
	return body
}

// text decodes the text of a part, up to a number of bytes.
func text(h textproto.MIMEHeader, params map[string]string, body io.Reader, limit int64) string {
	raw, _ := io.ReadAll(io.LimitReader(unencoded(h, body), limit)) // what can be decoded
	if label := params["charset"]; label != "" {
		if r, err := charset.NewReaderLabel(label, bytes.NewReader(raw)); err == nil {
			if all, err := io.ReadAll(io.LimitReader(r, 2*limit)); err == nil {
				raw = all
			}
		}
	}
	return strings.ToValidUTF8(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\uFFFD")
}
