package server_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	lmtp "github.com/emersion/go-smtp"

	"vitrine/internal/app/collections"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// mailRig is a channel with an address for mails.
type mailRig struct {
	*apptest.Rig
	ctx     context.Context
	ada     domain.Actor
	channel domain.Ref
	box     domain.Mailbox
}

func eachMailbox(t *testing.T, f func(t *testing.T, r *mailRig)) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, rig *apptest.Rig) {
		r := &mailRig{Rig: rig, ctx: t.Context()}
		r.ada = domain.Actor{UserID: domain.UserID(rig.Person("ada").ID), Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
		r.channel = domain.Ref{ID: rig.Channel("ada", "Letters", "closed")}
		box, err := r.S.App.Collections.AddMailbox(r.ctx, r.ada, r.channel)
		if err != nil {
			t.Fatal(err)
		}
		r.box = box
		f(t, r)
	}, func(c *config.Config) { c.MailIn.Domain = "mail.example.org" })
}

func (r *mailRig) titles() []string {
	r.T.Helper()
	return fields(r.Get("ada", "/v3/channels/%d/contents?per=100&sort=position_desc", r.channel.ID), "title")
}

func (r *mailRig) wantTitles(want ...string) {
	r.T.Helper()
	if got := r.titles(); !slices.Equal(got, want) {
		r.T.Errorf("the channel has %q, want %q", got, want)
	}
}

func (r *mailRig) receive(in collections.MailInput) error {
	return r.S.App.Collections.ReceiveMail(r.ctx, strings.ToUpper(r.box.Token), in)
}

