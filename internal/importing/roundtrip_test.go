package importing_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/app/reading"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/importing"
	"vitrine/internal/importing/files"
	"vitrine/internal/present"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// far is the site URL of the second server.
const far = "https://far.test"

// export returns ada's export.
func export(r *apptest.Rig, base string) []byte {
	r.T.Helper()
	var out bytes.Buffer
	_, err := exporting.New(exporting.Options{App: r.S.App, Now: r.Clock.Now, Folder: r.T.TempDir(),
		Addresses: &present.Addresses{API: base, Site: base, Files: base + "/files"}}).Person(r.T.Context(), r.Person("ada").ID, &out, nil)
	if err != nil {
		r.T.Fatal(err)
	}
	return out.Bytes()
}

// bring imports an export as ada.
func bring(r *apptest.Rig, zipped []byte, o importing.Options) importing.Report {
	r.T.Helper()
	b, err := files.NewBundle(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		r.T.Fatal(err)
	}
	report, err := importing.Run(r.T.Context(), r.S.App, ada(r), b, o)
	if err != nil {
		r.T.Fatal(err)
	}
	r.WorkJobs()
	return report
}

// send uploads a file, and returns the value for a block of it.
func send(r *apptest.Rig, as, name, contentType string, body []byte) string {
	r.T.Helper()
	got := r.Do(as, "POST", "/v3/uploads/presign", map[string]any{"files": []any{map[string]any{"filename": name, "content_type": contentType}}}).Want(201)
	address := got.Str("files.0.upload_url")
	r.Do("", http.MethodPut, strings.TrimPrefix(address, apptest.Base), string(body), "Content-Type", contentType).Want(200)
	value, _, _ := strings.Cut(address, "?")
	return value
}

const pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// providers configures the oEmbed providers.
func providers(t *testing.T) apptest.Option {
	return func(c *config.Config) {
		list := `[{"provider_name":"Loom","endpoints":[{"schemes":["https://video.example.com/*"],"url":"https://example.com/oembed"}]}]`
		if err := os.WriteFile(c.ProvidersPath(), []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// seed creates one item of each kind for ada.
func seed(t *testing.T, r *apptest.Rig) {
	r.Web("example.com/page", apptest.Serve("text/html", []byte(`<title>A page</title><meta name="description" content="About"><meta property="og:image" content="/thumb.png"><article><p>`+strings.Repeat("Its words. ", 60)+`</p></article>`)))
	r.Web("example.com/oembed", apptest.Serve("application/json", []byte(`{"version":"1.0","type":"video","title":"Wheels","author_name":"Ada","author_url":"https://example.com/ada",
		"width":640,"height":360,"thumbnail_url":"https://example.com/thumb.png","html":"<iframe src='https://player.example.com/7'></iframe>"}`)))
	r.Web("video.example.com/7", apptest.Serve("text/html", []byte(`<title>Video</title>`)))
	r.Web("example.com/thumb.png", apptest.Serve("image/png", apptest.PNG(t, 20, 10)))
	r.Web("example.com/loose", apptest.Serve("text/html", []byte(`<title>Loose page</title>`)))
	r.Web("example.com/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })

	block := func(as string, channels []int64, more map[string]any) int64 {
		more["channel_ids"] = channels
		id := r.Do(as, "POST", "/v3/blocks", more).Want(201).Int("id")
		r.Clock.Advance(time.Minute)
		return id
	}
	r.Person("bob")
	open := r.Do("ada", "POST", "/v3/channels", `{"title":"Open","visibility":"public","description":"*All* of it","metadata":{"n":12345678901234567890,"b":true,"s":"x"}}`).Want(201).Int("id")
	closed, private := r.Channel("ada", "Closed", "closed"), r.Channel("ada", "Private", "private")
	r.Channel("ada", "Empty", "public")
	words := block("ada", []int64{open, private}, map[string]any{"value": "Some **words**\n\n<script>alert(1)</script>", "title": "Words", "description": "About _them_", "metadata": map[string]any{"k": "v", "f": 1.50}})
	block("ada", []int64{open}, map[string]any{"value": send(r, "ada", "photo.png", "image/png", apptest.PNG(t, 30, 20)), "title": "A photo", "alt_text": "A <red> field"})
	block("ada", []int64{closed}, map[string]any{"value": send(r, "ada", "again.png", "image/png", apptest.PNG(t, 30, 20))})
	block("ada", []int64{open}, map[string]any{"value": send(r, "ada", "Paper.pdf", "application/pdf", []byte(pdf))})
	block("ada", []int64{open}, map[string]any{"value": send(r, "ada", "data.bin", "application/octet-stream", []byte("\x00\x01bytes"))})
	block("ada", []int64{open}, map[string]any{"value": send(r, "ada", "Page.html", "text/html", []byte("<!doctype html><script>alert(1)</script>"))})
	link := block("ada", []int64{open, private}, map[string]any{"value": "https://example.com/page", "title": "My title"})
	block("ada", []int64{closed}, map[string]any{"value": "https://example.com/page", "original_source_url": "https://other.example.com/first", "original_source_title": "First"})
	block("ada", []int64{closed}, map[string]any{"value": "https://example.com/thumb.png", "title": "From the web"})
	block("ada", []int64{closed}, map[string]any{"value": "https://video.example.com/7"})
	gone := block("ada", []int64{closed}, map[string]any{"value": "https://example.com/gone", "title": "Gone"})
	if _, err := r.S.App.Collections.UpdateChannel(t.Context(), ada(r), domain.Ref{ID: open}, collections.UpdateChannelInput{Layout: new(domain.MasonryLayout), Snapshots: new(domain.EverySnapshot)}); err != nil {
		t.Fatal(err)
	}
	r.Collaborate("ada", open, "bob")
	block("bob", []int64{open}, map[string]any{"value": "Bob's words", "title": "Bob's"})
	looseLink := block("ada", []int64{closed}, map[string]any{"value": "https://example.com/loose", "title": "Loose link"})
	loose := block("ada", []int64{closed}, map[string]any{"value": "Loose words", "title": "Loose"})
	for r.WorkJobs(); r.Get("ada", "/v3/blocks/%d", gone).Str("state") == "processing"; r.WorkJobs() {
		r.HastenJobs()
	}
	contents := r.Get("ada", "/v3/channels/%d/contents?per=100", closed)
	for i := range contents.Len("data") {
		if id := contents.Int(fmt.Sprintf("data.%d.id", i)); id == loose || id == looseLink {
			r.Do("ada", "DELETE", fmt.Sprintf("/v3/connections/%d", contents.Int(fmt.Sprintf("data.%d.connection.id", i))), nil).Want(204)
		}
	}
	for _, id := range []int64{link, looseLink} {
		if _, err := r.S.App.Content.SetBlockSnapshotPolicy(t.Context(), ada(r), domain.BlockID(id), domain.NoSnapshots); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range []reading.HighlightInput{{Quote: domain.Quote{Exact: "words"}, Note: "Which?\n\n> *quoted* <b>"}, {Quote: domain.Quote{Exact: "Some words"}}} {
		r.Clock.Advance(time.Minute)
		if _, _, err := r.S.App.Reading.AddHighlight(t.Context(), ada(r), domain.BlockID(words), h); err != nil {
			t.Fatal(err)
		}
	}
	r.Clock.Advance(time.Minute)
	noted, _, err := r.S.App.Reading.AddHighlight(t.Context(), ada(r), domain.BlockID(link), reading.HighlightInput{Quote: domain.Quote{Exact: "Its words.", Start: 66}})
	if err == nil {
		r.Clock.Advance(time.Minute)
		_, err = r.S.App.Reading.ChangeNote(t.Context(), ada(r), noted.ID, reading.NoteInput{Note: "Later"})
	}
	if err != nil {
		t.Fatal(err)
	}
	taken := time.Date(2021, 2, 3, 4, 5, 6, 789000, time.UTC)
	for _, c := range []struct {
		block int64
		body  string
		in    content.SnapshotInput
	}{
		{link, `<title>Saved "page"</title><article><p>` + strings.Repeat("What it said. ", 60) + `</p></article>`, content.SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromServer, TakenAt: taken, Address: "https://example.com/moved", Shared: true, Missing: []domain.MissingPart{{Address: "https://example.com/moss.png", Reason: "It is too large"}}, Omitted: 3}},
		{link, "<title>Unlike others</title><p>S\xfcden", content.SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromBrowser, TakenAt: taken.Add(time.Hour), Title: "Mine", ContentType: "text/html; charset=windows-1252"}},
		{link, string(apptest.PNG(t, 5, 4)), content.SnapshotInput{Kind: domain.SnapshotScreenshot, Source: domain.FromBrowser, TakenAt: taken.Add(time.Minute), Title: "A picture"}},
		{link, string(apptest.PNG(t, 6, 4)), content.SnapshotInput{Kind: domain.SnapshotScreenshot, Source: domain.FromServer, TakenAt: taken, Shared: true}},
		{looseLink, pdf, content.SnapshotInput{Kind: domain.SnapshotPDF, Source: domain.FromBrowser, TakenAt: taken, Shared: true}},
	} {
		c.in.Length, c.in.Body = int64(len(c.body)), strings.NewReader(c.body)
		if _, err := r.S.App.Content.AddSnapshot(t.Context(), ada(r), domain.BlockID(c.block), c.in); err != nil {
			t.Fatal(err)
		}
	}
	nested := r.Connect("ada", "Channel", private, open)
	r.Connect("ada", "Channel", open, private)
	r.Do("ada", "PUT", fmt.Sprintf("/v3/connections/%d", nested), `{"metadata":{"why":"so"}}`).Want(200)
	r.Do("ada", "POST", fmt.Sprintf("/v3/connections/%d/move", nested), `{"movement":"insert_at","position":2}`).Want(200)
	for _, c := range []struct{ as, body string }{{"ada", "My _word_"}, {"bob", "Bob's word on it, @ada"}, {"ada", "And again"}} {
		r.Clock.Advance(time.Minute)
		r.Do(c.as, "POST", fmt.Sprintf("/v3/blocks/%d/comments", words), map[string]any{"body": c.body}).Want(201)
	}
	r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", loose), `{"body":"On what is loose"}`).Want(201)
	r.Do("ada", "PUT", "/ext/v1/users/bob/follow", nil)
	r.Do("ada", "PUT", fmt.Sprintf("/ext/v1/channels/%d/follow", open), nil)
	r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"bio": "I *am*", "avatar_url": send(r, "ada", "me.png", "image/png", apptest.PNG(t, 12, 12))}).Want(200)
	storetest.In(t, r.S.Store, func(tx *store.Tx) error {
		was, err := tx.Blocks().LockedBlock(t.Context(), r.Person("ada").ID, domain.BlockID(words))
		if err != nil {
			return err
		}
		b := was
		for _, f := range domain.BlockTextFields {
			*f.Of(&b.BlockTexts) = new("Its " + f.Name)
		}
		return tx.Blocks().UpdateBlock(t.Context(), was, &b, r.Clock.Now())
	})
	r.WorkJobs()
}

// TestExportImportExport exports everything of ada's, imports it on another server and exports it
// again: both exports are equal, except for unavoidable differences.
func TestExportImportExport(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		seed(t, r)
		first := export(r, apptest.Base)
		options := storetest.Migrated.SQLite(t)
		if strings.HasPrefix(r.Options().URL, "postgres") {
			options = storetest.Migrated.Postgres(t)
		}
		other := apptest.Boot(t, options)
		other.Person("zoe") // so that ids differ
		other.Person("bob")
		other.Channel("zoe", "Zoe's", "public")
		other.Clock.Advance(365 * 24 * time.Hour)
		dry := bring(other, first, importing.Options{DryRun: true})
		report := bring(other, first, importing.Options{})
		if report.Counts.LeftOut != 0 {
			t.Errorf("left out: %v", report.LeftOut)
		}
		if dry.Channels != report.Channels || dry.Blocks != report.Blocks+2 || dry.LeftOut != nil || dry.Connections != report.Connections || dry.Comments != report.Comments {
			// Blocks that are in two channels count in each.
			t.Errorf("a dry run says %+v, and it was %+v", dry.Counts, report.Counts)
		}
		second := export(other, far)
		before, after := canonical(t, first, true), canonical(t, second, false)
		equalLines(t, before, after)
		for _, want := range []string{`copy address="https://example.com/moved" block=`, `shared=true source="server" taken_at="2021-02-03T04:05:06.000789Z" title="Saved \"page\""`,
			`"content_type":"text/html; charset=windows-1252"`, `"start":66,`, `"value":"Which?\n\n\u003e *quoted* \u003cb\u003e"`, `kind="screenshot"`, `kind="pdf" shared=true`} {
			if !strings.Contains(strings.Join(after, "\n"), want) {
				t.Errorf("the export lacks %s", want)
			}
		}
		if !strings.Contains(strings.Join(after, "\n"), `layout="masonry"`) {
			t.Error("the export lacks the layout of a channel")
		}
		for _, f := range domain.BlockTextFields {
			if text := fmt.Sprintf("%q:%q", f.Name, "Its "+f.Name); !strings.Contains(strings.Join(before, "\n"), text) {
				t.Errorf("the export lacks %s", text)
			}
		}

		again := bring(other, first, importing.Options{})
		if c := again.Counts; c.Channels+c.Blocks+c.Connections+c.Comments+c.Files+c.Changed+c.Moved+c.LeftOut != 0 {
			t.Errorf("again: %+v, left out %v", c, again.LeftOut)
		}
		equalLines(t, after, canonical(t, export(other, far), false))
	}, providers(t))
}

