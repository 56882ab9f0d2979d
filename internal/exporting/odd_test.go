package exporting_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
)

// instants matches times, which differ between runs.
var instants = regexp.MustCompile(`\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?`)

// listing returns the parts of an export that a test compares: the text of Markdown, the rows of a table
// without times and ids, or the names and texts of the entries of a ZIP.
func listing(t *testing.T, format string, body []byte) string {
	t.Helper()
	switch format {
	case "csv":
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, row := range rows[1:] {
			lines = append(lines, fmt.Sprintf("%q", slices.Concat(row[:3], row[4:12])))
		}
		return strings.Join(lines, "\n")
	case "zip":
		all := unzip(t, body)
		var lines []string
		for _, name := range names(all) {
			lines = append(lines, fmt.Sprintf("%s: %d bytes", name, len(all[name])))
		}
		return strings.Join(lines, "\n")
	}
	return strings.TrimSpace(instants.ReplaceAllString(string(body), "…"))
}

// Channels with unusual contents in the formats that people read.
func TestOddChannels(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, generous)
	r.Web("example.com/untitled", apptest.Serve("text/html", []byte("<p>Words")))
	block := func(channel int64, value string, more ...any) int64 {
		t.Helper()
		fields := map[string]any{"value": value, "channel_ids": []int64{channel}}
		for i := 0; i+1 < len(more); i += 2 {
			fields[fmt.Sprint(more[i])] = more[i+1]
		}
		return r.Do("ada", "POST", "/v3/blocks", fields).Want(201).Int("id")
	}
	empty := r.Channel("ada", "Empty", "public")
	one, two := r.Channel("ada", "Hen", "public"), r.Channel("ada", "Egg", "public")
	r.Connect("ada", "Channel", two, one)
	r.Connect("ada", "Channel", one, two)
	texts := r.Channel("ada", "Texts", "public")
	block(texts, "---\ntitle: No front matter\n---\nText", "title", "Rule")
	block(texts, "Just words, no title")
	block(texts, "`code` and\n\n```\nfence\n```", "title", "A [link](https://x.example) & more", "description", "> Quoted\n\n# Heading")
	block(texts, "=SUM(A1)", "title", "@cmd", "description", "-1")
	block(texts, "x", "metadata", map[string]any{"tags": "art, =books", "n": 5})
	links := r.Channel("ada", "Links", "public")
	block(links, "https://example.com/untitled")
	block(links, "https://example.com/untitled", "title", "Titled", "original_source_title", "From <there>")
	r.WorkJobs()
	same := r.Channel("ada", "Same", "public")
	for range 2 {
		upload(r, "ada", "README.md.pdf", "application/pdf", []byte(pdf), nil, same)
	}
	upload(r, "ada", "archive.tar.gz", "application/gzip", []byte("\x1f\x8b\x08\x00"), map[string]any{"title": "archive.tar.gz"}, same)
	upload(r, "ada", "CON", "application/octet-stream", []byte("\x00\x01"), map[string]any{"title": "con."}, same)
	for _, c := range []struct {
		name    string
		channel int64
		format  string
		want    string
	}{
		{"empty", empty, "markdown", `
---
title: "Empty"
type: "Channel"
url: "https://vitrine.test/ada/empty"
owner: "Ada"
visibility: "public"
created_at: "…"
updated_at: "…"
---

# Empty`},
		{"empty", empty, "csv", ``},
		{"empty", empty, "zip", `
README.md: 190 bytes`},
		{"a circle", one, "markdown", `
---
title: "Hen"
type: "Channel"
url: "https://vitrine.test/ada/hen"
owner: "Ada"
visibility: "public"
created_at: "…"
updated_at: "…"
---

# Hen

## [Egg](<https://vitrine.test/ada/egg>)

Channel by Ada`},
		{"a circle", two, "csv", `
["https://vitrine.test/ada/hen" "Hen" "" "" "Egg" "Channel" "" "" "" "" "Ada"]`},
		{"a circle", two, "zip", `
1-Hen.md: 58 bytes
README.md: 184 bytes`},
		{"texts", texts, "markdown", "---\ntitle: \"Texts\"\ntype: \"Channel\"\nurl: \"https://vitrine.test/ada/texts\"\nowner: \"Ada\"\nvisibility: \"public\"\ncreated_at: \"…\"\nupdated_at: \"…\"\n---\n\n# Texts\n\n---\n\nx\n\nAda, …\n\n## @cmd\n\n=SUM(A1)\n\n-1\n\nAda, …\n\n## A \\[link\\](https://x.example) \\& more\n\n`code` and\n\n```\nfence\n```\n\n> Quoted\n\n# Heading\n\nAda, …\n\n---\n\nJust words, no title\n\nAda, …\n\n## Rule\n\n---\ntitle: No front matter\n---\nText\n\nAda, …"},
		{"texts", texts, "csv", "[\"\" \"Rule\" \"\" \"\" \"Texts\" \"Text\" \"'---\\ntitle: No front matter\\n---\\nText\" \"\" \"\" \"\" \"Ada\"]\n[\"\" \"\" \"\" \"\" \"Texts\" \"Text\" \"Just words, no title\" \"\" \"\" \"\" \"Ada\"]\n[\"\" \"A [link](https://x.example) & more\" \"> Quoted\\n\\n# Heading\" \"\" \"Texts\" \"Text\" \"`code` and\\n\\n```\\nfence\\n```\" \"\" \"\" \"\" \"Ada\"]\n[\"\" \"'@cmd\" \"'-1\" \"\" \"Texts\" \"Text\" \"'=SUM(A1)\" \"\" \"\" \"\" \"Ada\"]\n[\"\" \"\" \"\" \"art, =books\" \"Texts\" \"Text\" \"x\" \"\" \"\" \"\" \"Ada\"]"},
		{"texts", texts, "zip", `
1-Rule.md: 200 bytes
2-Just-words-no-title.md: 163 bytes
3-A-link-https-x-example-more.md: 279 bytes
4-cmd.md: 177 bytes
5-x.md: 164 bytes
README.md: 190 bytes`},
		{"links", links, "markdown", `
---
title: "Links"
type: "Channel"
url: "https://vitrine.test/ada/links"
owner: "Ada"
visibility: "public"
created_at: "…"
updated_at: "…"
---

# Links

## Titled

[From \<there\>](<https://example.com/untitled>)

Ada, …

## example.com

[example.com](<https://example.com/untitled>)

Ada, …`},
		{"links", links, "csv", `
["https://example.com/untitled" "example.com" "" "" "Links" "Link" "" "" "" "example.com" "Ada"]
["https://example.com/untitled" "Titled" "" "" "Links" "Link" "" "" "" "From <there>" "Ada"]`},
		{"links", links, "zip", `
1-example-com.md: 291 bytes
2-Titled.md: 295 bytes
README.md: 190 bytes`},
		{"files of the same name", same, "zip", `
1-README-md.pdf: 189 bytes
2-README-md.pdf: 189 bytes
3-archive-tar.gz: 4 bytes
4-con.bin: 2 bytes
README.md: 187 bytes`},
	} {
		got := export(r, "ada", c.channel, c.format).Want(200)
		if text, want := listing(t, c.format, got.Body), strings.TrimSpace(c.want); text != want {
			t.Errorf("%s as %s: got\n%s\n\nwant\n%s", c.name, c.format, text, want)
		}
	}
	for _, channel := range []int64{empty, one, two, texts, links, same} { // a book is always valid
		all := unzip(t, export(r, "ada", channel, "epub").Want(200).Body)
		for _, name := range names(all) {
			if strings.HasSuffix(name, ".xhtml") || strings.HasSuffix(name, ".opf") {
				wellFormed(t, name, all[name])
			}
		}
		if !strings.Contains(all["book/nav.xhtml"], "<li>") || !strings.Contains(all["book/package.opf"], "<itemref") {
			t.Errorf("the book of channel %d has no contents: %s", channel, all["book/nav.xhtml"])
		}
		wellFormed(t, "catalogue", string(export(r, "ada", channel, "opds").Want(200).Body))
	}
}

