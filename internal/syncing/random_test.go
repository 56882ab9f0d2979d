package syncing

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/frontmatter"
	"vitrine/internal/heavy"
)

// world is a bench with two channels that both sides change at random.
type world struct {
	*bench
	rand     *rand.Rand
	channels map[string]int64 // by folder
	next     int
	written  map[string]string // texts that the last round wrote in the directory, by file
	log      []string
}

func (w *world) token() string {
	w.next++
	return fmt.Sprintf("word%d", w.next)
}

func (w *world) did(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

// folderNotes lists the notes of blocks.
func (w *world) notes() (all []string) {
	for _, name := range w.files() {
		if strings.HasSuffix(name, noteExt) && !ignored(path.Base(name)) {
			all = append(all, name)
		}
	}
	return all
}

// local changes the directory.
func (w *world) local() {
	notes := w.notes()
	kind := w.rand.IntN(7)
	if len(notes) == 0 || kind < 2 {
		name := path.Join([]string{"", "Sub"}[w.rand.IntN(2)], fmt.Sprintf("note%d.md", w.rand.IntN(8)))
		if slices.Contains(notes, name) {
			return
		}
		text := w.token()
		w.write(name, text+"\n")
		w.written[name] = text
		w.did("create %s %s", name, text)
		return
	}
	name := notes[w.rand.IntN(len(notes))]
	switch kind {
	case 2, 3:
		text := w.token()
		matter, _, _ := frontmatter.Cut(w.read(name), maxFrontMatter)
		w.write(name, "---\n"+matter+"---\n\n"+text+"\n")
		w.written[name] = text
		w.did("edit %s %s", name, text)
	case 4:
		w.remove(name)
		delete(w.written, name)
		w.did("delete %s", name)
	default:
		to := fmt.Sprintf("name%d.md", w.rand.IntN(8))
		if to = path.Join([]string{path.Dir(name), "", "Sub"}[w.rand.IntN(3)], to); slices.Contains(notes, to) {
			return
		}
		w.rename(name, to)
		if text, ok := w.written[name]; ok {
			w.written[to] = text
			delete(w.written, name)
		}
		w.did("rename %s %s", name, to)
	}
}

// remote changes the server.
func (w *world) remote() {
	folder := []string{"", "Sub"}[w.rand.IntN(2)]
	channel, other := w.channels[folder], w.channels[map[string]string{"": "Sub", "Sub": ""}[folder]]
	r := w.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents?per=100", channel), nil).Want(200)
	var ids []int64
	for i := range r.Len("data") {
		if r.Str(fmt.Sprintf("data.%d.type", i)) == "Text" {
			ids = append(ids, r.Int(fmt.Sprintf("data.%d.id", i)))
		}
	}
	kind := w.rand.IntN(7)
	if len(ids) == 0 || kind < 2 {
		text := w.token()
		w.did("server: create %s in %q", text, folder)
		w.Block("ada", text, channel)
		return
	}
	id := ids[w.rand.IntN(len(ids))]
	w.did("server: %d to %d in %q", kind, id, folder)
	switch kind {
	case 2:
		w.update(id, map[string]any{"content": w.token()})
	case 3:
		w.update(id, map[string]any{"title": fmt.Sprintf("title%d", w.rand.IntN(4))})
	case 4:
		w.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", id), nil).Want(204)
	case 5:
		w.Connect("ada", "Block", id, other)
	default:
		w.Connect("ada", "Block", id, other)
		w.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/channels/%d/blocks/%d", channel, id), nil).Want(204)
	}
}

// same checks that each folder has what its channel has.
func (w *world) same() {
	w.T.Helper()
	for folder, channel := range w.channels {
		var want, got []string
		r := w.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents?per=100", channel), nil).Want(200)
		for i := range r.Len("data") {
			at := fmt.Sprintf("data.%d.", i)
			if r.Str(at+"type") == "Text" {
				title, _ := r.Lookup(at + "title")
				want = append(want, fmt.Sprint(r.Int(at+"id"), " ", title, " ", r.Str(at+"content.markdown")))
			}
		}
		for _, name := range w.notes() {
			if parentOf(name) != folder {
				continue
			}
			n, err := parse([]byte(w.read(name)))
			if err != nil {
				w.T.Fatal(err)
			}
			var title any
			if n.title != nil {
				title = *n.title
			}
			got = append(got, fmt.Sprint(n.id, " ", title, " ", n.Body))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			w.T.Fatalf("%q: the server has\n%q\nand the directory\n%q\nafter %q\n%q", folder, want, got, w.log, w.said)
		}
	}
}

// kept checks that the directory still has all texts that the last round wrote in it.
func (w *world) kept() {
	w.T.Helper()
	var all strings.Builder
	err := filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, noteExt) {
			var text []byte
			text, err = os.ReadFile(name)
			all.Write(append(text, '\n'))
		}
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	for name, text := range w.written {
		if !strings.Contains(all.String(), text+"\n") {
			w.T.Fatalf("%s with %s is lost after %q\n%q", name, text, w.log, w.said)
		}
	}
}

// After random changes on both sides and killed runs, both are equal and no text is lost.
func TestRandom(t *testing.T) {
	seed := uint64(heavy.Count(1, int(rand.Uint64()>>1)))
	t.Logf("seed %d", seed)
	b := newBench(t)
	sub := b.Channel("ada", "Sub", "private")
	b.Connect("ada", "Channel", sub, b.channel)
	w := &world{bench: b, rand: rand.New(rand.NewPCG(seed, 0)), channels: map[string]int64{"": b.channel, "Sub": sub}}
	w.options.Confirm = true
	w.sync()
	for range heavy.Count(10, 150) {
		w.log, w.written = nil, map[string]string{}
		for range 1 + w.rand.IntN(6) {
			if w.rand.IntN(2) == 0 {
				w.local()
			} else {
				w.remote()
			}
		}
		if w.rand.IntN(2) == 0 {
			n := 1 + w.rand.IntN(60)
			w.did("killed at %d: %v", n, w.killAt(n))
		}
		w.sync()
		w.same()
		w.kept()
		for _, name := range w.files() { // so that the test stays quick
			if ignored(path.Base(name)) {
				w.remove(name)
			}
		}
	}
}
