package backup

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/database"
)

// Every value of a row is the same after a chunk was packed and unpacked.
func TestChunksKeepValues(t *testing.T) {
	t.Parallel()
	table := database.Table{Name: "all", Columns: []database.Column{{Name: "i", Type: database.Int}, {Name: "b", Type: database.Bool},
		{Name: "t", Type: database.Text}, {Name: "r", Type: database.Bytes}}}
	rows := [][]any{
		{int64(0), false, "", []byte{}},
		{int64(-1), true, "a\x00b", []byte{0, 255}},
		{int64(1<<63 - 1), true, "Ümläute 🌿", []byte("\xff\xfe")},
		{int64(-1 << 63), false, "\xff no UTF-8", bytes.Repeat([]byte{7}, 300)},
		{nil, nil, nil, nil},
		{int64(5), nil, strings.Repeat("long ", 1000), nil},
	}
	var packed []byte
	var made Chunk
	c := cutter{keep: func(one Chunk, p []byte) error {
		made, packed = one, p
		return nil
	}}
	for _, row := range rows {
		if err := c.add(table, row); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(c.cut(), c.cut()); err != nil {
		t.Fatal(err)
	}
	if made != (Chunk{Sum: sumOf(packed), Size: int64(len(packed)), Table: "all", Rows: int64(len(rows))}) {
		t.Errorf("the chunk is %+v", made)
	}
	head, each, err := unpack(packed)
	if err != nil || !reflect.DeepEqual(head.Columns, table.Columns) || head.Table != "all" {
		t.Fatalf("%+v, %v", head, err)
	}
	i := 0
	for row, err := range each {
		if err != nil || !reflect.DeepEqual(row, rows[i]) {
			t.Errorf("row %d is %q, want %q (%v)", i, row, rows[i], err)
		}
		i++
	}
	if i != len(rows) {
		t.Errorf("%d rows", i)
	}
	for name, row := range map[string][]any{"a number of another type": {int(1)}, "a fraction": {1.5}} {
		if err := c.add(table, row); err == nil || !strings.Contains(err.Error(), "all: unsupported type") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A chunk ends when the table changes, and before it is too large.
func TestWhereChunksEnd(t *testing.T) {
	t.Parallel()
	column := []database.Column{{Name: "t", Type: database.Text}}
	one, two := database.Table{Name: "one", Columns: column}, database.Table{Name: "two", Columns: column}
	var got []Chunk
	full := errors.New("the disk is full")
	c := cutter{keep: func(made Chunk, _ []byte) error {
		if got = append(got, Chunk{Table: made.Table, Rows: made.Rows}); len(got) > 4 {
			return full
		}
		return nil
	}}
	add := func(table database.Table, text string) error {
		t.Helper()
		return c.add(table, []any{text})
	}
	large := strings.Repeat("x", chunkMax)
	for _, err := range []error{add(one, "a"), add(one, "b"), add(two, "c"), add(two, large), add(two, large), add(one, "d"), c.cut()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []Chunk{{Table: "one", Rows: 2}, {Table: "two", Rows: 2}, {Table: "two", Rows: 1}, {Table: "one", Rows: 1}}; !slices.Equal(got, want) {
		t.Errorf("the chunks are %+v", got)
	}
	if err := add(one, large); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if err := add(two, strings.Repeat("x", rowMax+1)); err == nil || !strings.Contains(err.Error(), "a row of two has") {
		t.Errorf("a row that is too large: %v", err)
	}
}

// Bytes that are no values are refused, and nothing is read beyond their end.
func TestBrokenValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		bytes string
		kind  database.ColumnType
		want  any
		ok    bool
	}{
		{"nothing", "", database.Int, nil, false},
		{"null", "\x00", database.Text, nil, true},
		{"a number", "\x01\x03", database.Int, int64(-2), true},
		{"a number without its bytes", "\x01", database.Int, nil, false},
		{"a number without an end", "\x01\x80\x80", database.Int, nil, false},
		{"a number of too many bytes", "\x01" + strings.Repeat("\x80", 10) + "\x01", database.Int, nil, false},
		{"a number as a text", "\x01\x03", database.Text, nil, false},
		{"false", "\x02", database.Bool, false, true},
		{"true", "\x03", database.Bool, true, true},
		{"true as a number", "\x03", database.Int, nil, false},
		{"a text", "\x04\x02ab", database.Text, "ab", true},
		{"an empty text", "\x04\x00", database.Text, "", true},
		{"a text that is cut off", "\x04\x03ab", database.Text, nil, false},
		{"a text of 2⁶⁴−1 bytes", "\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01ab", database.Text, nil, false},
		{"bytes as a text", "\x05\x01a", database.Text, nil, false},
		{"a text as bytes", "\x04\x01a", database.Bytes, nil, false},
		{"bytes", "\x05\x01a", database.Bytes, []byte("a"), true},
		{"an unknown tag", "\x06\x01a", database.Bytes, nil, false},
	} {
		got, rest, ok := value([]byte(c.bytes), c.kind)
		if ok != c.ok || !reflect.DeepEqual(got, c.want) || len(rest) > 0 {
			t.Errorf("%s: %v, %t, and %q is left", c.name, got, ok, rest)
		}
	}
}

// The head of a chunk is checked before its rows are read.
func TestBrokenHeads(t *testing.T) {
	t.Parallel()
	pack := func(plain string) []byte { return encoder().EncodeAll([]byte(plain), nil) }
	headed := func(head string) []byte {
		return pack(string(binary.AppendUvarint(nil, uint64(len(head)))) + head + "\x04\x01a")
	}
	whole := headed(`{"table":"t","columns":[{"name":"t","type":"text"}],"rows":1}`)
	if _, _, err := unpack(whole); err != nil {
		text, _ := json.Marshal(chunkHead{"t", []database.Column{{Name: "t", Type: database.Text}}, 1})
		t.Fatalf("%v: a head is %s", err, text)
	}
	for name, packed := range map[string][]byte{
		"nothing":              nil,
		"no frame":             []byte("text"),
		"half a frame":         whole[:len(whole)/2],
		"an empty frame":       pack(""),
		"a length without end": pack("\xff\xff"),
		"a longer head":        pack("\x7f{}"),
		"no JSON":              headed("{"),
		"a list":               headed("[]"),
		"no columns":           headed(`{"table":"t","columns":[],"rows":1}`),
		"an unknown field":     headed(`{"table":"t","columns":[{"name":"t","type":"text"}],"rows":1,"more":1}`),
		"rows that are a text": headed(`{"table":"t","columns":[{"name":"t","type":"text"}],"rows":"1"}`),
	} {
		if _, _, err := unpack(packed); err == nil {
			t.Errorf("%s is taken for a chunk", name)
		}
	}
}

// Content is read unchanged if its size and checksum are right. Otherwise reading fails at the latest at
// the end, and fails again afterwards.
func TestCheckedContent(t *testing.T) {
	t.Parallel()
	const text = "some content"
	sum := sumOf([]byte(text))
	gone := errors.New("the disk is gone")
	for _, c := range []struct {
		name, content, sum string
		size               int64
		end                error // of the source
		want               error
	}{
		{"right", text, sum, int64(len(text)), nil, nil},
		{"empty", "", sumOf(nil), 0, nil, nil},
		{"another sum", text, sumOf([]byte("x")), int64(len(text)), nil, errContent},
		{"shorter", text[:5], sum, int64(len(text)), nil, errContent},
		{"longer", text + "x", sum, int64(len(text)), nil, errContent},
		{"nothing instead of something", "", sum, int64(len(text)), nil, errContent},
		{"something instead of nothing", "x", sumOf(nil), 0, nil, errContent},
		{"a failing source", text[:5], sum, int64(len(text)), gone, gone},
	} {
		for reader, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "with the end": iotest.DataErrReader} {
			var from io.Reader = strings.NewReader(c.content)
			if c.end != nil {
				from = io.MultiReader(from, iotest.ErrReader(c.end))
			}
			r := newChecked(wrap(from), c.sum, c.size)
			got, err := io.ReadAll(r)
			if !errors.Is(err, c.want) || c.want == nil && (err != nil || string(got) != c.content) {
				t.Errorf("%s, %s: %q, %v", c.name, reader, got, err)
			}
			if c.want == nil {
				continue
			}
			if n, again := r.Read(make([]byte, 1)); n > 0 || !errors.Is(again, c.want) {
				t.Errorf("%s, %s: then %d bytes, %v", c.name, reader, n, again)
			}
		}
	}
}

// Manifests with impossible values are refused before anything is read by them.
func TestManifestsAreChecked(t *testing.T) {
	t.Parallel()
	sum := sumOf([]byte("x"))
	const head = `"format":1,"schema":1,"created_at":"2026-01-02T03:04:05.678Z"`
	for _, c := range []struct {
		name, text string
		want       error // nil if it is valid
	}{
		{"the least", `{` + head + `}`, nil},
		{"a chunk and a missing file", `{` + head + `,"chunks":[{"sum":"` + sum + `","size":1,"rows":1}],"missing":[{"sum":"` + sum + `"}]}`, nil},
		{"unknown fields", `{` + head + `,"later":true}`, nil},
		{"no JSON", `{`, errManifest},
		{"a list", `[]`, errManifest},
		{"null", `null`, errManifest},
		{"nothing", ``, errManifest},
		{"a form of the future", `{"format":2,"schema":1}`, ErrNewer},
		{"no form", `{"schema":1}`, errManifest},
		{"a negative form", `{"format":-1,"schema":1}`, errManifest},
		{"no schema", `{"format":1}`, errManifest},
		{"a schema of another type", `{"format":1,"schema":"1"}`, errManifest},
		{"a malformed time", `{"format":1,"schema":1,"created_at":"yesterday"}`, errManifest},
		{"a short sum", `{` + head + `,"chunks":[{"sum":"ab","size":1,"rows":1}]}`, errManifest},
		{"a sum in capitals", `{` + head + `,"chunks":[{"sum":"` + strings.ToUpper(sum) + `","size":1,"rows":1}]}`, errManifest},
		{"a sum with a line end", `{` + head + `,"chunks":[{"sum":"` + sum + `\n","size":1,"rows":1}]}`, errManifest},
		{"a chunk without bytes", `{` + head + `,"chunks":[{"sum":"` + sum + `","size":0,"rows":1}]}`, errManifest},
		{"a chunk without rows", `{` + head + `,"chunks":[{"sum":"` + sum + `","size":1,"rows":0}]}`, errManifest},
		{"a chunk that is too large", `{` + head + `,"chunks":[{"sum":"` + sum + `","size":99999999999,"rows":1}]}`, errManifest},
		{"a missing file of another folder", `{` + head + `,"missing":[{"sum":"../../etc/passwd"}]}`, errManifest},
	} {
		if _, err := decodeManifest([]byte(c.text)); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Only names of manifests are the ids of backups.
func TestIDsOfBackups(t *testing.T) {
	t.Parallel()
	const id = "20260102T030405.678Z-0123456789abcdef"
	for name, want := range map[string]string{
		"backups/" + id + ".json":                  id,
		id + ".json":                               id,
		"backups/" + id:                            "",
		"backups/" + id + ".json.unfinished":       "",
		"backups/x/" + id + ".json":                "",
		"backups/" + strings.ToUpper(id) + ".json": "",
		"backups/../" + id + ".json":               "",
		"backups/" + id[:len(id)-1] + ".json":      "",
		"backups/.json":                            "",
	} {
		if got, ok := idIn(name); ok != (want != "") || ok && got != want {
			t.Errorf("%s has the id %q, %t", name, got, ok)
		}
	}
}

// Places that cannot hold backups are refused with the reason, and nothing is created in them.
func TestPlacesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func(name string, files ...string) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(files); i += 2 {
			if err := os.WriteFile(filepath.Join(path, files[i]), []byte(files[i+1]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	used, later := folder("used", "holiday.jpg", "x"), folder("later", formatName, "Backups of Vitrine, in the form 2."+strings.Repeat(" ", 20))
	long := folder("long", formatName, strings.Repeat("x", 1<<20))
	short := folder("short", formatName, "Backups")
	empty, archive := folder("empty"), folder("folder"+suffix)
	for _, c := range []struct {
		name  string
		path  string
		write string // why it cannot be written to; "": it can
		read  string
	}{
		{"no path", "", "the path of the backup is missing", "no such file"},
		{"a bucket without a name", "s3:", "S3 address", "S3 address"},
		{"a bucket with a password", "s3://ada:secret@bucket", "credentials", "credentials"},
		{"other files", used, "is not empty, and there are no backups of Vitrine", errNoBackups.Error()},
		{"a later form", later, ErrNewer.Error(), ErrNewer.Error()},
		{"a long mark", long, "is too large", "is too large"},
		{"half a mark", short, errNoBackups.Error(), errNoBackups.Error()},
		{"an empty folder", empty, "", ""},
		{"nothing yet", filepath.Join(dir, "new", "deep"), "", ""},
		{"a file without its ending", file, "", "must be a folder, or a file whose name ends in " + suffix},
		{"a folder with the ending of a file", archive, "", "must be a folder, or a file whose name ends in " + suffix},
	} {
		_, err := ToRead(t.Context(), c.path, Keys{})
		if c.read != "" && (err == nil || !strings.Contains(err.Error(), c.read)) {
			t.Errorf("%s, to read: %v", c.name, err)
		}
		if c.read == "" && err == nil {
			t.Errorf("%s: found a backup", c.name)
		}
		if c.name == "a file without its ending" {
			continue
		}
		_, err = ToWrite(t.Context(), c.path, Keys{})
		if c.write == "" && err != nil || c.write != "" && (err == nil || !strings.Contains(err.Error(), c.write)) {
			t.Errorf("%s, to write: %v", c.name, err)
		}
		if strings.Contains(c.path, "secret") && err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error contains the password: %v", c.name, err)
		}
	}
	if entries, err := os.ReadDir(used); err != nil || len(entries) != 2 && len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := ToRead(t.Context(), empty, Keys{}); err != nil {
		t.Errorf("a place that was prepared: %v", err)
	}
	place, err := ToRead(t.Context(), empty, Keys{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := List(t.Context(), place); err != nil || len(all) > 0 {
		t.Errorf("no backups: %v, %v", all, err)
	}
	if _, err := Verify(t.Context(), place, "", func(Progress) {}); !errors.Is(err, errNoBackups) {
		t.Errorf("no backup to verify: %v", err)
	}
}

// Content is removed only if no remaining backup needs it.
func TestNeeds(t *testing.T) {
	t.Parallel()
	sums := make([]string, 100)
	var all needs
	for i := range sums {
		sums[i] = sumOf([]byte{byte(i)})
		if i%2 == 0 {
			all = append(all, shortOf(sums[i]))
		}
	}
	slices.Sort(all)
	for i, sum := range sums {
		if all.has(sum) != (i%2 == 0) {
			t.Errorf("%d: %t", i, all.has(sum))
		}
	}
	if !all.has(sums[0][:16]+strings.Repeat("0", 48)) || needs(nil).has(sums[0]) {
		t.Error("a sum with the same beginning is not kept, or one of no backup is")
	}
}
