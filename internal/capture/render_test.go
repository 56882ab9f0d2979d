package capture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/browser"
	"vitrine/internal/browser/browsertest"
	"vitrine/internal/fetch"
	"vitrine/internal/heavy"
)

// chromium starts a browser.
func chromium(t *testing.T) *browser.Browser {
	t.Helper()
	b, err := browser.New(browsertest.Start(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// offline refuses all requests, and records them.
type offline struct {
	mu    sync.Mutex
	asked []string
}

func (o *offline) Get(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, r.URL)
	return nil, &fetch.Error{Reason: "There is no network"}
}

// testLimits make pictures that can be compared.
func testLimits() browser.Limits {
	limits := browser.Default()
	limits.PictureFor, limits.Quiet, limits.Load, limits.Step, limits.Time = "png", 200*time.Millisecond, time.Minute, time.Minute, 2*time.Minute
	return limits
}

// Copies of rendered pages open without a request, and look like the pages.
func TestRendered(t *testing.T) {
	t.Parallel()
	b := chromium(t)
	all := pages()
	names := slices.Sorted(maps.Keys(all))
	if heavy.Count(0, 1) == 0 {
		names = []string{"app shell", "frames", "news", "shop"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { sameLook(t, b, all[name]) })
	}
}

func sameLook(t *testing.T, b *browser.Browser, website files) {
	s := serve(t, website)
	from := client(t)
	source, err := Open(t.Context(), from, s.URL+"/", Default())
	if err != nil {
		t.Fatal(err)
	}
	shown, err := b.Render(t.Context(), from, browser.Page(*source), testLimits())
	if err != nil {
		t.Fatal(err)
	}
	if shown.Lost != nil {
		t.Error(shown.Lost)
	}
	rendered := &Source{URL: shown.URL, ContentType: "text/html; charset=utf-8", Body: shown.HTML}
	made, err := rendered.Copy(t.Context(), shown.Parts, Default())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	for _, problem := range requests(string(made.HTML)) {
		t.Error(problem)
	}
	was, is := words(string(shown.HTML), func(address string) string {
		if u, err := url.Parse(address); err == nil && !strings.Contains(address, "<") {
			return website[s.path(u)].Body
		}
		return address
	}), words(string(made.HTML), copied)
	count, lost := 0, 0
	for word, n := range was {
		count += n
		lost += max(n-is[word], 0)
	}
	if lost*100 > count {
		t.Errorf("%d of %d words are missing", lost, count)
	}
	network := &offline{}
	at, _ := url.Parse("http://copy.example/")
	again, err := b.Render(t.Context(), network, browser.Page{URL: at, ContentType: "text/html; charset=utf-8", Body: made.HTML}, testLimits())
	if err != nil {
		t.Fatal(err)
	}
	if len(network.asked) > 0 {
		t.Errorf("the copy requests %q", network.asked)
	}
	if different, err := difference(shown.Picture, again.Picture); err != nil || different > 0.02 {
		t.Errorf("%.1f %% of the pixels are different: %v", 100*different, err)
		for name, data := range map[string][]byte{"page": shown.Picture, "copy": again.Picture, "html": made.HTML} {
			_ = os.WriteFile(filepath.Join(os.TempDir(), strings.ReplaceAll(t.Name(), "/", "-")+"-"+name+".png"), data, 0o600)
		}
	}
}

// path returns the path of a reference of a page.
func (s *site) path(reference *url.URL) string {
	base, _ := url.Parse(s.URL + "/")
	return base.ResolveReference(reference).Path
}

// difference returns the share of the pixels that differ between two pictures.
func difference(one, two []byte) (float64, error) {
	a, err := png.Decode(bytes.NewReader(one))
	if err != nil {
		return 1, err
	}
	b, err := png.Decode(bytes.NewReader(two))
	if err != nil {
		return 1, err
	}
	if a.Bounds() != b.Bounds() {
		return 1, fmt.Errorf("the sizes are %v and %v", a.Bounds(), b.Bounds())
	}
	differ := 0
	size := a.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if !alike(a, b, x, y) {
				differ++
			}
		}
	}
	return float64(differ) / float64(size.Dx()*size.Dy()), nil
}

func alike(a, b image.Image, x, y int) bool {
	r, g, bl, _ := a.At(x, y).RGBA()
	r2, g2, bl2, _ := b.At(x, y).RGBA()
	const near = 16 << 8
	return distance(r, r2) < near && distance(g, g2) < near && distance(bl, bl2) < near
}

func distance(a, b uint32) uint32 { return max(a, b) - min(a, b) }
