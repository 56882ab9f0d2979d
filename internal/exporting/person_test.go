package exporting_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/reading"
	"vitrine/internal/app/searches"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/present"
)

func exporter(r *apptest.Rig) *exporting.Exporter {
	return exporting.New(exporting.Options{App: r.S.App, Now: r.Clock.Now, Folder: r.T.TempDir(),
		Addresses: &present.Addresses{API: apptest.Base, Site: apptest.Base, Files: apptest.Base + "/files"}})
}

// exported makes a person's export and returns its entries.
func exported(r *apptest.Rig, who domain.UserID) (map[string]string, []exporting.Progress) {
	r.T.Helper()
	var out bytes.Buffer
	var told []exporting.Progress
	made, err := exporter(r).Person(context.Background(), who, &out, func(p exporting.Progress) { told = append(told, p) })
	if err != nil {
		r.T.Fatal(err)
	}
	return unzip(r.T, out.Bytes()), append(told, made)
}

// definition names the definition in docs/export.schema.json for each entry.
func definition(name string) string {
	switch {
	case strings.HasPrefix(name, "json/channels/"):
		return "connection"
	case strings.HasPrefix(name, "json/") || name == "manifest.json":
		return map[string]string{"manifest.json": "manifest", "json/profile.json": "profile", "json/groups.jsonl": "group", "json/channels.jsonl": "channel",
			"json/blocks.jsonl": "block", "json/comments.jsonl": "comment", "json/following.jsonl": "following", "json/searches.jsonl": "savedSearch", "json/highlights.jsonl": "highlight", "json/snapshots.jsonl": "snapshot", "json/subscriptions.jsonl": "subscription", "json/left-out.jsonl": "leftOut"}[name]
	}
	return ""
}

// valid checks the JSON of an export against its schema, and its checksums.
func valid(t testing.TB, all map[string]string) {
	t.Helper()
	f, err := os.Open("../../docs/export.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("export", doc); err != nil {
		t.Fatal(err)
	}
	for name, text := range all {
		of := definition(name)
		if of == "" {
			if strings.HasPrefix(name, "json/") {
				t.Errorf("nothing describes %s", name)
			}
			continue
		}
		schema, err := c.Compile("export#/$defs/" + of)
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{text}
		if strings.HasSuffix(name, "l") {
			lines = slices.Collect(strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n"))
		}
		for _, line := range lines {
			if line == "" && text == "" {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err != nil {
				t.Errorf("%s: %v: %.200s", name, err, line)
				continue
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %v\n%.500s", name, err, line)
			}
		}
	}
	want := map[string]string{}
	for name, text := range all {
		sum := sha256.Sum256([]byte(text))
		if want[name] = hex.EncodeToString(sum[:]); strings.HasPrefix(name, "files/") && !strings.HasPrefix(name, "files/"+want[name]) {
			t.Errorf("the sum of %s is %s", name, want[name])
		}
	}
	var m struct{ Sums struct{ SHA256 string } }
	if err := json.Unmarshal([]byte(all["manifest.json"]), &m); err != nil || m.Sums.SHA256 != want["SHA256SUMS"] {
		t.Errorf("the manifest has %s as the sum of sums, not %s (%v)", m.Sums.SHA256, want["SHA256SUMS"], err)
	}
	delete(want, "manifest.json")
	delete(want, "SHA256SUMS")
	got := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(all["SHA256SUMS"], "\n"), "\n") {
		sum, name, _ := strings.Cut(line, "  ")
		got[name] = sum
	}
	if !maps.Equal(got, want) {
		t.Errorf("the sums are %v, not %v", got, want)
	}
}

// lines decodes the lines of an entry.
func lines(t testing.TB, all map[string]string, name string) (out []map[string]any) {
	t.Helper()
	text, there := all[name]
	if !there {
		t.Fatalf("there is no %s in %q", name, names(all))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			continue
		}
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, one)
	}
	return out
}

