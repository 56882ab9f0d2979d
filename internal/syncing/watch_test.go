package syncing

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/config"
)

// unplugged is a network that can be cut.
type unplugged struct {
	http.RoundTripper
	cut atomic.Bool
}

func (u *unplugged) RoundTrip(r *http.Request) (*http.Response, error) {
	if u.cut.Load() {
		return nil, &net.OpError{Op: "dial", Err: errors.New("no network")}
	}
	return u.RoundTripper.RoundTrip(r)
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for !ok() {
		select {
		case <-t.Context().Done():
			t.Fatal(what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// A program that follows both sides begins without a network, and applies changes of both.
func TestWatch(t *testing.T) {
	b := newBench(t)
	wire := &unplugged{RoundTripper: b.options.HTTP.Transport}
	wire.cut.Store(true)
	b.options.HTTP = &http.Client{Transport: wire}
	b.options.Every = 20 * time.Millisecond
	waiting := make(chan struct{}, 100)
	b.options.Report = func(text string) {
		if strings.HasPrefix(text, "waiting ") {
			waiting <- struct{}{}
		}
	}
	s, err := Open(t.Context(), b.options)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Watch(ctx) }()
	<-waiting
	wire.cut.Store(false)
	id := b.Block("ada", "from the server", b.channel)
	exists := func(name string) func() bool {
		return func() bool { _, err := os.Stat(filepath.Join(b.dir, name)); return err == nil }
	}
	until(t, "the block does not arrive", exists("from the server.md"))
	b.write("mine.md", "from the directory")
	until(t, "the note does not arrive", func() bool { return len(b.texts(b.channel)) == 2 })
	b.update(id, map[string]any{"title": "Renamed"})
	until(t, "the new title does not arrive", exists("Renamed.md"))
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What the server refuses stays and is reported once, and everything else goes on.
func TestRefused(t *testing.T) {
	b := newBench(t, func(c *config.Config) { c.UploadLimit = 1 << 10 })
	b.write("large.bin", strings.Repeat("large", 200_000))
	b.write("latin.md", "caf\xe9")
	b.write("empty.md", "\n")
	b.write("bad.md", "---\ntitle: [\n---\ntext")
	b.write("good.md", "---\nurl: https://example.org/a\ntags: [x, y z]\n---\nabout it")
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Fatalf("%v: %q", err, b.said)
	}
	for _, name := range []string{"large.bin", "latin.md", "bad.md"} {
		if n := strings.Count("\n"+strings.Join(b.said, "\n"), "\n"+name+": "); n != 1 {
			t.Errorf("%s is reported %d times: %q", name, n, b.said)
		}
	}
	r := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents", b.channel), nil).Want(200)
	if r.Len("data") != 1 || r.Str("data.0.source.url") != "https://example.org/a" || r.Str("data.0.metadata.tags") != "x, y z" {
		t.Errorf("%s", r.Body)
	}
}

// A channel of somebody else is only read.
func TestForeign(t *testing.T) {
	b := newBench(t)
	theirs := b.Channel("bob", "Of Bob", "closed")
	b.Block("bob", "wise words", theirs)
	b.options.Channel, b.options.Dir = fmt.Sprint(theirs), t.TempDir()
	b.dir = b.options.Dir
	b.sync()
	b.write("mine.md", "mine")
	b.write("wise words.md", strings.Replace(b.read("wise words.md"), "wise", "silly", 1))
	b.sync()
	files := b.files()
	if len(files) != 3 || !strings.Contains(files[1], "(conflict ") || !strings.Contains(b.read("wise words.md"), "\nwise words\n") {
		t.Errorf("%q: %q", files, b.said)
	}
	if r := b.Do("bob", "GET", fmt.Sprintf("/v3/channels/%d/contents", theirs), nil); r.Len("data") != 1 {
		t.Errorf("%s", r.Body)
	}
	b.Do("bob", "DELETE", fmt.Sprintf("/v3/channels/%d", theirs), nil).Want(204)
	if err := b.try(); err == nil || len(b.files()) != 3 {
		t.Errorf("after the channel was deleted: %v, %q", err, b.files())
	}
}