func TestReceiveMail(t *testing.T) {
	eachMailbox(t, func(t *testing.T, r *mailRig) {
		in := collections.MailInput{ID: "<1@moss.example>", From: "Moss <news@moss.example>", Subject: "Moss news", Date: r.Clock.Now().Add(48 * time.Hour),
			Text: "# Wet\n\n<script>alert(1)</script> [x](javascript:alert(1))"}
		for range 2 {
			if err := r.receive(in); err != nil {
				t.Fatal(err)
			}
		}
		r.wantTitles("Moss news")
		got := r.Get("ada", "/v3/channels/%d/contents", r.channel.ID)
		if got.Str("data.0.type") != "Text" || strings.Contains(got.Str("data.0.content.html"), "<script") || got.Str("data.0.metadata.from") != "Moss <news@moss.example>" ||
			got.Str("data.0.metadata.published") != r.Clock.Now().Format(time.DateOnly) {
			t.Errorf("the block is %s", got.Body)
		}
		if err := r.receive(collections.MailInput{ID: "2", Subject: strings.Repeat("ü", 300), Text: "https://moss.example/"}); err != nil {
			t.Fatal(err)
		}
		if got := r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", r.channel.ID); got.Str("data.0.type") != "Text" || len([]rune(got.Str("data.0.title"))) != domain.MaxTitle {
			t.Errorf("the block is %s", got.Body)
		}
		for name, c := range map[string]struct {
			token string
			in    collections.MailInput
			kind  domain.Kind
		}{
			"unknown address": {"abc", in, domain.NotFound},
			"no text":         {r.box.Token, collections.MailInput{ID: "3"}, domain.Invalid},
			"too long":        {r.box.Token, collections.MailInput{ID: "3", Text: strings.Repeat("x", domain.MaxMarkdown+1)}, domain.Invalid},
		} {
			if err := r.S.App.Collections.ReceiveMail(r.ctx, c.token, c.in); domain.KindOf(err) != c.kind {
				t.Errorf("%s: %v", name, err)
			}
		}
		for i := 2; i < domain.MaxMailsPerHour; i++ {
			if err := r.receive(collections.MailInput{ID: fmt.Sprint("n", i), Subject: "Another", Text: "x"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.receive(collections.MailInput{ID: "late", Text: "x"}); domain.KindOf(err) != domain.TooMany {
			t.Errorf("mail %d: %v", domain.MaxMailsPerHour+1, err)
		}
		r.Clock.Advance(2 * time.Hour)
		if err := r.receive(collections.MailInput{ID: "late", Subject: "Late", Text: "x"}); err != nil || r.titles()[0] != "Late" {
			t.Errorf("later: %v", err)
		}
		r.Exec("UPDATE users SET suspended_at = 5 WHERE slug = 'ada'")
		if err := r.receive(collections.MailInput{ID: "4", Text: "x"}); domain.KindOf(err) != domain.Forbidden {
			t.Errorf("to somebody who is suspended: %v", err)
		}
		r.Exec("UPDATE users SET suspended_at = NULL WHERE slug = 'ada'")
		if err := r.S.App.Collections.DeleteChannel(r.ctx, r.ada, r.channel); err != nil {
			t.Fatal(err)
		}
		if err := r.receive(collections.MailInput{ID: "5", Text: "x"}); domain.KindOf(err) != domain.NotFound {
			t.Errorf("to a deleted channel: %v", err)
		}
		if d := r.Dump(); len(d["mailboxes"])+len(d["mailbox_mails"]) != 0 {
			t.Error("a deleted channel has addresses")
		}
	})
}

// Receiving may be killed before any statement. When the mail comes again, it is added once.
func TestReceiveMailKilledAnywhere(t *testing.T) {
	eachMailbox(t, func(t *testing.T, r *mailRig) {
		step := 1
		if r.DB().Dialect() == database.Postgres {
			step = 3
		}
		var want []string
		for statement := 1; ; statement += step {
			in := collections.MailInput{ID: fmt.Sprint(statement), Subject: fmt.Sprint("Letter ", statement), Text: "x", HTML: fmt.Appendf(nil, "%d<img src=https://moss.example/>", statement)}
			want = append([]string{in.Subject}, want...)
			killed := func() (killed bool) {
				n := 0
				deferred := false // on PostgreSQL, a panic in the deferred work of a group blocks the next one
				end := r.Intercept(func(_ context.Context, text string) {
					deferred = deferred || step > 1 && (strings.HasPrefix(text, "INSERT INTO changes") || strings.HasPrefix(text, "INSERT INTO search_documents"))
					if n++; n == statement && !deferred {
						panic("killed")
					}
				})
				defer end()
				defer func() { killed = recover() != nil }()
				if err := r.receive(in); err != nil {
					t.Error(err)
				}
				return false
			}()
			for range 2 {
				if err := r.receive(in); err != nil {
					t.Fatal(err)
				}
			}
			r.wantTitles(want[:min(len(want), 100)]...)
			if d := r.Dump(); len(d["snapshots"]) != len(want) || len(d["snapshot_requests"]) != len(want) {
				t.Fatalf("statement %d: %d mails, %d copies, %d requests", statement, len(want), len(d["snapshots"]), len(d["snapshot_requests"]))
			}
			if !killed || t.Failed() {
				return
			}
			r.Clock.Advance(10 * time.Minute)
		}
	})
}

func letter(id, headers string) string {
	return "Message-ID: <" + id + ">\r\nSubject: Letter " + id + "\r\nFrom: Moss <news@moss.example>\r\n" + headers + "\r\nGreen\r\n"
}

// receiving returns a server that receives mails, with the address of a channel of ada's.
func receiving(t *testing.T, in config.MailIn) (r *apptest.Rig, channel int64, address string) {
	t.Helper()
	in.Domain = "mail.example.org"
	r = apptest.New(t, func(c *config.Config) { c.MailIn = in })
	ada := domain.Actor{UserID: domain.UserID(r.Person("ada").ID), Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
	channel = r.Channel("ada", "Letters", "closed")
	box, err := r.S.App.Collections.AddMailbox(t.Context(), ada, domain.Ref{ID: channel})
	if err != nil {
		t.Fatal(err)
	}
	return r, channel, box.Token + "@Mail.Example.Org"
}

func TestMailByLMTP(t *testing.T) {
	t.Parallel()
	path := filepath.Join(socketFolder(t), "s")
	r, channel, to := receiving(t, config.MailIn{Address: "unix:" + path})
	r.Listen()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	c := lmtp.NewClientLMTP(conn)
	defer c.Close()
	send := func(from string, mail string, to ...string) (codes []int) {
		t.Helper()
		code := func(err error) int {
			if err == nil {
				return 250
			}
			reply, ok := errors.AsType[*lmtp.SMTPError](err)
			if !ok {
				t.Fatal(err)
			}
			return reply.Code
		}
		defer func() { _ = c.Reset() }()
		if err := c.Mail(from, nil); err != nil {
			return []int{code(err)}
		}
		some := false
		for _, one := range to {
			if err := c.Rcpt(one, nil); err != nil {
				codes = append(codes, code(err))
			} else {
				some = true
			}
		}
		if !some {
			return codes
		}
		w, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(mail)); err != nil {
			t.Fatal(err)
		}
		return append(codes, code(w.Close()))
	}
	for name, c := range map[string]struct {
		got  []int
		want string
	}{
		"a mail":           {send("news@moss.example", letter("1", ""), to), "[250]"},
		"again":            {send("news@moss.example", letter("1", ""), to), "[250]"},
		"no such address":  {send("news@moss.example", letter("2", ""), "abc@mail.example.org"), "[550]"},
		"another domain":   {send("news@moss.example", letter("2", ""), strings.Replace(to, "@Mail.", "@", 1)), "[550]"},
		"one of two":       {send("news@moss.example", letter("3", ""), "abc@mail.example.org", to), "[550 250]"},
		"a bounce":         {send("", letter("4", ""), to), "[550]"},
		"an answer":        {send("news@moss.example", letter("5", "Auto-Submitted: auto-replied\r\n"), to), "[550]"},
		"mail of the site": {send("news@moss.example", "Subject: x\r\nFrom: <vitrine@vitrine.test>\r\n\r\nGreen\r\n", to), "[550]"},
		"no mail":          {send("news@moss.example", "Green\r\n", to), "[554]"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	got := fields(r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", channel), "title")
	if !slices.Equal(got, []string{"Letter 3", "Letter 1"}) {
		t.Errorf("the channel has %q", got)
	}
}

func TestMailFromFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"new", "cur", "tmp"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r, channel, to := receiving(t, config.MailIn{Folder: folder})
	for name, mail := range map[string]string{
		"1": letter("1", "Delivered-To: "+to+"\r\n"), "2": letter("1", "To: Letters <"+to+">\r\n"), "3": letter("3", "To: other@example.org, "+to+"\r\n"),
		"4": letter("4", "To: abc@mail.example.org\r\n"), "5": letter("5", "Return-Path: <>\r\nTo: "+to+"\r\n"), "6": "Green",
	} {
		if err := os.WriteFile(filepath.Join(folder, "new", name), []byte(mail), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(folder, "new", "7")); err != nil {
		t.Fatal(err)
	}
	r.S.ReadMails(t.Context())
	names := func(in string) (all []string) {
		files, err := os.ReadDir(filepath.Join(folder, in))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			all = append(all, f.Name())
		}
		return all
	}
	got := slices.Sorted(slices.Values(fields(r.Get("ada", "/v3/channels/%d/contents", channel), "title")))
	if !slices.Equal(got, []string{"Letter 1", "Letter 3"}) {
		t.Errorf("the channel has %q", got)
	}
	if left, refused := names("new"), names("cur"); !slices.Equal(left, []string{"7"}) || !slices.Equal(refused, []string{"4", "5", "6"}) {
		t.Errorf("%q are left, and %q are refused", left, refused)
	}
	// One recipient is refused for good, but the other only for an hour.
	r.Exec(`INSERT INTO mailbox_mails (mailbox_id, key, received_at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ` +
		strconv.Itoa(domain.MaxMailsPerHour) + `) SELECT m.id, n.i, ` + strconv.FormatInt(r.Clock.Now().UnixMicro(), 10) + ` FROM mailboxes m, n`)
	if err := os.WriteFile(filepath.Join(folder, "new", "8"), []byte(letter("8", "To: "+to+", abc@mail.example.org\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	r.S.ReadMails(t.Context())
	if left := names("new"); !slices.Equal(left, []string{"7", "8"}) {
		t.Errorf("%q are left", left)
	}
}
