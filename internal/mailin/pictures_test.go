package mailin

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// related returns a mail with an HTML text and parts with Content-IDs a0, a1 and so on.
func related(text string, parts ...string) []byte {
	var b strings.Builder
	b.WriteString("Content-Type: multipart/related; boundary=a\n\n--a\nContent-Type: text/html; charset=utf-8\n\n" + text + "\n")
	for i, part := range parts {
		fmt.Fprintf(&b, "--a\nContent-Type: image/png\nContent-ID: <a%d>\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n%s\n", i,
			base64.StdEncoding.EncodeToString([]byte(part)))
	}
	return []byte(b.String() + "--a--\n")
}

func TestReadPictures(t *testing.T) {
	t.Parallel()
	address := func(body string) string {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(body))
	}
	const far = `<img src="https://moss.example/1.png">`
	for text, want := range map[string]string{
		"<p>Green":                                                                          "",
		`<p>Green<img src="cid:a0" alt="Moss">`:                                             `<p>Green<img src="` + address("zero") + `" alt="Moss">`,
		`<IMG SRC=CID:a%30>`:                                                                `<img src="` + address("zero") + `">`,
		`<img src="cid:unknown">`:                                                           `<img src="cid:unknown">`,
		`<img src="data:image/png;base64,AA">`:                                              `<img src="data:image/png;base64,AA">`,
		`<p>` + far:                                                                         `<p>` + far,
		`<td background="cid:a1">x</td>`:                                                    `<td background="` + address("one") + `">x</td>`,
		`<p style="background:url('cid:a1')">`:                                              `<p style="background:url(&#34;` + address("one") + `&#34;)">`,
		`<style>p{background:url(cid:a1)}</style>`:                                          `<style>p{background:url("` + address("one") + `")}</style>`,
		`<style>p{background:url(cid:b)}</style>` + far:                                     `<style>p{background:url(cid:b)}</style>` + far,
		`<img src="https://spy.example/1.png" width=1 height=1>`:                            "",
		`<img src="https://spy.example/1.png" width="0">`:                                   "",
		`<img src="https://spy.example/1.png" style="DISPLAY : none !important">`:           "",
		`<img src="https://spy.example/1.png" style="width:1px">`:                           "",
		`<img src="https://spy.example/1.png" hidden>`:                                      "",
		`<noscript><img src="https://spy.example/1.png"></noscript>`:                        "",
		`<iframe src="https://spy.example/"><img src="https://spy.example/1.png"></iframe>`: "",
		`<!-- <img src="https://spy.example/1.png"> -->`:                                    "",
		far + `<script>alert(1)</script><link rel=stylesheet href="https://spy.example/1.css"><object>x</object>`: far + "x",
	} {
		m, err := Read(related(text, "zero", "one"))
		if got := strings.TrimSuffix(string(m.HTML), "\n"); err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	m, err := Read(related("<p>Green <b>moss</b><img src=cid:a0></p>", "zero"))
	if err != nil || m.Text != "Green **moss**" {
		t.Errorf("%q, %v", m.Text, err)
	}
}

// The number of pictures, of references to them and the length of the text are limited. The rest is still shown.
func TestReadHostilePictures(t *testing.T) {
	t.Parallel()
	many := make([]string, 1000)
	for i := range many {
		many[i] = "x"
	}
	big := strings.Repeat("x", 4<<20)
	for name, c := range map[string]struct {
		mail []byte
		most int // pictures
		text string
	}{
		"parts":    {related(`<p>Green<img src="cid:a0"><img src="cid:a999">`, many...), 1, "Green"},
		"bytes":    {related(`<p>Green<img src="cid:a0"><img src="cid:a1"><img src="cid:a2">`, big, big, big+"x"), 1, "Green"}, // the third exceeds the limit of all, the second that of the text
		"again":    {related(`<p>Green`+strings.Repeat(`<img src="cid:a0">`, 1000), big), 1, "Green"},
		"one":      {related(`<p>Green<img src="cid:a0">`, strings.Repeat("x", maxPictures+1)), 0, "Green"},
		"base64":   {bytes.Replace(related(`<p>Green<img src="cid:a0">`, "zero"), []byte("emVybw=="), []byte(strings.Repeat("!", 1<<20)), 1), 0, "Green"},
		"data":     {related(`<p>Green<img src="data:image/png;base64,` + strings.Repeat("A", 3<<20) + `">moss`), 1, "Greenmoss"},
		"20 MB":    {related(`<p>Green<img src="https://moss.example/">` + strings.Repeat("<b>x</b>", 20<<20/8)), 0, ""},
		"one word": {related(`<p>Green<img src="https://moss.example/">` + strings.Repeat("x", 20<<20)), 0, ""},
		"loop":     {[]byte(strings.ReplaceAll(string(related(`<p>Green<img src="cid:a0">`, `<img src="cid:a0">`)), "text/html", "text/html; x=y\nContent-ID: <b>")), 1, "Green"},
	} {
		m, err := Read(c.mail)
		if got := bytes.Count(m.HTML, []byte(`"data:`)); err != nil || got > c.most || len(m.HTML) > maxHTML || !strings.HasPrefix(m.Text, c.text) {
			t.Errorf("%s: %d pictures, %d bytes, %.20q, %v", name, got, len(m.HTML), m.Text, err)
		}
	}
}
