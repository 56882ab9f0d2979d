package cli_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestProvidersUpdate(t *testing.T) {
	t.Parallel()
	const good = `[{"provider_name":"A","endpoints":[{"url":"https://a.test/oembed","schemes":["https://a.test/*"]}]},
		{"provider_name":"B","endpoints":[{"url":"https://b.test/oembed","schemes":["https://b.test/*"]}]}]`
	var answer atomic.Value
	answer.Store(good)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/list.json" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer.Load().(string)))
	}))
	t.Cleanup(web.Close)
	p := folder(t)
	file := filepath.Join(p.flags[1], "oembed-providers.json")
	update := func(path string) result {
		t.Helper()
		return p.run("providers", "update", "--from", web.URL+path, "--fetch-allow", "127.0.0.0/8")
	}
	if r := update("/list.json").ok(); !strings.HasPrefix(r.out, "Saved 2 providers in "+file+".") {
		t.Errorf("%q", r.out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info, err)
	}
	unchanged := func(what string, r result) {
		t.Helper()
		if text, err := os.ReadFile(file); r.code != 1 || r.out != "" || err != nil || string(text) != good {
			t.Errorf("%s: exit code %d\n%s%s%s (%v)", what, r.code, r.out, r.err, text, err)
		}
	}
	for _, bad := range []string{"", "<html>", "[]", "{}", `[{"provider_name":"A","endpoints":[]}]`, "[" + strings.Repeat(" ", 9<<20) + "]"} {
		answer.Store(bad)
		unchanged(bad[:min(len(bad), 40)], update("/list.json"))
	}
	unchanged("missing", update("/other.json"))
	unchanged("not allowed", p.run("providers", "update", "--from", web.URL+"/list.json"))
	if left, err := os.ReadDir(p.flags[1]); err != nil || len(left) != 1 {
		t.Errorf("left are %v (%v)", left, err)
	}
	answer.Store(strings.Replace(good, `"A"`, `"C"`, 1))
	update("/list.json").ok()
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"C"`) {
		t.Errorf("%s (%v)", text, err)
	}
}
