package client_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// page uses the client and lists what works.
const page = `<!doctype html><pre id="out"></pre><script type="module">
import { Client } from "/index.js";
const results = [];
try {
	const client = new Client(%q, { token: %q });
	results.push((await client.getPing()).status);
	let users = 0;
	for await (const user of client.ext.allUsers({ limit: 2 })) users++;
	results.push(users);
	const block = await client.ext.showBlock(1);
	results.push((await client.updateBlock(1, { title: "Changed" }, { ifMatch: block.etag })).title);
	for await (const { cursor } of client.ext.follow({ stream: true })) {
		results.push(typeof cursor);
		break;
	}
	results.push((await client.ext.savePage({ url: "https://example.org/a", html: "<title>A</title><p>A", channel: "field-notes" })).type);
} catch (e) {
	results.push(e.stack);
}
document.getElementById("out").textContent = "results: " + results.join(" ") + ".";
</script>`

// The JavaScript client works in a browser, on a page of another origin.
func TestBrowser(t *testing.T) {
	base := os.Getenv(sandboxEnv)
	if base == "" {
		t.Skip(sandboxEnv + " is not set")
	}
	chromium := cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium")
	if _, err := os.Stat(chromium); err != nil {
		if os.Getenv("VITRINE_TEST_REQUIRE_CHROMIUM") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	r := &runner{t: t, base: base}
	r.control("POST", "/reset", "")
	token := tokensOf(t, r.control("GET", "", ""))["ada"]
	files := http.FileServer(http.Dir("typescript"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/" {
			files.ServeHTTP(w, req)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, page, base, token)
	}))
	defer server.Close()
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--virtual-time-budget=30000", "--dump-dom", server.URL)
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "results: ok 3 Changed string Snapshot.") {
		t.Errorf("%v %s", err, out)
	}
}
