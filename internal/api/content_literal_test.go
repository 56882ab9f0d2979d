package api_test

import (
	"html"
	"testing"

	"vitrine/internal/apptest"
)

// The description of a page is plain text: it contains no mark-up.
func TestContentDescriptionIsPlain(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for path, text := range map[string]string{
		"video": "The <video> element", "math": "2*3*4 = 24 & 5_6_7", "year": "1986. A year", "charts": "# 1 in the charts",
		"link": "[a](https://example.org) &amp; https://example.org/a_b_c",
	} {
		r.Web("example.com/"+path, apptest.Serve("text/html; charset=utf-8", []byte(`<title>x</title><meta name="description" content="`+html.EscapeString(text)+`">`)))
		got := processed(r, "http://example.com/"+path, nil)
		holds(t, got, map[string]any{"description.plain": text})
		if path == "math" {
			holds(t, got, map[string]any{"description.html": "<p>2*3*4 = 24 &amp; 5_6_7</p>", "description.markdown": `2\*3\*4 = 24 & 5\_6\_7`})
		}
	}
}