func equalLines(t *testing.T, before, after []string) {
	t.Helper()
	for _, line := range before {
		if !slices.Contains(after, line) {
			t.Errorf("lost: %s", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			t.Errorf("new: %s", line)
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d lines became %d", len(before), len(after))
	}
}

// canonical returns the lines of an export for comparison: without ids, addresses and update times,
// which are specific to a server. In the original export, other people's items are shown as an
// import creates them: owned by ada, with a note about the author. A link that failed for good is
// shown as not yet fetched.
func canonical(t *testing.T, zipped []byte, original bool) (all []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		t.Fatal(err)
	}
	c := &canon{t: t, zip: z, original: original, blocks: map[string]string{}}
	for _, ch := range c.lines("json/channels.jsonl") {
		contents := ch["contents"].(string)
		title := ch["title"].(string)
		c.clean(ch, "contents", "slug", "collaborators")
		all = append(all, c.text("channel", ch))
		for _, con := range c.lines(contents) {
			by := con["connected_by"].(map[string]any)
			if b, ok := con["block"].(map[string]any); ok {
				if original && b["author"].(map[string]any)["name"] == by["name"] { // mentioned once
					con["connected_by"] = map[string]any{"name": "Ada", "slug": "ada", "type": "User"}
				}
				c.block(b)
			}
			if n, ok := con["channel"].(map[string]any); ok {
				c.clean(n, "slug")
			}
			c.made(con, "connected_by")
			c.clean(con)
			all = append(all, c.text("in "+title, con))
		}
	}
	for _, b := range c.lines("json/blocks.jsonl") {
		c.block(b)
		all = append(all, c.text("loose", b))
	}
	for _, said := range c.lines("json/comments.jsonl") {
		if author := said["author"].(map[string]any); original && author["name"] != "Ada" {
			said["body"] = fmt.Sprintf("[%s](<%s>):\n\n%s", author["name"], author["url"], said["body"])
			said["author"] = map[string]any{"name": "Ada", "slug": "ada", "type": "User"}
		}
		said["block"] = c.blocks[fmt.Sprint(said["block_id"])]
		c.clean(said, "block_id")
		all = append(all, c.text("comment", said))
	}
	for _, s := range c.lines("json/snapshots.jsonl") {
		s["block"] = c.blocks[fmt.Sprint(s["block_id"])]
		c.clean(s, "block_id")
		all = append(all, c.text("copy", s))
	}
	for i, h := range c.lines("json/highlights.jsonl") {
		target := h["target"].(map[string]any)
		h["block"] = c.blocks[path.Base(target["source"].(string))]
		delete(h, "id")
		delete(target, "source")
		all = append(all, c.text(fmt.Sprintf("highlight %d", i), h))
	}
	for _, f := range c.lines("json/following.jsonl") {
		c.clean(f)
		all = append(all, c.text("follows", f))
	}
	p := c.lines("json/profile.json")[0]
	c.clean(p, "created_at")
	all = append(all, c.text("profile", p))
	for _, f := range z.File {
		if strings.HasPrefix(f.Name, "files/") {
			all = append(all, fmt.Sprintf("%s of %d bytes", f.Name, f.UncompressedSize64))
		}
	}
	return all
}

type canon struct {
	t        *testing.T
	zip      *zip.Reader
	original bool
	blocks   map[string]string // creation times by id
}

func (c *canon) lines(name string) (all []map[string]any) {
	c.t.Helper()
	in, err := c.zip.Open(name)
	if errors.Is(err, fs.ErrNotExist) && (name == "json/snapshots.jsonl" || name == "json/highlights.jsonl") {
		return nil // an export without any
	}
	if err != nil {
		c.t.Fatal(err)
	}
	defer in.Close()
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	for {
		var one map[string]any
		if err := decoder.Decode(&one); err == io.EOF {
			return all
		} else if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, one)
	}
}

