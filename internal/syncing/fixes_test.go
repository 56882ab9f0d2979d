package syncing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A name that changes only in case or normal form is the same item, with its new name.
func TestSpelling(t *testing.T) {
	b := newBench(t)
	for i := range 3 {
		b.Block("ada", fmt.Sprintf("caf\u00e9 %d", i), b.channel)
	}
	birds := b.Channel("ada", "Birds", "private")
	b.Connect("ada", "Channel", birds, b.channel)
	b.Block("ada", "heron", birds)
	b.sync()
	before := b.texts(b.channel)
	for i := range 3 {
		b.rename(fmt.Sprintf("caf\u00e9 %d.md", i), fmt.Sprintf("cafe\u0301 %d.md", i))
	}
	b.rename("Birds", "birds")
	b.rename("birds/heron.md", "birds/Heron.md")
	b.sync(func(o *Options) { o.Push = false })
	if got := b.files(); len(got) != 4 || got[0] != "birds/Heron.md" {
		t.Errorf("with --pull: %q", got)
	}
	b.sync()
	if after := b.texts(b.channel); strings.Join(after, "\n") != strings.Replace(strings.Join(before, "\n"), "Birds=", "birds=", 1) {
		t.Errorf("%q, before %q", after, before)
	}
	if got := b.texts(birds); fmt.Sprint(got) != "[Heron=heron]" {
		t.Errorf("%q", got)
	}
	// The server's turn.
	b.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", birds), map[string]any{"title": "BIRDS"}).Want(200)
	heron := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents", birds), nil).Int("data.0.id")
	b.update(heron, map[string]any{"title": "HERON"})
	b.sync()
	if got := b.files(); len(got) != 4 || got[0] != "BIRDS/HERON.md" {
		t.Errorf("%q", got)
	}
	b.sync()
	if len(b.said) > 0 {
		t.Errorf("nothing changed, but %q", b.said)
	}
	// Two spellings next to each other: the one that was there stays.
	b.write("birds/HERON.md", "another")
	if err := b.try(); !errors.Is(err, ErrPartly) || fmt.Sprint(b.texts(birds)) != "[HERON=heron]" {
		t.Errorf("%v: %q", err, b.texts(birds))
	}
}

// Channels with titles that are no names, or names of temporary files, keep their folders.
func TestHostileChannels(t *testing.T) {
	b := newBench(t)
	titles := []string{"notes.bak", "draft.tmp", "Thumbs.db", "desktop.ini", "x.part", "CON.txt", "nul .a.b", "\u200d.vitrine", "GIT~1", "../up", "_index.md", "a", "A"}
	for _, title := range titles {
		id := b.Channel("ada", title, "private")
		b.Block("ada", "text", id)
		b.Connect("ada", "Channel", id, b.channel)
	}
	b.sync()
	got := b.files()
	if len(got) != len(titles) {
		t.Errorf("%d files: %q", len(got), got)
	}
	for _, name := range got {
		if dir := parentOf(name); devices.MatchString(dir) || ignored(dir) || strings.Contains(dir, "~1") || strings.HasPrefix(strings.TrimPrefix(dir, "\u200d"), ".") {
			t.Errorf("%q", name)
		}
	}
	b.sync()
	if n := len(b.texts(b.channel)); len(b.said) > 0 || n != len(titles) {
		t.Errorf("a second run says %q, and leaves %d channels", b.said, n)
	}
}

func TestServerMoved(t *testing.T) {
	b := newBench(t)
	b.sync()
	other := func(o *Options) { o.Server = "https://other.test" }
	if err := b.try(other); err == nil || !strings.Contains(err.Error(), "--server-moved") {
		t.Errorf("another server: %v", err)
	}
	b.sync(other, func(o *Options) { o.Moved = true })
	b.sync(other)
}

// A channel of an account has one folder, and folders in it are reported.
func TestNestedInAccount(t *testing.T) {
	b := newBench(t)
	b.options.Channel = ""
	b.Block("ada", "text", b.channel)
	b.sync()
	b.write("Field notes/Nested/a.md", "a")
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Errorf("%v", err)
	}
	b.want("Field notes/Nested/a.md", "Field notes/text.md")
	b.remove("Field notes/Nested")
	b.write("Other/b.md", "b")
	b.sync()
	b.rename("Other", "Field notes/Renamed")
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Errorf("%v", err)
	}
	r := b.Do("ada", "GET", "/v3/users/ada/contents?type=Channel", nil).Want(200)
	if r.Len("data") != 2 || !strings.Contains(string(r.Body), `"title":"Other"`) {
		t.Errorf("%s", r.Body)
	}
}

// The guard counts what is in all folders that are gone, also if the name of one begins with that of another.
func TestGuardOfFolders(t *testing.T) {
	b := newBench(t)
	for _, title := range []string{"Notes", "Notes 2"} {
		id := b.Channel("ada", title, "private")
		for i := range 6 {
			b.Block("ada", fmt.Sprintf("text %d", i), id)
		}
		b.Connect("ada", "Channel", id, b.channel)
	}
	b.sync()
	r := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents", b.channel), nil).Want(200)
	for i := range 2 {
		b.Do("ada", "DELETE", fmt.Sprintf("/v3/connections/%d", r.Int(fmt.Sprintf("data.%d.connection.id", i))), nil).Want(204)
	}
	if err := b.try(); !errors.Is(err, ErrConfirm) || len(b.files()) != 12 {
		t.Errorf("%v: %q", err, b.files())
	}
	if _, err := os.Stat(filepath.Join(b.dir, "Notes 2")); err != nil {
		t.Error(err)
	}
}

// An index that the program has not written is a note like others.
func TestForeignIndex(t *testing.T) {
	b := newBench(t)
	b.write(indexFile, "---\ntitle: My garden\n---\nmoss")
	b.write("Sub/_index.md/x.md", "x")
	if err := b.try(); !errors.Is(err, ErrPartly) {
		t.Errorf("%v: %q", err, b.said)
	}
	if !strings.Contains(b.read("index.md"), "moss") || !strings.Contains(b.read(indexFile), keyChannel) {
		t.Errorf("%q: %s", b.files(), b.read(indexFile))
	}
	if got := b.texts(b.channel); len(got) != 2 || got[0] != "My garden=moss" {
		t.Errorf("%q", got)
	}
}

// What is missing for a moment is not deleted.
func TestSecondLook(t *testing.T) {
	b := newBench(t)
	b.Block("ada", "text", b.channel)
	b.sync()
	b.options.Settle = 50 * time.Millisecond
	b.rename("text.md", ".saving")
	s, err := Open(t.Context(), b.options)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.pass(t.Context())
	if err != nil || !again || !s.unsettled || len(b.texts(b.channel)) != 1 {
		t.Fatalf("the first look: %v, %v, %q", again, err, b.said)
	}
	b.rename(".saving", "text.md")
	if err := s.Once(t.Context()); err != nil || len(b.texts(b.channel)) != 1 {
		t.Fatalf("%v: %q", err, b.said)
	}
	s.Close()
	b.remove("text.md")
	b.sync()
	b.wantTexts()
}
