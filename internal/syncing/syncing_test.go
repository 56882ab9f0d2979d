package syncing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/internal/apptest"
)

// bench is a server and a directory that is in step with a channel of it.
type bench struct {
	*apptest.Rig
	addr    string
	dir     string
	channel int64
	options Options
	said    []string
}

func newBench(t *testing.T, options ...apptest.Option) *bench {
	t.Helper()
	r := apptest.New(t, append(options, apptest.Trash)...)
	b := &bench{Rig: r, addr: r.Listen(), dir: t.TempDir(), channel: r.Channel("ada", "Field notes", "private")}
	dialer := &net.Dialer{}
	transport := &http.Transport{DialTLSContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, b.addr)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	b.options = Options{Server: apptest.Base, Token: r.Person("ada").Token, Dir: b.dir, Channel: fmt.Sprint(b.channel), Pull: true, Push: true,
		Visibility: client.ChannelVisibilityPrivate, MaxFile: 1 << 20, Every: time.Second, Host: "host", HTTP: &http.Client{Transport: transport},
		Now: time.Now, Report: func(text string) { b.said = append(b.said, text) }}
	return b
}

// try runs once, as a program of its own.
func (b *bench) try(change ...func(*Options)) error {
	o := b.options
	for _, c := range change {
		c(&o)
	}
	s, err := Open(b.T.Context(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Once(b.T.Context())
}

func (b *bench) sync(change ...func(*Options)) {
	b.T.Helper()
	b.said = nil
	if err := b.try(change...); err != nil {
		b.T.Fatalf("%v: %q", err, b.said)
	}
}

func (b *bench) write(name, text string) {
	b.T.Helper()
	full := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		b.T.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.T.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.T.Fatalf("%v; there are %q; %q", err, b.files(), b.said)
	}
	return string(text)
}

// files lists the files without those of the program and indexes.
func (b *bench) files() (all []string) {
	b.T.Helper()
	err := filepath.WalkDir(b.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ownFolder {
			return fs.SkipDir
		}
		if rel, _ := filepath.Rel(b.dir, name); !d.IsDir() && d.Name() != indexFile {
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return all
}

func (b *bench) want(names ...string) {
	b.T.Helper()
	if got := b.files(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", names) {
		b.T.Fatalf("files: %q, want %q; %q", got, names, b.said)
	}
}

// texts returns the titles and texts of the blocks of a channel, from the top.
func (b *bench) texts(channel int64) (all []string) {
	b.T.Helper()
	r := b.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents?per=100", channel), nil).Want(200)
	for i := range r.Len("data") {
		at := fmt.Sprintf("data.%d.", i)
		text, title := "", ""
		if v, ok := r.Lookup(at + "content.markdown"); ok && v != nil {
			text = v.(string)
		}
		if v, ok := r.Lookup(at + "title"); ok && v != nil {
			title = v.(string)
		}
		all = append(all, title+"="+text)
	}
	return all
}

func (b *bench) wantTexts(want ...string) {
	b.T.Helper()
	if got := b.texts(b.channel); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		b.T.Fatalf("blocks: %q, want %q; %q", got, want, b.said)
	}
}

func (b *bench) update(id int64, body map[string]any) {
	b.T.Helper()
	b.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", id), body).Want(200)
}

func TestBothDirections(t *testing.T) {
	b := newBench(t)
	moss := b.Block("ada", "Moss grows.", b.channel)
	b.update(moss, map[string]any{"title": "Moss: a/b", "metadata": map[string]any{"tags": "green,wet", "page": 7}})
	b.sync()
	b.want("Moss a b.md")
	text := b.read("Moss a b.md")
	for _, want := range []string{fmt.Sprintf("vitrine: %d\n", moss), "title: \"Moss: a/b\"\n", "tags:\n  - \"green\"\n  - \"wet\"\n", "\"page\": 7\n", "\nMoss grows.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if index := b.read(indexFile); !strings.Contains(index, "[[Moss a b|Moss a b]]") {
		t.Error(index)
	}

	// A changed note, a new one and a new property.
	b.write("Moss a b.md", strings.Replace(text, "Moss grows.", "Moss grows *slowly*.\n\nAlways.", 1))
	b.write("New.md", "---\naliases: [x, y]\nweight: 3\n---\nA new one\n")
	b.sync()
	b.wantTexts("New=A new one", "Moss: a/b=Moss grows *slowly*.\n\nAlways.")
	if text := b.read("New.md"); !strings.Contains(text, "vitrine: ") || !strings.Contains(text, "aliases: [x, y]\n") || !strings.Contains(text, `"weight": 3`) {
		t.Error(text)
	}
	requests := len(b.said)
	b.sync()
	if len(b.said) != 0 {
		t.Errorf("a second run says %q after %d", b.said, requests)
	}

	// The server's turn.
	b.update(moss, map[string]any{"title": "Lichen", "content": "No moss."})
	b.sync()
	b.want("Lichen.md", "New.md")
	if text := b.read("Lichen.md"); !strings.Contains(text, "\nNo moss.\n") {
		t.Error(text)
	}

	// A new name is a new title.
	if err := os.Rename(filepath.Join(b.dir, "Lichen.md"), filepath.Join(b.dir, "Fern.md")); err != nil {
		t.Fatal(err)
	}
	b.sync()
	b.wantTexts("New=A new one", "Fern=No moss.")
	b.want("Fern.md", "New.md")

	// Deletions go to Trash on both sides.
	if err := os.Remove(filepath.Join(b.dir, "New.md")); err != nil {
		t.Fatal(err)
	}
	b.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", moss), nil).Want(204)
	b.sync()
	b.want()
	b.wantTexts()
	if found, _ := filepath.Glob(filepath.Join(b.dir, ownFolder, "trash", "*", "Fern.md")); len(found) != 1 {
		t.Error("the note is not in the trash of the directory")
	}
}

func TestConflict(t *testing.T) {
	b := newBench(t)
	id := b.Block("ada", "one", b.channel)
	b.sync()
	b.write("one.md", strings.Replace(b.read("one.md"), "\none\n", "\nmine\n", 1))
	b.update(id, map[string]any{"content": "theirs"})
	b.sync()
	files := b.files()
	if len(files) != 2 || !strings.Contains(files[0], "one (conflict ") || !strings.Contains(files[0], " host).md") {
		t.Fatalf("%q", files)
	}
	if text := b.read(files[1]); !strings.Contains(text, "theirs") {
		t.Error(text)
	}
	if text := b.read(files[0]); !strings.Contains(text, "mine") || strings.Contains(text, "vitrine:") {
		t.Error(text)
	}
	b.wantTexts("=theirs")
	// Both sides made the same change.
	b.write("one.md", strings.Replace(b.read("one.md"), "theirs", "same", 1))
	b.update(id, map[string]any{"content": "same"})
	b.sync()
	if got := b.files(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	// A copy with another name is a new block.
	if err := os.Rename(filepath.Join(b.dir, files[0]), filepath.Join(b.dir, "mine.md")); err != nil {
		t.Fatal(err)
	}
	b.sync()
	b.wantTexts("mine=mine", "=same")
}

func TestInUse(t *testing.T) {
	b := newBench(t)
	s, err := Open(t.Context(), b.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.try(); !errors.Is(err, ErrInUse) {
		t.Errorf("a second sync: %v", err)
	}
	s.Close()
	b.sync()
}

// With --push the note keeps its old front matter, which does not take a new title back.
func TestPush(t *testing.T) {
	b := newBench(t)
	b.Block("ada", "text", b.channel)
	b.sync()
	b.write("new.md", "---\ntitle: Old\n---\nnew")
	push := func(o *Options) { o.Pull = false }
	b.sync(push)
	b.rename("new.md", "Newer.md")
	b.sync(push)
	before := b.read("Newer.md")
	b.write("Newer.md", before+"er")
	b.Block("ada", "not downloaded", b.channel)
	b.sync(push)
	b.wantTexts("=not downloaded", "Newer=newer", "=text")
	b.want("Newer.md", "text.md")
	b.sync(func(o *Options) { o.Push = false })
	b.want("Newer.md", "not downloaded.md", "text.md")
	if text := b.read("Newer.md"); !strings.Contains(text, `title: "Newer"`) {
		t.Error(text)
	}
}
