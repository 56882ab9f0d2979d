package capture

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/browser/browsertest"
)

// Copies open in Chromium without a request and without a script.
func TestChromium(t *testing.T) {
	t.Parallel()
	program := browsertest.Program(t)
	var mu sync.Mutex
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if host := r.URL.Hostname(); host == "127.0.0.1" || strings.HasSuffix(host, ".example") { // not those of the browser itself
			asked = append(asked, r.URL.String())
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	open := func(text string) (dom string, requested []string) {
		t.Helper()
		dir := t.TempDir()
		path := filepath.Join(dir, "copy.html")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--user-data-dir="+dir, "--proxy-server="+proxy.URL, "--proxy-bypass-list=<-loopback>",
			"--dump-dom", "file://"+path).Output()
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		requested, asked = asked, nil
		return string(out), requested
	}
	const runs = `<script>document.title = "It ran"</script>`
	if dom, requested := open(runs + `<img src="http://a.example/x.png">`); !strings.Contains(dom, "It ran") || len(requested) == 0 {
		t.Fatalf("the browser shows %q and requested %q", dom, requested)
	}
	all := pages()
	for _, name := range []string{"news", "frames", "inline svg", "imports"} {
		website := all[name]
		website["/"] = markup(website["/"].Body + runs + `<img src="http://a.example/x.png" onerror="document.title = 'It ran'"><i style="background: url(http://b.example/y.png)">Last</i>`)
		dom, requested := open(string(copyOf(t, website).HTML))
		if len(requested) > 0 || strings.Contains(dom, "It ran") || !strings.Contains(dom, "Last") {
			t.Errorf("%s requested %q, and shows %.500s", name, requested, dom)
		}
	}
}
