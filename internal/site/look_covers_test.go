package site_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

var (
	coverOfTile = regexp.MustCompile(`(?s)<span class="cover of(\d)" aria-hidden="true">(.*?)\n<strong dir="auto">([^<]*)</strong>`)
	coverPart   = regexp.MustCompile(`(?s)<span class="part \w+">(?:<span class="(?:words|type)"(?: dir="auto")?>([^<]*)</span>|.*?(<img )[^>]*>)`)
)

// covers returns the parts of the covers on a page by the titles of their channels. An image is called "image".
func (p *page) covers() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	for _, tile := range coverOfTile.FindAllStringSubmatch(p.body, -1) {
		var parts []string
		for _, part := range coverPart.FindAllStringSubmatch(tile[2], -1) {
			if part[2] != "" {
				part[1] = "image"
			}
			parts = append(parts, part[1])
		}
		if fmt.Sprint(len(parts)) != tile[1] {
			p.t.Errorf("the cover of %s says %s parts: %s", tile[3], tile[1], tile[2])
		}
		all[tile[3]] = strings.Join(parts, "|")
	}
	return all
}

// Each reader sees the covers of the channels that they may see, after every change.
func TestCoversForEachReader(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Operator("olga")
		g := r.Group("Guild", "ada", "bob")
		open, private := r.Channel("ada", "Open", "closed"), r.Channel("ada", "Private", "private")
		group := r.Do("ada", "POST", "/v3/channels", fmt.Sprintf(`{"title":"Of the group","visibility":"private","group_id":%d}`, g)).Want(http.StatusCreated).Int("id")
		blocks := map[string]int64{}
		for _, text := range []string{"One", "Two", "Three"} {
			blocks[text] = r.Block("ada", text, open, private, group)
		}
		readers := map[string]*browser{"": newBrowser(t, r)}
		for _, name := range []string{"ada", "bob", "eve"} {
			readers[name] = enter(t, r, name)
		}
		check := func(after, ofOpen string, titles map[string]string) {
			t.Helper()
			for name, b := range readers {
				got := b.get("/ada").want(200).covers()
				for title, want := range b.get("/group/guild").want(200).covers() {
					got[title] = want
				}
				for title, seen := range titles {
					cover, shown := got[title]
					want := strings.Contains(seen, "/"+name+"/")
					if shown != want || shown && cover != ofOpen {
						t.Errorf("after %s, %q sees %q: %v %q, want %v %q", after, name, title, shown, cover, want, ofOpen)
					}
				}
			}
		}
		all := map[string]string{"Open": "//ada/bob/eve/", "Private": "/ada/", "Of the group": "/ada/bob/"}
		check("nothing", "Three|Two|One", all)
		blocks["Four"] = r.Block("ada", "Four", open, private, group)
		blocks["Five"] = r.Block("ada", "Five", open, private, group)
		check("adding", "Five|Four|Three|Two", all)
		r.Do("ada", "PUT", fmt.Sprint("/v3/blocks/", blocks["Five"]), map[string]any{"content": "Changed *text*"}).Want(200)
		check("editing", "Changed text|Four|Three|Two", all)
		for _, c := range []int64{open, private, group} {
			id := r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", c).Int("data.1.connection.id")
			r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", id), nil).Want(204)
		}
		check("removing", "Changed text|Three|Two|One", all)
		if _, err := r.S.App.Moderation.Hide(t.Context(), operating.CommandLine(), moderation.HideInput{About: domain.Subject{Type: domain.SubjectBlock, ID: blocks["Three"]}}); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		check("hiding", "Changed text|Two|One", all)
		readers["ada"].post(fmt.Sprintf("/block/%d/delete", blocks["Two"]), "do", "delete", "sure", "yes").want(http.StatusSeeOther)
		check("deleting", "Changed text|One", all)
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", open), map[string]any{"visibility": "private"}).Want(200)
		all["Open"] = "/ada/"
		check("making private", "Changed text|One", all)
	})
}

// Wherever channels are tiles, they have covers.
func TestCoversOnEachPage(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	w := newWall(t, r)
	bob := enter(t, r, "bob")
	r.Do("bob", "PUT", "/ext/v1/users/ada/follow", nil).Want(200)
	r.Block("ada", "In the drawer", w.inside)
	other := r.Channel("ada", "Another wall", "public")
	r.Connect("ada", "Block", w.blocks["text"], other)
	ada, guest := enter(t, r, "ada"), newBrowser(t, r)
	const drawer, another = "In the drawer", "A short text"
	for path, want := range map[string]struct {
		by            *browser
		title, covers string
	}{
		"/":                          {guest, "Studio wall", ""},
		"/explore?type=channels":     {guest, "Studio wall", ""},
		"/search?q=wall":             {guest, "Another wall", another},
		"/ada":                       {guest, "Another wall", another},
		"/ada/studio-wall":           {guest, "Closed drawer", drawer},
		"/ada/studio-wall/embed":     {guest, "Closed drawer", drawer},
		"/ada/another-wall/related":  {guest, "Studio wall", ""},
		"/ada/studio-wall/slideshow": {guest, "Closed drawer", drawer},
		"/feed":                      {bob, "Another wall", another},
	} {
		got, ok := want.by.get(path).want(200).covers()[want.title]
		if want.covers != "" && got != want.covers || want.covers == "" && strings.Count(got, "|") != 3 || !ok { // the wall is in no order
			t.Errorf("%s: %s has the cover %q, %v", path, want.title, got, ok)
		}
		if strings.Contains(got, "nothing") || strings.Contains(got, "later") {
			t.Errorf("%s shows pending or failed blocks: %q", path, got)
		}
	}
	if got := ada.get("/").want(200).covers(); got["Another wall"] != another || got["Closed drawer"] != drawer {
		t.Errorf("home: %q", got)
	}
}

// Explore and the start page show pending and failed blocks only to their authors.
func TestUnfinishedBlocksAreNotExplored(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, bob, guest := enter(t, r, "ada"), enter(t, r, "bob"), newBrowser(t, r)
		w := newWall(t, r)
		for _, path := range []string{"/explore", "/explore?type=blocks", "/explore?type=blocks&kind=link", "/"} {
			for name, b := range map[string]*browser{"ada": ada, "bob": bob, "guest": guest} {
				if path == "/" && name != "guest" {
					continue
				}
				for _, kind := range []string{"pending", "failed", "text", "link"} {
					narrow := strings.Contains(path, "kind=link") && (kind == "text" || kind == "pending")
					want := !narrow && (name == "ada" || kind == "text" || kind == "link")
					if got := strings.Contains(b.get(path).want(200).body, `href="`+w.page(kind)+`"`); got != want {
						t.Errorf("%s shows %s the %s block: %v", path, name, kind, got)
					}
				}
			}
		}
	})
}

// An activity combines what belongs together and shows a few of its items. One that is about the reader shows none.
func TestActivitiesAreShort(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	bob, c := enter(t, r, "bob"), r.Channel("ada", "Moss", "public")
	r.Do("bob", "PUT", "/ext/v1/users/ada/follow", nil).Want(200)
	r.Do("ada", "PUT", "/ext/v1/users/bob/follow", nil).Want(200)
	for i := range 12 {
		r.Block("ada", fmt.Sprint("Text ", i), c)
	}
	p := bob.get("/feed").want(200).says("added 12 blocks to", "follows you")
	if n := strings.Count(p.body, `<li class="cell text `); n != 8 {
		t.Errorf("%d blocks are shown, want 8", n)
	}
	if n := strings.Count(p.body, `<li class="cell user `); n != 0 {
		t.Errorf("%d users are shown, want none", n)
	}
}