func TestPerson(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		s := newShelf(r)
		group := r.Group("Crew", "ben", "ada")
		crews := r.Do("ben", "POST", "/v3/channels", map[string]any{"title": "Crew's", "visibility": "private", "group_id": int64(group)}).Want(201).Int("id")
		r.Block("ben", "of the crew", crews)
		twice := r.Channel("ada", "Twice", "private")
		r.Connect("ada", "Block", s.image, twice)
		r.Connect("ada", "Channel", s.channel, twice)
		bens := r.Channel("ben", "Ben's own", "public")
		elsewhere := r.Block("ada", "ada in ben's", bens)
		bensBlock := r.Block("ben", "not exported", bens)
		r.Do("ben", "POST", fmt.Sprintf("/v3/blocks/%d/comments", s.image), `{"body":"Nice"}`).Want(201)
		r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", bensBlock), `{"body":"Mine elsewhere"}`).Want(201)
		secret := r.Channel("ben", "Ben's cave", "private")
		hidden := r.Block("ben", "cave painting", secret)
		feed := collections.FeedInput{Address: "https://moss.example.com/feed", Title: "Moss"}
		if _, err := r.S.App.Collections.AddFeed(t.Context(), domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}, domain.Ref{ID: s.channel}, feed); err != nil {
			t.Fatal(err)
		}
		r.Do("ada", "PUT", "/ext/v1/users/ben/follow", nil)
		if _, _, err := r.S.App.Searches.SaveSearch(t.Context(), domain.Actor{UserID: r.Person("ada").ID}, searches.SaveInput{Query: "moss by:ben"}); err != nil {
			t.Fatal(err)
		}
		r.Do("ada", "PUT", fmt.Sprintf("/ext/v1/channels/%d/follow", bens), nil)
		quote := reading.HighlightInput{Quote: domain.Quote{Exact: "in ben's"}, Note: "Why *there*?"}
		for _, who := range []string{"ada", "ben"} {
			if _, _, err := r.S.App.Reading.AddHighlight(t.Context(), domain.Actor{UserID: r.Person(who).ID, Scope: domain.ScopeWrite}, domain.BlockID(elsewhere), quote); err != nil {
				t.Fatal(err)
			}
		}

		all, told := exported(r, r.Person("ada").ID)
		valid(t, all)
		everything := strings.Join(slices.Collect(maps.Values(all)), "\n")
		for _, private := range []string{"Secret cellar", "Ben's cave", "cave painting", "not exported"} {
			if strings.Contains(everything, private) {
				t.Errorf("Ada takes %q with her", private)
			}
		}
		_ = hidden
		var channels []string
		for _, c := range lines(t, all, "json/channels.jsonl") {
			channels = append(channels, c["title"].(string))
		}
		slices.Sort(channels)
		if !slices.Equal(channels, []string{"Crew's", "Shelf", "Twice"}) {
			t.Errorf("the channels are %q", channels)
		}
		// A channel has the items that the API shows, in the same order.
		page := r.Do("ada", "GET", fmt.Sprintf("/v3/channels/%d/contents?per=100&sort=position_asc", s.channel), nil).Want(200)
		items := lines(t, all, fmt.Sprintf("json/channels/%d.jsonl", s.channel))
		if len(items) != page.Len("data") {
			t.Fatalf("%d items, and the API has %d", len(items), page.Len("data"))
		}
		for i, item := range items {
			at := fmt.Sprintf("data.%d", i)
			kind := "block"
			if page.Str(at+".type") == "Channel" {
				kind = "channel"
			}
			thing, _ := item[kind].(map[string]any)
			if thing == nil || int64(thing["id"].(float64)) != page.Int(at+".id") || int64(item["id"].(float64)) != page.Int(at+".connection.id") {
				t.Errorf("item %d is %v, and the API has %v", i, item, page.Get(at))
				continue
			}
			if title, _ := page.Get(at + ".title").(string); kind == "block" {
				if had, _ := thing["title"].(string); had != title {
					t.Errorf("item %d is called %q, not %q", i, had, title)
				}
			}
		}
		if loose := lines(t, all, "json/blocks.jsonl"); len(loose) != 1 || int64(loose[0]["id"].(float64)) != elsewhere {
			t.Errorf("the blocks elsewhere are %v", loose)
		}
		var comments []string
		for _, c := range lines(t, all, "json/comments.jsonl") {
			comments = append(comments, c["body"].(string))
		}
		if !slices.Equal(comments, []string{"Nice", "Mine elsewhere"}) {
			t.Errorf("the comments are %q", comments)
		}
		if s := lines(t, all, "json/searches.jsonl"); len(s) != 1 || s[0]["query"] != "moss by:ben" || s[0]["notify"] != true {
			t.Errorf("the saved searches are %v", s)
		}
		if h := lines(t, all, "json/highlights.jsonl"); len(h) != 1 || h[0]["body"].(map[string]any)["value"] != "Why *there*?" {
			t.Errorf("the highlights are %v", h)
		}
		if text := all["markdown/highlights.md"]; !strings.Contains(text, "\n> in ben's\n\nWhy \\*there\\*?\n") {
			t.Errorf("the highlights as Markdown: %s", text)
		}
		if n := len(lines(t, all, "json/following.jsonl")); n != 2 {
			t.Errorf("%d followings", n)
		}
		if f := lines(t, all, "json/subscriptions.jsonl"); len(f) != 1 || f[0]["address"] != feed.Address || f[0]["title"] != "Moss" {
			t.Errorf("the subscriptions are %v", f)
		}
		if g := lines(t, all, "json/groups.jsonl"); len(g) != 1 || g[0]["owned"] != false {
			t.Errorf("the groups are %v", g)
		}
		files := 0
		for name := range all {
			if strings.HasPrefix(name, "files/") {
				files++
			}
		}
		if files != 3 { // the picture, the paper and its preview
			t.Errorf("%d files in %q", files, names(all))
		}
		last := told[len(told)-1]
		if last.Done != last.Of || last.Channels != 3 || last.Files != 3 || last.LeftOut != 0 {
			t.Errorf("at the end it says %+v", last)
		}
		for i := 1; i < len(told); i++ {
			if told[i].Done < told[i-1].Done || told[i].Done > told[i].Of {
				t.Errorf("it went from %+v to %+v", told[i-1], told[i])
			}
		}
		if linked := all["markdown/channels/Twice-"+fmt.Sprint(twice)+".md"]; !strings.Contains(linked, "(<Shelf-"+fmt.Sprint(s.channel)+".md>)") ||
			!strings.Contains(linked, "(<../blocks/Picture-"+fmt.Sprint(s.image)+".md>)") {
			t.Errorf("Twice is\n%s", linked)
		}
		pages(t, all)
	}, generous)
}

