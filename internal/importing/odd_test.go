package importing_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/store/storetest"
)

// odd are texts that file names, Markdown, CSV, HTML or JSON could damage.
var odd = []string{
	"../../etc/passwd", "..", "CON", "nul.txt", "a/b\\c:d*e?f\"g<h>i|j", "trailing dot.", " padded ", "-rf", "=1+1", "@SUM(A1)",
	"Moss", "moss", "MOSS", "é", "e\u0301", "שלום עולם", "日本語のチャンネル", "👩‍👩‍👧‍👦", "\u200bzero width", "line one, \"quoted\"; tab\there",
	"<script>alert(1)</script>", "&amp; &lt;b&gt;", "# heading", "* item", "[link](javascript:alert(1))", "`code`", "\\escaped\\", "---", "%s %d %00 %2e%2e",
	"null", "0", "true", strings.Repeat("x", domain.MaxTitle), strings.Repeat("é", domain.MaxTitle),
}

// An export of titles, texts and metadata of every odd kind contains them unchanged: after an import on
// another server, its export is equal. Channels that contain each other, an item twice in a channel, and
// empty channels survive too.
func TestOddThingsSurvive(t *testing.T) {
	t.Parallel()
	r, other := apptest.New(t), apptest.Boot(t, storetest.Migrated.SQLite(t))
	other.Person("zoe") // so that ids differ
	other.Clock.Advance(365 * 24 * time.Hour)
	kept, refused := 0, []string{}
	var channels []int64
	for i, text := range odd {
		made := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": text, "visibility": []string{"public", "closed", "private"}[i%3], "description": text})
		if made.Status != 201 { // such as a title that may not have these characters
			refused = append(refused, text)
			continue
		}
		kept++
		id := made.Int("id")
		channels = append(channels, id)
		r.Clock.Advance(time.Minute)
		r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": text + "\n\n" + text, "title": text, "channel_ids": []int64{id},
			"metadata": map[string]any{"text": text, "empty": "", "yes": true, "digits": 1234567890123456789}}).Want(201)
		r.Clock.Advance(time.Minute)
	}
	if kept < len(odd)-4 {
		t.Fatalf("%q are refused as titles", refused)
	}
	for i := range channels[1:] {
		r.Connect("ada", "Channel", channels[i], channels[i+1])
	}
	r.Connect("ada", "Channel", channels[len(channels)-1], channels[0]) // a circle
	r.Channel("ada", "Empty", "closed")
	r.WorkJobs()

	first := export(r, apptest.Base)
	report := bring(other, first, importing.Options{})
	if report.Counts.LeftOut != 0 || report.Channels != int64(kept+1) {
		t.Errorf("%d of %d channels came, left out are %v", report.Channels, kept+1, report.LeftOut)
	}
	equalLines(t, canonical(t, first, true), canonical(t, export(other, far), false))
	again := bring(other, first, importing.Options{})
	if c := again.Counts; c.Channels+c.Blocks+c.Connections+c.Changed+c.Moved+c.LeftOut != 0 {
		t.Errorf("again: %+v, left out %v", c, again.LeftOut)
	}
}

// A damaged export is refused with a reason, and changes nothing: whichever entry is missing, cut off
// or replaced. Unknown entries are ignored.
func TestDamagedExports(t *testing.T) {
	t.Parallel()
	r, other := apptest.New(t), apptest.Boot(t, storetest.Migrated.SQLite(t))
	r.Block("ada", "A text", r.Channel("ada", "Moss", "public"))
	r.WorkJobs()
	whole := export(r, apptest.Base)
	other.Person("ada")
	before := other.Dump()
	for _, c := range []struct {
		name   string
		change func(name, text string) (string, bool) // returns the new text of an entry, and whether it stays
		why    string                                 // part of the reason
	}{
		{"without a manifest", lacking("manifest.json"), "manifest.json"},
		{"an empty manifest", replaced("manifest.json", ""), "manifest.json"},
		{"a manifest that is no JSON", replaced("manifest.json", "{"), "manifest.json"},
		{"a manifest of a list", replaced("manifest.json", "[]"), "manifest.json"},
		{"a manifest of another program", replaced("manifest.json", `{"format":"other","version":1}`), "manifest.json"},
		{"without channels", lacking("json/channels.jsonl"), "json/channels.jsonl"},
		{"channels that are no JSON", replaced("json/channels.jsonl", "moss\n"), "json/channels.jsonl"},
		{"a line of a number", replaced("json/channels.jsonl", "1\n"), "json/channels.jsonl"},
		{"a path out of the archive", func(name, text string) (string, bool) {
			if name != "json/channels.jsonl" {
				return text, true
			}
			return strings.Replace(text, `"contents":"json/channels/`, `"contents":"../../etc/`, 1), true
		}, "its sum does not match"},
		{"without a channel's contents", func(name, text string) (string, bool) {
			return text, !strings.HasPrefix(name, "json/channels/")
		}, "json/channels/"},
	} {
		zipped := rewritten(t, whole, c.change)
		b, err := files.NewBundle(bytes.NewReader(zipped), int64(len(zipped)))
		var report importing.Report
		if err == nil {
			report, err = importing.Run(t.Context(), other.S.App, ada(other), b, importing.Options{DryRun: true})
		}
		if said := fmt.Sprint(err, report.LeftOut); !strings.Contains(said, c.why) || err == nil && len(report.LeftOut) == 0 {
			t.Errorf("%s: %+v, %s, want a reason with %q", c.name, report.Counts, said, c.why)
		}
	}
	for _, n := range []int{0, 1, 22, len(whole) / 2, len(whole) - 1} {
		if b, err := files.NewBundle(bytes.NewReader(whole[:n]), int64(n)); err == nil {
			if _, err = importing.Run(t.Context(), other.S.App, ada(other), b, importing.Options{DryRun: true}); err == nil {
				t.Errorf("the first %d of %d bytes are imported", n, len(whole))
			}
		}
	}
	if diff := before.Diff(other.Dump()); len(diff) > 0 {
		t.Errorf("damaged exports changed\n%s", strings.Join(diff, "\n"))
	}
}

func lacking(entry string) func(name, text string) (string, bool) {
	return func(name, text string) (string, bool) { return text, name != entry }
}

func replaced(entry, by string) func(name, text string) (string, bool) {
	return func(name, text string) (string, bool) {
		if name == entry {
			return by, true
		}
		return text, true
	}
}

// rewritten returns an archive with other entries.
func rewritten(t *testing.T, zipped []byte, change func(name, text string) (string, bool)) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(in); err != nil {
			t.Fatal(err)
		}
		now, stays := change(f.Name, text.String())
		if !stays {
			continue
		}
		entry, err := w.Create(f.Name)
		if err == nil {
			_, err = fmt.Fprint(entry, now)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
