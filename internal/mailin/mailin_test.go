package mailin

import (
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	t.Parallel()
	m, err := Read([]byte(strings.ReplaceAll(`Return-Path: <news@moss.example>
Delivered-To: abc@mail.example
Message-ID: <1@moss.example>
From: =?utf-8?q?Moss_News_=C3=BC?= <news@moss.example>
To: "A channel" <abc@mail.example>, other@example.org
Subject: =?iso-8859-1?Q?Gr=FCn?=
 and wet
Date: Fri, 21 Nov 1997 09:55:06 -0600
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="a"

--a
Content-Type: multipart/alternative; boundary="b"

--b
Content-Type: text/plain

Plain
--b
Content-Type: text/html; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

<html><head><title>No</title><style>p { color: red }</style></head><body><h1>Gr=FCn</h1>
<table><tr><td><table><tr><td><p>The <b>moss</b> is <a href=3D"https://moss.example/=
1">here</a><img src=3D"https://spy.example/1.png">.<script>alert(1)</script></p></td></tr></table></td></tr></table>
<p><a href=3D"javascript:alert(1)">Click</a></p></body></html>
--b--
--a
Content-Type: text/html
Content-Disposition: attachment; filename=x.html

<p>Attached</p>
--a--
`, "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	want := "# Grün\n\nThe **moss** is [here](https://moss.example/1).\n\nClick"
	if m.ID != "<1@moss.example>" || m.From != "Moss News ü <news@moss.example>" || m.Sender != "news@moss.example" || m.Subject != "Grün and wet" ||
		m.Text != want || !m.Date.Equal(time.Date(1997, 11, 21, 15, 55, 6, 0, time.UTC)) || m.Automatic != "" {
		t.Errorf("%+v\n%s", m, m.Text)
	}
	if got := strings.Join(m.Recipients, " "); got != "abc@mail.example abc@mail.example other@example.org" {
		t.Errorf("recipients %s", got)
	}
}

func TestReadPlain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ mail, text string }{
		"plain":          {"Subject: x\r\n\r\nOne *two*\r\n<b>three</b>\r\n", `One \*two\*`},
		"base64":         {"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LDvG4=\n", "Grün"},
		"charset":        {"Content-Type: text/plain; charset=windows-1252\n\nGr\xfcn\n", "Grün"},
		"no charset":     {"Content-Type: text/plain; charset=moss\n\nGr\xfcn\n", "Gr\uFFFDn"},
		"bad type":       {"Content-Type: ;;;\n\nGreen\n", "Green"},
		"control":        {"Subject: x\n\nGr\x00\x07een\n", "Green"},
		"no boundary":    {"Content-Type: multipart/mixed\n\nGreen\n", ""},
		"broken off":     {"Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/plain\n\nGreen", "Green"},
		"only a picture": {"Content-Type: image/png\n\nGreen\n", ""},
	} {
		m, err := Read([]byte(c.mail))
		if err != nil || !strings.HasPrefix(m.Text, c.text) || c.text == "" && m.Text != "" {
			t.Errorf("%s: %q, %v", name, m.Text, err)
		}
		if strings.Contains(strings.ReplaceAll(m.Text, `\<`, ""), "<b>") || m.ID == "" {
			t.Errorf("%s: %q %q", name, m.Text, m.ID)
		}
	}
	for _, bad := range []string{"", "\x00", "no header at all\n\n"} {
		if _, err := Read([]byte(bad)); err == nil {
			t.Errorf("%q is a mail", bad)
		}
	}
}

func TestReadAutomatic(t *testing.T) {
	t.Parallel()
	for header, automatic := range map[string]bool{
		"Auto-Submitted: no": false, "Auto-Submitted: auto-generated": false, "Precedence: bulk": false,
		"Auto-Submitted: auto-replied": true, "Auto-Submitted: Auto-Replied; x=y": true, "Return-Path: <>": true,
		"Content-Type: multipart/report; boundary=a": true,
	} {
		m, err := Read([]byte(header + "\nFrom: a@example.org\n\nGreen\n"))
		if err != nil || (m.Automatic != "") != automatic {
			t.Errorf("%s: %q, %v", header, m.Automatic, err)
		}
	}
}

// Parts that contain each other, and many parts, end at a limit.
func TestReadHostile(t *testing.T) {
	t.Parallel()
	var nested strings.Builder
	for range 100_000 {
		nested.WriteString("Content-Type: multipart/mixed; boundary=a\n\n--a\n")
	}
	many := "Content-Type: multipart/mixed; boundary=a\n\n" + strings.Repeat("--a\nContent-Type: image/png\n\nx\n", 100_000) + "--a\nContent-Type: text/plain\n\nGreen\n--a--\n"
	deep := "Content-Type: text/html\n\n" + strings.Repeat("<ul><li>", 100_000) + "Green"
	long := "Content-Type: text/html\n\n<p>" + strings.Repeat("green ", 1<<20)
	for name, mail := range map[string]string{"nested": nested.String(), "many": many, "deep": deep, "long": long, "to": "To: " + strings.Repeat("a@example.org, ", 100_000) + "b@example.org\n\nGreen"} {
		m, err := Read([]byte(mail))
		if err != nil && err != ErrMalformed || len([]rune(m.Text)) > 2*maxPlain || len(m.Recipients) > maxAddr {
			t.Errorf("%s: %d characters, %v", name, len(m.Text), err)
		}
	}
}
