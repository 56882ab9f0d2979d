package site_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// blocksIn returns the number of blocks in a channel.
func blocksIn(t *testing.T, r *apptest.Rig, slug string) int64 {
	t.Helper()
	c, err := r.S.App.Collections.Channel(t.Context(), domain.Actor{}, refOf(slug))
	if err != nil {
		t.Fatal(err)
	}
	return c.Blocks
}

// A file that is too large does not affect the files before and after it.
func TestCollectAddTooLarge(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := member(t, r, "ada")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		ada.upload("/ada/ferns/add", nil, "a.txt", "small", "large.txt", strings.Repeat("x", 1001), "b.txt", "small too").
			want(422).says("large.txt", "Larger than ", "2 files were added.")
		ada.upload("/ada/ferns/add", nil, "c.txt", strings.Repeat("y", 1000)).leads("/ada/ferns")
		if n := blocksIn(t, r, "ferns"); n != 3 {
			t.Errorf("%d blocks, want 3", n)
		}
	}, people, func(c *config.Config) { c.UploadLimit = 1000 })
}

func TestCollectAddOverQuota(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := member(t, r, "ada")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		ada.upload("/ada/ferns/add", nil, "a.txt", strings.Repeat("a", 1500)).leads("/ada/ferns")
		ada.upload("/ada/ferns/add", []string{"value", "a note"}, "b.txt", strings.Repeat("b", 1500)).want(422).says("b.txt", "Your files and texts may have 2 KiB in all")
		if n := blocksIn(t, r, "ferns"); n != 2 { // the first file and the note
			t.Errorf("%d blocks, want 2", n)
		}
	}, people, func(c *config.Config) { c.Quota = map[string]int64{"free": 2000, "premium": 2000, "supporter": 2000} })
}

func TestCollectAddAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := member(t, r, "ada")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		var both sync.WaitGroup
		pages := make([]*page, 2)
		for i := range pages {
			both.Go(func() {
				pages[i] = ada.upload("/ada/ferns/add", nil, fmt.Sprint(i, ".txt"), fmt.Sprint("file ", i), fmt.Sprint(i, "b.txt"), fmt.Sprint("more ", i))
			})
		}
		both.Wait()
		for _, p := range pages {
			p.leads("/ada/ferns")
		}
		if n := blocksIn(t, r, "ferns"); n != 4 {
			t.Errorf("%d blocks, want 4", n)
		}
	}, people)
}

// Selected items keep their order, wherever they are moved.
func TestCollectArrangeSeveral(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := member(t, r, "ada")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		const at = "/ada/ferns/arrange"
		connections := map[string]string{}
		for _, text := range []string{"F", "E", "D", "C", "B", "A"} {
			ada.post("/ada/ferns/add", "value", text).leads("/ada/ferns")
			connections[text] = ada.get(at).find(`name="connection" value="(\d+)"`)
		}
		order := func() (said string) {
			p := ada.get(at).want(200)
			for place := 1; place <= 6; place++ {
				id := p.find(fmt.Sprintf(`name="was(\d+)" value="%d"`, place))
				for text, c := range connections {
					if c == id {
						said += text
					}
				}
			}
			return said
		}
		if got := order(); got != "ABCDEF" {
			t.Fatalf("at first: %s", got)
		}
		for _, move := range []struct{ do, place, ticked, want string }{
			{"top", "", "CEF", "CEFABD"},
			{"bottom", "", "CFB", "EADCFB"},
			{"place", "2", "DCB", "EDCBAF"},
			{"place", "99", "ED", "CBAFED"},
		} {
			form := []string{"do", move.do, "at", move.place}
			for _, text := range strings.Split(move.ticked, "") {
				form = append(form, "connection", connections[text])
			}
			ada.post(at, form...).leads(at)
			if got := order(); got != move.want {
				t.Errorf("%s of %s to %q: %s, want %s", move.do, move.ticked, move.place, got, move.want)
			}
		}
	}, people)
}

func TestCollectNewOfGroup(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := member(t, r, "ada"), member(t, r, "eve")
		ada.post("/groups/new", "name", "Gardeners").want(303)
		id := ada.get("/new").want(200).find(`<option value="(\d+)">Gardeners`)
		ada.get("/new?owner=" + id).find(`<option value="` + id + `" (selected)>`)
		ada.post("/new", "title", "Hedges", "visibility", "closed", "owner", id).leads("/gardeners/hedges").follow().want(200).says("Gardeners", "Hedges")
		eve.get("/new").want(200).hides("Gardeners")
		eve.post("/new", "title", "Weeds", "visibility", "closed", "owner", id).want(422).says("Weeds")
		eve.get("/gardeners/weeds").want(404)
		ada.post("/new", "title", "Weeds", "owner", "x").want(422).says("Choose yourself or one of your groups")
	}, people)
}
