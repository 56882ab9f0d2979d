package content

import (
	"testing"
	"testing/synctest"
	"time"

	"vitrine/internal/page"
)

// Fetches of the resources of a page share one time limit. Resources on slow hosts are left out
// when it is reached.
func TestAsides(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := &intake{}
		start := time.Now()
		for range 8 {
			aside, end, err := in.related.begin(t.Context())
			if err != nil {
				break
			}
			<-aside.Done()
			end()
			time.Sleep(time.Minute) // other work does not count
		}
		if took := time.Since(start); in.related.spent != relatedTotalTimeout || took != relatedTotalTimeout+2*time.Minute {
			t.Errorf("spent %v in %v", in.related.spent, took)
		}
		if said, _, err := in.ask(t.Context(), page.Endpoint{URL: "https://example.org/oembed"}); said.Type != "" || err != nil {
			t.Errorf("oEmbed: %+v, %v", said, err)
		}
		p := page.Page{Images: []string{"https://example.org/a.png"}, Pictures: []page.Picture{{Address: "https://example.org/b.png"}}}
		if f, _, err := in.previewOf(t.Context(), p); f != nil || err != nil {
			t.Errorf("preview: %+v, %v", f, err)
		}
	})
}
