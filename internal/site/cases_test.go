package site_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	_ "golang.org/x/image/webp" // of resized versions

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/media/mediatest"
	"vitrine/internal/store/storetest"
)

// The tests of cases import files, addresses, and exports of other services. Each row of
// testdata/cases/*.json is one of them, with the block that it becomes. It is imported through
// every interface, on both databases, and each of them must create the same block.

// wantedBlock is the block that a case becomes. Fields that are empty must be empty in the block.
type wantedBlock struct {
	Type        string   `json:"type"`
	State       string   `json:"state"` // "" for available
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Source      string   `json:"source"`  // address
	Player      string   `json:"player"`  // address of the player of an embed
	Picture     string   `json:"picture"` // width and height, such as "300 × 200"
	Colours     []string `json:"colours"` // of the picture, as #rrggbb or #rrggbbaa: in the centre, or in the middle of its four quarters
	Text        []string `json:"text"`    // parts of the content
}

// tolerance is how far a channel of a colour may be off.
const tolerance = 16

// uses reports whether a case uses an interface. An expensive case uses only one.
func uses(only, via string) bool { return only == "" || only == via }

// readCases reads the rows of a table.
func readCases[T any](t *testing.T, name string) (rows []T) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	d := json.NewDecoder(file)
	d.DisallowUnknownFields()
	if err := d.Decode(&rows); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return rows
}

// eachCases runs f on each database, on a server whose command line uses the same database and files.
func eachCases(t *testing.T, f func(t *testing.T, r *apptest.Rig, o database.Options)) {
	t.Helper()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		f(t, apptest.Boot(t, o, func(c *config.Config) {
			if !strings.Contains(o.URL, "://") {
				c.DataDir = filepath.Dir(o.URL)
			}
		}), o)
	})
}

// newCaller is newImporter with the server's own folder.
func newCaller(t *testing.T, r *apptest.Rig, o database.Options, who string) *importer {
	w := newImporter(t, r, o, who)
	if strings.Contains(o.URL, "://") {
		w.flags = []string{"--data-dir", r.DataDir(), "--database-url", o.URL}
	}
	return w
}

// check compares a block with the expected one.
func (want wantedBlock) check(t *testing.T, w *importer, id int64) {
	t.Helper()
	who, got := w.who, w.Get(w.who, "/v3/blocks/%d", id)
	if want.State == "" {
		want.State = "available"
	}
	var picture, src string
	if _, ok := got.Lookup("image.src"); ok {
		picture, src = fmt.Sprintf("%d × %d", got.Int("image.width"), got.Int("image.height")), got.Str("image.small.src")
	}
	_, player, _ := strings.Cut(textAt(got, "embed.html"), `src="`)
	player, _, _ = strings.Cut(player, `"`)
	for name, pair := range map[string][2]string{
		"type": {textAt(got, "type"), want.Type}, "state": {textAt(got, "state"), want.State}, "title": {textAt(got, "title"), want.Title},
		"description": {textAt(got, "description.plain"), want.Description}, "address": {textAt(got, "source.url"), want.Source},
		"player": {player, want.Player}, "picture": {picture, want.Picture},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: the %s is %q, want %q", who, name, pair[0], pair[1])
		}
	}
	// Spaces and the marks between the cells of a table are not compared.
	content := strings.Join(strings.FieldsFunc(textAt(got, "content.plain"), func(r rune) bool { return r == '|' || unicode.IsSpace(r) }), " ")
	for _, part := range want.Text {
		if !strings.Contains(content, part) {
			t.Errorf("%s: the text lacks %q: %q", who, part, content)
		}
	}
	if content != "" && len(want.Text) == 0 {
		t.Errorf("%s: the text is %q, want none", who, content)
	}
	if len(want.Colours) > 0 && src != "" {
		checkColours(t, w.Rig, src, want.Colours)
	}
	page := w.site.get(fmt.Sprintf("/block/%d", id)).want(200).says(want.Title)
	if picture != "" && !strings.Contains(page.body, `<span class="held">`) {
		t.Errorf("%s: the page of the block has no picture", who)
	}
}

// textAt returns a text of a response, "" if it is missing or null.
func textAt(got *apptest.Response, path string) string {
	found, _ := got.Lookup(path)
	s, _ := found.(string)
	return s
}

func checkColours(t *testing.T, r *apptest.Rig, src string, want []string) {
	t.Helper()
	file := r.Get("", "%s", strings.TrimPrefix(src, apptest.Base))
	img, _, err := image.Decode(bytes.NewReader(file.Body))
	if err != nil {
		t.Errorf("%s: %v", src, err)
		return
	}
	b := img.Bounds()
	found := mediatest.Corners(img)
	if len(want) == 1 {
		found[0] = color.NRGBAModel.Convert(img.At((b.Min.X+b.Max.X)/2, (b.Min.Y+b.Max.Y)/2)).(color.NRGBA)
	}
	for i, text := range want {
		w := color.NRGBA{A: 255}
		if n, err := fmt.Sscanf(text, "#%02x%02x%02x%02x", &w.R, &w.G, &w.B, &w.A); n < 3 {
			t.Fatalf("%q is not a colour: %v", text, err)
		}
		if c := found[i]; !mediatest.Near(c, w, tolerance) {
			t.Errorf("%s: colour %d is #%02x%02x%02x%02x, want %s", src, i, c.R, c.G, c.B, c.A, text)
		}
	}
}

// blockOf returns the only block of a user that meets a condition.
func blockOf(t *testing.T, w *importer, condition string, args ...any) int64 {
	t.Helper()
	rows, err := w.DB().Reader().Query(t.Context(), `SELECT b.id FROM blocks b WHERE b.user_id = $1 AND `+condition,
		slices.Concat([]any{w.Person(w.who).ID}, args)...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if len(ids) != 1 {
		t.Fatalf("%s: %d blocks where %s %v", w.who, len(ids), condition, args)
	}
	return ids[0]
}
