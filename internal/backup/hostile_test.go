package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

// entry is an entry of a crafted archive.
type entry struct {
	tar.Header
	content []byte
}

func regular(name string, content []byte) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o600}, content}
}

// made writes entries as a single-file backup with a valid checksum.
func made(t *testing.T, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	zip, err := zstd.NewWriter(&b, zstd.WithWindowSize(windowMax))
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zip)
	for _, e := range entries {
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	path := filepath.Join(t.TempDir(), "made.tar.zst")
	if err := os.WriteFile(path, append(b.Bytes(), trailer(sum[:])...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// packed returns a crafted chunk.
func packed(t *testing.T, head chunkHead, rows []byte) []byte {
	t.Helper()
	raw := jsonOf(t, head)
	return encoder().EncodeAll(append(append(binary.AppendUvarint(nil, uint64(len(raw))), raw...), rows...), nil)
}

func rowsEntry(content []byte) entry { return regular(rowsName(sumOf(content)), content) }

// latest returns the schema version.
func latest(t *testing.T) int64 {
	t.Helper()
	v, err := database.LatestVersion(store.Migrations(database.SQLite))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Crafted archives with valid checksums are rejected. Nothing is written outside of the target, and
// nothing remains in it.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	text := []database.Column{{Name: "name", Type: database.Text}, {Name: "value", Type: database.Text}}
	settings := packed(t, chunkHead{"settings", text, 1}, []byte("\x04\x01a\x04\x01b"))
	head := Head{Format: 1, Schema: latest(t), CreatedAt: time.Unix(5, 0).UTC(), Last: map[string]int64{}}
	whole := Manifest{Head: head, Rows: 1, Missing: []Missing{},
		Chunks: []Chunk{{Sum: sumOf(settings), Size: int64(len(settings)), Table: "settings", Rows: 1}}}
	first, last := regular(headName, jsonOf(t, head)), regular(manifestName, jsonOf(t, whole))
	newer, unknown := head, head
	newer.Schema++
	unknown.Format++
	other := whole
	other.Rows++
	list := packed(t, chunkHead{FilesTable, []database.Column{{Name: "hash", Type: database.Text}, {Name: "object", Type: database.Text}, {Name: "size", Type: database.Int}}, 1},
		[]byte("\x04\x40"+strings.Repeat("ab", 32)+"\x04\x04../x\x01\x06"))
	link := func(typ byte) entry {
		return entry{tar.Header{Typeflag: typ, Name: rowsName(sumOf(settings)), Linkname: "/etc/passwd"}, nil}
	}
	if err := walkFile(t, made(t, first, rowsEntry(settings), last)); err != nil {
		t.Fatalf("what is right is refused: %v", err)
	}
	for name, entries := range map[string][]entry{
		"nothing":                   nil,
		"no head":                   {rowsEntry(settings), last},
		"no manifest":               {first, rowsEntry(settings)},
		"no rows":                   {first, last},
		"other counts":              {first, rowsEntry(settings), regular(manifestName, jsonOf(t, other))},
		"another head":              {first, rowsEntry(settings), regular(manifestName, jsonOf(t, Manifest{Head: unknown, Rows: 1, Chunks: whole.Chunks}))},
		"a newer form":              {regular(headName, jsonOf(t, unknown)), rowsEntry(settings), last},
		"rows twice":                {first, rowsEntry(settings), rowsEntry(settings), last},
		"more behind":               {first, rowsEntry(settings), last, regular("more", nil)},
		"a path upwards":            {first, regular("../../evil", []byte("x")), last},
		"a path upwards of rows":    {first, regular("rows/../../evil", []byte("x")), last},
		"an absolute path":          {first, regular("/tmp/evil", []byte("x")), last},
		"a symbolic link":           {first, link(tar.TypeSymlink), last},
		"a hard link":               {first, link(tar.TypeLink), last},
		"a device":                  {first, link(tar.TypeChar), last},
		"a folder":                  {first, entry{tar.Header{Typeflag: tar.TypeDir, Name: "rows/"}, nil}, last},
		"a wrong sum":               {first, regular(rowsName(strings.Repeat("ab", 32)), settings), last},
		"a file of no list":         {first, rowsEntry(settings), regular(fileName(strings.Repeat("ab", 32)), []byte("abc")), last},
		"a listed file is missing":  {first, rowsEntry(settings), rowsEntry(list), last},
		"a listed file is another":  {first, rowsEntry(settings), rowsEntry(list), regular(fileName(strings.Repeat("ab", 32)), []byte("abc")), last},
		"a listed file is larger":   {first, rowsEntry(settings), rowsEntry(list), regular(fileName(strings.Repeat("ab", 32)), make([]byte, 1<<20)), last},
		"a chunk that is none":      {first, rowsEntry([]byte("nothing")), last},
		"a chunk cut off":           {first, rowsEntry(settings[:len(settings)-3]), last},
		"too few rows":              {first, rowsEntry(packed(t, chunkHead{"settings", text, 2}, []byte("\x04\x01a\x04\x01b"))), last},
		"too many rows":             {first, rowsEntry(packed(t, chunkHead{"settings", text, 1}, []byte("\x04\x01a\x04\x01b\x04\x01c\x04\x01d"))), last},
		"a value of another type":   {first, rowsEntry(packed(t, chunkHead{"settings", text, 1}, []byte("\x01\x01\x04\x01b"))), last},
		"a text longer than all":    {first, rowsEntry(packed(t, chunkHead{"settings", text, 1}, []byte("\x04\xff\xff\xff\xff\x7fa"))), last},
		"a bomb of a chunk":         {first, rowsEntry(encoder().EncodeAll(make([]byte, plainMax+1), nil)), last},
		"a manifest that is none":   {first, rowsEntry(settings), regular(manifestName, []byte("[]"))},
		"a head of many bytes":      {regular(headName, make([]byte, headMax+1)), last},
		"a manifest with no values": {first, rowsEntry(settings), regular(manifestName, []byte(`{"chunks":[{"sum":"../../x","size":1,"rows":1}]}`))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := made(t, entries...)
			if err := walkFile(t, path); err == nil {
				t.Error("taken for whole")
			}
			refusedRestore(t, path)
		})
	}
	// These backups verify, but cannot be restored.
	for name, chunk := range map[string][]byte{
		"a table that is none":    packed(t, chunkHead{"no_table", text, 1}, []byte("\x04\x01a\x04\x01b")),
		"a table of ours":         packed(t, chunkHead{"goose_db_version", text, 1}, []byte("\x04\x01a\x04\x01b")),
		"other columns":           packed(t, chunkHead{"settings", text[:1], 1}, []byte("\x04\x01a")),
		"a name that is SQL":      packed(t, chunkHead{`settings"; DROP TABLE users; --`, text, 1}, []byte("\x04\x01a\x04\x01b")),
		"rows that break a rule":  packed(t, chunkHead{"settings", text, 1}, []byte("\x00\x04\x01b")),
		"a job without arguments": packed(t, chunkHead{JobsTable, text, 1}, []byte("\x04\x01a\x04\x01b")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedRestore(t, consistent(t, head, chunk))
		})
	}
	t.Run("a newer schema", func(t *testing.T) {
		t.Parallel()
		err := refusedRestore(t, consistent(t, newer, settings))
		if !errors.Is(err, ErrNewer) {
			t.Errorf("error %v", err)
		}
	})
}

// consistent writes an archive with a chunk of one row and a matching manifest.
func consistent(t *testing.T, head Head, chunk []byte) string {
	t.Helper()
	h, _, err := unpack(chunk)
	if err != nil {
		t.Fatal(err)
	}
	m := Manifest{Head: head, Rows: h.Rows, Chunks: []Chunk{{Sum: sumOf(chunk), Size: int64(len(chunk)), Table: h.Table, Rows: h.Rows}}}
	path := made(t, regular(headName, jsonOf(t, head)), rowsEntry(chunk), regular(manifestName, jsonOf(t, m)))
	if err := walkFile(t, path); err != nil {
		t.Fatalf("it is not even consistent: %v", err)
	}
	return path
}

func walkFile(t *testing.T, path string) error {
	t.Helper()
	from, err := ToRead(t.Context(), path, Keys{})
	if err != nil {
		return err
	}
	_, err = Verify(t.Context(), from, "", func(Progress) {})
	return err
}

// refusedRestore checks that restoring an archive fails and leaves nothing behind.
func refusedRestore(t *testing.T, path string) error {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "data")
	from, err := ToRead(t.Context(), path, Keys{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "vitrine.db")
	_, err = Restore(context.Background(), from, "", Target{Folder: folder, SQLite: file, Files: filepath.Join(folder, "files"),
		Database: database.Options{URL: file}}, func(Progress) {})
	if err == nil {
		t.Error("restored")
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "vitrine.db.serving") {
			t.Errorf("%s is left", e.Name())
		}
	}
	return err
}

