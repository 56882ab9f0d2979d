package capture

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/fetch"
)

// one is a website of one page.
type one struct{ body string }

func (o one) Get(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	if r.URL != "https://a.example/" {
		return nil, errors.New("there is nothing else")
	}
	at, err := url.Parse(r.URL)
	return &fetch.Response{URL: at, ContentType: "text/html", Charset: "utf-8", Body: io.NopCloser(strings.NewReader(o.body))}, err
}

// No page makes its copy request or run anything.
func FuzzPage(f *testing.F) {
	for _, website := range pages() {
		f.Add(website["/"].Body)
	}
	for _, text := range []string{
		`<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`, `<svg><style><img src=x onerror=x></style></svg>`,
		`<noscript><p title="</noscript><img src=x onerror=x>">`, `<math><mi//xlink:href="data:x,<script>">`, `<svg></p><style><a id="</style><img src=1 onerror=x>">`,
		`<table><a href=x><b><table><a href=y>`, `<select><template shadowrootmode=open><img src=x>`, `<frameset><noscript><img src=x>`, `<a x:href=y onclick =z>`,
		`<textarea><img src=x></textarea><title><img src=x></title><plaintext><img src=x>`, `<iframe srcdoc="&lt;script>x&lt;/script>"><img src=x></iframe>`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if low := strings.ToLower(body); strings.Contains(low, "(") || strings.Contains(low, "@") || strings.Contains(low, "\\") {
			t.Skip() // TestAddressesInStyles; the check here does not parse styles
		}
		made, err := Page(t.Context(), one{body}, "https://a.example/", Default())
		if err != nil {
			return
		}
		for _, problem := range requests(string(made.HTML)) {
			t.Errorf("%s\n%s", problem, made.HTML)
		}
	})
}
