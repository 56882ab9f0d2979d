package syncing

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/heavy"
)

// killed is the panic of a program that is killed at a step.
type killed struct{}

// killAt runs once and is killed at the nth step. It reports whether the run had that many.
func (b *bench) killAt(n int) (died bool) {
	o := b.options
	o.step = func(string) {
		if n--; n == 0 {
			panic(killed{})
		}
	}
	var s *Sync
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			died = true
		}
		if s != nil {
			s.Close()
		}
	}()
	s, err := Open(b.T.Context(), o)
	if err == nil {
		err = s.Once(b.T.Context())
	}
	if err != nil {
		b.T.Fatal(err)
	}
	return false
}

// inStep checks that the directory has exactly the blocks of its channel.
func (b *bench) inStep() {
	b.T.Helper()
	r := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents?per=100", b.channel), nil).Want(200)
	var want, got []string
	for i := range r.Len("data") {
		want = append(want, fmt.Sprintf("%d %s", r.Int(fmt.Sprintf("data.%d.id", i)), r.Str(fmt.Sprintf("data.%d.content.markdown", i))))
	}
	for _, name := range b.files() {
		if ignored(name) {
			continue
		}
		n, err := parse([]byte(b.read(name)))
		if err != nil {
			b.T.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s", n.id, n.Body))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		b.T.Fatalf("the server has\n%q\nand the directory\n%q\nafter %q", want, got, b.said)
	}
}

// A run that is killed at any step ends, when it is repeated, like one that is not.
func TestKilled(t *testing.T) {
	b := newBench(t)
	stride := heavy.Count(17, 1)
	for n, died := 1, true; died; n += stride {
		for _, name := range b.files() {
			b.remove(name)
		}
		b.sync(func(o *Options) { o.Confirm = true })
		b.wantTexts()
		edited := b.Block("ada", "edited", b.channel)
		gone := b.Block("ada", "gone", b.channel)
		clash := b.Block("ada", "clash", b.channel)
		b.Block("ada", "deleted", b.channel)
		b.sync()
		b.update(edited, map[string]any{"title": "Renamed", "content": "edited twice"})
		b.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", gone), nil).Want(204)
		b.update(clash, map[string]any{"content": "theirs"})
		b.Block("ada", "incoming", b.channel)
		b.write("clash.md", strings.Replace(b.read("clash.md"), "clash\n", "mine\n", 1))
		b.remove("deleted.md")
		b.write("outgoing.md", "outgoing")
		died = b.killAt(n)
		b.sync()
		b.inStep()
		texts := b.texts(b.channel)
		slices.Sort(texts)
		if want := []string{"=incoming", "=theirs", "Renamed=edited twice", "outgoing=outgoing"}; !slices.Equal(texts, want) {
			t.Fatalf("killed at step %d: %q", n, texts)
		}
		files := b.files()
		if len(files) != 5 {
			t.Fatalf("killed at step %d: %q", n, files)
		}
		if err := os.Remove(filepath.Join(b.dir, files[slices.IndexFunc(files, ignored)])); err != nil {
			t.Fatal(err)
		}
	}
}

// A killed upload of a file creates one block.
func TestKilledUpload(t *testing.T) {
	b := newBench(t)
	picture := string(apptest.PNG(t, 8, 8))
	for n := 1; n < 24; n += heavy.Count(5, 1) {
		name := fmt.Sprintf("p%d", n)
		before := len(b.texts(b.channel))
		b.write(name+".png", picture)
		b.killAt(n)
		b.sync()
		if after := len(b.texts(b.channel)); after != before+1 {
			t.Fatalf("killed at step %d: %d blocks, before %d", n, after, before)
		}
	}
}

// A request that was stored days ago is not repeated, since the server no longer knows its key. The block is found by its text.
func TestKilledLongAgo(t *testing.T) {
	b := newBench(t)
	b.sync()
	for n := 1; n < 20; n += heavy.Count(3, 1) {
		b.write(fmt.Sprintf("n%d.md", n), fmt.Sprintf("text %d", n))
		b.killAt(n)
		b.sync(func(o *Options) { o.Now = func() time.Time { return time.Now().Add(48 * time.Hour) } })
		b.inStep()
	}
	if got := len(b.texts(b.channel)); got != len(b.files()) {
		t.Errorf("%d blocks of %d notes", got, len(b.files()))
	}
}
