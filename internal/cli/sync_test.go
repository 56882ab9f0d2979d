package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
)

func TestSync(t *testing.T) {
	r := apptest.New(t)
	server, dir := "http://"+r.Listen(), filepath.Join(t.TempDir(), "notes")
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(r.Person("ada").Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sync := func(args ...string) (stdout, stderr string, code int) {
		var out, problems bytes.Buffer
		code = cli.Run(t.Context(), append([]string{"vitrine", "sync", dir, "--server", server, "--token-file", token}, args...), &out, &problems)
		return out.String(), problems.String(), code
	}
	channel := r.Channel("ada", "Birds", "private")
	r.Block("ada", "heron", channel)
	if out, stderr, code := sync("--once"); code != 0 || stderr != "" || out != "create folder Birds\ndownload Birds/heron\n" {
		t.Fatalf("%d, %q, %s", code, out, stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "Birds", "Rail.md"), []byte("rail"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, code := sync("--dry-run", "--settle", "0s"); code != 0 || out != "upload Birds/Rail.md\n" {
		t.Errorf("%d, %q", code, out)
	}
	if out, stderr, code := sync("--once", "--push", "--settle", "0s"); code != 0 || !strings.HasPrefix(out, "upload Birds/Rail.md\n") {
		t.Errorf("%d, %q, %s", code, out, stderr)
	}
	if n := r.Do("ada", "GET", "/v3/channels/"+strconv.FormatInt(channel, 10)+"/contents", nil).Len("data"); n != 2 {
		t.Errorf("%d blocks", n)
	}
	for _, args := range [][]string{{"--once", "--watch"}, {"--pull", "--push"}, {"--server", "ftp://a"}, {"--every", "1ms"}, {"--settle", "1h"}, {"--max-file", "0"}, {"--visibility", "secret"}} {
		if _, stderr, code := sync(args...); code != 2 {
			t.Errorf("%q: %d, %s", args, code, stderr)
		}
	}
	if _, stderr, code := sync("--once", "--channel", "none"); code != 1 || !strings.Contains(stderr, `the channel "none" does not exist`) {
		t.Errorf("a channel that does not exist: %d, %s", code, stderr)
	}
}