// pages checks the pages of an export: scripts cannot be terminated by their content, and all
// linked entries exist.
func pages(t *testing.T, all map[string]string) {
	for name, text := range all {
		if strings.HasPrefix(name, "browse/data-") && (strings.Contains(text, "</") || strings.Contains(text, "\u2028") || !strings.HasPrefix(text, "vitrine(")) {
			t.Errorf("%s is not safe as a script: %.300s", name, text)
		}
		if !strings.HasPrefix(name, "markdown/") {
			continue
		}
		folder := name[:strings.LastIndexByte(name, '/')]
		for _, link := range strings.Split(text, "](<")[1:] {
			to, _, _ := strings.Cut(link, ">)")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "far") {
				continue
			}
			for to, up := strings.CutPrefix(to, "../"); ; to, up = strings.CutPrefix(to, "../") {
				if !up {
					if _, there := all[strings.TrimPrefix(folder+"/"+to, "/")]; !there {
						t.Errorf("%s leads to %s, which is not there", name, folder+"/"+to)
					}
					break
				}
				folder = folder[:max(0, strings.LastIndexByte(folder, '/'))]
			}
			folder = name[:strings.LastIndexByte(name, '/')]
		}
	}
}

// Items that are deleted during an export are skipped; the rest is complete and valid.
func TestPersonWhileDeleting(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var channels, blocks []int64
		for i := range 4 {
			channels = append(channels, r.Channel("ada", fmt.Sprint("Channel ", i), "private"))
			for j := range 60 {
				blocks = append(blocks, r.Block("ada", fmt.Sprint("block ", i, " ", j), channels[i]))
			}
		}
		file := upload(r, "ada", "p.png", "image/png", apptest.PNG(t, 9, 9), nil, channels[3])
		var out bytes.Buffer
		step := 0
		_, err := exporter(r).Person(context.Background(), r.Person("ada").ID, &out, func(p exporting.Progress) {
			switch step++; step {
			case 2: // in the midst of the first channel
				r.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", channels[0]), nil).Want(204)
				r.Do("ada", "DELETE", fmt.Sprintf("/v3/channels/%d", channels[2]), nil).Want(204)
				r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", blocks[115]), nil).Want(204)
				r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", file), nil).Want(204)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		all := unzip(t, out.Bytes())
		valid(t, all)
		var left []string
		for _, l := range lines(t, all, "json/left-out.jsonl") {
			left = append(left, fmt.Sprint(l["what"], " ", l["id"]))
		}
		if !slices.Equal(left, []string{fmt.Sprint("channel ", channels[2])}) {
			t.Errorf("left out are %q", left)
		}
		if n := len(lines(t, all, fmt.Sprintf("json/channels/%d.jsonl", channels[0]))); n != 50 {
			t.Errorf("%d items of the channel that was deleted after the first 50", n)
		}
		if n := len(lines(t, all, fmt.Sprintf("json/channels/%d.jsonl", channels[1]))); n != 59 {
			t.Errorf("%d items of the channel that lost one of 60", n)
		}
	}, generous)
}

// Files that the storage has lost are reported, and the rest is exported.
func TestPersonWithoutBytes(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, generous)
	channel := r.Channel("ada", "Shelf", "private")
	upload(r, "ada", "p.png", "image/png", apptest.PNG(t, 9, 9), nil, channel)
	if err := os.RemoveAll(r.DataDir() + "/files/originals"); err != nil {
		t.Fatal(err)
	}
	all, told := exported(r, r.Person("ada").ID)
	valid(t, all)
	if l := lines(t, all, "json/left-out.jsonl"); len(l) != 1 || l[0]["what"] != "file" || told[len(told)-1].LeftOut != 1 {
		t.Errorf("left out is %v", l)
	}
	unzip(t, export(r, "ada", channel, "zip").Want(200).Body)
	unzip(t, export(r, "ada", channel, "epub").Want(200).Body)
}