// The items of a channel that is longer than a batch are exported once each, in its order. Names sort like
// positions.
func TestLongChannels(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, generous)
	channel := r.Channel("ada", "Long", "private")
	const n = 101 // two batches, and one more
	var want []string
	for i := range n {
		r.Block("ada", fmt.Sprintf("Item %03d", i), channel)
		want = append(want, fmt.Sprintf("Item %03d", i))
	}
	items := regexp.MustCompile(`Item \d{3}`)
	table := items.FindAllString(string(export(r, "ada", channel, "csv").Want(200).Body), -1)
	if !slices.Equal(table, want) {
		t.Errorf("the table has %q", table)
	}
	slices.Reverse(want) // a page shows the top first
	text := slices.Compact(items.FindAllString(string(export(r, "ada", channel, "markdown").Want(200).Body), -1))
	if !slices.Equal(text, want) {
		t.Errorf("the text has %q", text)
	}
	slices.Reverse(want)
	all := unzip(t, export(r, "ada", channel, "zip").Want(200).Body)
	var files []string
	for i, name := range names(all)[:n] {
		if !strings.HasPrefix(name, fmt.Sprintf("%03d-Item-%03d", i+1, i)) {
			t.Errorf("entry %d is %s", i, name)
		}
		files = append(files, items.FindString(all[name]))
	}
	if !slices.Equal(files, want) {
		t.Errorf("the files have %q", files)
	}
	book := unzip(t, export(r, "ada", channel, "epub").Want(200).Body)
	if pages := strings.Count(book["book/package.opf"], "<itemref"); pages != 4 { // the title and three batches
		t.Errorf("the book has %d documents", pages)
	}
	if entries := items.FindAllString(book["book/nav.xhtml"], -1); len(entries) != n || entries[0] != "Item 100" {
		t.Errorf("%d entries in the table of contents, the first is %s", len(entries), entries[0])
	}
}

