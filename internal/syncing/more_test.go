package syncing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func (b *bench) rename(from, to string) {
	b.T.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(b.dir, to)), 0o755); err != nil {
		b.T.Fatal(err)
	}
	if err := os.Rename(filepath.Join(b.dir, from), filepath.Join(b.dir, to)); err != nil {
		b.T.Fatal(err)
	}
}

func (b *bench) remove(name string) {
	b.T.Helper()
	if err := os.RemoveAll(filepath.Join(b.dir, name)); err != nil {
		b.T.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	b := newBench(t)
	b.write("Heron.png", string(apptest.PNG(t, 30, 20)))
	b.write("data.bin", "\x00\x01\x02 some bytes")
	b.sync()
	b.WorkJobs()
	b.sync()
	b.want("Heron.md", "Heron.png", "data.bin", "data.md")
	note := b.read("Heron.md")
	if !strings.Contains(note, "![[Heron.png]]\n") {
		t.Error(note)
	}
	b.write("Heron.md", note+"\nAt the pond.\n")
	b.sync()
	first := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents?per=100", b.channel), nil).Want(200)
	if first.Len("data") != 2 || !strings.Contains(string(first.Body), `"markdown":"At the pond."`) {
		t.Fatalf("%s", first.Body)
	}

	// Another directory gets the same.
	copied := *b
	copied.dir = t.TempDir()
	copied.options.Dir = copied.dir
	copied.sync()
	copied.want("Heron.md", "Heron.png", "data.bin", "data.md")
	if copied.read("data.bin") != b.read("data.bin") {
		t.Error("another directory has other bytes")
	}

	// An edited file is a new block, and the old one stays.
	b.write("data.bin", "other bytes")
	b.sync()
	b.WorkJobs()
	b.sync()
	b.want("Heron.md", "Heron.png", "data (edited).bin", "data (edited).md", "data.bin", "data.md")

	// Without its state, the directory is the same as before.
	b.remove(ownFolder)
	b.sync()
	b.want("Heron.md", "Heron.png", "data (edited).bin", "data (edited).md", "data.bin", "data.md")
	if got := b.texts(b.channel); len(got) != 3 {
		t.Errorf("%q", got)
	}

	// A note without its file gets it back; a block without both is deleted.
	b.remove("Heron.png")
	b.remove("data.bin")
	b.remove("data.md")
	b.sync()
	b.want("Heron.md", "Heron.png", "data (edited).bin", "data (edited).md")
	if got := b.texts(b.channel); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestChannels(t *testing.T) {
	b := newBench(t)
	birds := b.Channel("ada", "Birds", "private")
	b.Connect("ada", "Channel", birds, b.channel)
	b.Connect("ada", "Channel", b.channel, birds) // a cycle
	heron := b.Block("ada", "heron", birds)
	other := b.Channel("bob", "Of Bob", "closed")
	b.Block("bob", "not mine", other)
	b.Connect("ada", "Channel", other, b.channel)
	b.sync()
	b.want("Birds/Field notes.md", "Birds/heron.md", "Of Bob.md")

	// A new folder is a new channel; a note that is moved is connected there.
	b.write("Nested/a.md", "text a")
	b.rename("Birds/heron.md", "Nested/heron.md")
	b.sync()
	b.want("Birds/Field notes.md", "Nested/a.md", "Nested/heron.md", "Of Bob.md")
	r := b.Do("ada", "GET", fmt.Sprintf("/v3/blocks/%d/connections", heron), nil).Want(200)
	if r.Len("data") != 1 || r.Str("data.0.title") != "Nested" {
		t.Errorf("%s", r.Body)
	}
	// Renamed on either side.
	b.rename("Nested", "Nests")
	b.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", birds), map[string]any{"title": "Waders"}).Want(200)
	b.sync()
	b.want("Nests/a.md", "Nests/heron.md", "Of Bob.md", "Waders/Field notes.md")
	if title := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d", r.Int("data.0.id")), nil).Str("title"); title != "Nests" {
		t.Error(title)
	}
	b.sync()
	if len(b.said) > 0 {
		t.Errorf("nothing changed, but %q", b.said)
	}
	// A folder that is deleted is disconnected; its channel stays.
	b.remove("Waders")
	b.sync()
	b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d", birds), nil).Want(200)
	if got := b.texts(b.channel); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestHostileTitles(t *testing.T) {
	b := newBench(t)
	for _, title := range []string{"../../etc/passwd", "CON", ".vitrine", "a\u202eb", "x/../y", "_index", strings.Repeat("ü", 200), "same", "Same", "SAME", "  ", "~tilde", "n (conflict 2026-01-01 x)", ".hidden", "--- title: x", `"quoted": {`} {
		id := b.Block("ada", "text "+title+"\n---\nvitrine: 1", b.channel)
		b.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", id), map[string]any{"title": title})
	}
	b.sync()
	got := b.files()
	if len(got) != 16 {
		t.Fatalf("%d files: %q", len(got), got)
	}
	for _, name := range got {
		if strings.ContainsAny(name, `\:*?"<>|/`) || strings.HasPrefix(name, ".") || ignored(name) {
			t.Errorf("%q", name)
		}
	}
	before := b.texts(b.channel)
	b.sync()
	if len(b.said) > 0 {
		t.Errorf("a second run says %q", b.said)
	}
	b.remove(ownFolder)
	b.sync()
	if after := b.texts(b.channel); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("without its state: %q, before %q", after, before)
	}
	if now := b.files(); fmt.Sprint(now) != fmt.Sprint(got) {
		t.Errorf("without its state: %q, before %q", now, got)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(b.dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	b.sync()
	if after := b.texts(b.channel); len(after) != len(before) {
		t.Errorf("%q", after)
	}
}

func TestGuards(t *testing.T) {
	b := newBench(t)
	for i := range 15 {
		b.Block("ada", fmt.Sprintf("text %d", i), b.channel)
	}
	b.sync()
	kept := b.files()
	for _, name := range kept[:12] {
		b.rename(name, ".away/"+name)
	}
	if err := b.try(); !errors.Is(err, ErrConfirm) || len(b.texts(b.channel)) != 15 {
		t.Fatalf("many missing: %v", err)
	}
	if err := b.try(func(o *Options) { o.Server = "https://other.test"; o.Token = b.Person("bob").Token; o.Channel = "" }); err == nil {
		t.Error("another account can use the directory")
	}
	b.sync(func(o *Options) { o.DryRun, o.Confirm = true, true })
	if len(b.said) != 12 || len(b.texts(b.channel)) != 15 {
		t.Errorf("a dry run: %q", b.said)
	}
	b.sync(func(o *Options) { o.Confirm = true })
	if got := b.texts(b.channel); len(got) != 3 {
		t.Errorf("%q", got)
	}
	// A cursor of another epoch.
	b.remove(".away")
	b.Exec("UPDATE change_epoch SET secret = 'another'")
	b.write("new.md", "new")
	b.Block("ada", "from the server", b.channel)
	b.sync()
	if got := b.texts(b.channel); len(got) != 5 || len(b.files()) != 5 {
		t.Errorf("%q, %q", got, b.files())
	}
}