// A chunk that would decompress to gigabytes needs no more memory than the largest valid one.
func TestBombTakesLittleMemory(t *testing.T) {
	var bomb bytes.Buffer
	w, err := zstd.NewWriter(&bomb, zstd.WithWindowSize(windowMax))
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 2 << 10 { // 2 GiB
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := unpack(bomb.Bytes()); err == nil {
		t.Error("taken for a chunk")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8*plainMax { // growing a buffer allocates several times
		t.Errorf("%d MiB of %d KiB", took>>20, bomb.Len()>>10)
	}
}

// Chunk boundaries depend on the rows: after a change, most chunks are the same as before.
func TestChunksFollowFromRows(t *testing.T) {
	t.Parallel()
	table := database.Table{Name: "t", Columns: []database.Column{{Name: "id", Type: database.Int}, {Name: "text", Type: database.Text}}}
	cut := func(from int) map[string]bool {
		sums := map[string]bool{}
		c := cutter{keep: func(c Chunk, packed []byte) error {
			sums[c.Sum] = true
			_, rows, err := unpack(packed)
			if err != nil {
				return err
			}
			var n int64
			for row, err := range rows {
				if err != nil || row[1] != fmt.Sprint(strings.Repeat("moss ", 10), row[0]) {
					return fmt.Errorf("%v, error %w", row, err)
				}
				n++
			}
			if n != c.Rows {
				return fmt.Errorf("%d rows, want %d", n, c.Rows)
			}
			return nil
		}}
		for i := from; i < 100_000; i++ {
			if err := c.add(table, []any{int64(i), fmt.Sprint(strings.Repeat("moss ", 10), i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.cut(); err != nil {
			t.Fatal(err)
		}
		return sums
	}
	before, after := cut(0), cut(7)
	same := 0
	for sum := range after {
		if before[sum] {
			same++
		}
	}
	if len(before) < 10 || same < len(after)-3 {
		t.Errorf("of %d chunks %d are those of before, which were %d", len(after), same, len(before))
	}
}