// An export of a channel that changes after its items were listed skips what is gone, leaves out what
// came later, and is complete in its form.
func TestChannelsThatChange(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := domain.Actor{UserID: r.Person("eve").ID, Scope: domain.ScopeRead}
		for i, c := range []struct {
			name string
			do   func(channel int64, blocks []int64)
			want []string
		}{
			{"nothing", func(int64, []int64) {}, []string{"Item 0", "Item 1", "Item 2"}},
			{"deleted", func(channel int64, _ []int64) {
				r.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", channel), nil).Want(204)
			}, nil},
			{"closed to the reader", func(channel int64, _ []int64) {
				r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", channel), `{"visibility":"private"}`).Want(200)
			}, nil},
			{"hidden", func(channel int64, _ []int64) {
				_, err := r.S.App.Moderation.Hide(t.Context(), operating.CommandLine(), moderation.HideInput{About: domain.Subject{Type: domain.SubjectChannel, ID: channel}})
				if err != nil {
					t.Fatal(err)
				}
			}, nil},
			{"without one block", func(_ int64, blocks []int64) {
				r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", blocks[1]), nil).Want(204)
			}, []string{"Item 0", "Item 2"}},
			{"with one more", func(channel int64, _ []int64) { r.Block("ada", "Item 9", channel) }, []string{"Item 0", "Item 1", "Item 2"}},
			{"renamed block", func(_ int64, blocks []int64) {
				r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", blocks[0]), `{"content":"Item 7"}`).Want(200)
			}, []string{"Item 7", "Item 1", "Item 2"}},
		} {
			for _, format := range exporting.Formats() {
				channel := r.Channel("ada", fmt.Sprintf("Fleeting %d %s", i, format), "public")
				var blocks []int64
				for n := range 3 {
					blocks = append(blocks, r.Block("ada", fmt.Sprint("Item ", n), channel))
				}
				var out bytes.Buffer
				err := exporter(r).Channel(t.Context(), eve, domain.Ref{ID: channel}, format, nil, func(string, string) io.Writer {
					c.do(channel, blocks)
					return &out
				})
				if err != nil {
					t.Fatalf("%s as %s: %v", c.name, format, err)
				}
				text := out.String()
				switch format {
				case exporting.OPDS:
					wellFormed(t, "catalogue", text)
					continue // texts are not in it
				case exporting.Files, exporting.EPUB:
					all := unzip(t, out.Bytes())
					delete(all, "book/nav.xhtml")
					text = ""
					for _, name := range names(all) {
						text += all[name]
					}
				}
				got := slices.Compact(regexp.MustCompile(`Item \d`).FindAllString(text, -1))
				if format == exporting.Markdown || format == exporting.EPUB {
					slices.Reverse(got) // the top first
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%s as %s has %q, want %q", c.name, format, got, c.want)
				}
			}
		}
	}, generous)
}