// Items that a person does not see are missing from the counts, the positions and the progress.
func TestHiddenItemsAreNotCounted(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		shelf := r.Channel("ada", "Shelf", "public")
		r.Block("ada", "one", shelf)
		r.Connect("ben", "Channel", r.Channel("ben", "Cave", "private"), shelf)
		r.Connect("ada", "Channel", r.Channel("ada", "Drawer", "private"), shelf)
		r.Block("ada", "two", shelf)

		all, reports := exported(r, r.Person("ada").ID)
		if last := reports[len(reports)-1]; reports[0].Of != 3 || last.Of != 3 || last.Done != 3 || last.Connections != 3 {
			t.Errorf("the progress is %+v", reports)
		}
		for _, c := range lines(t, all, "json/channels.jsonl") {
			if c["title"] == "Shelf" && c["items"] != 3.0 {
				t.Errorf("the channel is %v", c)
			}
		}
		var positions []any
		for _, item := range lines(t, all, fmt.Sprintf("json/channels/%d.jsonl", shelf)) {
			positions = append(positions, item["position"])
		}
		if !slices.Equal(positions, []any{1.0, 2.0, 3.0}) {
			t.Errorf("the positions are %v", positions)
		}
		for as, want := range map[string][]string{"": {"1-", "2-"}, "eve": {"1-", "2-"}, "ada": {"1-", "2-", "3-"}, "ben": {"1-", "2-", "3-"}} {
			var numbers []string
			for _, name := range names(unzip(t, export(r, as, shelf, "zip").Body)) {
				if number, _, ok := strings.Cut(name, "-"); ok {
					numbers = append(numbers, number+"-")
				}
			}
			if !slices.Equal(numbers, want) {
				t.Errorf("%q gets the files %q, want %q", as, numbers, want)
			}
		}
	}, generous)
}
