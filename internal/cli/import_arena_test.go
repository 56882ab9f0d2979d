package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// site is a server of version 3 with one channel, whose second item has no form that is known.
func site(t *testing.T, token string) string {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if token != "" && r.Header.Get("Authorization") != "Bearer "+token {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = io.WriteString(w, body)
		})
	}
	const owner = `{"id":5,"type":"User","name":"Cy","slug":"cy"}`
	answer("/v3/me", owner)
	for id, title := range []string{"Moss", "Ferns"} {
		answer("/v3/channels/"+strings.ToLower(title), fmt.Sprintf(`{"id":%d,"type":"Channel","slug":%q,"title":%q,"owner":%s}`, id+1, strings.ToLower(title), title, owner))
	}
	const text = `{"id":9,"type":"Text","title":"Note","content":{"markdown":"words"}}`
	answer("/v3/channels/1/contents", `{"data":[`+text+`,{"id":10,"type":"Hologram"}],"meta":{}}`)
	answer("/v3/channels/2/contents", `{"data":[`+text+`],"meta":{}}`)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestImportArena(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		from := site(t, "tok-1")
		arena := func(args ...string) result {
			return p.run(append([]string{"import", "arena", "--user", "ada", "--from", from}, args...)...)
		}
		token := inFile(t, "token", "tok-1\n")
		arena("ferns", "--token-file", token, "--dry-run").counted(0, "Would import 1 text into 1 new channel.")
		arena("ferns", "--token-file", token).counted(0, "Imported 1 text into 1 new channel.")
		arena("ferns", "moss", "--token-file", token).counted(3, "Imported 1 channel. Already there: 1 item.",
			"1 skipped: ", `There is no kind of block called "Hologram" here`)
		for _, c := range []struct {
			code int
			why  string
			r    result
		}{
			{1, "There is no channel to import", arena("nothing", "--token-file", token)},
			{1, "The token is not valid there", arena("ferns", "--token-file", inFile(t, "other", "tok-2"))},
			{2, "must hold one word", arena("ferns", "--token-file", inFile(t, "two", "a tok-2"))},
			{1, "nobody", p.run("import", "arena", "--user", "nobody", "--from", from, "ferns")},
			{2, "--from: must be the http or https address of an API", p.run("import", "arena", "--user", "ada", "--from", "ftp://x", "ferns")},
		} {
			if c.r.code != c.code || !strings.Contains(c.r.err, c.why) || strings.Contains(c.r.out+c.r.err, "tok-2") {
				t.Errorf("%q: exit code %d: %s%s", c.r.args, c.r.code, c.r.out, c.r.err)
			}
		}
		p.run("check", "--files").ok()
	})
}