// made shows another person's item as imported.
func (c *canon) made(thing map[string]any, by string) {
	author := thing[by].(map[string]any)
	if !c.original || author["name"] == "Ada" {
		return
	}
	metadata, _ := thing["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["imported_author"], metadata["imported_author_url"] = author["name"], author["url"]
	thing["metadata"], thing[by] = metadata, map[string]any{"name": "Ada", "slug": "ada", "type": "User"}
}

func (c *canon) block(b map[string]any) {
	c.blocks[fmt.Sprint(b["id"])] = b["created_at"].(string)
	c.made(b, "author")
	c.clean(b, "failed")
}

// clean removes server-specific values, including nested ones.
func (c *canon) clean(thing map[string]any, more ...string) {
	for _, name := range append(more, "id", "updated_at", "url") {
		delete(thing, name)
	}
	for name, value := range thing {
		if inner, ok := value.(map[string]any); ok && name != "metadata" && name != "embed" {
			c.clean(inner)
		}
	}
}

func (c *canon) text(kind string, thing map[string]any) string {
	var b strings.Builder
	b.WriteString(kind)
	for _, name := range slices.Sorted(maps.Keys(thing)) {
		text, err := json.Marshal(thing[name])
		if err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(&b, " %s=%s", name, text)
	}
	return b.String()
}