// Only a few exports run at once. More are refused, and are possible again afterwards.
func TestExportsAtOnce(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, generous)
	channel := r.Channel("ada", "Shelf", "public")
	e := exporter(r)
	var export func(depth int) error
	deepest := 0
	export = func(depth int) error {
		var inner error
		err := e.Channel(t.Context(), domain.Actor{}, domain.Ref{ID: channel}, exporting.CSV, nil, func(string, string) io.Writer {
			deepest = depth
			if depth < 20 {
				inner = export(depth + 1)
			}
			return io.Discard
		})
		return errors.Join(err, inner)
	}
	for range 2 {
		deepest = 0
		if err := export(1); domain.KindOf(err) != domain.Unavailable || deepest != 8 {
			t.Errorf("%d exports at once, then %v", deepest, err)
		}
	}
	if err := e.Channel(t.Context(), domain.Actor{}, domain.Ref{ID: channel}, "docx", nil, func(string, string) io.Writer { return io.Discard }); domain.KindOf(err) != domain.Invalid {
		t.Errorf("an unknown format: %v", err)
	}
}

// An export fails with the error of its writer, wherever the writer fails.
func TestExportsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, generous)
	channel := r.Channel("ada", "Shelf", "public")
	r.Block("ada", strings.Repeat("words ", 1000), channel)
	upload(r, "ada", "p.png", "image/png", apptest.PNG(t, 30, 20), nil, channel)
	full := errors.New("the disk is full")
	for _, format := range exporting.Formats() {
		var whole bytes.Buffer
		write := func(w io.Writer) error {
			return exporter(r).Channel(t.Context(), domain.Actor{}, domain.Ref{ID: channel}, format, nil, func(string, string) io.Writer { return w })
		}
		if err := write(&whole); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 1, whole.Len() / 3, whole.Len() / 2, whole.Len() - 1} {
			if err := write(&limited{size, full}); !errors.Is(err, full) {
				t.Errorf("%s limited to %d of %d bytes: %v", format, size, whole.Len(), err)
			}
		}
		if err := write(&limited{whole.Len() + 100, full}); err != nil {
			t.Errorf("%s limited to all: %v", format, err)
		}
	}
	for _, size := range []int{0, 100, 3000} {
		if _, err := exporter(r).Person(t.Context(), r.Person("ada").ID, &limited{size, full}, func(exporting.Progress) {}); !errors.Is(err, full) {
			t.Errorf("the export of an account limited to %d bytes: %v", size, err)
		}
	}
}

// limited is a writer limited to some bytes.
type limited struct {
	left int
	err  error
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, l.err
	}
	return len(p), nil
}
